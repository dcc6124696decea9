//! Builtins, and what they start or change.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::text::Listener;
use crate::meaning::variables::value::Value;
use crate::meaning::words::field::Field;
use crate::script::{Reach, Span};
use crate::syntax::scan::Stop;

impl Evaluator<'_> {
    /// Follows a builtin to what it starts or changes.
    pub fn builtin(
        &mut self,
        id: usize,
        name: &str,
        fields: &[Field],
        scope: &Scope,
        steps: u32,
    ) -> Result<(), Stop> {
        let span = fields.first().map_or_else(Span::default, |field| field.word.span);
        let rest = fields.get(1..).unwrap_or(&[]);
        // The command that begins at this word.
        let start = |this: &mut Self, at: usize| {
            let words = rest.get(at..).unwrap_or(&[]).to_vec();
            this.child(id, words, Vec::new(), Reach::Wrapper(name.to_owned()), scope, steps)
        };
        match name {
            "eval" => self.eval(id, rest, scope),
            "source" | "." => {
                self.unclear("a script that is read when it runs", span);
                self.vars.lose();
                Ok(())
            }
            "exec" => {
                let end = self.flags(rest, "cl", "a", span);
                start(self, end)
            }
            "command" | "builtin" => {
                let end = self.flags(rest, "pvV", "", span);
                let asks = rest.iter().take(end).any(|field| {
                    field.literal().is_some_and(|text| text.contains(['v', 'V']) && text.starts_with('-'))
                });
                if asks && name == "command" {
                    return Ok(());
                }
                start(self, end)
            }
            "trap" => self.trap(id, rest, scope),
            "alias" => {
                if rest.iter().any(|field| field.literal().is_none_or(|text| text.contains('='))) {
                    self.unclear("an alias gives a name another meaning", span);
                }
                Ok(())
            }
            "shopt" | "set" | "shift" | "enable" | "hash" | "bind" | "complete" | "compgen" | "fc"
            | "history" => {
                self.settings(name, rest, span);
                Ok(())
            }
            "jobs" => match rest.first().and_then(Field::literal) {
                Some("-x") => start(self, 1),
                _ => Ok(()),
            },
            "cd" | "pushd" | "popd" => {
                self.moved = true;
                for name in ["PWD", "OLDPWD", "DIRSTACK"] {
                    if self.vars.touched(name) {
                        // A `cd` that fails changes nothing.
                        self.vars.doubt(name, None);
                    }
                }
                Ok(())
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "declare" | "typeset"
            | "local" | "export" | "readonly" | "printf" | "test" | "[" | "wait" => {
                self.sets(name, rest, span)
            }
            _ => Ok(()),
        }
    }

    fn eval(&mut self, id: usize, rest: &[Field], scope: &Scope) -> Result<(), Stop> {
        let rest = match rest.first().and_then(Field::literal) {
            Some("--") => rest.get(1..).unwrap_or(&[]),
            _ => rest,
        };
        if rest.iter().any(|field| field.splits || field.word.unknown()) {
            self.vars.lose();
        }
        // Assignments before `eval` hold while it runs.
        let given: Vec<(String, Option<String>)> = match self.runs.get(id) {
            Some(run) => run
                .assigns
                .iter()
                .map(|assign| (assign.name.clone(), assign.value.literal().map(str::to_owned)))
                .collect(),
            None => Vec::new(),
        };
        for (name, value) in &given {
            self.vars.set(name, value.clone().map_or(Value::Unknown, Value::Text));
        }
        let listener =
            Listener { name: "eval", dialect: scope.dialect, here: true, foreign: None, quotes_items: false };
        self.words_as_text(rest, listener, id, scope)?;
        for (name, _) in &given {
            self.vars.set(name, Value::Unknown);
        }
        Ok(())
    }

    fn trap(&mut self, id: usize, rest: &[Field], scope: &Scope) -> Result<(), Stop> {
        let rest = match rest.first().and_then(Field::literal) {
            Some("--") => rest.get(1..).unwrap_or(&[]),
            Some("-l" | "-p") => return Ok(()),
            _ => rest,
        };
        let Some((first, signals)) = rest.split_first() else {
            return Ok(());
        };
        let Some(text) = first.word.literal() else {
            self.unclear("a trap's text is not known", first.word.span);
            self.vars.lose();
            return Ok(());
        };
        if text == "-" || text.is_empty() || (signals.is_empty() && !first.splits) {
            return Ok(());
        }
        let last = signals.iter().all(|field| matches!(field.literal(), Some("EXIT" | "0" | "exit")));
        let (lost, losses) = (std::mem::replace(&mut self.vars.lost, true), self.vars.losses);
        let mark = self.vars.mark();
        let listener =
            Listener { name: "trap", dialect: scope.dialect, here: true, foreign: None, quotes_items: false };
        let inner = Scope { certain: false, ..scope.clone() };
        self.words_as_text(std::slice::from_ref(first), listener, id, &inner)?;
        let changed = self.vars.undo(mark);
        self.vars.lost = lost || self.vars.losses != losses || (!last && !changed.is_empty());
        Ok(())
    }

    /// Skips the options before a command; returns their number of words.
    fn flags(&mut self, rest: &[Field], flags: &str, valued: &str, span: Span) -> usize {
        let mut index = 0;
        while let Some(field) = rest.get(index) {
            let Some(text) = field.literal() else {
                return index;
            };
            let Some(letters) = text.strip_prefix('-') else {
                return index;
            };
            index += 1;
            if letters == "-" || letters.is_empty() {
                return if letters.is_empty() { index - 1 } else { index };
            }
            for (at, letter) in letters.char_indices() {
                if valued.contains(letter) {
                    if at + letter.len_utf8() == letters.len() {
                        if rest.get(index).is_none_or(|value| value.splits) {
                            self.unclear("an option's value is not known", span);
                        }
                        index += 1;
                    }
                    break;
                }
                if !flags.contains(letter) {
                    self.unclear(format!("an option that is not known: -{letter}"), field.word.span);
                }
            }
        }
        index
    }
}
