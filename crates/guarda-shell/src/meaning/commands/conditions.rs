//! Conditions: what `[[`, `[` and `test` evaluate.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::words::field::Field;
use crate::script::Piece;
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Raw, Reading};

impl Evaluator<'_> {
    /// The words of `[[ … ]]`.
    pub fn condition(&mut self, words: Vec<(Raw, Reading)>, scope: &Scope) -> Result<(), Stop> {
        for (word, reading) in words {
            let field = self.single(word, scope, false)?;
            match reading {
                Reading::Text => {}
                Reading::Sum => self.calculate_word(&field)?,
                Reading::Name => self.name_word(&field)?,
            }
        }
        Ok(())
    }

    /// `[` and `test` evaluate a subscript after `-v` and `-R`; the values of words decide which are operators.
    pub fn tests(&mut self, rest: &[Field]) -> Result<(), Stop> {
        let rest = match rest.split_last() {
            Some((last, rest)) if last.word.literal() == Some("]") => rest,
            _ => rest,
        };
        let at = |index: Option<usize>| index.and_then(|index| rest.get(index)).and_then(Field::literal);
        for (index, field) in rest.iter().enumerate() {
            let (before, behind) = (at(index.checked_sub(1)), at(Some(index + 1)));
            if matches!(before, Some("-v" | "-R")) && !is_comparison(behind) {
                self.name_word(field)?;
            } else if may_be_operator(field) {
                let last = index + 1 == rest.len();
                let operand = match before {
                    Some("!" | "-a" | "-o" | "(") => last || is_comparison(behind),
                    Some(text) => is_comparison(Some(text)) || is_question(text) || is_comparison(behind),
                    None => index == 0 && (last || is_comparison(behind)),
                };
                if field.splits || field.word.glob() || !operand {
                    self.evaluates = true;
                    self.runs_data(field.word.span);
                }
            }
        }
        Ok(())
    }
}

/// Whether an unknown word may be an operator of `[`.
fn may_be_operator(field: &Field) -> bool {
    let told = |piece: &Piece| match piece {
        Piece::Text(text) => text.contains(|letter| !matches!(letter, '-' | 'v' | 'R')),
        Piece::Home | Piece::Cwd => true,
        Piece::Glob(_) | Piece::Unknown(_) => false,
    };
    !field.word.is_fixed() && !field.number && (field.splits || !field.word.pieces.iter().any(told))
}

fn is_comparison(text: Option<&str>) -> bool {
    matches!(
        text,
        Some(
            "=" | "=="
                | "!="
                | "<"
                | ">"
                | "-eq"
                | "-ne"
                | "-lt"
                | "-le"
                | "-gt"
                | "-ge"
                | "-ef"
                | "-nt"
                | "-ot"
        )
    )
}

/// `-f`, `-z` and similar, which do not look into variables.
fn is_question(text: &str) -> bool {
    text.len() == 2 && text.starts_with('-') && !matches!(text, "-v" | "-R" | "-a" | "-o" | "--")
}
