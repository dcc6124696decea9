//! Shells, and the text that they run.

use super::Call;
use super::options::{self, NONE, Options};
use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::text::{ELSEWHERE, Listener};
use crate::meaning::words::field::Field;
use crate::script::{Dialect, Input, Span};
use crate::syntax::scan::{Map, Stop};

/// Options of bash and its relatives.
const OPTIONS: Options = Options {
    flags: "abefhiklmnprstuvxBCDEHPTc",
    valued: "oO",
    long: &[
        "norc",
        "noprofile",
        "login",
        "restricted",
        "verbose",
        "version",
        "help",
        "noediting",
        "debugger",
        "dump-strings",
        "dump-po-strings",
        "interactive",
        "no-rcs",
        "private",
        "no-config",
        "no-execute",
        "pretty-print",
        "NoProfile",
        "NonInteractive",
        "NoLogo",
        "stdin",
    ],
    long_valued: &["rcfile", "init-file"],
    ..NONE
};

/// The shell that reads a text, by its name.
pub(crate) fn listener(name: &str) -> Listener<'_> {
    let (dialect, foreign) = match name.trim_start_matches('-') {
        "bash" | "rbash" => (Dialect::Bash, None),
        "sh" | "dash" | "ash" | "hush" | "posh" => (Dialect::Sh, None),
        other => (Dialect::Bash, Some(other)),
    };
    Listener { name, dialect, here: false, foreign, quotes_items: false }
}

impl Evaluator<'_> {
    /// A shell as a program.
    pub(crate) fn shell(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        self.shell_at(call, 1, call.name)
    }

    /// A shell whose options begin at a word.
    pub(crate) fn shell_at(&mut self, call: &Call<'_>, start: usize, name: &str) -> Result<(), Stop> {
        // `+x` and `+o option` are options, too; they are rare enough for a question.
        let scan = options::scan(call.fields, start, &OPTIONS);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        let span = call.fields.first().map_or_else(Span::default, |field| field.word.span);
        for (option, value) in &scan.found {
            let value = value.as_ref().and_then(Field::literal);
            let doubtful = match option.as_str() {
                "-o" => !matches!(
                    value,
                    Some(
                        "errexit"
                            | "nounset"
                            | "pipefail"
                            | "xtrace"
                            | "verbose"
                            | "noglob"
                            | "noclobber"
                            | "errtrace"
                    )
                ),
                "-O" => value != Some("nullglob") && value != Some("globstar") && value != Some("dotglob"),
                "--rcfile" | "--init-file" | "-k" | "-H" => true,
                "-i" => true,
                _ => false,
            };
            if doubtful {
                self.unclear(format!("{name} is started with {option}, which may change what runs"), span);
            }
        }
        if scan.has(&["--version", "--help"]) {
            return Ok(());
        }
        if call.text(scan.next).is_some_and(|text| text.starts_with('+')) {
            self.unclear(format!("an option of {name} that is not known"), span);
        }
        let next = if call.text(scan.next) == Some("-") { scan.next + 1 } else { scan.next };
        if scan.has(&["-c"]) {
            return self.command_text(call, next, name, span);
        }
        let file = call.fields.get(next);
        if let Some(field) = file.filter(|_| !scan.has(&["-s"])) {
            let text = field.literal();
            if !matches!(text, Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) {
                self.unclear("a script that is read when it runs", field.word.span);
                return Ok(());
            }
        }
        let after = if scan.has(&["-s"]) { next } else { next + 1 };
        self.shell_input(call, name, span, call.rest(after).to_vec())
    }

    /// `-c text name arguments`.
    fn command_text(&mut self, call: &Call<'_>, next: usize, name: &str, span: Span) -> Result<(), Stop> {
        let Some(text) = call.fields.get(next) else {
            self.unclear(format!("{name} is given no text to run"), span);
            return Ok(());
        };
        let arguments = call.rest(next + 2).to_vec();
        self.work.spend(arguments.len())?;
        let scope = self.inside(call, Some(arguments));
        self.words_as_text(std::slice::from_ref(text), listener(name), call.id, &scope)
    }

    /// A shell that reads commands from its standard input.
    fn shell_input(
        &mut self,
        call: &Call<'_>,
        name: &str,
        span: Span,
        arguments: Vec<Field>,
    ) -> Result<(), Stop> {
        let place = self.input_span(call.id);
        // A shell inside a text that another one reads gets what that one has left of it.
        let left = place.is_some_and(|place| self.inputs.contains(&place));
        let text = if left { None } else { self.input_text(call.id) };
        let Some(text) = text else {
            self.unclear(format!("{name} runs what it reads"), span);
            return Ok(());
        };
        let scope = self.inside(call, Some(arguments));
        let place = place.unwrap_or(span);
        self.inputs.push(place);
        self.text(&text, Map::Within(place), place, listener(name), call.id, &scope)?;
        let _ = self.inputs.pop();
        Ok(())
    }

    /// The scope of commands that a program starts.
    pub(crate) fn inside(&self, call: &Call<'_>, arguments: Option<Vec<Field>>) -> Scope {
        let (redirects, input) = match self.runs.get(call.id) {
            Some(run) => (run.redirects.clone(), run.input.clone()),
            None => (Vec::new(), Input::Inherited),
        };
        Scope {
            redirects,
            input,
            arguments: arguments.map(std::rc::Rc::new),
            depth: call.scope.depth + call.steps,
            ..call.scope.clone()
        }
    }

    /// Words that are joined and read by a shell of this machine.
    pub(crate) fn shell_text(&mut self, call: &Call<'_>, fields: &[Field], shell: &str) -> Result<(), Stop> {
        let scope = self.inside(call, Some(Vec::new()));
        let listener = Listener { name: call.name, quotes_items: call.name == "parallel", ..listener(shell) };
        self.words_as_text(fields, listener, call.id, &scope)
    }

    /// Words that are joined and read by an unknown shell.
    pub(crate) fn remote_text(&mut self, call: &Call<'_>, fields: &[Field]) -> Result<(), Stop> {
        let scope = self.inside(call, None);
        let listener = Listener { name: call.name, foreign: Some(ELSEWHERE), ..listener("bash") };
        self.words_as_text(fields, listener, call.id, &scope)
    }

    /// The position of the text that a run reads.
    fn input_span(&self, id: usize) -> Option<Span> {
        let run = self.runs.get(id)?;
        match &run.input {
            Input::Redirected => {
                run.redirects.iter().rfind(|redirect| redirect.fd == 0).map(|redirect| redirect.target.span)
            }
            Input::Pipe(from) => from.first().and_then(|id| self.runs.get(*id)).map(|run| run.span),
            Input::Inherited => None,
        }
    }
}
