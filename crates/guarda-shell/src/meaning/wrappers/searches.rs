//! Programs that run a command for each thing they find: `find`, `fd`, `xargs`, `parallel`.

use super::Call;
use super::options::{self, NONE, Options};
use crate::meaning::evaluator::Evaluator;
use crate::meaning::words::field::Field;
use crate::script::{Piece, UnknownCause, Word};
use crate::syntax::scan::Stop;

const XARGS: Options = Options {
    flags: "0oprtx",
    valued: "adEILnPsRSJ",
    attached: "eil",
    long: &[
        "null",
        "open-tty",
        "interactive",
        "no-run-if-empty",
        "verbose",
        "exit",
        "show-limits",
        "eof",
        "replace",
        "max-lines",
        "help",
        "version",
    ],
    long_valued: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
    ..NONE
};

const FD: Options = Options {
    flags: "HIusiFalLp01qgh",
    valued: "dteESjcoxXC",
    attached: "",
    long: &[
        "hidden",
        "no-ignore",
        "no-ignore-vcs",
        "no-ignore-parent",
        "unrestricted",
        "case-sensitive",
        "ignore-case",
        "glob",
        "regex",
        "fixed-strings",
        "absolute-path",
        "list-details",
        "follow",
        "full-path",
        "print0",
        "prune",
        "quiet",
        "show-errors",
        "one-file-system",
        "strip-cwd-prefix",
        "no-require-git",
        "relative-path",
    ],
    long_valued: &[
        "max-depth",
        "min-depth",
        "exact-depth",
        "exclude",
        "type",
        "extension",
        "size",
        "changed-within",
        "changed-before",
        "newer",
        "older",
        "owner",
        "format",
        "batch-size",
        "ignore-file",
        "color",
        "threads",
        "max-results",
        "base-directory",
        "search-path",
        "path-separator",
        "and",
        "hyperlink",
    ],
    ..NONE
};

/// The placeholder for found items.
pub(crate) fn items(field: &Field) -> Field {
    Field {
        word: Word { pieces: vec![Piece::Unknown(UnknownCause::Items)], span: field.word.span },
        splits: true,
        ..Field::default()
    }
}

/// A word with its placeholders replaced by found items; true if there was one.
pub(crate) fn replaced(field: &Field, marks: &[&str]) -> (Field, bool) {
    let mut pieces = Vec::new();
    let mut found = false;
    for piece in &field.word.pieces {
        let Piece::Text(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        let mut rest = text.as_str();
        while let Some((at, mark)) = marks
            .iter()
            .filter(|mark| !mark.is_empty())
            .filter_map(|mark| rest.find(mark).map(|at| (at, *mark)))
            .min_by_key(|(at, mark)| (*at, std::cmp::Reverse(mark.len())))
        {
            found = true;
            let (before, behind) = rest.split_at(at);
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::Unknown(UnknownCause::Items));
            rest = behind.get(mark.len()..).unwrap_or("");
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
    }
    (Field { word: Word { pieces, span: field.word.span }, splits: field.splits, ..Field::default() }, found)
}

impl Evaluator<'_> {
    /// `find … -exec command … ;`
    pub(crate) fn find(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let mut index = 1;
        while let Some(field) = call.fields.get(index) {
            index += 1;
            if field.literal().is_none() && (field.splits || field.word.glob()) {
                self.work.spend(1)?;
                if call
                    .rest(index)
                    .iter()
                    .all(|field| !matches!(field.literal(), Some(text) if text.starts_with("-exec")))
                {
                    continue;
                }
            }
            if !matches!(field.literal(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
                continue;
            }
            let rest = call.rest(index);
            let end = rest.iter().enumerate().position(|(at, field)| match field.literal() {
                Some(";") => true,
                Some("+") => at > 0 && rest.get(at - 1).and_then(Field::literal) == Some("{}"),
                _ => false,
            });
            let inner = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
            let words: Vec<Field> = inner.iter().map(|field| replaced(field, &["{}"]).0).collect();
            self.work.spend(inner.len())?;
            self.inner_words(call, words)?;
            index += end.map_or(rest.len(), |end| end + 1);
        }
        // An unknown word may be `-exec` or `-delete`.
        if let Some(field) = call
            .fields
            .iter()
            .skip(1)
            .find(|field| field.word.prefix().is_empty() && field.word.unknown() && field.splits)
        {
            let why = field.word.pieces.iter().find_map(|piece| match piece {
                Piece::Unknown(why) => Some(why.clone()),
                Piece::Text(_) | Piece::Glob(_) | Piece::Home | Piece::Cwd => None,
            });
            self.doubt(why.unwrap_or(UnknownCause::Items), field.word.span);
        }
        Ok(())
    }

    /// `fd … -x command …`
    pub(crate) fn fd(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let marks = ["{}", "{/}", "{//}", "{.}", "{/.}"];
        let start = call.fields.iter().position(|field| {
            matches!(field.literal(), Some("-x" | "-X" | "--exec" | "--exec-batch"))
                || field.literal().is_some_and(|text| {
                    text.starts_with("--exec=") || text.starts_with("--exec-batch=") || joined_exec(text)
                })
        });
        let Some(start) = start else { return Ok(()) };
        let mut words: Vec<Field> = Vec::new();
        if let Some(field) = call.fields.get(start)
            && let Some(text) = field.literal()
            && !matches!(text, "-x" | "-X" | "--exec" | "--exec-batch")
        {
            let rest = text.split_once('=').map_or_else(|| text.get(2..).unwrap_or(""), |(_, rest)| rest);
            words.push(Field::from(Word::text(rest, field.word.span)));
        }
        let mut any = false;
        for field in call.rest(start + 1) {
            if field.literal() == Some(";") {
                break;
            }
            let (field, found) = replaced(field, &marks);
            any |= found;
            words.push(field);
        }
        if !any && let Some(last) = words.last() {
            let last = items(last);
            words.push(last);
        }
        self.work.spend(words.len())?;
        let scan = options::scan(call.fields.get(..start).unwrap_or(&[]), 1, &FD);
        self.work.spend(scan.next)?;
        self.inner_words(call, words)
    }

    /// `xargs [options] command …`
    pub(crate) fn xargs(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &XARGS);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        if let Some(file) = scan.value(&["-a", "--arg-file"]) {
            self.note_positional(file);
        }
        let mark = match scan.value(&["-I", "-i", "--replace", "-J", "-R"]) {
            Some(field) => Some(field.literal().filter(|text| !text.is_empty()).unwrap_or("{}").to_owned()),
            None if scan.has(&["-i", "--replace"]) => Some("{}".to_owned()),
            None => None,
        };
        let rest = call.rest(scan.next);
        let Some(last) = rest.last() else {
            let field = call.fields.first().cloned().unwrap_or_default();
            let echo = Field::from(Word::text("echo", field.word.span));
            return self.inner_words(call, vec![echo, items(&field)]);
        };
        let words: Vec<Field> = match &mark {
            Some(mark) => rest.iter().map(|field| replaced(field, &[mark.as_str()]).0).collect(),
            None => rest.iter().cloned().chain([items(last)]).collect(),
        };
        self.work.spend(words.len())?;
        self.inner_words(call, words)
    }
}

/// `-xrm`, `-Xrm`: the command is attached to its option.
fn joined_exec(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('-') && matches!(letters.next(), Some('x' | 'X')) && letters.next().is_some()
}
