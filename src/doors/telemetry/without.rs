//! A program that was built without OTLP.

/// Tells nobody.
#[derive(Debug)]
pub struct Telemetry;

impl Telemetry {
    /// Nothing to start.
    ///
    /// # Errors
    /// If the configuration names a collector.
    pub fn start(config: &crate::config::Telemetry) -> Result<Option<Self>, String> {
        if config.endpoint.is_none() {
            return Ok(None);
        }
        Err("telemetry.endpoint names a collector, and this guarda was built without OTLP: build it with \
             `cargo build --features otlp`, or take the key out"
            .to_owned())
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
