//! What looks before a judgement and does what was approved after it. Nothing is interpreted here a second time.

mod look;
mod preview;
mod deeds;
mod names;
mod apps;
mod open;
mod sound;
mod playing;
mod machine;
mod screen;
mod keys;
mod files;
mod command;
mod kept;
mod plan;
mod streams;
mod status;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use look::LookError;
pub use status::Backend;

use crate::devices::capture::Volume;
use crate::devices::sandbox::{Capabilities, Protection, Sandbox};
use crate::devices::session::Session;
use crate::output::RawOutput;
use crate::policy::Situation;

/// The search path of executed commands, whatever the guard's own is.
pub const SEARCH_PATH: &[&str] =
    &["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/// How long a question waits for what its action touches to be counted.
const PREVIEW_PATIENCE: Duration = Duration::from_secs(2);

/// What the hands need to know.
#[derive(Debug, Clone)]
pub struct HandsConfig {
    /// The user's home folder, absolute.
    pub home: PathBuf,
    /// The user's name, for the environment of commands.
    pub user: String,
    /// The desktop session: display, buses, sound server, data folders.
    pub session: Session,
    /// The program that speaks to the sound server: `guarda-desktop`.
    pub desktop: PathBuf,
    /// Where programs of commands are looked for; absolute folders, strongest first.
    pub search_path: Vec<PathBuf>,
    /// How long a command may take.
    pub command_timeout: Duration,
    /// How long a deed on the desktop may take.
    pub desktop_timeout: Duration,
    /// How far commands are kept in.
    pub keeping: crate::config::Sandbox,
    /// What makes the sandboxes.
    pub sandbox: Sandbox,
    /// How many bytes of each stream of a command are kept while it is read.
    pub output_limit: usize,
    /// The terminal for applications that need one, by name; `None` takes the first known one that is there.
    pub terminal: Option<String>,
    /// Where the kernel shows the screens whose brightness can be set; [`crate::devices::backlight::FOLDER`] but in tests.
    pub backlight: PathBuf,
    /// The guard's own files and folders: program, configuration, state, sockets.
    pub guard: Vec<PathBuf>,
    /// `advanced_mode`: whether `sudo` may be run at all.
    pub advanced_mode: bool,
    /// The program that `sudo` calls to ask the person for the password; it is started with `GUARDA_ASKPASS=1` and
    /// sudo's prompt as its argument. `None`: nothing is run with sudo.
    pub askpass: Option<PathBuf>,
    /// How the password is asked for; without it, nothing is run that needs one. Why it cannot be, where that is known.
    pub password: Result<crate::devices::askpass::Route, String>,
}

impl HandsConfig {
    /// The sound of the session.
    pub(crate) fn sound(&self) -> crate::devices::sound::Sound {
        crate::devices::sound::Sound { program: self.desktop.clone(), session: self.session.clone() }
    }

    /// The usual settings for a session.
    #[must_use]
    pub fn of_session(session: Session) -> Self {
        Self {
            home: session.home(),
            user: session.get("USER").or_else(|| session.get("LOGNAME")).unwrap_or_default().to_owned(),
            session,
            desktop: crate::devices::helper::program(),
            search_path: SEARCH_PATH.iter().map(PathBuf::from).collect(),
            command_timeout: Duration::from_secs(120),
            desktop_timeout: Duration::from_secs(5),
            keeping: crate::config::Sandbox::default(),
            sandbox: Sandbox::new(),
            output_limit: 1024 * 1024,
            terminal: None,
            backlight: crate::devices::backlight::FOLDER.into(),
            guard: Vec::new(),
            advanced_mode: false,
            askpass: None,
            password: Err("nothing is there to ask for the password".to_owned()),
        }
    }
}

/// The hands: they look, and they act.
#[derive(Debug)]
pub struct Hands {
    config: HandsConfig,
    /// What this machine can hold back; found out once.
    capabilities: tokio::sync::OnceCell<Capabilities>,
}

impl Hands {
    /// Hands with these settings.
    #[must_use]
    pub fn new(mut config: HandsConfig) -> Self {
        for path in &mut config.guard {
            *path = crate::devices::paths::plain(path);
        }
        Self { config, capabilities: tokio::sync::OnceCell::new() }
    }

    /// Gathers the facts that the judge may use, once.
    ///
    /// # Errors
    /// If the action cannot be looked at: its folder does not exist, or it names more paths than are looked up.
    pub fn look(
        &self,
        proposal: &crate::action::Proposal,
        question_open: bool,
    ) -> Result<Situation, LookError> {
        look::look(&self.config, proposal, question_open, true)
    }

    /// The same where nothing will be done: the folder to run in need not be there.
    ///
    /// # Errors
    /// If it names more paths than are looked up.
    pub fn survey(&self, proposal: &crate::action::Proposal) -> Result<Situation, LookError> {
        look::look(&self.config, proposal, false, false)
    }

    /// What the action would touch, for the person who is asked: counted with a bounded amount of work, and nothing run.
    /// Where the files do not answer in time, that is what is told.
    pub async fn preview(
        &self,
        proposal: &Arc<crate::action::Proposal>,
        situation: &Situation,
    ) -> crate::devices::touch::Preview {
        let (proposal, home) = (Arc::clone(proposal), PathBuf::from(&situation.home));
        let folder = PathBuf::from(&situation.cwd);
        let counting =
            tokio::task::spawn_blocking(move || preview::preview(&proposal.action, &home, &folder));
        let unknown = || crate::devices::touch::Preview { open: true, ..Default::default() };
        // The count itself ends by its fuel; a server of files that hangs would hold up the question for ever.
        match tokio::time::timeout(PREVIEW_PATIENCE, counting).await {
            Ok(Ok(preview)) => preview,
            Ok(Err(_)) | Err(_) => unknown(),
        }
    }

    /// Does what was approved, as it was judged in `situation`. Ends early when `cancel` does.
    pub async fn act(
        &self,
        warrant: crate::record::Warrant,
        situation: &Situation,
        cancel: impl Future<Output = ()> + Send,
    ) -> (crate::record::Open, RawOutput) {
        self.act_counted(warrant, situation, cancel, &Arc::default()).await
    }

    /// The same; how much a command writes is counted while it runs.
    pub async fn act_counted(
        &self,
        warrant: crate::record::Warrant,
        situation: &Situation,
        cancel: impl Future<Output = ()> + Send,
        volume: &Arc<Volume>,
    ) -> (crate::record::Open, RawOutput) {
        let by_person = warrant.by_person();
        let open = warrant.begin();
        let begun = Instant::now();
        let subject = Arc::clone(open.judgement().subject());
        let word = open.judgement().history().and_then(|history| history.word.as_ref());
        let always = word.is_some_and(|word| word.standing == crate::policy::history::Standing::AlwaysAllow);
        let deed = deeds::Deed {
            config: &self.config,
            situation,
            by_person,
            named: by_person || always,
            asked: subject.claims.sandbox,
            known: &self.capabilities,
            volume,
            begun,
        };
        let output = deeds::perform(&deed, &subject.action, cancel).await;
        (open, output)
    }

    /// What this machine can hold back.
    pub async fn capabilities(&self) -> &Capabilities {
        self.capabilities.get_or_init(|| self.config.sandbox.probe()).await
    }

    /// What would hold around a command, as far as it is known before; `None` for what is no command. Where it has
    /// several programs, the least of what they are kept in by.
    pub async fn foresee(
        &self,
        proposal: &crate::action::Proposal,
        situation: &Situation,
    ) -> Option<Protection> {
        let crate::action::Action::RunCommand { script, .. } = &proposal.action else { return None };
        let needs = kept::needs(&self.config, situation, proposal.claims.sandbox, script.as_ref().ok());
        let capabilities = self.capabilities().await;
        let each = needs.iter().map(|need| need.foreseen(capabilities));
        each.reduce(|one, other| one.joined(&other))
    }

    /// Whether a command is refused where it cannot be kept in as it should be.
    #[must_use]
    pub fn requires_sandbox(&self) -> bool {
        self.config.keeping.require_sandbox
    }

    /// The parts of the machine that deeds need, and how they are. Asks each with a deadline of its own.
    pub async fn status(&self) -> Vec<Backend> {
        let mut all = status::all(&self.config).await;
        all.insert(0, status::sandbox(&self.config, self.capabilities().await));
        all
    }
}
