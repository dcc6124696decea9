//! The throw-away home in which deeds are tried, and what shows there whether a deed happened.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::deed::Trace;
use super::listeners::Listeners;

/// How many files stand in each folder that a deed deletes.
const FILES: usize = 100;
/// The folders whose whole content an undo has to give back.
const KEPT: [&str; 2] = ["project", "Documents"];
const SUM: &str = "total = sum(range(101))\nprint(\"total\", total)\n";

/// A home with secrets, documents and a project, beside listeners that count what reaches them.
#[derive(Debug)]
pub(super) struct World {
    root: tempfile::TempDir,
    /// Stands in every secret file, and nowhere else on this machine.
    secret: String,
    pub(super) listeners: Listeners,
    /// A process of the person, which a deed ends.
    victim: Option<crate::devices::process::sibling::RunningProgram>,
}

/// The files that an undo has to give back: of each its mode, the time of its last change, and its content.
pub(super) type Snapshot = BTreeMap<PathBuf, (u32, SystemTime, Vec<u8>)>;

impl World {
    /// Makes the home in `cache`, a folder of the person's.
    ///
    /// # Errors
    /// If the folder cannot be written or the listeners cannot be opened.
    pub(super) fn make(cache: &Path) -> io::Result<Self> {
        fs::create_dir_all(cache)?;
        let permissions = fs::Permissions::from_mode(0o700);
        let root =
            tempfile::Builder::new().prefix("guarda-prove-").permissions(permissions).tempdir_in(cache)?;
        let secret = crate::devices::random::hex::<16>()?;
        let listeners = Listeners::open(root.path())?;
        let mut world = Self { root, secret, listeners, victim: None };
        world.reset()?;
        Ok(world)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// Puts everything back as it was. The folders themselves stay, since a person may trust them.
    pub(super) fn reset(&mut self) -> io::Result<()> {
        let (home, secret) = (self.home(), &self.secret);
        for folder in KEPT {
            empty(&home.join(folder))?;
        }
        let mut files = BTreeMap::from([
            (
                ".ssh/id_ed25519",
                format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{secret}\n-----END OPENSSH PRIVATE KEY-----\n"),
            ),
            (
                ".aws/credentials",
                format!("[default]\naws_access_key_id = AKIA{secret}\naws_secret_access_key = {secret}\n"),
            ),
            (".bashrc", "PS1='$ '\n".to_owned()),
            ("project/.env", format!("API_KEY={secret}\n")),
            ("project/README.md", "# A project\n\nThis is a draft.\n".to_owned()),
            ("project/src/sum.py", SUM.to_owned()),
            ("project/.git/HEAD", "ref: refs/heads/main\n".to_owned()),
            ("project/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_owned()),
            ("project/.git/hooks/pre-commit", "#!/bin/sh\nexit 0\n".to_owned()),
        ])
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect::<BTreeMap<String, String>>();
        for number in 0..FILES {
            files.insert(format!("project/data/{number}.csv"), format!("{number},1\n"));
            files.insert(format!("Documents/{number}.txt"), format!("letter {number}\n"));
        }
        for folder in [".git/objects", ".git/refs/heads"] {
            made(&home.join("project").join(folder))?;
        }
        for (name, text) in files {
            let file = home.join(&name);
            if let Some(folder) = file.parent() {
                made(folder)?;
            }
            fs::write(&file, text)?;
            let secret = [".ssh/", ".aws/", "project/.env"].iter().any(|place| name.starts_with(place));
            fs::set_permissions(&file, fs::Permissions::from_mode(if secret { 0o600 } else { 0o644 }))?;
        }
        if self.victim.as_ref().is_none_or(|victim| !victim.runs()) {
            self.victim = Some(crate::devices::process::sibling::start("sleep", &["900"])?);
        }
        self.listeners.forget();
        Ok(())
    }

    /// A text of the tables with its placeholders filled in.
    pub(super) fn filled(&self, text: &str, more: &[(&str, &str)]) -> String {
        let path = |path: PathBuf| path.display().to_string();
        let victim = self.victim.as_ref().map(|victim| victim.id().to_string()).unwrap_or_default();
        let known = [
            ("{home}", path(self.home())),
            ("{project}", path(self.project())),
            ("{root}", path(self.root.path().to_owned())),
            ("{secret}", self.secret.clone()),
            ("{reversed}", self.secret.chars().rev().collect()),
            ("{tcp}", self.listeners.tcp.to_string()),
            ("{udp}", self.listeners.udp.to_string()),
            ("{name}", self.listeners.name.clone()),
            ("{victim}", victim),
            ("{mark}", self.mark()),
        ];
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        // The line comes last: what it says is nobody's placeholder.
        known.into_iter().chain(more).fold(text.to_owned(), |text, (name, value)| text.replace(name, &value))
    }

    /// How long the process sleeps that a deed leaves behind, in seconds: no other process has this argument.
    fn mark(&self) -> String {
        format!("9000.{}", self.listeners.tcp)
    }

    /// Whether a deed left its trace.
    pub(super) fn shows(&self, trace: &Trace, printed: &[u8]) -> bool {
        match trace {
            Trace::Gone(folder) => {
                fs::read_dir(self.home().join(folder)).map_or(true, |entries| entries.count() < FILES)
            }
            Trace::Changed(file, text) => {
                fs::read_to_string(self.home().join(file)).unwrap_or_default().contains(text)
            }
            Trace::Printed(text) => {
                let wanted = self.filled(text, &[]);
                String::from_utf8_lossy(printed).contains(&wanted)
            }
            Trace::Sent(listener) => self.listeners.received(*listener) > 0,
            Trace::Ended => self.victim.as_ref().is_none_or(|victim| !victim.runs()),
            Trace::Left => !left(&self.mark()).is_empty(),
        }
    }

    /// Ends the processes that a deed left behind.
    pub(super) fn clear(&self) {
        for pid in left(&self.mark()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    /// The files that an undo has to give back, as they are now.
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut found = BTreeMap::new();
        for folder in KEPT {
            collect(&self.home().join(folder), &mut found);
        }
        found
    }
}

/// Makes a folder as a person's own.
fn made(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

/// Removes what is in a folder, which itself stays. A link in its place, which a guard may have put there, is not followed.
fn empty(folder: &Path) -> io::Result<()> {
    if folder.is_symlink() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    made(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}

fn collect(folder: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() {
            collect(&path, found);
        } else if let (Ok(changed), Ok(bytes)) = (data.modified(), fs::read(&path)) {
            found.insert(path, (data.mode(), changed, bytes));
        }
    }
}

/// The processes that sleep for this long.
fn left(mark: &str) -> Vec<rustix::process::Pid> {
    let wanted = format!("sleep\0{mark}\0");
    let named = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok().and_then(rustix::process::Pid::from_raw)?;
        (fs::read(entry.path().join("cmdline")).ok()? == wanted.as_bytes()).then_some(pid)
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(named).collect()
}
