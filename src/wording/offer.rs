//! What a yes to a question can also mean, beyond the action itself.

use guarda_core::gate::Span;

use crate::wording::plain::visible;
use crate::wording::words::Words;

/// What a lasting yes covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lasting {
    /// Changes in this folder, as it is shown.
    Folder(String),
    /// Exactly this command.
    Command,
    /// Commands of this shape, as shown to the person, and the hosts that it covers as a whole.
    Shape(String, Vec<String>),
    /// The hosts that a running command wants.
    Hosts,
    /// Every host that a running command wants, until it ends.
    AllHosts,
}

impl Lasting {
    /// The name on the wire, and the last part of a message's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Folder(_) => "folder",
            Self::Command => "command",
            Self::Shape(..) => "shape",
            Self::Hosts => "hosts",
            Self::AllHosts => "all-hosts",
        }
    }

    /// The folder or the shape; `None` where the question itself says what it is about.
    #[must_use]
    pub fn object(&self) -> Option<&str> {
        match self {
            Self::Folder(text) | Self::Shape(text, _) => Some(text),
            Self::Command | Self::Hosts | Self::AllHosts => None,
        }
    }
}

/// The lasting answers that a question offers: at most one for each span, the shortest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offers(Vec<(Span, Lasting)>);

impl Offers {
    /// These offers.
    #[must_use]
    pub fn new(offers: Vec<(Span, Lasting)>) -> Self {
        Self(offers)
    }

    /// What a yes for this long covers; `None` if it is not offered.
    #[must_use]
    pub fn of(&self, span: Span) -> Option<&Lasting> {
        self.0.iter().find(|(offered, _)| *offered == span).map(|(_, covers)| covers)
    }

    /// True if it offers none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each span, with what a yes would cover.
    pub fn iter(&self) -> impl Iterator<Item = &(Span, Lasting)> {
        self.0.iter()
    }

    /// The hosts that a yes for the session would cover as a whole.
    pub fn whole_hosts(&self) -> &[String] {
        match self.of(Span::Session) {
            Some(Lasting::Shape(_, hosts)) => hosts,
            _ => &[],
        }
    }

    /// Such a yes in words, as a person would say it; `None` if it is not offered.
    #[must_use]
    pub fn told(&self, words: &Words, span: Span) -> Option<String> {
        let covers = self.of(span)?;
        let length: &'static str = span.into();
        let what = covers.object().map(visible).unwrap_or_default();
        Some(words.say(&format!("offer-{length}-{}", covers.name()), &[("what", what.into())]))
    }
}
