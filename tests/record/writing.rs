//! A line's content, and when it is on disk.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use guarda_core::gate::{NoAnswer, Says};
use guarda_journal::chain::{hash, hex};
use guarda_journal::{Journal, Trouble};
use serde_json::Value;

use crate::bench::*;

#[test]
fn a_deed_has_its_intent_before_it_and_its_outcome_after_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("journal");
    let journal = journal(&folder);
    let receipt = now(async {
        let warrant = journal.intend(approved(command("s1", "rm notes.txt")), &caller()).await.unwrap();
        // The line is there before the deed can begin.
        assert_eq!(lines(&folder, "s1").last().unwrap()["event"], "intent");
        let open = warrant.begin();
        journal.close(open, &output("total 0\n")).await.unwrap()
    });
    assert_eq!(receipt.audit_id, "s1_001");
    let lines = lines(&folder, "s1");
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["opened", "intent", "outcome"]);
    let outcome = lines.last().unwrap();
    let expected = [
        ("session_id", Value::from("s1")),
        ("sequence", Value::from(1)),
        ("audit_id", Value::from("s1_001")),
        ("command", Value::from("rm notes.txt")),
        ("reasoning", Value::from("to look")),
        ("status", Value::from("completed")),
        ("classification", Value::from("RISKY")),
        ("error", Value::Null),
        ("action", Value::from("user_approved")),
        ("user_decision", Value::from("approve")),
        ("modified_command", Value::Null),
        ("environment", Value::from("local")),
        ("exit_code", Value::from(0)),
        ("output_summary", Value::from("total 0\n")),
        ("output_truncated", Value::from(false)),
        ("redactions_applied", Value::from(false)),
        ("redaction_categories", Value::Array(Vec::new())),
        ("duration_seconds", Value::from(0.012)),
        ("anonymization_applied", Value::from(false)),
        ("kind", Value::from("RUN_COMMAND")),
        ("verdict", Value::from("requires_confirmation")),
        ("question", Value::from("07".repeat(16))),
        ("answered_by", Value::from("person")),
        ("channel", Value::from("keys")),
        ("door", Value::from("http")),
        ("caller", Value::from("uid 1000")),
    ];
    for (field, value) in expected {
        assert_eq!(outcome[field], value, "{field}");
    }
    assert!(outcome["tier_triggered"].is_u64());
    assert!(outcome["timestamp"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn each_line_carries_the_hash_of_the_line_before() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    let receipt = now(async {
        let open = journal.intend(approved(volume("s")), &caller()).await.unwrap().begin();
        journal.close(open, &output("")).await.unwrap();
        journal.refuse(&refusal(command("s", "rm x"), Says::Silence), &caller()).await.unwrap()
    });
    let text = std::fs::read_to_string(file(place.path(), "s")).unwrap();
    let mut before = hex(&[0; 32]);
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["prev"], before.as_str());
        before = hex(&hash(line.as_bytes()));
    }
    assert_eq!(receipt.hash, before);
    assert_eq!(receipt.audit_id, "s_002");
}

#[test]
fn a_refusal_says_who_refused() {
    let no = Says::No { channel: "terminal".to_owned(), reason: Some("wrong folder".to_owned()) };
    let cases = [
        (no, "denied", "user_denied", "deny", Some("wrong folder")),
        (Says::Silence, "denied", "user_abandoned", "timeout", None),
        (Says::WrongCodes { channel: "http".to_owned() }, "denied", "user_abandoned", "wrong_codes", None),
        (
            Says::Unasked { why: NoAnswer::NoChannel { lacks: "no screen".to_owned() } },
            "denied",
            "user_abandoned",
            "unasked",
            Some("no screen"),
        ),
        (
            Says::Withdrawn { why: NoAnswer::Gone },
            "denied",
            "user_abandoned",
            "withdrawn",
            Some("the caller went away"),
        ),
    ];
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    for (says, status, action, decision, reason) in cases {
        now(journal.refuse(&refusal(command("s", "rm x"), says), &caller())).unwrap();
        let lines = lines(place.path(), "s");
        let line = lines.last().unwrap();
        assert_eq!(line["event"], "refusal");
        assert_eq!(line["status"], status);
        assert_eq!(line["action"], action);
        assert_eq!(line["user_decision"], decision);
        assert_eq!(line["reason"].as_str(), reason);
    }
}

#[test]
fn the_tier_says_what_kind_of_rule_decided() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    for (line, tier) in [("frobnicate --all", 1), ("az vm delete -n web", 2), ("rm x", 3)] {
        now(journal.refuse(&refusal(command("s", line), Says::Silence), &caller())).unwrap();
        assert_eq!(lines(place.path(), "s").last().unwrap()["tier_triggered"], tier, "{line}");
    }
}

#[test]
fn requests_without_a_session_share_the_file_of_the_day() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    let advice = judgement(serde_json::json!({ "action": "LOCK" }));
    let receipt = now(journal.advise(&advice, &caller())).unwrap();
    assert!(receipt.audit_id.starts_with("desk-20"), "{}", receipt.audit_id);
    assert_eq!(receipt.audit_id.len(), "desk-20261121_001".len());
}

#[test]
fn with_log_all_off_the_safe_list_leaves_no_line_and_the_rest_does() {
    let place = tempfile::tempdir().unwrap();
    let mut config = config(place.path());
    config.all = false;
    let journal = Journal::open(config).unwrap();
    now(async {
        let open = journal.intend(approved(volume("s")), &caller()).await.unwrap().begin();
        assert_eq!(journal.close(open, &output("")).await.unwrap().hash, "");
        let open = journal.intend(approved(command("s", "ls")), &caller()).await.unwrap().begin();
        journal.close(open, &output("")).await.unwrap();
    });
    let lines = lines(place.path(), "s");
    assert!(lines.iter().skip(1).all(|line| line["kind"] == "RUN_COMMAND"));
    assert_eq!(lines.len(), 3);
}

#[test]
fn an_audit_id_is_never_used_again() {
    let place = tempfile::tempdir().unwrap();
    for round in 1..=3 {
        let journal = journal(place.path());
        let receipt = now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
        assert_eq!(receipt.audit_id, format!("s_{round:03}"));
    }
}

#[test]
fn what_is_given_up_is_closed() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    now(async {
        drop(journal.intend(approved(command("s", "ls")), &caller()).await.unwrap());
        drop(journal.intend(approved(command("s", "ls")), &caller()).await.unwrap().begin());
    });
    journal.shut();
    let lines = lines(place.path(), "s");
    let errors: Vec<&Value> =
        lines.iter().filter(|line| line["event"] == "outcome").map(|line| &line["error"]).collect();
    assert_eq!(errors, ["not_begun", "unknown"]);
}

#[test]
fn folder_and_files_are_private() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("deep/journal");
    let journal = journal(&folder);
    now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let private = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), private, "{}", path.display());
    }
}

#[test]
fn a_folder_that_is_not_ours_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let trouble = |folder: &std::path::Path| Journal::open(config(folder)).unwrap_err().trouble();

    let real = place.path().join("real");
    std::fs::create_dir(&real).unwrap();
    let link = place.path().join("link");
    symlink(&real, &link).unwrap();
    assert_eq!(trouble(&link), Trouble::Foreign);

    let shared = place.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::write(shared.join("letter.txt"), "dear").unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(trouble(&shared), Trouble::Foreign);

    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(trouble(&file), Trouble::Foreign);

    // The suite runs as an ordinary user.
    assert_eq!(trouble(Path::new("/usr")), Trouble::Foreign);
}

#[test]
fn a_linked_file_is_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("journal");
    let journal = journal(&folder);
    let victim = place.path().join("victim");
    std::fs::write(&victim, "mine\n").unwrap();
    symlink(&victim, file(&folder, "s")).unwrap();
    let error = now(journal.intend(approved(command("s", "ls")), &caller())).unwrap_err();
    assert_eq!(error.trouble(), Trouble::Foreign);
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n");
}

#[test]
fn two_guards_do_not_share_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let first = journal(place.path());
    assert_eq!(Journal::open(config(place.path())).unwrap_err().trouble(), Trouble::Busy);
    drop(first);
    journal(place.path());
}

#[test]
fn many_requests_at_once_are_all_there_and_in_one_chain() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    let ids: std::collections::BTreeSet<String> = now(async {
        let mut deeds = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let journal = journal.clone();
            deeds.spawn(async move {
                let open = journal.intend(approved(command("s", "ls")), &caller()).await.unwrap().begin();
                journal.close(open, &output("x")).await.unwrap().audit_id
            });
        }
        deeds.join_all().await.into_iter().collect()
    });
    assert_eq!(ids.len(), 200);
    let text = std::fs::read_to_string(file(place.path(), "s")).unwrap();
    assert_eq!(text.lines().count(), 401);
}

/// A killed guard loses no line whose sender was answered. While a request waits for the disk, lines take the
/// longer path, but keep the order of their senders.
#[test]
fn a_line_that_only_has_to_be_in_the_file_is_there_when_it_is_handed_in() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    let mut there = 0;
    for line in 1..=200 {
        let request = judgement(command("s", &format!("ls {line}")));
        now(journal.advise_soon(&request, &caller())).unwrap();
        if line > 1 {
            there += usize::from(lines(place.path(), "s").len() == line + 1);
        }
        if line % 50 == 0 {
            now(journal.refuse(&refusal(command("t", "rm x"), Says::Silence), &caller())).unwrap();
        }
    }
    journal.shut();
    assert!(there > 100, "{there} of 199");
    let commands: Vec<String> = lines(place.path(), "s")
        .iter()
        .skip(1)
        .map(|line| line["command"].as_str().unwrap().to_owned())
        .collect();
    let sent: Vec<String> = (1..=200).map(|line| format!("ls {line}")).collect();
    assert_eq!(commands, sent);
    let late = now(journal.advise_soon(&judgement(command("s", "ls")), &caller())).unwrap_err();
    assert_eq!(late.trouble(), Trouble::Closed);
}
