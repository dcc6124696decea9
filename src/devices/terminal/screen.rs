//! What is written to the terminal, and its raw mode.

use std::fs::File;
use std::io::Write as _;

use unicode_width::UnicodeWidthChar as _;

use crate::devices::fault::DeviceFault;
use crate::devices::terminal::draft::Draft;

/// Raw mode and bracketed paste, for as long as it lives.
pub(super) struct Raw<'a> {
    file: &'a File,
}

impl<'a> Raw<'a> {
    pub(super) fn enter(file: &'a File) -> Result<Self, DeviceFault> {
        crossterm::terminal::enable_raw_mode()
            .map_err(|error| DeviceFault::failed(format!("raw mode: {error}")))?;
        let raw = Self { file };
        // Keys typed before the question was on the screen do not answer it.
        let flushed = rustix::termios::tcflush(file, rustix::termios::QueueSelector::IFlush);
        flushed
            .map_err(|error| DeviceFault::failed(format!("cannot discard what was typed ahead: {error}")))?;
        let mut out = file;
        crossterm::execute!(out, crossterm::event::EnableBracketedPaste, crossterm::cursor::Hide)
            .map_err(DeviceFault::failed)?;
        Ok(raw)
    }
}

impl Drop for Raw<'_> {
    fn drop(&mut self) {
        let mut out = self.file;
        let _ = crossterm::execute!(out, crossterm::event::DisableBracketedPaste, crossterm::cursor::Show);
        // Keys pressed for the question reach no other program.
        let _ = rustix::termios::tcflush(self.file, rustix::termios::QueueSelector::IFlush);
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

/// One row of a terminal: without the bar if there is no room for it, and cut if the words alone are too long. A line that
/// wraps could not be overwritten.
fn fitting(text: &str, room: usize) -> String {
    let wide = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    if wide(text) <= room {
        return text.to_owned();
    }
    let words = text.replace(['█', '░'], "");
    let mut used = 0;
    words
        .trim()
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

/// Writes lines, and rewrites the last one.
pub(super) struct TerminalScreen<'a> {
    pub(super) file: &'a File,
    pub(super) foot: String,
    pub(super) columns: usize,
    /// Whether the foot is written once and not every second.
    pub(super) still: bool,
}

impl TerminalScreen<'_> {
    pub(super) fn lines(&mut self, lines: &[PlainLine]) -> std::io::Result<()> {
        self.write("\r\n", lines)
    }

    /// More lines in place of the foot.
    pub(super) fn more(&mut self, lines: &[PlainLine]) -> std::io::Result<()> {
        self.foot.clear();
        self.write("\r\x1b[2K", lines)
    }

    /// The line that is being written, with the cursor in it.
    pub(super) fn draft(&mut self, draft: &Draft, columns: usize) -> std::io::Result<()> {
        let (text, cursor) = draft.shown(columns.saturating_sub(5));
        let mut out = self.file;
        write!(out, "\r\x1b[2K  > {text}\r\x1b[{}C\x1b[?25h", cursor + 4)?;
        out.flush()
    }

    pub(super) fn draft_ends(&mut self) -> std::io::Result<()> {
        self.foot.clear();
        let mut out = self.file;
        write!(out, "\x1b[?25l")?;
        out.flush()
    }

    fn write(&mut self, before: &str, lines: &[PlainLine]) -> std::io::Result<()> {
        let mut text = before.to_owned();
        for line in lines {
            let (bold, normal) = if line.strong { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
            text.push_str(&format!("{bold}{}{normal}\r\n", line.text));
        }
        let mut out = self.file;
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    pub(super) fn foot(&mut self, text: &str) -> std::io::Result<()> {
        if self.foot == text || (self.still && !self.foot.is_empty()) {
            return Ok(());
        }
        text.clone_into(&mut self.foot);
        let mut out = self.file;
        write!(out, "\r\x1b[2K  {}", fitting(text, self.columns.saturating_sub(3)))?;
        out.flush()
    }

    pub(super) fn end(&mut self, text: &str) -> std::io::Result<()> {
        let mut out = self.file;
        write!(out, "\r\x1b[2K  {text}\r\n")?;
        out.flush()
    }
}

/// A line of text without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainLine {
    /// The text.
    pub text: String,
    /// Shown in bold.
    pub strong: bool,
}

impl PlainLine {
    /// An ordinary line.
    #[must_use]
    pub fn plain(text: String) -> Self {
        Self { text, strong: false }
    }

    /// A line in bold.
    #[must_use]
    pub fn strong(text: String) -> Self {
        Self { text, strong: true }
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn the_last_line_is_one_row() {
        for (room, shown) in [
            (60, "space = read on · ████░░░░ 25 seconds left"),
            (40, "space = read on ·  25 seconds left"),
            (12, "space = read"),
            (0, ""),
        ] {
            assert_eq!(fitting("space = read on · ████░░░░ 25 seconds left", room), shown, "{room}");
        }
    }
}
