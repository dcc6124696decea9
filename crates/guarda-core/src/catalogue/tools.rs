//! Tools that reach other machines: `hosts.toml`, as `build.rs` reads it.

use guarda_shell::script::{Run, Word, only_asks_for_help};

use super::entry::names_one;
use super::{WITHOUT_NETWORK, base_name};
use crate::network::Protocol;

/// A tool and the hosts that it reaches. The table documents each field.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) runs: &'static [&'static str],
    pub(crate) hosts: &'static [&'static str],
    pub(crate) ports: &'static [u16],
    pub(crate) fetches: &'static [&'static str],
    pub(crate) asked: &'static [&'static str],
    pub(crate) operands: Operands,
    pub(crate) default: &'static [u16],
    pub(crate) speaks: Protocol,
    pub(crate) host: &'static [&'static str],
    pub(crate) port: &'static [&'static str],
    pub(crate) values: &'static [&'static str],
    pub(crate) moves: &'static [&'static str],
    pub(crate) variables: &'static [&'static str],
    pub(crate) files: &'static [&'static str],
    pub(crate) keys: &'static [&'static str],
    pub(crate) whole: &'static str,
}

/// How an operand names a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Only as a URL.
    Urls,
    /// As a URL, or a host with a port and a path.
    Address,
    /// The first operand.
    First,
    /// The first operand is the host and the second its port.
    Port,
    /// `host:path`, `user@host:path`, `host::module`, or a URL.
    Remote,
    /// The same; anything else is a path of this machine, and without any host the tool needs no network.
    Paths,
}

/// Every tool.
pub(crate) const TOOLS: &[Tool] = include!(concat!(env!("OUT_DIR"), "/hosts.rs"));

/// The tool that a run starts, if the table has it.
pub(crate) fn of(run: &Run) -> Option<&'static Tool> {
    let name = base_name(run.program()?);
    TOOLS.iter().find(|tool| {
        // For nearly every run the first letters settle it.
        tool.runs.iter().any(|entry| entry.starts_with(name) || entry.starts_with("./"))
            && names_one(tool.runs, run)
    })
}

/// Whether a run of a networked program needs other machines with these words.
pub(crate) fn needs(run: &Run) -> bool {
    let local = |word: &Word| word.literal().is_some_and(|text| !text.contains(':'));
    let copies_here =
        of(run).is_some_and(|tool| tool.operands == Operands::Paths) && run.words.iter().skip(1).all(local);
    !copies_here && !names_one(WITHOUT_NETWORK, run) && !only_asks_for_help(run.words.iter())
}

/// Whether a run needs other machines, if the table has its program, with these or other words.
pub(crate) fn known_to_need(run: &Run) -> Option<bool> {
    let name = base_name(run.program()?);
    let program = |entry: &&str| entry.split(' ').next() == Some(name);
    let known =
        TOOLS.iter().any(|tool| tool.runs.iter().any(|entry| program(entry) && !entry.contains(" -")));
    known.then(|| of(run).is_some() && needs(run))
}
