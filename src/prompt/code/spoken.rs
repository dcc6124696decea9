//! The yes by voice. The guard draws two words of a public list, shows them with the question and says them last. A listener knows the
//! list and not the pair; it passes on what it heard, and the guard decides whether that was a person who meant this question. It does
//! not stop somebody in the room, or a loudspeaker there, that hears the words.

use std::time::{Duration, SystemTime};

use guarda_core::action::Language;

/// How long after the guard's own sound a yes may begin: what is heard earlier is the guard.
pub const AFTER: Duration = Duration::from_millis(300);
/// The shortest voice that can have said two words, in milliseconds.
const SHORTEST_MS: u64 = 300;
/// The share of the microphone's sound that this computer may have played itself.
const ECHO: f32 = 0.5;
/// How much likelier the heard words must be than any others of the list.
const MARGIN: f32 = 2.0;

/// The words of a language. They were chosen because recognisers tell them apart.
#[must_use]
pub fn list(language: Language) -> [&'static str; 20] {
    match language {
        Language::Portuguese => [
            "sapato", "cometa", "tambor", "domingo", "montanha", "telefone", "semana", "amigo", "cozinha",
            "música", "gelado", "macaco", "fumaça", "lâmpada", "futebol", "moeda", "janela", "banana",
            "cavalo", "estrela",
        ],
        Language::English => [
            "apple", "river", "candle", "monkey", "window", "orange", "pencil", "thunder", "garden",
            "silver", "rocket", "butter", "winter", "dragon", "pocket", "summer", "tiger", "yellow",
            "castle", "piano",
        ],
        Language::French => [
            "soleil", "fenêtre", "jardin", "montagne", "dimanche", "chapeau", "bateau", "fromage", "musique",
            "tambour", "lumière", "semaine", "tomate", "oiseau", "papillon", "maison", "banane", "cheval",
            "étoile", "cuisine",
        ],
    }
}

/// Two different words of the list. Only this room can read them; the type can be neither printed for debugging nor serialised.
pub struct SpokenWords([&'static str; 2]);

impl SpokenWords {
    /// Draws the words.
    pub(in crate::prompt) fn draw(language: Language) -> std::io::Result<Self> {
        Self::of(language, crate::devices::random::bytes::<2>)
    }

    /// Derives the words from a source of random bits. All pairs are equally likely.
    fn of(language: Language, mut random: impl FnMut() -> std::io::Result<[u8; 2]>) -> std::io::Result<Self> {
        let words = list(language);
        loop {
            let drawn = random()?.map(usize::from);
            // 240 is the greatest multiple of 20 that a byte can hold.
            if drawn.iter().all(|drawn| *drawn < 240)
                && let [Some(first), Some(second)] =
                    drawn.map(|drawn| words.get(drawn % words.len()).copied())
                && first != second
            {
                return Ok(Self([first, second]));
            }
        }
    }

    /// The words as they are shown and spoken.
    pub(in crate::prompt) fn told(&self) -> String {
        self.0.join(" ")
    }

    fn are(&self, said: &[String]) -> bool {
        said.len() == self.0.len() && said.iter().zip(self.0).all(|(said, word)| said.to_lowercase() == word)
    }
}

impl std::fmt::Debug for SpokenWords {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("SpokenWords")
    }
}

/// What a listener heard, with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardWords {
    /// The words of the list.
    pub words: Vec<String>,
    /// How much likelier they are than any others of the list.
    pub margin: f32,
    /// When the sound began.
    pub began: SystemTime,
    /// For how long there was a voice, in milliseconds.
    pub voice_ms: u64,
    /// The share of the sound that this computer played itself, 0 to 1.
    pub explained: f32,
}

/// Why what was heard is no answer. It changes nothing: the person can say it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NotHeard {
    /// It began while the guard was speaking, or too soon afterwards, or has not ended yet.
    TooEarly,
    /// This computer played it.
    Echo,
    /// It is too short for two words.
    TooShort,
    /// Other words are almost as likely.
    Unclear,
}

/// Whether a person said the words. `ended`: when the guard's own sound ended; `None` while it speaks.
///
/// # Errors
/// [`NotHeard`]: it is no answer.
pub(in crate::prompt) fn weigh(
    words: &SpokenWords,
    heard: &HeardWords,
    (ended, now): (Option<SystemTime>, SystemTime),
) -> Result<bool, NotHeard> {
    let HeardWords { words: said, margin, began, voice_ms, explained } = heard;
    let over = began.checked_add(Duration::from_millis(*voice_ms)).is_some_and(|over| over <= now);
    if !over || ended.is_none_or(|ended| *began < ended + AFTER) {
        return Err(NotHeard::TooEarly);
    }
    // A measure that is no number proves nothing.
    if !(0.0..ECHO).contains(explained) {
        return Err(NotHeard::Echo);
    }
    if *voice_ms < SHORTEST_MS {
        return Err(NotHeard::TooShort);
    }
    if !(MARGIN..=f32::INFINITY).contains(margin) {
        return Err(NotHeard::Unclear);
    }
    Ok(words.are(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(bytes: [u8; 2]) -> SpokenWords {
        SpokenWords::of(Language::Portuguese, || Ok(bytes)).unwrap()
    }

    #[test]
    fn every_language_has_twenty_words_of_its_own() {
        for language in Language::ALL {
            let words: std::collections::BTreeSet<_> = list(language).into_iter().collect();
            assert_eq!(words.len(), 20, "{language}");
            assert!(words.iter().all(|word| word.chars().all(|c| c.is_alphabetic() && c.is_lowercase())));
        }
        assert_eq!(drawn([0, 1]).told(), "sapato cometa");
        // The same word twice is drawn again, as are bytes that would make some words likelier.
        let mut bytes = [[19, 19], [240, 0], [0, 255], [19, 0]].into_iter();
        let words = SpokenWords::of(Language::Portuguese, || Ok(bytes.next().unwrap())).unwrap();
        assert_eq!(words.told(), "estrela sapato");
    }

    #[test]
    fn only_the_words_said_by_somebody_after_the_guard_are_a_yes() {
        let ended = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let good = HeardWords {
            words: vec!["Sapato".to_owned(), "cometa".to_owned()],
            margin: 2.0,
            began: ended + AFTER,
            voice_ms: 300,
            explained: 0.49,
        };
        let (words, now) = (drawn([0, 1]), ended + Duration::from_secs(2));
        let weigh = |heard: &HeardWords| super::weigh(&words, heard, (Some(ended), now));
        assert_eq!(weigh(&good), Ok(true));
        for other in [vec!["cometa", "sapato"], vec!["sapato"], vec![], vec!["sapato", "cometa", "sim"]] {
            let words = other.into_iter().map(str::to_owned).collect();
            assert_eq!(weigh(&HeardWords { words, ..good.clone() }), Ok(false));
        }
        for (heard, why) in [
            (
                HeardWords { began: ended + AFTER - Duration::from_millis(1), ..good.clone() },
                NotHeard::TooEarly,
            ),
            (HeardWords { began: now, ..good.clone() }, NotHeard::TooEarly),
            (HeardWords { voice_ms: u64::MAX, ..good.clone() }, NotHeard::TooEarly),
            (HeardWords { explained: 0.5, ..good.clone() }, NotHeard::Echo),
            (HeardWords { explained: f32::NAN, ..good.clone() }, NotHeard::Echo),
            (HeardWords { explained: -0.1, ..good.clone() }, NotHeard::Echo),
            (HeardWords { voice_ms: 299, ..good.clone() }, NotHeard::TooShort),
            (HeardWords { margin: 1.99, ..good.clone() }, NotHeard::Unclear),
            (HeardWords { margin: f32::NAN, ..good.clone() }, NotHeard::Unclear),
        ] {
            assert_eq!(weigh(&heard), Err(why));
        }
        assert_eq!(
            super::weigh(&words, &good, (None, now)),
            Err(NotHeard::TooEarly),
            "the guard is speaking"
        );
    }
}
