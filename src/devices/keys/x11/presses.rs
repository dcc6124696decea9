//! Decides which presses count. Pure: times are passed in.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::devices::keys::gesture::{Gestures, Made, Modifiers, Press, SECOND};

/// The largest delay between the two reports of one press.
const TOGETHER: Duration = Duration::from_millis(750);
/// After this time, a held key no longer reaches the focused window; before, it may be a letter.
const KEPT: Duration = Duration::from_millis(250);

/// Modifiers that make a key another key: Control, Mod1 (Alt), Mod3, Mod4 (Super), Mod5 (AltGr). Shift, Caps Lock and
/// Num Lock (Mod2) do not.
pub(super) const CHORD: u16 = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

/// The result of a gesture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GestureOutcome {
    /// It counts: the key, and whether it must still be down.
    Counts { keycode: u8, held: bool },
    /// It does not count, for this reason.
    Ignored(&'static str),
}

/// The presses while a question is open.
#[derive(Debug)]
pub(super) struct DisplayPresses {
    gestures: Gestures<u8>,
    /// The recent reports of the second listener.
    heard: Vec<(u8, Instant)>,
    /// A gesture that waits for the second listener.
    made: Option<Made<u8>>,
    /// The key that answered, while it is down.
    answered: Option<u8>,
    /// The earliest possible start of the server's clock.
    clock: Option<Clock>,
}

/// A moment of the server's clock.
#[derive(Debug, Clone, Copy)]
struct Clock {
    time: u32,
    at: Instant,
}

impl DisplayPresses {
    /// Starts now. `down` are the keys that are already held.
    pub(super) fn new(quiet: Duration, now: Instant, down: BTreeSet<u8>) -> Self {
        let gestures = Gestures::new(quiet, now, down);
        Self { gestures, heard: Vec::new(), made: None, answered: None, clock: None }
    }

    /// Restarts the quiet.
    pub(super) fn disturb(&mut self, now: Instant) {
        self.gestures.disturb(now, |_| true);
        self.made = None;
    }

    /// Whether the keyboard must be grabbed: a gesture is being held, or the key that answered is still down.
    pub(super) fn keeps(&self, now: Instant) -> bool {
        self.gestures.holding(now).is_some_and(|held| held >= KEPT)
            || self.answered.is_some_and(|key| self.gestures.is_down(key))
    }

    /// XInput2 reports a press, with the server's time. `press` is `None` if it answers nothing.
    pub(super) fn press(&mut self, keycode: u8, press: Option<Press>, time: u32, now: Instant) {
        let at = self.at(time, now);
        self.gestures.press(keycode, press, at);
    }

    /// XInput2 reports a modifier of a real keyboard.
    pub(super) fn modify(&mut self, keycode: u8, modifier: Modifiers, time: u32, now: Instant) {
        let at = self.at(time, now);
        self.gestures.modify(keycode, modifier, at);
    }

    /// The modifiers that are down; `None` if anything else is.
    pub(super) fn modifiers(&self) -> Option<Modifiers> {
        self.gestures.modifiers()
    }

    /// XInput2 reports a release.
    pub(super) fn release(&mut self, keycode: u8, time: u32, now: Instant) {
        let at = self.at(time, now);
        self.gestures.release(keycode, at);
    }

    /// The second listener heard a press.
    pub(super) fn hear(&mut self, keycode: u8, now: Instant) {
        self.heard.retain(|(_, at)| now.saturating_duration_since(*at) < SECOND * 3);
        self.heard.push((keycode, now));
    }

    /// The current gesture does not count.
    pub(super) fn forget(&mut self) {
        self.gestures.forget();
    }

    /// The results so far.
    pub(super) fn poll(&mut self, now: Instant) -> Option<GestureOutcome> {
        self.made = self.made.take().or_else(|| self.gestures.poll(now));
        let Made { key: keycode, at: pressed, held } = *self.made.as_ref()?;
        let near = |at: Instant| at + TOGETHER >= pressed && at <= pressed + TOGETHER;
        if self.heard.iter().any(|(key, at)| *key == keycode && near(*at)) {
            (self.made, self.answered) = (None, Some(keycode));
            return Some(GestureOutcome::Counts { keycode, held });
        }
        if now.saturating_duration_since(pressed) >= TOGETHER {
            self.made = None;
            return Some(GestureOutcome::Ignored("only one listener heard it"));
        }
        None
    }

    /// When to check again, if nothing happens before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.gestures.deadline()
    }

    /// The moment of an event, by the server's clock: an event that is read late may have happened earlier.
    fn at(&mut self, time: u32, now: Instant) -> Instant {
        let clock = *self.clock.get_or_insert(Clock { time, at: now });
        let at = clock.at + Duration::from_millis(time.wrapping_sub(clock.time).into());
        if at > now {
            self.clock = Some(Clock { time, at: now });
            return now;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const Y: u8 = 29;
    const N: u8 = 57;

    struct Bench {
        presses: DisplayPresses,
        now: Instant,
        time: u32,
    }

    impl Bench {
        fn new() -> Self {
            let now = Instant::now();
            let presses = DisplayPresses::new(Duration::from_millis(400), now, BTreeSet::new());
            Self { presses, now, time: u32::MAX - 1000 }
        }

        fn wait(&mut self, milliseconds: u32) {
            self.now += Duration::from_millis(milliseconds.into());
            self.time = self.time.wrapping_add(milliseconds);
        }

        fn press(&mut self, key: u8) {
            self.presses.press(key, Some(Press::Hold), self.time, self.now);
        }

        fn release(&mut self, key: u8) {
            self.presses.release(key, self.time, self.now);
        }

        fn hear(&mut self, key: u8) {
            self.presses.hear(key, self.now);
        }

        fn poll(&mut self) -> Option<GestureOutcome> {
            self.presses.poll(self.now)
        }
    }

    fn counts(keycode: u8, held: bool) -> Option<GestureOutcome> {
        Some(GestureOutcome::Counts { keycode, held })
    }

    #[test]
    fn both_witnesses_are_needed_in_any_order() {
        // The second listener is first, then last.
        for first in [true, false] {
            let mut bench = Bench::new();
            bench.wait(2200);
            if first {
                bench.hear(N);
            }
            bench.press(N);
            if !first {
                bench.wait(200);
                bench.hear(N);
            }
            bench.wait(1000);
            assert_eq!(bench.poll(), counts(N, true));
        }
        // It is missing, heard another key, or spoke much earlier or later.
        for (heard, late) in [(None, 0), (Some(Y), 0), (Some(N), 900)] {
            let mut bench = Bench::new();
            bench.hear(N);
            bench.wait(2200);
            bench.press(N);
            bench.wait(late);
            heard.into_iter().for_each(|key| bench.hear(key));
            bench.wait(1000);
            assert!(matches!(bench.poll(), Some(GestureOutcome::Ignored(_))), "{heard:?}");
        }
    }

    #[test]
    fn what_is_held_is_kept_from_others_until_it_is_let_go() {
        let mut bench = Bench::new();
        bench.wait(2000);
        bench.press(Y);
        bench.hear(Y);
        bench.wait(240);
        assert!(!bench.presses.keeps(bench.now), "it may be a letter");
        bench.wait(20);
        assert!(bench.presses.keeps(bench.now));
        bench.wait(740);
        assert_eq!(bench.poll(), counts(Y, true));
        assert!(bench.presses.keeps(bench.now), "its repetition would be typed");
        bench.release(Y);
        assert!(!bench.presses.keeps(bench.now));
    }

    /// A machine that stalls for a moment does not turn a key press into a gesture.
    #[test]
    fn what_is_read_late_has_not_happened_late() {
        let mut bench = Bench::new();
        bench.wait(100);
        // Another key, whose time is known.
        bench.presses.press(30, None, bench.time, bench.now);
        bench.presses.release(30, bench.time, bench.now);
        bench.wait(1000);
        // A letter a second later, read three seconds late: there was no quiet.
        let late = bench.now + Duration::from_secs(3);
        for at in [0, 300] {
            bench.presses.press(Y, Some(Press::Hold), bench.time.wrapping_add(at), late);
            bench.presses.release(Y, bench.time.wrapping_add(at + 80), late);
            bench.presses.hear(Y, late);
        }
        assert_eq!(bench.presses.poll(late + Duration::from_secs(1)), None);
    }
}
