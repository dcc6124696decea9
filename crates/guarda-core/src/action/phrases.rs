//! The phrases that everybody says to a computer, as actions: at once, offline, and without a model. They decide nothing: what they mean
//! is judged like any request.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::language::Language;
use super::request::Request;

/// A number among the words.
const NUMBER: &str = "[0-9]{1,3}";

/// Words that change nothing about what is asked for, at the beginning or the end of a sentence.
const POLITE: &[&str] = &[
    "por favor",
    "please",
    "s il te plait",
    "s il vous plait",
    "oi",
    "ola",
    "hey",
    "ok",
    "voce pode",
    "pode",
    "could you",
    "can you",
    "would you",
    "tu peux",
    "peux tu",
    "pouvez vous",
    "obrigado",
    "obrigada",
    "thanks",
    "merci",
];

#[derive(Deserialize)]
struct Table {
    phrase: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    action: String,
    target: Option<String>,
    #[serde(rename = "pt-BR")]
    portuguese: Vec<String>,
    en: Vec<String>,
    fr: Vec<String>,
}

/// A pattern, and what it means.
struct Phrase {
    language: Language,
    words: Regex,
    action: String,
    target: Option<String>,
}

/// The table; a test ensures that it can be read.
static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let table = toml::from_str::<Table>(include_str!("phrases.toml"));
    table.map(|table| table.phrase).unwrap_or_default().into_iter().flat_map(phrases).collect()
});

fn phrases(row: Row) -> Vec<Phrase> {
    let Row { action, target, portuguese, en, fr } = row;
    let by_language = [(Language::Portuguese, portuguese), (Language::English, en), (Language::French, fr)];
    let patterns =
        by_language.into_iter().flat_map(|(language, all)| all.into_iter().map(move |one| (language, one)));
    let phrase = |(language, pattern): (Language, String)| {
        let words = Regex::new(&format!("^(?:{})$", pattern.replace("{n}", NUMBER))).ok()?;
        Some(Phrase { language, words, action: action.clone(), target: target.clone() })
    };
    patterns.filter_map(phrase).collect()
}

/// The request that a sentence makes, if it is a phrase that everybody says. The person's `language` is tried first, then the others.
///
/// ```
/// use guarda_core::action::{Language, phrases};
///
/// let request = phrases::read("Abaixa o volume, por favor.", Language::Portuguese).unwrap();
/// assert_eq!(request.action.as_deref(), Some("VOLUME_DOWN"));
/// assert!(phrases::read("apaga tudo", Language::Portuguese).is_none());
/// ```
#[must_use]
pub fn read(sentence: &str, language: Language) -> Option<Request> {
    let words = plain(sentence);
    let own = PHRASES.iter().filter(|phrase| phrase.language == language);
    let others = PHRASES.iter().filter(|phrase| phrase.language != language);
    own.chain(others).find_map(|phrase| phrase.read(&words))
}

impl Phrase {
    fn read(&self, words: &str) -> Option<Request> {
        let found = self.words.captures(words)?;
        let said = ["target", "percent", "seconds"].into_iter().find_map(|name| found.name(name));
        let target = said.map(|said| said.as_str().to_owned()).or_else(|| self.target.clone());
        // A number of seconds is a number on the wire.
        let target = match found.name("seconds") {
            Some(seconds) => seconds.as_str().parse::<u32>().ok().map(Into::into),
            None => target.map(Into::into),
        };
        Some(Request { action: Some(self.action.clone()), target, ..Request::default() })
    }
}

/// The words of a sentence: lower case, without accents, punctuation and politeness.
fn plain(sentence: &str) -> String {
    let kept: String = sentence
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            'á' | 'à' | 'â' | 'ã' => 'a',
            'é' | 'è' | 'ê' | 'ë' => 'e',
            'í' | 'î' | 'ï' => 'i',
            'ó' | 'ô' | 'õ' => 'o',
            'ú' | 'ù' | 'û' | 'ü' => 'u',
            'ç' => 'c',
            letter if letter.is_alphanumeric() => letter,
            _ => ' ',
        })
        .collect();
    let mut words = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(less) = POLITE.iter().find_map(|polite| without(&words, polite)) {
        words = less;
    }
    words
}

/// The words without these at their beginning or end; `None` if they are at neither, or nothing else is said.
fn without(words: &str, polite: &str) -> Option<String> {
    let start = words.strip_prefix(polite).and_then(|rest| rest.strip_prefix(' '));
    let end = words.strip_suffix(polite).and_then(|rest| rest.strip_suffix(' '));
    start.or(end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Proposal;

    #[test]
    fn every_pattern_is_read_and_names_an_action() {
        let table: Table = toml::from_str(include_str!("phrases.toml")).unwrap();
        let all: usize =
            table.phrase.iter().map(|row| row.portuguese.len() + row.en.len() + row.fr.len()).sum();
        assert_eq!(PHRASES.len(), all);
        for language in Language::ALL {
            let count = PHRASES.iter().filter(|phrase| phrase.language == language).count();
            assert!(count >= 40, "{language}: {count}");
        }
        for row in &table.phrase {
            let known = crate::action::vocabulary::VOCABULARY.iter().any(|entry| entry.name == row.action);
            assert!(known, "{}", row.action);
        }
    }

    #[test]
    fn what_is_said_becomes_an_action_that_parses() {
        use Language::{English, French, Portuguese};
        for (language, sentence, action, target) in [
            (Portuguese, "Aumenta o volume!", "VOLUME_UP", ""),
            (Portuguese, "abaixa 20 por cento", "VOLUME_DOWN", "20"),
            (Portuguese, "volume a 70%", "VOLUME_SET", "70"),
            (Portuguese, "Volume no máximo, por favor", "VOLUME_SET", "100"),
            (French, "plus doux", "VOLUME_DOWN", ""),
            (English, "Could you turn the volume down please?", "VOLUME_DOWN", ""),
            (French, "Mets en pause", "MEDIA_PAUSE", ""),
            (Portuguese, "avança 30 segundos", "MEDIA_SEEK", "30"),
            (Portuguese, "abre os downloads", "OPEN_FOLDER", "downloads"),
            (French, "ferme Firefox", "CLOSE_APP", "firefox"),
            (French, "éteins l'ordinateur", "SHUTDOWN", ""),
            (Portuguese, "desfaz isso", "UNDO", ""),
            (Portuguese, "Procura receitas de bolo na internet.", "OPEN_URL", "receitas de bolo"),
            (English, "search the web for red pandas", "OPEN_URL", "red pandas"),
            // Another language than the person's.
            (English, "próxima faixa", "MEDIA_NEXT", ""),
        ] {
            let request = read(sentence, language).unwrap_or_else(|| panic!("{sentence}"));
            assert_eq!(request.action.as_deref(), Some(action), "{sentence}");
            let said = request.target.as_ref().map(|target| target.to_string().trim_matches('"').to_owned());
            assert_eq!(said.unwrap_or_default(), target, "{sentence}");
            assert!(Proposal::parse(request).is_ok(), "{sentence}");
        }
    }

    /// What is not wholly understood is left to a model.
    #[test]
    fn a_part_of_a_sentence_is_no_phrase() {
        for sentence in [
            "",
            "volume",
            "aumenta o volume e apaga tudo",
            "turn the volume down and reboot",
            "não aumenta o volume",
            "não desliga o computador",
            "don't shut down the computer",
            "apaga o rascunho",
            "por favor",
        ] {
            assert!(read(sentence, Language::Portuguese).is_none(), "{sentence}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_sentence_is_read_or_not(sentence in "\\PC{0,60}") {
            for language in Language::ALL {
                let _ = read(&sentence, language);
            }
        }
    }
}
