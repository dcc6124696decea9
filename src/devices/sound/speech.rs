//! The voice: one sentence at a time, by the `tts` crate over speech-dispatcher, in a child process, with a
//! deadline.
//!
//! The begin and end events of a sentence do not prove that it was audible: a daemon without a synthesizer
//! plays a dummy sound, and a muted sound card plays nothing. Both are detected, and the sentence then counts
//! as not spoken.

use guarda_core::output::{Failure, FailureKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::devices::DeviceState;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::process::helper::{Helper, HelperEvent, Launch};

#[cfg(feature = "desktop")]
mod child;

#[cfg(feature = "desktop")]
pub use child::child_main;

/// The hidden sub-command of the child.
pub const COMMAND: &str = "__speech";
/// The longest text that is spoken, in characters.
const LIMIT: usize = 1000;
/// The time limit for querying the sound server.
const LISTENING: Duration = Duration::from_secs(1);

/// A sentence to speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The text. Control characters are removed before it is spoken.
    pub text: String,
    /// The language tag, such as `pt-BR`.
    pub language: &'static str,
}

/// The state of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// Not yet begun.
    Waiting,
    /// The first sound was played.
    Began,
    /// Spoken to the end.
    Ended,
    /// Not spoken, or only in part, or inaudible, for this reason.
    Failed(Failure),
}

/// A future that owns what it needs.
pub type Task<T = ()> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;

/// Something that speaks.
pub trait Speaker: Send + Sync {
    /// The current state.
    fn state(&self) -> DeviceState;

    /// Whether a sentence would be audible now; if not, why.
    fn audible(&self) -> Task<Result<(), DeviceFault>>;

    /// Speaks one sentence and reports its progress; finishes with `Ended` or `Failed`. Dropping the task stops the
    /// speech.
    fn say(&self, sentence: Sentence, heard: watch::Sender<Heard>) -> Task;
}

/// A missing voice.
#[derive(Debug, Clone)]
pub struct Mute {
    /// The reason.
    pub why: String,
}

impl Speaker for Mute {
    fn state(&self) -> DeviceState {
        // A voice is only off if the user wants that.
        DeviceState::Absent { why: (FailureKind::SwitchedOff, self.why.as_str()).into() }
    }

    fn audible(&self) -> Task<Result<(), DeviceFault>> {
        Box::pin(std::future::ready(Err(DeviceFault::absent(&self.why))))
    }

    fn say(&self, _sentence: Sentence, heard: watch::Sender<Heard>) -> Task {
        heard.send_replace(Heard::Failed((FailureKind::SwitchedOff, self.why.as_str()).into()));
        Box::pin(std::future::ready(()))
    }
}

/// Checks whether sound would be audible: `Err` gives the reason if not (muted, volume 0). May block briefly.
pub type Audible = Arc<dyn Fn() -> Result<(), DeviceFault> + Send + Sync>;

/// The settings of the voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoiceSettings {
    /// The language for the first sentence.
    pub language: String,
    /// From -100 (slow) to 100 (fast); 0 keeps the user's own setting.
    pub rate: i8,
    /// From -100 to 100 (full); 100 keeps the user's own setting.
    pub volume: i8,
    /// The name of a voice; `None`: speech-dispatcher's voice for the language.
    pub voice: Option<String>,
}

/// An order to the child.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Order {
    /// Speak this.
    Say { id: u64, text: String, language: String },
    /// Stop speaking.
    Stop,
}

/// A report about a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Said {
    Began(u64),
    Ended(u64),
    Broken(u64, String),
}

/// The voice.
#[derive(Clone)]
pub struct Speech {
    shared: Arc<Shared>,
}

struct Shared {
    helper: Helper<Order, Said>,
    audible: Option<Audible>,
}

impl Speech {
    /// Starts the voice: `program` is the path of the child's program. Needs a running tokio runtime.
    #[must_use]
    pub fn start(
        program: PathBuf,
        session: &DesktopSession,
        manner: &VoiceSettings,
        audible: Option<Audible>,
    ) -> Self {
        /// Variables that the daemon's library needs to find or start the daemon, and that the daemon needs
        /// to play sound.
        const KNOWN: &[&str] = &[
            "HOME",
            "USER",
            "PATH",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "XDG_RUNTIME_DIR",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "SPEECHD_ADDRESS",
            "DBUS_SESSION_BUS_ADDRESS",
            "PULSE_SERVER",
            "PULSE_RUNTIME_PATH",
            "PULSE_SINK",
            "PULSE_COOKIE",
            "PIPEWIRE_RUNTIME_DIR",
            "PIPEWIRE_REMOTE",
            "ESPEAK_DATA_PATH",
        ];
        let launch = Launch {
            program,
            command: COMMAND,
            environment: crate::devices::process::helper::environment(session, KNOWN),
            setup: serde_json::to_value(manner).unwrap_or_default(),
        };
        let shared = Shared { helper: Helper::start(launch), audible };
        Self { shared: Arc::new(shared) }
    }
}

impl Speaker for Speech {
    fn state(&self) -> DeviceState {
        self.shared.helper.state().borrow().clone()
    }

    fn audible(&self) -> Task<Result<(), DeviceFault>> {
        Box::pin(listen(self.shared.audible.clone()))
    }

    fn say(&self, sentence: Sentence, heard: watch::Sender<Heard>) -> Task {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let end = say(&shared, sentence, &heard).await;
            heard.send_replace(
                end.map_or_else(|fault| Heard::Failed(fault.failure().clone()), |()| Heard::Ended),
            );
        })
    }
}

/// Asks the sound server; without a timely answer the sound counts as audible.
async fn listen(audible: Option<Audible>) -> Result<(), DeviceFault> {
    let Some(audible) = audible else { return Ok(()) };
    let look = tokio::task::spawn_blocking(move || audible());
    match tokio::time::timeout(LISTENING, look).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) | Err(_) => Ok(()),
    }
}

/// Stops the speech if the sentence is dropped.
struct Silence<'a> {
    shared: &'a Shared,
    over: bool,
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.shared.helper.order(Order::Stop);
        }
    }
}

/// Speaks a sentence. If its child ends before the first sound, the next child speaks it, once.
async fn say(shared: &Shared, sentence: Sentence, heard: &watch::Sender<Heard>) -> Result<(), DeviceFault> {
    let text = sayable(&sentence.text);
    let mut events = shared.helper.events().await;
    let deadline = Instant::now() + deadline(&text);
    let mut again = true;
    loop {
        // Earlier reports no longer matter. From here on, an ended child takes the sentence with it.
        while events.try_recv().is_ok() {}
        ready(shared, deadline).await?;
        listen(shared.audible.clone()).await?;
        let id = shared.helper.number();
        let order = Order::Say { id, text: text.clone(), language: sentence.language.to_owned() };
        shared.helper.order(order);
        match follow(shared, &mut events, id, deadline, heard).await {
            Err(Unsaid::Lost(_)) if again && *heard.borrow() == Heard::Waiting => again = false,
            Err(Unsaid::Lost(why) | Unsaid::Failed(why)) => return Err(DeviceFault::failed(why)),
            Ok(()) => return Ok(()),
        }
    }
}

/// Waits until the child is ready. A failed child is restarted now.
async fn ready(shared: &Shared, deadline: Instant) -> Result<(), DeviceFault> {
    let mut state = shared.helper.state();
    let tried = async {
        if matches!(*state.borrow_and_update(), DeviceState::Failed { .. }) {
            shared.helper.retry();
            state.changed().await?;
        }
        state.wait_for(|state| *state != DeviceState::Starting).await.map(|state| state.clone())
    };
    let late = |_| DeviceFault::failed("speech is not ready yet");
    let now = tokio::time::timeout_at(deadline, tried).await.map_err(late)?;
    let now = now.map_err(|_| DeviceFault::failed("speech has ended"))?;
    let Some(why) = now.trouble() else { return Ok(()) };
    shared.helper.retry();
    Err(DeviceFault::failed(why))
}

/// Why a sentence was not spoken to its end.
enum Unsaid {
    /// Its child has ended.
    Lost(String),
    /// The daemon did not speak it.
    Failed(String),
}

/// Waits for the end of a sentence that the child speaks.
async fn follow(
    shared: &Shared,
    events: &mut mpsc::UnboundedReceiver<HelperEvent<Said>>,
    id: u64,
    deadline: Instant,
    heard: &watch::Sender<Heard>,
) -> Result<(), Unsaid> {
    let mut silence = Silence { shared, over: false };
    let over = loop {
        match tokio::time::timeout_at(deadline, events.recv()).await {
            Err(_) => {
                let why = "the sentence was not over in time";
                shared.helper.restart(why);
                break Err(Unsaid::Failed(why.to_owned()));
            }
            Ok(None) => break Err(Unsaid::Failed("speech has ended".to_owned())),
            Ok(Some(HelperEvent::Lost(why))) => break Err(Unsaid::Lost(why)),
            Ok(Some(HelperEvent::Said(Said::Began(said)))) if said == id => {
                heard.send_replace(Heard::Began);
            }
            Ok(Some(HelperEvent::Said(Said::Ended(said)))) if said == id => break Ok(()),
            Ok(Some(HelperEvent::Said(Said::Broken(said, why)))) if said == id => {
                break Err(Unsaid::Failed(why));
            }
            Ok(Some(HelperEvent::Said(Said::Began(_) | Said::Ended(_) | Said::Broken(..)))) => {}
        }
    };
    silence.over = true;
    over
}

/// The time limit of a sentence: three seconds, plus one for every eight characters.
fn deadline(text: &str) -> Duration {
    Duration::from_secs(3) + Duration::from_secs(text.chars().count() as u64) / 8
}

/// Makes text safe for the library and the daemon: control characters become spaces (NUL would end the library's
/// process), and the length is limited.
fn sayable(text: &str) -> String {
    let mut sayable: String =
        text.chars().take(LIMIT).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LIMIT).is_some() {
        sayable.push('…');
    }
    sayable.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_harmful_reaches_the_daemon() {
        assert_eq!(sayable("a\0b\r\n.\r\nSTOP all\u{85}x\u{1b}[0m "), "a b  .  STOP all x [0m");
        assert_eq!(sayable(&"ã".repeat(5000)).chars().count(), LIMIT + 1);
        assert_eq!(sayable(" \n "), "");
    }

    #[test]
    fn longer_sentences_may_take_longer() {
        assert_eq!(deadline(""), Duration::from_secs(3));
        assert_eq!(deadline(&"é".repeat(80)), Duration::from_secs(13));
    }
}
