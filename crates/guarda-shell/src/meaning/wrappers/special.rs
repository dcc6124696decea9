//! Wrappers that a row of the table cannot describe.

use super::options::{self, NONE, Options};
use super::{Call, as_assign};
use crate::meaning::evaluator::Evaluator;
use crate::meaning::words::field::Field;
use crate::script::{Reach, Span, Word};
use crate::syntax::scan::{Map, Stop};

const ENV: Options = Options {
    flags: "i0v",
    valued: "uCSa",
    long: &[
        "ignore-environment",
        "null",
        "debug",
        "list-signal-handling",
        "block-signal",
        "default-signal",
        "ignore-signal",
        "help",
        "version",
    ],
    long_valued: &["unset", "chdir", "split-string", "argv0"],
    ..NONE
};

const SSH: Options = Options { flags: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDEeFIiJLlmOopPQRSWw", ..NONE };

const WATCH: Options = Options {
    flags: "bcCdegprtwxhv",
    valued: "nqs",
    attached: "",
    long: &[
        "beep",
        "color",
        "no-color",
        "differences",
        "errexit",
        "chgexit",
        "precise",
        "no-rerun",
        "no-title",
        "no-wrap",
        "exec",
    ],
    long_valued: &["interval", "equexit", "shotsdir"],
    ..NONE
};

const TIME: Options = Options {
    flags: "apqvhlV",
    valued: "fo",
    long: &["append", "portability", "quiet", "verbose"],
    long_valued: &["format", "output"],
    ..NONE
};

impl Evaluator<'_> {
    /// `env [options] [NAME=value …] command …`
    pub(crate) fn env(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &ENV);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        let mut index = scan.next;
        if call.text(index) == Some("-") {
            index += 1;
        }
        let mut words = Vec::new();
        if let Some(text) = scan.value(&["-S", "--split-string"]) {
            match text.word.literal().filter(|text| simple_split(text)) {
                Some(line) => {
                    let span = text.word.span;
                    words.extend(line.split_ascii_whitespace().map(|word| {
                        let word = word.trim_matches(['\'', '"']);
                        Field::from(Word::text(word, span))
                    }));
                }
                None => self.unclear("env splits a text that is not plain", text.word.span),
            }
        }
        words.extend(call.rest(index).iter().cloned());
        self.work.spend(words.len())?;
        // The split text may again begin with options of `env`.
        if scan.has(&["-S", "--split-string"])
            && words.first().is_some_and(|field| field.word.prefix().starts_with('-'))
        {
            let first = words.first().map(|field| field.word.span).unwrap_or_default();
            self.unclear("env splits a text that is not plain", first);
        }
        let mut assigns = Vec::new();
        let mut start = 0;
        while let Some(assign) = words.get(start).and_then(as_assign) {
            self.note_assign(&assign);
            assigns.push(assign);
            start += 1;
        }
        let words = words.split_off(start);
        let reach = Reach::Wrapper(call.name.to_owned());
        self.child(call.id, words, assigns, reach, call.scope, call.steps)
    }

    /// `ssh [options] host [words …]`: the words are joined and read by the shell at the other end.
    pub(crate) fn ssh(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let mut index = 1;
        let mut host = false;
        loop {
            let scan = options::scan(call.fields, index, &SSH);
            self.work.spend(scan.next)?;
            self.note_options(call, &scan);
            for (name, value) in &scan.found {
                let (true, Some(value)) = (name == "-o", value) else {
                    continue;
                };
                let Some(text) = value.word.literal() else {
                    self.note_positional(value);
                    continue;
                };
                let (key, command) = text.split_once(['=', ' ']).unwrap_or((text, ""));
                let runs = ["proxycommand", "localcommand", "knownhostscommand"];
                if runs.contains(&key.trim().to_ascii_lowercase().as_str()) {
                    let field = Field::from(Word::text(command.trim(), value.word.span));
                    self.shell_text(call, std::slice::from_ref(&field), "sh")?;
                }
            }
            index = scan.next;
            let Some(field) = call.fields.get(index) else {
                return Ok(());
            };
            if host {
                break;
            }
            // Options may follow the host.
            self.note_positional(field);
            host = true;
            index += 1;
            if !call.fields.get(index).is_some_and(|field| field.word.prefix().starts_with('-')) {
                break;
            }
        }
        self.remote_text(call, call.rest(index))
    }

    /// `watch [options] words …`: joined and read by `sh`, or a command with `-x`.
    pub(crate) fn watch(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &WATCH);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        if scan.has(&["-x", "--exec"]) {
            return self.inner(call, scan.next, Vec::new());
        }
        self.shell_text(call, call.rest(scan.next), "sh")
    }

    /// The program `time`.
    pub(crate) fn time(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &TIME);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        self.inner(call, scan.next, Vec::new())
    }

    /// Follows `tar` to what it runs: checkpoints, `--to-command`, compressors, scripts.
    pub(crate) fn tar(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let longs = [
            "--use-compress-program",
            "--to-command",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ];
        let mut index = 1;
        while let Some(field) = call.fields.get(index) {
            index += 1;
            let Some(text) = field.literal() else {
                continue;
            };
            let span = field.word.span;
            let mut found = None;
            if let Some(action) = text.strip_prefix("--checkpoint-action=") {
                found = action.strip_prefix("exec=").map(str::to_owned);
            } else if text == "--checkpoint-action" {
                let action = call.text(index).and_then(|action| action.strip_prefix("exec="));
                found = action.map(str::to_owned);
            } else if let Some((name, value)) = text.split_once('=')
                && name.len() > 5
                && longs.iter().any(|long| long.starts_with(name))
            {
                found = Some(value.to_owned());
            } else if longs.contains(&text) || matches!(text, "-I" | "-F") {
                found = call.text(index).map(str::to_owned);
                if found.is_none() {
                    self.unclear("tar runs what is not known", span);
                }
            } else if let Some(value) = text.strip_prefix("-I").filter(|value| !value.is_empty()) {
                found = Some(value.to_owned());
            }
            if let Some(text) = found {
                let field = Field::from(Word::text(text, span));
                self.shell_text(call, std::slice::from_ref(&field), "sh")?;
            }
        }
        Ok(())
    }

    /// `busybox applet …`
    pub(crate) fn applet(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        match call.text(1) {
            Some(text) if text.starts_with('-') => Ok(()),
            _ => self.inner(call, 1, Vec::new()),
        }
    }

    /// `at`, `batch` and `crontab`: text that runs later.
    pub(crate) fn scheduled(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let span = call.fields.first().map_or_else(Span::default, |field| field.word.span);
        let only_lists = call
            .fields
            .iter()
            .skip(1)
            .any(|field| matches!(field.literal(), Some("-l" | "-r" | "-d" | "-c" | "-q")));
        if only_lists && call.name != "batch" {
            return Ok(());
        }
        if call.name == "crontab" {
            self.unclear("commands that run later", span);
            return Ok(());
        }
        match self.input_text(call.id) {
            Some(text) => {
                let scope = self.inside(call, Some(Vec::new()));
                let listener =
                    crate::meaning::text::Listener { name: call.name, ..super::shells::listener("sh") };
                self.text(&text, Map::Within(span), span, listener, call.id, &scope)
            }
            None => {
                self.unclear("commands that run later", span);
                Ok(())
            }
        }
    }
}

/// True if `env -S` only splits the text at blanks.
fn simple_split(text: &str) -> bool {
    let quoted = text.contains(['\'', '"']);
    let plain = !text.contains(['\\', '$', '#']);
    // Quotes are followed only if they contain one word.
    plain
        && (!quoted
            || text.split_ascii_whitespace().all(|word| {
                let inner = word.trim_matches(['\'', '"']);
                !inner.contains(['\'', '"'])
                    && (word.len() == inner.len()
                        || (word.len() == inner.len() + 2
                            && word.bytes().next() == word.bytes().last()
                            && matches!(word.bytes().next(), Some(b'\'' | b'"'))))
            }))
}
