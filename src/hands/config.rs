//! The settings of the hands.

use std::path::PathBuf;
use std::time::Duration;

use crate::devices::desktop::session::DesktopSession;
use guarda_sandbox::Sandbox;

/// The search path of executed commands, independent of the guard's own.
pub const SEARCH_PATH: &[&str] =
    &["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/// The settings of the hands.
#[derive(Debug, Clone)]
pub struct HandsConfig {
    /// The user's home folder, absolute.
    pub home: PathBuf,
    /// The user's name, for the environment of commands.
    pub user: String,
    /// The language of texts that are shown in the assistant's name.
    pub language: guarda_core::action::Language,
    /// The desktop session: display, buses, sound server, data folders.
    pub session: DesktopSession,
    /// The program that talks to the sound server: `guarda-desktop`.
    pub desktop: PathBuf,
    /// The search path for commands: absolute folders, in order.
    pub search_path: Vec<PathBuf>,
    /// The time limit of a command.
    pub command_timeout: Duration,
    /// The time limit of a desktop action.
    pub desktop_timeout: Duration,
    /// The sandbox settings.
    pub keeping: crate::config::SandboxSection,
    /// The network settings.
    pub network: crate::config::sections::network::NetworkInForce,
    /// The factory of sandboxes.
    pub sandbox: Sandbox,
    /// The store for held-back changes and old versions. `None`: nothing is staged, and nothing can be undone.
    pub stages: Option<guarda_sandbox::stage::Stages>,
    /// Whether commands that change files are staged.
    pub staging: bool,
    /// The folders that a person trusts. In a workspace, changes there need no question.
    pub trust: std::sync::Arc<crate::hands::trust::Trust>,
    /// What goes on running in the sessions.
    pub sessions: std::sync::Arc<crate::hands::commands::sessions::KeptSessions>,
    /// Caches in the home folder whose changes are kept.
    pub keep_caches: Vec<String>,
    /// How many bytes of each output stream are kept.
    pub output_limit: usize,
    /// The terminal for applications that need one, by name; `None`: the first known one that is installed.
    pub terminal: Option<String>,
    /// The kernel's folder of screens with a backlight; [`crate::devices::desktop::backlight::FOLDER`] except in tests.
    pub backlight: PathBuf,
    /// The guard's own files and folders, which no command reads or writes: configuration, state, record, sockets.
    pub guard: Vec<PathBuf>,
    /// Files that no command writes: the guard's programs, and the settings of clients that have its hook.
    pub settings: Vec<PathBuf>,
    /// `advanced_mode`: whether `sudo` may be run at all.
    pub advanced_mode: bool,
    /// The program that `sudo` calls to ask the person for the password; it is started with `GUARDA_ASKPASS=1` and
    /// sudo's prompt as its argument. `None`: nothing is run with sudo.
    pub askpass: Option<PathBuf>,
    /// How the password is asked for, or why it cannot be; then no command that needs a password runs.
    pub password: Result<crate::devices::terminal::askpass::Route, crate::devices::fault::DeviceFault>,
}

impl HandsConfig {
    /// The sound of the session.
    pub(crate) fn sound(&self) -> crate::devices::sound::output::SessionSound {
        crate::devices::sound::output::SessionSound {
            program: self.desktop.clone(),
            session: self.session.clone(),
        }
    }

    /// The usual settings for a session.
    #[must_use]
    pub fn of_session(session: DesktopSession) -> Self {
        Self {
            home: session.home(),
            user: session.get("USER").or_else(|| session.get("LOGNAME")).unwrap_or_default().to_owned(),
            session,
            language: guarda_core::action::Language::default(),
            desktop: crate::devices::process::helper::program(),
            search_path: SEARCH_PATH.iter().map(PathBuf::from).collect(),
            command_timeout: Duration::from_secs(120),
            desktop_timeout: Duration::from_secs(5),
            keeping: crate::config::SandboxSection::default(),
            network: crate::config::sections::network::NetworkInForce::default(),
            sandbox: Sandbox::new(),
            stages: None,
            staging: true,
            trust: std::sync::Arc::default(),
            sessions: std::sync::Arc::default(),
            keep_caches: Vec::new(),
            output_limit: 1024 * 1024,
            terminal: None,
            backlight: crate::devices::desktop::backlight::FOLDER.into(),
            guard: Vec::new(),
            settings: Vec::new(),
            advanced_mode: false,
            askpass: None,
            password: Err(crate::devices::fault::DeviceFault::absent(
                "nothing is there to ask for the password",
            )),
        }
    }
}
