//! The cell that can do no harm. Everything that policy alone allows runs here, so that a wrong assumption
//! about a program costs nothing. Commands that show the machine still work.

use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::{SandboxError, SandboxLevel, Spec};

use crate::jail::{Done, Jail, block_on, run};

fn spec(jail: &Jail) -> Spec {
    let mut spec = Spec::look(SandboxLevel::Confined, Some(jail.at("")), jail.at("work"));
    spec.readable.push(jail.at(""));
    spec.hidden.push(jail.at("guard"));
    spec.hidden.push(jail.at("work/.env"));
    spec
}

fn look(jail: &Jail, text: &str) -> Done {
    run(&spec(jail), jail.script(text, &[]))
}

/// Every file of the home folder with its attributes.
fn manifest(jail: &Jail) -> String {
    let listed = crate::jail::program("/usr/bin/find")
        .args([jail.at("").to_str().unwrap(), jail.outside("").to_str().unwrap()])
        .args(["-printf", "%p %y %m %U %s %T@ %C@ %l\n"])
        .output()
        .unwrap();
    let mut lines: Vec<String> =
        String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines.join("\n")
}

#[test]
fn nothing_is_changed() {
    let jail = Jail::new();
    std::fs::write(jail.at("work/file"), "content").unwrap();
    std::fs::write(jail.at("work/.env"), "KEY=SECRET").unwrap();
    std::os::unix::fs::symlink("file", jail.at("work/link")).unwrap();
    let before = manifest(&jail);
    for text in [
        "echo x > new",
        "echo x >> file",
        "echo x > file",
        ": <> new",
        "rm file",
        "mv file other",
        "ln file other",
        "ln -s file other",
        "mkdir d",
        "mkfifo p",
        "mknod n p",
        "chmod 600 file",
        "chmod +s file",
        "chown 12345 file",
        "touch file",
        "touch -d 2001-01-01 file",
        "truncate -s 0 file",
        "perl -e 'open F, q(+<), q(file) or die; truncate F, 0'",
        "perl -e 'truncate q(file), 0 or die'",
        "perl -e 'use Fcntl; sysopen F, q(file), O_RDONLY | O_TRUNC or die'",
        "perl -e 'utime 1, 1, q(file) or die'",
        "perl -e 'chmod 0777, q(.) or die'",
        "python3 -c 'import os; os.setxattr(\"file\", b\"user.x\", b\"1\")'",
        "python3 -c 'import os; os.rename(\"file\", \"other\")'",
        "python3 -c 'import os; os.link(\"file\", \"other\")'",
        "cp file $home/copy",
        "cp file $outside/copy",
        "cp file /dev/shm/guarda-look-test",
        "cp file /tmp/guarda-look-test",
        "cp file /var/tmp/guarda-look-test",
        "flock -n file true && chmod 600 link",
    ] {
        look(&jail, text).fails();
        assert_eq!(manifest(&jail), before, "{text}");
    }
    for gone in ["/dev/shm/guarda-look-test", "/tmp/guarda-look-test", "/var/tmp/guarda-look-test"] {
        assert!(!std::path::Path::new(gone).exists(), "{gone}");
    }
}

#[test]
fn what_it_writes_is_thrown_away() {
    let jail = Jail::new();
    let done = look(&jail, "echo kept > $TMPDIR/x && sort $TMPDIR/x && echo $TMPDIR");
    let out = done.succeeds().out.clone();
    let folder = out.lines().last().unwrap();
    assert!(out.starts_with("kept\n") && !std::path::Path::new(folder).exists(), "{out}");
}

#[test]
fn no_secret_is_read() {
    let jail = Jail::new();
    std::fs::write(jail.at("work/.env"), "KEY=SECRET").unwrap();
    std::os::unix::fs::symlink(jail.at(".ssh/id_ed25519"), jail.at("work/link")).unwrap();
    for text in [
        "cat $home/.ssh/id_ed25519",
        "cat link",
        "cat .env",
        "cat /proc/self/cwd/.env",
        "cat /proc/self/root$home/.netrc",
        "cat $home/guard/token",
        "cat $home/.config/gh/hosts.yml",
        "grep -rs SECRET $home",
        "find $home -type f -exec cat {} +",
        "tar cf - $home",
        "cat /proc/$PPID/environ",
        "cat /proc/1/environ",
        "strings /proc/$PPID/mem",
        "cat < /dev/tty",
    ] {
        let done = look(&jail, text);
        assert!(!done.out.contains("SECRET"), "{text}: {done:?}");
    }
}

/// A process outside; it ends with the test in any case.
struct Sleeper(std::process::Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nobody_outside_is_reached() {
    let jail = Jail::new();
    let path = jail.at("socket");
    let stream = std::os::unix::net::UnixListener::bind(&path).unwrap();
    stream.set_nonblocking(true).unwrap();
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let mut sleeper = Sleeper(crate::jail::program("/usr/bin/sleep").arg("60").spawn().unwrap());
    let variables = [
        ("tcp", tcp.local_addr().unwrap().port().to_string()),
        ("udp", udp.local_addr().unwrap().port().to_string()),
        ("victim", sleeper.0.id().to_string()),
    ];
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for text in [
        "exec 9<> /dev/tcp/127.0.0.1/$tcp",
        "exec 9<> /dev/udp/127.0.0.1/$udp && echo x >&9",
        "python3 -c 'import socket, os; socket.create_connection((\"127.0.0.1\", int(os.environ[\"tcp\"])))'",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'",
        "python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)'",
        "python3 -c 'import socket; socket.socket(socket.AF_INET6)'",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
        "python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)'",
        "python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'",
        "kill $victim",
        "kill -STOP $victim",
        "kill -KILL $PPID",
        // -1 means every process, which is every one inside.
        "kill -9 -1; exit 5",
        "renice -n 5 -p $victim",
        "prlimit --pid $victim --nofile=1",
        "taskset -p 1 $victim",
        "chrt -b -p 0 $victim",
        "setsid -w script -qc id /dev/null",
        "unshare -Ur true",
        "python3 -c 'import ctypes; raise SystemExit(ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0)'",
    ] {
        let done = run(&spec(&jail), jail.script(text, &variables));
        assert_ne!(done.status, Status::Exited(0), "{text}: {done:?}");
    }
    assert!(sleeper.0.try_wait().unwrap().is_none());
    for reached in [stream.accept().is_ok(), tcp.accept().is_ok(), udp.recv_from(&mut [0; 9]).is_ok()] {
        assert!(!reached);
    }
}

#[test]
fn nothing_stays_behind() {
    let jail = Jail::new();
    let done =
        look(&jail, "setsid sleep 987654 & (sleep 987654 &) ; nohup sleep 987654 > /dev/null 2>&1 & exit 0");
    done.succeeds();
    let left = crate::jail::program("/usr/bin/pgrep").args(["-f", "sleep 987654"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

#[test]
fn what_shows_the_machine_still_shows_it() {
    let jail = Jail::new();
    std::fs::write(jail.at("work/file"), "content\n").unwrap();
    for (text, shows) in [
        ("cat file", "content"),
        ("for f in *; do cat \"$f\"; done", "content"),
        ("cat < <(echo content)", "content"),
        ("cat <<< content | tr a-z A-Z", "CONTENT"),
        ("ls -la $home", "Documents"),
        ("ps aux", "bash"),
        ("ps -e", "sh"),
        ("ss -tln", "State"),
        ("df /", "Filesystem"),
        ("ip addr", "lo"),
        ("ip route", ""),
        ("free", "Mem"),
        ("uptime", "load"),
        ("lsblk", "NAME"),
        ("id", "uid="),
        ("date", ""),
        ("uname -a", "Linux"),
        ("git --version", "git"),
        ("cat /etc/os-release", "NAME"),
        ("timeout 5 echo content", "content"),
        ("python3 -c 'print(6 * 7)'", "42"),
        ("find /usr/bin -maxdepth 1 -name env", "env"),
    ] {
        let done = look(&jail, text);
        assert!(done.succeeds().out.contains(shows), "{text}: {done:?}");
    }
}

#[test]
fn it_is_refused_rather_than_made_with_less() {
    let jail = Jail::new();
    for calls in [crate::lacking::LANDLOCK, crate::lacking::SECCOMP] {
        let refused = crate::lacking::without(calls, spec(&jail), &jail, "true");
        assert!(matches!(refused, Err(SandboxError::Lacking(_))), "{refused:?}");
    }
}

#[test]
fn a_keeper_that_waits_is_used_once() {
    let jail = Jail::new();
    block_on(async {
        let sandbox = crate::jail::sandbox().keep_ready();
        for round in 0..8 {
            let mut cell = sandbox.open(&spec(&jail)).await.unwrap();
            let done =
                crate::jail::run_in(&mut cell, jail.script("ls $TMPDIR; : > $TMPDIR/used; exit 7", &[]))
                    .await;
            assert_eq!((done.status, done.out.as_str()), (Status::Exited(7), ""), "{round}");
        }
    });
}

#[test]
fn a_program_is_started_with_its_cell_or_not_at_all() {
    let jail = Jail::new();
    let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into();
    let streams = || Streams { input: null(), output: null(), error: null() };
    block_on(async {
        for sandbox in [crate::jail::sandbox(), crate::jail::sandbox().keep_ready()] {
            let (cell, number) =
                sandbox.begin(&spec(&jail), jail.script("exit 7", &[]), streams()).await.unwrap();
            assert_eq!(cell.status(number.unwrap()).await.unwrap(), Status::Exited(7));

            let absent = Start { file: "/nonexistent".into(), ..jail.script("true", &[]) };
            let (mut cell, number) = sandbox.begin(&spec(&jail), absent, streams()).await.unwrap();
            assert_eq!(number.unwrap_err().kind(), std::io::ErrorKind::NotFound);
            let number = cell.start(jail.script("exit 8", &[]), streams()).await.unwrap();
            assert_eq!(cell.status(number).await.unwrap(), Status::Exited(8), "the cell stands");

            let nowhere = Spec { temporary: "/nonexistent".into(), ..jail.spec(SandboxLevel::Confined) };
            let refused = sandbox.begin(&nowhere, jail.script("touch made", &[]), streams()).await;
            assert!(matches!(refused, Err(SandboxError::Supervisor(_))), "{refused:?}");
        }
    });
    assert!(!jail.at("work/made").exists());
}
