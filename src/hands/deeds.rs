//! One approved action, and which hand does it.

use std::time::Instant;

use crate::action::Action;
use crate::output::{Ended, RawOutput};
use crate::policy::Situation;

use super::{HandsConfig, command};

/// What every hand needs to know of a deed.
pub(super) struct Deed<'a> {
    pub(super) config: &'a HandsConfig,
    /// What was true when it was judged.
    pub(super) situation: &'a Situation,
    /// A person approved it, not the rules alone.
    pub(super) by_person: bool,
    /// When it was begun.
    pub(super) begun: Instant,
}

impl Deed<'_> {
    /// An end without output.
    pub(super) fn quiet(&self, ended: Ended) -> RawOutput {
        RawOutput::quiet(ended, self.begun.elapsed())
    }

    /// The environment of executed commands (feature B9): nothing of the guard's own but the language.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let path: Vec<String> = self
            .config
            .search_path
            .iter()
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect();
        let mut environment = vec![
            ("PATH".to_owned(), path.join(":")),
            ("HOME".to_owned(), self.situation.home.clone()),
            ("USER".to_owned(), self.config.user.clone()),
            ("LOGNAME".to_owned(), self.config.user.clone()),
            ("TERM".to_owned(), "dumb".to_owned()),
        ];
        let language = |name: &str| name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
        environment.extend(
            self.config
                .session
                .for_applications()
                .into_iter()
                .filter(|(name, _)| language(name)),
        );
        environment
    }
}

/// Does one action.
pub(super) async fn perform(
    deed: &Deed<'_>,
    action: &Action,
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    match action {
        Action::RunCommand { text, script } => command::run(deed, text, script, cancel).await,
        Action::Reply { .. } => deed.quiet(Ended::Finished),
        _ => deed.quiet(Ended::Unavailable("it is not built yet".to_owned())),
    }
}
