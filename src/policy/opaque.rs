//! Text that the reader does not read: programs in other languages, options that name a command. Nothing in it is
//! let through; here it is only searched for what the floor forbids.

use crate::action::script::{Dialect, Run, Span, Word};
use crate::policy::places::Place;
use crate::policy::scene::{Scene, base_name};
use crate::policy::{Finding, Policy, Verdict};

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
];

/// Functions of other languages that delete a folder with everything in it.
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
];

/// How other languages start a program.
const STARTS: &[&str] = &[
    "system",
    "exec",
    "popen",
    "spawn",
    "subprocess",
    "call(",
    "run(",
    "child_process",
    "passthru",
    "qx",
    "%x",
    "`",
    "Command",
    "execute",
    "|",
    "sh ",
    "shell",
];

/// How much text of a line is searched.
const MOST: usize = 16 * 1024;

impl Policy {
    /// What the floor forbids in the opaque text of a run.
    pub(super) fn judge_opaque(&self, scene: &Scene<'_>, run: &Run, findings: &mut Vec<Finding>) {
        let Some(name) = run.program().map(base_name) else { return };
        if !self.listed("carriers", name) {
            return;
        }
        for word in run.words.iter().skip(1) {
            let Some(text) = word.literal().filter(|text| text.len() <= MOST) else { continue };
            if !SIGNS.iter().any(|sign| text.contains(sign)) && !TREES.iter().any(|sign| text.contains(sign))
            {
                continue;
            }
            let language = self.listed("interpreters", name) && !self.listed("shells", name);
            if language
                && !STARTS.iter().any(|sign| text.contains(sign))
                && !TREES.iter().any(|sign| text.contains(sign))
            {
                // It is only printed or looked for.
                continue;
            }
            if let Some(finding) = self.forbidden_in(scene, word, text) {
                findings.push(finding);
                return;
            }
        }
    }

    fn forbidden_in(&self, scene: &Scene<'_>, word: &Word, text: &str) -> Option<Finding> {
        for candidate in candidates(text) {
            if let Some(mut finding) = self.forbidden(scene, candidate) {
                finding.span = Some(word.span);
                return Some(finding);
            }
        }
        let system = self.book.names.places.get("system")?;
        for name in TREES {
            for (at, _) in text.match_indices(name) {
                let rest = text.get(at + name.len()..).unwrap_or_default();
                let argument = rest.trim_start_matches([' ', '(']);
                let Some(quote) = argument.chars().next().filter(|letter| matches!(letter, '"' | '\''))
                else {
                    continue;
                };
                let path = argument.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default();
                let home = &scene.situation.home;
                if Place::from_text(path, None, home).is_some_and(|place| system.has_whole(&place, home)) {
                    return self.rule("erase-system").map(|rule| rule.finding(word.span));
                }
            }
        }
        None
    }

    /// What the floor forbids in a text, if it is read as a command.
    fn forbidden(&self, scene: &Scene<'_>, text: &str) -> Option<Finding> {
        let script = crate::action::shell::read(text, Dialect::Sh).ok()?;
        let inner = Scene::new(&script, scene.situation);
        let mut findings = Vec::new();
        for (index, run) in script.runs().iter().enumerate() {
            self.judge_open(&inner, index, run, &mut findings);
        }
        if let Some(span) = crate::policy::bomb::find(&script) {
            findings.extend(self.rule("fork-bomb").map(|rule| rule.finding(span)));
        }
        findings.into_iter().find(|finding| finding.verdict == Verdict::Block)
    }
}

/// The parts of a word that may be a command: the word, what follows `=`, `:` or `!`, and what stands in quotes.
fn candidates(text: &str) -> Vec<&str> {
    let mut found = vec![text];
    for mark in ['=', ':', '!', ','] {
        for (at, _) in text.match_indices(mark).take(8) {
            found.extend(text.get(at + 1..));
        }
    }
    for quote in ['\'', '"', '`'] {
        let mut parts = text.split(quote);
        parts.next();
        found.extend(parts.take(32));
    }
    for open in ["q(", "qx(", "q{", "qx{", "%x(", "%x{"] {
        if let Some(at) = text.find(open) {
            let rest = text.get(at + open.len()..).unwrap_or_default();
            found.push(rest.split([')', '}']).next().unwrap_or(rest));
        }
    }
    found.retain(|part| part.contains([' ', '\t', '\\']) && SIGNS.iter().any(|sign| part.contains(sign)));
    found
}

/// The span of a whole script.
pub(super) fn whole(source: &str) -> Span {
    Span { start: 0, end: source.len() }
}
