//! The user's session as its environment describes it: the display, the buses and the sound server.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment of the desktop session. Passed as a value, so that no other code reads the process's own
/// environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DesktopSession {
    variables: BTreeMap<String, String>,
}

impl DesktopSession {
    /// A session with these variables (`DISPLAY`, `DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR` …).
    #[must_use]
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { variables: variables.into_iter().collect() }
    }

    /// The session in which this process was started. Variables that are not UTF-8 are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self::new(std::env::vars_os().filter_map(text))
    }

    /// A variable, if it is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether there is a display on which an application can show itself.
    #[must_use]
    pub fn is_graphic(&self) -> bool {
        self.get("DISPLAY").is_some() || self.get("WAYLAND_DISPLAY").is_some()
    }

    /// The environment for the user's applications: the whole session without the variables of the guard (`GUARDA_*`)
    /// and of the service manager that started it.
    #[must_use]
    pub fn for_applications(&self) -> Vec<(String, String)> {
        const OF_THE_SERVICE: &[&str] = &[
            "NOTIFY_SOCKET",
            "LISTEN_FDS",
            "LISTEN_PID",
            "LISTEN_FDNAMES",
            "INVOCATION_ID",
            "JOURNAL_STREAM",
        ];
        let ours = |name: &str| name.starts_with("GUARDA_") || OF_THE_SERVICE.contains(&name);
        self.variables
            .iter()
            .filter(|(name, _)| !ours(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The user's home folder: `HOME`, or `/` if it is unset.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.get("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from)
    }

    /// The address of the session bus.
    #[must_use]
    pub fn session_bus(&self) -> Option<String> {
        match self.get("DBUS_SESSION_BUS_ADDRESS") {
            Some(address) => Some(address.to_owned()),
            None => {
                let socket = PathBuf::from(self.get("XDG_RUNTIME_DIR")?).join("bus");
                socket.exists().then(|| format!("unix:path={}", socket.display()))
            }
        }
    }

    /// The address of the system bus.
    #[must_use]
    pub fn system_bus(&self) -> String {
        self.get("DBUS_SYSTEM_BUS_ADDRESS").unwrap_or("unix:path=/run/dbus/system_bus_socket").to_owned()
    }

    /// The folders of the user's and the system's shared data, strongest first (XDG base directories).
    #[must_use]
    pub fn data_folders(&self) -> Vec<PathBuf> {
        let own = self.get("XDG_DATA_HOME").map_or_else(|| self.home().join(".local/share"), PathBuf::from);
        let shared = self.get("XDG_DATA_DIRS").unwrap_or("/usr/local/share:/usr/share");
        std::iter::once(own).chain(absolute(shared)).collect()
    }

    /// The folders of the user's and the system's settings, strongest first (XDG base directories).
    #[must_use]
    pub fn config_folders(&self) -> Vec<PathBuf> {
        let own = self.get("XDG_CONFIG_HOME").map_or_else(|| self.home().join(".config"), PathBuf::from);
        let shared = self.get("XDG_CONFIG_DIRS").unwrap_or("/etc/xdg");
        std::iter::once(own).chain(absolute(shared)).collect()
    }

    /// The names of the desktop environment, strongest first, as in `XDG_CURRENT_DESKTOP`.
    #[must_use]
    pub fn desktops(&self) -> Vec<String> {
        let names = self.get("XDG_CURRENT_DESKTOP").unwrap_or_default();
        names.split(':').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// The user's languages as locale names, strongest first: `pt_BR`, `en`.
    #[must_use]
    pub fn locales(&self) -> Vec<String> {
        let plain = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let listed = self.get("LANGUAGE").unwrap_or_default().split(':');
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| self.get(name));
        let mut locales = Vec::new();
        for locale in listed.chain(set).map(plain) {
            if !locale.is_empty() && locale != "C" && locale != "POSIX" && !locales.contains(&locale) {
                locales.push(locale);
            }
        }
        locales
    }
}

/// The base directory specification requires relative paths to be ignored.
fn absolute(list: &str) -> impl Iterator<Item = PathBuf> {
    list.split(':').map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(variables: &[(&str, &str)]) -> DesktopSession {
        DesktopSession::new(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn applications_do_not_inherit_what_is_the_guards() {
        let session = session(&[("DISPLAY", ":5"), ("GUARDA_STATE_DIR", "/s"), ("NOTIFY_SOCKET", "/n")]);
        assert_eq!(session.for_applications(), [("DISPLAY".to_owned(), ":5".to_owned())]);
    }

    #[test]
    fn folders_and_languages_follow_the_standards() {
        let session = session(&[
            ("HOME", "/home/a"),
            ("XDG_DATA_DIRS", "/usr/share:relative:/opt/share"),
            ("LANGUAGE", "pt_BR:pt"),
            ("LANG", "pt_BR.UTF-8"),
            ("XDG_CURRENT_DESKTOP", "ubuntu:GNOME"),
        ]);
        let paths = |texts: &[&str]| texts.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(session.data_folders(), paths(&["/home/a/.local/share", "/usr/share", "/opt/share"]));
        assert_eq!(session.config_folders(), paths(&["/home/a/.config", "/etc/xdg"]));
        assert_eq!(session.locales(), ["pt_BR", "pt"]);
        assert_eq!(session.desktops(), ["ubuntu", "GNOME"]);
        assert_eq!(session.session_bus(), None);
    }
}
