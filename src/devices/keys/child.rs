//! The child that watches the keys. It ends with the X server, by force of the library that `rdev` is built on.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use x11rb::protocol::Event;
use x11rb::protocol::xinput::KeyEventFlags;

use super::super::helper::{Note, greet, send};
use super::display::{Display, Trouble};
use super::presses::{Outcome, Presses};
use super::{Order, Said};

/// How often to try again for the keyboard, and to look at the screen saver.
const TICK: Duration = Duration::from_millis(200);
/// How long to wait, before the keyboard is given back, for the answering key to be let go: held on, it would be typed.
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
    let note = if wayland {
        Note::<Said>::Absent(
            "this is a Wayland session, where no program sees the keys of others; answer elsewhere"
                .to_owned(),
        )
    } else if !set("DISPLAY") {
        Note::Absent("there is no display (DISPLAY is not set)".to_owned())
    } else {
        match Display::open() {
            Err(Trouble::Absent(why)) => Note::Absent(why),
            Err(Trouble::Failed(why)) => Note::Failed(why),
            Ok(display) => Note::Failed(serve(display, sender, &messages)),
        }
    };
    send(&note);
    ExitCode::SUCCESS
}

/// Watches until something breaks; what broke.
fn serve(display: Display, sender: Sender<Message>, messages: &Receiver<Message>) -> String {
    let display = Arc::new(display);
    let listener = sender.clone();
    let heard = std::thread::Builder::new().name("rdev".to_owned()).spawn(move || listen(&listener));
    let events = Arc::clone(&display);
    let waiting = std::thread::Builder::new().name("events".to_owned()).spawn(move || {
        loop {
            let message = match events.wait() {
                Ok(event) => Message::Display(Box::new(event)),
                Err(Trouble::Absent(why) | Trouble::Failed(why)) => Message::Broken(why),
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
            "X11 display {}, {} keyboards",
            std::env::var("DISPLAY").unwrap_or_default(),
            names.len()
        ))),
        Err(trouble) => return why(trouble),
    }
    loop {
        let step = match messages.recv_timeout(TICK) {
            Ok(Message::Broken(why)) => return why,
            Ok(message) => watcher.take(message),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return "nobody gives orders".to_owned(),
        };
        if let Err(trouble) = step.and_then(|()| watcher.tick()) {
            return why(trouble);
        }
    }
}

fn why(trouble: Trouble) -> String {
    match trouble {
        Trouble::Absent(why) | Trouble::Failed(why) => why,
    }
}

/// The second listener. It never ends by itself.
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

/// The position of a key that can bear an answer, as X11 numbers it. `rdev` names positions after the letters that they
/// bear on an American keyboard.
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

/// The question that stands, if one does.
struct Watcher {
    display: Arc<Display>,
    watch: Option<Watch>,
}

struct Watch {
    id: u64,
    quiet: Duration,
    /// The presses, while the keyboard is grabbed.
    presses: Option<Presses>,
    /// What was last said to be in the way.
    busy: Option<&'static str>,
    /// When the keyboard is given back at the latest, once that has been ordered.
    leaving: Option<Instant>,
}

impl Watcher {
    fn take(&mut self, message: Message) -> Result<(), Trouble> {
        let now = Instant::now();
        match message {
            Message::Order(Order::Watch { id, quiet_ms }) => {
                self.leave()?;
                let quiet = Duration::from_millis(quiet_ms);
                self.watch = Some(Watch { id, quiet, presses: None, busy: None, leaving: None });
            }
            Message::Order(Order::Release { id }) => match &mut self.watch {
                Some(watch) if watch.id == id => watch.leaving = Some(now + LETTING_GO),
                Some(_) | None => send(&Note::Said(Said::Released(id))),
            },
            Message::Display(event) => self.see(&event, now)?,
            Message::Heard(keycode) => {
                let outcome = self.presses().and_then(|presses| presses.hear(keycode, now));
                self.tell(outcome)?;
            }
            Message::Broken(_) => {}
        }
        Ok(())
    }

    fn presses(&mut self) -> Option<&mut Presses> {
        self.watch.as_mut()?.presses.as_mut()
    }

    fn see(&mut self, event: &Event, now: Instant) -> Result<(), Trouble> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "hundreds of events of other extensions")]
        let outcome = match event {
            Event::XinputRawKeyPress(press) => {
                let Ok(keycode) = u8::try_from(press.detail) else { return Ok(()) };
                if self.presses().is_none() {
                    return Ok(());
                }
                if self.display.shifts(keycode)? {
                    return Ok(());
                }
                let source = self.display.source(press.sourceid)?;
                let repeated = press.flags.contains(KeyEventFlags::KEY_REPEAT);
                let time = press.time;
                self.presses().and_then(|presses| presses.press(keycode, time, repeated, source, now))
            }
            Event::XinputRawKeyRelease(release) => {
                if let (Ok(keycode), Some(presses)) = (u8::try_from(release.detail), self.presses()) {
                    presses.release(keycode);
                }
                None
            }
            // An event that another client has sent carries the upper bit.
            Event::KeyPress(press) if press.response_type & 0x80 == 0 => {
                let (keycode, time, state) = (press.detail, press.time, u16::from(press.state));
                self.presses().and_then(|presses| presses.caught(keycode, time, state, now))
            }
            _ => None,
        };
        self.tell(outcome)
    }

    fn tell(&mut self, outcome: Option<Outcome>) -> Result<(), Trouble> {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.leaving.is_none()) else { return Ok(()) };
        match outcome {
            None => {}
            Some(Outcome::Ignored(why)) => send(&Note::Said(Said::Ignored(watch.id, why.to_owned()))),
            Some(Outcome::Counts { keycode, state }) => match self.display.key(keycode, state)? {
                Some(key) => send(&Note::Said(Said::Pressed(watch.id, key))),
                None => send(&Note::Said(Said::Ignored(watch.id, "it bears no letter".to_owned()))),
            },
        }
        Ok(())
    }

    /// What has to be done again and again while a question stands.
    fn tick(&mut self) -> Result<(), Trouble> {
        let now = Instant::now();
        let outcome = self.presses().and_then(|presses| presses.expire(now));
        self.tell(outcome)?;
        let Some(watch) = &mut self.watch else { return Ok(()) };
        if let Some(latest) = watch.leaving {
            if now >= latest || !watch.presses.as_ref().is_some_and(Presses::held) {
                self.leave()?;
            }
            return Ok(());
        }
        let in_the_way = if self.display.blank()? {
            Some("the screen is blank or locked")
        } else if watch.presses.is_none() {
            match self.display.grab()? {
                Ok(()) => {
                    watch.presses = Some(Presses::new(watch.quiet, Instant::now(), self.display.down()?));
                    watch.busy = None;
                    send(&Note::Said(Said::Listening(watch.id)));
                    None
                }
                Err(why) => Some(why),
            }
        } else {
            None
        };
        if let Some(why) = in_the_way {
            if let Some(presses) = &mut watch.presses {
                presses.disturb(now);
            }
            if watch.busy != Some(why) {
                watch.busy = Some(why);
                send(&Note::Said(Said::Busy(watch.id, why.to_owned())));
            }
        } else if watch.busy.take().is_some() {
            send(&Note::Said(Said::Listening(watch.id)));
        }
        Ok(())
    }

    /// Gives the keyboard back.
    fn leave(&mut self) -> Result<(), Trouble> {
        if let Some(watch) = self.watch.take() {
            if watch.presses.is_some() {
                self.display.ungrab()?;
            }
            send(&Note::Said(Said::Released(watch.id)));
        }
        Ok(())
    }
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
