//! Builtins that change the meaning of later commands.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::words::field::Field;
use crate::script::Span;

/// Options of the shell that change nothing the reader relies on.
const QUIET_OPTIONS: [&str; 18] = [
    "nullglob",
    "dotglob",
    "globstar",
    "failglob",
    "nocaseglob",
    "nocasematch",
    "inherit_errexit",
    "checkwinsize",
    "histappend",
    "cmdhist",
    "lithist",
    "autocd",
    "cdspell",
    "dirspell",
    "checkjobs",
    "huponexit",
    "progcomp",
    "globasciiranges",
];

impl Evaluator<'_> {
    /// Settings of the shell that change how later text is read, or its meaning.
    pub fn settings(&mut self, name: &str, rest: &[Field], span: Span) {
        let words: Vec<Option<&str>> = rest.iter().map(Field::literal).collect();
        let doubtful = match name {
            "shift" => {
                self.arguments_lost = true;
                false
            }
            "enable" => !words.is_empty(),
            "bind" => words.iter().any(|word| word.is_none_or(|text| text.contains('x'))),
            "fc" => words.first() != Some(&Some("-l")),
            "history" => {
                words.iter().any(|word| word.is_none_or(|text| text.starts_with('-') && text != "-c"))
            }
            "hash" => words.iter().any(|word| word.is_none_or(|text| text.starts_with('-') && text != "-r")),
            "complete" | "compgen" => words.iter().any(|word| {
                word.is_none_or(|text| text.starts_with('-') && text.contains(['C', 'F', 'W', 'P', 'S', 'X']))
            }),
            "shopt" => {
                let changes = words
                    .iter()
                    .any(|word| word.is_none_or(|text| text.starts_with('-') && text.contains(['s', 'u'])));
                if changes && words.contains(&Some("lastpipe")) {
                    self.vars.lose();
                }
                let quiet = |word: &Option<&str>| {
                    word.is_some_and(|text| text.starts_with('-') || QUIET_OPTIONS.contains(&text))
                };
                changes && !words.iter().all(quiet)
            }
            "set" => self.set_options(&words),
            _ => false,
        };
        if doubtful {
            self.vars.lose();
            self.unclear(format!("{name} changes what later commands mean"), span);
        }
    }

    pub fn set_options(&mut self, words: &[Option<&str>]) -> bool {
        let mut index = 0;
        while let Some(word) = words.get(index) {
            let Some(text) = word else {
                self.arguments_lost = true;
                return true;
            };
            index += 1;
            if *text == "--" || *text == "-" {
                self.arguments_lost = true;
                return false;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else {
                self.arguments_lost = true;
                return false;
            };
            for letter in letters.chars() {
                match letter {
                    'o' => {
                        let option = words.get(index).copied().flatten();
                        index += 1;
                        let quiet = matches!(
                            option,
                            Some(
                                "pipefail"
                                    | "errexit"
                                    | "nounset"
                                    | "xtrace"
                                    | "noglob"
                                    | "noclobber"
                                    | "errtrace"
                                    | "functrace"
                                    | "verbose"
                                    | "allexport"
                                    | "monitor"
                                    | "notify"
                                    | "nolog"
                                    | "physical"
                                    | "interactive-comments"
                                    | "hashall"
                                    | "ignoreeof"
                                    | "vi"
                                    | "emacs"
                                    | "braceexpand"
                            )
                        );
                        if !quiet && words.get(index - 1).is_some() {
                            return true;
                        }
                    }
                    'e' | 'u' | 'x' | 'f' | 'v' | 'm' | 'b' | 'h' | 'a' | 'C' | 'E' | 'T' | 'P' | 'B'
                    | 'n' | 't' => {}
                    _ => return true,
                }
            }
        }
        false
    }
}
