//! `git`, where it runs commands from the line.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::words::field::Field;
use crate::meaning::wrappers::Call;
use crate::meaning::wrappers::options::{self, NONE, Options};
use crate::script::{UnknownCause, Word};
use crate::syntax::scan::Stop;

const GIT: Options = Options {
    flags: "pPhv",
    valued: "Cc",
    long: &[
        "paginate",
        "no-pager",
        "bare",
        "no-replace-objects",
        "literal-pathspecs",
        "glob-pathspecs",
        "noglob-pathspecs",
        "icase-pathspecs",
        "no-optional-locks",
        "html-path",
        "man-path",
        "info-path",
        "version",
        "help",
        "exec-path",
    ],
    long_valued: &["git-dir", "work-tree", "namespace", "super-prefix", "config-env"],
    ..NONE
};

impl Evaluator<'_> {
    /// Follows `git` to commands from the line: aliases, `bisect run`, `rebase --exec`, `submodule foreach`, filters.
    pub(crate) fn git(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &GIT);
        self.work.spend(scan.next)?;
        for (name, value) in &scan.found {
            let (true, Some(value)) = (name == "-c", value) else {
                continue;
            };
            match value.word.literal().map(|text| text.split_once('=').unwrap_or((text, ""))) {
                Some((key, text)) if key.to_ascii_lowercase().starts_with("alias.") => match text
                    .strip_prefix('!')
                {
                    Some(text) => {
                        let field = Field::from(Word::text(text, value.word.span));
                        self.shell_text(call, std::slice::from_ref(&field), "sh")?;
                    }
                    None => self
                        .doubt(UnknownCause::Other("an alias of git is given".to_owned()), value.word.span),
                },
                Some(_) => {}
                None => self.note_positional(value),
            }
        }
        let rest = call.rest(scan.next + 1);
        match call.text(scan.next) {
            Some("bisect") if rest.first().and_then(Field::literal) == Some("run") => {
                self.inner(call, scan.next + 2, Vec::new())
            }
            Some("submodule") => {
                let Some(at) = rest.iter().position(|field| field.literal() == Some("foreach")) else {
                    return Ok(());
                };
                let skip = rest
                    .get(at + 1..)
                    .unwrap_or(&[])
                    .iter()
                    .take_while(|field| field.word.prefix().starts_with('-'))
                    .count();
                self.shell_text(call, rest.get(at + 1 + skip..).unwrap_or(&[]), "sh")
            }
            Some(
                "rebase" | "filter-branch" | "difftool" | "mergetool" | "grep" | "fetch" | "pull" | "push"
                | "clone" | "ls-remote" | "fetch-pack" | "send-pack",
            ) => self.git_texts(call, scan.next + 1),
            _ => Ok(()),
        }
    }

    /// Options of git's commands whose value a shell runs.
    pub fn git_texts(&mut self, call: &Call<'_>, start: usize) -> Result<(), Stop> {
        let command = call.text(start - 1).unwrap_or("");
        let mut index = start;
        while let Some(field) = call.fields.get(index) {
            index += 1;
            let Some(text) = field.literal() else {
                continue;
            };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            let runs = match command {
                "rebase" => matches!(name, "-x" | "--exec"),
                "filter-branch" => name.ends_with("-filter") || name == "--setup",
                "difftool" => matches!(name, "-x" | "--extcmd"),
                "fetch" | "pull" | "clone" | "ls-remote" | "fetch-pack" => {
                    matches!(name, "-u" | "--upload-pack" | "--exec")
                }
                "push" | "send-pack" => matches!(name, "--receive-pack" | "--exec"),
                "grep" => name == "-O" || name == "--open-files-in-pager",
                _ => false,
            };
            let attached = command == "rebase" && text.starts_with("-x") && text.len() > 2;
            if !runs && !attached {
                continue;
            }
            let value = match value {
                _ if attached => text.get(2..).map(str::to_owned),
                Some(value) => Some(value),
                None => {
                    let value = call.fields.get(index).cloned();
                    index += 1;
                    if let Some(value) = value {
                        self.shell_text(call, std::slice::from_ref(&value), "sh")?;
                    }
                    continue;
                }
            };
            let field = Field::from(Word::text(value.unwrap_or_default(), field.word.span));
            self.shell_text(call, std::slice::from_ref(&field), "sh")?;
        }
        Ok(())
    }
}
