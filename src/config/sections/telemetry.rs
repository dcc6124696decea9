//! `[telemetry]`: where counts and request times are sent.

use serde::{Deserialize, Serialize};

use crate::config::field;

/// `[telemetry]`: a collector for the service's metrics, by OTLP over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySection {
    /// The collector's address, such as `http://127.0.0.1:4318`; default: nothing is sent.
    #[serde(deserialize_with = "field::collector")]
    pub endpoint: Option<String>,
    /// The interval between two transmissions of counts, in seconds. Request times are sent within five seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub interval_seconds: u64,
}

impl Default for TelemetrySection {
    fn default() -> Self {
        Self { endpoint: None, interval_seconds: 60 }
    }
}
