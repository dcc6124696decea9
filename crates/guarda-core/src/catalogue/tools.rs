//! Tools that reach other machines: `hosts.toml`, as `build.rs` reads it.

use guarda_shell::script::{Piece, Run, Word, only_asks_for_help};

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
    pub(crate) scripts: &'static [&'static str],
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
    // Any other word of these is a script of the project.
    let script = |tool: &Tool| names_one(tool.scripts, run) && !names_one(tool.fetches, run);
    !of(run).is_some_and(|tool| stays_here(tool, run) && !links(run) || script(tool))
        && !works_offline(run)
        && !only_asks_for_help(run.words.iter())
}

/// The tools that ask a database, which is often started beside them.
const DATABASES: [&str; 4] = ["postgresql", "mysql", "redis", "mongodb"];

/// Whether a run asks a database, wherever that is.
pub(crate) fn asks_database(run: &Run) -> bool {
    of(run).is_some_and(|tool| DATABASES.contains(&tool.name))
}

/// Whether these words of a networked program need no other machine.
pub(crate) fn works_offline(run: &Run) -> bool {
    names_one(WITHOUT_NETWORK, run)
}

/// Whether git would clone by links to the files of another repository, which an overlay makes copies of: git then stops.
fn links(run: &Run) -> bool {
    let told = |option: &str| run.words.iter().any(|word| word.literal() == Some(option));
    let copies = ["--no-hardlinks", "--no-local", "--shared", "-s"].into_iter().any(told);
    names_one(&["git clone"], run)
        && !copies
        && !run.words.iter().any(|word| word.written().starts_with("file://"))
}

/// Whether a run stays on this machine by its words, whether or not its changes can be held back.
pub(crate) fn is_local(run: &Run) -> bool {
    !needs(run) || of(run).is_some_and(|tool| stays_here(tool, run))
}

/// Whether a copy, or the repository that git is given, is on this machine by its words.
pub(crate) fn stays_here(tool: &Tool, run: &Run) -> bool {
    let local = |word: &Word| word.is_fixed() && !word.written().contains(':');
    if tool.operands == Operands::Paths {
        return run.words.iter().skip(1).all(local);
    }
    if tool.name != "git" {
        return false;
    }
    let options = tool.options(run);
    let (sub, words) = git_sub_command(&options.operands);
    let Some(repository) = words.first() else { return false };
    let text = repository.written();
    let path = local(repository) && (text.starts_with(['/', '.', '~']) || sub == "clone")
        || repository.is_fixed() && text.starts_with("file://");
    options.moves.is_empty() && matches!(sub, "clone" | "fetch" | "pull" | "push" | "ls-remote") && path
}

/// The sub-command of git that reaches a repository, and the operands behind it. The words before are values of options, such
/// as the folder of `-C`.
pub(crate) fn git_sub_command<'a, 'b>(operands: &'b [&'a Word]) -> (&'a str, &'b [&'a Word]) {
    const SUBS: [&str; 8] = ["clone", "fetch", "pull", "push", "ls-remote", "archive", "remote", "submodule"];
    let is_sub = |word: &&Word| word.literal().is_some_and(|text| SUBS.contains(&text));
    let at = operands.iter().position(is_sub).unwrap_or(operands.len());
    let sub = operands.get(at).and_then(|word| word.literal()).unwrap_or_default();
    (sub, operands.get(at + 1..).unwrap_or_default())
}

/// Whether a run needs other machines, if the table has its program, with these or other words.
pub(crate) fn known_to_need(run: &Run) -> Option<bool> {
    let name = base_name(run.program()?);
    let program = |entry: &&str| entry.split(' ').next() == Some(name);
    let known =
        TOOLS.iter().any(|tool| tool.runs.iter().any(|entry| program(entry) && !entry.contains(" -")));
    known.then(|| of(run).is_some() && needs(run))
}

/// The relevant options of a run, and its operands, which include a sub-command.
#[derive(Default)]
pub(crate) struct GivenOptions<'a> {
    pub(crate) operands: Vec<&'a Word>,
    pub(crate) hosts: Vec<Word>,
    pub(crate) port: Option<Word>,
    pub(crate) moves: Vec<(String, Option<Word>)>,
}

impl Tool {
    /// The options of a run that say where it reaches, and its operands.
    pub(crate) fn options<'a>(&self, run: &'a Run) -> GivenOptions<'a> {
        let mut found = GivenOptions::default();
        let mut words = run.words.iter().skip(1);
        while let Some(word) = words.next() {
            let text = word.prefix();
            if text == "--" {
                found.operands.extend(words);
                break;
            }
            if !text.starts_with('-') || text == "-" {
                found.operands.push(word);
                continue;
            }
            let (option, inline) = split(self, word);
            let all = [self.host, self.port, self.moves, self.values];
            let takes = all.iter().any(|list| list.contains(&option.as_str()));
            let value = match inline {
                Some(value) => Some(value),
                None if takes => words.next().cloned(),
                None => None,
            };
            if self.moves.contains(&option.as_str()) {
                found.moves.push((option.clone(), value.clone()));
            }
            if self.host.contains(&option.as_str()) {
                found.hosts.extend(value.clone());
            }
            if self.port.contains(&option.as_str()) {
                found.port = value;
            }
        }
        found
    }
}

/// An option with its value in the same word: `--host=x`, `-hx`.
fn split(tool: &Tool, word: &Word) -> (String, Option<Word>) {
    let text = word.prefix();
    let rest = |from: usize| {
        let mut pieces = word.pieces.clone();
        if let Some(Piece::Text(first)) = pieces.first_mut() {
            *first = first.get(from..).unwrap_or_default().to_owned();
        }
        Word { pieces, span: word.span }
    };
    if text.starts_with("--") {
        return match text.split_once('=') {
            Some((option, _)) => (option.to_owned(), Some(rest(option.len() + 1))),
            None => (text.to_owned(), None),
        };
    }
    // `-connect` and other long options with a single dash.
    let known = [tool.host, tool.port, tool.moves, tool.values].concat();
    if known.contains(&text) {
        return (text.to_owned(), None);
    }
    let short: String = text.chars().take(2).collect();
    let inline = known.contains(&short.as_str()) && text.len() > short.len();
    let value = inline.then(|| rest(short.len()));
    (short, value)
}
