//! More is never milder: adding to a chain, or wrapping a command, never lowers the verdict.
//! `GUARDA_MONOTONE=50000` tries more; `GUARDA_SEED` begins elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    dead_code,
    reason = "tests may fail loudly, and use their part of what they share"
)]

#[path = "../../guarda-shell/tests/oracle/chance.rs"]
mod chance;
#[path = "../../../tests/effects/lines.rs"]
mod lines;

use chance::Chance;
use guarda_core::policy::{Policy, Profile, Verdict, corpus};
use guarda_shell::script::Dialect;

/// Commands of every verdict that leave nothing behind for the next one: no folder, no variable.
const LINES: [&str; 24] = [
    "ls -l",
    "cat notes.txt",
    "echo hello",
    "git status",
    "grep -n x notes.txt",
    "date",
    "rm notes.txt",
    "rm -r build",
    "touch new.txt",
    "git push",
    "git reset --hard",
    "curl https://example.org",
    "cat .env",
    "cat ~/.ssh/id_rsa",
    "npm install left-pad",
    "python3 setup.py",
    "chmod 600 notes.txt",
    "sudo id",
    "sudo systemctl stop ufw",
    "rm -rf /",
    "mkfs.ext4 /dev/sda1",
    "dd if=/dev/zero of=/dev/sda",
    "chmod -R 777 /etc",
    "nosuchprogram --flag",
];

/// The verdict on a line if a caller runs it, and the verdict that remains if a cell holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Both {
    text: Verdict,
    held: Verdict,
}

impl Both {
    /// Neither is milder.
    fn is_at_least(self, other: Self) -> bool {
        self.text >= other.text && self.held >= other.held
    }
}

fn judge(policy: &Policy, line: &str) -> (Both, String) {
    let script = guarda_shell::read(line, Dialect::Bash);
    let findings = policy.judge_script(&script, &corpus::situation(&script));
    let strictest = findings.iter().max_by_key(|finding| finding.verdict).unwrap();
    let held = findings.iter().filter(|finding| !finding.contained).map(|finding| finding.verdict).max();
    let both = Both { text: strictest.verdict, held: held.unwrap_or(Verdict::Allow) };
    (both, strictest.rule.clone())
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn quoted(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}

/// Something more than the line.
fn more(line: &str, chance: &mut Chance) -> String {
    let other = chance.pick(&LINES);
    let link = chance.pick(&["; ", " && ", " || ", " | ", " & ", "\n", " |& "]);
    match chance.below(13) {
        0 | 1 => format!("{line}{link}{other}"),
        2 | 3 => format!("{other}{link}{line}"),
        4 => format!("( {line}\n)"),
        5 => format!("{{ {line}\n}}"),
        6 => format!("if {other}; then {line}\nfi"),
        7 => format!("for i in a b; do {line}\ndone"),
        8 => format!("f() {{ {line}\n}}; f"),
        9 => format!("echo \"$( {line}\n)\""),
        10 => format!("bash -c {}", quoted(line)),
        11 => format!("eval {}", quoted(line)),
        _ => format!("while {line}\ndo {other}\nbreak; done"),
    }
}

#[test]
fn more_is_never_milder() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let first = number("GUARDA_SEED", 0);
    for seed in first..first + number("GUARDA_MONOTONE", 6_000) {
        let mut chance = Chance::new(seed);
        let mut line = chance.pick(&LINES).to_owned();
        let (mut least, mut rule) = judge(&policy, &line);
        for _ in 0..1 + chance.below(4) {
            let longer = more(&line, &mut chance);
            let (verdict, now) = judge(&policy, &longer);
            assert!(
                verdict.is_at_least(least),
                "seed {seed}: `{line}` is {least:?} ({rule}), but `{longer}` is {verdict:?} ({now})"
            );
            (line, least, rule) = (longer, verdict, now);
        }
    }
}

/// Every wrapper of the reader's table: a command that the reader sees inside keeps its verdict.
#[test]
fn no_wrapper_lowers() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let wrappers: Vec<String> = guarda_shell::wrappers().collect();
    assert!(wrappers.len() > 100, "{}", wrappers.len());
    for wrapper in wrappers {
        for line in LINES {
            let (least, rule) = judge(&policy, line);
            let alone = guarda_shell::read(line, Dialect::Bash).unwrap();
            for between in ["", "1 ", "-- ", "x y "] {
                let wrapped = format!("{wrapper} {between}{line}");
                let (verdict, now) = judge(&policy, &wrapped);
                let seen = guarda_shell::read(&wrapped, Dialect::Bash).is_ok_and(|script| {
                    script.runs().iter().any(|run| {
                        let words = |run: &guarda_shell::script::Run| {
                            run.words.iter().map(|word| word.pieces.clone()).collect::<Vec<_>>()
                        };
                        alone.runs().first().is_some_and(|alone| words(alone) == words(run))
                    })
                });
                // A wrapper that does not start the line may do something else with it, such as to print it.
                if seen {
                    assert!(
                        verdict.is_at_least(least),
                        "`{line}` is {least:?} ({rule}), but `{wrapped}` is {verdict:?} ({now})"
                    );
                }
            }
        }
    }
}

/// Commands on a place, which replaces `@`.
const DEEDS: [&str; 14] = [
    "cat @",
    "ls -l @",
    "rm @",
    "rm -rf @",
    "rm -rf @/*",
    "touch @",
    "chmod -R 777 @",
    "chown ana @",
    "cp notes.txt @",
    "mv @ /tmp/x",
    "dd if=/dev/zero of=@",
    "echo x > @",
    "find @ -delete",
    "sudo rm -r @",
];
const PLACES: [&str; 14] = [
    "notes.txt",
    "build",
    ".",
    "/",
    "~",
    "$HOME",
    "/etc",
    "/etc/passwd",
    "/dev/sda",
    "~/.ssh/id_rsa",
    ".env",
    "/usr/bin",
    "../other",
    "/tmp/x",
];

/// The value of a variable is judged as if the line contained it directly; so is each item of a loop, and each argument of a
/// function. Without a cell, a word with several values is unknown before it runs, and a function is not believed: both are at least
/// asked about.
#[test]
fn a_variable_and_a_loop_are_what_they_hold() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let mut wrong = Vec::new();
    for deed in DEEDS {
        for (at, place) in PLACES.iter().enumerate() {
            let other = PLACES[(at + 5) % PLACES.len()];
            let put = |what: &str| deed.replace('@', what);
            let both = format!("{}; {}", put(place), put(other));
            for (plain, same) in [
                (put(place), format!("x={place}; {}", put("$x"))),
                (put(place), format!("x={place}; {}", put("${x}"))),
                (put(place), format!("x={place}\n{}", put("\"$x\""))),
                (put(place), format!("export x={place} && {}", put("$x"))),
                (put(place), format!("x={place}; y=$x; {}", put("$y"))),
                (put(place), format!("for x in {place}; do {}; done", put("$x"))),
                (both.clone(), format!("for x in {place} {other}; do {}; done", put("$x"))),
                (both.clone(), format!("f() {{ {}; }}; f {place}; f {other}", put("$1"))),
            ] {
                let (plainly, rule) = judge(&policy, &plain);
                let (verdict, now) = judge(&policy, &same);
                let least = if plain == both { Verdict::Confirm } else { Verdict::Allow };
                if verdict != (Both { text: plainly.text.max(least), held: plainly.held }) {
                    wrong.push(format!(
                        "`{plain}` is {plainly:?} ({rule}), but `{same}` is {verdict:?} ({now})"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The line with other white space between its words.
fn spaced_otherwise(line: &str) -> [String; 3] {
    [line.replace(' ', "\t"), line.replace(' ', "  "), line.replace(' ', " \\\n")]
}

/// The lines of the folder that `GUARDA_CORPORA` names, if any.
fn corpora() -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Row {
        cmd: String,
    }
    let Some(folder) = std::env::var_os("GUARDA_CORPORA") else { return Vec::new() };
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()));
    let rows = files.flat_map(|text| {
        text.unwrap().lines().filter_map(|row| serde_json::from_str::<Row>(row).ok()).collect::<Vec<_>>()
    });
    rows.map(|row| row.cmd).collect()
}

/// The lines of the tests, and those of the corpora.
fn every_line() -> impl Iterator<Item = String> {
    lines::all().into_iter().map(|line| line.text).chain(corpora())
}

/// A blank, a tab, and a continued line are the same to bash where nothing is quoted. If bash cannot parse a line, it may run
/// the next line even where that continues the one before: broken lines are not tried.
#[test]
fn blanks_tabs_and_joined_lines_are_one() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let mut tried = 0;
    for line in every_line() {
        let plain = !line.contains(['\'', '"', '\\', '`', '#', '\n', '$']) && !line.contains("<<");
        let broken = || guarda_shell::read(line.trim(), Dialect::Bash).is_err();
        if !plain || !line.trim().contains(' ') || broken() {
            continue;
        }
        tried += 1;
        let (spaced, _) = judge(&policy, line.trim());
        for other in spaced_otherwise(line.trim()) {
            let (verdict, rule) = judge(&policy, &other);
            assert_eq!(verdict, spaced, "`{line}` and {other:?} ({rule})");
        }
    }
    assert!(tried > 500, "{tried}");
}

/// Constructs that run a line inside: `@` is the line, `%` the quoted line.
const AROUND: [&str; 12] = [
    "( @\n)",
    "{ @\n}",
    "true; @",
    "@\ntrue",
    "! { @\n}",
    "if true; then @\nfi",
    "for i in a; do @\ndone",
    "f() { @\n}; f",
    "echo \"$( @\n)\"",
    "bash -c %",
    "env nice bash -c %",
    "eval %",
];

/// Any line, in each of these constructs. A cell contains actions of a shell that it starts (`bind -x`), so for text given to a
/// shell only the verdict for a caller must not fall.
#[test]
fn nothing_around_a_line_lowers() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let mut milder = Vec::new();
    for line in every_line() {
        if guarda_shell::read(&line, Dialect::Bash).is_err() {
            continue;
        }
        let (least, rule) = judge(&policy, &line);
        for around in AROUND {
            let longer = match around.strip_suffix('%') {
                Some(starter) => format!("{starter}{}", quoted(&line)),
                None => around.replace('@', &line),
            };
            let (verdict, now) = judge(&policy, &longer);
            let in_a_shell = around.ends_with('%');
            if verdict.text < least.text || !in_a_shell && verdict.held < least.held {
                milder.push(format!("`{line}` is {least:?} ({rule}), but `{longer}` is {verdict:?} ({now})"));
            }
        }
    }
    assert!(milder.is_empty(), "{} are milder:\n{}", milder.len(), milder.join("\n"));
}

/// A word of any line, in a variable.
#[test]
fn no_variable_hides_a_word() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let (mut tried, mut milder) = (0, Vec::new());
    for line in every_line() {
        let sign = |letter: char| letter.is_ascii_alphanumeric() || " -_./:,+@%=~".contains(letter);
        if !line.chars().all(sign) || guarda_shell::read(&line, Dialect::Bash).is_err() {
            continue;
        }
        let (least, rule) = judge(&policy, &line);
        let words: Vec<&str> = line.split(' ').collect();
        for at in (0..words.len()).filter(|at| !words[*at].is_empty()) {
            let mut hidden = words.clone();
            hidden[at] = "$hidden";
            // Only a word that stands alone, or behind the name of a variable, has its tilde read.
            if words[at].contains('=') {
                continue;
            }
            tried += 1;
            let longer = format!("hidden={}; {}", words[at], hidden.join(" "));
            let (verdict, now) = judge(&policy, &longer);
            if !verdict.is_at_least(least) {
                milder.push(format!("`{line}` is {least:?} ({rule}), but `{longer}` is {verdict:?} ({now})"));
            }
        }
    }
    assert!(milder.is_empty(), "{} are milder:\n{}", milder.len(), milder.join("\n"));
    assert!(tried > 1_000, "{tried}");
}

/// The same in chains, groups, loops, functions and texts for a shell, put together at random.
#[test]
fn white_space_says_nothing_in_any_structure() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let first = number("GUARDA_SEED", 0);
    for seed in first..first + number("GUARDA_MONOTONE", 6_000) / 4 {
        let mut chance = Chance::new(seed);
        let mut line = chance.pick(&LINES).to_owned();
        for _ in 0..1 + chance.below(3) {
            line = more(&line, &mut chance);
        }
        let (spaced, _) = judge(&policy, &line);
        for other in spaced_otherwise(&line) {
            let (verdict, rule) = judge(&policy, &other);
            assert_eq!(verdict, spaced, "seed {seed}: `{line}` and {other:?} ({rule})");
        }
    }
}
