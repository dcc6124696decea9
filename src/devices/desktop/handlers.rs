//! The application that the user has chosen for a type of file or address (the MIME applications
//! specification).

use std::path::{Path, PathBuf};

use crate::devices::desktop::apps::Application;
use crate::devices::desktop::session::DesktopSession;

/// The type of plain text.
const TEXT: &str = "text/plain";

/// The application for a type such as `x-scheme-handler/https` or `inode/directory`: the user's choice, else
/// the system's, else the first that supports the type.
#[must_use]
pub fn chosen<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    kind: &str,
) -> Option<&'a Application> {
    all(session, applications, kind).into_iter().next()
}

/// The type of a file by its name, as the shared MIME-info database of the machine has it; a file of another name is text if
/// it is UTF-8.
#[must_use]
pub fn kind(session: &DesktopSession, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let tables = session.data_folders().into_iter().map(|folder| folder.join("mime/globs2"));
    let texts = tables.filter_map(|table| std::fs::read_to_string(table).ok());
    let named = texts.filter_map(|text| named(&text, &name)).next();
    named.unwrap_or_else(|| if is_text(path) { TEXT } else { "application/octet-stream" }.to_owned())
}

/// The type that a table gives to a name: that of the greatest weight, and of the longest pattern among these. Each row is
/// `weight:type:pattern`. The few patterns that are more than an ending or a whole name are left out.
fn named(table: &str, name: &str) -> Option<String> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split(':');
        let (weight, kind, pattern) = (fields.next()?.parse::<u32>().ok()?, fields.next()?, fields.next()?);
        let pattern = pattern.to_lowercase();
        let fits = match pattern.strip_prefix('*') {
            Some(ending) => !ending.contains(['*', '?', '[']) && name.ends_with(ending),
            None => pattern == name,
        };
        fits.then(|| ((weight, pattern.len()), kind.to_owned()))
    });
    rows.max_by_key(|(rank, _)| *rank).map(|(_, kind)| kind)
}

/// Whether a file begins with text.
fn is_text(path: &Path) -> bool {
    use std::io::Read as _;
    let mut begin = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut begin));
    let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => !text.contains('\0'),
        // A character may be cut at the end.
        Err(error) => error.error_len().is_none() && !bytes.contains(&0),
    };
    read.is_ok() && text(&begin)
}

/// Every application for a type: defaults first, then associations from the lists, then applications that
/// declare the type.
#[must_use]
pub fn all<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    kind: &str,
) -> Vec<&'a Application> {
    let mut found: Vec<&Application> = Vec::new();
    // Whatever shows text shows every kind of text.
    let kinds = std::iter::once(kind).chain((kind.starts_with("text/") && kind != TEXT).then_some(TEXT));
    let ranked = kinds.flat_map(|kind| {
        set(session, applications, kind).into_iter().chain(associated(session, applications, kind))
    });
    for application in ranked {
        if !found.iter().any(|other| other.id == application.id) {
            found.push(application);
        }
    }
    found
}

/// The default application for a type, set by the user or the system.
#[must_use]
pub fn set<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    kind: &str,
) -> Option<&'a Application> {
    let by_id = |id: &str| applications.iter().find(|application| Some(application.id.as_str()) == bare(id));
    lists(session).iter().find_map(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        entries(&text, "Default Applications", kind).iter().find_map(|id| by_id(id))
    })
}

/// The applications associated with a type, then those that declare it.
fn associated<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    kind: &str,
) -> Vec<&'a Application> {
    let by_id = |id: &str| applications.iter().find(|application| Some(application.id.as_str()) == bare(id));
    let mut removed: Vec<String> = Vec::new();
    let mut added: Vec<String> = Vec::new();
    for file in lists(session) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let entries = |group: &str| entries(&text, group, kind);
        // A weaker list does not restore an association that a stronger one removed.
        added.extend(entries("Added Associations").into_iter().filter(|id| !removed.contains(id)));
        removed.extend(entries("Removed Associations"));
    }
    let says = |application: &&Application| {
        application.types.iter().any(|other| other == kind)
            && !removed.iter().any(|id| bare(id) == Some(application.id.as_str()))
    };
    added.iter().filter_map(|id| by_id(id)).chain(applications.iter().filter(says)).collect()
}

fn bare(id: &str) -> Option<&str> {
    id.strip_suffix(".desktop")
}

/// The lists, strongest first; a desktop environment's list precedes the general one.
fn lists(session: &DesktopSession) -> Vec<PathBuf> {
    let desktops: Vec<String> = session.desktops().iter().map(|name| name.to_lowercase()).collect();
    let data = session.data_folders().into_iter().map(|folder| folder.join("applications"));
    let mut lists = Vec::new();
    for folder in session.config_folders().into_iter().chain(data) {
        lists.extend(desktops.iter().map(|desktop| folder.join(format!("{desktop}-mimeapps.list"))));
        lists.push(folder.join("mimeapps.list"));
        lists.push(folder.join("defaults.list"));
    }
    lists
}

/// A key's value in a group of a list: identifiers, in order.
fn entries(text: &str, group: &str, key: &str) -> Vec<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = name == group;
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return value.split(';').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::desktop::apps::installed;

    #[test]
    fn a_name_has_the_type_of_the_strongest_pattern() {
        let table = "# comment\n50:text/plain:*.txt\n50:text/x-makefile:makefile\n50:application/gzip:*.gz\n\
                     50:application/x-compressed-tar:*.tar.gz\n60:text/x-readme:readme*\n80:a/b:*.Rare:cs\n50:c/d:*.rare\n";
        for (name, kind) in [
            ("a.txt", Some("text/plain")),
            ("makefile", Some("text/x-makefile")),
            ("a.tar.gz", Some("application/x-compressed-tar")),
            ("a.gz", Some("application/gzip")),
            ("x.rare", Some("a/b")),
            ("readme", None),
            ("none", None),
        ] {
            assert_eq!(named(table, name).as_deref(), kind, "{name}");
        }
    }

    #[test]
    fn the_users_choice_comes_first() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let path = home.to_str().unwrap();
        let variables =
            [("HOME", path), ("XDG_DATA_DIRS", ""), ("XDG_CONFIG_DIRS", ""), ("PATH", "/usr/bin:/bin")];
        let session = DesktopSession::new(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let folder = home.join(".local/share/applications");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(home.join(".config")).unwrap();
        for id in ["a", "b", "c"] {
            let text = format!("[Desktop Entry]\nType=Application\nName={id}\nExec=true %u\nMimeType=x/y;\n");
            std::fs::write(folder.join(format!("{id}.desktop")), text).unwrap();
        }
        let applications = installed(&session);
        let chosen = || chosen(&session, &applications, "x/y").map(|app| app.id.clone()).unwrap_or_default();
        let list = |text: &str| std::fs::write(home.join(".config/mimeapps.list"), text).unwrap();
        assert_eq!(chosen(), "a");
        list("[Removed Associations]\nx/y=a.desktop;\n");
        assert_eq!(chosen(), "b");
        list("[Added Associations]\nx/y=c.desktop;\n");
        assert_eq!(chosen(), "c");
        let all: Vec<&str> =
            super::all(&session, &applications, "x/y").iter().map(|app| app.id.as_str()).collect();
        assert_eq!(all, ["c", "a", "b"]);
        list("[Default Applications]\nx/y=gone.desktop;b.desktop;\nother/z=a.desktop\n");
        assert_eq!(chosen(), "b");
        assert!(super::chosen(&session, &applications, "no/type").is_none());
    }
}
