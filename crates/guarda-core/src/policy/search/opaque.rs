//! Text that the reader does not read: programs in other languages, options that name a command. Nothing in it is
//! let through; here it is only searched for what the floor forbids.

use crate::policy::line::budget::Budget;
use crate::policy::line::context::{JudgeContext, Search, base_name};
use crate::policy::{Finding, Policy, Situation, Verdict};
use aho_corasick::AhoCorasick;
use guarda_shell::script::{Dialect, Fault, Run, Span, Word};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Words without which no text can be catastrophic.
const SIGNS: &[&str] = &[
    "rm",
    "mkfs",
    "dd",
    "shred",
    "chmod",
    "chown",
    "mv",
    "wipefs",
    "{",
    "find",
    ">",
    "destroy",
    "blkdiscard",
    "format",
    "del ",
    "rd ",
    "Remove-Item",
    "diskutil",
    "open",
    "File",
    "file_put",
];

/// Functions of other languages that delete what their first text names.
const TREES: &[&str] = &[
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "rmdir_recursive",
    "RemoveAll",
    "remove_all",
    "removeSync",
    "deltree",
    "remove_dir_all",
    "emptyDirSync",
    "unlink",
];

/// How other languages start a program, or open a file.
const STARTS: &[&str] = &[
    "system",
    "exec",
    "popen",
    "spawn",
    "subprocess",
    "call(",
    "run(",
    "child_process",
    "sys.process",
    "passthru",
    "qx",
    "%x",
    "`",
    "Command",
    "execute",
    "|",
    "sh ",
    "shell",
    "open",
    "File",
    "WriteStream",
    "file_put",
];

/// [`SIGNS`] and [`TREES`] in one search.
static SIGNING: LazyLock<Signs> = LazyLock::new(|| Signs::of(SIGNS));
/// [`STARTS`] and [`TREES`] in one search.
static STARTING: LazyLock<Signs> = LazyLock::new(|| Signs::of(STARTS));

/// Functions of other languages that change files: the command that does the same, and how they are given the path.
static CALLS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let place = r#"([/~][\w./~*-]*)["']"#;
    let trees = TREES.join("|");
    let writing = r#"\s*,\s*(?:mode\s*=\s*)?(?:["'][rbt]*[wax+]|[\w.:]*O_(?:WRONLY|RDWR))"#;
    [
        ("rm -r", format!(r#"(?:{trees})[ (]*["']{place}"#)),
        (
            "tee",
            format!(r#"(?:writeFile|appendFile|WriteStream|file_put_contents)(?:Sync)?[ (]*["']{place}"#),
        ),
        ("tee", format!(r#"\bopen(?:Sync)?\b[^"'\n;]{{0,32}}["'](?:\+?>>?|\+<)[ "',]*{place}"#)),
        ("tee", format!(r#"\bopen(?:Sync)?\b[ (]*["']{place}{writing}"#)),
    ]
    .into_iter()
    .filter_map(|(does, call)| Some((does, Regex::new(&call).ok()?)))
    .collect()
});

/// A search for several texts at once.
struct Signs(Option<AhoCorasick>);

impl Signs {
    /// A search for these and [`TREES`].
    fn of(texts: &[&str]) -> Self {
        Self(AhoCorasick::new(texts.iter().chain(TREES)).ok())
    }

    /// True if one of them occurs, or if the search could not be built.
    fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|search| search.is_match(text))
    }
}

/// True for a text without any shell syntax, like most words.
fn plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:,+@%=*?~".contains(&byte))
}

impl Policy {
    /// What the floor forbids in the opaque text of a run.
    pub(crate) fn judge_opaque(&self, context: &JudgeContext<'_>, run: &Run, findings: &mut Vec<Finding>) {
        let Some(name) = run.program().map(base_name) else { return };
        let known = self.listed("carriers", name);
        if !known && (run.builtin || self.keeps_text(name)) {
            return;
        }
        let config = run.words.iter().position(|word| word.literal() == Some("config")).unwrap_or(usize::MAX);
        for (at, word) in run.words.iter().enumerate().skip(1) {
            let Some(text) = word.literal() else { continue };
            // A message of git is data; its settings may be commands.
            if name == "git" && at <= config && previous(run, at) != "-c" {
                continue;
            }
            let language = self.listed("interpreters", name) && !self.listed("shells", name);
            let found = if language {
                let mut run_by_sed =
                    matches!(name, "sed" | "gsed").then(|| run_by_sed(text)).into_iter().flatten();
                run_by_sed
                    .find_map(|text| self.forbidden(context.situation, context.budget, &text))
                    .or_else(|| self.forbidden_in_language(context, text))
            } else {
                let broken = || !plain(text) && guarda_shell::read(text, Dialect::Sh).is_err();
                self.forbidden_in(context, text).or_else(|| {
                    if broken() { self.judge_broken(text, context.situation, context.budget) } else { None }
                })
            };
            if let Some(mut finding) = found {
                finding.span = Some(word.span);
                findings.push(finding);
                return;
            }
        }
        if !known {
            findings.extend(self.forbidden_behind(context, run));
        }
    }

    /// Whether a program is known not to execute its words: an `allow` rule speaks of it, or it writes, sends or shows what it is
    /// given.
    fn keeps_text(&self, name: &str) -> bool {
        ["writers", "clients", "downloaders", "senders", "sayers"].iter().any(|list| self.listed(list, name))
            || self.rules_for(Some(name)).any(|rule| rule.verdict == Verdict::Allow)
    }

    /// What the floor forbids in a command that begins at a word of an unknown program, or after the last `=` in it: the program may
    /// be a wrapper that no table lists.
    fn forbidden_behind(&self, context: &JudgeContext<'_>, run: &Run) -> Option<Finding> {
        let named = |at: usize| {
            let word = run.words.get(at)?;
            let name = word.literal()?.rsplit(is_border).next()?;
            let forbids =
                self.rules_for(Some(base_name(name))).any(|rule| rule.locked && rule.programs() != "*");
            forbids.then(|| (at, Word::text(name, word.span)))
        };
        (1..run.words.len()).filter_map(named).find_map(|(at, program)| {
            let rest = run.words.get(at + 1..).unwrap_or_default();
            if !context.budget.spend(rest.len() * 16) {
                return None;
            }
            let words = std::iter::once(program).chain(rest.iter().cloned()).collect();
            let supposed = Run { words, ..run.clone() };
            self.judge_open(context, 0, &supposed)
                .into_iter()
                .find(|finding| finding.verdict == Verdict::Block)
        })
    }

    /// What the floor forbids in a program of another language.
    pub(crate) fn forbidden_in_language(&self, context: &JudgeContext<'_>, text: &str) -> Option<Finding> {
        if forks_without_end(text) {
            return self.rule("fork-bomb").map(|rule| rule.finding(Span::default()));
        }
        // Otherwise the text is only printed or searched for.
        if STARTING.is_match(text) { self.forbidden_in(context, text) } else { None }
    }

    /// What the floor forbids in a text of any kind, in each part that may be a command.
    pub(crate) fn forbidden_in(&self, context: &JudgeContext<'_>, text: &str) -> Option<Finding> {
        if !SIGNING.is_match(text) {
            return None;
        }
        context.cached(Search::Parts, text, || self.forbidden_in_parts(context, text))
    }

    fn forbidden_in_parts(&self, context: &JudgeContext<'_>, text: &str) -> Option<Finding> {
        if !context.budget.spend(text.len()) {
            return None;
        }
        let read = |text: &str| match may_be_command(text) {
            true => self.read_for_floor(context.situation, context.budget, text),
            false => Reading::Unreadable,
        };
        let whole = read(text);
        if let Reading::Forbidden(finding) = whole {
            return Some(finding);
        }
        for (before, rest) in self.behind_borders(text) {
            let line = first_line(rest);
            let found = match read(line) {
                Reading::Nothing if !assigns(line) => continue,
                Reading::Forbidden(finding) => return Some(finding),
                // The whole text was read as commands, and this is one of them.
                Reading::Nothing | Reading::Unreadable
                    if ends_command(before) && !matches!(whole, Reading::Unreadable) =>
                {
                    continue;
                }
                // A command may have more lines, or use what an assignment in front sets.
                Reading::Nothing | Reading::Unreadable => read(rest),
            };
            if let Reading::Forbidden(finding) = found {
                return Some(finding);
            }
        }
        let parts = candidates(text);
        parts.iter().find_map(|part| self.forbidden(context.situation, context.budget, part))
    }

    /// What the floor forbids in a text, if it is read as a command.
    pub(crate) fn forbidden(&self, situation: &Situation, budget: &Budget, text: &str) -> Option<Finding> {
        match self.read_for_floor(situation, budget, text) {
            Reading::Forbidden(finding) => Some(finding),
            Reading::Nothing | Reading::Unreadable => None,
        }
    }

    /// Reads a text as a command, and tells whether the floor forbids it.
    pub(crate) fn read_for_floor(&self, situation: &Situation, budget: &Budget, text: &str) -> Reading {
        if !budget.spend(text.len() / 4) {
            return Reading::Unreadable;
        }
        let script = match guarda_shell::read(text, Dialect::Sh) {
            Ok(script) if budget.spend(text.len() * 8) => script,
            Ok(_) => return Reading::Unreadable,
            Err(unsure) => {
                // Reading costs what was read before the fault.
                let read = if unsure.fault == Fault::Beyond { text.len() } else { unsure.span.end };
                budget.spend(read * 8);
                return Reading::Unreadable;
            }
        };
        let inner = JudgeContext::new(&script, situation, budget);
        let runs = script.runs().iter().enumerate();
        let mut findings: Vec<Finding> =
            runs.flat_map(|(index, run)| self.judge_open(&inner, index, run)).collect();
        if let Some(span) = script.growth() {
            findings.extend(self.rule("fork-bomb").map(|rule| rule.finding(span)));
        }
        let found = findings.into_iter().find(|finding| finding.verdict == Verdict::Block);
        found.map_or(Reading::Nothing, Reading::Forbidden)
    }
}

/// The result of reading a text for the floor.
pub(crate) enum Reading {
    /// It is no command, or the budget is exhausted.
    Unreadable,
    /// It is a command that the floor does not forbid.
    Nothing,
    /// The floor forbids it.
    Forbidden(Finding),
}

/// Only a text with several words, one of them of [`SIGNS`], can be a command that the floor forbids.
fn may_be_command(text: &str) -> bool {
    text.contains([' ', '\t', '\\']) && SIGNS.iter().any(|sign| text.contains(sign))
}

/// The text up to the first line break that does not join two lines.
fn first_line(text: &str) -> &str {
    let breaks = text.match_indices('\n').map(|(at, _)| at);
    let end = breaks.into_iter().find(|at| !text.get(..*at).is_some_and(|line| line.ends_with('\\')));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// True if a text ends with what a shell takes for the end of a command, so that the next one runs in the same shell.
fn ends_command(text: &str) -> bool {
    let before = text.trim_end_matches([' ', '\t', ';', '&', '\n']);
    text.ends_with([';', '&', '\n']) && !before.ends_with(['|', '\\'])
}

/// True if the first word of a text is an assignment.
fn assigns(text: &str) -> bool {
    text.split_ascii_whitespace().next().is_some_and(|word| word.contains('='))
}

/// The commands that a sed script executes: after `e`, and in the replacement of `s///e`.
fn run_by_sed(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let address = |letter: char| letter.is_ascii_digit() || " ,$!~".contains(letter);
    let named = text.split([';', '{', '\n']);
    let named = named.filter_map(move |line| line.trim_start_matches(address).strip_prefix("e "));
    named
        .map(Cow::Borrowed)
        .chain(text.match_indices('s').filter_map(|(at, _)| put_in_by_sed(text.get(at + 1..)?)))
}

/// The replacement of `s/…/…/e`, from its first border on.
fn put_in_by_sed(text: &str) -> Option<Cow<'_, str>> {
    let border = text.chars().next().filter(|letter| letter.is_ascii_punctuation())?;
    let escaped = format!("\\{border}");
    let plain = text.replace(&escaped, "\0");
    let mut parts = plain.split(border).skip(2);
    let (put, flags) = (parts.next()?, parts.next()?);
    let runs = flags.chars().take_while(char::is_ascii_alphanumeric).any(|flag| flag == 'e');
    runs.then(|| Cow::Owned(put.replace('\0', border.encode_utf8(&mut [0; 4]))))
}

/// True for an endless loop that forks.
fn forks_without_end(text: &str) -> bool {
    const ENDLESS: &[&str] = &[
        "while fork",
        "while True",
        "while 1",
        "while(1)",
        "while (1)",
        "while(true)",
        "while (true)",
        "while true",
        "until false",
        "loop {",
        "loop{",
        "loop do",
        "for(;;)",
        "for (;;)",
        "iter(int",
        "itertools.count",
    ];
    text.contains("fork") && ENDLESS.iter().any(|sign| text.contains(sign))
}

/// The word before this one.
fn previous(run: &Run, at: usize) -> &str {
    at.checked_sub(1).and_then(|at| run.words.get(at)).map(Word::prefix).unwrap_or_default()
}

/// What begins with the text of an option or a setting that may be a command.
const VERBS: &[&str] = &["spawn ", "exec ", "shell ", "system ", "Command "];

/// What a command may stand behind: `pager=`, `:!`, a quote, an operator.
fn is_border(letter: char) -> bool {
    "=:!,|;&\n({[".contains(letter)
}

impl Policy {
    /// The text up to each border, and the text behind it, where a program that the floor knows, one that starts others, or an assignment follows.
    fn behind_borders<'t>(&self, text: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        text.match_indices(is_border)
            .filter_map(|(at, border)| text.split_at_checked(at + border.len()))
            .filter(|(_, rest)| self.begins_command(rest))
    }

    /// True if a text begins with an assignment or the name of a program that the floor knows or that starts others.
    fn begins_command(&self, text: &str) -> bool {
        let text = text.trim_start_matches([' ', '\t']);
        // No program's path is longer.
        let end = text.char_indices().take(256).find(|(_, letter)| letter.is_whitespace()).map(|(at, _)| at);
        let Some(word) = end.and_then(|end| text.get(..end)) else { return false };
        let name = base_name(word.trim_matches(['"', '\'', '\\']));
        name.contains('=')
            || self.listed("launchers", name)
            || self.listed("shells", name)
            || self.rules_for(Some(name)).any(|rule| rule.locked && rule.programs() != "*")
    }
}

/// Other parts of a text that may be a command: what follows a verb that starts a program, quoted text, and lists of quoted words
/// (`["rm", "-rf", "/"]`).
fn candidates(text: &str) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    for verb in VERBS {
        for (at, _) in text.match_indices(verb) {
            let rest = text.get(at + verb.len()..).unwrap_or_default();
            found.push(rest.split([')', '}', ']', '\n']).next().unwrap_or(rest));
        }
    }
    for quote in ['\'', '"', '`'] {
        found.extend(text.split(quote).skip(1));
    }
    for open in ["q(", "qw(", "qx(", "q{", "qx{", "%x(", "%x{"] {
        if let Some(at) = text.find(open) {
            let rest = text.get(at + open.len()..).unwrap_or_default();
            found.push(rest.split([')', '}']).next().unwrap_or(rest));
        }
    }
    let mut found: Vec<Cow<'_, str>> = found.into_iter().map(Cow::Borrowed).collect();
    if text.contains("\\ ") {
        let plain = text.replace("\\ ", " ");
        found.extend(plain.split_once(':').map(|(_, rest)| Cow::Owned(rest.to_owned())));
        found.push(Cow::Owned(plain));
    }
    let quoted = quoted_words(text);
    for (at, _) in quoted.iter().enumerate().filter(|(_, word)| SIGNS.contains(word)) {
        let words = quoted.get(at..quoted.len().min(at + 6)).unwrap_or_default();
        found.push(Cow::Owned(words.join(" ")));
    }
    found.retain(|part| may_be_command(part));
    found.extend(calls(text).map(Cow::Owned));
    found
}

/// Commands that do the same as the functions of other languages that a text calls.
fn calls(text: &str) -> impl Iterator<Item = String> {
    CALLS.iter().flat_map(|(does, call)| {
        let places = call.captures_iter(text).filter_map(|found| found.iter().skip(1).flatten().next());
        places.map(move |place| format!("{does} {}", place.as_str()))
    })
}

/// The texts in quotes, in order.
fn quoted_words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = if rest.get(at..).is_some_and(|tail| tail.starts_with('"')) { '"' } else { '\'' };
        let Some((word, behind)) = rest.get(at + 1..).and_then(|tail| tail.split_once(quote)) else { break };
        found.push(word);
        rest = behind;
    }
    found
}
