//! Secrets that git tracks, through a real service: a staged run does not see them, and must not take their
//! absence for a change (features N1, N4).

use std::process::Command;

use crate::common::project::Project;
use crate::common::{Service, folder, meanwhile};
use serde_json::json;

/// Files that no run sees without a person's yes.
const SECRETS: &[(&str, &str)] = &[
    (".env", "TOKEN=first\n"),
    ("id_rsa", "a key\n"),
    ("deploy/.ssh/config", "Host x\n"),
    ("deploy/.ssh/keys/one", "another key\n"),
];

impl Project {
    /// The project is a repository with tracked secrets.
    fn with_secrets() -> Self {
        let folder = folder("", "confirmation_timeout_seconds = 2\nprofile = \"workspace\"");
        let work = folder.path().join("work");
        std::fs::create_dir_all(work.join("deploy/.ssh/keys")).unwrap();
        for (path, text) in SECRETS.iter().chain(&[("a.txt", "one\n")]) {
            std::fs::write(work.join(path), text).unwrap();
            // Older than the index: git opens what is as young as that to see whether it has changed.
            let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
            std::fs::File::open(work.join(path)).unwrap().set_modified(old).unwrap();
        }
        let scene = Self { service: Service::on(folder), work: std::fs::canonicalize(work).unwrap() };
        scene.service.trust(&scene.work);
        for words in [
            &["init", "-q"][..],
            &["config", "user.name", "ana"],
            &["config", "user.email", "ana@example.org"],
            &["add", "-A", "-f"],
            &["commit", "-q", "-m", "first"],
        ] {
            scene.git(words);
        }
        scene
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(words).current_dir(&self.work).env_clear().env("PATH", "/usr/bin:/bin");
        let output = git.env("HOME", self.service.folder.path()).output().unwrap();
        assert!(output.status.success(), "git {words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Commands by which git touches all tracked files.
const SWEEPING: &[&str] = &[
    "git add -A",
    "git add .",
    "git add -u",
    "git add --renormalize .",
    "git add --ignore-errors -A; git commit -m second",
    "git commit -a -m second",
    "git add -A && git commit -m second",
    "git stash -u",
    "git update-index --again",
    "git ls-files -m | git update-index --stdin",
    "git ls-files -d | git update-index --remove --stdin",
    "git diff --name-only | xargs git add",
    "git checkout -- .",
    "git restore .",
    "git reset --hard",
];

#[test]
fn what_a_run_does_not_see_is_neither_committed_nor_lost() {
    for line in SWEEPING {
        let scene = Project::with_secrets();
        std::fs::write(scene.work.join("a.txt"), "two\n").unwrap();
        // Where git fails on a secret, a person is asked whether it may open that, and here says no.
        let reply = std::thread::scope(|scope| {
            let running = scope.spawn(|| scene.act_line(line));
            meanwhile(running, || {
                for number in scene.service.questions() {
                    scene.service.answer(&number, "no");
                }
            })
        });
        let asked = reply["findings"].as_array().unwrap().iter().any(|one| one["rule"] == "wants-hidden");
        let expected = if asked { ("denied", "act") } else { ("done", "stage") };
        assert_eq!(
            (&reply["outcome"], &reply["run"]["way"]),
            (&json!(expected.0), &json!(expected.1)),
            "{line}: {reply}"
        );
        for (path, text) in SECRETS {
            assert_eq!(
                scene.git(&["show", &format!(":{path}")]),
                *text,
                "{line}: {path} in the index, {reply}"
            );
            assert_eq!(
                scene.git(&["show", &format!("HEAD:{path}")]),
                *text,
                "{line}: {path} in the commit, {reply}"
            );
            assert_eq!(std::fs::read_to_string(scene.work.join(path)).unwrap(), *text, "{line}: {path}");
        }
    }
}

#[test]
fn what_is_named_is_committed_beside_it() {
    let scene = Project::with_secrets();
    std::fs::write(scene.work.join("a.txt"), "two\n").unwrap();
    let reply = scene.act_line("git add a.txt && git commit -m second");
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    assert_eq!(reply["output"]["exit_code"], json!(0), "{reply}");
    assert_eq!(scene.git(&["show", "HEAD:a.txt"]), "two\n");
    assert_eq!(scene.git(&["show", "HEAD:.env"]), "TOKEN=first\n");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    // The other way takes what it can see, and is told what it cannot.
    let swept = scene.act_line("git add -A");
    assert!(swept["output"]["stderr"].as_str().unwrap().contains("Permission denied"), "{swept}");
    assert!(swept["sandbox"]["hidden"].as_array().unwrap().contains(&json!("deploy/.ssh")), "{swept}");
    assert_eq!(scene.git(&["show", ":.env"]), "TOKEN=first\n");
}
