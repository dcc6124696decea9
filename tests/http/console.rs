//! The console in a real Chromium, driven by tests/http/console/journey.py.

use crate::common::{Service, UNSTAGED, guarda, python};

#[test]
fn a_person_answers_in_a_browser_and_nobody_else_does() {
    let service = Service::with("", &format!("confirmation_timeout_seconds = 20\n{UNSTAGED}"));
    let root = env!("CARGO_MANIFEST_DIR");
    // The same environment as the service, for `guarda console`.
    let own = guarda(service.folder.path());
    let mut journey = std::process::Command::new(python("bin/python"));
    journey
        .arg(format!("{root}/tests/http/console/journey.py"))
        .current_dir(service.folder.path())
        .env_clear();
    journey.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    journey.env("ADDRESS", &service.address).env("FOLDER", service.folder.path());
    journey.env("GUARDA", env!("CARGO_BIN_EXE_guarda")).env("SERVICE", service.child.id().to_string());
    if let Some(folder) = std::env::var_os("SCREENSHOTS") {
        journey.env("SCREENSHOTS", folder);
    }
    let output = journey.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}
