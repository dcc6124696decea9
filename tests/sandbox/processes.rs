//! Other processes, and the kernel's interfaces to them.

use guarda_sandbox::SandboxLevel;
use guarda_sandbox::process::Status;

use crate::jail::{Jail, none, profiles, program};

/// An outside process of the same user with a secret in its environment; ended on drop.
struct Neighbour(std::process::Child);

impl Neighbour {
    fn new() -> Self {
        Self(program("/bin/sleep").arg(Self::patience()).env("TOKEN", "SECRET").spawn().unwrap())
    }

    /// How long it sleeps, as no other process does.
    fn patience() -> String {
        format!("600.{}", std::process::id())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Python that makes a system call by number and exits with its error number.
fn call(number: i64, arguments: &str) -> String {
    format!(
        "import ctypes, os, sys\nlibc = ctypes.CDLL(None, use_errno=True)\nr = libc.syscall({number}, {arguments})\n\
         sys.exit(ctypes.get_errno() if r == -1 else 0)"
    )
}

#[test]
fn other_processes_are_not_looked_into() {
    let neighbour = Neighbour::new();
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        // The neighbour, the supervisor (the parent), the guard.
        let guard = std::process::id().to_string();
        let variables = [("pid", neighbour.pid()), ("guard", guard)];
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        let seen = jail.run_with(&none(&spec), "tr '\\0' '\\n' < /proc/$pid/environ", &variables);
        assert!(seen.succeeds().out.contains("SECRET"), "{seen:?}");
        for process in ["$pid", "$guard", "$PPID"] {
            for attempt in [
                "cat /proc/{}/environ",
                "head -c 1 /proc/{}/mem",
                "cat /proc/{}/maps",
                "readlink /proc/{}/fd/1",
                "ls -L /proc/{}/fd/0",
                "cat /proc/{}/cwd/Cargo.toml",
                "ls /proc/{}/root/",
                "cat /proc/{}/auxv",
                "echo 0 > /proc/{}/oom_score_adj",
            ] {
                let attempt = attempt.replace("{}", process);
                let done = jail.run_with(&spec, &attempt, &variables);
                done.fails();
                assert_eq!(done.out, "", "{attempt}");
            }
        }
    }
}

#[test]
fn other_processes_are_not_debugged() {
    let mut neighbour = Neighbour::new();
    let pid = neighbour.pid();
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        // PTRACE_SEIZE, process_vm_readv, process_vm_writev, pidfd_getfd, kcmp, perf_event_open
        let attempts = [
            call(libc::SYS_ptrace, &format!("0x4206, {pid}, 0, 0")),
            call(libc::SYS_ptrace, "0x4206, os.getppid(), 0, 0"),
            call(libc::SYS_process_vm_readv, &format!("{pid}, None, 0, None, 0, 0")),
            call(libc::SYS_process_vm_writev, &format!("{pid}, None, 0, None, 0, 0")),
            call(libc::SYS_pidfd_getfd, "0, 0, 0"),
            call(libc::SYS_kcmp, &format!("{pid}, {pid}, 0, 0, 0")),
            call(libc::SYS_perf_event_open, "None, 0, -1, -1, 0"),
        ];
        for attempt in attempts {
            assert_eq!(jail.python(&spec, &attempt, &[]).status, Status::Exited(libc::EPERM), "{attempt}");
        }
    }
    assert!(neighbour.lives());
}

#[test]
fn other_processes_are_not_signalled() {
    let mut neighbour = Neighbour::new();
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let (pid, guard) = (neighbour.pid(), std::process::id().to_string());
        let n = Neighbour::patience();
        let variables = [("pid", pid.as_str()), ("guard", guard.as_str()), ("n", n.as_str())];
        // Without a sandbox the harmless signal arrives.
        jail.run_with(&none(&spec), "kill -0 $pid && kill -0 $guard", &variables).succeeds();
        for attempt in [
            "kill -0 $pid",
            "kill -TERM $pid",
            "kill -KILL $pid",
            "kill -0 $guard",
            "kill -0 $PPID",
            "kill -KILL $PPID",
            "kill -0 -$PPID",
            "/bin/kill -KILL $PPID",
            "pkill -KILL -f \"sleep $n\"",
            "renice -n 19 -p $pid",
            "renice -n 19 -p $guard",
            "renice -n 19 -u $(id -u)",
            "chrt -b -p 0 $pid",
            "ionice -c 3 -p $pid",
            "prlimit --pid $guard --nofile=0",
            "prlimit --pid $PPID --cpu=1",
        ] {
            jail.run_with(&spec, attempt, &variables).fails();
        }
        jail.run(&spec, "nice -n 5 true && chrt -b 0 true && ionice -c 3 true").succeeds();
        let own = jail.run(&spec, "sleep 600 & kill -KILL $!; wait $!; test $? = 137");
        own.succeeds();
    }
    assert!(neighbour.lives());
}

#[test]
fn no_namespaces_no_mounts_no_other_roots() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for attempt in [
            "unshare -r true",
            "unshare -m true",
            "unshare -rn true",
            "mount -t tmpfs none $work",
            "mount --bind $work $work",
            "umount /proc",
            "chroot . /bin/true",
            "nsenter -t 1 -m true",
            "/usr/bin/bwrap --ro-bind / / true",
        ] {
            jail.run(&spec, attempt).fails();
        }
        let flags = [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWNET, libc::CLONE_NEWPID];
        for flag in flags {
            let attempt = call(libc::SYS_clone, &format!("{}, 0, 0, 0, 0", flag | libc::SIGCHLD));
            assert_eq!(jail.python(&spec, &attempt, &[]).status, Status::Exited(libc::EPERM), "{flag:x}");
        }
    }
}

#[test]
fn the_kernels_other_doors_are_shut() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let shut = [
            (libc::SYS_bpf, "0, None, 0"),
            (libc::SYS_userfaultfd, "1"),
            (libc::SYS_io_uring_setup, "1, None"),
            (libc::SYS_keyctl, "0, -3, 0"),
            (libc::SYS_add_key, "b'user', b'x', b'x', 1, -3"),
            (libc::SYS_open_by_handle_at, "-100, None, 0"),
            (libc::SYS_fanotify_init, "0, 0"),
            (libc::SYS_shmget, "0, 4096, 0o1600"),
            (libc::SYS_msgget, "0, 0o1600"),
            (libc::SYS_mq_open, "b'x', 0o102, 0o600, None"),
            (libc::SYS_fsopen, "b'tmpfs', 0"),
            (libc::SYS_open_tree, "-100, b'/', 1"),
            (libc::SYS_init_module, "None, 0, b''"),
            (libc::SYS_reboot, "0, 0, 0, None"),
            (libc::SYS_personality, "0x0040000"),
        ];
        for (number, arguments) in shut {
            let done = jail.python(&spec, &call(number, arguments), &[]);
            assert_eq!(done.status, Status::Exited(libc::EPERM), "{number}");
        }
        // Newer system calls, and those of the other table, do not exist.
        let absent = [
            (libc::SYS_clone3, "None, 0"),
            (libc::SYS_openat2, "-100, b'/', None, 0"),
            (467, "0, 0, 0, 0, 0"),
            (9999, "0"),
            #[cfg(target_arch = "x86_64")]
            (0x4000_0000 + libc::SYS_getpid, "0"),
            #[cfg(target_arch = "x86_64")]
            (0x4000_0000 + libc::SYS_socket, "2, 1, 0"),
        ];
        for (number, arguments) in absent {
            let done = jail.python(&spec, &call(number, arguments), &[]);
            assert_eq!(done.status, Status::Exited(libc::ENOSYS), "{number}");
        }
    }
}

/// The kernel's 32-bit entry has its own numbers, in which 359 creates a socket.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_32_bit_way_into_the_kernel_ends_the_process() {
    let code = "import ctypes, mmap\n\
        code = bytes([0x53, 0xb8, 0x14, 0, 0, 0, 0xcd, 0x80, 0x5b, 0xc3])\n\
        m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n\
        m.write(code)\n\
        f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n\
        print(f() > 0)";
    for profile in profiles() {
        let jail = Jail::new();
        let free = jail.python(&none(&jail.spec(profile)), code, &[]);
        if free.status != Status::Exited(0) {
            return; // A kernel without it.
        }
        let done = jail.python(&jail.spec(profile), code, &[]);
        assert_eq!(done.status, Status::Signalled(libc::SIGSYS), "{done:?}");
    }
}

#[test]
fn rights_are_not_gained_and_root_has_few() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let done = jail.run(
            &spec,
            "grep -E '^(NoNewPrivs|CapEff|CapPrm|CapInh|CapAmb|CapBnd|Seccomp):' /proc/self/status",
        );
        let value = |name: &str| {
            let line = done.out.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap()
        };
        assert_eq!(value("NoNewPrivs"), 1);
        assert_eq!(value("Seccomp"), 2);
        assert_eq!((value("CapInh"), value("CapAmb")), (0, 0));
        // CAP_DAC_OVERRIDE at most.
        assert!(value("CapEff") & !2 == 0 && value("CapPrm") & !2 == 0, "{done:?}");
        if profile == SandboxLevel::Isolated {
            assert_eq!(value("CapEff"), 0);
        }
        for attempt in ["su -c true nobody < /dev/null", "sudo -n true", "mknod null c 1 3", "chown 1:1 file"]
        {
            jail.run(&spec, attempt).fails();
        }
    }
}

#[test]
fn only_three_descriptors_are_inherited() {
    use std::os::fd::AsRawFd as _;
    let jail = Jail::new();
    let secret = std::fs::File::open(jail.at(".ssh/id_ed25519")).unwrap();
    // As a library would that forgets to close at exec.
    rustix::io::fcntl_setfd(&secret, rustix::io::FdFlags::empty()).unwrap();
    let number = secret.as_raw_fd().to_string();
    let left = program("/bin/cat").arg(format!("/proc/self/fd/{number}")).output().unwrap();
    assert_eq!(left.stdout, b"SECRET KEY", "it is inherited where nothing is done");
    let mut all = profiles();
    all.push(SandboxLevel::None);
    for profile in all {
        let done = jail.run(&jail.spec(profile), "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done");
        // 255 is bash's own.
        let open: Vec<&str> = done.succeeds().out.lines().filter(|fd| *fd != "255").collect();
        let known = open.iter().all(|fd| ["0", "1", "2", "3"].contains(fd));
        assert!(known && open.len() <= 4, "{profile:?}: {open:?}");
        let done = jail.run_with(&jail.spec(profile), "cat <&$n", &[("n", &number)]);
        assert!(!done.out.contains("SECRET"), "{done:?}");
    }
}
