//! Secrets that a command comes to by a detour: by a variable, a function's argument, a line that is read. The reader
//! does not follow these; what is needed here is only that the line names a secret, and reads what it does not name.

use crate::action::script::{Piece, RedirectKind, Run, Span, Why, Word};
use crate::policy::scene::Scene;
use crate::policy::{Finding, Policy, Verdict, command};

impl Policy {
    /// Looks at a line that would be let through: it is asked if a run reads a file whose name is not known, and the line
    /// names a secret, or puts one together.
    pub(super) fn judge_detours(&self, scene: &Scene<'_>, findings: &mut Vec<Finding>) {
        if findings.iter().any(|finding| finding.verdict > Verdict::Allow) {
            return;
        }
        let runs = scene.script.runs();
        let reads = |index: usize, run: &Run| {
            run.words.iter().skip(1).any(later)
                && self.judge_closed(scene, index, run).ok().flatten().is_some_and(|let_through| {
                    self.rule(&let_through.rule).is_some_and(|rule| {
                        let operands = rule.text.operands.as_deref();
                        operands.is_none_or(|kinds| kinds.contains("path") || kinds.contains("local"))
                    })
                })
        };
        let Some((reader, run)) = runs.iter().enumerate().find(|(index, run)| reads(*index, run)) else {
            return;
        };
        let named = runs.iter().enumerate().find_map(|(index, run)| self.mentions(scene, index, run));
        let item = || {
            let mut items = scene.script.items().iter().map(|item| &item.word);
            items.find(|word| self.secret_word(scene, reader, word, 0)).map(|word| word.span)
        };
        let span = named.or_else(item).or_else(|| {
            let assigned: Vec<(&str, Word)> = runs.iter().flat_map(assignments).collect();
            runs.iter()
                .enumerate()
                .find_map(|(index, run)| {
                    run.words.iter().skip(1).find(|word| self.put_together(scene, index, word, &assigned))
                })
                .map(|word| word.span)
        });
        if let Some(span) = span {
            let program = run.program().unwrap_or_default();
            let why = format!(
                "this names a file that may hold a secret, and {program:?} reads what is not known before"
            );
            findings.push(command::plain("secret-file", Verdict::Confirm, span, why));
        }
    }

    /// The first place in a run that names a secret: an argument, a value, a text that it is given.
    fn mentions(&self, scene: &Scene<'_>, index: usize, run: &Run) -> Option<Span> {
        let secret = |word: &Word, skip| self.secret_word(scene, index, word, skip);
        let texts = run.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Text);
        let lines = texts.clone().find(|redirect| {
            let words = redirect.target.prefix().split_ascii_whitespace();
            words.take(4096).any(|text| secret(&Word::text(text, redirect.target.span), 0))
        });
        run.words
            .iter()
            .skip(1)
            .chain(run.assigns.iter().map(|assign| &assign.value))
            .chain(texts.map(|redirect| &redirect.target))
            .find(|word| {
                let value = word.prefix().find('=').map(|at| at + 1);
                std::iter::once(0).chain(value).any(|skip| secret(word, skip))
            })
            .map(|word| word.span)
            .or_else(|| lines.map(|redirect| redirect.target.span))
    }

    /// True if the word names a secret with one of the values that the line gives to its first variable.
    fn put_together(&self, scene: &Scene<'_>, index: usize, word: &Word, assigned: &[(&str, Word)]) -> bool {
        let Some((Piece::Unknown(Why::Variable(name)), rest)) = word.pieces.split_first() else {
            return false;
        };
        !rest.is_empty()
            && scene.fuel.spend(assigned.len())
            && assigned.iter().filter(|(known, _)| known == name).take(8).any(|(_, value)| {
                let pieces = value.pieces.iter().chain(rest).cloned().collect();
                let whole = Word { pieces, span: word.span };
                scene.place(index, &whole, 0).is_some_and(|place| self.secret_place(&place, scene.situation))
            })
    }
}

/// True for a word that is a file's name, or part of one, which is not known before it runs.
pub(super) fn later(word: &Word) -> bool {
    word.pieces.iter().any(|piece| {
        matches!(
            piece,
            Piece::Unknown(
                Why::Variable(_) | Why::Substitution | Why::Items | Why::Other(_) | Why::Foreign(_)
            )
        )
    })
}

/// What a run assigns, in front of a command or with `declare` and its like.
fn assignments(run: &Run) -> impl Iterator<Item = (&str, Word)> {
    let plain = run.assigns.iter().map(|assign| (assign.name.as_str(), assign.value.clone()));
    let declared = matches!(run.program(), Some("declare" | "typeset" | "local" | "export" | "readonly"));
    let words = run.words.iter().skip(1).filter(move |_| declared).filter_map(|word| {
        let (name, head) = word.prefix().split_once('=')?;
        let mut value = word.clone();
        *value.pieces.first_mut()? = Piece::Text(head.to_owned());
        Some((name, value))
    });
    plain.chain(words)
}
