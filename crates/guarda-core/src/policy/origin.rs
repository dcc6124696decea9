//! Which part of the guard a finding comes from.

/// Which part of the guard a finding comes from; `layer` on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash, strum::EnumString, strum::AsRefStr, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Origin {
    /// The rules that nothing switches off (feature S2).
    Floor,
    /// The rules that the program brings.
    BuiltIn,
    /// The rules of the profile in force.
    Profile,
    /// Actions that no rule covers.
    Default,
    /// The reader of shell lines.
    Reader,
    /// The lists of the configuration and of an agent's hook.
    Config,
    /// What the caller claims of its own request.
    Caller,
    /// Earlier runs and overrides.
    Registry,
    /// The changes of a staged run.
    Effects,
    /// Another host that a running command wants.
    Network,
    /// Limits of this machine.
    Hands,
    /// A second opinion of a language model.
    Advice,
    /// A file of rules or a plugin of the user's own, by its name.
    #[strum(default, transparent)]
    Own(String),
}

impl Origin {
    /// The part of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        name.parse().unwrap_or_else(|_impossible| Self::Own(name.to_owned()))
    }

    /// Its name, on the wire and in the record.
    #[must_use]
    pub fn name(&self) -> &str {
        self.as_ref()
    }

    /// Whether it judges the words of an action, which its actual changes supersede.
    #[must_use]
    pub fn judges_words(&self) -> bool {
        matches!(self, Self::BuiltIn | Self::Floor | Self::Profile | Self::Default | Self::Reader)
    }
}

impl serde::Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["floor", "built-in", "hands", "plugin:20-no-push.py", "own", ""] {
            assert_eq!(Origin::named(name).name(), name);
            assert_eq!(format!("{:<12}|", Origin::named(name)), format!("{name:<12}|"));
        }
        assert_eq!(Origin::named("built-in"), Origin::BuiltIn);
    }
}
