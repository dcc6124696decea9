//! The texts in each language, from the `.ftl` files. Every language has the same messages.

mod ago;
mod moment;
mod size;

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use guarda_core::action::Language;

pub use ago::ago;
pub use moment::{Precision, moment};
pub use size::size;

/// The messages of one language.
pub struct Words {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

/// The value of a message's argument.
pub type Value<'a> = FluentValue<'a>;

/// Each language is parsed when it is first needed.
static ALL: [LazyLock<Words>; 3] = [
    LazyLock::new(|| Words::load(Language::Portuguese)),
    LazyLock::new(|| Words::load(Language::English)),
    LazyLock::new(|| Words::load(Language::French)),
];

/// The messages of a language.
#[must_use]
pub fn words(language: Language) -> &'static Words {
    let [portuguese, english, french] = &ALL;
    match language {
        Language::Portuguese => portuguese,
        Language::English => english,
        Language::French => french,
    }
}

/// The files of a language: spoken and shown texts, and the output of the command line.
fn source(language: Language) -> &'static str {
    match language {
        Language::Portuguese => {
            concat!(
                include_str!("pt-BR.ftl"),
                include_str!("actions-pt-BR.ftl"),
                include_str!("cli-pt-BR.ftl"),
                include_str!("pages-pt-BR.ftl"),
                include_str!("problems-pt-BR.ftl"),
                include_str!("faults-pt-BR.ftl"),
                include_str!("console-pt-BR.ftl")
            )
        }
        Language::English => {
            concat!(
                include_str!("en.ftl"),
                include_str!("actions-en.ftl"),
                include_str!("cli-en.ftl"),
                include_str!("pages-en.ftl"),
                include_str!("problems-en.ftl"),
                include_str!("faults-en.ftl"),
                include_str!("console-en.ftl")
            )
        }
        Language::French => {
            concat!(
                include_str!("fr.ftl"),
                include_str!("actions-fr.ftl"),
                include_str!("cli-fr.ftl"),
                include_str!("pages-fr.ftl"),
                include_str!("problems-fr.ftl"),
                include_str!("faults-fr.ftl"),
                include_str!("console-fr.ftl")
            )
        }
    }
}

/// The reasons of rules that ask or block, by rule id. The English reasons are in the tables of rules.
pub(super) fn rules(language: Language) -> &'static str {
    match language {
        Language::Portuguese => include_str!("rules-pt-BR.ftl"),
        Language::English => "",
        Language::French => include_str!("rules-fr.ftl"),
    }
}

/// The translated help. The English help is in the command line itself.
fn help(language: Language) -> &'static str {
    match language {
        Language::Portuguese => include_str!("help-pt-BR.ftl"),
        Language::English => "",
        Language::French => include_str!("help-fr.ftl"),
    }
}

impl Words {
    fn load(language: Language) -> Self {
        let locale = language.tag().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // Isolation marks would be spoken as pauses and shown as hidden characters.
        bundle.set_use_isolating(false);
        // A test checks that the built-in files are valid. If a file has errors, its valid messages are used.
        for text in [source(language), rules(language), help(language)] {
            let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(sound, _)| sound);
            bundle.add_resource_overriding(resource);
        }
        Self { language, bundle }
    }

    /// A label with its value. French has a space before the colon. An empty value leaves the label alone.
    #[must_use]
    pub fn labelled(&self, label: &str, value: &str) -> String {
        format!("{}: {value}", self.before_colon(label)).trim_end().to_owned()
    }

    /// Parts of a sentence with semicolons between them. French has a space before each.
    #[must_use]
    pub fn listed(&self, parts: &[String]) -> String {
        parts.join(if self.language == Language::French { "\u{a0}; " } else { "; " })
    }

    /// A text as it is written before a colon that something else adds. French has a space there.
    #[must_use]
    pub fn before_colon(&self, text: &str) -> String {
        if self.language == Language::French { format!("{text}\u{a0}") } else { text.to_owned() }
    }

    /// The language of these messages.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The ids of the messages that begin with `prefix`.
    pub fn ids<'a>(&self, prefix: &'a str) -> impl Iterator<Item = &'static str> + use<'a> {
        let ids = source(self.language).lines().filter_map(|line| line.split_once(" =").map(|(id, _)| id));
        ids.filter(move |id| id.starts_with(prefix))
    }

    /// The message `id` with its arguments; empty if there is no such message.
    #[must_use]
    pub fn say(&self, id: &str, arguments: &[(&'static str, Value<'_>)]) -> String {
        self.find(id, arguments).unwrap_or_default()
    }

    /// The message `id` about these counts.
    #[must_use]
    pub fn count(&self, id: &str, counts: &[(&'static str, usize)]) -> String {
        let told: Vec<_> = counts.iter().map(|(name, count)| (*name, (*count).into())).collect();
        self.say(id, &told)
    }

    /// Like [`Words::say`]; `None` if there is no such message.
    #[must_use]
    pub fn find(&self, id: &str, arguments: &[(&'static str, Value<'_>)]) -> Option<String> {
        self.find_with(id, &arguments.iter().cloned().collect())
    }

    /// Like [`Words::find`], with arguments whose names are read at run time.
    pub(super) fn find_with(&self, id: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let pattern = self.bundle.get_message(id)?.value()?;
        let mut faults = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(arguments), &mut faults).into_owned();
        debug_assert!(faults.is_empty(), "{} {id}: {faults:?}", self.language);
        Some(text)
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Words({})", self.language)
    }
}

#[cfg(test)]
mod tests;
