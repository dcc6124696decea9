//! Substitutions and arithmetic: what they run, and what is known of their output.

use crate::action::script::{Reach, Span, UnknownCause};
use crate::action::shell::meaning::expand::Atom;
use crate::action::shell::meaning::vars::Value;
use crate::action::shell::meaning::walk::{Evaluator, Scope};
use crate::action::shell::syntax::scan::Stop;
use crate::action::shell::syntax::tree::{List, Part};

impl Evaluator<'_> {
    /// Arithmetic: what it runs by substitution, and whether a variable's text could be run by it.
    pub fn evaluate(&mut self, parts: Vec<Part>, span: Span, scope: &Scope) -> Result<(), Stop> {
        let names_nothing = |text: &str| !text.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let harmless = parts.iter().all(|part| part.any_text().is_some_and(names_nothing));
        if !harmless {
            self.evaluates = true;
        }
        let assigns = |text: &str| text.contains('=') || text.contains("++") || text.contains("--");
        let sets = parts.iter().filter_map(Part::any_text).any(assigns);
        let mixed = parts.len() > 1;
        let mut names: Vec<String> = Vec::new();
        if sets {
            let words = parts.iter().filter_map(Part::any_text).flat_map(|text| {
                text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
            });
            names.extend(
                words.filter(|name| crate::action::shell::syntax::scan::is_name(name)).map(str::to_owned),
            );
        }
        let _ = self.atoms(parts, span, scope)?;
        if sets {
            for name in names {
                self.set(&name, Value::Unknown, span);
            }
            if mixed {
                self.vars.forget();
            }
        }
        Ok(())
    }

    /// The commands of a substitution.
    pub fn substitution(&mut self, list: List, scope: &Scope) -> Result<(), Stop> {
        let inner = scope.substituted();
        let mark = self.vars.mark();
        self.list(list, &inner)?;
        let _ = self.vars.undo(mark);
        Ok(())
    }

    /// `$(…)`: its commands join the runs; its output is known only where it is plainly given.
    pub fn substituted(&mut self, list: List, quoted: bool, scope: &Scope) -> Result<Atom, Stop> {
        let first = self.runs.len();
        let lone = matches!(list.items.as_slice(), [item] if item.rest.is_empty() && !item.background
            && !item.first.negated && item.first.commands.len() == 1);
        self.substitution(list, scope)?;
        let output = if lone && self.runs.len() == first + 1 { self.output(first) } else { None };
        Ok(match output {
            Some(text) if self.runs.get(first).is_some_and(|run| run.reach == Reach::Substitution) => {
                Atom::Known { text: text.trim_end_matches('\n').to_owned(), quoted }
            }
            _ => Atom::Unknown { why: UnknownCause::Substitution, quoted, maybe: Vec::new() },
        })
    }
}
