//! Keys on a real X server.

use std::time::Duration;

use guarda::devices::DeviceState;
use guarda::devices::keys::gesture::{KeyAnswer, KeyGesture};
use guarda::devices::keys::watch::{KeyEvent, KeyWatch};
use guarda::devices::keys::x11::DesktopKeys;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, WindowClass};
use x11rb::rust_connection::RustConnection;

use super::{end, program, until};
use crate::common::fingers::{A, ALT, CAPS_LOCK, CONTROL, ESCAPE, Fingers, N, SHIFT, SUPER, X, Y, Z};
use crate::common::let_pass_async;
use crate::common::machine::Machine;

const QUIET: Duration = Duration::from_millis(200);

/// Longer than the quiet before a gesture.
const ARMED: u64 = 2300;

/// The keys of a question; Super+X marks an end.
fn signs() -> Vec<KeyGesture> {
    vec![
        KeyGesture::held('Y', KeyAnswer::Yes),
        KeyGesture::held('N', KeyAnswer::No),
        KeyGesture::held('A', KeyAnswer::Always),
        KeyGesture::held('M', KeyAnswer::Write),
        KeyGesture::held('7', KeyAnswer::Yes),
        KeyGesture::new('X', "super+x".parse().unwrap(), KeyAnswer::Spell),
    ]
}

/// A display with keys that are watched.
struct Bench {
    fingers: Fingers,
    watching: Option<KeyWatch>,
    keys: DesktopKeys,
    machine: Machine,
}

impl Bench {
    async fn new() -> Self {
        let machine = Machine::new().with_display();
        let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
        let keys = DesktopKeys::start(program(), &machine.session());
        let mut bench = Self { fingers, watching: None, keys, machine };
        let keys = bench.keys.clone();
        until("the keys", || keys.state().ready()).await;
        bench.watch(signs()).await;
        bench
    }

    /// Watches for these keys.
    async fn watch(&mut self, signs: Vec<KeyGesture>) {
        self.watching = Some(self.keys.watch(QUIET, signs));
        while self.seen().await != KeyEvent::Listening {}
    }

    async fn seen(&mut self) -> KeyEvent {
        let watching = self.watching.as_mut().unwrap();
        end("the watch", watching.seen.recv()).await.expect("the watch has ended")
    }

    /// The answers so far. A chord is pressed to know where that ends.
    async fn counted(&mut self) -> Vec<KeyAnswer> {
        self.quiet().await;
        self.fingers.chord(SUPER, X);
        let mut counted = Vec::new();
        loop {
            match self.seen().await {
                KeyEvent::Pressed(KeyAnswer::Spell) => return counted,
                KeyEvent::Pressed(key) => counted.push(key),
                KeyEvent::Ignored(_) | KeyEvent::Busy(_) | KeyEvent::Listening => {}
                KeyEvent::Unable(why) => panic!("{why}"),
            }
        }
    }

    async fn quiet(&self) {
        let_pass_async(ARMED, "keys count only after a quiet moment").await;
    }

    fn layout(&self, layout: &str) {
        self.machine.ask("setxkbmap", &[layout]);
    }

    async fn leave(&mut self) {
        end("giving back the keyboard", self.watching.take().unwrap().end()).await;
    }
}

#[tokio::test]
async fn a_key_of_the_keyboard_that_is_held_counts() {
    let mut bench = Bench::new().await;
    for (key, says) in [(Y, KeyAnswer::Yes), (N, KeyAnswer::No), (A, KeyAnswer::Always)] {
        bench.quiet().await;
        bench.fingers.hold(key);
        assert_eq!(bench.counted().await, [says]);
    }
    bench.fingers.press(CAPS_LOCK);
    bench.quiet().await;
    bench.fingers.down(SHIFT);
    bench.fingers.hold(Y);
    bench.fingers.up(SHIFT);
    assert_eq!(bench.counted().await, [KeyAnswer::Yes]);
}

#[tokio::test]
async fn a_key_that_a_program_holds_does_not() {
    let mut bench = Bench::new().await;
    bench.quiet().await;
    bench.fingers.fake(Y, Duration::from_millis(1300));
    assert_eq!(bench.counted().await, []);
    bench.quiet().await;
    bench.fingers.send(Y);
    assert_eq!(bench.counted().await, []);
    bench.quiet().await;
    bench.machine.ask("xdotool", &["keydown", "y", "sleep", "1.3", "keyup", "y"]);
    assert_eq!(bench.counted().await, []);
    for arguments in [&["key", "super+x"][..], &["type", "yyy"], &["key", "--window", "root", "y"]] {
        bench.quiet().await;
        bench.machine.ask("xdotool", arguments);
        assert_eq!(bench.counted().await, [], "{arguments:?}");
    }
}

#[tokio::test]
async fn the_letter_of_the_layout_counts() {
    let mut bench = Bench::new().await;
    bench.layout("de");
    bench.quiet().await;
    bench.fingers.hold(Y);
    assert_eq!(bench.counted().await, []);
    bench.quiet().await;
    bench.fingers.hold(Z);
    assert_eq!(bench.counted().await, [KeyAnswer::Yes]);
}

/// A chord of the person's choice counts; its letter with another modifier, held with one, or beside one that a
/// program presses, does not.
#[tokio::test]
async fn only_the_chosen_chord_counts() {
    let mut bench = Bench::new().await;
    bench.leave().await;
    let chosen = [
        KeyGesture::new('Y', "super+z".parse().unwrap(), KeyAnswer::Yes),
        KeyGesture::new('N', "ctrl+alt+n".parse().unwrap(), KeyAnswer::No),
        KeyGesture::new('X', "super+x".parse().unwrap(), KeyAnswer::Spell),
    ];
    bench.watch(chosen.to_vec()).await;
    bench.quiet().await;
    bench.fingers.chord(SUPER, Z);
    assert_eq!(bench.counted().await, [KeyAnswer::Yes]);
    bench.fingers.down(ALT);
    bench.fingers.chord(CONTROL, N);
    bench.fingers.up(ALT);
    assert_eq!(bench.counted().await, [KeyAnswer::No]);
    for modifier in [CONTROL, ALT, SHIFT] {
        bench.fingers.chord(modifier, Z);
        assert_eq!(bench.counted().await, [], "{modifier}");
    }
    bench.fingers.hold(Z);
    assert_eq!(bench.counted().await, []);
    bench.machine.ask("xdotool", &["keydown", "super"]);
    bench.fingers.press(Z);
    bench.machine.ask("xdotool", &["keyup", "super"]);
    assert_eq!(bench.counted().await, [], "a program presses Super");
    bench.leave().await;
    bench.watch(signs()).await;
    for modifier in [CONTROL, ALT, SUPER] {
        bench.quiet().await;
        bench.fingers.down(modifier);
        bench.fingers.hold(Y);
        bench.fingers.up(modifier);
        assert_eq!(bench.counted().await, [], "{modifier}");
    }
}

#[tokio::test]
async fn a_key_held_from_before_does_not_count_nor_does_its_repetition() {
    let mut bench = Bench::new().await;
    bench.leave().await;
    bench.fingers.down(Y);
    bench.watch(signs()).await;
    let_pass_async(3600, "longer than the quiet and a gesture together; the server's repetition has begun")
        .await;
    bench.fingers.up(Y);
    assert_eq!(bench.counted().await, []);
    bench.quiet().await;
    bench.fingers.hold(Y);
    assert_eq!(bench.counted().await, [KeyAnswer::Yes]);
}

#[tokio::test]
async fn it_must_have_been_quiet() {
    let mut bench = Bench::new().await;
    // Typing goes on: none of it counts, however long.
    for _ in 0..10 {
        bench.fingers.press(X);
        bench.fingers.press(Y);
    }
    bench.fingers.hold(Y);
    assert_eq!(bench.counted().await, []);
}

/// A window that is typed into.
struct Page {
    connection: RustConnection,
    window: u32,
}

impl Page {
    fn on(machine: &Machine) -> Self {
        let (connection, screen) =
            RustConnection::connect(Some(machine.session().get("DISPLAY").unwrap())).unwrap();
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id().unwrap();
        let looks = CreateWindowAux::new().override_redirect(1).event_mask(EventMask::KEY_PRESS);
        let class = WindowClass::INPUT_OUTPUT;
        connection.create_window(0, window, root, 0, 0, 9, 9, 0, class, 0, &looks).unwrap().check().unwrap();
        connection.map_window(window).unwrap().check().unwrap();
        Self { connection, window }
    }

    fn focus(&self, focused: bool) {
        let window = if focused { self.window } else { x11rb::NONE };
        let focus = self.connection.set_input_focus(InputFocus::NONE, window, x11rb::CURRENT_TIME);
        focus.unwrap().check().unwrap();
    }

    /// The keys that have arrived.
    fn typed(&self) -> Vec<u8> {
        self.connection.get_input_focus().unwrap().reply().unwrap();
        let events = std::iter::from_fn(|| self.connection.poll_for_event().unwrap());
        events
            .filter_map(|event| if let Event::KeyPress(press) = event { Some(press.detail) } else { None })
            .collect()
    }
}

/// The keys that have arrived, without the chord that marks an end.
fn typed(page: &Page) -> Vec<u8> {
    let mut typed = page.typed();
    if let Some(end) = typed.iter().position(|key| *key == SUPER) {
        typed.truncate(end);
    }
    typed
}

/// The keys of a text on an American keyboard; what takes Shift is typed without it.
fn keys_of(text: &str) -> Vec<u8> {
    const ROWS: [(u8, &str); 5] =
        [(10, "1234567890-"), (24, "qwertyuiop"), (38, "asdfghjkl;'"), (52, "zxcvbnm,./"), (65, " ")];
    let key = |c| ROWS.iter().find_map(|(first, row)| Some(first + u8::try_from(row.find(c)?).unwrap()));
    let plain = |c| {
        if c == ':' {
            ';'
        } else if c == '?' {
            '/'
        } else {
            c
        }
    };
    text.chars().map(|c| key(plain(c)).unwrap()).collect()
}

/// Types a whole text, word by word at another speed: after some words a pause in which a gesture could begin.
async fn types(text: &str, focused: bool) {
    let mut bench = Bench::new().await;
    bench.leave().await;
    let page = Page::on(&bench.machine);
    page.focus(focused);
    bench.watch(signs()).await;
    let mut hands = [(45, 90), (110, 550), (80, 2200), (240, 300)].into_iter().cycle();
    for word in text.split_inclusive(' ') {
        let (step, pause) = hands.next().unwrap();
        for key in keys_of(word) {
            bench.fingers.press(key);
            let_pass_async(step, "a person types").await;
        }
        let_pass_async(pause, "a person thinks").await;
    }
    let counted = bench.counted().await;
    assert_eq!(counted, [], "{text:.30}, focused: {focused}");
    let expected = if focused { keys_of(text) } else { Vec::new() };
    assert_eq!(typed(&page), expected);
}

#[tokio::test]
async fn whole_texts_arrive_and_answer_nothing() {
    let mut all = tokio::task::JoinSet::new();
    for text in include_str!("../../../src/devices/keys/gesture/texts.txt").lines() {
        for focused in [true, false] {
            all.spawn(types(text, focused));
        }
    }
    all.join_all().await;
}

#[tokio::test]
async fn what_is_typed_arrives_and_says_nothing_and_a_gesture_does() {
    let mut bench = Bench::new().await;
    bench.leave().await;
    let page = Page::on(&bench.machine);
    for focused in [true, false] {
        page.focus(focused);
        bench.watch(signs()).await;
        // A pause before words that begin with the key, a number, what an editor copies a line with, and a search.
        let parts = ["are we there ", "yet ", "y 77 yes ", "yy", "n", "nn", "no "];
        for part in parts {
            bench.quiet().await;
            for key in keys_of(part) {
                bench.fingers.press(key);
                let_pass_async(60, "a person types").await;
            }
        }
        bench.quiet().await;
        bench.fingers.press(ESCAPE);
        assert_eq!(bench.counted().await, [], "focused: {focused}");
        let expected = [keys_of(&parts.concat()), vec![ESCAPE]].concat();
        assert_eq!(typed(&page), if focused { expected } else { Vec::new() });
        for (key, says) in [(Y, KeyAnswer::Yes), (N, KeyAnswer::No)] {
            bench.quiet().await;
            let begun = std::time::Instant::now();
            bench.fingers.hold(key);
            while bench.seen().await != KeyEvent::Pressed(says) {}
            println!("{focused}: answered after {:?}", begun.elapsed());
        }
        // The letters, and at most the first repetition of each.
        let arrived = page.typed().len();
        assert!(arrived <= if focused { 4 } else { 0 }, "{arrived}");
        bench.leave().await;
    }
}

#[tokio::test]
async fn a_held_answer_is_kept_from_others_until_it_is_let_go() {
    let mut bench = Bench::new().await;
    bench.leave().await;
    bench.watch(signs()).await;
    let thief = Fingers::on(bench.machine.session().get("DISPLAY").unwrap());
    assert!(thief.grab(), "the guard does not hold the keyboard");
    thief.ungrab();
    bench.quiet().await;
    bench.fingers.down(Y);
    while bench.seen().await != KeyEvent::Pressed(KeyAnswer::Yes) {}
    let leaving = tokio::spawn(bench.watching.take().unwrap().end());
    let_pass_async(300, "it would give the keyboard back").await;
    assert!(!thief.grab(), "the answering key is still down: its repetition would be typed");
    bench.fingers.up(Y);
    end("giving back the keyboard", leaving).await.unwrap();
    assert!(thief.grab(), "the keyboard is free");
}

#[tokio::test]
async fn what_is_typed_into_a_lock_screen_is_no_answer() {
    let mut bench = Bench::new().await;
    bench.leave().await;
    bench.watch(signs()).await;
    let locker = Fingers::on(bench.machine.session().get("DISPLAY").unwrap());
    assert!(locker.grab());
    for key in [Y, N] {
        bench.quiet().await;
        bench.fingers.hold(key);
    }
    let held = loop {
        match bench.seen().await {
            KeyEvent::Ignored(why) => break why,
            KeyEvent::Pressed(key) => panic!("{key:?}"),
            KeyEvent::Busy(_) | KeyEvent::Listening | KeyEvent::Unable(_) => {}
        }
    };
    assert!(held.contains("another program holds the keyboard"), "{held}");
    locker.ungrab();
    assert_eq!(bench.counted().await, []);
    bench.quiet().await;
    bench.fingers.hold(N);
    assert_eq!(bench.counted().await, [KeyAnswer::No]);
}

#[tokio::test]
async fn the_death_of_the_display_is_noticed_and_survived() {
    let mut bench = Bench::new().await;
    // The window manager, then the display.
    bench.machine.stop_last();
    bench.machine.stop_last();
    loop {
        if let KeyEvent::Unable(_) = bench.seen().await {
            break;
        }
    }
    assert!(matches!(bench.keys.state(), DeviceState::Failed { .. }), "{:?}", bench.keys.state());
    bench.leave().await;
}

#[tokio::test]
async fn without_a_display_or_under_wayland_it_is_absent() {
    for variable in [None, Some(("WAYLAND_DISPLAY", "wayland-0")), Some(("XDG_SESSION_TYPE", "wayland"))] {
        let mut machine = Machine::new();
        if let Some((name, value)) = variable {
            machine.set("DISPLAY", ":0");
            machine.set(name, value);
        }
        let keys = DesktopKeys::start(program(), &machine.session());
        until("the state", || keys.state() != DeviceState::Starting).await;
        assert!(matches!(keys.state(), DeviceState::Absent { .. }), "{variable:?}: {:?}", keys.state());
    }
}

#[tokio::test]
async fn a_display_that_cannot_be_reached_has_failed() {
    let mut machine = Machine::new();
    machine.set("DISPLAY", ":59999");
    let keys = DesktopKeys::start(program(), &machine.session());
    until("the state", || keys.state() != DeviceState::Starting).await;
    assert!(matches!(keys.state(), DeviceState::Failed { .. }), "{:?}", keys.state());
}

#[tokio::test]
async fn the_keys_of_another_users_display_do_not_count() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tried: only root can start a display as another user");
        return;
    }
    let machine = Machine::new().with_display_of("65534");
    let keys = DesktopKeys::start(program(), &machine.session());
    let mut watching = keys.watch(QUIET, signs());
    match end("the watch", watching.seen.recv()).await {
        Some(KeyEvent::Unable(why)) => assert!(why.contains("another user"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(!keys.state().ready());
}
