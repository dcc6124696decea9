//! Substitutions: what they run, and their known output.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::words::field::Atom;
use crate::meaning::words::numbers::prints_numbers;
use crate::script::{Reach, Span, UnknownCause};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Body, List, Pipeline};

impl Evaluator<'_> {
    /// The commands of a substitution.
    pub fn substitution(&mut self, list: List, scope: &Scope) -> Result<(), Stop> {
        let inner = scope.substituted();
        let mark = self.vars.mark();
        self.list(list, &inner)?;
        let _ = self.vars.undo(mark);
        Ok(())
    }

    /// `$(…)`: its commands join the runs; its output is known only if the line determines it.
    pub fn substituted(&mut self, list: List, quoted: bool, scope: &Scope) -> Result<Atom, Stop> {
        let first = self.runs.len();
        let lone = matches!(list.items.as_slice(), [item] if item.rest.is_empty() && !item.background
            && !item.first.negated && item.first.commands.len() == 1);
        let printing = printing(&list);
        self.substitution(list, scope)?;
        let output = if lone && self.runs.len() == first + 1 { self.output(first) } else { None };
        Ok(match output {
            Some(text) if self.runs.get(first).is_some_and(|run| run.reach == Reach::Substitution) => {
                Atom::Known { text: text.trim_end_matches('\n').to_owned(), quoted }
            }
            _ => {
                let number = printing.is_some_and(|spans| self.only_numbers(first, &spans));
                Atom::Unknown { why: UnknownCause::Substitution, quoted, maybe: Vec::new(), number }
            }
        })
    }

    /// Whether the commands at these positions print only numbers.
    fn only_numbers(&self, first: usize, spans: &[Span]) -> bool {
        let runs = self.runs.get(first..).unwrap_or(&[]);
        spans.iter().all(|span| {
            let mut there = runs.iter().filter(|run| run.span == *span).peekable();
            there.peek().is_some()
                && there.all(|run| {
                    run.reach == Reach::Substitution
                        && run.program().is_some_and(|name| !self.functions.contains_key(name))
                        && prints_numbers(run)
                })
        })
    }
}

/// The commands whose output is that of the whole; `None` if others contribute.
fn printing(list: &List) -> Option<Vec<Span>> {
    let [item] = list.items.as_slice() else { return None };
    if item.background {
        return None;
    }
    let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline));
    let last = |pipeline: &Pipeline| match pipeline.commands.last().map(|command| &command.body) {
        Some(Body::Simple(simple)) => Some(simple.span),
        Some(Body::Compound(_)) | None => None,
    };
    pipelines.map(last).collect()
}
