//! Allowed commands work in a cell as they do outside.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use guarda_sandbox::SandboxLevel;
use guarda_sandbox::process::{Start, Status, Streams};

use crate::jail::{Jail, begin, block_on, profiles, run_in, sandbox};

#[test]
fn everyday_programs_run() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for text in [
            "ls -la && find . -type f | sort | xargs wc -c",
            "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first && git status && git log -p",
            "git init -q sub && cd sub && git gc -q && git worktree list",
            "python3 -c 'import json, sqlite3, subprocess, tempfile, threading; tempfile.mkdtemp(); print(subprocess.check_output([\"id\"]))'",
            "python3 -m venv --without-pip env && env/bin/python -c 'import sys; print(sys.prefix)'",
            "perl -e 'print 1 + 1'",
            "sort <(seq 9) | head -2; seq 100000 | tail -1 | grep 100000",
            "tar czf all.tgz file && mkdir out && tar xzf all.tgz -C out && cmp file out/file",
            "chmod +x file; touch -d yesterday file; cp -a file copy; stat file",
            "printf '#!/bin/sh\\necho ran\\n' > tool && chmod +x tool && ./tool",
            "ps aux | head -3 && cat /proc/meminfo /proc/self/status > /dev/null && nproc",
        ] {
            jail.run(&spec, text).succeeds();
        }
    }
}

#[test]
fn cargo_runs_where_it_is_installed() {
    let Some(home) = std::env::var_os("HOME").map(std::path::PathBuf::from) else {
        return;
    };
    let cargo = home.join(".cargo/bin/cargo");
    if !cargo.exists() {
        return;
    }
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        spec.home = Some(home.clone());
        let mut script = jail.script("cargo --version && cargo init -q --name x . && cargo metadata --offline --format-version 1 -q > meta && rustc --version", &[]);
        let path = format!("{}:/usr/bin:/bin", cargo.parent().unwrap().display());
        script.environment.retain(|(name, _)| name != "HOME" && name != "PATH");
        script.environment.push(("HOME".into(), home.to_str().unwrap().into()));
        script.environment.push(("PATH".into(), path));
        crate::jail::run(&spec, script).succeeds();
    }
}

#[test]
fn the_argument_vector_and_the_status_are_exact() {
    let mut all = profiles();
    all.push(SandboxLevel::None);
    for profile in all {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let words = ["", " ", "a b", "$(id)", "*", "--", "\n", "ç\u{1F600}", "'\""];
        let mut start = jail.script("", &[]);
        start.file = "/usr/bin/python3".into();
        start.name = "a strange name".into();
        start.arguments = vec!["-c".into(), "import sys; print(open('/proc/self/cmdline','rb').read().split(b'\\0')[0].decode()); print(sys.argv[1:])".into()];
        start.arguments.extend(words.map(Into::into));
        let done = crate::jail::run(&spec, start);
        let (name, list) = done.succeeds().out.split_once('\n').unwrap();
        assert_eq!(name, "a strange name");
        assert!(list.starts_with(r"['', ' ', 'a b', '$(id)', '*', '--', '\n', 'ç"), "{list}");

        assert_eq!(jail.run(&spec, "exit 42").status, Status::Exited(42));
        assert_eq!(jail.run(&spec, "kill -SEGV $$").status, Status::Signalled(libc::SIGSEGV));
        assert_eq!(jail.run(&spec, "kill -PIPE $$").status, Status::Signalled(libc::SIGPIPE));
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let start = |file: &str| Start {
            file: file.into(),
            name: "x".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: jail.at("work"),
            followed: false,
        };
        let kind = |file: &str| {
            block_on(async {
                let mut cell = sandbox().open(&spec).await.unwrap();
                let error = begin(&mut cell, start(file)).await.map(|_begun| ()).unwrap_err();
                // The cell is as good as before.
                let done = run_in(&mut cell, jail.script("exit 3", &[])).await;
                assert_eq!(done.status, Status::Exited(3));
                error.kind()
            })
        };
        use std::io::ErrorKind::{NotFound, PermissionDenied};
        assert_eq!(kind("/nonexistent/program"), NotFound);
        assert_eq!(kind(jail.at("work/file").to_str().unwrap()), PermissionDenied);
        assert!(matches!(kind(jail.at("guard/token").to_str().unwrap()), PermissionDenied | NotFound));
    }
}

#[test]
fn programs_of_one_cell_share_its_folders_and_pipes() {
    for profile in profiles() {
        let jail = Jail::new();
        block_on(async {
            let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
            let (first_in, mut feed) = std::io::pipe().unwrap();
            let (second_in, first_out) = std::io::pipe().unwrap();
            let (mut result, second_out) = std::io::pipe().unwrap();
            let error = || std::fs::File::options().write(true).open("/dev/null").unwrap();
            let first = Streams { input: first_in.into(), output: first_out.into(), error: error().into() };
            let second =
                Streams { input: second_in.into(), output: second_out.into(), error: error().into() };
            let a = cell
                .start(jail.script("echo $TMPDIR > $TMPDIR/where; tr a-z A-Z", &[]), first)
                .await
                .unwrap();
            let b = cell.start(jail.script("sort; cat $TMPDIR/where", &[]), second).await.unwrap();
            feed.write_all(b"pear\napple\n").unwrap();
            drop(feed);
            // In any order, and more than once.
            assert_eq!(cell.status(b).await.unwrap(), Status::Exited(0));
            assert_eq!(cell.status(a).await.unwrap(), Status::Exited(0));
            assert_eq!(cell.status(a).await.unwrap(), Status::Exited(0));
            let mut text = String::new();
            result.read_to_string(&mut text).unwrap();
            assert!(text.starts_with("APPLE\nPEAR\n/"), "{text}");
            assert_eq!(cell.end(Duration::ZERO).await.unwrap().strays, 0);
        });
    }
}

#[test]
fn the_reader_of_a_pipe_that_stops_ends_the_writer() {
    for profile in profiles() {
        let jail = Jail::new();
        block_on(async {
            let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
            let (mut result, output) = std::io::pipe().unwrap();
            let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
            let streams = Streams { input: null().into(), output: output.into(), error: null().into() };
            let number = cell.start(jail.script("exec yes", &[]), streams).await.unwrap();
            result.read_exact(&mut [0; 100]).unwrap();
            drop(result);
            assert_eq!(cell.status(number).await.unwrap(), Status::Signalled(libc::SIGPIPE));
        });
    }
}

#[test]
fn limits_hold() {
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        spec.limits.file_size = Some(1 << 20);
        spec.limits.open_files = Some(64);
        spec.limits.memory = Some(1 << 30);
        spec.limits.cpu_seconds = Some(1);
        jail.run(&spec, "head -c 2000000 /dev/zero > big").fails();
        assert!(std::fs::metadata(jail.at("work/big")).unwrap().len() <= 1 << 20);
        assert_eq!(jail.run(&spec, "ulimit -n; ulimit -c; ulimit -Hd").out, "64\n0\n1048576\n");
        jail.python(&spec, "x = bytearray(1 << 31)", &[]).fails();
        let status = jail.run(&spec, "while :; do :; done").status;
        assert!(matches!(status, Status::Signalled(libc::SIGXCPU | libc::SIGKILL)), "{status:?}");
    }
}
