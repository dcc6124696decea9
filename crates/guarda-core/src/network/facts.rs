//! Facts about a line's network, gathered before it is judged.

use std::collections::BTreeSet;

use super::host::Host;
use super::rule::{HostPattern, HostRule};

/// Facts about a line's network that the hands gather before it is judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkFacts {
    /// The remotes of the working folder's repository, as git's names and addresses.
    pub remotes: Vec<(String, String)>,
    /// Settings files that direct a tool to another server: the tool and the file.
    pub moved: Vec<(String, String)>,
    /// Hosts that the configuration lets approved runs reach, with the program that may; `None` means every
    /// program.
    pub allowed: Vec<(Option<String>, HostRule)>,
    /// Hosts that the configuration denies to every run.
    pub denied: Vec<HostPattern>,
    /// Names of the tables of tools that may fetch packages without a question in a workspace.
    pub packages: Vec<String>,
    /// True if the line only fetches such packages. It may then be staged with their hosts, unless something
    /// about these is unusual.
    pub fetches: bool,
    /// True if a run of the line needs other machines, and does more than fetch such packages. Then a person is asked about its words
    /// before it is staged.
    pub reaches: bool,
    /// What the line wanted when it was tried with its changes held back: machines by name or address, and ports. A yes to the
    /// line lets it reach these.
    pub tried: Vec<(Host, Option<u16>)>,
    /// The ports on which it waited for connections then. A yes lets others on this machine reach it there.
    pub serves: BTreeSet<u16>,
    /// The ports on which what the session keeps running is reached; `None` if it keeps nothing.
    pub session: Option<BTreeSet<u16>>,
    /// The runs, by position in the line, whose words name this machine and no other.
    pub here: Vec<usize>,
}
