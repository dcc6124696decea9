//! The start message of a service: its address, the parts it found, and a command to try.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::doors::http::{AppState, status_of};

use super::show;

/// How long the banner waits for back-ends that are still starting.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often it checks.
const PAUSE: Duration = Duration::from_millis(100);

/// The content of the banner.
#[derive(Debug)]
pub(super) struct Banner {
    pub(super) address: SocketAddr,
    /// The source of the configuration.
    pub(super) config: String,
    /// The file of the submitting token.
    pub(super) token: PathBuf,
    /// Whether a program reads standard output.
    pub(super) to_stderr: bool,
}

impl Banner {
    /// Prints the banner once the back-ends are known or the time is over.
    pub(super) async fn tell(self, door: Arc<AppState>, notices: Vec<String>) {
        let print = if self.to_stderr { show::err } else { show::out };
        print(&format!("guarda {} listens on http://{}\n", env!("CARGO_PKG_VERSION"), self.address));
        let status = tokio::time::timeout(PATIENCE, async {
            loop {
                let status = status_of(&door).await;
                if !status.starting() {
                    return status;
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        let status = match status.await {
            Ok(status) => status,
            Err(_) => status_of(&door).await,
        };
        let status = serde_json::to_value(status).unwrap_or_default();
        let notices: String = notices.iter().map(|notice| format!("  {}\n", notice)).collect();
        print(&format!(
            "{}  config: {}\n{notices}  token:  {}  (to ask; `approve-token` beside it, to answer)\n\nTry it in another terminal:\n{}\n",
            show::status(crate::human::words(super::load::page_language()), &status),
            self.config,
            self.token.display(),
            self.sample(),
        ));
    }

    /// A command that shows the whole job when pasted into a shell: it requires a question, and its effect is
    /// visible.
    fn sample(&self) -> String {
        let token = self.token.display().to_string().replace('\'', "'\\''");
        format!(
            "curl http://{}/v1/actions -H \"Authorization: Bearer $(cat '{token}')\" \
             -H 'Content-Type: application/json' -d '{{\"action\": \"RUN_COMMAND\", \"target\": \"touch guarda-was-here\"}}'",
            self.address
        )
    }
}
