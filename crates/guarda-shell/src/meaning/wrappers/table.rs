//! The table of wrappers: one row for each way in which a program starts another.
//! Options are those of the programs' own manuals (coreutils 9, util-linux 2.40, procps 4, sudo 1.9, docker 28 …).

use super::options::{NONE, Options};

/// One way in which a program starts another.
pub(crate) struct Row {
    /// Base names of the program.
    pub names: &'static [&'static str],
    /// Sub-commands that must follow it (`docker`, `compose`, `exec`).
    pub sub: &'static [&'static str],
    /// Options before the sub-commands.
    pub before: Options,
    /// Options before the inner command.
    pub options: Options,
    /// Options whose value is text for `sh`.
    pub texts: &'static [&'static str],
    /// Options after which the inner command follows.
    pub rest: &'static [&'static str],
    /// Words that are not options between the options and the inner command.
    pub positionals: usize,
    /// Whether `NAME=value` words may precede the inner command.
    pub assigns: bool,
    /// Whether options may also come between the positionals.
    pub mixed: bool,
    pub then: Then,
}

/// What follows the options and positionals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// A command.
    Command,
    /// Words that are joined and read by `sh`.
    Text,
    /// Words that are joined and read by a shell elsewhere.
    Remote,
    /// A command, only after `--`.
    Dashes,
    /// Nothing that runs.
    Nothing,
}

/// The default of a row.
const ROW: Row = Row {
    names: &[],
    sub: &[],
    before: NONE,
    options: NONE,
    texts: &[],
    rest: &[],
    positionals: 0,
    assigns: false,
    mixed: false,
    then: Then::Command,
};

#[rustfmt::skip]
const DOCKER: Options = Options { flags: "Dv", valued: "Hlcfp", long: &["debug", "tls", "tlsverify", "version",
    "all-resources", "compatibility", "dry-run", "verbose", "remote"], long_valued: &["config", "context", "host",
    "log-level", "tlscacert", "tlscert", "tlskey", "file", "project-name", "project-directory", "profile",
    "env-file", "parallel", "progress", "ansi", "namespace", "url", "connection", "root", "runroot", "identity",
    "address", "data-root", "cgroup-manager"], ..NONE };

#[rustfmt::skip]
const DOCKER_EXEC: Options = Options { flags: "ditTl", valued: "euwn", long: &["detach", "interactive", "tty",
    "privileged", "no-TTY", "no-tty", "latest"], long_valued: &["detach-keys", "env", "env-file", "user", "workdir",
    "index", "preserve-fds", "cidfile"], ..NONE };

#[rustfmt::skip]
const DOCKER_RUN: Options = Options { flags: "diPtqT", valued: "acehlmpuvw", long: &["detach",
    "disable-content-trust", "help", "init", "interactive", "no-healthcheck", "oom-kill-disable", "privileged",
    "publish-all", "quiet", "read-only", "rm", "sig-proxy", "tty", "replace", "env-host", "http-proxy", "no-hosts",
    "no-hostname", "rootfs", "rmi", "tls-verify", "passwd", "no-deps", "service-ports", "use-aliases", "build",
    "remove-orphans", "no-TTY", "quiet-pull", "quiet-build", "systemd"], long_valued: &["add-host", "annotation",
    "attach", "blkio-weight", "blkio-weight-device", "cap-add", "cap-drop", "cgroup-parent", "cgroupns", "cidfile",
    "cpu-count", "cpu-percent", "cpu-period", "cpu-quota", "cpu-rt-period", "cpu-rt-runtime", "cpu-shares", "cpus",
    "cpuset-cpus", "cpuset-mems", "detach-keys", "device", "device-cgroup-rule", "device-read-bps",
    "device-read-iops", "device-write-bps", "device-write-iops", "dns", "dns-option", "dns-search", "domainname",
    "entrypoint", "env", "env-file", "expose", "gpus", "group-add", "health-cmd", "health-interval",
    "health-retries", "health-start-interval", "health-start-period", "health-timeout", "hostname", "ip", "ip6",
    "ipc", "isolation", "kernel-memory", "label", "label-file", "link", "link-local-ip", "log-driver", "log-opt",
    "mac-address", "memory", "memory-reservation", "memory-swap", "memory-swappiness", "mount", "name", "net",
    "net-alias", "network", "network-alias", "oom-score-adj", "pid", "pids-limit", "platform", "publish", "pull",
    "restart", "runtime", "security-opt", "shm-size", "stop-signal", "stop-timeout", "storage-opt", "sysctl",
    "tmpfs", "ulimit", "user", "userns", "uts", "volume", "volume-driver", "volumes-from", "workdir", "pod",
    "pod-id-file", "conmon-pidfile", "pidfile", "secret", "tz", "umask", "uidmap", "gidmap", "subuidname",
    "subgidname", "arch", "os", "variant", "authfile", "creds", "requires"], ..NONE };

#[rustfmt::skip]
const KUBECTL: Options = Options { flags: "itqhv", valued: "ncfsv", long: &["stdin", "tty", "quiet",
    "insecure-skip-tls-verify", "help", "match-server-version", "warnings-as-errors"], long_valued: &["namespace",
    "container", "filename", "context", "cluster", "kubeconfig", "user", "server", "token", "as", "as-group",
    "request-timeout", "pod-running-timeout", "cache-dir", "certificate-authority", "profile", "image", "target",
    "copy-to", "share-processes", "custom", "v", "client-key", "client-certificate"], ..NONE };

#[rustfmt::skip]
const SUDO: Options = Options { flags: "AbBEeHikKlnNPsSvV", valued: "CDghpRrtTUu", long: &["askpass", "background",
    "bell", "preserve-env", "edit", "set-home", "help", "login", "remove-timestamp", "reset-timestamp", "list",
    "non-interactive", "no-update", "preserve-groups", "stdin", "shell", "version", "validate"], long_valued:
    &["close-from", "chdir", "group", "host", "prompt", "chroot", "role", "type", "command-timeout", "other-user",
    "user"], ..NONE };

#[rustfmt::skip]
const SU: Options = Options { flags: "flmpPTVh", valued: "cgGsuw", long: &["fast", "login", "preserve-environment",
    "pty", "no-pty", "help", "version"], long_valued: &["command", "session-command", "group", "supp-group",
    "shell", "whitelist-environment", "user"], ..NONE };

#[rustfmt::skip]
const SCREEN: Options = Options { flags: "AadDiLlmOqQRrUvwx", valued: "cehopSstTX", ..NONE };
const TMUX: Options = Options { flags: "2CDluvVN", valued: "cfLST", ..NONE };
const UNSHARE: Options = Options {
    flags: "frchV",
    valued: "RwSGl",
    attached: "mnpuiCUT",
    long: &[
        "fork",
        "map-root-user",
        "map-current-user",
        "map-auto",
        "mount",
        "uts",
        "ipc",
        "net",
        "pid",
        "user",
        "cgroup",
        "time",
        "keep-caps",
        "mount-proc",
        "kill-child",
        "help",
        "version",
    ],
    long_valued: &[
        "root",
        "wd",
        "setuid",
        "setgid",
        "map-user",
        "map-group",
        "map-users",
        "map-groups",
        "propagation",
        "setgroups",
        "boottime",
        "monotonic",
        "load-interp",
        "owner",
    ],
    ..NONE
};

#[rustfmt::skip]
const NSENTER: Options = Options { flags: "aeFZcV", valued: "tSGWNR", attached: "mniupCUTrw", long: &["all",
    "mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "preserve-credentials", "keep-caps", "root",
    "wd", "env", "no-fork", "follow-context", "join-cgroup", "user-parent"], long_valued: &["target", "setuid",
    "setgid", "wdns", "net-socket"], ..NONE };

#[rustfmt::skip]
const SYSTEMD_RUN: Options = Options { flags: "dGPqrStvh", valued: "EHMpuC", long: &["user", "system", "scope",
    "remain-after-exit", "send-sighup", "no-block", "wait", "pty", "pty-late", "pipe", "quiet", "shell", "collect",
    "same-dir", "no-ask-password", "ignore-failure", "expand-environment"], long_valued: &["host", "machine",
    "unit", "property", "description", "slice", "service-type", "uid", "gid", "nice", "working-directory", "setenv",
    "on-active", "on-boot", "on-startup", "on-unit-active", "on-unit-inactive", "on-calendar", "timer-property",
    "path-property", "socket-property", "background", "capsule", "job-mode", "slice-inherit"], ..NONE };

/// Every way, in the order in which a program's rows are tried.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row] = &[
    // Another user.
    Row { names: &["sudo"], options: SUDO, assigns: true, ..ROW },
    Row { names: &["doas"], options: Options { flags: "Lns", valued: "aCu", ..NONE }, ..ROW },
    Row { names: &["pkexec"], options: Options { valued: "u", long: &["disable-internal-agent", "keep-cwd",
        "version", "help"], long_valued: &["user", "process"], ..NONE }, ..ROW },
    Row { names: &["su"], options: SU, texts: &["-c", "--command", "--session-command"], mixed: true, positionals:
        2, then: Then::Nothing, ..ROW },
    Row { names: &["runuser"], options: SU, texts: &["-c", "--command", "--session-command"], ..ROW },
    Row { names: &["gosu", "su-exec", "setuidgid", "chpst-user"], positionals: 1, ..ROW },
    Row { names: &["sg"], options: Options { valued: "c", ..NONE }, texts: &["-c"], mixed: true, positionals: 1,
        then: Then::Text, ..ROW },
    Row { names: &["setpriv"], options: Options { flags: "dhV", lenient: true, long_valued: &["ambient-caps",
        "inh-caps", "bounding-set", "ruid", "euid", "rgid", "egid", "reuid", "regid", "groups", "securebits",
        "pdeathsig", "selinux-label", "apparmor-profile", "landlock-access", "landlock-rule", "seccomp-filter",
        "ptracer"], ..NONE }, ..ROW },
    Row { names: &["capsh"], options: Options { lenient: true, ..NONE }, then: Then::Nothing, ..ROW },
    Row { names: &["runcon"], options: Options { flags: "c", valued: "turl", long: &["compute"], long_valued:
        &["type", "user", "role", "range"], ..NONE }, positionals: 1, ..ROW },
    Row { names: &["aa-exec"], options: Options { flags: "idvh", valued: "pn", long: &["immediate", "debug",
        "verbose"], long_valued: &["profile", "namespace"], ..NONE }, ..ROW },
    // Priorities, limits, descriptors.
    Row { names: &["nice"], options: Options { flags: "0", valued: "n", long_valued: &["adjustment"], ..NONE },
        ..ROW },
    Row { names: &["ionice"], options: Options { flags: "t", valued: "cnpPu", long: &["ignore"], long_valued:
        &["class", "classdata", "pid", "pgid", "uid"], ..NONE }, ..ROW },
    Row { names: &["nohup", "setsid-plain", "eatmydata", "catchsegv", "torsocks", "torify", "fakeroot-ng",
        "steam-run", "dbus-launch-plain", "pseudo"], options: Options { lenient: true, ..NONE }, ..ROW },
    Row { names: &["timeout", "gtimeout"], options: Options { flags: "fpv", valued: "ks", long: &["foreground",
        "preserve-status", "verbose"], long_valued: &["kill-after", "signal"], ..NONE }, positionals: 1, ..ROW },
    Row { names: &["stdbuf", "gstdbuf"], options: Options { valued: "ioe", long_valued: &["input", "output",
        "error"], ..NONE }, ..ROW },
    Row { names: &["setsid"], options: Options { flags: "cfw", long: &["ctty", "fork", "wait"], ..NONE }, ..ROW },
    Row { names: &["chrt"], options: Options { flags: "abdfiormvG", valued: "TPDp", long: &["all-tasks", "batch",
        "deadline", "fifo", "idle", "other", "rr", "max", "verbose", "reset-on-fork", "ext"], long_valued:
        &["sched-runtime", "sched-period", "sched-deadline", "pid"], ..NONE }, positionals: 1, ..ROW },
    Row { names: &["taskset"], options: Options { flags: "ac", valued: "p", long: &["all-tasks", "cpu-list"],
        long_valued: &["pid"], ..NONE }, positionals: 1, ..ROW },
    Row { names: &["prlimit"], options: Options { flags: "hV", valued: "po", attached: "cdefilmnqrstuvxy", lenient:
        true, long_valued: &["pid", "output"], ..NONE }, ..ROW },
    Row { names: &["choom"], options: Options { valued: "np", long_valued: &["adjust", "pid"], ..NONE }, ..ROW },
    Row { names: &["cpulimit"], options: Options { flags: "zimvhb", valued: "lpePc", long: &["include-children",
        "monitor-forks", "lazy", "foreground", "background", "verbose", "quiet", "kill", "restore"], long_valued:
        &["limit", "pid", "exe", "path", "cpu", "signal", "watch-interval"], ..NONE }, ..ROW },
    Row { names: &["numactl"], options: Options { flags: "aslHh", valued: "iwNmCpPL", long: &["all", "localalloc",
        "balancing", "hardware", "show"], long_valued: &["interleave", "weighted-interleave", "cpunodebind", "membind", "physcpubind",
        "preferred", "preferred-many"], ..NONE }, ..ROW },
    Row { names: &["setarch"], options: Options { flags: "BFILRSTXZv3h", attached: "", lenient: true, ..NONE },
        positionals: 0, ..ROW },
    Row { names: &["linux32", "linux64", "i386", "x86_64", "uname26"], options: Options { flags: "BFILRSTXZv3h",
        lenient: true, ..NONE }, ..ROW },
    Row { names: &["arch"], options: Options { flags: "0", valued: "de", lenient: true, single: true, ..NONE },
        ..ROW },
    Row { names: &["flock"], options: Options { flags: "sxenouFv", valued: "wEc", long: &["shared", "exclusive",
        "unlock", "nonblock", "nb", "close", "no-fork", "verbose", "fcntl"], long_valued: &["timeout", "wait",
        "conflict-exit-code", "command"], ..NONE }, texts: &["-c", "--command"], mixed: true, positionals: 1, ..ROW
        },
    Row { names: &["softlimit"], options: Options { valued: "acdflmoprst", ..NONE }, ..ROW },
    Row { names: &["chpst"], options: Options { flags: "vVP012", valued: "uUbe/nlLmdopfcrt", ..NONE }, ..ROW },
    Row { names: &["faketime"], options: Options { flags: "fm", valued: "p", lenient: true, ..NONE }, positionals:
        1, ..ROW },
    Row { names: &["caffeinate"], options: Options { flags: "disum", valued: "tw", ..NONE }, ..ROW },
    Row { names: &["systemd-inhibit"], options: Options { lenient: true, long_valued: &["what", "who", "why",
        "mode"], ..NONE }, ..ROW },
    // Namespaces and sandboxes.
    Row { names: &["chroot"], options: Options { long: &["skip-chdir"], long_valued: &["groups", "userspec"], ..NONE
        }, positionals: 1, ..ROW },
    Row { names: &["unshare"], options: UNSHARE, ..ROW },
    Row { names: &["nsenter"], options: NSENTER, ..ROW },
    Row { names: &["systemd-run"], options: SYSTEMD_RUN, ..ROW },
    Row { names: &["systemd-nspawn"], options: Options { flags: "qaxbUPn", valued: "DiMuSjE", lenient: true,
        long_valued: &["directory", "machine", "image", "user", "bind", "bind-ro", "setenv"], ..NONE }, ..ROW },
    Row { names: &["firejail"], options: Options { lenient: true, ..NONE }, ..ROW },
    Row { names: &["proot", "fakechroot"], options: Options { flags: "0", valued: "rbqwkRS", lenient: true, single:
        true, ..NONE }, ..ROW },
    Row { names: &["fakeroot"], options: Options { flags: "uh", valued: "lsib", long: &["unknown-is-real"],
        long_valued: &["lib", "faked"], ..NONE }, ..ROW },
    Row { names: &["ip"], sub: &["netns", "exec"], before: Options { flags: "46acdhjNoprstV", lenient: true, single:
        true, ..NONE }, positionals: 1, ..ROW },
    Row { names: &["proxychains", "proxychains4"], options: Options { flags: "q", valued: "f", ..NONE }, ..ROW },
    Row { names: &["sshpass"], options: Options { flags: "evhV", valued: "pfdP", ..NONE }, ..ROW },
    Row { names: &["ssh-agent"], options: Options { flags: "cDdks", valued: "aEPOt", ..NONE }, ..ROW },
    Row { names: &["mosh"], options: Options { flags: "46an", valued: "p", lenient: true, long_valued: &["ssh",
        "client", "server", "predict", "port"], ..NONE }, positionals: 1, then: Then::Remote, ..ROW },
    // Terminals, pseudo terminals, sessions.
    Row { names: &["script"], options: Options { flags: "aefqV", valued: "cEIBoOTm", attached: "t", long:
        &["append", "return", "flush", "force", "quiet", "timing"], long_valued: &["command", "echo", "log-in",
        "log-io", "log-out", "log-timing", "logging-format", "output-limit"], ..NONE }, texts: &["-c", "--command"],
        mixed: true, positionals: 1, ..ROW },
    Row { names: &["unbuffer"], options: Options { flags: "p", ..NONE }, ..ROW },
    Row { names: &["rlwrap"], options: Options { flags: "AcdEiIlnNoprRsuUvW", valued: "abBCDefFgHlLmMOPqsStVz",
        attached: "", lenient: true, ..NONE }, ..ROW },
    Row { names: &["dbus-run-session"], options: Options { long_valued: &["dbus-daemon", "config-file"], ..NONE },
        ..ROW },
    Row { names: &["dbus-launch"], options: Options { lenient: true, long_valued: &["config-file"], ..NONE }, ..ROW
        },
    Row { names: &["xvfb-run"], options: Options { flags: "alh", valued: "efnpsw", long: &["auto-display",
        "auto-servernum", "listen-tcp"], long_valued: &["error-file", "auth-file", "server-num", "xauth-protocol",
        "server-args", "wait"], ..NONE }, ..ROW },
    Row { names: &["xinit", "startx"], options: NONE, ..ROW },
    Row { names: &["xterm", "uxterm", "urxvt", "rxvt", "st", "konsole", "alacritty", "lxterminal", "kitty", "foot",
        "xfce4-terminal", "terminator", "tilix", "mate-terminal", "x-terminal-emulator", "wezterm"], options:
        Options { lenient: true, flags: "0abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", long: &["execute"],
        long_valued: &["title", "T", "class", "workdir", "working-directory", "geometry", "config"], ..NONE }, rest:
        &["-e", "-x", "--command", "--execute"], ..ROW },
    Row { names: &["gnome-terminal", "kgx", "ptyxis"], options: Options { flags: "qvex", valued: "t", lenient: true,
        long_valued: &["title", "working-directory", "profile", "geometry", "command"], ..NONE }, texts:
        &["--command"], rest: &["-e", "-x"], ..ROW },
    Row { names: &["tmux"], sub: &["new-session"], before: TMUX, options: Options { flags: "AdDEPX", valued:
        "cefFnstxy", ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["new"], before: TMUX, options: Options { flags: "AdDEPX", valued: "cefFnstxy",
        ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["new-window"], before: TMUX, options: Options { flags: "abdkPS", valued: "ceFnt",
        ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["neww"], before: TMUX, options: Options { flags: "abdkPS", valued: "ceFnt",
        ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["split-window"], before: TMUX, options: Options { flags: "bdfhIvPZ", valued:
        "ceFlt", ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["splitw"], before: TMUX, options: Options { flags: "bdfhIvPZ", valued: "ceFlt",
        ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["run-shell"], before: TMUX, options: Options { flags: "bCE", valued: "cdt",
        ..NONE }, then: Then::Text, ..ROW },
    Row { names: &["tmux"], sub: &["send-keys"], before: TMUX, options: Options { flags: "FHKlMRX", valued: "ctN",
        ..NONE }, then: Then::Remote, ..ROW },
    Row { names: &["tmux"], sub: &["send"], before: TMUX, options: Options { flags: "FHKlMRX", valued: "ctN", ..NONE
        }, then: Then::Remote, ..ROW },
    Row { names: &["screen"], options: SCREEN, ..ROW },
    Row { names: &["dtach", "abduco"], options: Options { valued: "nceArE", flags: "z", ..NONE }, ..ROW },
    Row { names: &["daemonize", "daemon"], options: Options { flags: "av", valued: "ceElopu", lenient: true, ..NONE
        }, ..ROW },
    Row { names: &["start-stop-daemon"], options: Options { flags: "SKbmoqtvC", valued: "xanpuscgdrNPI", lenient:
        true, long_valued: &["exec", "startas", "name", "pidfile", "user", "chuid", "chdir", "signal", "retry",
        "group"], ..NONE }, rest: &[], then: Then::Nothing, ..ROW },
    Row { names: &["entr"], options: Options { flags: "acdnprsxz", ..NONE }, ..ROW },
    Row { names: &["watchexec"], options: Options { flags: "cnorpqv1", valued: "wefid", lenient: true, long_valued:
        &["watch", "exts", "filter", "ignore", "signal", "debounce", "shell", "workdir"], ..NONE }, ..ROW },
    Row { names: &["inotifywait-run", "reflex"], options: Options { valued: "rRgGds", flags: "v", lenient: true,
        ..NONE }, ..ROW },
    // Tracing.
    Row { names: &["strace"], options: Options { flags: "cCdfFhikqrtTvVwxyYzZn0A", valued: "abeEIoOpPsSuUX", long:
        &["follow-forks", "summary", "summary-only", "relative-timestamps", "absolute-timestamps", "syscall-times",
        "decode-fds", "seccomp-bpf", "quiet", "daemonize", "stack-traces"], long_valued: &["output", "trace",
        "expr", "attach", "user", "env", "string-limit", "trace-path", "summary-sort-by", "signal", "status"],
        ..NONE }, ..ROW },
    Row { names: &["ltrace"], options: Options { flags: "bcCfhiLrStTV", valued: "aADeFlnopsuwx", lenient: true,
        ..NONE }, ..ROW },
    Row { names: &["gdb", "lldb"], options: Options { lenient: true, single: true, long: &["args", "batch", "q",
        "quiet"], long_valued: &["ex", "eval-command", "command", "cd", "o"], ..NONE }, ..ROW },
    Row { names: &["valgrind", "heaptrack", "rr-record"], options: Options { flags: "vqhd", lenient: true, ..NONE },
        ..ROW },
    Row { names: &["rr"], sub: &["record"], options: Options { flags: "nhu", lenient: true, ..NONE }, ..ROW },
    Row { names: &["perf"], sub: &["stat"], options: Options { flags: "aABdinrsv0", valued: "eopCtIxGMDjJ", lenient:
        true, long_valued: &["event", "output", "repeat", "delay", "pid", "cpu", "post", "pre"], ..NONE }, texts:
        &["--pre", "--post"], ..ROW },
    Row { names: &["perf"], sub: &["record"], options: Options { flags: "aAbBgiNnPqRsTvWdz", valued:
        "eoFcCptujGkmrDN", lenient: true, long_valued: &["event", "output", "freq", "count", "call-graph", "delay",
        "pid", "cpu"], ..NONE }, ..ROW },
    Row { names: &["perf"], sub: &["trace"], options: Options { flags: "afvsST", valued: "eoptuCD", lenient: true,
        long_valued: &["event", "output", "duration"], ..NONE }, ..ROW },
    Row { names: &["hyperfine"], options: Options { flags: "Niu", valued: "wrmMpcsSn", lenient: true, long_valued:
        &["warmup", "runs", "prepare", "cleanup", "setup", "shell", "export-json", "export-markdown", "export-csv",
        "parameter-scan", "parameter-list", "command-name"], ..NONE }, texts: &["-p", "-c", "-s", "--prepare",
        "--cleanup", "--setup"], then: Then::Text, ..ROW },
    // Containers, clusters, other machines.
    Row { names: &["docker", "podman", "nerdctl"], sub: &["compose", "exec"], before: DOCKER, options: DOCKER_EXEC,
        positionals: 1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["compose", "run"], before: DOCKER, options: DOCKER_RUN,
        positionals: 1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["container", "exec"], before: DOCKER, options:
        DOCKER_EXEC, positionals: 1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["container", "run"], before: DOCKER, options: DOCKER_RUN,
        positionals: 1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["exec"], before: DOCKER, options: DOCKER_EXEC,
        positionals: 1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["run"], before: DOCKER, options: DOCKER_RUN, positionals:
        1, ..ROW },
    Row { names: &["docker", "podman", "nerdctl"], sub: &["create"], before: DOCKER, options: DOCKER_RUN,
        positionals: 1, ..ROW },
    Row { names: &["docker-compose", "podman-compose"], sub: &["exec"], before: DOCKER, options: DOCKER_EXEC,
        positionals: 1, ..ROW },
    Row { names: &["docker-compose", "podman-compose"], sub: &["run"], before: DOCKER, options: DOCKER_RUN,
        positionals: 1, ..ROW },
    Row { names: &["kubectl", "oc", "k", "microk8s.kubectl"], sub: &["exec"], before: KUBECTL, options: KUBECTL,
        mixed: true, positionals: 1, then: Then::Dashes, ..ROW },
    Row { names: &["kubectl", "oc", "k"], sub: &["run"], before: KUBECTL, options: Options { lenient: true,
        ..KUBECTL }, mixed: true, positionals: 1, then: Then::Dashes, ..ROW },
    Row { names: &["kubectl", "oc", "k"], sub: &["debug"], before: KUBECTL, options: Options { lenient: true,
        ..KUBECTL }, mixed: true, positionals: 1, then: Then::Dashes, ..ROW },
    Row { names: &["lxc", "incus"], sub: &["exec"], before: Options { flags: "qvh", lenient: true, ..NONE },
        options: Options { flags: "tTn", lenient: true, long_valued: &["env", "cwd", "user", "group", "mode"],
        ..NONE }, mixed: true, positionals: 1, ..ROW },
    Row { names: &["lxc-attach"], options: Options { flags: "qe", valued: "nPlosavRu", lenient: true, long_valued:
        &["name", "lxcpath"], ..NONE }, ..ROW },
    Row { names: &["machinectl"], sub: &["shell"], before: Options { lenient: true, ..NONE }, options: Options {
        lenient: true, long_valued: &["uid", "setenv"], ..NONE }, positionals: 1, ..ROW },
    Row { names: &["vagrant"], sub: &["ssh"], options: Options { valued: "c", long_valued: &["command"], lenient:
        true, ..NONE }, texts: &["-c", "--command"], mixed: true, positionals: 1, then: Then::Nothing, ..ROW },
    Row { names: &["adb"], sub: &["shell"], before: Options { flags: "ade", valued: "sHPLt", ..NONE }, options:
        Options { flags: "ntTx", valued: "e", ..NONE }, then: Then::Remote, ..ROW },
    Row { names: &["flatpak-spawn"], options: Options { lenient: true, ..NONE }, ..ROW },
    Row { names: &["distrobox"], sub: &["enter"], options: Options { flags: "Tv", valued: "na", lenient: true,
        long_valued: &["name"], ..NONE }, mixed: true, positionals: 1, then: Then::Dashes, ..ROW },
    Row { names: &["toolbox"], sub: &["run"], options: Options { valued: "cdr", lenient: true, long_valued:
        &["container", "distro", "release"], ..NONE }, ..ROW },
    // Environments of a language or project.
    Row { names: &["direnv"], sub: &["exec"], positionals: 1, ..ROW },
    Row { names: &["poetry", "pipenv", "hatch", "rye", "pdm"], sub: &["run"], before: Options { flags: "qvnP",
        valued: "C", lenient: true, long_valued: &["directory", "project"], ..NONE }, options: Options { lenient:
        true, ..NONE }, ..ROW },
    Row { names: &["uv"], sub: &["run"], before: Options { flags: "qv", lenient: true, long_valued: &["directory",
        "project", "config-file", "cache-dir"], ..NONE }, options: Options { flags: "qvmsU", valued: "pwPf",
        lenient: true, long_valued: &["python", "with", "with-editable", "with-requirements", "extra", "group",
        "env-file", "package", "directory", "project", "index-url", "no-extra", "only-group", "index",
        "refresh-package"], ..NONE }, ..ROW },
    Row { names: &["conda", "mamba", "micromamba"], sub: &["run"], options: Options { flags: "v", valued: "np",
        lenient: true, long_valued: &["name", "prefix", "cwd"], ..NONE }, ..ROW },
    Row { names: &["pixi", "mise-run"], sub: &["run"], options: Options { valued: "e", lenient: true, long_valued:
        &["environment", "manifest-path"], ..NONE }, ..ROW },
    Row { names: &["npx", "pnpx", "bunx"], options: Options { flags: "yq", valued: "pc", lenient: true, long_valued:
        &["package", "call", "workspace"], ..NONE }, texts: &["-c", "--call"], ..ROW },
    Row { names: &["npm", "pnpm"], sub: &["exec"], options: Options { flags: "y", valued: "pcw", lenient: true,
        long_valued: &["package", "call", "workspace"], ..NONE }, texts: &["-c", "--call"], ..ROW },
    Row { names: &["yarn"], sub: &["exec"], ..ROW },
    Row { names: &["bundle", "rbenv", "pyenv", "nodenv", "asdf", "goenv"], sub: &["exec"], options: Options {
        lenient: true, ..NONE }, ..ROW },
    Row { names: &["mise", "rtx"], sub: &["exec"], options: Options { lenient: true, valued: "cj", long_valued:
        &["command"], ..NONE }, texts: &["-c", "--command"], mixed: true, positionals: 0, then: Then::Dashes, ..ROW
        },
    Row { names: &["opam"], sub: &["exec"], options: Options { lenient: true, long_valued: &["switch"], ..NONE },
        ..ROW },
    Row { names: &["rustup"], sub: &["run"], options: Options { lenient: true, ..NONE }, positionals: 1, ..ROW },
    Row { names: &["nix-shell"], options: Options { flags: "p", valued: "IAE", lenient: true, long_valued: &["run",
        "command", "arg", "argstr", "attr", "expr", "keep"], ..NONE }, texts: &["--run", "--command"], mixed: true,
        positionals: 64, then: Then::Nothing, ..ROW },
    Row { names: &["nix"], sub: &["develop"], options: Options { lenient: true, valued: "ik", ..NONE }, rest:
        &["-c", "--command"], mixed: true, positionals: 16, then: Then::Nothing, ..ROW },
    Row { names: &["nix"], sub: &["shell"], options: Options { lenient: true, valued: "ik", ..NONE }, rest: &["-c",
        "--command"], mixed: true, positionals: 16, then: Then::Nothing, ..ROW },
    Row { names: &["guix"], sub: &["shell"], options: Options { lenient: true, flags: "CDNFP", valued: "mfeL",
        ..NONE }, mixed: true, positionals: 16, then: Then::Dashes, ..ROW },
    Row { names: &["xcrun"], options: Options { lenient: true, long_valued: &["sdk", "toolchain"], ..NONE }, ..ROW
        },
    Row { names: &["ccache", "distcc", "sccache", "doppler-run"], options: NONE, ..ROW },
    Row { names: &["doppler", "infisical", "chamber", "teller", "op", "aws-vault", "dotenv"], sub: &["run"],
        options: Options { lenient: true, valued: "pce", ..NONE }, mixed: true, positionals: 0, then: Then::Dashes,
        ..ROW },
    Row { names: &["aws-vault"], sub: &["exec"], options: Options { lenient: true, valued: "d", ..NONE },
        positionals: 1, then: Then::Dashes, ..ROW },
    Row { names: &["run-parts"], options: Options { lenient: true, valued: "au", ..NONE }, then: Then::Nothing,
        ..ROW },
    Row { names: &["pexec"], options: Options { lenient: true, valued: "rnefo", ..NONE }, ..ROW },
    Row { names: &["rtk", "snip", "tsp", "ts-run", "chronic", "mispipe-run", "ifne", "nocache", "chrs", "primusrun",
        "optirun", "prime-run", "gamemoderun", "noglob", "nocorrect", "mangohud", "wine", "box64", "qemu-x86_64",
        "qemu-aarch64", "qemu-arm", "thefuck-run", "retry", "loop", "expect_unbuffer", "tini", "dumb-init",
        "catatonit", "s6-setuidgid", "execlineb-run", "ld.so", "ld-linux-x86-64.so.2"], options: Options { lenient:
        true, flags: "0abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", ..NONE }, ..ROW },
];
