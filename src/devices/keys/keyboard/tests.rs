//! The rules of the trusted keyboard; `helper` tests its socket. The keyboards are doubles that replay the
//! events of a real one (recorded with `evtest` on a PS/2 keyboard); `make test-vm` tries the helper on a real
//! kernel.

use std::time::{Duration, Instant};

use super::*;

mod helper;

const Y: u16 = 21;
const N: u16 = 49;
const SHIFT: u16 = 42;
const NUMBER: &str = "00112233445566778899aabbccddeeff";

fn ask() -> KeyboardQuestion {
    KeyboardQuestion {
        question: NUMBER.to_owned(),
        signs: vec![KeyGesture::held('Y', KeyAnswer::Yes), KeyGesture::held('N', KeyAnswer::No)],
        quiet_ms: 400,
        wait_s: 20,
    }
}

/// The question with another key for yes, and with all keys.
fn with(signs: &[KeyGesture]) -> KeyboardQuestion {
    KeyboardQuestion { signs: signs.to_vec(), ..ask() }
}

/// Milliseconds, keyboard, key, and 0, 1 or 2.
type Pressing = (u64, usize, u16, i32);
/// A name, a question, the held and pressed keys, and the answer.
type Row<'a> = (&'a str, &'a KeyboardQuestion, Layout, &'a [u16], Vec<Pressing>, Option<KeyAnswer>);

/// Plays presses `(milliseconds, keyboard, key, value)` and returns the answers with their times.
fn play(ask: &KeyboardQuestion, layout: Layout, held: &[u16], events: &[Pressing]) -> Vec<(u64, KeyAnswer)> {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let mut presses = KeyboardPresses::new(ask, layout, begun);
    presses.held(0, held.iter().copied());
    let mut answers = Vec::new();
    let last = events.last().map_or(0, |(at, ..)| *at) + 2000;
    let mut events = events.iter().peekable();
    // The helper polls in the last millisecond of its waits.
    for now in 0..last {
        while let Some(&(_, keyboard, key, value)) = events.next_if(|(when, ..)| *when == now) {
            presses.take((keyboard, key), value, true, at(now));
        }
        let due = presses.deadline().is_none_or(|deadline| deadline <= at(now));
        if let Some(word) = due.then(|| presses.poll(at(now), |_| true)).flatten() {
            answers.push((now, word));
        }
    }
    answers
}

#[test]
fn the_gesture_answers_on_the_key_that_bears_the_letter() {
    let tap = |at, key| vec![(at, 0, key, 1), (at + 90, 0, key, 0)];
    let twice = |key| [tap(2500, key), tap(2800, key)].concat();
    let chord = |held, key| [vec![(2400, 0, held, 1)], tap(2500, key), vec![(2700, 0, held, 0)]].concat();
    let hold = |key| vec![(2500, 0, key, 1), (3000, 0, key, 2), (3033, 0, key, 2), (3600, 0, key, 0)];
    let no = KeyGesture::held('N', KeyAnswer::No);
    let with_digit = with(&[KeyGesture::held('7', KeyAnswer::Yes), no.clone()]);
    let all = with(&[KeyGesture::held('A', KeyAnswer::Always), KeyGesture::held('M', KeyAnswer::Write)]);
    let logo = with(&[KeyGesture::new('Y', "super+z".parse().unwrap(), KeyAnswer::Yes), no]);
    let rows: &[Row<'_>] = &[
        ("y twice", &ask(), Layout::Qwerty, &[], twice(Y), None),
        ("y held", &ask(), Layout::Qwerty, &[], hold(Y), Some(KeyAnswer::Yes)),
        ("y once", &ask(), Layout::Qwerty, &[], tap(2500, Y), None),
        ("s", &ask(), Layout::Qwerty, &[], hold(31), None),
        ("o", &ask(), Layout::Azerty, &[], hold(24), None),
        ("n", &ask(), Layout::Qwerty, &[], hold(N), Some(KeyAnswer::No)),
        ("n once", &ask(), Layout::Qwerty, &[], tap(2500, N), None),
        ("escape", &ask(), Layout::Qwerty, &[], hold(1), None),
        ("a chord of the person's", &logo, Layout::Qwerty, &[], chord(125, 44), Some(KeyAnswer::Yes)),
        ("on a german keyboard", &logo, Layout::Qwertz, &[], chord(126, 21), Some(KeyAnswer::Yes)),
        ("another modifier", &logo, Layout::Qwerty, &[], chord(56, 44), None),
        ("its letter alone", &logo, Layout::Qwerty, &[], hold(44), None),
        ("a modifier that was down before", &logo, Layout::Qwerty, &[125], tap(2500, 44), None),
        ("no letter that answers", &ask(), Layout::Qwerty, &[], hold(30), None),
        ("german y", &ask(), Layout::Qwertz, &[], hold(44), Some(KeyAnswer::Yes)),
        ("german z", &ask(), Layout::Qwertz, &[], hold(Y), None),
        ("french a", &all, Layout::Azerty, &[], hold(16), Some(KeyAnswer::Always)),
        ("french m", &all, Layout::Azerty, &[], hold(39), Some(KeyAnswer::Write)),
        ("a twice", &all, Layout::Qwerty, &[], twice(30), None),
        ("dvorak n", &ask(), Layout::Dvorak, &[], hold(38), Some(KeyAnswer::No)),
        ("7", &with_digit, Layout::Qwerty, &[], hold(8), Some(KeyAnswer::Yes)),
        ("7 of the pad", &with_digit, Layout::Azerty, &[], hold(71), Some(KeyAnswer::Yes)),
        ("7 twice", &with_digit, Layout::Qwerty, &[], twice(8), None),
        ("y where a digit is asked", &with_digit, Layout::Qwerty, &[], hold(Y), None),
        ("another digit", &with_digit, Layout::Qwerty, &[], hold(7), None),
        ("n where a digit is asked", &with_digit, Layout::Qwerty, &[], hold(N), Some(KeyAnswer::No)),
        ("held from before", &ask(), Layout::Qwerty, &[Y], vec![(500, 0, Y, 2), (4900, 0, Y, 0)], None),
        (
            "let go and held anew",
            &ask(),
            Layout::Qwerty,
            &[Y],
            [tap(500, Y)[1..].to_vec(), hold(Y)].concat(),
            Some(KeyAnswer::Yes),
        ),
        (
            "a chord",
            &ask(),
            Layout::Qwerty,
            &[],
            vec![(500, 0, SHIFT, 1), (3000, 0, Y, 1), (4100, 0, Y, 0), (4200, 0, SHIFT, 0)],
            None,
        ),
        (
            "two keyboards at once",
            &ask(),
            Layout::Qwerty,
            &[],
            vec![(2500, 0, Y, 1), (2510, 1, N, 1), (3590, 0, Y, 0), (3600, 1, N, 0)],
            None,
        ),
    ];
    for (name, ask, layout, held, events, word) in rows {
        let answers = play(ask, *layout, held, events);
        assert_eq!(answers.first().map(|(_, word)| *word), *word, "{name}: {answers:?}");
        assert!(answers.len() <= 1, "{name}: {answers:?}");
    }
}

#[test]
fn what_was_missed_or_does_not_count_is_no_gesture() {
    let begun = Instant::now();
    let at = |ms| begun + Duration::from_millis(ms);
    let mut presses = KeyboardPresses::new(&ask(), Layout::Qwerty, begun);
    presses.take((0, Y), 1, true, at(2500));
    presses.disturb(0, at(2600));
    assert_eq!(presses.poll(at(3600), |_| true), None, "its press does not count any more");
    presses.take((0, Y), 1, true, at(4000));
    assert_eq!(presses.poll(at(5100), |_| true), None, "too soon after what was missed");
    presses.take((0, Y), 0, true, at(5200));
    presses.take((0, Y), 1, false, at(9000));
    assert_eq!(presses.poll(at(10_100), |_| true), None, "another program keeps that keyboard");
    presses.take((0, Y), 0, true, at(10_200));
    presses.take((0, Y), 1, true, at(13_000));
    assert_eq!(presses.poll(at(14_000), |_| false), None, "it is up by now, and that was not read yet");
}

#[test]
fn only_what_hangs_in_the_machine_counts() {
    let usb = About {
        place: "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3:1.0/0003:046D:C31C.0001/input/input7"
            .to_owned(),
        bus: 3,
        vendor: 0x046d,
        product: 0xc31c,
        name: "Logitech USB Keyboard".to_owned(),
        mode: 0o20660,
        gid: 104,
        ..About::default()
    };
    let at = |place: &str| About { place: place.to_owned(), ..usb.clone() };
    let bluetooth = About {
        bus: 5,
        serial: "d4:5d:64:01:02:03".to_owned(),
        ..at("/sys/devices/virtual/misc/uhid/0005:046D:B342.0007/input/input25")
    };
    let entry = "0005:046d:c31c d4:5d:64:01:02:03 Logitech USB Keyboard".to_owned();
    assert_eq!(bluetooth.entry(), entry);
    let enrolled = vec![entry, usb.entry(), at("/sys/devices/virtual/input/input9").entry()];
    let none: Vec<String> = Vec::new();
    for (name, about, enrolled, groups, counts) in [
        ("usb", usb.clone(), &none, &[1000][..], true),
        ("ps/2", at("/sys/devices/platform/i8042/serio0/input/input0"), &none, &[1000], true),
        ("a program's", at("/sys/devices/virtual/input/input9"), &none, &[1000], false),
        ("a program's that was enrolled", at("/sys/devices/virtual/input/input9"), &enrolled, &[1000], false),
        ("bluetooth", bluetooth.clone(), &none, &[1000], false),
        ("bluetooth that was enrolled", bluetooth.clone(), &enrolled, &[1000], true),
        (
            "another bluetooth",
            About { serial: "x".to_owned(), ..bluetooth.clone() },
            &enrolled,
            &[1000],
            false,
        ),
        (
            "usb over the network",
            at("/sys/devices/platform/vhci_hcd.0/usb3/3-1/input/input9"),
            &none,
            &[1000],
            false,
        ),
        ("a gadget's", at("/sys/devices/platform/dummy_hcd.0/usb3/3-1/input/input9"), &none, &[1000], false),
        ("nowhere", at(""), &none, &[1000], false),
        ("a way round", at("/sys/devices/pci0000:00/../virtual/input/input9"), &none, &[1000], false),
        ("whose user is in the group", usb.clone(), &none, &[1000, 104], false),
        ("that everybody writes to", About { mode: 0o20666, ..usb.clone() }, &none, &[1000], false),
        ("that the user owns", About { uid: 1000, ..usb.clone() }, &none, &[1000], false),
        ("that the group only reads", About { mode: 0o20640, ..usb.clone() }, &none, &[1000, 104], true),
    ] {
        let judged = judge(&about, enrolled, 1000, groups);
        assert_eq!(judged.is_ok(), counts, "{name}: {judged:?}");
    }
}

#[test]
fn a_wish_is_closed() {
    let good = ask();
    assert_eq!(good.check(), Ok(()));
    for (name, wrong) in [
        ("another letter", with(&[KeyGesture::held('S', KeyAnswer::Yes)])),
        ("a small letter", with(&[KeyGesture::held('y', KeyAnswer::Yes)])),
        ("a digit of another script", with(&[KeyGesture::held('٤', KeyAnswer::Yes)])),
        ("y for no", with(&[KeyGesture::held('Y', KeyAnswer::No)])),
        ("a letter that says nothing", with(&[KeyGesture::held('L', KeyAnswer::Spell)])),
        (
            "a letter beside its chord",
            with(&[KeyGesture {
                key: 'X',
                ..KeyGesture::new('Y', "super+y".parse().unwrap(), KeyAnswer::Yes)
            }]),
        ),
        ("a chord for always", with(&[KeyGesture::new('A', "super+a".parse().unwrap(), KeyAnswer::Always)])),
        (
            "two keys for yes",
            with(&[KeyGesture::held('Y', KeyAnswer::Yes), KeyGesture::held('7', KeyAnswer::Yes)]),
        ),
        ("no number", KeyboardQuestion { question: String::new(), ..good.clone() }),
        ("no quiet", KeyboardQuestion { quiet_ms: 0, ..good.clone() }),
        ("for ever", KeyboardQuestion { wait_s: u64::MAX, ..good.clone() }),
        ("no time", KeyboardQuestion { wait_s: 0, ..good.clone() }),
    ] {
        assert!(wrong.check().is_err(), "{name}");
    }
    for text in
        ["{\"ask\": {}}", "{\"all\": true}", "\"Status\"", "[]", "{\"status\": {}, \"x\": 1}", "\0", "9"]
    {
        assert!(serde_json::from_str::<HelperRequest>(text).is_err(), "{text}");
    }
    let longest = |key, says| KeyGesture::new(key, "ctrl+alt+super+y".parse().unwrap(), says);
    let signs = vec![
        longest('Y', KeyAnswer::Yes),
        longest('N', KeyAnswer::No),
        KeyGesture::held('A', KeyAnswer::Always),
        KeyGesture::held('M', KeyAnswer::Write),
    ];
    let line = serde_json::to_string(&HelperRequest::Ask(KeyboardQuestion {
        wait_s: LONGEST,
        quiet_ms: 10_000,
        signs,
        ..good
    }))
    .unwrap();
    assert!(line.len() < LINE, "{} bytes", line.len());
}

proptest::proptest! {
    #[test]
    fn no_bytes_are_a_wish_by_chance(bytes: Vec<u8>) {
        proptest::prop_assert!(serde_json::from_slice::<HelperRequest>(&bytes).is_err());
    }

    /// In any order of presses, an answer comes only from a key that answers.
    #[test]
    fn an_answer_comes_from_its_key(events: Vec<(u16, usize, u16, i32)>) {
        let mut at = 0;
        let events: Vec<_> = events.iter().map(|(later, keyboard, key, value)| {
            at += u64::from(later % 1000);
            (at, keyboard % 3, [Y, N, 31, 1, 30, SHIFT][usize::from(key % 6)], value.rem_euclid(3))
        }).collect();
        for (when, word) in play(&ask(), Layout::Qwerty, &[], &events) {
            let last = |keys: &[u16]| events.iter().any(|(at, _, key, _)| keys.contains(key) && *at <= when && at + 1500 >= when);
            let fits = match word {
                KeyAnswer::Yes => last(&[Y]),
                KeyAnswer::No => last(&[N]),
                KeyAnswer::Always | KeyAnswer::Session | KeyAnswer::Write | KeyAnswer::Spell => false,
            };
            proptest::prop_assert!(fits, "{word:?} at {when}");
        }
    }
}
