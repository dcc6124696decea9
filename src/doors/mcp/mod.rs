//! MCP: a server of tools, on standard input and output for a client that starts it, and over HTTP. The tools are API
//! paths in another form, with the same requests, verdicts and record.

mod answer;
mod elicit;
mod server;
mod tools;

pub use server::Server;

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::doors::http::AppState;

/// The interval of progress notices, for clients that want them.
const TICK: Duration = Duration::from_secs(5);

/// The server's instructions for the model.
const INSTRUCTIONS: &str = "Commands and desktop actions go through a guard: it judges each, asks the user where it must, \
     does exactly what was approved, and records it. A refusal is final: do not try to reach the same by another way; \
     tell the user.";

/// The client does not speak the protocol, or the connection broke. Holds the library's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSession(pub String);

impl Server {
    /// Serves on standard input and output until the client closes them.
    ///
    /// # Errors
    /// If the client does not speak the protocol.
    pub async fn stdio(self) -> Result<(), NoSession> {
        let running = self.serve(rmcp::transport::stdio()).await;
        let running = running.map_err(|error| NoSession(error.to_string()))?;
        running.waiting().await.map(|_| ()).map_err(|error| NoSession(error.to_string()))
    }

    /// Runs one call to its end, or until a question for the client's user.
    async fn work(
        &self,
        call: &CallToolRequestParams,
        order: tools::TranslatedCall,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let name = call.name.as_ref();
        let done = match order {
            tools::TranslatedCall::Ask(_, Some(order))
                if matches!(name, "execute_bash" | "desktop_action")
                    && self.seal.is_some()
                    && elicit::able(context)
                    && self.elicits().await =>
            {
                self.elicit(call, order, context).await
            }
            order => self.send(order).await.map(|answered| answer::result(name, answered).into()),
        };
        done.unwrap_or_else(|why| elicit::undone(&why).into())
    }

    /// Runs one call, and reports progress to clients that want it.
    async fn call(
        &self,
        call: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = call.name.as_ref();
        let arguments = call.arguments.clone().unwrap_or_default();
        let order = match tools::order(name, arguments) {
            Ok(Some(order)) => order,
            Ok(None) => {
                return Err(ErrorData::invalid_params(format!("there is no tool {name:?}"), None));
            }
            Err(call) => return Ok(answer::trouble(&call.to_string()).into()),
        };
        let token = context.meta.get_progress_token();
        let work = self.work(call, order, context);
        tokio::pin!(work);
        let mut tick = tokio::time::interval(TICK);
        tick.tick().await;
        let mut ticks = 0.0;
        loop {
            tokio::select! {
                // Dropping the work closes the connection, which withdraws the question.
                () = context.ct.cancelled() => return Ok(answer::trouble("called off").into()),
                done = &mut work => return Ok(done),
                _ = tick.tick() => {
                    ticks += 1.0;
                    if let Some(token) = &token {
                        let progress = ProgressNotificationParam::new(token.clone(), ticks)
                            .with_message("waiting for the user or for the command");
                        let _ = context.peer.notify_progress(progress).await;
                    }
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("guarda", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(&request, &context).await
    }
}

/// The service's own `/mcp`. It has no sessions, because requests are independent of each other. The exception is a
/// client with a handshake whose user may be asked, because the form must return to its call.
pub fn service(
    door: Arc<AppState>,
) -> rmcp::transport::streamable_http_server::StreamableHttpService<
    Server,
    rmcp::transport::streamable_http_server::session::local::LocalSessionManager,
> {
    use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
    // This service's own check of Host and Origin covers every path.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(door.elicits)
        .with_json_response(!door.elicits)
        .disable_allowed_hosts();
    let server = Server::within(door);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config)
}
