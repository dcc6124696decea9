//! Commands that only show the machine run without a question, and show real facts.

use crate::door::Fate;
use crate::lines::read;
use crate::trial::send_all;
use crate::world::{Manner, World};

/// Lines, each after the text that its output must contain.
const SHOWN: &[(&str, &str)] = &[
    ("notes.txt", "ls -la"),
    ("A small thing", "cat README.md"),
    ("PID", "ps aux"),
    ("State", "ss -tln"),
    ("Filesystem", "df -h"),
    ("LOOPBACK", "ip addr"),
    ("Mem:", "free -m"),
    ("load average", "uptime"),
    ("NAME", "lsblk"),
    ("notes.txt", "git status"),
    ("first", "git log --oneline"),
    ("+four", "git diff"),
    ("name data/table.csv", "for f in data/*; do echo \"name $f\"; done"),
    ("three words: 4", "echo \"three words: $(wc -l < notes.txt)\""),
    ("src/main.rs", "find . -name '*.rs'"),
    ("fn main", "grep -rn 'fn main' src"),
    ("Linux", "uname -a"),
    ("agente", "id"),
    ("/project", "pwd"),
    ("main.c", "ls src | sort | head -n 3"),
    ("[1,2,3]", "jq -c .list data/thing.json"),
    ("total", "du -sh --total src docs"),
    ("MemTotal", "grep MemTotal /proc/meminfo"),
    ("sleep 100000", "pgrep -a sleep || ps ax | grep 'sleep 100000'"),
];

#[test]
fn what_shows_the_machine_still_shows_it() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: in a namespace of an ordinary user, no program is in a folder of the system");
        return;
    }
    {
        let sandbox = "confined";
        // In a workspace the tools of the network are banned by their names.
        let Some(mut world) =
            World::new(&Manner { profile: "desktop", sandbox, part: None, through: false, staged: true })
        else {
            return;
        };
        world.reset();
        let text: String =
            SHOWN.iter().enumerate().map(|(at, (_, line))| format!("show-{at} {line}\n")).collect();
        let replies = send_all(&world, &read("shows", &text));
        let mut hidden = Vec::new();
        for ((word, line), reply) in SHOWN.iter().zip(&replies) {
            if reply.fate != Fate::Ran || !reply.output.contains(word) {
                let told = reply
                    .text
                    .lines()
                    .filter(|line| line.contains(' '))
                    .take(6)
                    .collect::<Vec<_>>()
                    .join("; ");
                hidden
                    .push(format!("{line}: {:?}, {word:?} is not in {:?}; {told}", reply.fate, reply.output));
            }
        }
        assert!(hidden.is_empty(), "{sandbox}:\n{}", hidden.join("\n"));
        assert_eq!(world.effects(), Vec::<String>::new());
    }
}
