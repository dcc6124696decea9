//! Dates and times as each language writes them, with the month in words where day and month could be confused.

use jiff::Zoned;

use crate::wording::words::Words;
use guarda_core::action::Language;

/// How precisely a time is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// To the minute: `24 Nov 2026, 14:03`.
    Minute,
    /// To the second: `24 Nov 2026, 14:03:05`.
    Second,
}

/// A date with its time, in the moment's own time zone. The console writes the same (`when` in `parts.js`).
#[must_use]
pub fn moment(words: &Words, at: &Zoned, precision: Precision) -> String {
    let date = match words.language() {
        Language::English => "%-d %b %Y,",
        Language::Portuguese => "%d/%m/%Y,",
        Language::French => "%d/%m/%Y",
    };
    let time = match precision {
        Precision::Minute => "%H:%M",
        Precision::Second => "%H:%M:%S",
    };
    at.strftime(&format!("{date} {time}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::words::words;

    #[test]
    fn a_date_is_not_mistaken() {
        let zoned = |text: &str| text.parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        for (at, precision, told) in [
            (
                "2026-11-24T14:03:05.9Z",
                Precision::Second,
                ["24/11/2026, 14:03:05", "24 Nov 2026, 14:03:05", "24/11/2026 14:03:05"],
            ),
            (
                "2026-09-04T00:07:00Z",
                Precision::Minute,
                ["04/09/2026, 00:07", "4 Sep 2026, 00:07", "04/09/2026 00:07"],
            ),
        ] {
            assert_eq!(Language::ALL.map(|language| moment(words(language), &zoned(at), precision)), told);
        }
    }
}
