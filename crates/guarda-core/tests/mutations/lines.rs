//! Disguises of whole lines: something else that runs them.

use super::chance::Chance;
use super::{Disguise, Sight};

type Mutator = (&'static str, fn(&str, &mut Chance) -> Option<String>);

/// Disguises that show the command in the line.
const CLEAR: &[Mutator] = &[
    ("wrapper", |line, chance| {
        let wrapper = chance.pick(&[
            "env",
            "env -i",
            "env A=1",
            "sudo",
            "sudo -n",
            "nice",
            "nice -n 5",
            "nohup",
            "timeout 5",
            "setsid",
            "stdbuf -oL",
            "command",
            "exec",
            "ionice -c3",
            "time",
            "chronic",
            "unbuffer",
            "doas",
            "taskset 1",
            "flock /tmp/l",
            "sudo -u root env",
            "timeout -k 1 5 nice",
            "busybox",
            "xargs",
            "watch -x",
        ]);
        one_command(line).then(|| format!("{wrapper} {line}"))
    }),
    ("sh -c", |line, chance| {
        let shell =
            chance.pick(&["sh -c", "bash -c", "bash -lc", "/bin/sh -c", "dash -c", "sudo sh -c", "bash -ec"]);
        (!bashism(line) || shell.contains("bash")).then(|| format!("{shell} {}", quoted(line)))
    }),
    ("su -c", |line, _| (!bashism(line)).then(|| format!("su root -c {}", quoted(line)))),
    ("eval", |line, _| Some(format!("eval {}", quoted(line)))),
    ("here-document", |line, chance| {
        let shell = chance.pick(&["bash", "bash -s", "bash -x"]);
        (!line.contains("EOT")).then(|| format!("{shell} <<'EOT'\n{line}\nEOT"))
    }),
    ("here-string", |line, _| Some(format!("bash <<< {}", quoted(line)))),
    ("echo into shell", |line, _| (!line.contains('\\')).then(|| format!("echo {} | bash", quoted(line)))),
    ("printf into shell", |line, _| Some(format!("printf '%s\\n' {} | bash", quoted(line)))),
    ("function", |line, chance| {
        let name = chance.pick(&["f", "deploy", "ls"]);
        safe_inside(line).then(|| format!("{name}() {{ {line}\n}}; {name}"))
    }),
    ("substitution", |line, _| safe_inside(line).then(|| format!("echo \"$( {line}\n)\""))),
    ("process substitution", |line, _| safe_inside(line).then(|| format!("cat <( {line}\n)"))),
    ("subshell", |line, _| safe_inside(line).then(|| format!(" ( {line}\n)"))),
    ("group", |line, _| safe_inside(line).then(|| format!("{{ {line}\n}}"))),
    ("condition", |line, _| safe_inside(line).then(|| format!("if true; then {line}\nfi"))),
    ("loop", |line, _| safe_inside(line).then(|| format!("for i in 1 2; do {line}\ndone"))),
    ("case", |line, _| safe_inside(line).then(|| format!("case a in *) {line}\n;; esac"))),
    ("after a harmless command", |line, chance| {
        let first = chance.pick(&["ls", "true", "cd /tmp", "echo start", ":"]);
        let between = chance.pick(&[" && ", "; ", "\n", " & "]);
        Some(format!("{first}{between}{line}"))
    }),
    ("before a harmless command", |line, chance| {
        let last = chance.pick(&["ls", "echo done", "true"]);
        Some(format!("{line}\n{last}"))
    }),
    ("negation", |line, _| one_command(line).then(|| format!("! {line}"))),
    ("background", |line, _| one_command(line).then(|| format!("{line} &"))),
    ("find -exec", |line, _| one_plain(line).then(|| format!("find . -exec {line} \\;"))),
    ("trap", |line, _| Some(format!("trap {} EXIT", quoted(line)))),
    ("coprocess", |line, _| one_command(line).then(|| format!("coproc {line}"))),
    ("trailing comment", |line, _| (!line.contains('\n')).then(|| format!("{line} # only looks"))),
];

/// Disguises whose command is known only when it runs, or not at all.
const HIDDEN: &[Mutator] = &[
    ("base64", |line, chance| {
        let how = chance.pick(&["base64 -d | sh", "base64 --decode | bash", "openssl base64 -d | sh"]);
        Some(format!("echo {} | {how}", base64(line.as_bytes())))
    }),
    ("base64 in eval", |line, _| Some(format!("eval \"$(echo {} | base64 -d)\"", base64(line.as_bytes())))),
    ("hexadecimal", |line, _| {
        let digits: String = line.bytes().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("echo {digits} | xxd -r -p | bash"))
    }),
    ("printf escapes", |line, _| {
        let escapes: String = line.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        Some(format!("printf '{escapes}' | sh"))
    }),
    ("reversed", |line, _| {
        let back: String = line.chars().rev().collect();
        Some(format!("echo {} | rev | sh", quoted(&back)))
    }),
    ("alias", |line, _| Some(format!("shopt -s expand_aliases\nalias z={}\nz", quoted(line)))),
    ("file that is run", |line, _| Some(format!("echo {} > /tmp/s; sh /tmp/s", quoted(line)))),
    ("sourced text", |line, _| Some(format!("source <(echo {})", quoted(line)))),
    ("prompt command", |line, _| Some(format!("PROMPT_COMMAND={} bash -i", quoted(line)))),
    ("python", |line, _| {
        (!line.contains(['\'', '\\', '"', '\n']) && line.is_ascii())
            .then(|| format!("python3 -c 'import os; os.system(\"{line}\")'"))
    }),
    ("ssh", |line, _| Some(format!("ssh example.org {}", quoted(line)))),
    ("docker", |line, _| Some(format!("docker exec box bash -c {}", quoted(line)))),
];

pub fn apply(line: String, disguise: &mut Disguise, chance: &mut Chance) -> String {
    for _ in 0..4 {
        let hidden = chance.once_in(5);
        let mutators = if hidden { HIDDEN } else { CLEAR };
        let (name, mutate) = mutators[chance.below(mutators.len())];
        if let Some(line) = mutate(&line, chance) {
            // In a function's or a trap's text nobody knows what arrays and separators are by then.
            let later = ["function", "trap"].contains(&name)
                && disguise.steps.iter().any(|step| ["array", "IFS"].contains(step));
            if hidden || later {
                disguise.sight = Sight::Hidden;
            }
            disguise.steps.push(name);
            return line;
        }
    }
    line
}

/// A wrapper in front runs all of it: nothing stands before the program, and nothing follows.
fn one_command(line: &str) -> bool {
    let head = line.split(' ').next().unwrap_or_default();
    !line.contains(['\n', ';', '|', '&', '#', '<', '>', '(', '`'])
        && !head.contains('=')
        && !["if", "for", "case", "{", "!", "time", "coproc", "eval", "trap", "exec", "command"]
            .contains(&head)
}

fn one_plain(line: &str) -> bool {
    one_command(line) && !line.contains(['$', '{', '\'', '"', '\\', '~'])
}

/// It may stand on a line of its own in braces or parentheses.
fn safe_inside(line: &str) -> bool {
    !line.contains("<<") && !line.contains("coproc") && !line.ends_with('\\')
}

fn bashism(line: &str) -> bool {
    ["$'", "<<<", "{", "<(", "=(", "[@]", "coproc", "&>", "function", "source", "shopt", "time ", "!"]
        .iter()
        .any(|part| line.contains(part))
}

fn quoted(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place <= group.len() { letter } else { '=' });
        }
    }
    text
}
