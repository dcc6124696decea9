//! The guard's side of the helper. It checks the identity of the other end before it trusts it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

use super::{FoundKeyboard, HelperMessage, HelperRequest, KeyAnswer, KeyboardQuestion};
use crate::devices::DeviceState;
use crate::devices::fault::DeviceFault;
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
pub enum KeyboardEvent {
    /// The keyboards are read.
    Listening,
    /// They cannot be read at the moment, for this reason. The guard retries.
    Busy(String),
    /// No answer can come from there at the moment, for this reason. The guard retries.
    Unable(String),
    /// The answer.
    Answer(KeyAnswer),
}

/// A client of the helper. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Keyboard {
    socket: PathBuf,
    user: String,
    found: Arc<Mutex<(DeviceState, Option<Instant>)>>,
}

/// The uid that the helper must run as.
///
/// # Errors
/// If there is no such user, or it is this process's own: then any program of this user could answer.
pub fn helper_uid(name: &str) -> Result<u32, DeviceFault> {
    let found = nix::unistd::User::from_name(name)
        .map_err(|error| DeviceFault::failed(format!("the users of this machine: {error}")))?;
    let uid = found
        .ok_or_else(|| {
            DeviceFault::missing(
                FailureKind::NoHelper,
                format!("there is no user {name}: set the trusted keyboard up first (docs/keys.md)"),
            )
        })?
        .uid
        .as_raw();
    if uid == crate::devices::filesystem::own::own_uid() {
        return Err(DeviceFault::failed(format!(
            "{name} is the user of the guard itself: its programs could answer"
        )));
    }
    Ok(uid)
}

/// Calls the helper and sends it a request, after the kernel has confirmed the identity of the other end.
fn call(socket: &Path, uid: u32, wish: &HelperRequest) -> Result<UnixStream, DeviceFault> {
    let mut stream = UnixStream::connect(socket).map_err(|error| {
        let why = format!("the helper guarda-keys does not listen at {}: {error}", socket.display());
        DeviceFault::missing(FailureKind::NoHelper, why)
    })?;
    let peer = rustix::net::sockopt::socket_peercred(&stream).map_err(|error| {
        DeviceFault::failed(format!("who listens at {} is not known: {error}", socket.display()))
    })?;
    if peer.uid.as_raw() != uid {
        return Err(DeviceFault::failed(format!(
            "user {} listens at {}, and not user {uid}: it is not believed",
            peer.uid.as_raw(),
            socket.display()
        )));
    }
    let mut line = serde_json::to_vec(wish).map_err(DeviceFault::failed)?;
    line.push(b'\n');
    match stream.write_all(&line) {
        // If the helper closed the connection, its reason is still readable.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written.map_err(DeviceFault::failed)?,
    }
    Ok(stream)
}

/// The keyboards that the helper sees.
///
/// # Errors
/// The reason, if it does not answer.
pub fn status(socket: &Path, user: &str) -> Result<Vec<FoundKeyboard>, DeviceFault> {
    let stream = call(socket, helper_uid(user)?, &HelperRequest::Status)?;
    stream.set_read_timeout(Some(STATUS)).map_err(DeviceFault::failed)?;
    match next(&mut BufReader::new(&stream))? {
        HelperMessage::Status(found) => Ok(found),
        HelperMessage::Unable(why) => Err(DeviceFault::failed(why)),
        HelperMessage::Listening { .. }
        | HelperMessage::Busy(_)
        | HelperMessage::Answer { .. }
        | HelperMessage::Silence => Err(DeviceFault::failed("it says something else than it was asked")),
    }
}

/// Asks once and waits for the answer, and reports events before it to `news`: tries the helper.
///
/// # Errors
/// The reason, if no answer can come; `Ok(None)` if nobody answered.
pub fn ask_once(
    socket: &Path,
    user: &str,
    ask: &KeyboardQuestion,
    mut news: impl FnMut(&HelperMessage),
) -> Result<Option<KeyAnswer>, DeviceFault> {
    let stream = call(socket, helper_uid(user)?, &HelperRequest::Ask(ask.clone()))?;
    let time = Duration::from_secs(ask.wait_s) + STATUS;
    stream.set_read_timeout(Some(time)).map_err(DeviceFault::failed)?;
    let mut lines = BufReader::new(&stream);
    loop {
        match next(&mut lines)? {
            HelperMessage::Answer { question, word } if question == ask.question => return Ok(Some(word)),
            HelperMessage::Silence => return Ok(None),
            HelperMessage::Unable(why) => return Err(DeviceFault::failed(why)),
            HelperMessage::Answer { .. } | HelperMessage::Status(_) => {
                return Err(DeviceFault::failed("it answers another question"));
            }
            told @ (HelperMessage::Listening { .. } | HelperMessage::Busy(_)) => news(&told),
        }
    }
}

fn next(lines: &mut BufReader<&UnixStream>) -> Result<HelperMessage, DeviceFault> {
    let mut line = String::new();
    lines
        .take(ANSWER)
        .read_line(&mut line)
        .map_err(|error| DeviceFault::failed(format!("the helper does not answer: {error}")))?;
    serde_json::from_str(&line)
        .map_err(|_| DeviceFault::failed("the helper has hung up, or is not understood"))
}

impl Keyboard {
    /// The helper of this user at this socket. It is called only while a question is open.
    #[must_use]
    pub fn new(socket: PathBuf, user: String) -> Self {
        Self { socket, user, found: Arc::new(Mutex::new((DeviceState::Starting, None))) }
    }

    /// Its state, refreshed periodically.
    #[must_use]
    pub fn state(&self) -> DeviceState {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let stale = found.1.is_none_or(|at| at.elapsed() > FRESH);
        if stale && !self.socket.exists() {
            let why = "there is no helper guarda-keys: it answers on Wayland too; see docs/keys.md";
            *found = (DeviceState::Absent { why: (FailureKind::NoHelper, why).into() }, Some(Instant::now()));
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
    pub fn watch(&self, ask: KeyboardQuestion) -> KeyboardWatch {
        let (sender, seen) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let keyboard = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = keyboard.read(&ask, &sender) => {}
                _ = stopped => {}
            }
        });
        KeyboardWatch { seen, stop: Some(stop) }
    }

    /// Calls the helper again and again until there is an answer.
    async fn read(&self, ask: &KeyboardQuestion, seen: &mpsc::UnboundedSender<KeyboardEvent>) {
        let mut last = None;
        loop {
            let why = match self.once(ask, seen).await {
                Ok(()) => return,
                Err(why) => why,
            };
            if last.as_ref() != Some(&why) {
                let _ = seen.send(KeyboardEvent::Unable(why.to_string()));
                last = Some(why);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn once(
        &self,
        ask: &KeyboardQuestion,
        seen: &mpsc::UnboundedSender<KeyboardEvent>,
    ) -> Result<(), DeviceFault> {
        self.once_as(helper_uid(&self.user)?, ask, seen).await
    }

    pub(super) async fn once_as(
        &self,
        uid: u32,
        ask: &KeyboardQuestion,
        seen: &mpsc::UnboundedSender<KeyboardEvent>,
    ) -> Result<(), DeviceFault> {
        let (socket, wish) = (self.socket.clone(), HelperRequest::Ask(ask.clone()));
        let called = tokio::task::spawn_blocking(move || call(&socket, uid, &wish));
        let stream = called.await.map_err(DeviceFault::failed)??;
        stream.set_nonblocking(true).map_err(DeviceFault::failed)?;
        let stream = tokio::net::UnixStream::from_std(stream).map_err(DeviceFault::failed)?;
        let (input, mut output) = stream.into_split();
        let mut lines = tokio::io::BufReader::new(input.take(ANSWER)).lines();
        loop {
            let line = lines.next_line().await.map_err(DeviceFault::failed)?;
            let line = line.ok_or_else(|| DeviceFault::failed("the helper guarda-keys has hung up"))?;
            let told = serde_json::from_str(&line)
                .map_err(|_| DeviceFault::failed("the helper is not understood"))?;
            let news = match told {
                HelperMessage::Listening { question, .. } if question == ask.question => {
                    KeyboardEvent::Listening
                }
                HelperMessage::Answer { question, word } if question == ask.question => {
                    let _ = seen.send(KeyboardEvent::Answer(word));
                    let _ = output.shutdown().await;
                    return Ok(());
                }
                HelperMessage::Busy(why) => KeyboardEvent::Busy(why),
                HelperMessage::Unable(why) => return Err(DeviceFault::failed(why)),
                HelperMessage::Silence => {
                    return Err(DeviceFault::failed("it reads no longer; it is asked again"));
                }
                HelperMessage::Listening { .. } | HelperMessage::Answer { .. } | HelperMessage::Status(_) => {
                    return Err(DeviceFault::failed("the helper answers another question"));
                }
            };
            let _ = seen.send(news);
        }
    }
}

fn state_of(found: Result<Vec<FoundKeyboard>, DeviceFault>) -> DeviceState {
    let found = match found {
        Ok(found) => found,
        Err(DeviceFault::Absent(why)) => return DeviceState::Absent { why },
        Err(DeviceFault::Failed(why)) => return DeviceState::Failed { why },
    };
    let good: Vec<&str> =
        found.iter().filter(|one| one.refused.is_none()).map(|one| one.name.as_str()).collect();
    if good.is_empty() {
        let why =
            found.first().and_then(|one| one.refused.clone()).unwrap_or_else(|| "none is there".to_owned());
        let told = format!("no keyboard counts: {why}; see guarda keys status");
        return DeviceState::Failed { why: (FailureKind::NoKeyboard, told).into() };
    }
    DeviceState::Ready { detail: format!("guarda-keys, {}", good.join(", ")) }
}

/// A question for which the keyboards are read. Dropping it withdraws the question.
#[derive(Debug)]
pub struct KeyboardWatch {
    /// The events.
    pub seen: mpsc::UnboundedReceiver<KeyboardEvent>,
    stop: Option<oneshot::Sender<()>>,
}

impl KeyboardWatch {
    /// Withdraws the question, and waits until the keyboards are released.
    pub async fn end(mut self) {
        drop(self.stop.take());
        while self.seen.recv().await.is_some() {}
    }
}
