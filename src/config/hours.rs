//! A part of every day, such as `22:00-07:00`. Pure: the time of day is an argument.

use super::ConfigFault;

/// From one minute of the day to another, over midnight if the second is earlier. Empty: never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hours(Option<(u16, u16)>);

impl Hours {
    /// Whether a minute of the day (0 to 1439) lies in it.
    #[must_use]
    pub fn contain(self, minute: u16) -> bool {
        match self.0 {
            None => false,
            Some((from, to)) if from < to => (from..to).contains(&minute),
            Some((from, to)) => minute >= from || minute < to,
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_none()
    }
}

impl std::str::FromStr for Hours {
    type Err = ConfigFault;

    fn from_str(text: &str) -> Result<Self, ConfigFault> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let minute = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            let two = |text: &str, most: u16| {
                let number = (text.len() == 2).then(|| text.parse::<u16>().ok())??;
                (number < most).then_some(number)
            };
            Some(two(hour, 24)? * 60 + two(minute, 60)?)
        };
        let both = text.split_once('-').and_then(|(from, to)| Some((minute(from)?, minute(to)?)));
        both.filter(|(from, to)| from != to)
            .map(|both| Self(Some(both)))
            .ok_or_else(|| ConfigFault::Hours(text.to_owned()))
    }
}

impl std::fmt::Display for Hours {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((from, to)) = self.0 else { return Ok(()) };
        write!(out, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::Hours;

    #[test]
    fn a_part_of_a_day_may_go_over_midnight() {
        let minute = |hour: u16, minute: u16| hour * 60 + minute;
        for (text, at, inside) in [
            ("22:00-07:00", minute(22, 0), true),
            ("22:00-07:00", minute(21, 59), false),
            ("22:00-07:00", minute(0, 0), true),
            ("22:00-07:00", minute(6, 59), true),
            ("22:00-07:00", minute(7, 0), false),
            ("13:00-14:30", minute(14, 29), true),
            ("13:00-14:30", minute(14, 30), false),
            ("13:00-14:30", minute(12, 59), false),
            ("", minute(3, 0), false),
        ] {
            let hours: Hours = text.parse().unwrap();
            assert_eq!(hours.contain(at), inside, "{text} at {at}");
            assert_eq!(hours.to_string(), text);
        }
        for wrong in [
            "22-07",
            "22:00",
            "24:00-07:00",
            "22:60-07:00",
            "22:00-22:00",
            "2:00-07:00",
            "-",
            "a:b-c:d",
            "22:00-07:00-09:00",
        ] {
            assert!(wrong.parse::<Hours>().is_err(), "{wrong}");
        }
    }
}
