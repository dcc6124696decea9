//! Which presses answer, key by key. Real questions test that typing never says yes (`human::keys`).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{ARMED, BOUNCE, Gesture, Gestures, Rule};

const QUIET: Duration = Duration::from_millis(400);

/// Milliseconds, key, and whether it goes down.
pub(crate) type Event = (u64, char, bool);

/// Plays the events in order and polls at every relevant millisecond. Returns the keys that answered, with
/// their times.
pub(crate) fn play(rule: impl Fn(char) -> Option<Rule>, events: &[Event], until: u64) -> Vec<(u64, char)> {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let mut gestures = Gestures::new(QUIET, begun, BTreeSet::new());
    let mut answers = Vec::new();
    let poll = |gestures: &mut Gestures<char>, until: u64, answers: &mut Vec<(u64, char)>| {
        while let Some(deadline) = gestures.deadline().filter(|deadline| *deadline <= at(until)) {
            match gestures.poll(deadline) {
                Some(made) => {
                    let when = deadline.duration_since(begun).as_millis();
                    answers.push((u64::try_from(when).unwrap(), made.key));
                }
                // It waits for the release of the key, or is over.
                None => break,
            }
        }
    };
    for &(when, key, down) in events {
        poll(&mut gestures, when.saturating_sub(1), &mut answers);
        if down {
            gestures.press(key, rule(key), at(when));
        } else {
            gestures.release(key, at(when));
        }
        if let Some(made) = gestures.poll(at(when)) {
            answers.push((when, made.key));
        }
    }
    poll(&mut gestures, until, &mut answers);
    answers
}

/// The keys of a question: one that says yes, and one beside it.
fn letters(gesture: Gesture, yes: char, beside: bool) -> impl Fn(char) -> Option<Rule> {
    move |key| match key {
        'n' | '\u{1b}' => Some(Rule::Once),
        'a' | 'm' | 'l' if beside => Some(gesture.rule_beside()),
        _ if key == yes => Some(gesture.rule(yes)),
        _ => None,
    }
}

/// One line of text in each language, full of letters that say yes.
pub(crate) const TEXTS: &str = include_str!("texts.txt");

/// Milliseconds between keys, of each press, and between words.
pub(crate) const SPEEDS: [(u64, u64, u64); 5] =
    [(45, 80, 90), (110, 90, 550), (240, 120, 2300), (600, 200, 2600), (2500, 450, 5000)];

pub(crate) fn typed(text: &str, (step, held, pause): (u64, u64, u64), from: u64) -> Vec<Event> {
    let mut events = Vec::new();
    let mut at = from;
    for key in text.chars() {
        events.extend([(at, key, true), (at + held, key, false)]);
        at += if key == ' ' { pause } else { step };
    }
    // A fast typist's keys overlap.
    events.sort_by_key(|(at, ..)| *at);
    events
}

#[test]
fn a_gesture_answers_every_time_and_soon() {
    let tap = |at, key| vec![(at, key, true), (at + 80, key, false)];
    let taps = |at, key, gap| [tap(at, key), tap(at + gap, key)].concat();
    let hold = |at, key, long| vec![(at, key, true), (at + long, key, false)];
    let (both, seven) = (Gesture::HoldOrTwice, Some(1000));
    // A name, the gesture, the key that says yes, the events, and when it answers after the first press.
    type Row = (&'static str, Gesture, char, Vec<Event>, Option<u64>);
    let rows: &[Row] = &[
        ("held", both, 'y', hold(2000, 'y', 1100), Some(1000)),
        ("held on", both, 'y', hold(2000, 'y', 5000), Some(1000)),
        ("twice", both, 'y', taps(2000, 'y', 200), Some(600)),
        ("twice, slowly", both, 'y', taps(2000, 'y', 1000), Some(1400)),
        ("twice, and held", both, 'y', [tap(2000, 'y'), hold(2300, 'y', 3000)].concat(), Some(700)),
        ("a digit that is held", both, '7', hold(2000, '7', 1100), seven),
        ("always", both, 'y', hold(2000, 'a', 1100), Some(1000)),
        (
            "held after a hold that was too short",
            both,
            'y',
            [hold(2000, 'y', 900), hold(3500, 'y', 1100)].concat(),
            Some(2500),
        ),
        (
            "twice after a press that was alone",
            both,
            'y',
            [tap(2000, 'y'), taps(4000, 'y', 300)].concat(),
            Some(2700),
        ),
        ("only held", Gesture::Hold, 'y', hold(2000, 'y', 1100), Some(1000)),
        ("only twice", Gesture::Twice, '7', taps(2000, '7', 300), Some(700)),
        ("a digit alone", Gesture::Digit, '7', tap(2000, '7'), Some(400)),
        ("single", Gesture::Single, 'y', tap(2000, 'y'), Some(80)),
        // A bouncing contact is one press, and so is a remote display that repeats as releases and presses.
        (
            "a bounce",
            both,
            'y',
            vec![(2000, 'y', true), (2010, 'y', false), (2015, 'y', true), (3100, 'y', false)],
            Some(1000),
        ),
        (
            "repetition in pairs",
            both,
            'y',
            (0..40).flat_map(|k| [(2000 + 30 * k, 'y', true), (2029 + 30 * k, 'y', false)]).collect(),
            Some(1000),
        ),
        // Not a gesture.
        ("too soon", both, 'y', hold(1999, 'y', 3000), None),
        ("once", both, 'y', tap(2000, 'y'), None),
        ("too short", both, 'y', hold(2000, 'y', 999), None),
        ("twice, too slowly", both, 'y', taps(2000, 'y', 1001), None),
        ("thrice", both, 'y', [taps(2000, 'y', 200), tap(2400, 'y')].concat(), None),
        ("five times", both, 'y', (0..5).flat_map(|k| tap(2000 + 200 * k, 'y')).collect(), None),
        ("yyp", both, 'y', [taps(2000, 'y', 150), tap(2450, 'p')].concat(), None),
        ("after another key", both, 'y', [tap(1000, 'x'), taps(2900, 'y', 200)].concat(), None),
        ("another key between", both, 'y', [tap(2000, 'y'), tap(2200, 'x'), tap(2400, 'y')].concat(), None),
        (
            "another key while held",
            both,
            'y',
            vec![(2000, 'y', true), (2500, 'x', true), (2600, 'x', false), (3600, 'y', false)],
            None,
        ),
        ("a digit twice", both, '7', taps(2000, '7', 300), None),
        ("always, twice", both, 'y', taps(2000, 'a', 300), None),
        ("y where a digit is asked", both, '7', hold(2000, 'y', 2000), None),
        ("held where twice is asked", Gesture::Twice, 'y', hold(2000, 'y', 3000), None),
        ("twice where it is to be held", Gesture::Hold, 'y', taps(2000, 'y', 300), None),
        (
            "a digit and something after it",
            Gesture::Digit,
            '7',
            [tap(2000, '7'), tap(2300, ' ')].concat(),
            None,
        ),
        ("s", both, 'y', hold(2000, 's', 2000), None),
        ("o", both, 'y', taps(2000, 'o', 200), None),
    ];
    for (name, gesture, yes, events, after) in rows {
        let mut events = events.clone();
        events.sort_by_key(|(at, ..)| *at);
        let answers = play(letters(*gesture, *yes, true), &events, 60_000);
        let expected = after.map(|after| 2000 + after);
        assert_eq!(answers.first().map(|(at, _)| *at), expected, "{name}: {answers:?}");
        assert!(answers.len() <= 1, "{name}: {answers:?}");
    }
}

#[test]
fn a_no_is_one_press_after_a_short_quiet() {
    for key in ['n', '\u{1b}'] {
        let tap = |at| [(at, key, true), (at + 80, key, false)];
        assert_eq!(play(letters(Gesture::HoldOrTwice, 'y', true), &tap(400), 9000), [(480, key)]);
        assert_eq!(play(letters(Gesture::HoldOrTwice, 'y', true), &tap(399), 9000), []);
        let word = [tap(600), [(640, 'e', true), (720, 'e', false)]].concat();
        let mut word = word.clone();
        word.sort_by_key(|(at, ..)| *at);
        assert_eq!(
            play(letters(Gesture::HoldOrTwice, 'y', true), &word, 9000),
            [],
            "a word that begins with it"
        );
    }
}

#[test]
fn what_was_held_or_missed_before_counts_for_nothing() {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let rule = Some(Rule::HeldOrTwice);
    let mut gestures = Gestures::new(QUIET, begun, BTreeSet::from(['y']));
    gestures.press('y', rule, at(2500));
    assert_eq!(gestures.poll(at(9000)), None, "it was held from before");
    gestures.release('y', at(9000));
    gestures.press('y', rule, at(12_000));
    gestures.disturb(at(12_500), |_| false);
    assert_eq!(gestures.poll(at(14_000)), None, "something was missed");
    gestures.press('y', rule, at(14_000));
    assert_eq!(gestures.poll(at(16_000)), None, "{ARMED:?} of quiet begin again; {BOUNCE:?} is no quiet");
}
