//! `/metrics`, read by the parser of Prometheus's own Python client.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::{Service, python};

#[test]
fn the_counts_are_read_by_a_real_parser() {
    let service = Service::start();
    for (path, body) in [
        ("/v1/actions", r#"{"action": "RUN_COMMAND", "target": "echo secretword"}"#),
        ("/v1/actions", r#"{"action": "RUN_COMMAND", "target": "rm -rf /"}"#),
        ("/v1/judge", r#"{"action": "RUN_COMMAND", "target": "rm secretword"}"#),
        ("/v1/secretword\"}", "{}"),
    ] {
        service.post(path, body).send();
    }
    service.get("/v1/status").token("wrong").send();
    let page = service.get("/metrics").send().body;
    let mut parser = std::process::Command::new(python("bin/python"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/managed/prometheus.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    parser.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = parser.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{page}", String::from_utf8_lossy(&output.stderr));
}
