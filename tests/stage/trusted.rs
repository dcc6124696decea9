//! Trusted folders (feature N16): nothing is changed unasked outside of them, whatever folder and session a caller names.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::project::Project;
use crate::common::{guarda, let_pass, offer};

impl Project {
    fn act_in(&self, folder: &Path, session: &str, line: &str) -> Value {
        self.act(&json!({"action": "RUN_COMMAND", "target": line, "cwd": folder, "session": session}))
    }

    /// `guarda trust` with these words: whether it succeeded, and what it said.
    fn trust_by(&self, words: &[&str]) -> (bool, String) {
        let mut command = guarda(self.service.folder.path());
        let output = command.arg("trust").args(words).current_dir(&self.work).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.success(), text)
    }

    fn home(&self) -> PathBuf {
        std::fs::canonicalize(self.service.folder.path()).unwrap()
    }
}

/// Folders of the home in which something runs by itself, or in which a person keeps what matters.
const GROUND: &[&str] = &[
    ".local/lib/python3.11/site-packages",
    ".local/bin",
    ".local/share/applications",
    ".config/i3",
    ".config/nvim/lua",
    ".oh-my-zsh/custom",
    ".nvm",
    ".cargo",
    ".emacs.d",
    "go/bin",
    "bin",
    "Documents",
    "Documents/thesis",
    "projects/other/src",
    "work/src",
];

#[test]
fn no_folder_and_no_session_that_a_caller_names_makes_a_change_silent() {
    let scene = Project::untrusted("workspace", "");
    let home = scene.home();
    let lines = [
        "echo x > new",
        "touch new",
        "cp /etc/hostname new",
        "python3 -c 'open(\"new\", \"w\").write(\"x\")'",
    ];
    for (number, ground) in GROUND.iter().enumerate() {
        let folder = home.join(ground);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("old"), "kept\n").unwrap();
        let line = lines[number % lines.len()];
        // Only a project can be trusted by the way, and not within two seconds of a program's no.
        let own = ["Documents", "projects", "work"].iter().any(|own| ground.starts_with(own));
        if own {
            let_pass(2100, "then what lasts is offered again");
        }
        for (line, session) in [(line, "first".to_owned()), ("rm old", format!("new-{number}"))] {
            let run = || scene.act_in(&folder, &session, line);
            let (question, reply) = scene.asked("no", run);
            assert_eq!(reply["outcome"], "denied", "{line} in {ground}: {reply}");
            let offered = offer(&question, "session")["covers"] == "folder";
            assert!(offered == own || own && line == "rm old", "{line} in {ground}: {question}");
        }
        assert!(!folder.join("new").exists(), "{ground}");
        assert_eq!(std::fs::read_to_string(folder.join("old")).unwrap(), "kept\n", "{ground}");
        // A name that was seen there before makes it no safer.
        let (_, reply) = scene.asked("no", || scene.act_in(&folder, "first", "touch again"));
        assert_eq!(reply["outcome"], "denied", "{ground}: {reply}");
    }
}

#[test]
fn always_trusts_the_folder_and_a_yes_only_this_change() {
    let scene = Project::untrusted("workspace", "[language]\ndefault = \"en\"\n");
    std::fs::create_dir(scene.work.join(".git")).unwrap();
    std::fs::create_dir(scene.home().join("there")).unwrap();
    let sub = scene.work.join("src");
    let (question, reply) = scene.asked("yes", || scene.act_in(&sub, "a", "touch one"));
    assert_eq!(offer(&question, "always")["what"], "~/work", "the whole tree: {question}");
    assert!(question["prompt"].as_str().unwrap().contains("Or A to trust ~/work."), "{question}");
    assert_eq!(reply["outcome"], "done", "{reply}");
    let (_, reply) = scene.asked("always", || scene.act_in(&sub, "a", "touch two"));
    assert_eq!(reply["outcome"], "done", "{reply}");
    for (number, folder) in [&sub, &scene.work].into_iter().enumerate() {
        let reply = scene.act_in(folder, "b", &format!("touch silent-{number}; rm -f old"));
        assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    }
    let (listed, text) = scene.trust_by(&["--json"]);
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert!(listed && rows["folders"][0]["folder"] == json!(scene.work), "{text}");
    // Beside it, and where git runs what is written, a person is asked as before.
    for (line, trusts) in [
        ("touch ../beside", false),
        ("mkdir -p ../other && echo x > ../other/new", false),
        ("echo x > ../there/new; mkdir -p ../there/a/b", false),
        ("echo x > .git/hooks-x && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit", false),
    ] {
        let (question, reply) = scene.asked("no", || scene.act_in(&scene.work, "b", line));
        assert_eq!(
            (reply["outcome"].as_str(), offer(&question, "session")["covers"] == "folder"),
            (Some("denied"), trusts),
            "{question}"
        );
    }
}

#[test]
fn trust_for_a_session_is_of_no_other_and_ends_with_the_service() {
    let scene = Project::untrusted("workspace", "[language]\ndefault = \"en\"\n");
    let (_, reply) = scene.asked("session", || scene.act_in(&scene.work, "a", "touch one"));
    assert_eq!(reply["outcome"], "done", "{reply}");
    let reply = scene.act_in(&scene.work, "a", "touch two");
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    let listed = scene.trust_by(&[]).1;
    assert!(listed.contains("work") && listed.contains("until session a ends"), "{listed}");
    for session in ["b", "A", "a."] {
        let reply = scene.asked("no", || scene.act_in(&scene.work, session, "touch three")).1;
        assert_eq!(reply["outcome"], "denied", "{session}: {reply}");
    }
    let Project { service, work } = scene;
    let scene = Project { service: restarted(service), work };
    let reply = scene.asked("no", || scene.act_in(&scene.work, "a", "touch four")).1;
    assert_eq!(reply["outcome"], "denied", "after a restart: {reply}");
}

#[test]
fn trust_is_of_this_folder_and_outlives_the_service_and_nothing_else() {
    let scene = Project::untrusted("workspace", "[language]\ndefault = \"en\"\n");
    let silent = |scene: &Project, what: &str, expected: bool| {
        let run = || scene.act_in(&scene.work, "a", "date > stamp");
        let reply = if expected { run() } else { scene.asked("no", run).1 };
        let outcome = if expected { "done" } else { "denied" };
        assert_eq!(reply["outcome"], outcome, "{what}: {reply}");
    };
    silent(&scene, "before", false);
    assert_eq!(
        scene.trust_by(&["add"]),
        (
            true,
            format!(
                "Trusted: {}. Agents change files there without a question; each change can be undone.\n",
                scene.work.display()
            )
        )
    );
    silent(&scene, "trusted", true);
    for (folder, why) in [("..", "home"), ("../none", "no such"), ("/usr", "programs"), ("/var/tmp", "other")]
    {
        let (done, text) = scene.trust_by(&["add", folder]);
        assert!(!done && text.contains("cannot be trusted") && text.contains(why), "{folder}: {text}");
    }
    let Project { service, work } = scene;
    let again = restarted(service);
    let scene = Project { service: again, work };
    silent(&scene, "after a restart", true);
    let aside = scene.work.with_extension("aside");
    std::fs::rename(&scene.work, &aside).unwrap();
    std::fs::create_dir(&scene.work).unwrap();
    silent(&scene, "another folder in its place", false);
    let (_, text) = scene.trust_by(&[]);
    assert!(text.contains("no longer the folder that you trusted"), "{text}");
    let reply = scene.asked("no", || scene.act_in(&aside, "a", "date > stamp")).1;
    assert_eq!(reply["outcome"], "denied", "where it went: {reply}");
    std::fs::remove_dir(&scene.work).unwrap();
    std::os::unix::fs::symlink(&aside, &scene.work).unwrap();
    silent(&scene, "a link to it", false);
    std::fs::remove_file(&scene.work).unwrap();
    std::fs::rename(&aside, &scene.work).unwrap();
    silent(&scene, "it came back", true);
    assert!(scene.trust_by(&["remove"]).0);
    silent(&scene, "no longer trusted", false);
    let Project { service, work } = scene;
    let scene = Project { service: restarted(service), work };
    silent(&scene, "not after a restart either", false);
}

/// The same folder with a new service.
pub fn restarted(mut service: crate::common::Service) -> crate::common::Service {
    service.signal(rustix::process::Signal::TERM);
    service.end();
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    crate::common::Service::on(folder)
}
