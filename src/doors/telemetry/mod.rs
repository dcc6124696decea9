//! How the service is doing, told to a collector by OTLP over HTTP (`[telemetry]`): what `/metrics` counts, and of each
//! request its id, its method, the path of the API, its status and its time. Nothing that was asked for is in it.

#[cfg(feature = "otlp")]
mod otlp;
#[cfg(feature = "otlp")]
pub use otlp::Telemetry;

#[cfg(not(feature = "otlp"))]
mod without;
#[cfg(not(feature = "otlp"))]
pub use without::Telemetry;
