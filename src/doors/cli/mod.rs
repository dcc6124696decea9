//! The command line: starts the service, sends requests to it, or judges without it.

mod act;
mod advise;
mod args;
mod ask;
mod assemble;
mod audit;
mod banner;
mod check;
mod client;
mod clients;
mod demo;
mod diagnosis;
mod doctor;
mod hook;
mod keyboard;
mod lines;
mod load;
mod papers;
mod network;
mod plugin;
mod probe;
mod questions;
mod recovery;
mod redact;
mod registry;
mod reload;
mod rules;
mod serve;
mod service;
mod session;
mod settings;
mod setup;
mod show;
mod speak;
mod token;
mod undo;
mod unjudged;

use std::process::ExitCode;

use clap::Parser;

use crate::devices::endpoint::EndpointFault;
use crate::devices::filesystem::own::FileError;
use crate::devices::process::socket_activation::NotActivated;
use crate::doors::telemetry::NoTelemetry;
use crate::record::RecordError;
use crate::wording::fault;

use args::{CheckCli, CheckCommand, Cli, Command, ServiceCli, ServiceCommand};

/// The exit status. The numbers are stable, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The action is done, or approved.
    Good,
    /// The action failed.
    Failed,
    /// The command line or the request is wrong.
    Usage,
    /// The rules forbid it.
    Blocked,
    /// A person would be asked (`check`).
    Asked,
    /// A person said no, nobody answered in time, or the request was withdrawn.
    Denied,
    /// The exit status of the command that ran.
    Command(u8),
}

impl ExitStatus {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Blocked => 3,
            Self::Asked => 4,
            Self::Denied => 5,
            Self::Command(status) => status,
        }
    }
}

/// An error that ends a command: one sentence with the cause and the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CliError(String);

impl CliError {
    fn new(what: impl std::fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl CliError {
    /// The record cannot be read: the cause alone.
    fn of_record(error: RecordError) -> Self {
        Self(fault::record::fault(load::words(), &error.why))
    }
}

impl From<RecordError> for CliError {
    fn from(error: RecordError) -> Self {
        let words = load::words();
        let why = fault::record::fault(words, &error.why);
        Self(words.say("record-unwritable", &[("why", why.into())]))
    }
}

impl From<EndpointFault> for CliError {
    fn from(fault: EndpointFault) -> Self {
        Self(fault::unusable::endpoint_fault(load::words(), &fault))
    }
}

impl From<NotActivated> for CliError {
    fn from(error: NotActivated) -> Self {
        let words = load::words();
        Self(match error {
            NotActivated::Unknown(number) => {
                words.say("serve-socket-unknown", &[("number", number.to_string().into())])
            }
            NotActivated::Twice => words.say("serve-socket-twice", &[]),
            NotActivated::System(error) => {
                words.say("serve-socket-system", &[("why", error.to_string().into())])
            }
        })
    }
}

impl From<NoTelemetry> for CliError {
    fn from(error: NoTelemetry) -> Self {
        let words = load::words();
        Self(match error {
            NoTelemetry::Address { endpoint, why } => {
                words.say("serve-telemetry-address", &[("endpoint", endpoint.into()), ("why", why.into())])
            }
            NoTelemetry::NotBuilt => words.say("serve-telemetry-not-built", &[]),
        })
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        Self(fault::file::told(load::words(), &error))
    }
}

/// Runs this process's command line as `guarda`. `guarda-service` serves.
#[must_use]
pub fn run() -> ExitCode {
    // An agent starts these commands at every step, so they skip the setup of the whole command line.
    if let Some(code) = hook::quick() {
        return code;
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == "check")
        // Errors and help come from the whole command line, in the person's language.
        && let Ok(CheckCli { command: CheckCommand::Check(args) }) = CheckCli::try_parse()
    {
        return ended(check::check(&args));
    }
    ended(match Cli::read().command {
        Command::Serve(_) | Command::Speak(_) | Command::Mcp => service::become_service(),
        Command::Check(args) => check::check(&args),
        Command::Redact(args) => redact::redact_input(&args),
        Command::Act(args) => act::act(args),
        Command::Ask(args) => ask::ask(args),
        Command::Pending(args) => questions::pending(args.id.as_deref(), args.json),
        Command::Approve(args) => questions::answer(
            &args.id,
            if args.always { questions::AnswerWord::Always } else { questions::AnswerWord::Yes },
            args.code,
        ),
        Command::Deny(args) => questions::answer(&args.id, questions::AnswerWord::No(args.reason), false),
        Command::Modify(args) => questions::modify(&args.id, args.command, args.code),
        Command::Silence(args) => questions::silence(args.minutes),
        Command::Language(args) => questions::language(args.language),
        Command::Console(args) => questions::console(args.code),
        Command::Status(args) => act::status(args.json),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Demo(args) => demo::demo(&args),
        Command::Keys(args) => keyboard::keys(args),
        Command::Setup(args) => setup::setup(&args),
        Command::Run { ticket, folder, json } => {
            let options = crate::doors::hook::through::RunOptions { moves: folder, json };
            return crate::doors::hook::through::run(&ticket, options);
        }
        Command::Hook(args) => return hook::hook(args),
        Command::Token(args) => token::token(&args),
        Command::Config(args) => settings::settings(args),
        Command::Undo(args) => undo::undo(args),
        Command::History(args) => audit::audit(args.into()),
        Command::Audit(args) => audit::audit(args),
        Command::Registry(args) => registry::registry(&args),
        Command::Rules(args) => rules::rules(&args),
        Command::Session(args) => session::session(args),
        Command::Network(args) => network::network(args),
        Command::Plugin(args) => plugin::plugin(&args),
        Command::Advise(args) => advise::advise(args),
        Command::Corpus(args) => rules::corpus(&args),
        Command::Completions { shell } => papers::completions(shell),
        Command::Man { folder } => papers::man(folder.as_deref()),
    })
}

/// Runs this process's command line as `guarda-service`.
#[must_use]
pub fn run_service() -> ExitCode {
    // The help names `guarda`, which has replaced itself by this program.
    let words = std::iter::once("guarda".into()).chain(std::env::args_os().skip(1));
    ended(match ServiceCli::parse_from(words).command {
        ServiceCommand::Serve(args) => serve::serve(args),
        ServiceCommand::Speak(args) => speak::speak(args),
        ServiceCommand::Mcp => mcp(),
        ServiceCommand::Judge { why } => hook::judge(&why, hook::cold),
        ServiceCommand::Probe { config, language } => probe::probe(config.as_deref(), language),
    })
}

fn ended(end: Result<ExitStatus, CliError>) -> ExitCode {
    let end = end.unwrap_or_else(|trouble| {
        show::trouble(&trouble.0);
        ExitStatus::Failed
    });
    ExitCode::from(end.code())
}

/// Serves tools until the client disconnects.
fn mcp() -> Result<ExitStatus, CliError> {
    let state = load::state()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build();
    let runtime = runtime.map_err(CliError::new)?;
    let served = runtime.block_on(crate::doors::mcp::Server::beside(state).stdio());
    // The thread that reads standard input may wait for ever.
    runtime.shutdown_background();
    served.map(|()| ExitStatus::Good).map_err(CliError::new)
}

/// The command line of `guarda` with its commands, options and help. Runs nothing.
#[must_use]
pub fn command_line() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// The built-in rules of every profile as a Markdown document. Empty if a built-in table is broken.
#[must_use]
pub fn rules_document() -> String {
    rules::document().unwrap_or_default()
}

/// Answers these bytes as `guarda check --jsonl` with the built-in configuration would.
///
/// # Errors
/// If the built-in rules are broken, or the answers cannot be written.
pub fn answer_lines(input: &[u8], output: impl std::io::Write) -> Result<(), CliError> {
    check::answer_lines(input, output)
}
