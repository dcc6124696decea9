//! A home folder of which a command sees only pieces: nothing else is there, by whatever way it is read.

use guarda_sandbox::{SandboxLevel, Spec};

use crate::jail::{Jail, profiles, run};
use crate::stage::staged;

/// A jail with things beside the pieces, which are `work`, a file and a tool's folder.
fn jail() -> Jail {
    let jail = Jail::new();
    for folder in ["other/a/b/c/d/e", ".tool/bin", ".tool/keys", ".cache/x"] {
        std::fs::create_dir_all(jail.at(folder)).unwrap();
    }
    for depth in ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"] {
        std::fs::write(jail.at(&format!("other/{depth}notes")), "SECRET").unwrap();
    }
    for file in [".tool/keys/key", ".tool/token", ".cache/x/token", "beside", "unseen.txt"] {
        std::fs::write(jail.at(file), "SECRET").unwrap();
    }
    std::fs::write(jail.at(".tool/bin/run"), "tool").unwrap();
    std::fs::write(jail.at("seen.txt"), "seen").unwrap();
    std::os::unix::fs::symlink(jail.at("other"), jail.at("work/link")).unwrap();
    std::os::unix::fs::symlink(jail.at("seen.txt"), jail.at("way")).unwrap();
    jail
}

/// Each kind of cell that sees pieces.
fn each(jail: &Jail, number: usize) -> Vec<Spec> {
    let look = |profile| Spec::look(profile, Some(jail.at("")), jail.at("work"));
    let mut specs: Vec<Spec> = profiles().into_iter().map(look).collect();
    specs.push(staged(jail, "work", &number.to_string()));
    for spec in &mut specs {
        spec.pieces = Some(["work", "seen.txt", ".tool/bin", "none"].map(|path| jail.at(path)).to_vec());
        spec.links = vec![(jail.at("way"), jail.at("seen.txt"))];
    }
    specs
}

#[test]
fn nothing_but_the_pieces_is_there() {
    let jail = jail();
    let ways = [
        "cat $home/other/notes $home/other/a/b/c/d/e/notes",
        "grep -rhs . $home/other $home/.tool/keys $home/.cache",
        "find $home -type f -exec cat {} +",
        "cat link/notes link/a/notes",
        "cd .. && cat */notes .tool/* .tool/keys/* beside",
        "python3 -c 'import os; [print(open(os.path.join(d, f)).read()) for d, _, fs in os.walk(os.path.expanduser(\"~\")) for f in fs]'",
        "tar cf - -C $home . | strings",
        "cat /proc/self/root$home/other/notes",
        "cat /proc/self/cwd/../other/notes",
        "cp -r $home/other $TMPDIR/ && cat $TMPDIR/other/notes",
        "head -c 99 ../unseen.txt",
        "cat < $home/.tool/token",
    ];
    for (number, way) in ways.into_iter().enumerate() {
        for spec in each(&jail, number) {
            let done = run(&spec, jail.script(way, &[]));
            assert!(!done.out.contains("SECRET") && !done.err.contains("SECRET"), "{way}: {done:#?}");
        }
    }
    let seen = "cat $home/seen.txt $home/.tool/bin/run file && ls -A ~ ~/.tool && ! touch ~/new && ! echo x > ~/.tool/bin/new";
    for spec in each(&jail, ways.len()) {
        // Without mounts, what is not opened is closed, and can be seen to be there.
        let mounted = spec.profile == SandboxLevel::Isolated;
        let line = if mounted { format!("{seen} && cat $home/way") } else { seen.to_owned() };
        let done = run(&spec, jail.script(&line, &[]));
        let out = &done.succeeds().out;
        assert!(out.starts_with("seentoolmine") && out.ends_with("seen") == mounted, "{done:#?}");
        for name in ["other", "beside", "keys", ".ssh", ".netrc"] {
            assert!(!mounted || !out.lines().any(|line| line == name), "{name}: {done:#?}");
        }
    }
}

/// A line that names `/` opens what it may see of the machine, and nothing more of the home folder.
#[test]
fn a_folder_above_the_home_folder_opens_nothing_of_it() {
    let jail = jail();
    for mut spec in each(&jail, 100) {
        // bubblewrap makes places of its own in `/` and in the temporary folder above this home, and refuses where these are only
        // readable.
        if spec.profile != SandboxLevel::Isolated || !spec.staged.is_empty() {
            spec.readable.extend(["/".into(), std::path::PathBuf::from(jail.at("").parent().unwrap())]);
        }
        let done = run(&spec, jail.script("cat $home/other/notes $home/unseen.txt; cat $home/seen.txt", &[]));
        assert_eq!(done.succeeds().out, "seen", "{done:#?}");
    }
}

#[test]
fn what_is_staged_beside_the_pieces_begins_empty() {
    let jail = jail();
    let mut spec = staged(&jail, "work", "work");
    for folder in [".cache", ".tool"] {
        let more = staged(&jail, folder, "scratch").staged;
        spec.writable.push(jail.at(folder));
        spec.staged.extend(more);
    }
    spec.pieces = Some(["work", ".tool/bin"].map(|path| jail.at(path)).to_vec());
    let line = "ls -A ~/.cache && echo made > ~/.cache/new && cat ~/.cache/new ~/.tool/bin/run && ! echo x > ~/.tool/bin/x && ls -A ~/.tool && echo y > file";
    let done = run(&spec, jail.script(line, &[]));
    assert_eq!(done.succeeds().out, "made\ntoolbin\n", "{done:#?}");
    assert_eq!(std::fs::read_to_string(jail.at("work/file")).unwrap(), "mine");
    assert!(!jail.at(".cache/new").exists());
}

#[test]
fn no_socket_in_a_piece_is_reached() {
    let jail = jail();
    std::fs::create_dir_all(jail.at("named")).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(jail.at("named/x.sock")).unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut spec = staged(&jail, "work", "work");
    spec.pieces = Some(["work", "named", "named/x.sock"].map(|path| jail.at(path)).to_vec());
    let text = "
import os, socket
one = socket.socket(socket.AF_UNIX); one.settimeout(2)
try: one.connect(os.path.expanduser('~/named/x.sock')); print(one.recv(1))
except OSError as error: print('refused')
";
    let done = jail.python(&spec, text, &[]);
    assert!(["refused\n", "b''\n"].contains(&done.succeeds().out.as_str()), "{done:#?}");
    assert!(listener.accept().is_err());
}
