//! What the lists of the configuration say about a line.

use crate::places::{Kinds, Place};
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::loose::lists::ListEntry;
use crate::policy::loose::open;
use crate::policy::rules::grammar::{Flags, NamedLists};
use crate::policy::verdict::plain;
use crate::policy::{Finding, Policy, Verdict};
use crate::policy::{Origin, Tag};
use guarda_shell::script::{RedirectKind, Run, Span, Word};

impl Policy {
    /// The findings that the lists of the configuration give.
    pub(crate) fn judge_by_lists(&self, context: &JudgeContext<'_>, findings: &mut Vec<Finding>) {
        let lists = [(&self.lists.ask, Verdict::Confirm), (&self.lists.block, Verdict::Block)];
        for (entries, verdict) in lists {
            for entry in entries {
                if let Some(span) = entry.meets(context) {
                    let (rule, why) = match verdict {
                        Verdict::Block => {
                            ("blocked-by-config", format!("the configuration blocks {:?}", entry.text))
                        }
                        _ => ("asked-by-config", format!("the configuration asks about {:?}", entry.text)),
                    };
                    let mut finding = plain(rule, verdict, span, why);
                    finding.origin = Origin::Config;
                    finding.risk = if verdict == Verdict::Block { 1.0 } else { 0.5 };
                    findings.push(finding);
                }
            }
        }
        if !self.lists.dirs.is_empty() || !self.lists.protected.is_empty() {
            self.judge_places(context, findings);
        }
    }

    /// Blocks writing outside the allowed folders and asks about reading there (feature D5); asks about writing in protected
    /// folders (feature M4).
    fn judge_places(&self, context: &JudgeContext<'_>, findings: &mut Vec<Finding>) {
        for (index, run) in context.script.runs().iter().enumerate() {
            let target = open::Target::new(self, context, index, run);
            let writes = run.program().is_some_and(|name| self.listed("writers", base_name(name)))
                && !matches!(self.judge_closed(context, index, run), Ok(Some(_)));
            let words = target.each().map(|(kinds, span)| (kinds, span, writes));
            for (kinds, span, writes) in words.chain(target.redirects()) {
                let (rule, verdict, why) = match (kinds.any(Kinds::OUTSIDE), writes) {
                    (true, true) => {
                        ("outside", Verdict::Block, "this writes outside the folders that are allowed")
                    }
                    (true, false) => {
                        ("outside", Verdict::Confirm, "this lies outside the folders that are allowed")
                    }
                    (false, true) if kinds.any(Kinds::PROTECTED) => {
                        ("protected", Verdict::Confirm, "this changes something in a protected folder")
                    }
                    (false, _) => continue,
                };
                let mut finding = plain(rule, verdict, span, why.to_owned());
                finding.origin = Origin::Config;
                finding.tags = vec![Tag::named(rule)];
                findings.push(finding);
            }
        }
    }
}

impl ListEntry {
    /// The span in which the script does what the entry says.
    fn meets(&self, context: &JudgeContext<'_>) -> Option<Span> {
        if self.bomb {
            return context.script.growth();
        }
        let [wanted, rest @ ..] = self.script.runs() else { return None };
        if !rest.is_empty() && rest.iter().any(|run| run.parent.is_none()) {
            // A list or pipeline: each command must be met, in order.
            let mut from = 0usize;
            let mut span = None;
            for wanted in self.script.runs() {
                let at = (from..context.script.runs().len())
                    .find(|at| context.run(*at).is_some_and(|run| meets_run(wanted, run, context, *at)))?;
                span = span.or_else(|| context.run(at).map(|run| run.span));
                from = at + 1;
            }
            return span;
        }
        context
            .script
            .runs()
            .iter()
            .enumerate()
            .find(|(at, run)| meets_run(wanted, run, context, *at))
            .map(|(_, run)| run.span)
    }
}

fn meets_run(wanted: &Run, run: &Run, context: &JudgeContext<'_>, index: usize) -> bool {
    if let Some(program) = wanted.program() {
        let Some(name) = run.program().map(base_name) else { return false };
        let program = base_name(program);
        let same = name == program
            || name
                .strip_prefix(program)
                .is_some_and(|rest| rest.starts_with('.') && wanted.words.len() == 1);
        if !same {
            return false;
        }
    }
    let words = run.words.get(1..).unwrap_or_default();
    let operands_of = |words: &[Word]| -> Vec<Word> {
        words.iter().filter(|word| !word.prefix().starts_with('-')).cloned().collect()
    };
    for word in wanted.words.iter().skip(1) {
        let Some(text) = word.literal() else {
            let met = operands_of(words).iter().any(|other| {
                Place::of(other, 0, context.cwd(index), &context.situation.home)
                    == Place::of(word, 0, Some("/"), &context.situation.home)
            });
            if !met {
                return false;
            }
            continue;
        };
        if text.starts_with('-') && text.len() > 1 {
            if !has_flag(text, words) {
                return false;
            }
            continue;
        }
        let met = words.iter().any(|other| {
            other.literal() == Some(text)
                || (text.starts_with(['/', '~']) && {
                    let mine = Place::from_text(text, None, &context.situation.home);
                    mine.is_some() && mine == Place::of(other, 0, context.cwd(index), &context.situation.home)
                })
        });
        if !met {
            return false;
        }
    }
    wanted.redirects.iter().all(|redirect| {
        run.redirects.iter().any(|other| {
            let writes =
                |kind| matches!(kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
            writes(redirect.kind) == writes(other.kind)
                && context.place(index, &other.target, 0) == context.place(index, &redirect.target, 0)
        })
    })
}

/// True if all flags in `wanted` are present, in any spelling.
fn has_flag(wanted: &str, words: &[Word]) -> bool {
    let heads = || words.iter().map(Word::prefix).filter(|head| head.starts_with('-'));
    if wanted.starts_with("--") {
        return heads().any(|head| head.split('=').next() == Some(wanted));
    }
    wanted.chars().skip(1).all(|letter| {
        let spellings = match letter {
            'r' | 'R' => "-r -R --recursive".to_owned(),
            'f' => "-f --force".to_owned(),
            'a' => "-a --all".to_owned(),
            other => format!("-{other}"),
        };
        let flags = Flags::read(&spellings, &NamedLists::new()).unwrap_or_default();
        heads().any(|head| flags.carried_by(head))
    })
}
