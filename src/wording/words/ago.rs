//! Describes how long ago something was.

use std::time::Duration;

use crate::wording::words::Words;
use guarda_core::action::Language;

/// How long ago, in words. There is no number under a second, one decimal under ten seconds, minutes from one minute
/// on, hours from two hours on, and days from two days on.
#[must_use]
pub fn ago(words: &Words, since: Duration) -> String {
    let tenths = since.as_millis() / 100;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if whole == 0 {
        return words.say("ago-now", &[]);
    }
    if whole >= 172_800 {
        let days = u64::try_from(whole / 86_400).unwrap_or(u64::MAX);
        return words.say("ago-days", &[("days", days.into())]);
    }
    if whole >= 7200 {
        let hours = u64::try_from(whole / 3600).unwrap_or(u64::MAX);
        return words.say("ago-hours", &[("hours", hours.into())]);
    }
    if whole >= 60 {
        let minutes = u64::try_from(whole / 60).unwrap_or(u64::MAX);
        return words.say("ago-minutes", &[("minutes", minutes.into())]);
    }
    let fraction = whole < 10 && tenth > 0;
    let comma = if words.language() == Language::English { '.' } else { ',' };
    let figure = if fraction { format!("{whole}{comma}{tenth}") } else { whole.to_string() };
    // French uses the singular below two; the other languages use it only for exactly one.
    let counted = if fraction && words.language() != Language::French { whole + 1 } else { whole };
    let counted = u64::try_from(counted).unwrap_or(u64::MAX);
    words.say("ago-seconds", &[("seconds", figure.into()), ("whole", counted.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::words::words;

    #[test]
    fn times_are_told_as_people_tell_them() {
        for (ms, portuguese, english, french) in [
            (0, "há menos de um segundo", "less than a second ago", "il y a moins d'une seconde"),
            (999, "há menos de um segundo", "less than a second ago", "il y a moins d'une seconde"),
            (1000, "há 1 segundo", "1 second ago", "il y a 1 seconde"),
            (1234, "há 1,2 segundos", "1.2 seconds ago", "il y a 1,2 seconde"),
            (2000, "há 2 segundos", "2 seconds ago", "il y a 2 secondes"),
            (9960, "há 9,9 segundos", "9.9 seconds ago", "il y a 9,9 secondes"),
            (29_990, "há 29 segundos", "29 seconds ago", "il y a 29 secondes"),
            (59_000, "há 59 segundos", "59 seconds ago", "il y a 59 secondes"),
            (71_000, "há 1 minuto", "1 minute ago", "il y a 1 minute"),
            (180_000, "há 3 minutos", "3 minutes ago", "il y a 3 minutes"),
            (7_199_000, "há 119 minutos", "119 minutes ago", "il y a 119 minutes"),
            (7_200_000, "há 2 horas", "2 hours ago", "il y a 2 heures"),
            (172_800_000, "há 2 dias", "2 days ago", "il y a 2 jours"),
        ] {
            let said = Language::ALL.map(|language| ago(words(language), Duration::from_millis(ms)));
            assert_eq!(said, [portuguese, english, french]);
        }
    }
}
