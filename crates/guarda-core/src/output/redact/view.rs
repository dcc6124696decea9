//! Another reading of a text: parts of it decoded, and where each byte of the reading comes from.

use super::literal::Stretch;

/// A reading.
#[derive(Debug, Default)]
pub(super) struct View {
    pub text: String,
    /// Where the parts of the reading begin, in order, and where they come from.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Where it begins in the reading.
    at: usize,
    from: usize,
    to: usize,
    /// So many bytes of the source stand for so many of the reading; `None` where only the whole can be said.
    scale: Option<(usize, usize)>,
}

impl View {
    /// Adds a part of the source unchanged.
    pub fn plain(&mut self, text: &str, from: usize, to: usize) {
        let Some(part) = text.get(from..to).filter(|part| !part.is_empty()) else { return };
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: Some((1, 1)) });
        self.text.push_str(part);
    }

    /// Adds a part that all of the source from `from` to `to` stands for.
    pub fn whole(&mut self, part: &str, from: usize, to: usize) {
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: None });
        self.text.push_str(part);
    }

    /// Adds a part in which every `bytes` bytes were decoded from `signs` bytes of the source.
    pub fn scaled(&mut self, part: &str, from: usize, to: usize, signs: usize, bytes: usize) {
        self.pieces.push(Piece { at: self.text.len(), from, to, scale: Some((signs, bytes)) });
        self.text.push_str(part);
    }

    /// Keeps the next part apart from the one before: no name belongs to a value across it.
    pub fn part(&mut self) {
        if !self.text.is_empty() {
            let last = self.pieces.last().map_or(0, |piece| piece.to);
            self.whole("\n.\n", last, last);
        }
    }

    /// Where a stretch of the reading stands in the source.
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

    /// Whether a stretch of the reading goes over a place where something was left out.
    pub fn goes_over(&self, (from, to): Stretch) -> bool {
        let first = self.pieces.partition_point(|piece| piece.at <= from);
        self.pieces.get(first).is_some_and(|piece| piece.at < to)
    }
}
