//! Options before an inner command.

use crate::meaning::words::field::Field;
use crate::script::{Piece, Word};

/// The options of a program.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Letters without a value.
    pub flags: &'static str,
    /// Letters with a value: attached, or the next word.
    pub valued: &'static str,
    /// Letters that may have a value attached, never the next word.
    pub attached: &'static str,
    /// Long options without a value (or only with one after `=`), without dashes.
    pub long: &'static [&'static str],
    /// Long options whose value is the next word, unless it follows `=`.
    pub long_valued: &'static [&'static str],
    /// Long options may have one dash (`-name value`).
    pub single: bool,
    /// Unlisted long options have no value in the next word.
    pub lenient: bool,
}

pub(crate) const NONE: Options = Options {
    flags: "",
    valued: "",
    attached: "",
    long: &[],
    long_valued: &[],
    single: false,
    lenient: false,
};

/// The result.
#[derive(Default)]
pub(crate) struct Scan {
    /// The first word that is not an option.
    pub next: usize,
    /// A word that is an unlisted option, or is itself unknown.
    pub strange: Option<usize>,
    /// Options in order, with dashes, and their values.
    pub found: Vec<(String, Option<Field>)>,
    /// Whether an option was found after which the inner command follows.
    pub stopped: bool,
}

impl Scan {
    /// The value of an option.
    pub fn value(&self, names: &[&str]) -> Option<&Field> {
        self.found
            .iter()
            .find(|(name, _)| names.contains(&name.as_str()))
            .and_then(|(_, value)| value.as_ref())
    }

    pub fn has(&self, names: &[&str]) -> bool {
        self.found.iter().any(|(name, _)| names.contains(&name.as_str()))
    }
}

pub(crate) fn scan(fields: &[Field], start: usize, options: &Options) -> Scan {
    scan_until(fields, start, options, &[])
}

/// Skips options; stops after one of `rest`.
pub(crate) fn scan_until(fields: &[Field], start: usize, options: &Options, rest: &[&str]) -> Scan {
    let mut scan = Scan { next: start, ..Scan::default() };
    while let Some(field) = fields.get(scan.next) {
        let prefix = field.word.prefix();
        if !prefix.starts_with('-') || prefix == "-" && field.word.pieces.len() == 1 {
            break;
        }
        if field.literal() == Some("--") {
            scan.next += 1;
            break;
        }
        if field.splits {
            scan.strange.get_or_insert(scan.next);
        }
        let index = scan.next;
        scan.next += 1;
        let long = prefix.strip_prefix("--");
        let single = prefix.strip_prefix('-').filter(|_| options.single && long.is_none());
        let known_single = single.is_some_and(|name| {
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            options.long.contains(&name) || options.long_valued.contains(&name)
        });
        match long.or(single.filter(|_| known_single || options.lenient)) {
            Some(name) => scan.long(fields, index, name, options),
            None => scan.short(fields, index, prefix.get(1..).unwrap_or(""), options),
        }
        if scan.found.last().is_some_and(|(name, _)| rest.contains(&name.as_str())) {
            scan.stopped = true;
            break;
        }
    }
    scan
}

impl Scan {
    fn long(&mut self, fields: &[Field], index: usize, text: &str, options: &Options) {
        let Some(field) = fields.get(index) else { return };
        let dashes = if field.word.prefix().starts_with("--") { "--" } else { "-" };
        if let Some((name, _)) = text.split_once('=') {
            let value = behind(field, dashes.len() + name.len() + 1);
            if !(options.long.contains(&name) || options.long_valued.contains(&name) || options.lenient) {
                // An attached value: no other word belongs to it.
                let abbreviated =
                    options.long_valued.iter().chain(options.long).any(|long| long.starts_with(name));
                if !abbreviated {
                    self.strange.get_or_insert(index);
                }
            }
            self.found.push((format!("{dashes}{name}"), Some(value)));
            return;
        }
        let whole = field.literal().is_some();
        if options.long_valued.contains(&text) && whole {
            let value = fields.get(self.next).cloned();
            self.check_value(value.as_ref(), index);
            self.next += 1;
            self.found.push((format!("{dashes}{text}"), value));
            return;
        }
        if !(options.long.contains(&text) || options.lenient) || !whole {
            self.strange.get_or_insert(index);
        }
        self.found.push((format!("{dashes}{text}"), None));
    }

    fn short(&mut self, fields: &[Field], index: usize, letters: &str, options: &Options) {
        let Some(field) = fields.get(index) else { return };
        let whole = field.literal().is_some();
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            if options.valued.contains(letter) {
                let end = at + letter.len_utf8();
                if end < letters.len() || !whole {
                    self.found.push((name, Some(behind(field, end + 1))));
                } else {
                    let value = fields.get(self.next).cloned();
                    self.check_value(value.as_ref(), index);
                    self.next += 1;
                    self.found.push((name, value));
                }
                return;
            }
            if options.attached.contains(letter) {
                self.found.push((name, Some(behind(field, at + letter.len_utf8() + 1))));
                return;
            }
            let digit = letter.is_ascii_digit() && options.flags.contains('0');
            if !(options.flags.contains(letter) || digit) {
                self.strange.get_or_insert(index);
            }
            self.found.push((name, None));
        }
        if !whole {
            self.strange.get_or_insert(index);
        }
    }

    fn check_value(&mut self, value: Option<&Field>, index: usize) {
        if value.is_none_or(|value| value.splits) {
            self.strange.get_or_insert(index);
        }
    }
}

/// The rest of a word after its first bytes.
fn behind(field: &Field, bytes: usize) -> Field {
    let mut pieces = field.word.pieces.clone();
    if let Some(Piece::Text(text)) = pieces.first_mut() {
        let rest = text.get(bytes..).unwrap_or("").to_owned();
        if rest.is_empty() {
            let _ = pieces.remove(0);
        } else {
            *text = rest;
        }
    }
    Field { word: Word { pieces, span: field.word.span }, splits: field.splits, ..Field::default() }
}
