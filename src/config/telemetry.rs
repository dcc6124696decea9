//! `[telemetry]`: where counts and times are sent.

use serde::{Deserialize, Serialize};

use super::field;

/// `[telemetry]`: the collector that is told how the service is doing, by OTLP over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// Its address, such as `http://127.0.0.1:4318`; where nothing is written, nothing is sent.
    #[serde(deserialize_with = "field::collector")]
    pub endpoint: Option<String>,
    /// Seconds between two sendings of the counts. Times of requests are sent within five seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub interval_seconds: u64,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self { endpoint: None, interval_seconds: 60 }
    }
}
