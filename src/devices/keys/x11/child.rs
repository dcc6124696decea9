//! The child that watches the keys. It ends with the X server, because the library under `rdev` does.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use x11rb::protocol::Event;
use x11rb::protocol::xinput::KeyEventFlags;

use super::display::Display;
use super::presses::{CHORD, DisplayPresses, GestureOutcome};
use super::{Order, Said};
use crate::devices::Key;
use crate::devices::fault::DeviceFault;
use crate::devices::keys::gesture::{KeyGesture, Press};
use crate::devices::process::helper::{Note, greet, send};
use guarda_core::output::FailureKind;

/// How often to check the screen saver.
const TICK: Duration = Duration::from_millis(200);
/// How long to wait at the end for the release of the answering key, which would otherwise be typed.
const LETTING_GO: Duration = Duration::from_millis(1500);

/// What the child waits for.
enum Message {
    Order(Order),
    Display(Box<Event>),
    Heard(u8),
    Broken(String),
}

/// The child's whole life.
#[must_use]
pub fn child_main() -> ExitCode {
    let (sender, messages) = channel();
    if greet::<(), Order, Message>(sender.clone(), Message::Order).is_err() {
        return ExitCode::FAILURE;
    }
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let wayland =
        set("WAYLAND_DISPLAY") || std::env::var("XDG_SESSION_TYPE").is_ok_and(|kind| kind == "wayland");
    let fault = if wayland {
        let why = "this is a Wayland session, where no program sees the keys of others; answer elsewhere";
        DeviceFault::missing(FailureKind::OnlyX11, why)
    } else if !set("DISPLAY") {
        DeviceFault::missing(FailureKind::NoDisplay, "there is no display (DISPLAY is not set)")
    } else {
        match Display::open() {
            Err(fault) => fault,
            Ok(display) => DeviceFault::failed(serve(display, sender, &messages)),
        }
    };
    send(&Note::<Said>::Unable(fault));
    ExitCode::SUCCESS
}

/// Watches until something breaks, and returns the cause.
fn serve(display: Display, sender: Sender<Message>, messages: &Receiver<Message>) -> String {
    let display = Arc::new(display);
    let listener = sender.clone();
    let heard = std::thread::Builder::new().name("rdev".to_owned()).spawn(move || listen(&listener));
    let events = Arc::clone(&display);
    let waiting = std::thread::Builder::new().name("events".to_owned()).spawn(move || {
        loop {
            let message = match events.wait() {
                Ok(event) => Message::Display(Box::new(event)),
                Err(fault) => Message::Broken(fault.to_string()),
            };
            let last = matches!(message, Message::Broken(_));
            if sender.send(message).is_err() || last {
                return;
            }
        }
    });
    if heard.is_err() || waiting.is_err() {
        return "no threads for the keyboard".to_owned();
    }
    let mut watcher = Watcher { display, watch: None };
    match watcher.display.keyboards() {
        Ok(names) => send(&Note::<Said>::Ready(format!(
            "X11 {}, {} ⌨",
            std::env::var("DISPLAY").unwrap_or_default(),
            names.len()
        ))),
        Err(trouble) => return trouble.to_string(),
    }
    loop {
        let step = match messages.recv_timeout(watcher.patience()) {
            Ok(Message::Broken(why)) => return why,
            Ok(message) => watcher.take(message),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return "nobody gives orders".to_owned(),
        };
        if let Err(trouble) = step.and_then(|()| watcher.tick()) {
            return trouble.to_string();
        }
    }
}

/// The second listener. It never returns on its own.
fn listen(sender: &Sender<Message>) {
    let heard = sender.clone();
    let ended = rdev::listen(move |event| {
        if let rdev::EventType::KeyPress(key) = event.event_type
            && let Some(keycode) = keycode(key)
        {
            let _ = heard.send(Message::Heard(keycode));
        }
    });
    let _ = sender.send(Message::Broken(format!("rdev does not listen: {ended:?}")));
}

/// The X11 keycode of a key that can answer. `rdev` names positions after an American keyboard.
fn keycode(key: rdev::Key) -> Option<u8> {
    use rdev::Key as K;
    const ROWS: &[(u8, &[K])] = &[
        (9, &[K::Escape]),
        (10, &[K::Num1, K::Num2, K::Num3, K::Num4, K::Num5, K::Num6, K::Num7, K::Num8, K::Num9, K::Num0]),
        (20, &[K::Minus, K::Equal]),
        (24, &[K::KeyQ, K::KeyW, K::KeyE, K::KeyR, K::KeyT, K::KeyY, K::KeyU, K::KeyI, K::KeyO, K::KeyP]),
        (34, &[K::LeftBracket, K::RightBracket]),
        (38, &[K::KeyA, K::KeyS, K::KeyD, K::KeyF, K::KeyG, K::KeyH, K::KeyJ, K::KeyK, K::KeyL]),
        (47, &[K::SemiColon, K::Quote, K::BackQuote]),
        (51, &[K::BackSlash, K::KeyZ, K::KeyX, K::KeyC, K::KeyV, K::KeyB, K::KeyN, K::KeyM]),
        (59, &[K::Comma, K::Dot, K::Slash]),
        (79, &[K::Kp7, K::Kp8, K::Kp9]),
        (83, &[K::Kp4, K::Kp5, K::Kp6]),
        (87, &[K::Kp1, K::Kp2, K::Kp3, K::Kp0]),
        (94, &[K::IntlBackslash]),
    ];
    if let K::Unknown(code) = key {
        return u8::try_from(code).ok();
    }
    ROWS.iter().find_map(|(first, keys)| {
        let place = keys.iter().position(|other| *other == key)?;
        Some(first + u8::try_from(place).ok()?)
    })
}

/// The open question, if there is one.
struct Watcher {
    display: Arc<Display>,
    watch: Option<Watch>,
}

struct Watch {
    id: u64,
    signs: Vec<KeyGesture>,
    /// The key that was pressed last, if it may answer.
    candidate: Option<(u8, KeyGesture)>,
    presses: DisplayPresses,
    /// True while this process has grabbed the keyboard.
    grabbed: bool,
    /// The obstacle that was reported last.
    busy: Option<&'static str>,
    /// The deadline for stopping, once that has been ordered.
    leaving: Option<Instant>,
}

impl Watcher {
    fn take(&mut self, message: Message) -> Result<(), DeviceFault> {
        let now = Instant::now();
        match message {
            Message::Order(Order::Watch { id, quiet_ms, signs }) => {
                self.leave()?;
                let quiet = Duration::from_millis(quiet_ms);
                let presses = DisplayPresses::new(quiet, Instant::now(), self.display.down()?);
                self.watch = Some(Watch {
                    id,
                    signs,
                    candidate: None,
                    presses,
                    grabbed: false,
                    busy: None,
                    leaving: None,
                });
                send(&Note::Said(Said::Listening(id)));
            }
            Message::Order(Order::Release { id }) => match &mut self.watch {
                Some(watch) if watch.id == id => watch.leaving = Some(now + LETTING_GO),
                Some(_) | None => send(&Note::Said(Said::Released(id))),
            },
            Message::Display(event) => self.see(&event, now)?,
            Message::Heard(keycode) => {
                if let Some(watch) = &mut self.watch {
                    watch.presses.hear(keycode, now);
                }
            }
            Message::Broken(_) => {}
        }
        Ok(())
    }

    fn see(&mut self, event: &Event, now: Instant) -> Result<(), DeviceFault> {
        let Some(watch) = &mut self.watch else { return Ok(()) };
        #[expect(clippy::wildcard_enum_match_arm, reason = "hundreds of events of other extensions")]
        match event {
            Event::XinputRawKeyPress(press) => {
                let Ok(keycode) = u8::try_from(press.detail) else { return Ok(()) };
                if press.flags.contains(KeyEventFlags::KEY_REPEAT) || self.display.shifts(keycode)? {
                    return Ok(());
                }
                let modifier = self.display.modifier(keycode)?;
                let sign = sign(&self.display, watch, keycode)?.filter(|_| modifier.is_none());
                let mut counts = sign.is_some() || modifier.is_some();
                if counts && let Err(why) = self.display.source(press.sourceid)? {
                    counts = false;
                    send(&Note::Said(Said::Ignored(watch.id, why.to_owned())));
                }
                let sign = sign.filter(|_| counts);
                watch.candidate = sign.clone().map(|sign| (keycode, sign));
                match modifier.filter(|_| counts) {
                    Some(modifier) => watch.presses.modify(keycode, modifier, press.time, now),
                    None => watch.presses.press(keycode, sign.map(|sign| sign.press), press.time, now),
                }
            }
            Event::XinputRawKeyRelease(release) => {
                if let Ok(keycode) = u8::try_from(release.detail) {
                    watch.presses.release(keycode, release.time, now);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// How long to wait for the next message.
    fn patience(&self) -> Duration {
        let deadline = self.watch.as_ref().and_then(|watch| watch.presses.deadline());
        deadline.map_or(TICK, |at| at.saturating_duration_since(Instant::now()).min(TICK))
    }

    /// Periodic work while a question is open.
    fn tick(&mut self) -> Result<(), DeviceFault> {
        let now = Instant::now();
        let Some(watch) = &mut self.watch else { return Ok(()) };
        if let Some(why) = self.display.blank()?.then_some("the screen is blank or locked") {
            watch.presses.disturb(now);
            if watch.busy.replace(why) != Some(why) {
                send(&Note::Said(Said::Busy(watch.id, why.to_owned())));
            }
        } else if watch.busy.take().is_some() {
            send(&Note::Said(Said::Listening(watch.id)));
        }
        let outcome = watch.presses.poll(now);
        // If a lock screen, a menu or a full-screen program holds the keyboard, keys are meant for that
        // program.
        let wanted = outcome.is_some() || watch.presses.keeps(now);
        let free = if wanted && !watch.grabbed { self.display.grab()? } else { Ok(()) };
        watch.grabbed |= wanted && free.is_ok();
        let ignored = match (free, outcome) {
            (Err(why), _) => {
                watch.presses.forget();
                Some(why)
            }
            (Ok(()), Some(GestureOutcome::Ignored(why))) => Some(why),
            (Ok(()), Some(GestureOutcome::Counts { keycode, held })) => {
                answer(&self.display, watch, keycode, held)?
            }
            (Ok(()), None) => None,
        };
        if let Some(why) = ignored {
            send(&Note::Said(Said::Ignored(watch.id, why.to_owned())));
        }
        if watch.grabbed && !watch.presses.keeps(now) {
            self.display.ungrab()?;
            watch.grabbed = false;
        }
        if watch.leaving.is_some_and(|latest| now >= latest || !watch.grabbed) {
            self.leave()?;
        }
        Ok(())
    }

    /// Stops watching.
    fn leave(&mut self) -> Result<(), DeviceFault> {
        if let Some(watch) = self.watch.take() {
            if watch.grabbed {
                self.display.ungrab()?;
            }
            send(&Note::Said(Said::Released(watch.id)));
        }
        Ok(())
    }
}

/// What a key that goes down may answer, with the active layout and the modifiers that are down.
fn sign(display: &Display, watch: &Watch, keycode: u8) -> Result<Option<KeyGesture>, DeviceFault> {
    let state = display.state()?;
    let (Some(Key::Letter(letter)), Some(modifiers)) =
        (display.key(keycode, state)?, watch.presses.modifiers())
    else {
        return Ok(None);
    };
    let found = watch.signs.iter().find(|sign| sign.fits(letter.to_ascii_uppercase(), modifiers));
    // A modifier may also be locked.
    Ok(found.filter(|sign| sign.press != Press::Hold || state & CHORD == 0).cloned())
}

/// Reports the key of a completed gesture, or why it does not count.
fn answer(
    display: &Display,
    watch: &Watch,
    keycode: u8,
    held: bool,
) -> Result<Option<&'static str>, DeviceFault> {
    // An unread event may be the key's release.
    if held && !display.down()?.contains(&keycode) {
        return Ok(Some("it is not held any more"));
    }
    if watch.leaving.is_some() {
        return Ok(None);
    }
    let Some((_, sign)) = watch.candidate.as_ref().filter(|(key, _)| *key == keycode) else {
        return Ok(Some("another key was pressed since"));
    };
    Ok(match display.key(keycode, display.state()?)? {
        Some(Key::Letter(letter)) if letter.to_ascii_uppercase() == sign.key => {
            send(&Note::Said(Said::Pressed(watch.id, sign.says)));
            None
        }
        Some(_) | None => Some("it bears another letter by now"),
    })
}

#[cfg(test)]
mod tests {
    use super::keycode;

    #[test]
    fn positions_have_their_numbers() {
        for (key, code) in [
            (rdev::Key::Escape, Some(9)),
            (rdev::Key::Num0, Some(19)),
            (rdev::Key::KeyY, Some(29)),
            (rdev::Key::KeyO, Some(32)),
            (rdev::Key::KeyS, Some(39)),
            (rdev::Key::SemiColon, Some(47)),
            (rdev::Key::BackQuote, Some(49)),
            (rdev::Key::KeyZ, Some(52)),
            (rdev::Key::KeyN, Some(57)),
            (rdev::Key::Slash, Some(61)),
            (rdev::Key::Kp0, Some(90)),
            (rdev::Key::Kp5, Some(84)),
            (rdev::Key::Unknown(97), Some(97)),
            (rdev::Key::Unknown(1000), None),
            (rdev::Key::F1, None),
        ] {
            assert_eq!(keycode(key), code, "{key:?}");
        }
    }
}
