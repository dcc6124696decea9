//! The guard's side of the helper. It checks the identity of the other end before it trusts it.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{FoundKeyboard, HelperMessage, HelperRequest, KeyAnswer, KeyboardQuestion};
use crate::devices::DeviceState;
use crate::devices::fault::DeviceFault;
use crate::devices::keys::watch::{KeyEvent, KeyWatch};
use guarda_core::output::FailureKind;

/// The time limit of the helper's list of keyboards.
const STATUS: Duration = Duration::from_secs(2);
/// How long the known state of the helper is valid.
const FRESH: Duration = Duration::from_secs(5);
/// The delay before the helper is called again.
const AGAIN: Duration = Duration::from_secs(1);
/// Longest answer of the helper, in bytes.
const ANSWER: u64 = 64 * 1024;

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
    match next(&mut BufReader::new(stream.take(ANSWER)))? {
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
    news: impl FnMut(&HelperMessage),
) -> Result<Option<KeyAnswer>, DeviceFault> {
    let stream = call(socket, helper_uid(user)?, &HelperRequest::Ask(ask.clone()))?;
    let time = Duration::from_secs(ask.wait_s) + STATUS;
    stream.set_read_timeout(Some(time)).map_err(DeviceFault::failed)?;
    answer(&stream, &ask.question, news)
}

/// The helper's answer to this question. What comes before it goes to `news`.
fn answer(
    stream: &UnixStream,
    asked: &str,
    mut news: impl FnMut(&HelperMessage),
) -> Result<Option<KeyAnswer>, DeviceFault> {
    let mut lines = BufReader::new(stream.take(ANSWER));
    loop {
        let told = next(&mut lines)?;
        match &told {
            HelperMessage::Answer { question, word } if question == asked => return Ok(Some(*word)),
            HelperMessage::Silence => return Ok(None),
            HelperMessage::Unable(why) => return Err(DeviceFault::failed(why)),
            HelperMessage::Busy(_) => news(&told),
            HelperMessage::Listening { question, .. } if question == asked => news(&told),
            HelperMessage::Listening { .. } | HelperMessage::Answer { .. } | HelperMessage::Status(_) => {
                return Err(DeviceFault::failed("it answers another question"));
            }
        }
    }
}

fn next(lines: &mut impl BufRead) -> Result<HelperMessage, DeviceFault> {
    let mut line = String::new();
    lines
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
    pub fn watch(&self, ask: KeyboardQuestion) -> KeyWatch {
        let (watch, sender, stopped) = KeyWatch::new();
        let keyboard = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = keyboard.read(&ask, &sender) => {}
                _ = stopped => {}
            }
        });
        watch
    }

    /// Calls the helper again and again until there is an answer.
    async fn read(&self, ask: &KeyboardQuestion, seen: &mpsc::UnboundedSender<KeyEvent>) {
        let mut last = None;
        loop {
            let why = match self.once(ask, seen).await {
                Ok(()) => return,
                Err(why) => why,
            };
            if last.as_ref() != Some(&why) {
                let _ = seen.send(KeyEvent::Unable(why.to_string()));
                last = Some(why);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn once(
        &self,
        ask: &KeyboardQuestion,
        seen: &mpsc::UnboundedSender<KeyEvent>,
    ) -> Result<(), DeviceFault> {
        self.once_as(helper_uid(&self.user)?, ask, seen).await
    }

    pub(super) async fn once_as(
        &self,
        uid: u32,
        ask: &KeyboardQuestion,
        seen: &mpsc::UnboundedSender<KeyEvent>,
    ) -> Result<(), DeviceFault> {
        let (socket, wish) = (self.socket.clone(), HelperRequest::Ask(ask.clone()));
        let called = tokio::task::spawn_blocking(move || call(&socket, uid, &wish));
        let stream = called.await.map_err(DeviceFault::failed)??;
        let _open = OpenCall(stream.try_clone().map_err(DeviceFault::failed)?);
        let (question, news) = (ask.question.clone(), seen.clone());
        let reading = tokio::task::spawn_blocking(move || {
            answer(&stream, &question, |told| {
                let busy = if let HelperMessage::Busy(why) = told { Some(why.clone()) } else { None };
                let _ = news.send(busy.map_or(KeyEvent::Listening, KeyEvent::Busy));
            })
        });
        let word = reading.await.map_err(DeviceFault::failed)??;
        let word = word.ok_or_else(|| DeviceFault::failed("it reads no longer; it is asked again"))?;
        let _ = seen.send(KeyEvent::Pressed(word));
        Ok(())
    }
}

/// A question that the helper has. Dropping this withdraws it, and ends the thread that waits for the answer.
struct OpenCall(UnixStream);

impl Drop for OpenCall {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

fn state_of(found: Result<Vec<FoundKeyboard>, DeviceFault>) -> DeviceState {
    let found = match found {
        Ok(found) => found,
        Err(fault) => return fault.into(),
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
