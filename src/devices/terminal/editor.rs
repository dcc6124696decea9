//! Opens a person's own editor to change a command: the editor gets the terminal and a private file. The result is
//! only text: it is judged and asked about like any other command.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::process::search::in_path;

/// The longest text that is accepted, in bytes.
const LIMIT: u64 = 64 * 1024;
/// How often to check whether the editor has ended.
const TICK: Duration = Duration::from_millis(50);
/// How long an editor may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(1);
/// The lines around the text. Editors obey mode lines at the beginning and end of a file, so the text, which a model
/// may have written, is in neither.
const MARK: &str = "# ------------------------ >8 ------------------------";
/// The least number of help lines above and below.
const MARGIN: usize = 6;
/// The prefix of draft folders.
const PREFIX: &str = "edit-";
/// The age from which a draft folder is left over from a killed program.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// How many editors use our terminal.
static LENT: AtomicUsize = AtomicUsize::new(0);

/// Whether an editor uses the terminal now: then Ctrl-C is meant for it.
#[must_use]
pub fn lent() -> bool {
    LENT.load(Ordering::Acquire) > 0
}

/// An editor, and the folder for its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    program: PathBuf,
    words: Vec<String>,
    folder: PathBuf,
}

/// Why editing gave no text.
#[derive(Debug, thiserror::Error)]
pub enum NoText {
    /// It could not be started.
    #[error("{0} could not be started: {1}")]
    Start(PathBuf, std::io::Error),
    /// It exited with an error, or was killed.
    #[error("the editor ended with {0}")]
    Ended(std::process::ExitStatus),
    /// The time was over.
    #[error("there was no time any more")]
    Over,
    /// The file is gone, or is not text.
    #[error("the file cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// The text is longer than a command may be.
    #[error("the text is longer than {LIMIT} bytes")]
    TooLong,
    /// The lines around the text are gone.
    #[error("the lines with >8 are not there any more; what stands between them is the command")]
    Marks,
}

impl Editor {
    /// The editor of `$VISUAL`, or else `$EDITOR`, split into words (`code --wait`); `None` if neither is set, or its
    /// program is not in the session's `PATH`. Its files are created in `folder`.
    #[must_use]
    pub fn of_session(session: &DesktopSession, folder: &Path) -> Option<Self> {
        let line = session.get("VISUAL").or_else(|| session.get("EDITOR"))?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = words.next()?;
        let program = if name.contains('/') {
            Some(PathBuf::from(&name)).filter(|file| file.is_file())
        } else {
            in_path(session.get("PATH").unwrap_or_default(), &name, |at| at.is_file())
        }?;
        Some(Self { program, words: words.collect(), folder: folder.to_owned() })
    }

    /// Opens the text on this terminal and waits for the person's result. `help` is shown above and below it. The
    /// editor is ended when `over` finishes; the file is always deleted.
    ///
    /// # Errors
    /// [`NoText`]: there is no result.
    pub fn edit(
        &self,
        text: &str,
        help: &str,
        terminal: &File,
        over: impl Fn() -> bool,
    ) -> Result<String, NoText> {
        let place = Place::make(&self.folder)?;
        let file = place.0.join("command.txt");
        let mut out = File::options().write(true).create_new(true).mode(0o600).open(&file)?;
        out.write_all(page(text, help).as_bytes())?;
        drop(out);
        self.run(&file, terminal, over)?;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let written = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(&file)?;
        if !written.metadata()?.is_file() {
            return Err(std::io::Error::from(std::io::ErrorKind::InvalidData).into());
        }
        let mut bytes = Vec::new();
        written.take(LIMIT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LIMIT {
            return Err(NoText::TooLong);
        }
        let all =
            String::from_utf8(bytes).map_err(|_| std::io::Error::from(std::io::ErrorKind::InvalidData))?;
        between(&all).ok_or(NoText::Marks)
    }

    #[expect(clippy::disallowed_methods, reason = "the person's own editor, on the person's own terminal")]
    fn run(&self, file: &Path, terminal: &File, over: impl Fn() -> bool) -> Result<(), NoText> {
        let stream = || terminal.try_clone().map(Stdio::from);
        let mut command = Command::new(&self.program);
        command.args(&self.words).arg(file).stdin(stream()?).stdout(stream()?).stderr(stream()?);
        let _lent = Lent::begin();
        let before = rustix::termios::tcgetattr(terminal);
        let mut child = command.spawn().map_err(|error| NoText::Start(self.program.clone(), error))?;
        let mut ending: Option<std::time::Instant> = None;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            match ending {
                None if over() => {
                    ending = Some(std::time::Instant::now());
                    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
                    if let Some(pid) = pid {
                        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
                    }
                }
                Some(since) if since.elapsed() > GRACE => {
                    let _ = child.kill();
                }
                None | Some(_) => {}
            }
            std::thread::sleep(TICK);
        };
        // A killed editor leaves the terminal in its own mode.
        if let Ok(before) = before {
            let _ = rustix::termios::tcsetattr(terminal, rustix::termios::OptionalActions::Now, &before);
        }
        match (ending, status.success()) {
            (Some(_), _) => Err(NoText::Over),
            (None, true) => Ok(()),
            (None, false) => Err(NoText::Ended(status)),
        }
    }
}

/// The terminal is lent while this lives.
struct Lent;

impl Lent {
    fn begin() -> Self {
        LENT.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        LENT.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A folder for one draft and for files that editors create beside it; deleted on drop.
struct Place(PathBuf);

impl Place {
    fn make(folder: &Path) -> Result<Self, std::io::Error> {
        sweep(folder);
        let place = folder.join(format!("{PREFIX}{}", crate::devices::random::hex::<8>()?));
        std::fs::DirBuilder::new().mode(0o700).create(&place)?;
        Ok(Self(place))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "a draft could not be removed");
        }
    }
}

/// Removes the drafts of killed programs.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let changed = entry.metadata().and_then(|data| data.modified());
        let old =
            changed.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|since| since > STALE));
        if ours && old {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The content of the file.
fn page(text: &str, help: &str) -> String {
    let mut margin: Vec<String> = help.lines().map(|line| format!("# {line}")).collect();
    margin.resize(margin.len().max(MARGIN), "#".to_owned());
    let margin = margin.join("\n");
    format!("{margin}\n{MARK}\n{text}\n{MARK}\n{margin}\n")
}

/// The text between the first and the last mark.
fn between(all: &str) -> Option<String> {
    let all = all.replace("\r\n", "\n");
    let mark = format!("{MARK}\n");
    let start = if all.starts_with(&mark) { 0 } else { all.find(&format!("\n{mark}"))? + 1 } + mark.len();
    let rest = all.get(start..)?;
    // The text may be empty.
    let end = if rest.trim_end() == MARK { 0 } else { rest.rfind(&format!("\n{MARK}"))? };
    rest.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(folder: &Path, script: &str) -> Editor {
        let program = folder.join("editor");
        std::fs::write(&program, format!("{script}\n")).unwrap();
        // The shell reads it, because executing it fails while a program of another test holds it open for writing.
        let session =
            DesktopSession::new([("EDITOR".to_owned(), format!("/bin/sh {} --wait", program.display()))]);
        Editor::of_session(&session, folder).unwrap()
    }

    fn edited(script: &str, text: &str) -> (Result<String, NoText>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let nothing = File::options().read(true).write(true).open("/dev/null").unwrap();
        let text = editor(folder.path(), script).edit(text, "Help.", &nothing, || false);
        let left = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
        (text, left.map(|name| name.to_string_lossy().into_owned()).filter(|name| name != "editor").collect())
    }

    #[test]
    fn what_is_saved_comes_back_and_the_file_goes() {
        for (script, text, written) in [
            ("true", "rm a", "rm a"),
            ("sed -i s/rm/ls/ \"$2\"", "rm a", "ls a"),
            ("sed -i s/rm/ls/ \"$2\"; touch \"$2~\"", "rm a\nrm b", "ls a\nls b"),
            ("test \"$1\" = --wait && test \"$(stat -c %a \"$2\")\" = 600", "rm a", "rm a"),
            // A new file in its place, as editors create it.
            ("cp \"$2\" \"$2.new\"; mv \"$2.new\" \"$2\"", "# >8 vim: set x", "# >8 vim: set x"),
            (
                "true",
                "a\n# ------------------------ >8 ------------------------\nb",
                "a\n# ------------------------ >8 ------------------------\nb",
            ),
            ("true", "", ""),
        ] {
            let (got, left) = edited(script, text);
            assert_eq!(got.unwrap(), written, "{script}");
            assert!(left.is_empty(), "{script}: {left:?}");
        }
    }

    #[test]
    fn an_editor_that_fails_writes_nothing() {
        for (script, error) in [
            ("exit 1", "exit status: 1"),
            ("kill -9 $$", "signal: 9"),
            ("rm \"$2\"", "cannot be read"),
            ("echo x > \"$2\"", ">8"),
            ("printf '\\377' > \"$2\"", "cannot be read"),
            ("head -c 70000 /dev/zero > \"$2\"", "longer"),
            ("rm \"$2\"; ln -s /etc/hostname \"$2\"", "cannot be read"),
            ("rm \"$2\"; mkfifo \"$2\"", "cannot be read"),
        ] {
            let (got, left) = edited(script, "rm a");
            let why = got.unwrap_err().to_string();
            assert!(why.contains(error), "{script}: {why}");
            assert!(left.is_empty(), "{script}: {left:?}");
        }
    }

    #[test]
    fn an_editor_is_ended_when_the_time_is_up() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = File::options().read(true).write(true).open("/dev/null").unwrap();
        let editor = editor(folder.path(), "trap '' TERM; while :; do sleep 0.1; done");
        assert!(matches!(editor.edit("x", "", &nothing, || true), Err(NoText::Over)));
    }

    #[test]
    fn what_a_model_wrote_stands_in_no_line_that_editors_obey() {
        let page = page("# vim: set modelines", "One line.");
        let lines: Vec<&str> = page.lines().collect();
        let at = lines.iter().position(|line| line.contains("vim")).unwrap();
        assert!(at >= MARGIN && lines.len() - at > MARGIN, "{page}");
    }

    #[test]
    fn no_editor_is_made_up() {
        let session = |pairs: &[(&str, &str)]| {
            DesktopSession::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
        };
        let of = |pairs: &[(&str, &str)]| Editor::of_session(&session(pairs), Path::new("/nowhere"));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("EDITOR", "no-such-program-here"), ("PATH", "/usr/bin")]), None);
        assert_eq!(of(&[("EDITOR", "env"), ("PATH", "bin")]), None, "a relative folder counts for nothing");
        let found = of(&[("VISUAL", "env -i"), ("EDITOR", "cat"), ("PATH", "/x:/usr/bin")]).unwrap();
        assert_eq!((found.program, found.words), (PathBuf::from("/usr/bin/env"), vec!["-i".to_owned()]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_back_as_it_was(text in "[^\r]{0,80}") {
            proptest::prop_assert_eq!(between(&page(&text, "Help.")), Some(text));
        }
    }
}
