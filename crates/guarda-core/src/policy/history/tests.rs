use super::*;
use proptest::prelude::*;

fn finding(layer: &str, rule: &str, verdict: Verdict, tags: &[&str]) -> Finding {
    Finding {
        rule: rule.to_owned(),
        origin: Origin::named(layer),
        verdict,
        span: None,
        why: "because".to_owned(),
        instead: None,
        risk: 0.5,
        tags: tags.iter().map(|tag| Tag::named(tag)).collect(),
        contained: false,
        names: Vec::new(),
    }
}

fn unknown() -> Finding {
    finding("default", "default", Verdict::Confirm, &[])
}

fn said(standing: OverrideKind) -> History {
    let word = Override { kind: standing, reason: Some("tried it".to_owned()), by: Some("ana".to_owned()) };
    History { user_override: Some(word), ..History::default() }
}

fn learned(learned: Learned) -> History {
    History { learned, runs: 30, successes: 30, ..History::default() }
}

fn verdict(findings: &[Finding]) -> Verdict {
    findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Confirm)
}

fn weakest(findings: &[Finding]) -> Yields {
    findings
        .iter()
        .filter(|finding| finding.verdict > Verdict::Allow)
        .map(yields)
        .min()
        .unwrap_or(Yields::Never)
}

fn weigh(history: &History, findings: Vec<Finding>) -> Verdict {
    verdict(&history.weigh(weakest(&findings), findings))
}

#[test]
fn never_blocks_and_always_ask_asks_even_what_the_rules_allow() {
    // An override of any kind is weighed: none may fall through to execution.
    let read = || vec![finding("built-in", "list-files", Verdict::Allow, &[])];
    assert_eq!(weigh(&History::default(), read()), Verdict::Allow);
    assert_eq!(weigh(&said(OverrideKind::Never), read()), Verdict::Block);
    assert_eq!(weigh(&said(OverrideKind::AlwaysAsk), read()), Verdict::Confirm);
    assert_eq!(weigh(&said(OverrideKind::AlwaysAllow), read()), Verdict::Allow);
}

#[test]
fn permissions_reach_as_far_as_the_reason_yields() {
    let cases = [
        (unknown(), Yields::ToRecord),
        (finding("built-in", "left-open", Verdict::Review, &[]), Yields::ToRecord),
        (finding("built-in", "move-files", Verdict::Confirm, &["writes"]), Yields::ToOverride),
        (finding("profile", "push", Verdict::Confirm, &["git", "network"]), Yields::ToOverride),
        (finding("default", "not-only-reading", Verdict::Confirm, &[]), Yields::ToOverride),
        (finding("default", "write-file", Verdict::Confirm, &[]), Yields::Never),
        (finding("built-in", "delete-files", Verdict::Confirm, &["destructive"]), Yields::Never),
        (finding("built-in", "read-key", Verdict::Confirm, &["secret"]), Yields::Never),
        (finding("built-in", "read-value", Verdict::Confirm, &["secrets"]), Yields::Never),
        (finding("built-in", "become-root", Verdict::Password, &[]), Yields::Never),
        (finding("built-in", "format", Verdict::Block, &[]), Yields::Never),
        (finding("floor", "look", Verdict::Review, &[]), Yields::Never),
        (finding("caller", "model-asks", Verdict::Confirm, &[]), Yields::Never),
        (finding("config.toml", "mine", Verdict::Confirm, &[]), Yields::Never),
        (finding("default", "unknown", Verdict::Confirm, &[]), Yields::Never),
        (finding("default", "unreadable", Verdict::Confirm, &[]), Yields::Never),
        (finding("default", "secret-file", Verdict::Confirm, &[]), Yields::Never),
        (finding("registry", "duplicate", Verdict::Confirm, &[]), Yields::Never),
    ];
    for (finding, to) in cases {
        assert_eq!(yields(&finding), to, "{} {}", finding.origin, finding.rule);
        let was = finding.verdict;
        let by_record = weigh(&learned(Learned::AutoApprove), vec![finding.clone()]);
        assert_eq!(by_record, if to == Yields::ToRecord { Verdict::Allow } else { was });
        let by_word = weigh(&said(OverrideKind::AlwaysAllow), vec![finding.clone()]);
        assert_eq!(by_word, if to >= Yields::ToOverride { Verdict::Allow } else { was });
    }
}

#[test]
fn one_reason_that_does_not_yield_keeps_the_question_whole() {
    let findings = vec![unknown(), finding("caller", "model-unsure", Verdict::Confirm, &[])];
    assert_eq!(said(OverrideKind::AlwaysAllow).weigh(weakest(&findings), findings.clone()), findings);
}

#[test]
fn a_lost_registry_asks_everything_and_permits_nothing() {
    let lost = |history: History| History { lost: Some("it is gone".to_owned()), ..history };
    let read = vec![finding("built-in", "list-files", Verdict::Allow, &[])];
    assert_eq!(weigh(&History::lost("it is gone"), read.clone()), Verdict::Confirm);
    for history in [said(OverrideKind::AlwaysAllow), learned(Learned::AutoApprove)] {
        assert_eq!(weigh(&lost(history.clone()), read.clone()), Verdict::Confirm);
        assert_eq!(weigh(&lost(history), vec![unknown()]), Verdict::Confirm);
    }
    assert_eq!(weigh(&lost(said(OverrideKind::Never)), read), Verdict::Block);
}

#[test]
fn duplicates_and_bad_records_are_told_where_a_question_is_put_anyway() {
    let duplicate =
        Duplicate { since: Duration::from_millis(1234), threshold: Duration::from_millis(10_000) };
    let history = History {
        duplicate: Some(duplicate),
        learned: Learned::AskWarning,
        runs: 7,
        successes: 3,
        ..History::default()
    };
    let told = history.weigh(Yields::Never, vec![unknown()]);
    let why =
        |rule: &str| told.iter().find(|finding| finding.rule == rule).map(|finding| finding.why.clone());
    assert!(why("duplicate").unwrap().contains("1.2 seconds"));
    assert!(why("ask-warning").unwrap().contains("4 of 7"));
    // A cell holds what they warn of.
    assert!(told.iter().filter(|finding| finding.rule != unknown().rule).all(|finding| finding.contained));
    let read = vec![finding("built-in", "list-files", Verdict::Allow, &[])];
    assert_eq!(history.weigh(Yields::Never, read.clone()), read);
}

fn any_finding() -> impl Strategy<Value = Finding> {
    const LAYERS: &[&str] = &["default", "built-in", "profile", "floor", "caller", "config.toml", "cop"];
    const RULES: &[&str] = &["default", "unknown", "write-file", "delete-files"];
    const VERDICTS: &[Verdict] =
        &[Verdict::Allow, Verdict::Review, Verdict::Confirm, Verdict::Password, Verdict::Block];
    const TAGS: &[&[&str]] = &[&[], &["writes"], &["destructive"], &["secret"]];
    (
        prop::sample::select(LAYERS),
        prop::sample::select(RULES),
        prop::sample::select(VERDICTS),
        prop::sample::select(TAGS),
    )
        .prop_map(|(layer, rule, verdict, tags)| finding(layer, rule, verdict, tags))
}

fn any_history() -> impl Strategy<Value = History> {
    let word = prop::option::of(prop::sample::select(OverrideKind::ALL.as_slice()))
        .prop_map(|standing| standing.map(|standing| Override { kind: standing, reason: None, by: None }));
    let lost = prop::option::of(Just("gone".to_owned()));
    let duplicate = prop::option::of(Just(Duplicate { since: Duration::ZERO, threshold: Duration::MAX }));
    (word, prop::sample::select(Learned::ALL.as_slice()), lost, duplicate).prop_map(
        |(word, learned, lost, duplicate)| History {
            learned,
            user_override: word,
            duplicate,
            lost,
            ..History::default()
        },
    )
}

proptest! {
    #[test]
    fn no_history_beats_the_floor_a_password_a_secret_or_a_destructive_deed(
        findings in prop::collection::vec(any_finding(), 1..5),
        history in any_history(),
    ) {
        let weighed = history.weigh(weakest(&findings), findings.clone());
        // No reason is lost.
        prop_assert!(weighed.len() >= findings.len());
        for (before, after) in findings.iter().zip(&weighed) {
            prop_assert_eq!((&before.rule, &before.why), (&after.rule, &after.why));
        }
        if findings.iter().any(|finding| finding.verdict > Verdict::Allow && yields(finding) == Yields::Never) {
            prop_assert!(verdict(&weighed) >= verdict(&findings));
        }
        // A history that permits nothing never makes the verdict milder.
        let permits = history.user_override.as_ref().is_some_and(|word| word.kind == OverrideKind::AlwaysAllow)
            || history.learned == Learned::AutoApprove;
        if !permits || history.lost.is_some() {
            prop_assert!(verdict(&weighed) >= verdict(&findings));
        }
        if history.user_override.as_ref().is_some_and(|word| word.kind == OverrideKind::Never) {
            prop_assert_eq!(verdict(&weighed), Verdict::Block);
        }
    }
}

#[test]
fn names_lead_back_and_unknown_ones_permit_nothing() {
    for policy in Learned::ALL {
        assert_eq!(Learned::named(policy.name()), policy);
    }
    for standing in OverrideKind::ALL {
        assert_eq!(OverrideKind::named(standing.name()), standing);
    }
    assert_eq!(Learned::named("unknown"), Learned::Ask);
    assert_eq!(OverrideKind::named("unknown"), OverrideKind::AlwaysAsk);
}
