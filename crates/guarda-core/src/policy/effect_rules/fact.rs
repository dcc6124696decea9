//! Facts about one change that a rule can ask for.

use crate::policy::RuleError;

/// A fact about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Fact {
    /// The run cannot be undone.
    Final,
    /// A program has a set-id bit that it did not have.
    SetId,
    /// A device has appeared.
    Device,
    /// A link leads out of the folders of the session, and did not before.
    LeadsOut,
    /// A file was written by one of its names, and others keep the old content.
    HardLink,
    /// It was a folder.
    WasFolder,
    /// It is, or was, anything but a folder, and git did not make it by itself.
    Pointer,
    /// It is not known to start nothing: see [`crate::effects::Change::inert`].
    MayStart,
    /// The run wrote it, and did not only have git bring it from its own objects.
    Written,
}

impl Fact {
    pub(super) fn named(name: &str) -> Result<Self, RuleError> {
        name.parse().map_err(|_| RuleError::NoFact(name.to_owned()))
    }

    /// True if it only narrows which changes at a place count.
    pub(super) fn is_of_place(self) -> bool {
        matches!(self, Self::Pointer | Self::MayStart | Self::Written)
    }

    /// True if it concerns the changed file itself and not the whole run.
    pub(super) fn singles_out(self) -> bool {
        matches!(self, Self::SetId | Self::Device | Self::LeadsOut)
    }
}
