//! A decoded view of a text, with the origin of each byte.

use crate::output::redact::forms::literal::Stretch;

/// A view.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub text: String,
    /// The starts of the view's parts, in order, with their origins.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Its start in the view.
    at: usize,
    from: usize,
    to: usize,
    /// The ratio of source bytes to view bytes; `None` if only the whole part can be mapped.
    scale: Option<(usize, usize)>,
}

impl View {
    /// Adds a part of the source unchanged.
    pub fn plain(&mut self, text: &str, from: usize, to: usize) {
        let Some(part) = text.get(from..to).filter(|part| !part.is_empty()) else { return };
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: Some((1, 1)) });
        self.text.push_str(part);
    }

    /// Adds a part that maps to the whole source range from `from` to `to`.
    pub fn whole(&mut self, part: &str, from: usize, to: usize) {
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: None });
        self.text.push_str(part);
    }

    /// Adds a part in which every `bytes` bytes were decoded from `signs` bytes of the source.
    pub fn scaled(&mut self, part: &str, from: usize, to: usize, signs: usize, bytes: usize) {
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: Some((signs, bytes)) });
        self.text.push_str(part);
    }

    /// Separates the next part from the previous one: a name and a value never belong together across it.
    pub fn part(&mut self) {
        if !self.text.is_empty() {
            let last = self.pieces.last().map_or(0, |piece| piece.to);
            self.whole("\n.\n", last, last);
        }
    }

    /// The source range of a range of the view.
    pub fn source(&self, (from, to): Stretch) -> Stretch {
        (self.edge(from, false), self.edge(to.saturating_sub(1), true))
    }

    fn edge(&self, at: usize, end: bool) -> usize {
        let index = self.pieces.partition_point(|piece| piece.at <= at).saturating_sub(1);
        let Some(piece) = self.pieces.get(index) else { return 0 };
        let inside = at.saturating_sub(piece.at);
        match piece.scale {
            None if end => piece.to,
            None => piece.from,
            Some((signs, bytes)) => {
                let unit = inside / bytes.max(1) + usize::from(end);
                (piece.from + unit * signs).min(piece.to)
            }
        }
    }

    /// Whether a range of the view crosses an omission.
    pub fn goes_over(&self, (from, to): Stretch) -> bool {
        let first = self.pieces.partition_point(|piece| piece.at <= from);
        self.pieces.get(first).is_some_and(|piece| piece.at < to)
    }
}
