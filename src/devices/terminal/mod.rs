//! The terminal that the service was started from: shows lines, and reads single keys in raw mode.
//!
//! Bytes are read here and not by an event parser, because a byte counts only if it came alone: keys typed ahead are
//! discarded first, and nothing in a pasted text or an escape sequence counts.

use std::fs::File;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use self::keys::{LONE, LoneBytes, TICK, lost};
pub use self::screen::PlainLine;
use self::screen::{Raw, TerminalScreen};
use crate::devices::fault::DeviceFault;
use crate::devices::terminal::draft::{Draft, DraftEnd};
use crate::devices::{DeviceState, Key};

pub mod draft;
pub mod editor;
pub mod pinentry;
pub mod askpass;
mod keys;
mod screen;

/// How long a question waits for the previous one to leave the terminal.
const PATIENCE: Duration = Duration::from_secs(2);

/// The content of a sheet, and its time limit.
pub struct Sheet {
    /// The lines, for a terminal with this many columns.
    pub lines: Box<dyn FnOnce(usize) -> Vec<PlainLine> + Send>,
    /// The last line, from the remaining seconds and whether more lines do not fit the screen; rewritten
    /// every second. The space bar shows the next lines.
    pub foot: Box<dyn Fn(u64, bool) -> String + Send>,
    /// The line that M opens for editing, once everything has been shown; `None` if nothing may be edited.
    pub draft: Option<Writing>,
    /// The line that R opens for editing: the reason for a no. Only its hint is used.
    pub refusal: Option<Writing>,
    /// The end of the time limit. The sheet stays until [`Showing`] is dropped.
    pub deadline: Box<dyn Fn() -> Instant + Send>,
    /// The quiet before a key counts.
    pub arming_delay: Duration,
}

/// A line that can be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing {
    /// Its initial text.
    pub text: String,
    /// What Enter and Escape do, as a sentence.
    pub hint: String,
    /// The person's own editor, which is opened instead if there is one.
    pub editor: Option<Outside>,
}

/// An editor that is opened outside the sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The editor.
    pub editor: crate::devices::terminal::editor::Editor,
    /// The lines above and below the text in its file.
    pub help: String,
}

/// An event of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalEvent {
    /// The sheet is on the screen, or as much of it as fits.
    Shown,
    /// All of it has been on the screen.
    Whole,
    /// A line is being edited.
    Writing,
    /// A line was submitted.
    Written(String),
    /// No, with a reason.
    Refused(String),
    /// Editing was cancelled.
    Left,
    /// The editor returned nothing, for this reason. The question is still open.
    Unwritten(String),
    /// A key that counts.
    Key(Key),
    /// It cannot be shown, or the terminal has gone, for this reason.
    Unable(String),
}

/// The terminal of this process. One sheet at a time.
#[derive(Debug, Clone, Default)]
pub struct Terminal {
    busy: Arc<Mutex<()>>,
}

/// A sheet on the screen. Dropping it removes it and restores the terminal.
#[derive(Debug)]
pub struct Showing {
    stop: Arc<AtomicBool>,
    last_line: Arc<Mutex<String>>,
}

impl Showing {
    /// Removes the sheet and leaves this line in place of the last one.
    pub fn end(self, last_line: String) {
        *self.last_line.lock().unwrap_or_else(PoisonError::into_inner) = last_line;
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

/// True if this process has a terminal that is still there.
#[must_use]
pub fn is_there() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// Restores the terminal, for the end of the process while a sheet is on the screen.
pub fn restore() {
    if crossterm::terminal::is_raw_mode_enabled().unwrap_or(false) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

impl Terminal {
    /// Its state: a service in the background has no terminal.
    #[must_use]
    pub fn state(&self) -> DeviceState {
        match open() {
            Ok((_, path)) => DeviceState::Ready { detail: path.display().to_string() },
            Err(fault) => DeviceState::Absent { why: fault.failure().clone() },
        }
    }

    /// Writes a line above the current sheet, which continues below it. May block briefly.
    ///
    /// # Errors
    /// The reason, if it cannot be written.
    pub fn line(&self, text: &str) -> Result<(), DeviceFault> {
        let (file, _) = open()?;
        let mut screen =
            TerminalScreen { file: &file, foot: String::new(), columns: usize::MAX, still: false };
        screen.more(&[PlainLine::plain(text.to_owned())]).map_err(lost)
    }

    /// Shows a sheet and reads keys until the result is dropped. Events end when the terminal is restored.
    pub fn show(&self, sheet: Sheet) -> (Showing, mpsc::UnboundedReceiver<TerminalEvent>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let last_line = Arc::default();
        let showing = Showing { stop: Arc::clone(&stop), last_line: Arc::clone(&last_line) };
        let busy = Arc::clone(&self.busy);
        let unable = events.clone();
        let name = "terminal".to_owned();
        let spawned = std::thread::Builder::new().name(name).spawn(move || {
            let since = Instant::now();
            let guard = loop {
                match busy.try_lock() {
                    Ok(guard) => break guard,
                    Err(std::sync::TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                    Err(std::sync::TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                        std::thread::sleep(LONE)
                    }
                    Err(std::sync::TryLockError::WouldBlock) => {
                        let _ = events
                            .send(TerminalEvent::Unable("the terminal does not take output".to_owned()));
                        return;
                    }
                }
            };
            if let Err(why) = run(sheet, &stop, &last_line, &events) {
                let _ = events.send(TerminalEvent::Unable(why.to_string()));
            }
            drop(guard);
        });
        if let Err(error) = spawned {
            let _ = unable.send(TerminalEvent::Unable(format!("no thread for the terminal: {error}")));
        }
        (showing, receiver)
    }
}

/// Opens the terminal for keys: standard input if it is one, otherwise the controlling terminal.
fn open() -> Result<(File, PathBuf), DeviceFault> {
    let path = if std::io::stdin().is_terminal() {
        let name = rustix::termios::ttyname(rustix::stdio::stdin(), Vec::new());
        let name = name.map_err(|error| DeviceFault::failed(format!("the terminal has no name: {error}")))?;
        PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(name.into_bytes()))
    } else {
        PathBuf::from("/dev/tty")
    };
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOCTTY.bits();
    let file =
        std::fs::OpenOptions::new().read(true).write(true).custom_flags(flags.cast_signed()).open(&path);
    let file = file.map_err(|_| {
        DeviceFault::missing(
            guarda_core::output::FailureKind::NotFromTerminal,
            "the service was not started from a terminal",
        )
    })?;
    // Reading or configuring a terminal from the background would stop the whole service (SIGTTIN, SIGTTOU).
    match rustix::termios::tcgetpgrp(&file) {
        Ok(group) if group == rustix::process::getpgrp() => Ok((file, path)),
        Ok(_) => Err(DeviceFault::absent("the service runs in the background of its terminal")),
        Err(error) => Err(DeviceFault::absent(format!("the service does not own its terminal: {error}"))),
    }
}

fn run(
    sheet: Sheet,
    stop: &AtomicBool,
    last_line: &Mutex<String>,
    events: &mpsc::UnboundedSender<TerminalEvent>,
) -> Result<(), DeviceFault> {
    let (file, _) = open()?;
    let size =
        rustix::termios::tcgetwinsize(&file).map(|size| (size.ws_col, size.ws_row)).unwrap_or_default();
    let or = |size: u16, usual| if size == 0 { usual } else { usize::from(size) };
    let (columns, rows) = (or(size.0, 80), or(size.1, 24));
    let mut raw = Some(Raw::enter(&file)?);
    let mut screen = TerminalScreen { file: &file, foot: String::new(), columns, still: accessible() };
    let lines = (sheet.lines)(columns);
    // One row for the foot, one for the empty line above.
    let mut pages = lines.chunks(rows.saturating_sub(2).max(4)).peekable();
    screen.lines(pages.next().unwrap_or_default()).map_err(lost)?;
    let mut keys = LoneBytes::new(sheet.arming_delay);
    let mut interrupted = false;
    let (mut shown, mut whole) = (false, false);
    while !stop.load(Ordering::Acquire) {
        let left = (sheet.deadline)().saturating_duration_since(Instant::now());
        let more = pages.peek().is_some();
        screen.foot(&(sheet.foot)(left.as_secs_f64().ceil() as u64, more)).map_err(lost)?;
        if !std::mem::replace(&mut shown, true) {
            keys.quiet_since = Instant::now();
            let _ = events.send(TerminalEvent::Shown);
        }
        if !more && !std::mem::replace(&mut whole, true) {
            let _ = events.send(TerminalEvent::Whole);
        }
        match (keys.next(&file)?, &sheet.draft) {
            (None, _) => {}
            (Some(Key::Letter(' ')), _) => {
                if let Some(page) = pages.next() {
                    screen.more(page).map_err(lost)?;
                    // A key that is already pressed does not answer lines that have just appeared.
                    keys.quiet_since = Instant::now();
                }
            }
            (Some(Key::Letter('m')), Some(Writing { editor: Some(outside), text, .. })) if !more => {
                drop(raw.take());
                let written = write_outside(&mut screen, outside, text, &sheet.deadline, stop, events);
                raw = Some(Raw::enter(&file)?);
                keys.quiet_since = Instant::now();
                let _ = events.send(match written {
                    Ok(Some(text)) => TerminalEvent::Written(text),
                    Ok(None) => TerminalEvent::Left,
                    Err(error) => TerminalEvent::Unwritten(error.to_string()),
                });
            }
            (Some(Key::Letter('m')), Some(writing)) if !more => {
                let text = write_line(&mut screen, &mut keys, writing, columns, stop, events)?;
                let _ = events.send(text.map_or(TerminalEvent::Left, TerminalEvent::Written));
            }
            (Some(Key::Letter('r')), _) if sheet.refusal.is_some() => {
                if let Some(refusal) = &sheet.refusal {
                    let text = write_line(&mut screen, &mut keys, refusal, columns, stop, events)?;
                    let _ = events.send(text.map_or(TerminalEvent::Left, TerminalEvent::Refused));
                }
            }
            (Some(Key::Interrupt), _) => {
                interrupted = true;
                let _ = events.send(TerminalEvent::Key(Key::Interrupt));
            }
            (Some(key), _) => {
                let _ = events.send(TerminalEvent::Key(key));
            }
        }
    }
    let last = last_line.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let ended = screen.end(&last).map_err(lost);
    drop(raw);
    if interrupted {
        // In raw mode, Ctrl-C is only a byte; the service receives the corresponding signal.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::INT);
    }
    ended
}

/// Whether programs are asked not to rewrite text (`ACCESSIBLE`): a screen reader would read it each time.
fn accessible() -> bool {
    std::env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Lends the terminal to the person's editor; `None` if nothing was changed.
fn write_outside(
    screen: &mut TerminalScreen<'_>,
    outside: &Outside,
    text: &str,
    deadline: &dyn Fn() -> Instant,
    stop: &AtomicBool,
    events: &mpsc::UnboundedSender<TerminalEvent>,
) -> Result<Option<String>, crate::devices::terminal::editor::NoText> {
    let _ = events.send(TerminalEvent::Writing);
    screen.more(&[])?;
    // Reporting the edit extends the time limit: the new remaining time counts, not the earlier one.
    let begun = Instant::now();
    let over = || stop.load(Ordering::Acquire) || (begun.elapsed() > LONE && deadline() <= Instant::now());
    let written = outside.editor.edit(text, &outside.help, screen.file, over);
    screen.foot.clear();
    written.map(|written| Some(written).filter(|written| written != text && !written.trim().is_empty()))
}

/// Lets a line be edited in place of the foot; `None` if it is unchanged or the time is up.
fn write_line(
    screen: &mut TerminalScreen<'_>,
    keys: &mut LoneBytes,
    writing: &Writing,
    columns: usize,
    stop: &AtomicBool,
    events: &mpsc::UnboundedSender<TerminalEvent>,
) -> Result<Option<String>, DeviceFault> {
    let file = screen.file;
    let _ = events.send(TerminalEvent::Writing);
    // Keys typed ahead do not belong to the line.
    let _ = rustix::termios::tcflush(file, rustix::termios::QueueSelector::IFlush);
    screen.more(&[PlainLine::plain(writing.hint.clone())]).map_err(lost)?;
    let mut draft = Draft::new(&writing.text);
    let mut ended = None;
    while ended.is_none() && !stop.load(Ordering::Acquire) {
        screen.draft(&draft, columns).map_err(lost)?;
        if let Some(bytes) = keys.burst(file, TICK)? {
            ended = draft.feed(&bytes);
        }
    }
    screen.draft_ends().map_err(lost)?;
    // Keys that edit the line answer nothing.
    let _ = rustix::termios::tcflush(file, rustix::termios::QueueSelector::IFlush);
    keys.quiet_since = Instant::now();
    Ok(match ended {
        Some(DraftEnd::Written(text)) if text != writing.text && !text.trim().is_empty() => Some(text),
        Some(DraftEnd::Written(_) | DraftEnd::Left) | None => None,
    })
}
