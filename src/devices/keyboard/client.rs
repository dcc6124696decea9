//! The guard's side: it checks the identity of the other end before it believes anything.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

use super::{Ask, Found, Told, Wish, Word};
use crate::devices::State;
use crate::devices::fault::Fault;
use guarda_core::output::FailureKind;

/// The time limit of the helper's list of keyboards.
const STATUS: Duration = Duration::from_secs(2);
/// How long the known state of the helper is valid.
const FRESH: Duration = Duration::from_secs(5);
/// The delay before the helper is called again.
const AGAIN: Duration = Duration::from_secs(1);
/// Longest answer of the helper, in bytes.
const ANSWER: u64 = 64 * 1024;

/// The events of a watched trusted keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The keyboards are read.
    Listening,
    /// They cannot be read at the moment, for this reason. The guard retries.
    Busy(String),
    /// No answer can come from there at the moment, for this reason. The guard retries.
    Unable(String),
    /// The answer.
    Answer(Word),
}

/// A client of the helper. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Keyboard {
    socket: PathBuf,
    user: String,
    found: Arc<Mutex<(State, Option<Instant>)>>,
}

/// The uid that the helper must run as.
///
/// # Errors
/// If there is no such user, or it is this process's own: then any program of this user could answer.
pub fn helper_uid(name: &str) -> Result<u32, Fault> {
    let found = nix::unistd::User::from_name(name)
        .map_err(|error| Fault::failed(format!("the users of this machine: {error}")))?;
    let uid = found
        .ok_or_else(|| {
            Fault::missing(
                FailureKind::NoHelper,
                format!("there is no user {name}: set the trusted keyboard up first (docs/keys.md)"),
            )
        })?
        .uid
        .as_raw();
    if uid == crate::devices::own::own_uid() {
        return Err(Fault::failed(format!(
            "{name} is the user of the guard itself: its programs could answer"
        )));
    }
    Ok(uid)
}

/// Calls the helper and sends it a request, after the kernel has confirmed the identity of the other end.
fn call(socket: &Path, uid: u32, wish: &Wish) -> Result<UnixStream, Fault> {
    let mut stream = UnixStream::connect(socket).map_err(|error| {
        Fault::absent(format!("the helper guarda-keys does not listen at {}: {error}", socket.display()))
    })?;
    let peer = rustix::net::sockopt::socket_peercred(&stream).map_err(|error| {
        Fault::failed(format!("who listens at {} is not known: {error}", socket.display()))
    })?;
    if peer.uid.as_raw() != uid {
        return Err(Fault::failed(format!(
            "user {} listens at {}, and not user {uid}: it is not believed",
            peer.uid.as_raw(),
            socket.display()
        )));
    }
    let mut line = serde_json::to_vec(wish).map_err(Fault::failed)?;
    line.push(b'\n');
    match stream.write_all(&line) {
        // A helper that has closed the connection has said why; that is read next.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written.map_err(Fault::failed)?,
    }
    Ok(stream)
}

/// The keyboards that the helper sees.
///
/// # Errors
/// The reason, if it does not answer.
pub fn status(socket: &Path, user: &str) -> Result<Vec<Found>, Fault> {
    let stream = call(socket, helper_uid(user)?, &Wish::Status)?;
    stream.set_read_timeout(Some(STATUS)).map_err(Fault::failed)?;
    match next(&mut BufReader::new(&stream))? {
        Told::Status(found) => Ok(found),
        Told::Unable(why) => Err(Fault::failed(why)),
        Told::Listening { .. } | Told::Busy(_) | Told::Answer { .. } | Told::Silence => {
            Err(Fault::failed("it says something else than it was asked"))
        }
    }
}

/// Asks once and waits for the answer, and reports events before it to `news`: tries the helper.
///
/// # Errors
/// The reason, if no answer can come; `Ok(None)` if nobody answered.
pub fn ask_once(
    socket: &Path,
    user: &str,
    ask: &Ask,
    mut news: impl FnMut(&Told),
) -> Result<Option<Word>, Fault> {
    let stream = call(socket, helper_uid(user)?, &Wish::Ask(ask.clone()))?;
    let time = Duration::from_secs(ask.wait_s) + STATUS;
    stream.set_read_timeout(Some(time)).map_err(Fault::failed)?;
    let mut lines = BufReader::new(&stream);
    loop {
        match next(&mut lines)? {
            Told::Answer { question, word } if question == ask.question => return Ok(Some(word)),
            Told::Silence => return Ok(None),
            Told::Unable(why) => return Err(Fault::failed(why)),
            Told::Answer { .. } | Told::Status(_) => {
                return Err(Fault::failed("it answers another question"));
            }
            told @ (Told::Listening { .. } | Told::Busy(_)) => news(&told),
        }
    }
}

fn next(lines: &mut BufReader<&UnixStream>) -> Result<Told, Fault> {
    let mut line = String::new();
    lines
        .take(ANSWER)
        .read_line(&mut line)
        .map_err(|error| Fault::failed(format!("the helper does not answer: {error}")))?;
    serde_json::from_str(&line).map_err(|_| Fault::failed("the helper has hung up, or is not understood"))
}

impl Keyboard {
    /// The helper of this user at this socket. It is called only while a question is open.
    #[must_use]
    pub fn new(socket: PathBuf, user: String) -> Self {
        Self { socket, user, found: Arc::new(Mutex::new((State::Starting, None))) }
    }

    /// Its state, refreshed periodically.
    #[must_use]
    pub fn state(&self) -> State {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let stale = found.1.is_none_or(|at| at.elapsed() > FRESH);
        if stale && !self.socket.exists() {
            let why = "there is no helper guarda-keys: it answers on Wayland too; see docs/keys.md";
            *found = (State::Absent { why: (FailureKind::NoHelper, why).into() }, Some(Instant::now()));
        } else if stale && tokio::runtime::Handle::try_current().is_ok() {
            found.1 = Some(Instant::now());
            let keyboard = self.clone();
            tokio::task::spawn_blocking(move || {
                let state = state_of(status(&keyboard.socket, &keyboard.user));
                keyboard.found.lock().unwrap_or_else(PoisonError::into_inner).0 = state;
            });
        }
        found.0.clone()
    }

    /// Has the keyboards read for this question until the result is dropped.
    #[must_use]
    pub fn watch(&self, ask: Ask) -> Watching {
        let (sender, seen) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let keyboard = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = keyboard.read(&ask, &sender) => {}
                _ = stopped => {}
            }
        });
        Watching { seen, stop: Some(stop) }
    }

    /// Calls the helper again and again until there is an answer.
    async fn read(&self, ask: &Ask, seen: &mpsc::UnboundedSender<Seen>) {
        let mut last = None;
        loop {
            let why = match self.once(ask, seen).await {
                Ok(()) => return,
                Err(why) => why,
            };
            if last.as_ref() != Some(&why) {
                let _ = seen.send(Seen::Unable(why.to_string()));
                last = Some(why);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn once(&self, ask: &Ask, seen: &mpsc::UnboundedSender<Seen>) -> Result<(), Fault> {
        self.once_as(helper_uid(&self.user)?, ask, seen).await
    }

    pub(super) async fn once_as(
        &self,
        uid: u32,
        ask: &Ask,
        seen: &mpsc::UnboundedSender<Seen>,
    ) -> Result<(), Fault> {
        let (socket, wish) = (self.socket.clone(), Wish::Ask(ask.clone()));
        let called = tokio::task::spawn_blocking(move || call(&socket, uid, &wish));
        let stream = called.await.map_err(Fault::failed)??;
        stream.set_nonblocking(true).map_err(Fault::failed)?;
        let stream = tokio::net::UnixStream::from_std(stream).map_err(Fault::failed)?;
        let (input, mut output) = stream.into_split();
        let mut lines = tokio::io::BufReader::new(input.take(ANSWER)).lines();
        loop {
            let line = lines.next_line().await.map_err(Fault::failed)?;
            let line = line.ok_or_else(|| Fault::failed("the helper guarda-keys has hung up"))?;
            let told =
                serde_json::from_str(&line).map_err(|_| Fault::failed("the helper is not understood"))?;
            let news = match told {
                Told::Listening { question, .. } if question == ask.question => Seen::Listening,
                Told::Answer { question, word } if question == ask.question => {
                    let _ = seen.send(Seen::Answer(word));
                    let _ = output.shutdown().await;
                    return Ok(());
                }
                Told::Busy(why) => Seen::Busy(why),
                Told::Unable(why) => return Err(Fault::failed(why)),
                Told::Silence => return Err(Fault::failed("it reads no longer; it is asked again")),
                Told::Listening { .. } | Told::Answer { .. } | Told::Status(_) => {
                    return Err(Fault::failed("the helper answers another question"));
                }
            };
            let _ = seen.send(news);
        }
    }
}

fn state_of(found: Result<Vec<Found>, Fault>) -> State {
    let found = match found {
        Ok(found) => found,
        Err(Fault::Absent(why)) => return State::Absent { why },
        Err(Fault::Failed(why)) => return State::Failed { why },
    };
    let good: Vec<&str> =
        found.iter().filter(|one| one.refused.is_none()).map(|one| one.name.as_str()).collect();
    if good.is_empty() {
        let why =
            found.first().and_then(|one| one.refused.clone()).unwrap_or_else(|| "none is there".to_owned());
        let told = format!("no keyboard counts: {why}; see guarda keys status");
        return State::Failed { why: (FailureKind::NoKeyboard, told).into() };
    }
    State::Ready { detail: format!("guarda-keys, {}", good.join(", ")) }
}

/// A question for which the keyboards are read. Dropping it withdraws the question.
#[derive(Debug)]
pub struct Watching {
    /// The events.
    pub seen: mpsc::UnboundedReceiver<Seen>,
    stop: Option<oneshot::Sender<()>>,
}

impl Watching {
    /// Withdraws the question, and waits until the keyboards are released.
    pub async fn end(mut self) {
        drop(self.stop.take());
        while self.seen.recv().await.is_some() {}
    }
}
