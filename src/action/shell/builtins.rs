//! Commands that the shell carries out itself, and what they start or change.

use super::expand::Field;
use super::scan::Stop;
use super::text::Listener;
use super::vars::Value;
use super::walk::{Around, Walker};
use crate::action::script::{Dialect, Reach, Span, Why};

/// The builtins of bash.
const BUILTINS: [&str; 61] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// The builtins of bash that dash does not have: there they are programs, or nothing.
const ONLY_BASH: [&str; 23] = [
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "declare",
    "dirs",
    "disown",
    "enable",
    "help",
    "history",
    "let",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "suspend",
    "typeset",
    "fc",
];

/// Variables that change which program a name means, or what the shell itself runs.
const POWERS: [&str; 16] = [
    "PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS4",
    "PS0",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_CMDS",
    "BASH_ALIASES",
    "POSIXLY_CORRECT",
    "BASH_LOADABLES_PATH",
    "EXECIGNORE",
    "BASH_COMPAT",
    "HISTFILE",
    "BASH_XTRACEFD",
];

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

pub(super) fn is_builtin(name: &str, dialect: Dialect) -> bool {
    BUILTINS.contains(&name) && (dialect == Dialect::Bash || !ONLY_BASH.contains(&name))
}

/// True for names whose arguments the reader follows: a function of that name would mislead it.
pub(super) fn has_meaning(name: &str) -> bool {
    BUILTINS.contains(&name)
        && !matches!(name, ":" | "echo" | "help" | "kill" | "pwd" | "times" | "type" | "true" | "false")
}

pub(super) fn changes_names(name: &str) -> bool {
    POWERS.contains(&name) || name.starts_with("BASH_FUNC_")
}

impl Walker<'_> {
    /// Follows a builtin to what it starts or changes.
    pub fn builtin(
        &mut self,
        id: usize,
        name: &str,
        fields: Vec<Field>,
        around: &Around,
        steps: u32,
    ) -> Result<(), Stop> {
        let span = fields.first().map_or_else(Span::default, |field| field.word.span);
        let rest = fields.get(1..).unwrap_or(&[]);
        match name {
            "eval" => self.eval(id, rest, around),
            "source" | "." => {
                self.doubt(Why::Other("a script that is read when it runs".to_owned()), span);
                self.vars.lost = true;
                Ok(())
            }
            "exec" => {
                let end = self.flags(rest, "cl", "a", span);
                self.child(
                    id,
                    rest.get(end..).unwrap_or(&[]).to_vec(),
                    Vec::new(),
                    wrapped("exec"),
                    around,
                    steps,
                )
            }
            "command" | "builtin" => {
                let end = self.flags(rest, "pvV", "", span);
                let asks = rest.iter().take(end).any(|field| {
                    field
                        .word
                        .literal()
                        .is_some_and(|text| text.contains(['v', 'V']) && text.starts_with('-'))
                });
                if asks && name == "command" {
                    return Ok(());
                }
                self.child(
                    id,
                    rest.get(end..).unwrap_or(&[]).to_vec(),
                    Vec::new(),
                    wrapped(name),
                    around,
                    steps,
                )
            }
            "trap" => self.trap(id, rest, around),
            "alias" => {
                if rest.iter().any(|field| field.word.literal().is_none_or(|text| text.contains('='))) {
                    self.doubt(Why::Other("an alias gives a name another meaning".to_owned()), span);
                }
                Ok(())
            }
            "shopt" | "set" | "shift" | "enable" | "hash" | "bind" | "complete" | "compgen" | "fc"
            | "history" => {
                self.settings(name, rest, span);
                Ok(())
            }
            "jobs" => match rest.first().and_then(|field| field.word.literal()) {
                Some("-x") => self.child(
                    id,
                    rest.get(1..).unwrap_or(&[]).to_vec(),
                    Vec::new(),
                    wrapped("jobs"),
                    around,
                    steps,
                ),
                _ => Ok(()),
            },
            "cd" | "pushd" | "popd" => {
                self.moved = true;
                for name in ["PWD", "OLDPWD", "DIRSTACK"] {
                    if self.vars.touched(name) {
                        self.vars.set(name, Value::Unknown);
                    }
                }
                Ok(())
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "declare" | "typeset"
            | "local" | "export" | "readonly" | "printf" | "test" | "[" | "wait" => {
                self.sets(name, rest, span);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn eval(&mut self, id: usize, rest: &[Field], around: &Around) -> Result<(), Stop> {
        let rest = match rest.first().and_then(|field| field.word.literal()) {
            Some("--") => rest.get(1..).unwrap_or(&[]),
            _ => rest,
        };
        if rest.iter().any(|field| field.splits || field.word.unknown()) {
            self.vars.lost = true;
        }
        // What stands in front of `eval` is set while it runs.
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
        let listener = Listener {
            name: "eval",
            dialect: around.dialect,
            here: true,
            foreign: None,
            quotes_items: false,
        };
        self.words_as_text(rest, listener, id, around)?;
        for (name, _) in &given {
            self.vars.set(name, Value::Unknown);
        }
        Ok(())
    }

    fn trap(&mut self, id: usize, rest: &[Field], around: &Around) -> Result<(), Stop> {
        let rest = match rest.first().and_then(|field| field.word.literal()) {
            Some("--") => rest.get(1..).unwrap_or(&[]),
            Some("-l" | "-p") => return Ok(()),
            _ => rest,
        };
        let Some((first, signals)) = rest.split_first() else {
            return Ok(());
        };
        let Some(text) = first.word.literal() else {
            self.doubt(Why::Other("a trap's text is not known".to_owned()), first.word.span);
            self.vars.lost = true;
            return Ok(());
        };
        if text == "-" || text.is_empty() || (signals.is_empty() && !first.splits) {
            return Ok(());
        }
        let last = signals.iter().all(|field| matches!(field.word.literal(), Some("EXIT" | "0" | "exit")));
        let lost = std::mem::replace(&mut self.vars.lost, true);
        let mark = self.vars.mark();
        let listener = Listener {
            name: "trap",
            dialect: around.dialect,
            here: true,
            foreign: None,
            quotes_items: false,
        };
        let inner = Around { certain: false, ..around.clone() };
        self.words_as_text(std::slice::from_ref(first), listener, id, &inner)?;
        let changed = self.vars.undo(mark);
        self.vars.lost = lost || (!last && !changed.is_empty());
        Ok(())
    }

    /// Passes over options in front of a command: the number of words.
    fn flags(&mut self, rest: &[Field], flags: &str, valued: &str, span: Span) -> usize {
        let mut index = 0;
        while let Some(field) = rest.get(index) {
            let Some(text) = field.word.literal() else {
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
                            self.doubt(Why::Other("an option's value is not known".to_owned()), span);
                        }
                        index += 1;
                    }
                    break;
                }
                if !flags.contains(letter) {
                    self.doubt(
                        Why::Other(format!("an option that is not known: -{letter}")),
                        field.word.span,
                    );
                }
            }
        }
        index
    }

    /// Settings of the shell that change how what follows is read or what it means.
    fn settings(&mut self, name: &str, rest: &[Field], span: Span) {
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
            self.doubt(Why::Other(format!("{name} changes what later commands mean")), span);
        }
    }

    fn set_options(&mut self, words: &[Option<&str>]) -> bool {
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
    fn sets(&mut self, name: &str, rest: &[Field], span: Span) {
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
            if gives && changes_names(target) {
                self.doubt(Why::Variable(target.to_owned()), field.word.span);
            }
            plain &= super::scan::is_name(target) || text.starts_with('-');
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
                    self.doubt(Why::Other(format!("{name} may run its arguments")), span);
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
                        Some(text) if super::scan::is_name(text) => self.vars.set(text, Value::Unknown),
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
                    self.doubt(Why::Other("a function is taken away".to_owned()), span);
                }
            }
        }
    }

    fn declares(&mut self, name: &str, rest: &[Field], options: &str, span: Span) {
        let quiet = options.bytes().all(|byte| matches!(byte, b'x' | b'r' | b'g' | b'p' | b'-'));
        if !quiet {
            self.evaluates = true;
            self.vars.forget();
        }
        if options.contains('n') && matches!(name, "declare" | "typeset" | "local") {
            self.vars.lost = true;
        }
        if options.contains('f') && name == "export" {
            self.doubt(Why::Other("a function is given to other shells".to_owned()), span);
        }
        let fixed = name == "readonly" || options.contains('r');
        for field in rest {
            let Some(text) = field.word.literal() else {
                let target = super::words::leading_name(field.word.prefix());
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
                Some((target, value)) if super::scan::is_name(target) && quiet => {
                    self.vars.set(target, Value::Text(value.to_owned()));
                    if fixed {
                        self.vars.freeze(target);
                    }
                }
                Some((target, _)) => {
                    self.evaluates = true;
                    self.vars.distrust(super::words::leading_name(target));
                }
                None if !quiet || fixed => self.vars.distrust_later(text, quiet),
                None => {}
            }
        }
    }
}

fn wrapped(name: &str) -> Reach {
    Reach::Wrapper(name.to_owned())
}
