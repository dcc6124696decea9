//! Builtins that set variables, or change what later commands mean.

use crate::action::script::{Piece, Span, UnknownCause};
use crate::action::shell::meaning::expand::Field;
use crate::action::shell::meaning::names;
use crate::action::shell::meaning::vars::Value;
use crate::action::shell::meaning::walk::Evaluator;

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
    /// Settings of the shell that change how what follows is read or what it means.
    pub fn settings(&mut self, name: &str, rest: &[Field], span: Span) {
        let words: Vec<Option<&str>> = rest.iter().map(|field| field.word.literal()).collect();
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
                if changes {
                    self.vars.lost |= words.contains(&Some("lastpipe"));
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
            self.doubt(UnknownCause::Other(format!("{name} changes what later commands mean")), span);
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

    /// Builtins that set variables, or evaluate the names they are given.
    pub fn sets(&mut self, name: &str, rest: &[Field], span: Span) {
        let mut plain = true;
        let mut options = String::new();
        for field in rest {
            let Some(text) = field.word.literal() else {
                plain = false;
                continue;
            };
            if let Some(letters) = text.strip_prefix('-') {
                options.push_str(letters);
            }
            let target = text.split_once('=').map_or(text, |(target, _)| target);
            let target = target.strip_suffix('+').unwrap_or(target);
            let gives = (name != "printf" || options.contains('v')) && !matches!(name, "test" | "[" | "wait");
            if gives && names::changes_names(target) {
                self.doubt(UnknownCause::Variable(target.to_owned()), field.word.span);
            }
            plain &= crate::action::shell::syntax::scan::is_name(target) || text.starts_with('-');
            // The subscript of a name is arithmetic, and runs the commands in it, however it is quoted.
            if !matches!(name, "printf" | "test" | "[") && text.contains('[') && substitutes(text) {
                self.doubt(UnknownCause::Arithmetic, field.word.span);
            }
        }
        match name {
            "test" | "[" => {
                let asks = rest
                    .iter()
                    .any(|field| matches!(field.word.literal(), Some("-v" | "-R")) || field.word.unknown());
                self.evaluates |= asks;
            }
            "printf" => {
                if options.starts_with('v') || rest.first().is_some_and(|first| first.word.unknown()) {
                    self.evaluates = true;
                    self.vars.forget();
                }
            }
            "wait" => {
                if options.contains('p') {
                    self.vars.forget();
                }
            }
            "export" | "readonly" | "declare" | "typeset" | "local" => {
                self.declares(name, rest, &options, span)
            }
            "mapfile" | "readarray" => {
                if options.contains('C') || rest.iter().any(|field| field.word.unknown()) {
                    self.doubt(UnknownCause::Other(format!("{name} may run its arguments")), span);
                }
                self.vars.forget();
                self.evaluates |= !plain;
            }
            "let" => {
                self.evaluates = true;
                self.vars.forget();
            }
            _ => {
                self.evaluates |= !plain;
                for field in rest {
                    match field.word.literal() {
                        Some(text) if crate::action::shell::syntax::scan::is_name(text) => {
                            self.vars.set(text, Value::Unknown)
                        }
                        Some(_) | None => {}
                    }
                }
                if !plain {
                    self.vars.forget();
                }
                self.vars.set("REPLY", Value::Unknown);
                if name == "unset"
                    && (options.contains(['f', 'n'])
                        || rest.iter().any(|field| {
                            field.word.literal().is_none_or(|text| self.functions.contains_key(text))
                        }))
                {
                    self.doubt(UnknownCause::Other("a function is taken away".to_owned()), span);
                }
            }
        }
    }

    pub fn declares(&mut self, name: &str, rest: &[Field], options: &str, span: Span) {
        let quiet = options.bytes().all(|byte| matches!(byte, b'x' | b'r' | b'g' | b'p' | b'-'));
        if !quiet {
            self.evaluates = true;
            self.vars.forget();
        }
        if options.contains('n') && matches!(name, "declare" | "typeset" | "local") {
            self.vars.lost = true;
        }
        if options.contains('f') && name == "export" {
            self.doubt(UnknownCause::Other("a function is given to other shells".to_owned()), span);
        }
        let fixed = name == "readonly" || options.contains('r');
        for field in rest {
            if let Some((target, value)) = given(field).filter(|_| quiet) {
                self.vars.set(target, value);
                if fixed {
                    self.vars.freeze(target);
                }
                continue;
            }
            let Some(text) = field.word.literal() else {
                let target = crate::action::shell::syntax::words::leading_name(field.word.prefix());
                self.evaluates = true;
                if target.is_empty() || field.splits {
                    self.vars.forget();
                } else {
                    self.vars.distrust(target);
                }
                continue;
            };
            if text.starts_with('-') {
                continue;
            }
            match text.split_once('=') {
                Some((target, _)) => {
                    self.evaluates = true;
                    self.vars.distrust(crate::action::shell::syntax::words::leading_name(target));
                }
                None if !quiet || fixed => self.vars.distrust_later(text, quiet),
                None => {}
            }
        }
    }
}

/// True for a text in which a shell would run a command if it came to expand it.
fn substitutes(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

/// `name=text` and `name=~/path`: the name, and what it is given.
fn given(field: &Field) -> Option<(&str, Value)> {
    let (Piece::Text(front), rest) = field.word.pieces.split_first()? else { return None };
    let (target, text) = front.split_once('=')?;
    let value = match rest {
        [] => Value::Text(text.to_owned()),
        place if text.is_empty() && !field.splits => Value::of(place)?,
        _ => return None,
    };
    crate::action::shell::syntax::scan::is_name(target).then_some((target, value))
}
