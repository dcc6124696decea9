//! Web pages in a real Chromium that try to speak to the guard, driven by tests/http/surface/pages.py.

use crate::common::{Service, python};

#[test]
fn no_page_gets_a_word_in() {
    let service = Service::start();
    let mut pages = std::process::Command::new(python("bin/python"));
    pages.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/surface/pages.py"));
    pages.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", service.folder.path());
    pages.env("ADDRESS", &service.address).env("TOKEN", &service.token).env("APPROVE", &service.approve);
    // Something that could be answered.
    let _asking = service.act("touch stolen").begin();
    let question = service.question();
    let output = pages.env("QUESTION", &question).current_dir(service.folder.path()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(service.questions(), [question], "nobody has answered");
    assert!(!service.folder.path().join("stolen").exists());
    let counts = service.get("/metrics").send().body;
    assert!(!counts.contains("path=\"/v1/actions\",status=\"200\""), "{counts}");
    assert!(
        counts.contains("status=\"421\"") && counts.contains("status=\"403\""),
        "the pages were heard: {counts}"
    );
    let lines = service.journal();
    assert!(lines.iter().all(|line| !line.to_string().contains("from-a-page")), "{lines:?}");
}
