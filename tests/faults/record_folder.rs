//! Faults of the record's folder: deeds stop, judging continues, and the service recovers when the folder is
//! good again.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Service, folder, wait};
use serde_json::{Value, json};

/// Posts a request for a command in a session.
fn post(service: &Service, path: &str, command: &str, session: &str) -> crate::common::Answer {
    let cwd = service.folder.path();
    let body = json!({"action": "RUN_COMMAND", "target": command, "cwd": cwd, "session": session});
    service.post(path, body.to_string()).send()
}

fn record(service: &Service) -> Value {
    service.status()["record"].clone()
}

/// Nothing is done and nobody is asked; judging continues; it is logged once.
#[track_caller]
fn deeds_stop(service: &Service, session: &str, words: &str) {
    for _ in 0..3 {
        for command in ["ls", "touch made"] {
            let answer = post(service, "/v1/actions", command, session);
            assert_eq!((answer.status, answer.problem().as_str()), (500, "record-failed"), "{answer:?}");
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.contains(words), "{words} in {detail}");
        }
        let judged = post(service, "/v1/judge", "rm -rf /", session);
        assert_eq!((judged.status, judged.json()["status"].as_str()), (200, Some("blocked")), "{judged:?}");
    }
    assert!(service.questions().is_empty());
    assert!(!service.folder.path().join("made").exists());
    assert_ne!(record(service)["state"], "ready");
    let said = service.said();
    let of_session = format!("session=\"{session}\"");
    let told = said.lines().filter(|line| line.contains("in trouble") && line.contains(&of_session)).count();
    assert!(told <= 1, "{said}");
}

/// It recovers without a restart.
#[track_caller]
fn deeds_go_on(service: &Service, session: &str) {
    wait("the record", || (record(service)["state"] == "ready").then_some(()));
    let answer = post(service, "/v1/actions", "ls", session);
    assert_eq!((answer.status, answer.json()["outcome"].as_str()), (200, Some("done")), "{answer:?}");
}

fn journal(service: &Service) -> PathBuf {
    service.state("journal")
}

fn verify(service: &Service) -> Vec<guarda_journal::verify::Tampering> {
    guarda_journal::verify(&journal(service), None).unwrap().faults
}

fn session_file(service: &Service) -> PathBuf {
    journal(service).join("shell_audit_s.jsonl")
}

#[test]
fn a_folder_that_is_taken_away_and_brought_back() {
    let service = Service::start();
    deeds_go_on(&service, "s");
    let away = service.state("away");
    std::fs::rename(journal(&service), &away).unwrap();
    deeds_stop(&service, "s", "put it back");
    std::fs::rename(&away, journal(&service)).unwrap();
    deeds_go_on(&service, "s");
    assert_eq!(verify(&service), []);
}

#[test]
fn a_folder_that_is_deleted_and_made_again() {
    let service = Service::start();
    deeds_go_on(&service, "s");
    std::fs::remove_dir_all(journal(&service)).unwrap();
    deeds_stop(&service, "s", "put it back");
    std::fs::create_dir(journal(&service)).unwrap();
    deeds_go_on(&service, "s");
    // The deleted lines are missed, and nothing else is wrong.
    let faults = verify(&service);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].what, guarda_journal::verify::What::Missing);
}

#[test]
fn a_file_that_is_replaced() {
    let service = Service::start();
    deeds_go_on(&service, "s");
    let (file, away) = (session_file(&service), service.state("away"));
    std::fs::rename(&file, &away).unwrap();
    std::fs::write(&file, "nothing of ours\n").unwrap();
    deeds_stop(&service, "s", "removed or replaced");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "nothing of ours\n");
    std::fs::rename(&away, &file).unwrap();
    deeds_go_on(&service, "s");
    assert_eq!(verify(&service), []);
}

#[test]
fn a_file_that_may_grow_no_more() {
    // The database of the registry would not fit either, and then every command is asked.
    let folder = folder("", "");
    let config = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[registry]\nenabled = false\n")).unwrap();
    let service = Service::under(folder, &["prlimit", "--fsize=30000:unlimited"]);
    wait("the limit", || (post(&service, "/v1/actions", "ls", "s").status != 200).then_some(()));
    deeds_stop(&service, "s", "raise the limit");
    let before = std::fs::read_to_string(session_file(&service)).unwrap();
    assert!(before.len() <= 30_000 && before.ends_with('\n'), "no half line stays");
    let pid = service.child.id().to_string();
    assert!(Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status().unwrap().success());
    deeds_go_on(&service, "s");
    let after = std::fs::read_to_string(session_file(&service)).unwrap();
    assert!(after.starts_with(&before) && after.contains("\"interrupted\":\"disk_full\""), "{after}");
    assert_eq!(verify(&service), []);
}

/// A small file system; `None` if this user may not mount. Unmounted on drop.
struct Disk(PathBuf);

impl Disk {
    fn mount(place: &Path, options: &str) -> Option<Self> {
        std::fs::create_dir_all(place).unwrap();
        let words = ["-t", "tmpfs", "-o", options, "guarda-test"];
        let done = Command::new("mount").args(words).arg(place).output().unwrap();
        done.status.success().then(|| Self(place.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_or_read_only() {
    let folder = folder("", "");
    let place = folder.path().join("disk");
    let Some(_disk) = Disk::mount(&place, "size=600k,mode=700") else {
        eprintln!("this user may not mount: only a limit on the size of files was tried");
        return;
    };
    let config = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[record]\nfolder = \"{}\"\n", place.join("j").display())).unwrap();
    let service = Service::of_root(folder);
    let sound = || {
        let faults = guarda_journal::verify(&place.join("j"), None).unwrap().faults;
        assert_eq!(faults, []);
    };
    deeds_go_on(&service, "s");

    let filler = place.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[0; 512]).is_ok() {}
    wait("a full disk", || (post(&service, "/v1/actions", "ls", "s").status != 200).then_some(()));
    deeds_stop(&service, "s", "free some space");
    // A person is told in their own language, by the doctor too.
    for words in [&["status"][..], &["doctor"], &["act", "RUN_COMMAND", "ls"]] {
        let mut told = crate::common::guarda(service.folder.path());
        let told = told.args(words).env("LC_ALL", "pt_BR.UTF-8").output().unwrap();
        let told = String::from_utf8_lossy(&[told.stdout, told.stderr].concat()).into_owned();
        assert!(told.contains("o disco está cheio; libere espaço"), "{words:?}: {told}");
        assert!(!told.contains("No space left"), "{words:?}: {told}");
    }
    sound();
    std::fs::remove_file(&filler).unwrap();
    drop(file);
    deeds_go_on(&service, "s");
    sound();

    // A folder that cannot be written to takes the place of the other one.
    let cover = Disk::mount(&place.join("j"), "ro,mode=700").unwrap();
    assert_eq!(post(&service, "/v1/actions", "ls", "s").status, 500);
    deeds_stop(&service, "s", "make it writable");
    drop(cover);
    deeds_go_on(&service, "s");
    sound();
    drop(service);
}

#[test]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let service = Service::start();
    let allow = |mode| {
        std::fs::set_permissions(journal(&service), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o500);
    deeds_stop(&service, "new", "give the folder to the guard's user");
    allow(0o700);
    deeds_go_on(&service, "new");
    assert_eq!(verify(&service), []);
}

/// The state folder of a service that has ended, and `guarda` in it.
fn ended(mut service: Service) -> tempfile::TempDir {
    service.signal(rustix::process::Signal::TERM);
    service.end();
    std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap())
}

fn copied(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

#[test]
fn a_record_that_is_set_back_is_not_called_sound() {
    let audit = |folder: &Path| {
        let output = crate::common::guarda(folder).args(["audit", "verify"]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let service = Service::start();
    deeds_go_on(&service, "s");
    let folder = ended(service);
    let state = folder.path().join("state");
    assert_eq!(audit(folder.path()).0, Some(0), "{:?}", audit(folder.path()));
    for part in ["journal", "journal.anchor"] {
        copied(&state.join(part), &folder.path().join(format!("old-{part}")));
    }
    let service = Service::with_words(folder, &[]);
    for _ in 0..3 {
        deeds_go_on(&service, "s");
    }
    let folder = ended(service);
    let state = folder.path().join("state");
    assert_eq!(audit(folder.path()).0, Some(0), "{:?}", audit(folder.path()));
    // Gone, with the keys kept.
    std::fs::rename(state.join("journal"), folder.path().join("journal")).unwrap();
    let (code, said) = audit(folder.path());
    assert!(code == Some(1) && said.contains("gone"), "{said}");
    // An older copy.
    copied(&folder.path().join("old-journal"), &state.join("journal"));
    let (code, said) = audit(folder.path());
    assert!(code == Some(1) && said.contains("the anchor knows"), "{said}");
    // The registry knows more than an older anchor.
    copied(&folder.path().join("old-journal.anchor"), &state.join("journal.anchor"));
    let (code, said) = audit(folder.path());
    assert!(code == Some(1) && said.contains("the anchor knows"), "{said}");
    // A start tells it, and it stays told.
    let service = Service::with_words(folder, &[]);
    wait("the warning", || service.said().contains("behind its anchor").then_some(()));
    let folder = ended(service);
    let (code, said) = audit(folder.path());
    assert!(code == Some(1) && said.contains("heads.behind-"), "{said}");
}

/// What of the state folder is put back from an older copy (`-`: taken away), and whether that is found. Only where nothing newer is left
/// is it not, which docs/record.md says: an anchor elsewhere tells it then.
const PUT_BACK: &[(&[&str], bool)] = &[
    (&["journal"], true),
    (&["journal", "sessions.json"], true),
    (&["journal", "journal.anchor"], true),
    (&["journal", "journal.anchor", "sessions.json"], true),
    (&["journal", "command_security.db"], true),
    (&["journal", "command_security.db", "sessions.json"], true),
    (&["journal", "-journal.anchor"], true),
    (&["journal", "-journal.anchor", "command_security.db"], true),
    (&["journal", "-journal.anchor", "-command_security.db"], true),
    (&["journal", "-command_security.db"], true),
    (&["journal", "-journal.pub"], true),
    (&["journal", "-journal.pub", "-journal.key"], true),
    (&["journal", "-journal.pub", "-journal.anchor"], true),
    (&["-journal", "-journal.pub"], true),
    (&["-journal.pub"], false),
    (&["-journal"], true),
    (&["-journal", "journal.anchor"], true),
    (&["-journal", "journal.anchor", "command_security.db"], true),
    (&["-journal", "-journal.anchor"], true),
    (&["-journal", "-journal.anchor", "-command_security.db"], true),
    (&["journal.anchor"], false),
    (&["command_security.db"], false),
    (&["journal.anchor", "command_security.db"], false),
    (&["sessions.json"], false),
    (&["journal", "journal.anchor", "command_security.db"], false),
];

#[test]
fn whatever_is_put_back_from_a_copy_is_found_where_something_newer_is_left() {
    let service = Service::start();
    deeds_go_on(&service, "s");
    let folder = ended(service);
    let (state, old, new) =
        (folder.path().join("state"), folder.path().join("old"), folder.path().join("new"));
    copied(&state, &old);
    let service = Service::with_words(folder, &[]);
    for _ in 0..3 {
        deeds_go_on(&service, "s");
    }
    let folder = ended(service);
    copied(&state, &new);
    let removed = |path: &Path| {
        assert!(Command::new("rm").arg("-rf").arg(path).status().unwrap().success());
    };
    let mut wrong = Vec::new();
    for (parts, found) in PUT_BACK {
        removed(&state);
        copied(&new, &state);
        for part in *parts {
            let name = part.trim_start_matches('-');
            // A database has its newest lines beside it.
            for end in if name.ends_with(".db") { &["", "-wal", "-shm"][..] } else { &[""] } {
                let file = format!("{name}{end}");
                removed(&state.join(&file));
                if !part.starts_with('-') && old.join(&file).exists() {
                    copied(&old.join(&file), &state.join(&file));
                }
            }
        }
        let output = crate::common::guarda(folder.path()).args(["audit", "verify"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if (output.status.code() == Some(1)) != *found {
            wrong.push(format!("{parts:?}: {:?} {said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
