//! The hosts that a line may reach.

use serde::Serialize;

use crate::network::{HostRules, Unusual};

/// The hosts that a line may reach once approved, and what a person should know about them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct NetworkPlan {
    /// The hosts.
    pub hosts: HostRules,
    /// What is unusual.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusual: Vec<Remark>,
    /// The tools that need the whole network, and why: they do more than open TCP connections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<Whole>,
    /// What each run reaches, by position in the line. Runs that reach nothing are left out.
    #[serde(skip)]
    pub(super) parts: Vec<(usize, Part)>,
}

impl NetworkPlan {
    pub(super) fn remark(&mut self, remark: Remark) {
        if !self.unusual.contains(&remark) {
            self.unusual.push(remark);
        }
    }
}

/// What one or several runs of a line may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The hosts.
    pub hosts: HostRules,
    /// True if one of them needs the whole network.
    pub whole: bool,
}

/// A tool that needs the whole network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Whole {
    /// Its program.
    pub program: String,
    /// The reason: `sockets`, `packets`, `names`, `interfaces`, or `configured`.
    pub why: String,
}

/// Something that a person should know about the hosts of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Remark {
    /// An option or variable of the line directs a tool to another server than its own.
    Moved {
        /// The tool.
        tool: String,
        /// The option or variable.
        by: String,
    },
    /// A settings file directs a tool to another server. The line does not admit that server.
    File {
        /// The tool.
        tool: String,
        /// The file, as the table spells it.
        file: String,
    },
    /// The host is unknown before the line runs.
    Unknown {
        /// The word.
        word: String,
    },
    /// The configuration denies a host that the line would reach.
    Denied {
        /// The host.
        host: String,
    },
    /// A host that a word names looks unusual.
    Looks {
        /// The host.
        host: String,
        /// What is unusual.
        unusual: Vec<Unusual>,
    },
}
