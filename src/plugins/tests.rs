//! The plugin folder, and which of its files are trusted.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use guarda_core::action::{Proposal, Request};
use guarda_core::policy::{Policy, corpus};
use guarda_shell::script::Dialect;

fn put(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A valid plugin folder, and a folder outside it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("plugins");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    (base, folder)
}

fn states(folder: &Path) -> Vec<(String, &'static str)> {
    let word = |state: &PluginState| match state {
        PluginState::Good => "good",
        PluginState::Ignored(_) => "ignored",
        PluginState::Refused(_) => "refused",
    };
    Shelf::read(folder).found.iter().map(|found| (found.name.clone(), word(&found.state))).collect()
}

#[test]
fn only_what_nobody_else_can_change_is_believed() {
    let (base, folder) = folder();
    assert_eq!(states(&base.path().join("nothing")), vec![]);
    put(&folder.join("30-mine"), "x", 0o700);
    put(&folder.join("10-readable"), "x", 0o755);
    put(&folder.join("20-group"), "x", 0o775);
    put(&folder.join("21-all"), "x", 0o757);
    put(&folder.join("40-data.txt"), "x", 0o644);
    put(&folder.join(".hidden"), "x", 0o755);
    put(&folder.join("50-copy~"), "x", 0o755);
    put(&base.path().join("outside"), "x", 0o755);
    std::fs::create_dir(folder.join("60-folder")).unwrap();
    symlink("30-mine", folder.join("31-within")).unwrap();
    symlink("../outside", folder.join("32-out")).unwrap();
    symlink("/nonexistent", folder.join("33-dangling")).unwrap();
    symlink("20-group", folder.join("34-to-group")).unwrap();
    let told = states(&folder);
    let told: Vec<(&str, &str)> = told.iter().map(|(name, state)| (name.as_str(), *state)).collect();
    assert_eq!(
        told,
        [
            (".hidden", "ignored"),
            ("10-readable", "good"),
            ("20-group", "refused"),
            ("21-all", "refused"),
            ("30-mine", "good"),
            ("31-within", "good"),
            ("32-out", "refused"),
            ("33-dangling", "refused"),
            ("34-to-group", "refused"),
            ("40-data.txt", "ignored"),
            ("50-copy~", "ignored"),
            ("60-folder", "ignored"),
        ]
    );
}

#[test]
fn a_folder_that_others_can_write_to_is_believed_in_nothing() {
    let (base, folder) = folder();
    put(&folder.join("a"), "x", 0o755);
    assert!(!Shelf::read(&folder).is_empty());
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let shelf = Shelf::read(&folder);
    assert!(shelf.trouble.is_some() && shelf.is_empty());
    let link = base.path().join("link");
    symlink(&folder, &link).unwrap();
    assert!(Shelf::read(&link).trouble.is_some());
    put(&base.path().join("file"), "x", 0o644);
    assert!(Shelf::read(&base.path().join("file")).trouble.is_some());
}

#[test]
fn the_number_of_plugins_is_bounded() {
    let (_base, folder) = folder();
    for number in 0..shelf::MOST + 2 {
        put(&folder.join(format!("{number:02}")), "x", 0o755);
    }
    let told = states(&folder);
    assert_eq!(told.iter().filter(|(_, state)| *state == "good").count(), shelf::MOST);
    assert_eq!(told.last().unwrap().1, "refused");
}

fn judged(line: &str) -> Judgement {
    static POLICY: std::sync::LazyLock<Policy> =
        std::sync::LazyLock::new(|| Policy::builtin(Profile::Desktop).unwrap());
    let script = guarda_shell::read(line, Dialect::Bash);
    let request =
        Request { action: Some("RUN_COMMAND".to_owned()), target: Some(line.into()), ..Request::default() };
    guarda_core::judge::judge(&POLICY, Proposal::parse(request).unwrap(), &corpus::situation(&script))
}

fn any_answer() -> impl Strategy<Value = Result<PluginAnswer, PluginFailure>> {
    let decision =
        proptest::sample::select(vec![PluginDecision::Deny, PluginDecision::Ask, PluginDecision::Pass]);
    let answer = (decision, proptest::option::of(".{0,40}"));
    prop_oneof![
        answer.prop_map(|(decision, reason)| Ok(PluginAnswer { decision, reason })),
        ".{0,40}".prop_map(|why| Err(PluginFailure::Malformed(why))),
    ]
}

proptest! {
    #[test]
    fn another_plugin_never_makes_anything_milder(
        line in proptest::sample::select(vec!["ls", "rm -r build", "sudo id", "rm -rf /", "curl https://x.example"]),
        answers in proptest::collection::vec(any_answer(), 0..4),
    ) {
        let mut judgement = judged(line);
        for (number, answer) in answers.into_iter().enumerate() {
            let before = judgement.verdict();
            let least = match &answer {
                Ok(PluginAnswer { decision: PluginDecision::Pass, .. }) => Verdict::Allow,
                Ok(PluginAnswer { decision: PluginDecision::Ask, .. }) | Err(_) => Verdict::Confirm,
                Ok(PluginAnswer { decision: PluginDecision::Deny, .. }) => Verdict::Block,
            };
            judgement = heed(judgement, &number.to_string(), answer);
            prop_assert_eq!(judgement.verdict(), before.max(least));
        }
    }
}

#[test]
fn the_event_tells_the_whole_action() {
    let situation = Situation { cwd: "/w".to_owned(), ..Situation::default() };
    let event = event::text(&judged("rm \"a b\" $X"), &situation, Profile::Desktop, "http");
    let event: serde_json::Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["runs"], serde_json::json!([["rm", "a b", null]]));
    assert_eq!((&event["command"], &event["cwd"]), (&"rm \"a b\" $X".into(), &"/w".into()));
    assert_eq!((&event["version"], &event["status"]), (&1.into(), &"requires_confirmation".into()));
    assert!(!event["findings"].as_array().unwrap().is_empty());
}
