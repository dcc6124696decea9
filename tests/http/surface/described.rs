//! Requests that Schemathesis makes from `/openapi.json`: none causes a fault of the service, and each
//! response is as described. `GUARDA_SCHEMA_SEED` and `GUARDA_SCHEMA_EXAMPLES` make it another run or a
//! longer one.

use std::process::Command;

use crate::common::{Service, folder, python};

fn setting(name: &str, usual: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| usual.to_owned())
}

#[test]
fn every_answer_is_as_described() {
    // No generated request must be approved by a person or reach this machine's own services.
    let place =
        folder("answer_over_http = true", "confirmation_timeout_seconds = 1\nrefusals_per_minute = 1");
    let service = Service::under(place, &["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere"]);
    let (address, out) = (&service.address, service.folder.path().join("schemathesis"));
    std::fs::create_dir(&out).unwrap();
    let config = out.join("schemathesis.toml");
    let tokens = [("submit", &service.token), ("approve", &service.approve)];
    let tokens = tokens.map(|(name, token)| format!("[auth.openapi.{name}]\nbearer = \"{token}\"\n"));
    std::fs::write(&config, tokens.concat()).unwrap();
    let seed = setting("GUARDA_SCHEMA_SEED", "1");
    let mut command = Command::new(python("bin/schemathesis"));
    command.arg("--config-file").arg(&config).arg("run").arg(format!("http://{address}/openapi.json"));
    command.args(["--phases", "examples,coverage,fuzzing", "--seed", &seed, "--workers", "2", "--no-color"]);
    command.args(["--max-examples", &setting("GUARDA_SCHEMA_EXAMPLES", "6"), "--request-timeout", "60"]);
    command.args(["--continue-on-failure", "--warnings", "off", "--suppress-health-check", "all"]);
    // Three checks do not apply: the description leaves open which words are actions and what a model's
    // message contains, so these are refused with 422; many wrong tokens get 429, which ignored_auth takes
    // for access; and a POST that a page could send is refused before its token is checked, which
    // missing_required_header objects to.
    command.args(["--exclude-checks", "positive_data_acceptance,ignored_auth,missing_required_header"]);
    let output = command.current_dir(&out).env_remove("SCHEMATHESIS_HOOKS").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Fuzzing"), "{said}");
    println!("{}", said.lines().rev().take(12).collect::<Vec<_>>().join("\n"));
    assert_eq!(service.get("/v1/health").send().status, 200);
    assert!(guarda_journal::verify(&service.state("journal"), None).unwrap().is_sound());
    let panicked = service.said().lines().any(|line| line.contains("panicked"));
    assert!(!panicked, "{}", service.said());
}
