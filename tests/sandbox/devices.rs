//! Devices and terminals.

use std::os::fd::OwnedFd;

use guarda_sandbox::SandboxLevel;
use guarda_sandbox::process::{Status, Streams};
use rustix::pty::OpenptFlags;

use crate::jail::{Jail, block_on, none, profiles, sandbox};

#[test]
fn harmless_devices_work() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        jail.run(
            &spec,
            "echo x > /dev/null && head -c 4 /dev/zero && head -c 4 /dev/urandom | wc -c && cat < /dev/null",
        )
        .succeeds();
        jail.run(&spec, "echo x > /dev/stdout; echo x > /dev/stderr; cat <(echo x) <<< y").succeeds();
        jail.run(&spec, "echo x > /dev/full").fails();
    }
}

#[test]
fn no_other_device_is_opened_or_made() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let attempt = "for d in /dev/* /dev/input/* /dev/snd/* /dev/dri/*; do \
            case $d in /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/fd|/dev/std*) continue;; esac; \
            [ -d $d ] && continue; \
            (exec 9< $d) 2> /dev/null && echo read $d; (exec 9>> $d) 2> /dev/null && echo wrote $d; done; true";
        let done = jail.run(&spec, attempt);
        let opened: Vec<&str> = done.succeeds().out.lines().collect();
        match profile {
            // A terminal of its own namespace has no other user.
            SandboxLevel::Isolated => {
                assert!(opened.iter().all(|line| line.contains("/dev/ptmx")), "{opened:?}")
            }
            SandboxLevel::Confined | SandboxLevel::None => assert!(opened.is_empty(), "{opened:?}"),
        }
        for device in [
            "/dev/uinput",
            "/dev/input/event0",
            "/dev/snd/seq",
            "/dev/kvm",
            "/dev/mem",
            "/dev/vda",
            "/dev/sda",
        ] {
            jail.run(&spec, &format!("exec 9<> {device}")).fails();
        }
        for attempt in ["mknod mem c 1 1", "mknod input c 13 64", "mknod disk b 254 0"] {
            jail.run(&spec, attempt).fails();
        }
        jail.run(&spec, "mkfifo pipe && test -p pipe").succeeds();
    }
}

/// Another program's terminal: the controlling side, and its name.
fn terminal() -> (OwnedFd, String) {
    let controller =
        rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    rustix::pty::grantpt(&controller).unwrap();
    rustix::pty::unlockpt(&controller).unwrap();
    let name = rustix::pty::ptsname(&controller, Vec::new()).unwrap();
    (controller, name.into_string().unwrap())
}

#[test]
fn the_terminals_of_others_are_neither_read_nor_written() {
    let (_controller, name) = terminal();
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let variables = [("terminal", name.as_str())];
        jail.run_with(&none(&spec), "exec 9<> $terminal", &variables).succeeds();
        for attempt in ["exec 9<> $terminal", "exec 9< $terminal", "exec 9> $terminal", "exec 9<> /dev/tty"] {
            jail.run_with(&spec, attempt, &variables).fails();
        }
    }
}

/// Keys are not pressed into a terminal, not even into one that is the program's own standard input.
#[test]
fn no_key_is_pressed_into_a_terminal() {
    let attempt = "import fcntl, sys, termios\n\
        try: fcntl.ioctl(0, termios.TIOCSTI, b'y')\n\
        except OSError as e: sys.exit(e.errno)";
    let pressed = |profile| {
        let (_controller, name) = terminal();
        let jail = Jail::new();
        let open = |path: &str| std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
        block_on(async {
            let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
            let streams = Streams {
                input: open(&name).into(),
                output: open("/dev/null").into(),
                error: open("/dev/null").into(),
            };
            let number = cell.start(jail.python_script(attempt, &[]), streams).await.unwrap();
            cell.status(number).await.unwrap()
        })
    };
    // Root may press keys into any terminal, where the kernel allows it at all.
    let allowed =
        std::fs::read_to_string("/proc/sys/dev/tty/legacy_tiocsti").is_ok_and(|text| text.trim() == "1");
    if rustix::process::geteuid().is_root() && allowed {
        assert_eq!(pressed(SandboxLevel::None), Status::Exited(0));
    }
    for profile in profiles() {
        assert_eq!(pressed(profile), Status::Exited(libc::EPERM), "{profile:?}");
    }
}
