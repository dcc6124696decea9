//! Sends through the OpenTelemetry SDK. Its own threads wait for the collector; requests never do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::Layer as _;

use crate::doors::http::{AppState, Kind};

use super::NoTelemetry;

/// The longest wait for the collector.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for the collector at the end, once for counters and once for requests.
const LAST: Duration = Duration::from_secs(2);
/// The spans that are sent: a request to the API, and a decision of the guard, each with the module that makes it.
const SPANS: [(&str, &str); 2] =
    [("request", "guarda::doors::http::trace"), ("decision", "guarda::guard::reply::tell")];
/// The longest part of the collector's answer that is read, in bytes.
const ANSWER_LIMIT: u64 = 64 * 1024;

/// Sends telemetry to a collector.
#[derive(Debug)]
pub struct Telemetry {
    meters: SdkMeterProvider,
    tracers: SdkTracerProvider,
}

impl Telemetry {
    /// Prepares to send to the configured collector, whether or not it is reachable; `None` if none is configured.
    ///
    /// # Errors
    /// If its address cannot be used.
    pub fn start(config: &crate::config::TelemetrySection) -> Result<Option<Self>, NoTelemetry> {
        let Some(endpoint) = &config.endpoint else { return Ok(None) };
        let wrong = |error: opentelemetry_otlp::ExporterBuildError| NoTelemetry::Address {
            endpoint: endpoint.clone(),
            why: error.to_string(),
        };
        let sender = Sender::new();
        let spans = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_http_client(sender.clone())
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .build()
            .map_err(wrong)?;
        let counts = opentelemetry_otlp::MetricExporter::builder()
            .with_http()
            .with_http_client(sender)
            .with_endpoint(format!("{endpoint}/v1/metrics"))
            .build()
            .map_err(wrong)?;
        let resource = opentelemetry_sdk::Resource::builder_empty()
            .with_service_name("guarda")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let reader = PeriodicReader::builder(counts)
            .with_interval(Duration::from_secs(config.interval_seconds))
            .build();
        Ok(Some(Self {
            meters: SdkMeterProvider::builder().with_reader(reader).with_resource(resource.clone()).build(),
            tracers: SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource).build(),
        }))
    }

    /// A log layer that receives requests and decisions. No other log events are sent.
    pub fn layer<S>(&self) -> impl tracing_subscriber::Layer<S> + use<S>
    where
        S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a> + Send + Sync,
    {
        let sent = tracing_subscriber::filter::filter_fn(|about| {
            about.is_span() && SPANS.contains(&(about.name(), about.target()))
        });
        tracing_opentelemetry::layer()
            .with_tracer(self.tracers.tracer("guarda"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(sent)
    }

    /// Reports the counters of this service.
    pub fn count(&self, door: &Arc<AppState>) {
        let meter = self.meters.meter("guarda");
        for family in door.metrics.families(&door.gauges()) {
            let (name, door) = (family.name, Arc::downgrade(door));
            // OTLP counters have a type of their own, so the suffix of the name is dropped.
            let told = name.strip_suffix("_total").unwrap_or(name);
            match family.kind {
                Kind::Gauge => {
                    let gauge = meter.u64_observable_gauge(told).with_description(family.help);
                    gauge
                        .with_callback(move |to| read(&door, name, |value, labels| to.observe(value, labels)))
                        .build();
                }
                Kind::Counter => {
                    let counter = meter.u64_observable_counter(told).with_description(family.help);
                    counter
                        .with_callback(move |to| read(&door, name, |value, labels| to.observe(value, labels)))
                        .build();
                }
            }
        }
    }

    /// Sends the remaining data; blocks for a few seconds at most.
    pub fn end(self) {
        let _ = self.meters.shutdown_with_timeout(LAST);
        let _ = self.tracers.shutdown_with_timeout(LAST);
    }
}

/// Reads the samples of one metric.
fn read(door: &Weak<AppState>, name: &str, mut tell: impl FnMut(u64, &[KeyValue])) {
    let Some(door) = door.upgrade() else { return };
    let families = door.metrics.families(&door.gauges());
    for (labels, value) in
        families.into_iter().filter(|family| family.name == name).flat_map(|family| family.samples)
    {
        let labels: Vec<KeyValue> =
            labels.into_iter().map(|(name, value)| KeyValue::new(name, value)).collect();
        tell(value, &labels);
    }
}

/// Sends to the collector. Logs when sending starts to fail and when it works again.
#[derive(Debug, Clone)]
struct Sender {
    agent: ureq::Agent,
    failed: Arc<AtomicBool>,
}

impl Sender {
    fn new() -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .proxy(None)
            .http_status_as_error(false)
            .build();
        Self { agent: agent.into(), failed: Arc::default() }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let answer = self.agent.run(Request::from_parts(parts, &*body))?;
        let (parts, mut body) = answer.into_parts();
        let body = body.with_config().limit(ANSWER_LIMIT).read_to_vec()?;
        Ok(Response::from_parts(parts, body.into()))
    }
}

#[async_trait::async_trait]
impl HttpClient for Sender {
    // Runs on the SDK's own threads, which have nothing else to do.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.send(request);
        let trouble = match &answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("it answers {}", answer.status())),
            Err(error) => Some(error.to_string()),
        };
        let before = self.failed.swap(trouble.is_some(), Ordering::Relaxed);
        match (before, trouble) {
            (false, Some(why)) => tracing::warn!(why, "the collector of telemetry.endpoint is not told"),
            (true, None) => tracing::warn!("the collector of telemetry.endpoint is told again"),
            (_, _) => {}
        }
        answer
    }
}
