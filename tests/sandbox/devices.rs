//! Devices and terminals.

use std::os::fd::OwnedFd;

use guarda_sandbox::process::{Status, Streams};
use guarda_sandbox::{SandboxLevel, Spec};
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

/// A file's flags, version, project and label are changed through a file that is only open for reading, and so is another's
/// terminal typed into. None of it is covered by Landlock.
#[test]
fn no_request_changes_a_file_that_is_only_read() {
    let attempt = "import errno, fcntl, os, struct, sys\n\
        paths = [os.environ['work'] + '/file', os.environ['work'], os.environ['home'] + '/.bashrc', '/etc/passwd', '/dev/null']\n\
        never = [0x40086602, 0x40046602, 0x401c5820, 0x40087602, 0x40047602, 0x40086604, 0x40806685, 0xc0506617,\n\
            0xc0185879, 0xc0189436, 0x41009432, 0x40086604, 0x8004587d, 0x1277, 0x5412, 0x541c, 0x5423, 0x8901, 0x8902]\n\
        for path in paths:\n\
        \x20   file = os.open(path, os.O_RDONLY)\n\
        \x20   for request in never:\n\
        \x20       for value in [struct.pack('=Q', 0x40), struct.pack('=IIIII8x', 0x40, 0, 0, 0, 0) + bytes(64)]:\n\
        \x20           try: fcntl.ioctl(file, request, value); print('done', path, hex(request))\n\
        \x20           except OSError as e:\n\
        \x20               if e.errno != errno.EPERM: print(path, hex(request), e)\n\
        \x20   for request in [0x80086601, 0x801c581f, 2]:\n\
        \x20       try: fcntl.ioctl(file, request, bytes(64))\n\
        \x20       except OSError as e:\n\
        \x20           if e.errno == errno.EPERM: print('refused', path, hex(request))\n\
        waiting, _ = os.pipe()\n\
        fcntl.ioctl(waiting, 0x541b, bytes(4))\n\
        os.set_inheritable(waiting, True)\n\
        os.set_blocking(waiting, False)";
    let attributes = |jail: &Jail| {
        let list = crate::jail::program("/usr/bin/lsattr").arg("-v").arg(jail.at("work/file")).output();
        list.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default()
    };
    let jail = Jail::new();
    let before = attributes(&jail);
    let whole = profiles().len() > 1;
    let run = std::cell::Cell::new(0);
    // Each staged run has folders of its own.
    let spec = |kind: usize| {
        run.set(run.get() + 1);
        let mut spec = match kind {
            0 => jail.spec(SandboxLevel::Confined),
            1 => Spec::look(SandboxLevel::Confined, Some(jail.at("")), jail.at("work")),
            2 => jail.spec(SandboxLevel::Isolated),
            _ => crate::stage::staged(&jail, "work", &format!("run{}", run.get())),
        };
        spec.readable.push(jail.at(""));
        spec
    };
    for kind in 0..if whole { 4 } else { 2 } {
        let done = jail.python(&spec(kind), attempt, &[]);
        assert_eq!(done.succeeds().out, "", "{kind}");
        for line in
            ["chattr +d file", "chattr +S .", "chattr -v 7 file", "chattr -p 9 file", "chattr =A file"]
        {
            assert!(!jail.run(&spec(kind), line).err.is_empty(), "{kind} {line}");
        }
        if !before.is_empty() {
            jail.run(&spec(kind), "lsattr file && lsattr -d .").succeeds();
        }
        let copy = "cp --reflink=auto file $TMPDIR/copy && cmp file $TMPDIR/copy && test ! -t 0";
        jail.run(&spec(kind), copy).succeeds();
        assert_eq!(attributes(&jail), before, "{kind}");
    }
}
