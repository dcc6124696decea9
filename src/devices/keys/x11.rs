//! Watches keys anywhere on an X11 desktop, in a child process, while a question is open.
//!
//! The focused window receives every key as usual. A press counts if two sources report it: XInput2, which
//! attributes it to a physical keyboard and not to a program (XTEST), and `rdev`. It must also be part of a
//! gesture ([`crate::devices::keys::gesture`]), and no other program, such as a lock screen, may hold the keyboard. While a
//! key is held as an answer, the focused window does not receive it. A program that reaches the display and
//! forges the device's number is not stopped; commands that the guard runs cannot do this.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::devices::DeviceState;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::keys::gesture::{KeyAnswer, KeyGesture};
use crate::devices::keys::watch::{KeyEvent, KeyWatch};
use crate::devices::process::helper::{Helper, HelperEvent, Launch};

#[cfg(feature = "desktop")]
mod child;
#[cfg(feature = "desktop")]
mod display;
#[cfg(feature = "desktop")]
mod presses;

#[cfg(feature = "desktop")]
pub use child::child_main;

/// The hidden sub-command of the child.
pub const COMMAND: &str = "__keys";
/// How long the child may take to stop watching, since it waits for the release of the answering key.
const RELEASE: Duration = Duration::from_secs(3);

/// An order to the child.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Order {
    /// Watch for these keys. They count after this many milliseconds without a press, and no less than two seconds.
    Watch { id: u64, quiet_ms: u64, signs: Vec<KeyGesture> },
    /// Release the keyboard.
    Release { id: u64 },
}

/// A report of the child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Said {
    /// The keyboard is watched.
    Listening(u64),
    /// Nothing counts now, for this reason.
    Busy(u64, String),
    /// A press that counts.
    Pressed(u64, KeyAnswer),
    /// A press that does not count, with the reason.
    Ignored(u64, String),
    /// The keyboard is released.
    Released(u64),
}

/// The keys of the desktop. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DesktopKeys {
    helper: Arc<Helper<Order, Said>>,
}

impl DesktopKeys {
    /// Starts the child: `program` is the path of its program. Needs a running tokio runtime.
    #[must_use]
    pub fn start(program: PathBuf, session: &DesktopSession) -> Self {
        /// Variables that a client needs to find and authenticate to the X server.
        const KNOWN: &[&str] = &[
            "DISPLAY",
            "XAUTHORITY",
            "HOME",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "XDG_SESSION_TYPE",
            "WAYLAND_DISPLAY",
        ];
        let launch = Launch {
            program,
            command: COMMAND,
            environment: crate::devices::process::helper::environment(session, KNOWN),
            setup: serde_json::Value::Null,
        };
        Self { helper: Arc::new(Helper::start(launch)) }
    }

    /// The state of the keys.
    #[must_use]
    pub fn state(&self) -> DeviceState {
        self.helper.state().borrow().clone()
    }

    /// Watches for these keys, which count after `quiet` without a press. One watch at a time.
    #[must_use]
    pub fn watch(&self, quiet: Duration, signs: Vec<KeyGesture>) -> KeyWatch {
        let (watch, sender, stopped) = KeyWatch::new();
        tokio::spawn(report(Arc::clone(&self.helper), (quiet, signs), sender, stopped));
        watch
    }
}

async fn report(
    helper: Arc<Helper<Order, Said>>,
    (quiet, signs): (Duration, Vec<KeyGesture>),
    seen: mpsc::UnboundedSender<KeyEvent>,
    mut stop: oneshot::Receiver<()>,
) {
    let mut events = tokio::select! {
        events = helper.events() => events,
        _ = &mut stop => return,
    };
    let mut state = helper.state();
    let mut retried = false;
    loop {
        // Only a running child can watch; reports of earlier children are outdated.
        while events.try_recv().is_ok() {}
        let now = state.borrow_and_update().clone();
        if let Some(why) = now.trouble() {
            let _ = seen.send(KeyEvent::Unable(why.detail.clone()));
            if !std::mem::replace(&mut retried, true) {
                helper.retry();
            }
        }
        if !now.ready() {
            tokio::select! {
                changed = state.changed() => if changed.is_err() { return },
                _ = &mut stop => return,
            }
            continue;
        }
        let id = helper.number();
        let quiet_ms = u64::try_from(quiet.as_millis()).unwrap_or(u64::MAX);
        helper.order(Order::Watch { id, quiet_ms, signs: signs.clone() });
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    None => return,
                    Some(HelperEvent::Lost(why)) => {
                        let _ = seen.send(KeyEvent::Unable(why));
                        break;
                    }
                    Some(HelperEvent::Said(said)) => drop(translate(id, said).map(|this| seen.send(this))),
                },
                _ = &mut stop => {
                    helper.order(Order::Release { id });
                    let released = async {
                        while let Some(event) = events.recv().await {
                            if matches!(event, HelperEvent::Lost(_)) || event == HelperEvent::Said(Said::Released(id)) {
                                break;
                            }
                        }
                    };
                    if tokio::time::timeout(RELEASE, released).await.is_err() {
                        // A grabbed keyboard would lock the user out; the server releases it when its client ends.
                        helper.restart("it does not give the keyboard back");
                    }
                    return;
                }
            }
        }
    }
}

fn translate(id: u64, said: Said) -> Option<KeyEvent> {
    match said {
        Said::Listening(of) if of == id => Some(KeyEvent::Listening),
        Said::Busy(of, why) if of == id => Some(KeyEvent::Busy(why)),
        Said::Pressed(of, key) if of == id => Some(KeyEvent::Pressed(key)),
        Said::Ignored(of, why) if of == id => Some(KeyEvent::Ignored(why)),
        Said::Listening(_) | Said::Busy(..) | Said::Pressed(..) | Said::Ignored(..) | Said::Released(_) => {
            None
        }
    }
}
