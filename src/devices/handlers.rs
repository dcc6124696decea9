//! The application that the user has chosen for a type of file or address (the MIME applications
//! specification).

use std::path::PathBuf;

use super::apps::Application;
use super::session::DesktopSession;

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

/// Every application for a type: defaults first, then associations from the lists, then applications that
/// declare the type.
#[must_use]
pub fn all<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    kind: &str,
) -> Vec<&'a Application> {
    let mut found: Vec<&Application> = Vec::new();
    for application in
        set(session, applications, kind).into_iter().chain(associated(session, applications, kind))
    {
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
    use crate::devices::apps::installed;

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
