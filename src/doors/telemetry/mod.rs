//! Sends the state of the service to a collector by OTLP over HTTP (`[telemetry]`): the counters of `/metrics`, and
//! for each request its id, method, API path, status and duration. Request contents are never sent.

/// Why telemetry could not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTelemetry {
    /// The configured address cannot be used.
    #[error("telemetry.endpoint {endpoint} cannot be used: {why}")]
    Address {
        /// The address.
        endpoint: String,
        /// The exporter's message.
        why: String,
    },
    /// This build lacks the feature.
    #[error(
        "telemetry.endpoint names a collector, and this guarda was built without OTLP: build it with `cargo build \
         --features otlp`, or take the key out"
    )]
    NotBuilt,
}

#[cfg(feature = "otlp")]
mod otlp;
#[cfg(feature = "otlp")]
pub use otlp::Telemetry;

#[cfg(not(feature = "otlp"))]
mod without;
#[cfg(not(feature = "otlp"))]
pub use without::Telemetry;
