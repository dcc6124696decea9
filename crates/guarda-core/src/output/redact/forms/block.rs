//! Finds armoured blocks: private keys in all forms of PEM and PGP, whole or cut, plain or inside quotes, patches and logs.

use super::literal::Stretch;

/// The blocks found.
#[derive(Debug, Default)]
pub(crate) struct Armour {
    /// Private keys.
    pub private: Vec<Stretch>,
    /// Certificates, public keys, signatures and messages. Random text in them is not secret.
    pub public: Vec<Stretch>,
}

/// Finds the blocks. `marks` are the places of `-----BEGIN ` and `-----END `, in order.
pub(crate) fn find(text: &str, marks: &[usize]) -> Armour {
    let mut armour = Armour::default();
    let mut open: Option<(usize, bool)> = None;
    let mut done = 0;
    for &at in marks {
        let Some(label) = Label::at(text, at) else {
            continue;
        };
        if label.begins {
            if let Some((start, private)) = open.take() {
                // The previous block was cut.
                done = armour.close(start, body_end(text, start, at), private);
            }
            open = Some((at, label.private));
            continue;
        }
        match open.take() {
            Some((start, private)) if private == label.private => {
                let head = Label::at(text, start).map_or(start, |head| head.end);
                let empty = text.get(head..at).is_some_and(|body| body.trim().len() < 8);
                if !empty {
                    armour.close(start, label.end, private);
                }
                done = label.end;
            }
            Some((start, private)) => {
                armour.close(start, body_end(text, start, at), private);
                done = armour.close(body_start(text, done, at), label.end, label.private);
            }
            // Only the end of the block is left.
            None => done = armour.close(body_start(text, done, at), label.end, label.private),
        }
    }
    if let Some((start, private)) = open {
        armour.close(start, body_end(text, start, text.len()), private);
    }
    armour
}

impl Armour {
    fn close(&mut self, start: usize, end: usize, private: bool) -> usize {
        if private { &mut self.private } else { &mut self.public }.push((start, end));
        end
    }
}

struct Label {
    begins: bool,
    private: bool,
    end: usize,
}

impl Label {
    fn at(text: &str, at: usize) -> Option<Self> {
        let rest = text.get(at..)?;
        let (begins, rest) = match rest.strip_prefix("-----BEGIN ") {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix("-----END ")?),
        };
        let plain = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
        let len = rest.bytes().take(64).take_while(plain).count();
        let name = rest.get(..len)?;
        let dashes = rest.bytes().skip(len).take(5).take_while(|byte| *byte == b'-').count();
        let end = text.len() - rest.len() + len + dashes;
        // A truncated label counts as any label that it may have been.
        let cut = dashes == 0 && end == text.len();
        Some(Self { begins, private: name.contains("PRIVATE") || cut, end })
    }
}

/// The end of an unclosed block: as long as lines look like its lines.
fn body_end(text: &str, start: usize, limit: usize) -> usize {
    let head = Label::at(text, start).map_or(start, |label| label.end);
    let mut end = head;
    let mut at = head;
    for line in text.get(head..limit).unwrap_or_default().split_inclusive('\n') {
        at += line.len();
        let first = at - line.len() == head;
        if !(is_body(line) || first || (is_header(line) && end < head + 400)) {
            break;
        }
        if !line.trim().is_empty() {
            end = at - (line.len() - line.trim_end().len());
        }
    }
    end.min(limit)
}

/// The beginning of a block whose first line is missing.
fn body_start(text: &str, least: usize, end: usize) -> usize {
    let before = text.get(least..end).unwrap_or_default();
    let mut start = end;
    for line in before.rsplit_inclusive_lines() {
        if !is_body(line) || (line.trim().is_empty() && start != end) {
            break;
        }
        start -= line.len();
    }
    start
}

trait Lines {
    fn rsplit_inclusive_lines(&self) -> impl Iterator<Item = &str>;
}

impl Lines for str {
    /// The lines with their line feeds, last one first.
    fn rsplit_inclusive_lines(&self) -> impl Iterator<Item = &str> {
        let mut rest = self;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let body = rest.strip_suffix('\n').unwrap_or(rest);
            let at = body.rfind('\n').map_or(0, |at| at + 1);
            let (before, line) = rest.split_at(at);
            rest = before;
            Some(line)
        })
    }
}

/// A line of base64 inside its surroundings: quotes, escapes, a patch's sign, a line number, a log's time.
pub(crate) fn is_body(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return true;
    }
    let longest = trimmed
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-')))
        .map(str::len)
        .max()
        .unwrap_or(0);
    longest * 2 >= trimmed.len() && longest >= 4 && !trimmed.contains("   ")
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`, `Comment: …`.
fn is_header(line: &str) -> bool {
    ["Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Charset", "MessageID"]
        .iter()
        .any(|name| line.contains(name))
}
