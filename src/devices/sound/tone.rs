//! A short sound of two rising tones, for when words are too slow.

/// Samples a second.
pub const RATE: u32 = 48_000;
/// Its volume, of 1: noticeable, but not startling.
const LOUD: f32 = 0.35;

/// The samples, one channel.
#[must_use]
pub fn samples() -> Vec<i16> {
    let mut samples = Vec::new();
    for (hertz, milliseconds) in [(660.0_f32, 90_u16), (880.0, 140)] {
        let count = RATE * u32::from(milliseconds) / 1000;
        // It fades in and out within ten milliseconds, to avoid clicks.
        let edge = RATE / 100;
        for number in 0..count {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let (at, to_edge) = (number as f32, number.min(count - number).min(edge) as f32 / edge as f32);
            #[expect(clippy::cast_precision_loss, reason = "a rate of sound")]
            let wave = (at * hertz * std::f32::consts::TAU / RATE as f32).sin();
            #[expect(clippy::cast_possible_truncation, reason = "less than the greatest sample")]
            samples.push((wave * to_edge * LOUD * f32::from(i16::MAX)) as i16);
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_short_and_begins_and_ends_softly() {
        let samples = super::samples();
        assert_eq!(samples.len(), 48 * 230);
        assert!(samples.first().unwrap().abs() < 50 && samples.last().unwrap().abs() < 700);
        assert!(samples.iter().any(|sample| sample.unsigned_abs() > 10_000));
    }
}
