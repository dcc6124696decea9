//! The ways to run a line, by how much of the machine it can reach.

use serde::{Deserialize, Serialize};

/// How a line is run. The way holds for the whole line and is chosen before anybody is asked (feature N1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// In a cell that can do no harm: nothing is written but to a private temporary folder that is thrown away, nothing is
    /// sent, and no secret, socket or other process is reached.
    Look,
    /// In a cell whose writes are held back until what they change was judged (feature N4).
    Stage,
    /// At once, in a sandbox that opens what a person approved.
    Act,
    /// Without a sandbox: what a person approved and no cell can hold, single commands that only ask a service of the
    /// system, and every action that is no command.
    None,
}

impl Way {
    /// The name on the wire, in the record and in the ids of words.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
