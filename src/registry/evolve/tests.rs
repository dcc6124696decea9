use super::*;
use proptest::prelude::*;

/// A command that ran well twenty times and earned all of it.
fn good() -> CommandRecord {
    CommandRecord {
        learned: Learned::Ask,
        runs: 20,
        successes: 20,
        earned_runs: 20,
        earned_successes: 20,
        risk: 0.5,
        gap_seconds: Some(60.0),
        mean_interval: Some(60.0),
        ended_well: true,
        may_earn: true,
        tainted: false,
        allowed: false,
        word: false,
    }
}

fn becomes(record: &CommandRecord) -> Learned {
    evolve(record, &Thresholds::default()).learned
}

#[test]
fn each_condition_of_a_promotion_is_needed() {
    assert_eq!(becomes(&good()), Learned::AutoApprove);
    let without: [(&str, CommandRecord); 11] = [
        (
            "twenty runs",
            CommandRecord { runs: 19, successes: 19, earned_runs: 19, earned_successes: 19, ..good() },
        ),
        ("95 %", CommandRecord { runs: 21, successes: 19, earned_runs: 21, earned_successes: 19, ..good() }),
        ("risk below 0.7", CommandRecord { risk: 0.7, ..good() }),
        ("rules that let it", CommandRecord { may_earn: false, ..good() }),
        ("an untainted session", CommandRecord { tainted: true, ..good() }),
        ("a good end", CommandRecord { ended_well: false, successes: 19, earned_successes: 19, ..good() }),
        (
            "twenty earned runs",
            CommandRecord { runs: 500, successes: 500, earned_runs: 19, earned_successes: 19, ..good() },
        ),
        (
            "95 % of what was earned",
            CommandRecord { runs: 500, successes: 490, earned_successes: 18, ..good() },
        ),
        ("95 % of all", CommandRecord { runs: 50, successes: 40, ..good() }),
        ("no standing word", CommandRecord { word: true, ..good() }),
        ("the policy ask", CommandRecord { learned: Learned::AskWarning, ..good() }),
    ];
    for (what, record) in without {
        assert_ne!(becomes(&record), Learned::AutoApprove, "without {what}");
    }
    // 19 of 20 is 95 %.
    assert_eq!(
        becomes(&CommandRecord { successes: 19, earned_successes: 19, ..good() }),
        Learned::AutoApprove
    );
}

#[test]
fn a_promotion_is_lost_by_a_failure_by_disuse_and_by_stricter_rules() {
    let promoted = CommandRecord { learned: Learned::AutoApprove, runs: 900, successes: 900, ..good() };
    let days = |days: f64| Some(days * 86_400.0);
    for (record, learned, reason) in [
        (promoted.clone(), Learned::AutoApprove, None),
        (CommandRecord { ended_well: false, ..promoted.clone() }, Learned::Ask, Some(ChangeReason::Failed)),
        (
            CommandRecord { gap_seconds: days(30.1), ..promoted.clone() },
            Learned::Ask,
            Some(ChangeReason::Unused),
        ),
        (CommandRecord { gap_seconds: days(29.9), ..promoted.clone() }, Learned::AutoApprove, None),
        (CommandRecord { may_earn: false, ..promoted.clone() }, Learned::Ask, Some(ChangeReason::HeldBack)),
        (CommandRecord { risk: 0.8, ..promoted.clone() }, Learned::AskWarning, Some(ChangeReason::HighRisk)),
        (CommandRecord { tainted: true, ..promoted }, Learned::AutoApprove, None),
    ] {
        let change = evolve(&record, &Thresholds::default());
        assert_eq!((change.learned, change.reason), (learned, reason), "{record:?}");
        assert_eq!(change.starts_over, learned != Learned::AutoApprove);
    }
}

#[test]
fn high_risk_and_a_bad_record_warn_until_they_pass() {
    let bad = CommandRecord { runs: 5, successes: 2, ended_well: false, ..good() };
    for (record, learned, reason) in [
        (CommandRecord { risk: 0.7, ..good() }, Learned::AskWarning, Some(ChangeReason::HighRisk)),
        (bad.clone(), Learned::AskWarning, Some(ChangeReason::BadRecord)),
        (CommandRecord { runs: 4, successes: 0, ..bad.clone() }, Learned::Ask, None),
        (CommandRecord { runs: 6, successes: 3, ..bad.clone() }, Learned::Ask, None),
        // A search without a match exits with status 1. That is no reason to ask about what the rules allow.
        (CommandRecord { allowed: true, ..bad.clone() }, Learned::Ask, None),
        (
            CommandRecord { learned: Learned::AskWarning, ..good() },
            Learned::Ask,
            Some(ChangeReason::Recovered),
        ),
        (CommandRecord { learned: Learned::AskWarning, ..bad }, Learned::AskWarning, None),
    ] {
        let change = evolve(&record, &Thresholds::default());
        assert_eq!((change.learned, change.reason), (learned, reason), "{record:?}");
    }
}

#[test]
fn monitoring_is_not_a_duplicate_and_a_rare_command_has_a_longer_threshold() {
    let at = |runs: u64, mean: Option<f64>| {
        evolve(&CommandRecord { runs, mean_interval: mean, ..good() }, &Thresholds::default()).duplicate_ms
    };
    assert_eq!(at(51, Some(4.9)), None);
    assert_eq!(at(50, Some(4.9)), Some(10_000));
    assert_eq!(at(51, Some(5.0)), Some(10_000));
    assert_eq!(at(2, Some(3600.0)), Some(10_000));
    assert_eq!(at(2, Some(3601.0)), Some(30_000));
    assert_eq!(at(1, None), Some(10_000));
}

#[test]
fn times_are_read_as_the_seed_writes_them() {
    assert_eq!(stamps("1234567890;1234567895;1234567900"), [1_234_567_890, 1_234_567_895, 1_234_567_900]);
    assert_eq!(mean_interval(&stamps("1234567890;1234567895;1234567900")), Some(5.0));
    assert!(stamps("").is_empty());
    assert_eq!(stamps("x;;12"), [12]);
    assert_eq!(mean_interval(&[7]), None);
    assert_eq!(mean_interval(&[9, 3]), Some(0.0));
}

/// One run, as the model below treats it.
#[derive(Debug, Clone)]
struct Step {
    well: bool,
    risk: f64,
    may_earn: bool,
    tainted: bool,
    days: f64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let risk = prop::sample::select(vec![0.0, 0.5, 0.69, 0.7, 1.0]);
    let days = prop::sample::select(vec![0.0, 1.0, 29.0, 31.0]);
    let step =
        (prop::bool::weighted(0.97), risk, prop::bool::weighted(0.97), prop::bool::weighted(0.05), days);
    let calm = (prop::bool::weighted(0.99), Just(0.5), Just(true), Just(false), Just(0.1));
    prop::collection::vec(
        prop_oneof![1 => step.boxed(), 12 => calm.boxed()]
            .prop_map(|(well, risk, may_earn, tainted, days)| Step { well, risk, may_earn, tainted, days }),
        0..160,
    )
}

/// Runs a history through [`evolve`] with counters as in the database; returns the policy after each run.
fn walk(steps: &[Step], thresholds: &Thresholds) -> Vec<Learned> {
    let mut record = CommandRecord { runs: 0, successes: 0, earned_runs: 0, earned_successes: 0, ..good() };
    let mut policies = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        record.runs += 1;
        record.successes += u64::from(step.well);
        record.earned_runs += u64::from(step.may_earn && !step.tainted);
        record.earned_successes += u64::from(step.may_earn && !step.tainted && step.well);
        record.ended_well = step.well;
        record.risk = step.risk;
        record.may_earn = step.may_earn;
        record.tainted = step.tainted;
        record.gap_seconds = (at > 0).then_some(step.days * 86_400.0);
        let change = evolve(&record, thresholds);
        record.learned = change.learned;
        if change.starts_over {
            record.earned_runs = 0;
            record.earned_successes = 0;
        }
        policies.push(change.learned);
    }
    policies
}

proptest! {
    /// Feature B6, checked against the whole history: a promoted command had twenty runs since its last
    /// demotion, of which 95 % succeeded, and this run was harmless, untainted and successful.
    #[test]
    fn a_promotion_is_always_earned(steps in steps()) {
        let thresholds = Thresholds::default();
        let policies = walk(&steps, &thresholds);
        let mut start = 0;
        for at in 0..steps.len() {
            let before = if at == 0 { Learned::Ask } else { policies[at - 1] };
            match (before, policies[at]) {
                (Learned::AutoApprove, Learned::AutoApprove) => {
                    let step = &steps[at];
                    prop_assert!(step.well && step.may_earn && step.risk < 0.7 && step.days <= 30.0);
                }
                (Learned::AutoApprove, _) => start = at + 1,
                (before, Learned::AutoApprove) => {
                    prop_assert_eq!(before, Learned::Ask);
                    let step = &steps[at];
                    prop_assert!(step.well && step.may_earn && !step.tainted && step.risk < 0.7);
                    let earned: Vec<&Step> =
                        steps[start..=at].iter().filter(|step| step.may_earn && !step.tainted).collect();
                    let well = earned.iter().filter(|step| step.well).count();
                    prop_assert!(earned.len() >= 20);
                    prop_assert!(well * 100 >= earned.len() * 95);
                    let all = steps[..=at].iter().filter(|step| step.well).count();
                    prop_assert!(all * 100 >= (at + 1) * 95);
                }
                _ => {}
            }
        }
    }

    /// Warnings depend only on the present state.
    #[test]
    fn a_warning_stands_exactly_while_its_reason_does(steps in steps()) {
        let policies = walk(&steps, &Thresholds::default());
        for at in 0..steps.len() {
            let runs = at + 1;
            let well = steps[..=at].iter().filter(|step| step.well).count();
            let promoted_and_failed = at > 0 && policies[at - 1] == Learned::AutoApprove && !steps[at].well;
            let reason = steps[at].risk >= 0.7 || (runs >= 5 && well * 2 < runs);
            prop_assert_eq!(policies[at] == Learned::AskWarning, reason && !promoted_and_failed);
        }
    }

    /// Stricter thresholds promote nothing that milder ones do not.
    #[test]
    fn thresholds_are_heeded(steps in steps(), runs in 1_u64..60) {
        let policies = walk(&steps, &Thresholds { promote_runs: runs, ..Thresholds::default() });
        for (at, learned) in policies.iter().enumerate() {
            if *learned == Learned::AutoApprove {
                prop_assert!(u64::try_from(at).unwrap() + 1 >= runs);
            }
        }
    }
}
