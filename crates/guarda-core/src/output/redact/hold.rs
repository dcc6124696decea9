//! Decides whether a line may be passed on, or whether later lines could still reveal a secret in it.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::BUILTIN;
use super::rules::Mark;

/// The constructs that are still open.
#[derive(Debug, Default)]
pub(super) struct Hold {
    /// An open armoured block, and whether it is a private key.
    armour: Option<bool>,
    /// The indentation of a manifest's `data`, whose kind may follow.
    data: Option<usize>,
    /// A manifest of secrets, up to its end.
    secrets: bool,
    /// The lines of an open declaration: `variable "x" {`.
    declared: Option<usize>,
    /// A row of a dump, or a line that ends within random text: the next line may continue it.
    goes_on: bool,
    /// The blank lines after a line that expects its value on the next one.
    blank: Option<usize>,
    /// The latest row of a dump; its memory is used again.
    row: super::views::dump::Row,
}

/// Blank lines between a name and its value.
const BLANK: usize = 3;
/// How far before the end of a line a name of secrets counts, in bytes.
const NEAR: usize = 24;
/// Shorter than what opens a block: `data:`, `kind:`, `-----`.
const SHORT: usize = 4;
/// Lines of a declaration.
const DECLARED: usize = 12;

impl Hold {
    /// Takes the next line. Returns whether everything so far may be passed on.
    pub fn closes_after(&mut self, line: &str) -> bool {
        // Numbers alone open nothing, and a line shorter than the first word of a block opens no block.
        let open = self.is_open();
        if open || !super::forms::number::is_numbers(line) {
            if open || line.len() > SHORT {
                self.armour(line);
                self.manifest(line);
                self.declared(line);
            }
            self.pending(line);
        }
        self.goes_on = super::views::decode::may_go_on(line).is_some() || self.row.read(line);
        let closes = !self.goes_on && !self.is_open();
        if closes {
            *self = Self::default();
        }
        closes
    }

    /// Whether a construct is open, whatever the next line is.
    fn is_open(&self) -> bool {
        self.armour.is_some()
            || self.data.is_some()
            || self.secrets
            || self.declared.is_some()
            || self.blank.is_some()
    }

    pub fn in_private_key(&self) -> bool {
        self.armour == Some(true)
    }

    fn armour(&mut self, line: &str) {
        // Most lines end here.
        if memchr::memmem::find(line.as_bytes(), b"-----").is_none() {
            return;
        }
        let (begins, ends) = (line.rfind("-----BEGIN "), line.rfind("-----END "));
        match (begins, ends) {
            (Some(begins), ends) if ends.is_none_or(|ends| ends < begins) => {
                self.armour = Some(line.get(begins..).is_some_and(|label| label.contains("PRIVATE")));
            }
            (_, Some(_)) => self.armour = None,
            _ => {}
        }
    }

    fn manifest(&mut self, line: &str) {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        if body.starts_with("---") {
            self.data = None;
            self.secrets = false;
        }
        let name = body.trim_start_matches(['"', '\'', '-', ' ', '{', '\\']);
        if let Some(at) = kind(line) {
            if super::forms::manifest::names_secret(line, at) {
                self.secrets = true;
            } else if name.starts_with("kind") && self.data.is_some_and(|data| indent <= data) {
                self.data = None;
            }
        }
        let opens = ["data", "stringData"].iter().any(|word| {
            let rest = name.strip_prefix(word).map(|rest| rest.trim_start_matches(['"', '\'', '\\']));
            matches!(rest.map(str::trim), Some(":" | ": {"))
        });
        if opens && self.data.is_none() {
            self.data = Some(indent);
        } else if body.is_empty() || self.data.is_some_and(|data| indent < data) {
            self.data = None;
        }
    }

    fn declared(&mut self, line: &str) {
        self.declared = if line.trim() == "}" {
            None
        } else if line.trim_start().starts_with("variable \"") && line.trim_end().ends_with('{') {
            Some(0)
        } else {
            self.declared.map(|lines| lines + 1).filter(|lines| *lines < DECLARED)
        };
    }

    /// `password:` with its value on the next line; a line that continues after a backslash.
    fn pending(&mut self, line: &str) {
        let body = line.trim_end();
        if body.is_empty() {
            self.blank = self.blank.map(|blank| blank + 1).filter(|blank| *blank <= BLANK);
            return;
        }
        let waits = body.ends_with('\\') || (ends_open(body) && names_a_secret(body));
        self.blank = waits.then_some(0);
    }
}

/// Where `kind` stands, or else `Kind`.
fn kind(line: &str) -> Option<usize> {
    // Searched once for both, since this is asked of every line.
    static TAIL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"ind"));
    let mut found = None;
    for at in TAIL.find_iter(line.as_bytes()) {
        let Some(start) = at.checked_sub(1) else { continue };
        match line.as_bytes().get(start) {
            Some(b'k') => return Some(start),
            Some(b'K') => found = found.or(Some(start)),
            _ => {}
        }
    }
    found
}

/// Whether it ends with a separator, or is only a name.
fn ends_open(body: &str) -> bool {
    let last = body.bytes().next_back().unwrap_or(b' ');
    matches!(last, b':' | b'=' | b'|' | b'>' | b'(' | b'[' | b'{' | b'"' | b'\'' | b'-' | b'+' | b',')
        || last.is_ascii_alphabetic()
}

/// Whether a name of secrets is near the end.
fn names_a_secret(body: &str) -> bool {
    BUILTIN.as_ref().is_ok_and(|rules| {
        if body.len() < rules.finder.min_pattern_len() {
            return false;
        }
        let near = body.len().saturating_sub(NEAR + rules.finder.max_pattern_len());
        let tail = body.get(body.ceil_char_boundary(near)..).unwrap_or_default();
        rules.finder.find_overlapping_iter(tail).any(|hit| {
            let ends = tail.len() - hit.end() <= NEAR;
            match rules.marks.get(hit.pattern().as_usize()) {
                Some(Mark::Rule(_)) => hit.end() - hit.start() >= 4 && ends,
                Some(Mark::Noun(_)) => ends,
                Some(Mark::Armour | Mark::Manifest) | None => false,
            }
        })
    })
}
