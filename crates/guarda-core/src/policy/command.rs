//! Judges a command line: a pure function of the programs that may run and of the facts, which returns findings.

use crate::catalogue::entry::names_one;
use crate::catalogue::{LEAVES_OUT, Misspelt, NAMES_ONLY, misspelt};
use crate::policy::line::budget::Budget;
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::loose::{open, own};
use crate::policy::strict::check;
use crate::policy::strict::closed;
use crate::policy::variable::{is_harmless, shows_secret};
use crate::policy::verdict::plain;
use crate::policy::{Finding, Policy, Situation, Verdict};
use guarda_shell::script::{
    Disguise, Fault, Piece, Redirect, RedirectKind, Run, Script, Span, UnknownCause, Unsure, Word,
    only_asks_for_help,
};

/// The risk from which a question does not depend on whether the program is there.
const GRAVE: f32 = 0.5;
/// The risk of a secret in a line that reaches another machine.
const SENT_SECRET: f32 = 0.85;

impl Policy {
    /// Judges a command line. The joint verdict is the strictest of the findings; there is always at least one, and
    /// at least one for every run.
    ///
    /// ```
    /// use guarda_core::policy::{Policy, Profile, Verdict, corpus};
    /// use guarda_shell::script::Dialect;
    ///
    /// let policy = Policy::builtin(Profile::Desktop)?;
    /// let verdict = |line| {
    ///     let script = guarda_shell::read(line, Dialect::Bash);
    ///     policy.judge_script(&script, &corpus::situation(&script)).iter().map(|finding| finding.verdict).max()
    /// };
    /// assert_eq!(verdict("ls -l"), Some(Verdict::Allow));
    /// assert_eq!(verdict("rm -r build"), Some(Verdict::Confirm));
    /// assert_eq!(verdict("rm -rf /"), Some(Verdict::Block));
    /// # Ok::<(), guarda_core::policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn judge_script(&self, script: &Result<Script, Unsure>, situation: &Situation) -> Vec<Finding> {
        let length = script.as_ref().map_or_else(|unsure| unsure.text.len(), Script::length);
        self.judge_within(script, situation, &Budget::for_line(length))
    }

    /// Judges within a budget.
    pub(crate) fn judge_within(
        &self,
        script: &Result<Script, Unsure>,
        situation: &Situation,
        budget: &Budget,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        match script {
            Ok(script) => {
                let context = JudgeContext::new(script, situation, budget);
                for (index, run) in script.runs().iter().enumerate() {
                    self.judge_run(&context, index, run, &mut findings);
                    self.judge_unnamed(&context, index, run, &mut findings);
                    self.judge_fed(&context, index, run, &mut findings);
                    self.judge_mounted(&context, index, run, &mut findings);
                }
                for doubt in script.doubts() {
                    let why = format!("a part is not known before it runs: {}", reason(&doubt.why));
                    let finding = plain("unknown", Verdict::Confirm, doubt.span, why).contained();
                    // A finding about a known program explains more, so this one ranks below it.
                    let risk = if doubt.may_run_data() { 0.2 } else { finding.risk };
                    findings.push(Finding { risk, ..finding });
                }
                findings.extend(script.disguises().iter().map(|(span, how)| disguised(*span, *how)));
                if let Some(span) = script.growth() {
                    findings.extend(self.rule("fork-bomb").map(|rule| rule.finding(span)));
                }
                self.judge_by_lists(&context, &mut findings);
                self.judge_sending(script, &mut findings);
                if findings.is_empty() {
                    let why = "nothing is started, as far as its words tell";
                    findings.push(plain("nothing-runs", Verdict::Confirm, whole(script), why).contained());
                }
            }
            Err(unsure) => {
                findings.push(unreadable(unsure));
                findings.extend(self.judge_broken(&unsure.text, situation, budget));
            }
        }
        if budget.is_spent() {
            findings.push(beyond("it is too entangled to be judged with a bounded effort", Span::default()));
        }
        findings
    }

    fn judge_run(&self, context: &JudgeContext<'_>, index: usize, run: &Run, findings: &mut Vec<Finding>) {
        let before = findings.len();
        for redirect in &run.redirects {
            self.judge_redirect(context, index, redirect, findings);
        }
        for assign in &run.assigns {
            let harmless = if run.words.is_empty() {
                check::harmless_name(self, assign.name.split('[').next().unwrap_or(&assign.name))
            } else {
                self.harmless_in_front(run, &assign.name)
            };
            if !harmless {
                let why = format!("setting {:?} may change what the command does", assign.name);
                findings.push(plain("assignment", Verdict::Confirm, assign.value.span, why).contained());
                let text = assign.value.literal().unwrap_or_default().trim_start_matches(['|', '!']);
                if text.contains(' ') {
                    findings.extend(self.forbidden(context.situation, context.budget, text));
                }
            }
        }
        let redirected = run.redirects.iter().map(|redirect| &redirect.target);
        let assigned = run.assigns.iter().map(|assign| &assign.value);
        findings.extend(run.words.iter().chain(redirected).chain(assigned).flat_map(secret_variables));
        let helps = only_asks_for_help(run.words.iter())
            && run.program().is_some_and(|program| self.trusted(context, run, program).is_ok());
        let refuses = misspelt(run).filter(|found| context.situation.missing.contains(&found.command()));
        // What the program does otherwise needs no question if it only prints its help, or refuses to start.
        let by_rules = self.judge_open(context, index, run);
        findings.extend(by_rules.into_iter().filter(|finding| {
            (!helps || finding.verdict == Verdict::Password)
                && (refuses.is_none() || finding.verdict > Verdict::Confirm)
        }));
        if let Some(found) = refuses {
            findings.push(refused(context.script, run, &found));
            return;
        }
        self.judge_opaque(context, run, findings);
        let Some(first) = run.words.first() else {
            if findings.len() == before {
                findings.push(by_itself(run));
            }
            return;
        };
        let asked = findings
            .get(before..)
            .unwrap_or_default()
            .iter()
            .any(|one| one.verdict > Verdict::Review && !one.contained);
        match self.judge_closed(context, index, run) {
            Ok(Some(finding)) => findings.push(finding),
            Ok(None) if asked => {}
            // A secret is asked about every time; for other files a person may have allowed it beforehand.
            Ok(None) if self.names_secret(context, index, run) => {
                let why = "this names a file that may hold a secret";
                findings.push(plain("secret-file", Verdict::Confirm, first.span, why));
            }
            Ok(None) => findings.push(plain(
                "default",
                if self.left_open(context, index, run) { Verdict::Review } else { Verdict::Confirm },
                first.span,
                match run.program() {
                    Some(name) => format!("{name:?} is not known to only read"),
                    None => "which program this is, is not known before it runs".to_owned(),
                },
            )),
            Err(departure) => {
                let secret = departure.secret || self.names_secret(context, index, run);
                // That it is not known to be harmless says nothing beside a rule's own reason.
                if asked && !secret {
                    return;
                }
                let rule = if secret { "secret-file" } else { "not-only-reading" };
                let why = format!("this cannot be let through unasked: {}", departure.why);
                let finding = plain(rule, Verdict::Confirm, departure.span, why);
                let contained = departure.contained && !secret;
                findings.push(if contained { finding.contained() } else { finding });
            }
        }
    }

    /// A secret in a line that also reaches another machine may be sent there.
    fn judge_sending(&self, script: &Script, findings: &mut [Finding]) {
        let secret = |finding: &Finding| matches!(finding.rule.as_str(), "secret-file" | "secret-variable");
        if findings.iter().any(secret) && script.runs().iter().any(|run| self.is_sender(run)) {
            let found = findings.iter_mut().filter(|finding| secret(finding));
            found.for_each(|finding| finding.risk = finding.risk.max(SENT_SECRET));
        }
    }

    /// Whether a word is or contains the path of a file that may hold a secret: `FILE`, `--option=FILE`, `-oFILE`,
    /// `@FILE`, `HOST:FILE`.
    pub(crate) fn names_secret(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        let names =
            |word: &Word| own::beginnings(word).any(|skip| self.secret_word(context, index, word, skip));
        let mut words = run.words.iter().enumerate().skip(1);
        !names_one(NAMES_ONLY, run) && words.any(|(at, word)| names(word) && !is_left_out(run, at))
    }

    /// The findings of the rules that ask or block.
    pub(crate) fn judge_open(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> Vec<Finding> {
        let mut findings = Vec::new();
        let name = run.program().map(base_name);
        let target = open::Target::new(self, context, index, run);
        for rule in self.rules_for(name) {
            if rule.verdict == Verdict::Allow {
                continue;
            }
            let span = match rule.ready(self.names()) {
                Ok(ready) => open::meets(rule, ready, &target),
                // An invalid rule applies everywhere.
                Err(_) => Some(run.span),
            };
            // A program that is not there does nothing: its shell says so. What would be grave is asked all the same.
            let missing = rule.verdict <= Verdict::Confirm
                && rule.finding(Span::default()).risk < GRAVE
                && run.program().is_some_and(|name| !run.builtin && context.situation.lacks(name));
            let finding = |span| if missing { rule.finding(span).contained() } else { rule.finding(span) };
            findings.extend(span.map(finding));
        }
        findings
    }

    pub(crate) fn harmless_in_front(&self, run: &Run, name: &str) -> bool {
        // Before these builtins it only sets the field separators for the line they read.
        if name == "IFS" && matches!(run.program(), Some("read" | "mapfile" | "readarray")) {
            return true;
        }
        let own = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        is_harmless(name) || check::harmless_name(self, name) && (run.builtin || name.chars().all(own))
    }

    fn judge_redirect(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        redirect: &Redirect,
        findings: &mut Vec<Finding>,
    ) {
        let span = redirect.target.span;
        if !closed::harmless(redirect) {
            let target = redirect.target.prefix();
            let why = if target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/") {
                "this opens a network connection".to_owned()
            } else {
                "this writes to a file".to_owned()
            };
            findings.push(plain("write-file", Verdict::Confirm, span, why));
        }
        if matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite)
            && let Err(fault) = check::path(self, context, index, &redirect.target, 0)
        {
            findings.push(plain("secret-file", Verdict::Confirm, fault.span, fault.why));
        }
    }
}

/// Whether a word is, or holds, a pattern of names that the program leaves out.
fn is_left_out(run: &Run, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| run.words.get(at)).and_then(Word::literal);
    let word = run.words.get(at).map(Word::prefix).unwrap_or_default();
    LEAVES_OUT.iter().filter_map(|entry| entry.rsplit_once(' ')).any(|(command, option)| {
        let joined = || word.strip_prefix(option).is_some_and(|value| value.starts_with('='));
        (before == Some(option) || joined()) && names_one(&[command], run)
    })
}

/// Findings for the variables in a word whose values may be secrets. A name in lower case is usually the line's own.
fn secret_variables(word: &Word) -> impl Iterator<Item = Finding> {
    word.pieces.iter().filter_map(|piece| match piece {
        Piece::Unknown(UnknownCause::Variable(name)) if shows_secret(name) => {
            let why = format!("the variable {name:?} may hold a secret");
            Some(plain("secret-variable", Verdict::Confirm, word.span, why))
        }
        _ => None,
    })
}

/// An unusual spelling that hides what runs. Plain quotes around a name and `\ls` are common and do not count.
fn disguised(span: Span, how: Disguise) -> Finding {
    let why = match how {
        Disguise::Letters => "letters are written as numbers",
        Disguise::Name => "the program's name is disguised",
        Disguise::Invisible => "there are invisible or look-alike characters",
    };
    plain("disguised", Verdict::Confirm, span, why.to_owned()).contained()
}

fn whole(script: &Script) -> Span {
    Span { start: 0, end: script.length() }
}

/// Bash runs no part of a broken line and reports the error: nobody is asked, and the caller is told where the error is.
fn unreadable(unsure: &Unsure) -> Finding {
    match unsure.fault {
        Fault::Broken => {
            let why = format!("bash runs nothing of this: {} (byte {})", unsure.reason, unsure.span.start);
            plain("broken-line", Verdict::Block, unsure.span, why).contained()
        }
        Fault::Beyond => beyond(&unsure.reason, unsure.span),
        Fault::Unclear => plain("unreadable", Verdict::Confirm, unsure.span, unsure.to_string()),
    }
}

/// A command without a program only sets variables of the shell. A name that programs read settings from could change the next
/// command of a client's shell, so it is not allowed.
fn by_itself(run: &Run) -> Finding {
    let own = |name: &str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    let known = !run.assigns.is_empty()
        && run
            .assigns
            .iter()
            .all(|assign| assign.value.is_fixed() && (own(&assign.name) || is_harmless(&assign.name)));
    if known {
        return plain("assignment", Verdict::Allow, run.span, "sets a variable of the shell".to_owned());
    }
    let why = "the shell does this itself, as far as its words tell".to_owned();
    plain("assignment", Verdict::Confirm, run.span, why).contained()
}

/// A sub-command that the program does not have: the program reports it and does nothing. If the line does nothing else, nobody is
/// asked, and a caller who would run it is told at once.
fn refused(script: &Script, run: &Run, found: &Misspelt<'_>) -> Finding {
    let Misspelt { program, word, written, meant, .. } = found;
    let alone = script.runs().len() == 1 && run.redirects.is_empty() && script.doubts().is_empty();
    let verdict = if alone { Verdict::Block } else { Verdict::Confirm };
    let (at, meant) = (word.span.start, meant.join("\" or \""));
    let why = format!("{program:?} has no command {written:?} (byte {at}); did you mean \"{meant}\"");
    plain("misspelt", verdict, word.span, why).contained()
}

/// Text beyond the limits of reading or judging could hide anything, and no person could check it. It is blocked, so that no
/// line becomes milder by being longer.
fn beyond(reason: &str, span: Span) -> Finding {
    let instead = "put it into a file with your editing tool, or send it in parts".to_owned();
    Finding { instead: Some(instead), ..plain("beyond-limits", Verdict::Block, span, reason.to_owned()) }
}

fn reason(why: &UnknownCause) -> String {
    match why {
        UnknownCause::Variable(name) => format!("the value of {name}"),
        UnknownCause::Substitution => "the output of a command".to_owned(),
        UnknownCause::Arithmetic => "the result of arithmetic".to_owned(),
        UnknownCause::PipeName => "the name of a pipe".to_owned(),
        UnknownCause::Items => "the items that are put in".to_owned(),
        UnknownCause::HomeOf(user) => format!("the home folder of {user}"),
        UnknownCause::Foreign(language) => format!("text in {language}"),
        UnknownCause::Other(text) => text.clone(),
    }
}
