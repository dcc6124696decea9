//! The list of banned commands of feature D1 (`bans.toml`), a layer over the rules of any profile.

use crate::policy::{Layer, Profile};

/// Whether the banned commands are blocked, or judged like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bans {
    /// They are judged like any other: asked about, if nothing holds them back.
    Ask,
    /// They are blocked.
    Strict,
}

impl Bans {
    /// What a profile does if the configuration leaves it open.
    #[must_use]
    pub fn of(profile: Profile) -> Self {
        if profile == Profile::Container { Self::Strict } else { Self::Ask }
    }

    /// The rules that block them, as a layer.
    #[must_use]
    pub fn layer(self) -> Option<Layer<'static>> {
        (self == Self::Strict).then_some(Layer { name: "profile", text: include_str!("bans.toml") })
    }
}
