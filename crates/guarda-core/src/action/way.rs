//! The ways to run a line, by how much of the machine each can reach.

use serde::{Deserialize, Serialize};

/// How a line is run. One way holds for the whole line and is chosen before a person is asked (feature N1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// In a cell that can do no harm: it writes only to a private temporary folder that is deleted
    /// afterwards, sends nothing, and reaches no secrets, sockets or other processes.
    Look,
    /// In a cell that holds back its changes until they are judged (feature N4).
    Stage,
    /// At once, in a sandbox that opens what a person approved.
    Act,
    /// Without a sandbox: lines that a person approved and no cell can hold, single commands that only query
    /// a system service, and every action that is not a command.
    None,
}

impl Way {
    /// The name on the wire, in the record and in message ids.
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
