//! The helper at its socket, with a double of a keyboard, and the guard's side against a false helper.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::machine::Pressed;
use super::super::serve;
use super::*;
use crate::devices::keys::gesture::{ARMED, SECOND};
use crate::devices::keys::watch::KeyEvent;

/// A keyboard of the test, which reports the events sent to it. A pipe wakes the reader.
#[derive(Clone)]
struct Double {
    queue: Arc<Mutex<Vec<Pressed>>>,
    wake: Arc<(std::io::PipeReader, std::io::PipeWriter)>,
    down: Arc<Mutex<Option<u16>>>,
    place: &'static str,
    /// How often it was opened and released.
    opened: Arc<Mutex<(usize, usize)>>,
}

struct Playing(Double);

impl Double {
    fn new(place: &'static str) -> Self {
        let wake = Arc::new(std::io::pipe().unwrap());
        Self { queue: Arc::default(), wake, down: Arc::default(), place, opened: Arc::default() }
    }

    fn send(&self, key: u16, value: i32) {
        self.queue.lock().unwrap().push(Pressed::Key(key, value, Duration::ZERO));
        *self.down.lock().unwrap() = (value != 0).then_some(key);
        (&self.wake.1).write_all(b".").unwrap();
    }

    fn press(&self, key: u16) {
        self.send(key, 1);
        self.send(key, 0);
    }

    /// Holds a key for a second, which answers.
    fn hold(&self, key: u16) {
        std::thread::sleep(ARMED + Duration::from_millis(200));
        self.send(key, 1);
        std::thread::sleep(SECOND + Duration::from_millis(300));
        self.send(key, 0);
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
        Ok(self.0.down.lock().unwrap().into_iter().collect())
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
        std::thread::spawn(move || serve::serve_as(&listener, &path, &keyboards, u32::MAX));
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
    crate::devices::filesystem::own::own_uid()
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
    helper.double.hold(Y);
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
    helper.double.hold(Y);
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
async fn against(said: &'static [&'static str]) -> Vec<KeyEvent> {
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
        all.push(KeyEvent::Unable(why.to_string()));
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
        [KeyEvent::Listening, KeyEvent::Pressed(KeyAnswer::Yes)],
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
        assert!(matches!(seen.last(), Some(KeyEvent::Unable(_))), "{said:?}: {seen:?}");
        assert!(!seen.iter().any(|seen| matches!(seen, KeyEvent::Pressed(_))), "{said:?}: {seen:?}");
    }
}
