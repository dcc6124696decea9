//! What a service says when it starts: where it is, what it found, and a line to try.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::doors::http::{AppState, status_of};

use super::show;

/// How long the banner waits for back-ends that are still being looked for.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often it looks.
const PAUSE: Duration = Duration::from_millis(100);

/// What is said.
#[derive(Debug)]
pub(super) struct Banner {
    pub(super) address: SocketAddr,
    /// Where the configuration comes from.
    pub(super) config: String,
    /// The file of the submitting token.
    pub(super) token: PathBuf,
    /// Standard output belongs to a program that reads it.
    pub(super) to_stderr: bool,
}

impl Banner {
    /// Says it, once the back-ends are known or have had their time.
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
            show::status(&status),
            self.config,
            self.token.display(),
            self.sample(),
        ));
    }

    /// A line that shows the whole job when it is pasted into a shell: it is asked, and what it does can be seen.
    fn sample(&self) -> String {
        let token = self.token.display().to_string().replace('\'', "'\\''");
        format!(
            "curl http://{}/v1/actions -H \"Authorization: Bearer $(cat '{token}')\" \
             -H 'Content-Type: application/json' -d '{{\"action\": \"RUN_COMMAND\", \"target\": \"touch guarda-was-here\"}}'",
            self.address
        )
    }
}
