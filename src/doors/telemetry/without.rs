//! A build without OTLP.

use super::NoTelemetry;

/// Sends nothing.
#[derive(Debug)]
pub struct Telemetry;

impl Telemetry {
    /// Does nothing.
    ///
    /// # Errors
    /// If the configuration names a collector.
    pub fn start(config: &crate::config::TelemetrySection) -> Result<Option<Self>, NoTelemetry> {
        if config.endpoint.is_none() {
            return Ok(None);
        }
        Err(NoTelemetry::NotBuilt)
    }

    /// Takes no part in the log.
    #[must_use]
    pub fn layer(&self) -> tracing_subscriber::layer::Identity {
        tracing_subscriber::layer::Identity::new()
    }

    /// Counts nothing.
    pub fn count(&self, _: &std::sync::Arc<crate::doors::http::AppState>) {}

    /// Has nothing to send.
    pub fn end(self) {}
}
