//! The examples of docs/examples, with the real kits: allowed commands run, denied ones are reported and do
//! not run, and without a guard nothing runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Service, folder, python};

const CATASTROPHE: &str = "rm -rf --no-preserve-root /";

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The output of a kit's tool for these commands.
fn told(program: &Path, words: &[&str], service: &Service, commands: &str) -> Vec<String> {
    let programs = Path::new(env!("CARGO_BIN_EXE_guarda")).parent().unwrap();
    let mut kit = Command::new(program);
    kit.args(words).env_clear().env("HOME", service.folder.path());
    kit.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    kit.env("PYTHONDONTWRITEBYTECODE", "1");
    kit.env("GUARDA_STATE_DIR", service.state("")).current_dir(service.folder.path());
    kit.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = kit.spawn().unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<String> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(!lines.is_empty(), "{words:?} {output:?}");
    lines
}

fn try_kit(program: &Path, words: &[&str]) {
    let folder = folder("answer_over_http = false", "");
    let mut service = Service::on(folder);
    let marker = service.folder.path().join("marker");
    let commands = format!("echo olá\ntouch {}\n{CATASTROPHE}\n", marker.display());
    let lines = told(program, words, &service, &commands);
    assert_eq!(lines.len(), 3, "{words:?} {lines:?}");
    assert!(lines[0].contains("olá"), "{words:?} {lines:?}");
    for refused in &lines[1..] {
        assert!(refused.contains("guarda: not done") && !refused.contains("second"), "{words:?} {lines:?}");
    }
    service.signal(rustix::process::Signal::KILL);
    service.end();
    let alone = told(program, words, &service, &format!("touch {}\n", marker.display()));
    assert!(
        alone[0].contains("guarda: not done") && alone[0].contains("guarda serve"),
        "{words:?} {alone:?}"
    );
    assert!(!marker.exists(), "{words:?}");
}

#[test]
fn the_examples_in_python_that_are_light() {
    let python = python("bin/python");
    let script = root("tests/hooks/clients/examples.py");
    for kit in ["plain", "langchain"] {
        try_kit(&python, &[script.to_str().unwrap(), kit]);
    }
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn the_examples_with_every_kit() {
    let script = root("tests/hooks/clients/examples.py");
    for kit in ["plain", "langchain", "llamaindex", "openai-agents"] {
        try_kit(&root("target/clients/python/bin/python"), &[script.to_str().unwrap(), kit]);
        println!("example   python {kit}: asks the guard, and does nothing without it");
    }
    // Node looks for packages in `node_modules` beside a file. The real folder may belong to another user.
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    std::os::unix::fs::symlink(root("target/clients/node_modules"), place.join("node_modules")).unwrap();
    for file in std::fs::read_dir(root("docs/examples")).unwrap().map(Result::unwrap) {
        if file.path().extension().is_some_and(|kind| kind == "ts") {
            std::fs::copy(file.path(), place.join(file.file_name())).unwrap();
        }
    }
    let (script, place) = (root("tests/hooks/clients/examples.mjs"), place.to_str().unwrap().to_owned());
    for kit in ["plain", "langchain", "llamaindex", "openai-agents"] {
        let words = ["--no-warnings", script.to_str().unwrap(), kit, &place];
        try_kit(&root("target/clients/node_modules/.bin/node").canonicalize().unwrap(), &words);
        println!("example   typescript {kit}: asks the guard, and does nothing without it");
    }
}
