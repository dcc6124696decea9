//! How the service is doing, told to a collector by OTLP over HTTP (`[telemetry]`): what `/metrics` counts, and of each
//! request its id, its method, the path of the API, its status and its time. Nothing that was asked for is in it.

/// Why no collector can be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTelemetry {
    /// The configured address cannot be used.
    #[error("telemetry.endpoint {endpoint} cannot be used: {why}")]
    Address {
        /// The address.
        endpoint: String,
        /// What the exporter says of it.
        why: String,
    },
    /// The feature is missing from this build.
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
