//! The rules of the trusted keyboard, and its socket. The keyboards are doubles that replay the events of a
//! real one (recorded with `evtest` on a PS/2 keyboard); `make test-vm` tries the helper on a real kernel.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::serve::Pressed;
use super::*;
use crate::devices::gesture::ARMED;

const Y: u16 = 21;
const N: u16 = 49;
const SHIFT: u16 = 42;
const NUMBER: &str = "00112233445566778899aabbccddeeff";

fn ask() -> KeyboardQuestion {
    KeyboardQuestion {
        question: NUMBER.to_owned(),
        yes: 'Y',
        gesture: Gesture::HoldOrTwice,
        always: false,
        write: false,
        quiet_ms: 400,
        wait_s: 20,
    }
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
    let hold = |key| vec![(2500, 0, key, 1), (3000, 0, key, 2), (3033, 0, key, 2), (3600, 0, key, 0)];
    let (with_digit, all) =
        (KeyboardQuestion { yes: '7', ..ask() }, KeyboardQuestion { always: true, write: true, ..ask() });
    let single = KeyboardQuestion { gesture: Gesture::Single, ..ask() };
    let rows: &[Row<'_>] = &[
        ("y twice", &ask(), Layout::Qwerty, &[], twice(Y), Some(KeyAnswer::Yes)),
        ("y held", &ask(), Layout::Qwerty, &[], hold(Y), Some(KeyAnswer::Yes)),
        ("y once", &ask(), Layout::Qwerty, &[], tap(2500, Y), None),
        (
            "y once, where the person wants it so",
            &single,
            Layout::Qwerty,
            &[],
            tap(2500, Y),
            Some(KeyAnswer::Yes),
        ),
        ("s", &ask(), Layout::Qwerty, &[], hold(31), None),
        ("o", &ask(), Layout::Azerty, &[], hold(24), None),
        ("n", &ask(), Layout::Qwerty, &[], tap(500, N), Some(KeyAnswer::No)),
        ("escape", &ask(), Layout::Qwerty, &[], tap(500, 1), Some(KeyAnswer::No)),
        ("no letter that answers", &ask(), Layout::Qwerty, &[], hold(30), None),
        ("german y", &ask(), Layout::Qwertz, &[], twice(44), Some(KeyAnswer::Yes)),
        ("german z", &ask(), Layout::Qwertz, &[], twice(Y), None),
        ("french a", &all, Layout::Azerty, &[], hold(16), Some(KeyAnswer::Always)),
        ("french m", &all, Layout::Azerty, &[], hold(39), Some(KeyAnswer::Write)),
        ("a twice", &all, Layout::Qwerty, &[], twice(30), None),
        ("dvorak n", &ask(), Layout::Dvorak, &[], tap(500, 38), Some(KeyAnswer::No)),
        ("7", &with_digit, Layout::Qwerty, &[], hold(8), Some(KeyAnswer::Yes)),
        ("7 of the pad", &with_digit, Layout::Azerty, &[], hold(71), Some(KeyAnswer::Yes)),
        ("7 twice", &with_digit, Layout::Qwerty, &[], twice(8), None),
        ("y where a digit is asked", &with_digit, Layout::Qwerty, &[], hold(Y), None),
        ("another digit", &with_digit, Layout::Qwerty, &[], hold(7), None),
        ("n where a digit is asked", &with_digit, Layout::Qwerty, &[], tap(500, N), Some(KeyAnswer::No)),
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
        (
            "twice, on two keyboards",
            &ask(),
            Layout::Qwerty,
            &[],
            vec![(2500, 0, Y, 1), (2590, 0, Y, 0), (2700, 1, Y, 1), (2790, 1, Y, 0)],
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
        ("another letter", KeyboardQuestion { yes: 'S', ..good.clone() }),
        ("a small letter", KeyboardQuestion { yes: 'y', ..good.clone() }),
        ("a digit of another script", KeyboardQuestion { yes: '٤', ..good.clone() }),
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
    let line = serde_json::to_string(&HelperRequest::Ask(KeyboardQuestion {
        wait_s: LONGEST,
        quiet_ms: 10_000,
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
                KeyAnswer::No => last(&[N, 1]),
                KeyAnswer::Always | KeyAnswer::Write => false,
            };
            proptest::prop_assert!(fits, "{word:?} at {when}");
        }
    }
}

/// A keyboard of the test, which reports the events sent to it. A pipe wakes the reader.
#[derive(Clone)]
struct Double {
    queue: Arc<Mutex<Vec<Pressed>>>,
    wake: Arc<(std::io::PipeReader, std::io::PipeWriter)>,
    place: &'static str,
    /// How often it was opened and released.
    opened: Arc<Mutex<(usize, usize)>>,
}

struct Playing(Double);

impl Double {
    fn new(place: &'static str) -> Self {
        let wake = Arc::new(std::io::pipe().unwrap());
        Self { queue: Arc::default(), wake, place, opened: Arc::default() }
    }

    fn press(&self, key: u16) {
        for value in [1, 0] {
            self.queue.lock().unwrap().push(Pressed::Key(key, value, Duration::ZERO));
            (&self.wake.1).write_all(b".").unwrap();
        }
    }

    /// Presses a key twice, which means yes.
    fn twice(&self, key: u16) {
        std::thread::sleep(ARMED + Duration::from_millis(200));
        for _ in 0..2 {
            self.press(key);
            std::thread::sleep(Duration::from_millis(150));
        }
    }
}

impl AsFd for Playing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.wake.0.as_fd()
    }
}

impl Events for Playing {
    fn read(&mut self) -> std::io::Result<Vec<Pressed>> {
        let told = std::mem::take(&mut *self.0.queue.lock().unwrap());
        let mut bytes = vec![0; told.len()];
        std::io::Read::read_exact(&mut &self.0.wake.0, &mut bytes)?;
        Ok(told)
    }

    fn held(&self) -> std::io::Result<Vec<u16>> {
        Ok(Vec::new())
    }

    fn free(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.0.opened.lock().unwrap().1 += 1;
    }
}

impl Keyboards for Double {
    fn nodes(&self) -> std::io::Result<Vec<String>> {
        Ok(vec!["/dev/input/event0".to_owned()])
    }

    fn open(&self, _node: &str) -> std::io::Result<Option<Opened>> {
        self.opened.lock().unwrap().0 += 1;
        let about = About { place: self.place.to_owned(), name: "a double".to_owned(), ..About::default() };
        Ok(Some(Opened { about, events: Box::new(Playing(self.clone())) }))
    }
}

const REAL: &str = "/sys/devices/platform/i8042/serio0/input/input0";

/// A helper with the double. It trusts this process although both have the same user.
struct Helper {
    folder: tempfile::TempDir,
    double: Double,
}

impl Helper {
    fn start(place: &'static str, users: &[u32]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let users: Vec<String> = users.iter().map(u32::to_string).collect();
        let terms = KeyboardTerms { users, ..KeyboardTerms::default() };
        std::fs::write(folder.path().join("keys.toml"), terms.to_toml()).unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let (path, double) = (folder.path().join("keys.toml"), Double::new(place));
        let keyboards = Arc::new(double.clone());
        // As if this process had another user than the helper.
        std::thread::spawn(move || super::serve::serve_as(&listener, &path, &keyboards, u32::MAX));
        Self { folder, double }
    }

    fn call(&self, bytes: &[u8]) -> BufReader<UnixStream> {
        let mut stream = UnixStream::connect(self.folder.path().join("socket")).unwrap();
        // The other end may already be closed for a refused caller.
        let _ = stream.write_all(bytes);
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        BufReader::new(stream)
    }

    fn wish(&self, wish: &HelperRequest) -> BufReader<UnixStream> {
        self.call(format!("{}\n", serde_json::to_string(wish).unwrap()).as_bytes())
    }
}

fn own() -> u32 {
    crate::devices::own::own_uid()
}

fn told(lines: &mut BufReader<UnixStream>) -> Option<HelperMessage> {
    let mut line = String::new();
    // Unread extra data resets the connection.
    if lines.read_line(&mut line).is_err_and(|error| error.kind() != std::io::ErrorKind::ConnectionReset) {
        panic!("nothing is said in time");
    }
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
}

fn quick() -> KeyboardQuestion {
    KeyboardQuestion { quiet_ms: 100, ..ask() }
}

#[test]
fn a_question_is_answered_once_and_the_keyboard_let_go_of() {
    let helper = Helper::start(REAL, &[own()]);
    let mut lines = helper.wish(&HelperRequest::Ask(quick()));
    assert_eq!(
        told(&mut lines),
        Some(HelperMessage::Listening { question: NUMBER.to_owned(), keyboards: 1 })
    );
    helper.double.twice(Y);
    assert_eq!(
        told(&mut lines),
        Some(HelperMessage::Answer { question: NUMBER.to_owned(), word: KeyAnswer::Yes })
    );
    // A later press reaches no caller.
    helper.double.press(N);
    assert_eq!(told(&mut lines), None);
    for _ in 0..1000 {
        let (opened, dropped) = *helper.double.opened.lock().unwrap();
        if opened == dropped {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("a keyboard is still held");
}

#[test]
fn presses_before_the_question_do_not_count() {
    let helper = Helper::start(REAL, &[own()]);
    helper.double.press(Y);
    let mut lines = helper.wish(&HelperRequest::Ask(KeyboardQuestion { wait_s: 1, ..quick() }));
    assert!(matches!(told(&mut lines), Some(HelperMessage::Listening { .. })));
    assert_eq!(told(&mut lines), Some(HelperMessage::Silence));
}

#[test]
fn who_may_not_ask_learns_nothing() {
    for (helper, bytes) in [
        (Helper::start(REAL, &[]), serde_json::to_vec(&HelperRequest::Ask(quick())).unwrap()),
        (Helper::start(REAL, &[own() + 1]), serde_json::to_vec(&HelperRequest::Status).unwrap()),
        (Helper::start(REAL, &[own()]), b"{\"ask\": {\"yes\": [\"A\"]}}".to_vec()),
        (Helper::start(REAL, &[own()]), vec![b'x'; 5000]),
        (Helper::start(REAL, &[own()]), vec![0xff, 0, 7]),
        (Helper::start(REAL, &[own()]), Vec::new()),
    ] {
        let mut lines = helper.call(&[bytes.as_slice(), b"\n"].concat());
        let mut line = String::new();
        // With much unread data, the system may close the connection before the answer is read.
        let read = lines.read_line(&mut line);
        assert!(read.is_err() || line.contains("\"unable\""), "{line}");
        assert_eq!(*helper.double.opened.lock().unwrap(), (0, 0), "no keyboard was opened");
    }
}

#[test]
fn one_question_at_a_time_and_hanging_up_ends_it() {
    let helper = Helper::start(REAL, &[own()]);
    let mut first = helper.wish(&HelperRequest::Ask(quick()));
    assert!(matches!(told(&mut first), Some(HelperMessage::Listening { .. })));
    let mut second = helper.wish(&HelperRequest::Ask(KeyboardQuestion { wait_s: 1, ..quick() }));
    assert!(
        matches!(told(&mut second), Some(HelperMessage::Unable(why)) if why.contains("another question"))
    );
    drop(first);
    let mut third = helper.wish(&HelperRequest::Ask(quick()));
    assert!(matches!(told(&mut third), Some(HelperMessage::Listening { .. })), "the first one is over");
    // A caller that sends more than one request counts as disconnected.
    third.get_mut().write_all(b"\"status\"\n").unwrap();
    helper.double.press(N);
    assert_eq!(told(&mut third), None);
}

#[test]
fn a_keyboard_that_a_program_makes_is_shown_and_not_read() {
    let helper = Helper::start("/sys/devices/virtual/input/input9", &[own()]);
    let Some(HelperMessage::Status(found)) = told(&mut helper.wish(&HelperRequest::Status)) else {
        panic!("no status")
    };
    assert!(found[0].refused.as_ref().unwrap().contains("a program makes its presses"), "{found:?}");
    assert_eq!(found[0].entry, None, "and cannot be enrolled");
    let mut lines = helper.wish(&HelperRequest::Ask(KeyboardQuestion { wait_s: 5, ..quick() }));
    assert!(matches!(told(&mut lines), Some(HelperMessage::Busy(_))));
    helper.double.twice(Y);
    assert_eq!(told(&mut lines), Some(HelperMessage::Silence));
}

#[test]
fn a_helper_of_the_wrong_user_is_not_believed() {
    let helper = Helper::start(REAL, &[own()]);
    let socket = helper.folder.path().join("socket");
    // The user's own programs could listen there.
    let own_name = nix::unistd::User::from_uid(nix::unistd::getuid()).unwrap().unwrap().name;
    assert!(helper_uid(&own_name).unwrap_err().to_string().contains("its programs could answer"));
    assert!(helper_uid("nobody-of-that-name").is_err());
    // The listener has another user than expected.
    let other = if own_name == "nobody" { "daemon" } else { "nobody" };
    let refused = ask_once(&socket, other, &quick(), |_| {}).unwrap_err();
    assert!(refused.to_string().contains("it is not believed"), "{refused}");
    assert!(status(&socket, other).unwrap_err().to_string().contains("it is not believed"));
    let nowhere = helper.folder.path().join("nothing");
    assert!(status(&nowhere, other).unwrap_err().to_string().contains("does not listen"));
}

/// A server that sends messages that no helper sends, or sends them too late.
async fn against(said: &'static [&'static str]) -> Vec<KeyboardEvent> {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut line = String::new();
        let (read, mut write) = stream.split();
        tokio::io::AsyncBufReadExt::read_line(&mut tokio::io::BufReader::new(read), &mut line).await.unwrap();
        for text in said {
            tokio::io::AsyncWriteExt::write_all(&mut write, format!("{text}\n").as_bytes()).await.unwrap();
        }
    });
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let keyboard = Keyboard::new(socket, String::new());
    let end = keyboard.once_as(own(), &ask(), &sender).await;
    drop(sender);
    let mut all = Vec::new();
    while let Some(seen) = seen.recv().await {
        all.push(seen);
    }
    if let Err(why) = end {
        all.push(KeyboardEvent::Unable(why.to_string()));
    }
    all
}

#[tokio::test]
async fn garbage_replays_and_other_questions_answers_are_none() {
    const LISTENING: &str =
        "{\"listening\":{\"question\":\"00112233445566778899aabbccddeeff\",\"keyboards\":1}}";
    const YES: &str = "{\"answer\":{\"question\":\"00112233445566778899aabbccddeeff\",\"word\":\"yes\"}}";
    const OTHER: &str = "{\"answer\":{\"question\":\"ffeeddccbbaa99887766554433221100\",\"word\":\"yes\"}}";
    assert_eq!(
        against(&[LISTENING, YES, YES]).await,
        [KeyboardEvent::Listening, KeyboardEvent::Answer(KeyAnswer::Yes)],
        "once"
    );
    for said in [
        &[][..],
        &["yes"],
        &["{\"answer\":{\"word\":\"yes\"}}"],
        &["{\"answer\":{\"question\":\"00112233445566778899aabbccddeeff\",\"word\":\"yes\",\"more\":1}}"],
        &[OTHER],
        &[LISTENING, OTHER, YES],
        &["\"silence\"", YES],
        &["{\"unable\":\"no\"}", YES],
    ] {
        let seen = against(said).await;
        assert!(matches!(seen.last(), Some(KeyboardEvent::Unable(_))), "{said:?}: {seen:?}");
        assert!(!seen.iter().any(|seen| matches!(seen, KeyboardEvent::Answer(_))), "{said:?}: {seen:?}");
    }
}
