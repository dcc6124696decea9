//! The message at the start of a service: its address, what works, what is missing, and one command to try.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::doors::http::{AppState, status_of};

use super::status::summary;
use super::{load, terminal};

/// How long the banner waits for back-ends that are still starting.
const PATIENCE: Duration = Duration::from_secs(3);
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(100);

/// The content of the banner.
#[derive(Debug)]
pub(crate) struct Banner {
    pub(crate) address: SocketAddr,
    /// The source of the configuration.
    pub(crate) config: String,
    /// The file of the submit token.
    pub(crate) token: PathBuf,
    /// True if standard output belongs to a program, so the banner goes to standard error.
    pub(crate) to_stderr: bool,
}

impl Banner {
    /// Prints the banner once the state of every back-end is known, or after [`PATIENCE`].
    pub(crate) async fn tell(self, door: Arc<AppState>, notices: Vec<String>) {
        let print = if self.to_stderr { terminal::err } else { terminal::out };
        let words = load::words();
        let at = [("version", env!("CARGO_PKG_VERSION").into()), ("name", self.address.to_string().into())];
        print(&format!("{}\n", words.say("banner-listens", &at)));
        let status = tokio::time::timeout(PATIENCE, async {
            loop {
                let status = status_of(&door, words).await;
                if !status.starting() {
                    return status;
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        let status = match status.await {
            Ok(status) => status,
            Err(_) => status_of(&door, words).await,
        };
        let status = serde_json::to_value(status).unwrap_or_default();
        // Programs read whole lines, so only a terminal gets wrapped ones.
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
        let room = if terminal { terminal::columns() } else { usize::MAX };
        let notices: String = notices.iter().map(|notice| format!("  {}\n", notice)).collect();
        let files =
            [("config", self.config.as_str().into()), ("token", self.token.display().to_string().into())];
        print(&format!(
            "{}{notices}  {}\n\n{}\n{}\n",
            summary(words, &status, room),
            words.say("banner-files", &files),
            words.say("banner-try", &[]),
            sample(),
        ));
    }
}

/// A command that shows the whole process when pasted into a shell: it leads to a question, and its effect is visible.
fn sample() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let state = load::environment("GUARDA_STATE_DIR");
    let state = state.map(|folder| format!("GUARDA_STATE_DIR={} ", quoted(&folder))).unwrap_or_default();
    let own = std::env::current_exe().ok().map(|program| program.with_file_name("guarda"));
    let known = crate::devices::process::search::in_own_path("guarda");
    let program = match own.filter(|own| known.as_ref() != Some(own)) {
        Some(own) => quoted(&own.display().to_string()),
        None => "guarda".to_owned(),
    };
    format!("{state}{program} act RUN_COMMAND 'touch guarda-was-here'")
}
