//! Metrics for Prometheus: `GET /metrics`, in text format 0.0.4. Every label is a word of this program or a path of
//! its API, so labels are bounded in number and contain no request content.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the time histogram, in seconds.
const CLASSES: [f64; 7] = [0.001, 0.005, 0.02, 0.1, 1.0, 10.0, 60.0];

/// The counters.
#[derive(Debug, Default)]
pub struct Metrics {
    /// By path and status.
    requests: Mutex<BTreeMap<String, BTreeMap<u16, Times>>>,
    /// By outcome and decider.
    actions: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    /// By verdict.
    judgements: Mutex<BTreeMap<&'static str, u64>>,
    wrong_tokens: AtomicU64,
}

/// What is the case now.
#[derive(Debug)]
pub(crate) struct Gauges {
    /// The actions that have not ended.
    pub(crate) under_way: usize,
    /// The questions that wait for a person.
    pub(crate) open_questions: usize,
    /// Whether the record can be written.
    pub(crate) record_writable: bool,
}

/// One metric with its labels.
#[derive(Debug)]
pub(crate) struct Family {
    /// The metric's name in Prometheus.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The help text.
    pub(crate) help: &'static str,
    /// The labels and the value of each sample.
    pub(crate) samples: Vec<(Vec<(&'static str, String)>, u64)>,
}

/// How a value changes over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It goes up and down.
    Gauge,
    /// It only grows.
    Counter,
}

#[derive(Debug, Default)]
struct Times {
    count: u64,
    seconds: f64,
    classes: [u64; CLASSES.len()],
}

impl Metrics {
    /// Counts a request. `path` is the API's path template.
    pub(super) fn request(&self, path: &str, status: u16, time: Duration) {
        let mut paths = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if !paths.contains_key(path) {
            paths.insert(path.to_owned(), BTreeMap::new());
        }
        let Some(statuses) = paths.get_mut(path) else { return };
        let times = statuses.entry(status).or_default();
        let seconds = time.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        for (count, bound) in times.classes.iter_mut().zip(CLASSES) {
            *count += u64::from(seconds <= bound);
        }
    }

    /// Counts an ended action.
    pub(crate) fn action(&self, outcome: crate::guard::Outcome, by: &crate::guard::DecidedBy) {
        let mut actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        *actions.entry((outcome.name(), by.kind())).or_default() += 1;
    }

    /// Counts a judgement without an action.
    pub(super) fn judgement(&self, verdict: guarda_core::policy::Verdict) {
        let mut judgements = self.judgements.lock().unwrap_or_else(PoisonError::into_inner);
        *judgements.entry(verdict.status()).or_default() += 1;
    }

    /// Counts an unknown token.
    pub(super) fn wrong_token(&self) {
        self.wrong_tokens.fetch_add(1, Ordering::Relaxed);
    }

    /// All metrics except the request times.
    pub(crate) fn families(&self, now: &Gauges) -> Vec<Family> {
        let one = |value: usize| vec![(Vec::new(), value as u64)];
        let actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        let actions = actions.iter().map(|((outcome, by), count)| {
            (vec![("outcome", (*outcome).to_owned()), ("decided_by", (*by).to_owned())], *count)
        });
        let judgements = self.judgements.lock().unwrap_or_else(PoisonError::into_inner);
        let judgements =
            judgements.iter().map(|(status, count)| (vec![("status", (*status).to_owned())], *count));
        let wrong = self.wrong_tokens.load(Ordering::Relaxed);
        let family = |name, kind, help, samples| Family { name, kind, help, samples };
        vec![
            family(
                "guarda_build_info",
                Kind::Gauge,
                "the version of the program",
                vec![(vec![("version", env!("CARGO_PKG_VERSION").to_owned())], 1)],
            ),
            family(
                "guarda_actions_under_way",
                Kind::Gauge,
                "actions that have not ended",
                one(now.under_way),
            ),
            family(
                "guarda_questions_open",
                Kind::Gauge,
                "questions that wait for a person",
                one(now.open_questions),
            ),
            family(
                "guarda_record_writable",
                Kind::Gauge,
                "1 while the record can be written",
                one(usize::from(now.record_writable)),
            ),
            family(
                "guarda_wrong_tokens_total",
                Kind::Counter,
                "requests with a token that is none of ours",
                vec![(Vec::new(), wrong)],
            ),
            family(
                "guarda_actions_total",
                Kind::Counter,
                "ended actions, by outcome and who decided",
                actions.collect(),
            ),
            family(
                "guarda_judgements_total",
                Kind::Counter,
                "judgements without a deed, by status",
                judgements.collect(),
            ),
        ]
    }

    /// The metrics in the text format.
    pub(super) fn page(&self, now: &Gauges) -> String {
        let mut page = Page::default();
        for family in self.families(now) {
            let kind = match family.kind {
                Kind::Gauge => "gauge",
                Kind::Counter => "counter",
            };
            page.head(family.name, kind, family.help);
            for (labels, value) in &family.samples {
                let labels: Vec<(&str, &str)> =
                    labels.iter().map(|(name, value)| (*name, value.as_str())).collect();
                page.line(family.name, &labels, value);
            }
        }
        self.times(&mut page);
        page.0
    }

    fn times(&self, page: &mut Page) {
        page.head("guarda_http_request_seconds", "histogram", "time to the head of the answer");
        for (path, statuses) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            for (status, times) in statuses {
                let status = status.to_string();
                let labels = [("path", path.as_str()), ("status", status.as_str())];
                let bounds = CLASSES.map(|bound| bound.to_string());
                let all = times.classes.iter().zip(bounds.iter().map(String::as_str));
                for (count, bound) in all.chain([(&times.count, "+Inf")]) {
                    let [path, status] = labels;
                    page.line("guarda_http_request_seconds_bucket", &[path, status, ("le", bound)], count);
                }
                page.line("guarda_http_request_seconds_sum", &labels, times.seconds);
                page.line("guarda_http_request_seconds_count", &labels, times.count);
            }
        }
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes one sample. Label values are words of this program and need no escaping.
    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}
