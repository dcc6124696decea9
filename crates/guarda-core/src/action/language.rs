//! The languages of speech and on-screen text.

/// A language that the guard speaks. Portuguese is the default (feature M8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Portuguese of Brazil.
    #[default]
    Portuguese,
    /// English.
    English,
    /// French.
    French,
}

impl Language {
    /// Every language, the default first.
    pub const ALL: [Self; 3] = [Self::Portuguese, Self::English, Self::French];

    /// The language tag (BCP 47): `pt-BR`, `en` or `fr`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Portuguese => "pt-BR",
            Self::English => "en",
            Self::French => "fr",
        }
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.tag())
    }
}

/// The tag of a language that the guard does not speak.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no language {0:?}: write pt-BR, en or fr")]
pub struct UnknownLanguage(pub String);

impl std::str::FromStr for Language {
    type Err = UnknownLanguage;

    /// Reads the first part of a language tag or locale, in any case: `pt`, `pt_BR.UTF-8`, `en-GB`, `fr`.
    fn from_str(tag: &str) -> Result<Self, Self::Err> {
        let first = tag.split(['-', '_', '.']).next().unwrap_or_default();
        match first.to_ascii_lowercase().as_str() {
            "pt" => Ok(Self::Portuguese),
            "en" => Ok(Self::English),
            "fr" => Ok(Self::French),
            _ => Err(UnknownLanguage(tag.chars().take(32).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_locales_are_read_and_others_are_errors() {
        for (tag, language) in [
            ("pt-BR", Some(Language::Portuguese)),
            ("PT", Some(Language::Portuguese)),
            ("pt_PT.UTF-8", Some(Language::Portuguese)),
            ("en", Some(Language::English)),
            ("en-GB", Some(Language::English)),
            ("fr_CA", Some(Language::French)),
            ("", None),
            ("de", None),
            ("enx", None),
            ("português", None),
        ] {
            assert_eq!(tag.parse::<Language>().ok(), language, "{tag}");
        }
    }
}
