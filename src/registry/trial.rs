//! Requirements for every store, tested on each of them.

#[cfg(test)]
use std::time::Duration;

use super::*;
use guarda_core::policy::Hindrance;
use guarda_core::policy::history::{Override, OverrideKind};

/// A store, and the resources that must outlive it.
pub(super) struct TestStore {
    pub store: Store,
    #[allow(dead_code, reason = "dropped after the store")]
    pub keep: Box<dyn std::any::Any>,
}

/// The time at which the trials begin.
const START: i64 = 1_790_000_000_000;

#[expect(clippy::disallowed_methods, reason = "a test starts the real tool")]
pub(super) fn program(name: &str) -> std::process::Command {
    std::process::Command::new(name)
}

pub(super) fn at(ms: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(START + ms).unwrap()
}

pub(super) fn identity(text: &str) -> Identity {
    let hash = |salt: &str| {
        use sha2::Digest;
        identity::hex(&sha2::Sha256::digest(format!("{salt}{text}")))
    };
    Identity {
        command_hash: hash("command "),
        argv_hash: hash("argv "),
        text: text.to_owned(),
        folder: "/home/ana/p".to_owned(),
        profile: "desktop".to_owned(),
        program_digest: hash("programs "),
    }
}

/// A successful run of a command, so many milliseconds after the start.
pub(super) fn run(text: &str, ms: i64) -> EndedRun {
    EndedRun {
        identity: identity(text),
        at: at(ms),
        end: RunEnd::Exit(0),
        duration: Duration::from_millis(12),
        risk: 0.5,
        tags: vec!["unknown".to_owned()],
        allowed: false,
        held_back: None,
        tainted: false,
    }
}

fn ended(end: RunEnd, ms: i64) -> EndedRun {
    EndedRun { end, ..run("frob", ms) }
}

fn row(store: &mut Store, text: &str) -> Row {
    let wanted = RowQuery { which: Which::Hash(identity(text).command_hash), most: 1 };
    store.list(&wanted).unwrap().remove(0)
}

fn word(standing: OverrideKind) -> Override {
    Override { kind: standing, reason: Some("tried it".to_owned()), by: Some("ana".to_owned()) }
}

fn learned(store: &mut Store, text: &str, ms: i64) -> Learned {
    history(store.look(&identity(text)).unwrap(), at(ms), &Thresholds::default()).learned
}

/// Runs every trial, each on a store of its own.
pub(super) fn all(make: &mut dyn FnMut() -> TestStore) {
    type Trial = (&'static str, fn(&mut Store));
    let trials: [Trial; 11] = [
        ("counts", counts),
        ("keeps a hundred times", keeps_a_hundred_times),
        ("counts time-outs and signals as failures", counts_bad_ends),
        ("promotes and falls back", promotes_and_falls_back),
        ("forgets disuse", disuse),
        ("tells another program apart", another_program),
        ("keeps words", words),
        ("restricts everywhere", restricts_everywhere),
        ("tells duplicates", duplicates),
        ("lists and sums", lists),
        ("clears", clears),
    ];
    for (name, trial) in trials {
        println!("a store {name}");
        trial(&mut make().store);
    }
}

fn counts(store: &mut Store) {
    assert_eq!(store.look(&identity("frob")).unwrap(), KnownCommand::default());
    for (end, ms, duration) in
        [(RunEnd::Exit(0), 0, 10), (RunEnd::Exit(0), 5000, 40), (RunEnd::Exit(2), 10_000, 25)]
    {
        let run = EndedRun { duration: Duration::from_millis(duration), ..ended(end, ms) };
        store.note(&run, &Thresholds::default()).unwrap();
    }
    let row = row(store, "frob");
    assert_eq!((row.execution_count, row.success_count, row.failure_count), (3, 2, 1));
    assert_eq!((row.min_duration_ms, row.max_duration_ms, row.avg_duration_ms), (Some(10), Some(40), 25.0));
    assert_eq!((row.first_seen, row.last_executed), (START / 1000, Some(START / 1000 + 10)));
    let base = START / 1000;
    assert_eq!(row.last_100_timestamps.unwrap(), format!("{base};{};{}", base + 5, base + 10));
    let codes: serde_json::Value = serde_json::from_str(&row.typical_exit_codes).unwrap();
    assert_eq!(codes, serde_json::json!({"0": 2, "2": 1}));
    let errors: serde_json::Value = serde_json::from_str(&row.common_errors).unwrap();
    assert_eq!(errors, serde_json::json!(["2"]));
    assert_eq!(serde_json::from_str::<Vec<String>>(&row.tags).unwrap(), ["unknown"]);
    assert_eq!((row.current_policy.as_str(), row.risk_score), ("ask", 0.5));
    assert_eq!((row.folder.as_str(), row.profile.as_str()), ("/home/ana/p", "desktop"));
    let here = store.look(&identity("frob")).unwrap().here.unwrap();
    assert_eq!((here.runs, here.successes, here.last_ms), (3, 2, Some(START + 10_000)));
}

fn keeps_a_hundred_times(store: &mut Store) {
    for number in 0..105 {
        store.note(&run("frob", number * 10_000), &Thresholds::default()).unwrap();
    }
    let stamps = evolve::stamps(&row(store, "frob").last_100_timestamps.unwrap());
    let expected: Vec<i64> = (5..105).map(|number| START / 1000 + number * 10).collect();
    assert_eq!(stamps, expected);
}

fn counts_bad_ends(store: &mut Store) {
    for (number, end) in
        [RunEnd::TimedOut, RunEnd::Signal(9), RunEnd::Signal(15), RunEnd::NotStarted, RunEnd::Exit(127)]
            .into_iter()
            .enumerate()
    {
        store.note(&ended(end, i64::try_from(number).unwrap()), &Thresholds::default()).unwrap();
    }
    let row = row(store, "frob");
    assert_eq!((row.success_count, row.failure_count, row.timeout_count, row.signal_count), (0, 5, 1, 2));
    let codes: serde_json::Value = serde_json::from_str(&row.typical_exit_codes).unwrap();
    assert_eq!(
        codes,
        serde_json::json!({"timeout": 1, "signal 9": 1, "signal 15": 1, "not started": 1, "127": 1})
    );
    assert_eq!(row.current_policy, "ask_warning");
    assert!(row.policy_reason.unwrap().contains("failed too often"));
}

fn promotes_and_falls_back(store: &mut Store) {
    let thresholds = Thresholds::default();
    for number in 0..19 {
        assert_eq!(store.note(&run("frob", number * 60_000), &thresholds).unwrap().learned, Learned::Ask);
    }
    let change = store.note(&run("frob", 19 * 60_000), &thresholds).unwrap();
    assert_eq!((change.learned, change.reason), (Learned::AutoApprove, Some(evolve::ChangeReason::Promoted)));
    let promoted = row(store, "frob");
    assert_eq!(promoted.promoted_at, Some(START / 1000 + 19 * 60));
    assert_eq!(promoted.policy_last_updated, promoted.promoted_at);
    assert_eq!(learned(store, "frob", 20 * 60_000), Learned::AutoApprove);
    store.note(&run("frob", 20 * 60_000), &thresholds).unwrap();
    assert_eq!(row(store, "frob").promoted_at, promoted.promoted_at);

    assert_eq!(store.note(&ended(RunEnd::TimedOut, 21 * 60_000), &thresholds).unwrap().learned, Learned::Ask);
    let fallen = row(store, "frob");
    assert_eq!((fallen.promoted_at, fallen.earned_runs, fallen.execution_count), (None, 0, 22));
    // It has to be earned again, although 95 % of all runs succeeded.
    for number in 22..41 {
        assert_eq!(store.note(&run("frob", number * 60_000), &thresholds).unwrap().learned, Learned::Ask);
    }
    assert_eq!(store.note(&run("frob", 41 * 60_000), &thresholds).unwrap().learned, Learned::AutoApprove);

    for number in 0..40 {
        let held = EndedRun { held_back: Some(Hindrance::Starts), ..run("sh x", number * 60_000) };
        assert_eq!(store.note(&held, &thresholds).unwrap().learned, Learned::Ask);
        let tainted = EndedRun { tainted: true, ..run("make", number * 60_000) };
        assert_eq!(store.note(&tainted, &thresholds).unwrap().learned, Learned::Ask);
    }
    for (command, why) in [("sh x", Hindrance::Starts), ("make", Hindrance::Tainted)] {
        assert_eq!(row(store, command).held_back, Some(why.to_string()));
    }
}

fn promote(store: &mut Store, text: &str) {
    for number in 0..20 {
        store.note(&run(text, number * 60_000), &Thresholds::default()).unwrap();
    }
}

fn disuse(store: &mut Store) {
    const DAY: i64 = 86_400_000;
    promote(store, "frob");
    promote(store, "other");
    assert_eq!(learned(store, "frob", 29 * DAY), Learned::AutoApprove);
    assert_eq!(learned(store, "frob", 31 * DAY), Learned::Ask);
    store.note(&run("other", 28 * DAY), &Thresholds::default()).unwrap();
    assert_eq!(store.tidy(at(31 * DAY), &Thresholds::default()).unwrap(), 1);
    assert_eq!(row(store, "frob").current_policy, "ask");
    assert!(row(store, "frob").policy_reason.unwrap().contains("not used"));
    assert_eq!(row(store, "other").current_policy, "auto_approve");
}

fn another_program(store: &mut Store) {
    promote(store, "frob");
    let replaced =
        Identity { command_hash: "ab".repeat(32), program_digest: "cd".repeat(32), ..identity("frob") };
    let known = store.look(&replaced).unwrap();
    assert_eq!(history(known, at(0), &Thresholds::default()), History::default());
}

fn words(store: &mut Store) {
    for standing in OverrideKind::ALL {
        store.say(&identity("frob"), Some(&word(standing)), at(1000)).unwrap();
        assert_eq!(store.look(&identity("frob")).unwrap().here.unwrap().user_override, Some(word(standing)));
    }
    let said = row(store, "frob");
    assert_eq!(said.execution_count, 0);
    assert_eq!(
        (said.user_override.as_deref(), said.user_override_by.as_deref(), said.user_override_at),
        (Some("never"), Some("ana"), Some(START / 1000 + 1))
    );
    // A run changes no override, and an override promotes nothing.
    store.say(&identity("frob"), Some(&word(OverrideKind::AlwaysAllow)), at(1000)).unwrap();
    promote(store, "frob");
    let after = row(store, "frob");
    assert_eq!(
        (after.user_override.as_deref(), after.current_policy.as_str()),
        (Some("always_allow"), "ask")
    );
    assert!(store.say_of(&identity("frob").command_hash, None, at(2000)).unwrap());
    assert!(!store.say_of("00", None, at(2000)).unwrap());
    let taken_back = row(store, "frob");
    assert_eq!(
        (taken_back.user_override, taken_back.user_override_at, taken_back.user_override_reason),
        (None, None, None)
    );
    assert!(store.forget(&identity("frob").command_hash).unwrap());
    assert!(!store.forget(&identity("frob").command_hash).unwrap());
    assert_eq!(store.look(&identity("frob")).unwrap(), KnownCommand::default());
}

fn restricts_everywhere(store: &mut Store) {
    let elsewhere = Identity { command_hash: "ab".repeat(32), folder: "/".to_owned(), ..identity("frob") };
    let standing = |store: &mut Store| {
        history(store.look(&elsewhere).unwrap(), at(0), &Thresholds::default())
            .user_override
            .map(|word| word.kind)
    };
    store.say(&identity("frob"), Some(&word(OverrideKind::AlwaysAllow)), at(0)).unwrap();
    assert_eq!(standing(store), None);
    store.say(&identity("frob"), Some(&word(OverrideKind::AlwaysAsk)), at(0)).unwrap();
    assert_eq!(standing(store), Some(OverrideKind::AlwaysAsk));
    store.say(&identity("frob"), Some(&word(OverrideKind::Never)), at(0)).unwrap();
    assert_eq!(standing(store), Some(OverrideKind::Never));
    store.say(&elsewhere, Some(&word(OverrideKind::AlwaysAllow)), at(0)).unwrap();
    assert_eq!(standing(store), Some(OverrideKind::Never));
}

fn duplicates(store: &mut Store) {
    let thresholds = Thresholds::default();
    let duplicate = |store: &mut Store, ms: i64| {
        history(store.look(&identity("frob")).unwrap(), at(ms), &thresholds).duplicate
    };
    assert_eq!(duplicate(store, 0), None);
    store.note(&run("frob", 0), &thresholds).unwrap();
    let found = duplicate(store, 1234).unwrap();
    assert_eq!((found.since.as_millis(), found.threshold.as_millis()), (1234, 10_000));
    assert!(duplicate(store, 9999).is_some());
    assert_eq!(duplicate(store, 10_000), None);
    // After the clock went back, at worst one more question.
    assert_eq!(duplicate(store, -5000).unwrap().since, Duration::ZERO);
    // Rare: the mean interval is above an hour.
    store.note(&run("frob", 3_700_000), &thresholds).unwrap();
    assert_eq!(duplicate(store, 3_720_000).unwrap().threshold.as_millis(), 30_000);
    assert_eq!(row(store, "frob").duplicate_threshold_ms, 30_000);
    // Monitoring: more than fifty runs in quick succession.
    for number in 0..150 {
        store.note(&run("frob", 4_000_000 + number * 1000), &thresholds).unwrap();
    }
    assert_eq!(duplicate(store, 4_149_500), None);
    let watched = row(store, "frob");
    assert_eq!((watched.duplicate_threshold_ms, watched.duplicate_check_enabled), (0, false));
}

fn lists(store: &mut Store) {
    let thresholds = Thresholds::default();
    for (text, times) in [("a 100%_", 3), ("b it's", 15), ("c", 30)] {
        for number in 0..times {
            let held_back = (text == "c").then_some(Hindrance::Sends);
            store.note(&EndedRun { held_back, ..run(text, number * 60_000) }, &thresholds).unwrap();
        }
    }
    store.note(&EndedRun { risk: 0.9, ..run("d", 0) }, &thresholds).unwrap();
    store.say(&identity("a 100%_"), Some(&word(OverrideKind::Never)), at(0)).unwrap();
    let mut texts = |which: Which, most: u64| -> Vec<String> {
        store.list(&RowQuery { which, most }).unwrap().into_iter().map(|row| row.command_text).collect()
    };
    assert_eq!(texts(Which::All, 0), ["c", "b it's", "a 100%_", "d"]);
    assert_eq!(texts(Which::All, 2), ["c", "b it's"]);
    assert_eq!(texts(Which::Frequent, 0), ["c", "b it's"]);
    assert_eq!(texts(Which::HighRisk, 0), ["d"]);
    assert_eq!(texts(Which::Candidates, 0), ["c"]);
    assert_eq!(texts(Which::Said, 0), ["a 100%_"]);
    assert_eq!(texts(Which::Containing("0%_".to_owned()), 0), ["a 100%_"]);
    assert_eq!(texts(Which::Containing("it's".to_owned()), 0), ["b it's"]);
    assert_eq!(texts(Which::Learned(Learned::AskWarning), 0), ["d"]);
    assert_eq!(texts(Which::SameWords(identity("c").argv_hash), 0), ["c"]);
    let hash = identity("c").command_hash;
    assert_eq!(texts(Which::Hash(hash.chars().take(12).collect::<String>().to_uppercase()), 0), ["c"]);
    assert_eq!(texts(Which::Hash("zz".to_owned()), 0), Vec::<String>::new());
    let mut seen = Vec::new();
    store
        .each(&mut |row| {
            seen.push(row.command_hash);
            true
        })
        .unwrap();
    assert_eq!(seen.len(), 4);
    assert!(seen.is_sorted());
    let totals = store.totals().unwrap();
    assert_eq!(
        totals,
        Totals {
            commands: 4,
            runs: 49,
            successes: 49,
            ask: 3,
            ask_warning: 1,
            never: 1,
            high_risk: 1,
            ..Totals::default()
        }
    );
}

fn clears(store: &mut Store) {
    promote(store, "frob");
    store.say(&identity("other"), Some(&word(OverrideKind::Never)), at(0)).unwrap();
    assert_eq!(store.clear().unwrap(), 2);
    assert_eq!(store.totals().unwrap(), Totals::default());
    store.note(&run("frob", 0), &Thresholds::default()).unwrap();
    assert_eq!(store.totals().unwrap().runs, 1);
}
