//! From the build to the first use: installed, checked, tried without a model.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Service, folder, guarda, wait};

fn script(root: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/install"));
    command.args(words).env("DESTDIR", root).env("PREFIX", "/opt/g");
    command.output().unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let output =
        Command::new("find").arg(folder).args(["-type", "f", "-printf", "%P %m\n"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut files: Vec<String> = text.lines().map(str::to_owned).collect();
    files.sort();
    files
}

#[test]
fn what_is_put_in_works_and_can_be_taken_out() {
    let root = tempfile::tempdir().unwrap();
    let built = Path::new(env!("CARGO_BIN_EXE_guarda")).parent().unwrap();
    let output = script(root.path(), &["in", built.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let there = files(root.path());
    for name in [
        "opt/g/bin/guarda 755",
        "opt/g/bin/guarda-desktop 755",
        "opt/g/bin/guarda-hook 755",
        "opt/g/bin/guarda-keeper 755",
        "opt/g/bin/guarda-keys 755",
        "opt/g/bin/guarda-service 755",
        "opt/g/lib/systemd/system/guarda-keys.service 644",
        "opt/g/lib/sysusers.d/guarda-keys.conf 644",
        "opt/g/lib/udev/rules.d/70-guarda-keys.rules 644",
        "opt/g/share/man/man1/guarda-keys.1 644",
        "opt/g/share/applications/guarda-console.desktop 644",
        "opt/g/share/doc/guarda/docs/answers.md 644",
        "opt/g/share/doc/guarda/docs/keys.md 644",
        "opt/g/share/bash-completion/completions/guarda 644",
        "opt/g/share/man/man1/guarda.1 644",
        "opt/g/share/man/man1/guarda-serve.1 644",
        "opt/g/share/systemd/user/guarda.service 644",
        "opt/g/share/systemd/user/guarda.socket 644",
        "opt/g/share/zsh/site-functions/_guarda 644",
    ] {
        assert!(there.iter().any(|file| file == name), "{name} is not among {there:#?}");
    }
    let prefix = root.path().join("opt/g");
    let unit = prefix.join("share/systemd/user/guarda.service");
    let text = std::fs::read_to_string(&unit).unwrap();
    assert!(text.contains("\nExecStart=/opt/g/bin/guarda serve\n"), "{text}");
    assert!(text.contains("\nNoNewPrivileges=yes\n"), "{text}");
    // The programs find each other where they are now.
    let place = folder("", "");
    let output = guarda(place.path()).arg("--version").output().unwrap();
    let mut moved = Command::new(prefix.join("bin/guarda"));
    assert_eq!(moved.arg("--version").output().unwrap().stdout, output.stdout);
    drop(Service::of(place, &prefix.join("bin/guarda")));
    let completions = prefix.join("share/bash-completion/completions/guarda");
    assert!(Command::new("bash").arg("-n").arg(completions).status().unwrap().success());
    // A unit with the real path, since systemd looks whether the program is there.
    let real = text.replace("/opt/g/bin", prefix.join("bin").to_str().unwrap());
    std::fs::write(&unit, real).unwrap();
    if let Ok(output) =
        Command::new("systemd-analyze").args(["--user", "--man=no", "verify"]).arg(&unit).output()
    {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let ours: Vec<&str> = said.lines().filter(|line| line.contains("guarda")).collect();
        assert!(ours.is_empty(), "{said}");
    }
    let output = script(root.path(), &["out"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(files(root.path()), [] as [String; 0]);
}

fn doctor(folder: &Path, words: &[&str]) -> (i32, serde_json::Value) {
    let output = guarda(folder).args(["doctor", "--json"]).args(words).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {output:?}"));
    (output.status.code().unwrap(), json)
}

#[track_caller]
fn how<'a>(found: &'a serde_json::Value, name: &str) -> (&'a str, &'a str) {
    let checks = found["checks"].as_array().unwrap();
    let check =
        checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {found:#}"));
    (check["how"].as_str().unwrap(), check["fix"].as_str().unwrap_or_default())
}

#[test]
fn the_doctor_sees_what_is_wrong_and_says_how_to_mend_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let service = Service::start();
    let (_, found) = doctor(service.folder.path(), &[]);
    for name in [
        "configuration",
        "state folder",
        "token",
        "approve-token",
        "service",
        "record",
        "registry",
        "answer by http",
    ] {
        assert_eq!(how(&found, name).0, "good", "{name}: {found:#}");
    }
    // Muted by its configuration, which is reported but not counted as a fault.
    assert_eq!(how(&found, "speech").0, "good", "{found:#}");
    let all = found["checks"].as_array().unwrap();
    assert!(
        all.iter()
            .all(|check| check["how"] == "good" || check["fix"].as_str().is_some_and(|mend| mend.len() > 5))
    );
    let token = service.state("token");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(service.folder.path().join("config.toml"), "[security]\nnonsense = 1\n").unwrap();
    let (code, found) = doctor(service.folder.path(), &[]);
    assert_eq!((code, &found["well"]), (1, &false.into()));
    let (state, mend) = how(&found, "token");
    assert!(state == "broken" && mend.contains("rm "), "{found:#}");
    assert_eq!(how(&found, "configuration").0, "broken");
}

#[test]
fn the_doctor_needs_no_service() {
    let place = folder("", "");
    let (_, found) = doctor(place.path(), &[]);
    assert_eq!(how(&found, "service").0, "warning");
    assert!(found["checks"].as_array().unwrap().iter().any(|check| check["name"] == "sandbox"), "{found:#}");
    assert!(!place.path().join("state").exists(), "it changes nothing");
}

#[test]
fn the_demo_plays_the_main_job() {
    for (answer, left) in [("yes", "old.zip is gone"), ("no", "old.zip is still there")] {
        let place = folder("", "");
        let output = guarda(place.path()).args(["demo", "--answer", answer]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said} {output:?}");
        for word in [left, "letter.txt", "blocked  this", "failed  I", "recorded as demo"] {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert!(!place.path().join("state").exists(), "its own service leaves nothing");
        let folder = said.lines().find_map(|line| line.strip_prefix("Everything happens in ")).unwrap();
        wait("the folder is gone", || (!Path::new(folder).exists()).then_some(()));
    }
}

#[test]
fn the_demo_asks_the_running_service() {
    let service = Service::start();
    let output = guarda(service.folder.path()).args(["demo", "--answer", "yes"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("The running service is used."), "{said} {output:?}");
    let lines = service.journal();
    assert!(lines.iter().any(|line| line.to_string().contains("\"demo\"")), "{lines:?}");
}
