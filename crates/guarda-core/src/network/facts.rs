//! What was found about the network of a line before it is judged.

use super::rule::{HostPattern, HostRule};

/// What the hands found about the network of a line before it is judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkFacts {
    /// The remotes of the repository in the working folder: name and address as git has them.
    pub remotes: Vec<(String, String)>,
    /// Files of settings that lead a tool elsewhere: the tool and the file.
    pub moved: Vec<(String, String)>,
    /// Hosts that the configuration lets approved runs reach, and for which program; for each where there is none.
    pub allowed: Vec<(Option<String>, HostRule)>,
    /// Hosts that the configuration lets no run reach.
    pub denied: Vec<HostPattern>,
    /// The tables of tools whose packages are fetched without a question in a workspace.
    pub packages: Vec<String>,
    /// The line only fetches such packages: it may be staged with their hosts where nothing is unusual about these.
    pub fetches: bool,
    /// The runs, by their places in the line, whose words name this machine and no other.
    pub here: Vec<usize>,
}
