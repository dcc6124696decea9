//! Which presses answer, key by key. Real questions test that typing never says yes (`prompt::channels::keys`).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{ARMED, BOUNCE, Gestures, KeyAnswer, KeyGesture, Modifiers, Press};

const QUIET: Duration = Duration::from_millis(400);

/// Milliseconds, key, and whether it goes down.
pub(crate) type Event = (u64, char, bool);

/// Control, Alt and Super among the events.
const MODIFIERS: [char; 3] = ['⌃', '⌥', '⌘'];

/// Plays the events in order and polls at every relevant millisecond. Returns the answers, with their times.
pub(crate) fn play(signs: &[KeyGesture], events: &[Event], until: u64) -> Vec<(u64, KeyAnswer)> {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let mut gestures = Gestures::new(QUIET, begun, BTreeSet::new());
    let (mut answers, mut candidate) = (Vec::new(), None);
    let poll = |gestures: &mut Gestures<char>, candidate: &Option<(char, KeyAnswer)>, until: u64| {
        let mut found = Vec::new();
        while let Some(deadline) = gestures.deadline().filter(|deadline| *deadline <= at(until)) {
            let Some(made) = gestures.poll(deadline) else { break };
            let when = u64::try_from(deadline.duration_since(begun).as_millis()).unwrap();
            let (key, says) = candidate.unwrap();
            assert_eq!(key, made.key);
            found.push((when, says));
        }
        found
    };
    for &(when, key, down) in events {
        answers.extend(poll(&mut gestures, &candidate, when.saturating_sub(1)));
        if !down {
            gestures.release(key, at(when));
        } else if let Some(nth) = MODIFIERS.iter().position(|modifier| *modifier == key) {
            let modifier = Modifiers { control: nth == 0, alt: nth == 1, logo: nth == 2 };
            gestures.modify(key, modifier, at(when));
        } else {
            let modifiers = gestures.modifiers();
            let fits =
                |sign: &&KeyGesture| modifiers.is_some_and(|held| sign.fits(key.to_ascii_uppercase(), held));
            let sign = signs.iter().find(fits);
            candidate = sign.map(|sign| (key, sign.says));
            gestures.press(key, sign.map(|sign| sign.press), at(when));
        }
        answers.extend(poll(&mut gestures, &candidate, when));
    }
    answers.extend(poll(&mut gestures, &candidate, until));
    answers
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

/// The keys of a question whose yes is this key.
fn signs(yes: char) -> Vec<KeyGesture> {
    vec![
        KeyGesture::held(yes, KeyAnswer::Yes),
        KeyGesture::held('N', KeyAnswer::No),
        KeyGesture::held('A', KeyAnswer::Always),
        KeyGesture::held('M', KeyAnswer::Write),
        KeyGesture::held('L', KeyAnswer::Spell),
    ]
}

/// The same with chords for yes and no.
fn chords(yes: &str, no: &str) -> Vec<KeyGesture> {
    let of = |text: &str| text.parse::<Press>().unwrap();
    vec![KeyGesture::new('Y', of(yes), KeyAnswer::Yes), KeyGesture::new('N', of(no), KeyAnswer::No)]
}

#[test]
fn a_gesture_answers_every_time_and_soon() {
    let tap = |at, key| vec![(at, key, true), (at + 80, key, false)];
    let taps = |at, key, gap| [tap(at, key), tap(at + gap, key)].concat();
    let hold = |at, key, long| vec![(at, key, true), (at + long, key, false)];
    let with = |held: char, at, key| {
        [vec![(at - 50, held, true)], tap(at, key), vec![(at + 120, held, false)]].concat()
    };
    let (yes, no, always) = (KeyAnswer::Yes, KeyAnswer::No, KeyAnswer::Always);
    let (plain, digit) = (signs('Y'), signs('7'));
    let (logo, both) = (chords("super+y", "super+n"), chords("ctrl+alt+j", "hold"));
    // A name, the keys that answer, the events, and the answer with its time after the first press.
    type Row<'a> = (&'static str, &'a [KeyGesture], Vec<Event>, Option<(KeyAnswer, u64)>);
    let rows: &[Row<'_>] = &[
        ("held", &plain, hold(2000, 'y', 1100), Some((yes, 1000))),
        ("held on", &plain, hold(2000, 'y', 5000), Some((yes, 1000))),
        ("no, held", &plain, hold(2000, 'n', 1100), Some((no, 1000))),
        ("a digit that is held", &digit, hold(2000, '7', 1100), Some((yes, 1000))),
        ("no where a digit is asked", &digit, hold(2000, 'n', 1100), Some((no, 1000))),
        ("always", &plain, hold(2000, 'a', 1100), Some((always, 1000))),
        (
            "held after a hold that was too short",
            &plain,
            [hold(2000, 'y', 900), hold(3500, 'y', 1100)].concat(),
            Some((yes, 2500)),
        ),
        // A bouncing contact is one press, and so is a remote display that repeats as releases and presses.
        (
            "a bounce",
            &plain,
            vec![(2000, 'y', true), (2010, 'y', false), (2015, 'y', true), (3100, 'y', false)],
            Some((yes, 1000)),
        ),
        (
            "repetition in pairs",
            &plain,
            (0..40).flat_map(|k| [(2000 + 30 * k, 'y', true), (2029 + 30 * k, 'y', false)]).collect(),
            Some((yes, 1000)),
        ),
        ("a chord", &logo, with('⌘', 2000, 'y'), Some((yes, 0))),
        ("a chord for no", &logo, with('⌘', 2000, 'n'), Some((no, 0))),
        ("a chord after typing", &logo, [tap(1500, 'x'), with('⌘', 2000, 'y')].concat(), Some((yes, 0))),
        (
            "a chord of three keys",
            &both,
            [vec![(1900, '⌥', true)], with('⌃', 2000, 'j'), vec![(2200, '⌥', false)]].concat(),
            Some((yes, 0)),
        ),
        ("no is held beside a chord", &both, hold(2000, 'n', 1100), Some((no, 1000))),
        // Not a gesture.
        ("too soon", &plain, hold(1999, 'y', 3000), None),
        ("once", &plain, tap(2000, 'y'), None),
        ("no, once", &plain, tap(2000, 'n'), None),
        ("escape", &plain, tap(2000, '\u{1b}'), None),
        ("escape, held", &plain, hold(2000, '\u{1b}', 3000), None),
        ("too short", &plain, hold(2000, 'y', 999), None),
        ("twice", &plain, taps(2000, 'y', 200), None),
        ("no, twice", &plain, taps(2000, 'n', 200), None),
        ("twice, slowly", &plain, taps(2000, 'y', 1000), None),
        ("five times", &plain, (0..5).flat_map(|k| tap(2000 + 200 * k, 'y')).collect(), None),
        ("after another key", &plain, [tap(1000, 'x'), hold(2900, 'y', 1100)].concat(), None),
        (
            "another key while held",
            &plain,
            vec![(2000, 'y', true), (2500, 'x', true), (2600, 'x', false), (3600, 'y', false)],
            None,
        ),
        ("y where a digit is asked", &digit, hold(2000, 'y', 2000), None),
        ("another digit", &digit, hold(2000, '8', 2000), None),
        ("s", &plain, hold(2000, 's', 2000), None),
        ("held where a chord is chosen", &logo, hold(2000, 'y', 2000), None),
        ("a chord too soon", &logo, with('⌘', 1999, 'y'), None),
        ("another chord", &logo, with('⌃', 2000, 'y'), None),
        (
            "a chord and one modifier more",
            &logo,
            [vec![(1900, '⌥', true)], with('⌘', 2000, 'y'), vec![(2200, '⌥', false)]].concat(),
            None,
        ),
        ("a chord while a key is down", &logo, [hold(1900, 'x', 400), with('⌘', 2000, 'y')].concat(), None),
        ("held with a modifier", &plain, [vec![(1900, '⌃', true)], hold(2000, 'y', 2000)].concat(), None),
    ];
    for (name, signs, events, expected) in rows {
        let mut events = events.clone();
        events.sort_by_key(|(at, ..)| *at);
        let answers = play(signs, &events, 60_000);
        let expected = expected.map(|(says, after)| (2000 + after, says));
        assert_eq!(answers.first().copied(), expected, "{name}: {answers:?}");
        assert!(answers.len() <= 1, "{name}: {answers:?}");
    }
}

/// What is typed into editors, pagers, shells and games, after a pause and at any speed.
#[test]
fn nobody_answers_from_another_window() {
    let inputs = [
        "yy",
        "yyp",
        "2yy",
        "ddp",
        "y$",
        "yiw",
        "ggyG",
        "n",
        "nn",
        "nnnnnn",
        "N",
        "nN",
        "/no",
        "?yes",
        ":wq",
        ":%s/y/n/g",
        "\u{1b}",
        "\u{1b}\u{1b}",
        "\u{1b}:q!",
        "iyes\u{1b}",
        "q",
        "y",
        "n",
        "yn",
        "y n y",
        "aaaa",
        "mmmm",
        "llll",
        "ll",
        "7",
        "77",
        "777",
        "jjjjjjjjjj",
        "y/N",
        "no",
        "yes",
        "sim",
        "nao",
        "oui",
        "non",
        "nyny",
        "all",
        "man",
        "any",
        "many",
    ];
    let digits = std::iter::once('Y').chain('2'..='9');
    for yes in digits {
        for input in inputs {
            for speed in SPEEDS {
                for from in [1900, 2000, 2500, 9000] {
                    let events = typed(input, speed, from);
                    assert_eq!(play(&signs(yes), &events, 60_000), [], "{input:?} {speed:?} {yes}");
                    assert_eq!(
                        play(&chords("super+y", "super+n"), &events, 60_000),
                        [],
                        "{input:?} {speed:?}"
                    );
                }
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 2000, ..Default::default() })]

    /// No presses answer, in any order and rhythm, if each is shorter than a second.
    #[test]
    fn what_is_not_held_for_a_second_is_no_answer(
        presses in proptest::collection::vec((0_u64..6000, 1_u64..999, 0_usize..9), 0..40),
    ) {
        let (mut at, mut events, mut free) = (0, Vec::new(), std::collections::BTreeMap::new());
        for (pause, long, key) in presses {
            let key = ['y', 'n', 'a', 'm', 'l', '7', 'x', '\u{1b}', '⌘'][key];
            // A key is pressed again only once it is up, and later than a contact bounces.
            at = (at + pause).max(free.get(&key).copied().unwrap_or(0));
            free.insert(key, at + long + 30);
            events.extend([(at, key, true), (at + long, key, false)]);
        }
        events.sort_by_key(|(at, ..)| *at);
        for yes in ['Y', '7'] {
            proptest::prop_assert_eq!(play(&signs(yes), &events, at + 60_000), []);
        }
    }
}

#[test]
fn what_was_held_or_missed_before_counts_for_nothing() {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let rule = Some(Press::Hold);
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
