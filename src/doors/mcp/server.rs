//! Where the server sends the requests of its tools.

use std::sync::Arc;

use rmcp::model::RequestStateCodec;

use super::{answer, tools};
use crate::doors::client::{As, NoAnswer, SOON, ServiceAnswer, send_with};
use crate::doors::http::AppState;

/// Where the requests go.
#[derive(Debug, Clone)]
enum Backend {
    /// To the running service of this state folder.
    Service(std::path::PathBuf),
    /// To the service that contains this server.
    Inside(Arc<AppState>),
}

/// The server of tools.
#[derive(Debug, Clone)]
pub struct Server {
    backend: Backend,
    /// Authenticates the state that a client returns with the answer to a form.
    pub(super) seal: Option<Arc<RequestStateCodec>>,
    /// Whether clients' users may be asked. Looked up once.
    elicits: Arc<tokio::sync::OnceCell<bool>>,
}

impl Server {
    /// A server that forwards requests to the running service of a state folder.
    #[must_use]
    pub fn beside(state: std::path::PathBuf) -> Self {
        Self::new(Backend::Service(state), Arc::default())
    }

    /// A server inside the service.
    #[must_use]
    pub fn within(door: Arc<AppState>) -> Self {
        let elicits = Arc::new(tokio::sync::OnceCell::new_with(Some(door.elicits)));
        Self::new(Backend::Inside(door), elicits)
    }

    fn new(backend: Backend, elicits: Arc<tokio::sync::OnceCell<bool>>) -> Self {
        // Without random bytes, no form is shown.
        let key = crate::devices::random::bytes::<32>().ok();
        let seal = key.and_then(|key| RequestStateCodec::try_new(key).ok()).map(Arc::new);
        Self { backend, seal, elicits }
    }

    pub(super) async fn send(&self, order: tools::TranslatedCall) -> Result<ServiceAnswer, NoAnswer> {
        match order {
            tools::TranslatedCall::Here(value) => Ok(ServiceAnswer::here(200, value)),
            tools::TranslatedCall::Ask(path, body) => {
                let answered = self.ask(&path, body.as_ref()).await?;
                // A service without a registry has no tokens, so the call waits for the user instead.
                match (body, answered.status) {
                    (Some(order), 404 | 501) if path == tools::EXECUTE => match tools::plain(&order) {
                        Ok(action) => Ok(answer::executed(self.ask("/v1/actions", Some(&action)).await?)),
                        Err(call) => Err(NoAnswer::Broken(call.to_string())),
                    },
                    (_, _) => Ok(answered),
                }
            }
        }
    }

    pub(super) async fn ask(
        &self,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<ServiceAnswer, NoAnswer> {
        self.transmit(path, body, false).await
    }

    /// Sends a request without waiting for its outcome.
    pub(super) async fn ask_soon(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<ServiceAnswer, NoAnswer> {
        self.transmit(path, Some(body), true).await
    }

    async fn transmit(
        &self,
        path: &str,
        body: Option<&serde_json::Value>,
        soon: bool,
    ) -> Result<ServiceAnswer, NoAnswer> {
        let body = body.map(|body| body.to_string().into_bytes());
        let prefer = soon.then_some(SOON);
        match &self.backend {
            Backend::Service(state) => send_with(state, As::Asker, path, body, prefer.as_slice()).await,
            Backend::Inside(door) => crate::doors::http::inside(Arc::clone(door), path, body, prefer).await,
        }
    }

    /// Whether the service permits questions to the client's user.
    pub(super) async fn elicits(&self) -> bool {
        let ask = || async {
            let status = self.ask("/v1/status", None).await?;
            Ok::<_, NoAnswer>(status.body.pointer("/answers/mcp/state") == Some(&"ready".into()))
        };
        self.elicits.get_or_try_init(ask).await.is_ok_and(|elicits| *elicits)
    }
}
