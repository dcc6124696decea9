//! The guard and its managers: sockets from a service manager, metrics for Prometheus, a telemetry collector.

mod activation;
mod collector;
mod prometheus;
