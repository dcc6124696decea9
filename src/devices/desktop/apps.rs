//! Installed applications, as their desktop entries describe them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use freedesktop_desktop_entry::{DesktopEntry, Iter};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::process::search::in_path;

/// An installed application.
#[derive(Debug, Clone)]
pub struct Application {
    /// The entry's identifier: `org.gnome.Calculator`, `firefox`.
    pub id: String,
    /// Its names in every language, the user's own first.
    pub names: Vec<String>,
    /// Its description in every language: `Web Browser`, `Navegador Web`.
    pub generic: Vec<String>,
    /// Its search keywords in every language.
    pub keywords: Vec<String>,
    /// Its registered categories: `Calculator`, `TerminalEmulator`.
    pub categories: Vec<String>,
    /// The types of files and addresses that it opens.
    pub types: Vec<String>,
    /// False if menus do not show it here.
    pub shown: bool,
    entry: DesktopEntry,
}

/// Every installed application, by the precedence of its folder, then by identifier. A user's entry hides the
/// system's entry with the same identifier.
#[must_use]
pub fn installed(session: &DesktopSession) -> Vec<Application> {
    let locales = session.locales();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for folder in session.data_folders() {
        let folder = folder.join("applications");
        let mut files: Vec<PathBuf> = Iter::new(std::iter::once(folder.clone())).collect();
        files.sort();
        for file in files {
            let Some(id) = identifier(&folder, &file) else { continue };
            if seen.insert(id.clone())
                && let Some(application) = read(&file, id, session, &locales)
            {
                found.push(application);
            }
        }
    }
    found
}

/// The path below the folder, without its end, with `-` for `/` (desktop entry specification).
fn identifier(folder: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(folder).ok()?.to_str()?;
    Some(below.strip_suffix(".desktop")?.replace('/', "-"))
}

fn read(file: &Path, id: String, session: &DesktopSession, locales: &[String]) -> Option<Application> {
    let entry = DesktopEntry::from_path(file, None::<&[&str]>).ok()?;
    if entry.type_() != Some("Application") || entry.hidden() {
        return None;
    }
    if entry.try_exec().is_some_and(|program| find_program(session, program).is_none()) {
        return None;
    }
    let desktops = session.desktops();
    let names_us =
        |list: Option<Vec<&str>>| list.map(|list| list.iter().any(|name| desktops.iter().any(|d| d == name)));
    let shown = !entry.no_display()
        && names_us(entry.only_show_in()).unwrap_or(true)
        && !names_us(entry.not_show_in()).unwrap_or(false);
    let owned = |list: Option<Vec<&str>>| list.unwrap_or_default().into_iter().map(str::to_owned).collect();
    Some(Application {
        names: texts(&entry, "Name", locales),
        generic: texts(&entry, "GenericName", locales),
        keywords: texts(&entry, "Keywords", locales)
            .iter()
            .flat_map(|list| list.split(';'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect(),
        categories: owned(entry.categories()),
        types: owned(entry.mime_type()),
        shown,
        id,
        entry,
    })
}

/// A key's text in the user's languages, then without a language, then in every other language.
fn texts(entry: &DesktopEntry, key: &str, locales: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut add = |text: &str| {
        if !text.is_empty() && !texts.iter().any(|other| other == text) {
            texts.push(text.to_owned());
        }
    };
    let Some((plain, translated)) = entry.groups.desktop_entry().and_then(|group| group.0.get(key)) else {
        return texts;
    };
    for locale in locales {
        let language = locale.split(['_', '@']).next().unwrap_or_default();
        [locale.as_str(), language]
            .iter()
            .filter_map(|name| translated.get(*name))
            .for_each(|text| add(text));
    }
    add(plain);
    translated.values().for_each(|text| add(text));
    texts
}

impl Application {
    /// The class of its windows, if the entry names one.
    #[must_use]
    pub fn window_class(&self) -> Option<&str> {
        let (class, _) = self.entry.groups.desktop_entry()?.0.get("StartupWMClass")?;
        Some(class.as_str()).filter(|class| !class.is_empty())
    }

    /// The name in the user's language.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.first().unwrap_or(&self.id)
    }

    /// The file of its entry.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.entry.path
    }

    /// Whether it runs in a terminal.
    #[must_use]
    pub fn in_terminal(&self) -> bool {
        self.entry.terminal()
    }

    /// Whether the session bus starts it.
    #[must_use]
    pub fn by_bus(&self) -> bool {
        self.entry.dbus_activatable()
    }

    /// The working folder that it requests.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        self.entry.path().filter(|path| !path.is_empty()).map(PathBuf::from)
    }

    /// The base name of its program, if the entry names one.
    #[must_use]
    pub fn program(&self) -> Option<String> {
        let words = self.entry.parse_exec().ok()?;
        Path::new(words.first()?).file_name()?.to_str().map(str::to_owned)
    }

    /// The argument vector for opening these files or addresses; never through a shell.
    ///
    /// # Errors
    /// [`DeviceFault::Failed`] if the entry has no usable `Exec`.
    pub fn argv(&self, targets: &[&str], session: &DesktopSession) -> Result<Vec<String>, DeviceFault> {
        // A target must not become an option; addresses and absolute paths never look like one.
        if targets.iter().any(|target| target.starts_with('-')) {
            return Err(DeviceFault::failed("what is to be opened begins with a dash"));
        }
        let words = self
            .entry
            .parse_exec_with_uris(targets, &session.locales())
            .map_err(|error| DeviceFault::failed(format!("the desktop entry {}: {error}", self.id)))?;
        let given = |word: &String| targets.contains(&word.as_str());
        let mut argv: Vec<String> =
            words.into_iter().map(|word| if given(&word) { word } else { without_codes(&word) }).collect();
        // An entry without a field code gets the target as its last word, as `xdg-open` does it.
        if !targets.is_empty() && !argv.iter().any(given) {
            argv.extend(targets.iter().map(|&target| target.to_owned()));
        }
        Ok(argv)
    }
}

/// `%%` is a percent sign. A field code within a word is ignored: files and addresses are separate words.
fn without_codes(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('%', Some('%')) => {
                text.push('%');
                chars.next();
            }
            ('%', Some(code)) if "fFuUdDnNickvm".contains(*code) => {
                chars.next();
            }
            (c, _) => text.push(c),
        }
    }
    text
}

/// The path of a program: an absolute path unchanged, a name looked up in the session's `PATH`.
#[must_use]
pub fn find_program(session: &DesktopSession, name: &str) -> Option<PathBuf> {
    let runnable =
        |path: &PathBuf| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_absolute()).filter(runnable);
    }
    in_path(session.get("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin"), name, runnable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(home: &Path) -> DesktopSession {
        let home = home.to_str().unwrap();
        let data = format!("{home}/own");
        let variables = [
            ("HOME", home),
            ("XDG_DATA_HOME", &data),
            ("XDG_DATA_DIRS", &format!("{home}/shared")),
            ("PATH", "/usr/bin:/bin"),
            ("LANG", "pt_BR.UTF-8"),
            ("XDG_CURRENT_DESKTOP", "GNOME"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        DesktopSession::new(variables)
    }

    fn write(home: &Path, file: &str, text: &str) {
        let file = home.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("[Desktop Entry]\nType=Application\n{text}")).unwrap();
    }

    #[test]
    fn entries_are_read_as_the_specification_says() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        write(home, "own/applications/calc.desktop", "Name=Mine\nExec=true %U\n");
        write(home, "shared/applications/calc.desktop", "Name=Theirs\nExec=false\n");
        write(home, "own/applications/gone.desktop", "Name=Gone\nExec=true\nHidden=true\n");
        write(home, "shared/applications/gone.desktop", "Name=Gone\nExec=true\n");
        write(
            home,
            "shared/applications/kde/edit.desktop",
            "Name=Edit\nName[pt_BR]=Edição\nExec=true\nNoDisplay=true\n",
        );
        write(home, "shared/applications/miss.desktop", "Name=Miss\nExec=true\nTryExec=no-such-program\n");
        write(home, "shared/applications/only.desktop", "Name=Only\nExec=true\nOnlyShowIn=KDE;\n");
        write(home, "shared/applications/link.desktop", "Name=Link\nType=Link\nURL=http://x\n");
        let found: Vec<(String, String, bool)> = installed(&session(home))
            .iter()
            .map(|app| (app.id.clone(), app.name().to_owned(), app.shown))
            .collect();
        let expected = [("calc", "Mine", true), ("kde-edit", "Edição", false), ("only", "Only", false)];
        assert_eq!(found, expected.map(|(id, name, shown)| (id.to_owned(), name.to_owned(), shown)));
    }

    #[test]
    fn argument_vectors_are_words_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        for (exec, targets, argv) in [
            ("true %U", vec![], vec!["true"]),
            ("true %u", vec!["https://x/?b=$(id)&c='"], vec!["true", "https://x/?b=$(id)&c='"]),
            ("true --url=%u a%%b \"50 %%\"", vec![], vec!["true", "--url=", "a%b", "50 %"]),
            ("true --open", vec!["/x"], vec!["true", "--open", "/x"]),
            ("true %F", vec!["/a b/c", "/d"], vec!["true", "/a b/c", "/d"]),
            ("true \"$HOME; id\"", vec![], vec!["true", "$HOME; id"]),
        ] {
            write(home.path(), "own/applications/a.desktop", &format!("Name=A\nExec={exec}\n"));
            let session = session(home.path());
            let apps = installed(&session);
            assert_eq!(apps[0].argv(&targets, &session).unwrap(), argv, "{exec}");
        }
        let session = session(home.path());
        assert!(installed(&session)[0].argv(&["--option"], &session).is_err());
    }
}
