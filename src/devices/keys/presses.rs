//! Which presses count: pure, with the times passed in.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How far apart the witnesses of one press may speak.
const TOGETHER: Duration = Duration::from_millis(750);

/// Modifiers that make a key another key: Control, Mod1 (Alt), Mod3, Mod4 (Super), Mod5 (AltGr). Shift, Caps Lock and
/// Num Lock (Mod2) do not.
const CHORD: u16 = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

/// What has become of a press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It counts: the key, and the modifiers and group in force (as in a core key event).
    Counts { keycode: u8, state: u16 },
    /// It does not: why.
    Ignored(&'static str),
}

/// The presses while the keyboard is grabbed.
#[derive(Debug)]
pub(super) struct Presses {
    quiet: Duration,
    quiet_since: Instant,
    /// Keys that are down: another press of them is a repetition.
    down: BTreeSet<u8>,
    /// Keys whose fresh press came while the grab was on, and which are still down.
    ours: BTreeSet<u8>,
    open: Vec<Press>,
    /// What the second listener heard before the rest came.
    heard: Vec<(u8, Instant)>,
}

/// A press whose witnesses have not all spoken.
#[derive(Debug)]
struct Press {
    keycode: u8,
    /// The server's time.
    time: u32,
    at: Instant,
    /// Why it cannot count, if so.
    flaw: Option<&'static str>,
    /// From the grab.
    state: Option<u16>,
    heard: bool,
}

impl Presses {
    /// From now on. `down` are the keys that are held already.
    pub(super) fn new(quiet: Duration, now: Instant, down: BTreeSet<u8>) -> Self {
        Self { quiet, quiet_since: now, down, ours: BTreeSet::new(), open: Vec::new(), heard: Vec::new() }
    }

    /// The quiet begins again.
    pub(super) fn disturb(&mut self, now: Instant) {
        self.quiet_since = now;
    }

    /// True while a key is held whose press fell into the grab.
    pub(super) fn held(&self) -> bool {
        !self.ours.is_empty()
    }

    /// XInput2 tells of a press. `source` says why its device does not count.
    pub(super) fn press(
        &mut self,
        keycode: u8,
        time: u32,
        repeated: bool,
        source: Result<(), &'static str>,
        now: Instant,
    ) -> Option<Outcome> {
        let fresh = self.down.insert(keycode) && !repeated;
        let quiet = now.saturating_duration_since(self.quiet_since) >= self.quiet;
        if fresh {
            self.ours.insert(keycode);
        }
        self.quiet_since = now;
        let flaw = match source {
            Err(why) => Some(why),
            Ok(()) if !fresh => Some("it was held from before, or repeated itself"),
            Ok(()) if !quiet => Some("it came too soon"),
            Ok(()) => None,
        };
        let heard = match self.heard.iter().position(|(heard, _)| *heard == keycode) {
            Some(place) => {
                self.heard.swap_remove(place);
                true
            }
            None => false,
        };
        self.open.push(Press { keycode, time, at: now, flaw, state: None, heard });
        self.settle(now)
    }

    /// XInput2 tells that a key is let go.
    pub(super) fn release(&mut self, keycode: u8) {
        self.down.remove(&keycode);
        self.ours.remove(&keycode);
    }

    /// The press reached the grab.
    pub(super) fn caught(&mut self, keycode: u8, time: u32, state: u16, now: Instant) -> Option<Outcome> {
        let press = self.open.iter_mut().find(|press| press.keycode == keycode && press.time == time)?;
        press.state = Some(state);
        self.settle(now)
    }

    /// The second listener heard a press.
    pub(super) fn hear(&mut self, keycode: u8, now: Instant) -> Option<Outcome> {
        match self.open.iter_mut().find(|press| press.keycode == keycode && !press.heard) {
            Some(press) => press.heard = true,
            None => self.heard.push((keycode, now)),
        }
        self.settle(now)
    }

    /// Lets go of what has waited too long.
    pub(super) fn expire(&mut self, now: Instant) -> Option<Outcome> {
        self.heard.retain(|(_, at)| now.saturating_duration_since(*at) < TOGETHER);
        self.settle(now)
    }

    /// The next press about which all is known.
    fn settle(&mut self, now: Instant) -> Option<Outcome> {
        let late = |press: &Press| now.saturating_duration_since(press.at) >= TOGETHER;
        let known =
            |press: &Press| press.flaw.is_some() || (press.state.is_some() && press.heard) || late(press);
        let place = self.open.iter().position(known)?;
        let press = self.open.remove(place);
        Some(match (press.flaw, press.state) {
            (Some(why), _) => Outcome::Ignored(why),
            (None, None) => Outcome::Ignored("it did not reach the grabbed keyboard"),
            (None, Some(_)) if !press.heard => Outcome::Ignored("only one listener heard it"),
            (None, Some(state)) if state & CHORD != 0 => Outcome::Ignored("it came with a modifier"),
            (None, Some(state)) => Outcome::Counts { keycode: press.keycode, state },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const Y: u8 = 29;
    const QUIET: Duration = Duration::from_millis(400);

    struct Bench {
        presses: Presses,
        now: Instant,
        time: u32,
    }

    impl Bench {
        fn new(down: &[u8]) -> Self {
            let now = Instant::now();
            let presses = Presses::new(QUIET, now, down.iter().copied().collect());
            Self { presses, now, time: 1000 }
        }

        fn wait(&mut self, milliseconds: u32) {
            self.now += Duration::from_millis(milliseconds.into());
            self.time += milliseconds;
        }

        /// A press with all its witnesses.
        fn press(&mut self, state: u16, source: Result<(), &'static str>) -> Option<Outcome> {
            let first = self.presses.press(Y, self.time, false, source, self.now);
            let second = self.presses.caught(Y, self.time, state, self.now);
            first.or(second).or(self.presses.hear(Y, self.now))
        }
    }

    fn counts(state: u16) -> Option<Outcome> {
        Some(Outcome::Counts { keycode: Y, state })
    }

    #[test]
    fn a_fresh_quiet_press_counts_with_shift_or_caps_too() {
        for state in [0, 0x01, 0x02, 0x10, 0x13, 0x2000] {
            let mut bench = Bench::new(&[]);
            bench.wait(400);
            assert_eq!(bench.press(state, Ok(())), counts(state), "{state:x}");
        }
    }

    #[test]
    fn a_chord_does_not() {
        for state in [0x04, 0x08, 0x20, 0x40, 0x80, 0x05] {
            let mut bench = Bench::new(&[]);
            bench.wait(400);
            assert!(matches!(bench.press(state, Ok(())), Some(Outcome::Ignored(_))), "{state:x}");
        }
    }

    #[test]
    fn a_program_does_not() {
        let mut bench = Bench::new(&[]);
        bench.wait(400);
        assert_eq!(bench.press(0, Err("XTEST")), Some(Outcome::Ignored("XTEST")));
    }

    #[test]
    fn too_soon_does_not_and_starts_the_quiet_anew() {
        let mut bench = Bench::new(&[]);
        bench.wait(399);
        assert!(matches!(bench.press(0, Ok(())), Some(Outcome::Ignored(_))));
        bench.presses.release(Y);
        bench.wait(399);
        assert!(matches!(bench.press(0, Ok(())), Some(Outcome::Ignored(_))));
        bench.presses.release(Y);
        bench.wait(400);
        assert_eq!(bench.press(0, Ok(())), counts(0));
    }

    #[test]
    fn a_held_key_does_not_until_it_is_pressed_anew() {
        let mut bench = Bench::new(&[Y]);
        for _ in 0..5 {
            bench.wait(500);
            assert!(matches!(bench.press(0, Ok(())), Some(Outcome::Ignored(_))));
        }
        bench.presses.release(Y);
        bench.wait(400);
        assert_eq!(bench.press(0, Ok(())), counts(0));
        bench.wait(500);
        assert!(matches!(bench.press(0, Ok(())), Some(Outcome::Ignored(_))), "its repetition");
        assert!(bench.presses.held());
        bench.presses.release(Y);
        assert!(!bench.presses.held());
    }

    #[test]
    fn every_witness_is_needed_in_any_order() {
        // The second listener is first.
        let mut bench = Bench::new(&[]);
        bench.wait(400);
        assert_eq!(bench.presses.hear(Y, bench.now), None);
        assert_eq!(bench.presses.press(Y, 7, false, Ok(()), bench.now), None);
        assert_eq!(bench.presses.caught(Y, 7, 0, bench.now), counts(0));
        // It is missing.
        let mut bench = Bench::new(&[]);
        bench.wait(400);
        assert_eq!(bench.presses.press(Y, 7, false, Ok(()), bench.now), None);
        assert_eq!(bench.presses.caught(Y, 7, 0, bench.now), None);
        bench.wait(750);
        assert!(matches!(bench.presses.expire(bench.now), Some(Outcome::Ignored(_))));
        // It heard another key, or much earlier.
        let mut bench = Bench::new(&[]);
        assert_eq!(bench.presses.hear(Y, bench.now), None);
        assert_eq!(bench.presses.hear(30, bench.now), None);
        bench.wait(1000);
        assert_eq!(bench.presses.expire(bench.now), None);
        assert_eq!(bench.presses.press(Y, 7, false, Ok(()), bench.now), None);
        assert_eq!(bench.presses.caught(Y, 7, 0, bench.now), None);
        // It did not reach the grab: another time, another key.
        let mut bench = Bench::new(&[]);
        bench.wait(400);
        assert_eq!(bench.presses.press(Y, 7, false, Ok(()), bench.now), None);
        assert_eq!(bench.presses.hear(Y, bench.now), None);
        assert_eq!(bench.presses.caught(Y, 8, 0, bench.now), None);
        assert_eq!(bench.presses.caught(30, 7, 0, bench.now), None);
        bench.wait(750);
        assert!(matches!(bench.presses.expire(bench.now), Some(Outcome::Ignored(_))));
    }
}
