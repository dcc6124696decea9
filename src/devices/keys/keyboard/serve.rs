//! The helper's side: a socket, a question, and the keyboards while it is open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::machine::{Events, Keyboards, Opened, Pressed};
use super::origin::{About, judge};
use super::presses::KeyboardPresses;
use super::terms::KeyboardTerms;
use super::{FoundKeyboard, HelperMessage, HelperRequest, KeyAnswer, KeyboardQuestion, LINE, SOCKET, TERMS};

/// The time limit for a caller's request.
const WISH: Duration = Duration::from_secs(5);
/// How often the helper looks for new keyboards.
const LOOK: Duration = Duration::from_millis(500);
/// The most callers at a time.
const CALLERS: usize = 16;

/// The main loop of `guarda-keys`.
#[must_use]
pub fn helper_main() -> ExitCode {
    let (mut socket, mut terms) = (PathBuf::from(SOCKET), PathBuf::from(TERMS));
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        match (word.to_str(), words.next()) {
            (Some("--socket"), Some(path)) => socket = path.into(),
            (Some("--terms"), Some(path)) => terms = path.into(),
            _ => return fail("usage: guarda-keys [--socket PATH] [--terms FILE]; systemd starts it"),
        }
    }
    if crate::devices::filesystem::own::own_uid() == 0 {
        return fail("it does not run as root: give it a user of its own in the group input");
    }
    // Keys that are typed pass through this process's memory.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let listener = match listen(&socket) {
        Ok(listener) => listener,
        Err(error) => return fail(&format!("{}: {error}", socket.display())),
    };
    serve(&listener, &terms, &Arc::new(super::Machine::new()));
    ExitCode::FAILURE
}

fn fail(why: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "guarda-keys: {why}");
    ExitCode::FAILURE
}

/// Opens the socket. Everybody may connect; the settings decide who is served.
fn listen(path: &Path) -> std::io::Result<UnixListener> {
    // A socket left by a killed helper. The folder belongs to this user alone.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666))?;
    Ok(listener)
}

/// Serves callers while the socket exists.
pub fn serve<K: Keyboards + 'static>(listener: &UnixListener, terms: &Path, keyboards: &Arc<K>) {
    serve_as(listener, terms, keyboards, crate::devices::filesystem::own::own_uid());
}

/// The same as the user with this uid, who may not ask.
pub(super) fn serve_as<K: Keyboards + 'static>(
    listener: &UnixListener,
    terms: &Path,
    keyboards: &Arc<K>,
    own: u32,
) {
    let (armed, callers) = (Arc::new(Mutex::new(())), Arc::new(AtomicUsize::new(0)));
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if callers.fetch_add(1, Ordering::Relaxed) >= CALLERS {
            callers.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let terms = terms.to_owned();
        let (keyboards, armed, here) = (Arc::clone(keyboards), Arc::clone(&armed), Arc::clone(&callers));
        let thread = std::thread::Builder::new().name("caller".to_owned()).spawn(move || {
            let told = hear(&stream, &terms, keyboards.as_ref(), &armed, own);
            // A caller that has disconnected gets no reply.
            let _ = told.map(|told| say(&stream, &told));
            here.fetch_sub(1, Ordering::Relaxed);
        });
        if thread.is_err() {
            callers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn say(mut stream: &UnixStream, told: &HelperMessage) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(told).map_err(std::io::Error::other)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Serves one caller to its end. Returns the last message, or `None` if it has disconnected.
fn hear(
    stream: &UnixStream,
    terms: &Path,
    keyboards: &dyn Keyboards,
    armed: &Mutex<()>,
    own: u32,
) -> Option<HelperMessage> {
    let unable = |why: String| Some(HelperMessage::Unable(why));
    let user = match rustix::net::sockopt::socket_peercred(stream) {
        Ok(peer) => peer.uid.as_raw(),
        Err(error) => return unable(format!("who calls is not known: {error}")),
    };
    let terms = match KeyboardTerms::read(terms) {
        Ok(terms) => terms,
        Err(error) => return unable(error.to_string()),
    };
    if user == own || !terms.admits(user) {
        return unable(format!("user {user} may not ask: sudo guarda keys enroll --user NAME"));
    }
    stream.set_read_timeout(Some(WISH)).ok()?;
    let mut line = Vec::new();
    let read = BufReader::new(stream).take(LINE as u64).read_until(b'\n', &mut line);
    if read.is_err() || line.pop() != Some(b'\n') {
        return unable("no wish came, or none that ends in time and within 512 bytes".to_owned());
    }
    let ask = match serde_json::from_slice::<HelperRequest>(&line) {
        Ok(HelperRequest::Ask(ask)) => ask,
        Ok(HelperRequest::Status) => return Some(HelperMessage::Status(found(keyboards, &terms, user))),
        Err(error) => return unable(format!("not understood: {error}")),
    };
    if let Err(why) = ask.check() {
        return unable(why.to_owned());
    }
    let until = Instant::now() + Duration::from_secs(ask.wait_s);
    // One question at a time: for the previous one, a key may still have to be released.
    let _armed = loop {
        match armed.try_lock() {
            Ok(armed) => break armed,
            Err(TryLockError::Poisoned(armed)) => break armed.into_inner(),
            Err(TryLockError::WouldBlock) => {}
        }
        if Instant::now() >= until || hung_up(stream, LOOK) {
            return unable("another question is being answered".to_owned());
        }
    };
    Reading { stream, keyboards, terms, user, ask, until, devices: Vec::new(), told: None }.run()
}

/// Whether the other end has disconnected or sends more than it may; waits this long.
fn hung_up(stream: &UnixStream, time: Duration) -> bool {
    let mut fds = [PollFd::new(stream, PollFlags::IN | PollFlags::HUP)];
    poll(&mut fds, Some(&timespec(time))).is_err() || fds.iter().any(|fd| !fd.revents().is_empty())
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().try_into().unwrap_or(0), tv_nsec: time.subsec_nanos().into() }
}

/// The groups of a user's programs.
fn groups(user: u32) -> Vec<u32> {
    let Ok(Some(user)) = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(user)) else {
        return Vec::new();
    };
    let Ok(name) = std::ffi::CString::new(user.name) else { return Vec::new() };
    let groups = nix::unistd::getgrouplist(&name, user.gid).unwrap_or_default();
    groups.into_iter().map(nix::unistd::Gid::as_raw).collect()
}

/// All keyboards, for people.
fn found(keyboards: &dyn Keyboards, terms: &KeyboardTerms, user: u32) -> Vec<FoundKeyboard> {
    let groups = groups(user);
    let mut all = Vec::new();
    for node in keyboards.nodes().unwrap_or_default() {
        match keyboards.open(&node) {
            Ok(None) => {}
            Ok(Some(Opened { about, .. })) => {
                let refused = judge(&about, &terms.enrolled, user, &groups).err().map(|why| why.to_string());
                let entry = about.enrollable().then(|| about.entry());
                let About { name, place, .. } = about;
                all.push(FoundKeyboard { node, name, place, refused, entry });
            }
            Err(error) => all.push(FoundKeyboard {
                node,
                name: String::new(),
                place: String::new(),
                refused: Some(error.to_string()),
                entry: None,
            }),
        }
    }
    all
}

/// An open question.
struct Reading<'a> {
    stream: &'a UnixStream,
    keyboards: &'a dyn Keyboards,
    terms: KeyboardTerms,
    user: u32,
    ask: KeyboardQuestion,
    until: Instant,
    devices: Vec<Device>,
    /// The last reported state.
    told: Option<HelperMessage>,
}

struct Device {
    node: String,
    number: usize,
    events: Box<dyn Events>,
    /// Whether no other program has grabbed it.
    free: bool,
}

impl Reading<'_> {
    fn run(mut self) -> Option<HelperMessage> {
        let mut presses = KeyboardPresses::new(&self.ask, self.terms.layout, Instant::now());
        let mut looked: Option<Instant> = None;
        let mut next = 0;
        loop {
            let now = Instant::now();
            if now >= self.until {
                return Some(HelperMessage::Silence);
            }
            if looked.is_none_or(|at| now.duration_since(at) >= LOOK) {
                looked = Some(now);
                let groups = groups(self.user);
                self.look(&groups, &mut next, &mut presses);
                self.report()?;
            }
            match self.wait(&mut presses) {
                Err(Gone) => return None,
                Ok(Some(word)) => {
                    return Some(HelperMessage::Answer { question: self.ask.question.clone(), word });
                }
                Ok(None) => {}
            }
        }
    }

    /// Adds new keyboards and drops those that have disappeared.
    fn look(&mut self, groups: &[u32], next: &mut usize, presses: &mut KeyboardPresses) {
        let nodes = self.keyboards.nodes().unwrap_or_default();
        for node in nodes {
            if self.devices.iter().any(|device| device.node == node) {
                continue;
            }
            let Ok(Some(Opened { about, events })) = self.keyboards.open(&node) else { continue };
            if judge(&about, &self.terms.enrolled, self.user, groups).is_err() {
                continue;
            }
            let number = *next;
            *next += 1;
            let mut events = events;
            // Earlier events do not concern the question.
            let _ = events.read();
            presses.held(number, events.held().unwrap_or_default());
            self.devices.push(Device { node, number, events, free: false });
        }
        // Not while a key is held: a reader that saw the press must see the release.
        for device in self.devices.iter_mut().filter(|device| !device.free) {
            if device.events.held().is_ok_and(|held| held.is_empty()) && device.events.free().is_ok() {
                device.free = true;
                presses.disturb(device.number, Instant::now());
            }
        }
    }

    /// Reports the state if it has changed. `None` if nobody listens.
    fn report(&mut self) -> Option<()> {
        let keyboards = self.devices.iter().filter(|device| device.free).count();
        let told = if keyboards > 0 {
            HelperMessage::Listening { question: self.ask.question.clone(), keyboards }
        } else if self.devices.is_empty() {
            HelperMessage::Busy("there is no keyboard that counts; see guarda keys status".to_owned())
        } else {
            HelperMessage::Busy("a key is held, or another program keeps the keyboard".to_owned())
        };
        if self.told.as_ref() != Some(&told) {
            say(self.stream, &told).ok()?;
            self.told = Some(told);
        }
        Some(())
    }

    fn wait(&mut self, presses: &mut KeyboardPresses) -> Result<Option<KeyAnswer>, Gone> {
        let until = presses.deadline().map_or(self.until, |deadline| deadline.min(self.until));
        let left = until.saturating_duration_since(Instant::now());
        let mut fds = vec![PollFd::new(self.stream, PollFlags::IN | PollFlags::HUP)];
        fds.extend(
            self.devices.iter().map(|device| PollFd::from_borrowed_fd(device.events.as_fd(), PollFlags::IN)),
        );
        match poll(&mut fds, Some(&timespec(left.min(LOOK)))) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(None),
            Err(_) => return Err(Gone),
        }
        // A caller that disconnects or sends anything more withdraws its question.
        if fds.first().is_some_and(|fd| !fd.revents().is_empty()) {
            return Err(Gone);
        }
        Ok(self.read(presses))
    }

    fn read(&mut self, presses: &mut KeyboardPresses) -> Option<KeyAnswer> {
        let now = Instant::now();
        self.devices.retain_mut(|device| {
            let Ok(told) = device.events.read() else {
                presses.disturb(device.number, now);
                return false;
            };
            for pressed in told {
                match pressed {
                    Pressed::Missed => presses.disturb(device.number, now),
                    Pressed::Key(key, value, ago) => {
                        let at = now.checked_sub(ago).unwrap_or(now);
                        presses.take((device.number, key), value, device.free, at);
                    }
                }
            }
            true
        });
        presses.poll(now, |(number, key)| {
            let device = self.devices.iter().find(|device| device.number == number);
            device.is_some_and(|device| device.events.held().is_ok_and(|held| held.contains(&key)))
        })
    }
}

/// Nobody waits for the answer any more.
struct Gone;
