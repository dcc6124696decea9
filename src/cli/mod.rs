//! The command line: starts the service, sends requests to it, or judges without it.

mod args;
mod audit;
mod judge;
mod papers;
mod prove;
mod registry;
mod request;
mod service;
mod setup;

use std::process::ExitCode;

use clap::Parser;

use crate::app::serve::serve;
use crate::app::{CliError, ExitStatus, load, terminal};
use crate::doors::hook::through::{self, RunOptions};

use args::{CheckCli, CheckCommand, Cli, Command, ServiceCli, ServiceCommand};
use judge::{advise, check, plugin, redact, rules};
use request::questions::AnswerWord;
use request::{act, ask, demo, grants, network, questions, session, trust, undo};
use setup::{config, doctor, hook, keys, probe, speak, token, trusted_keyboard};

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
            args.span.span().map_or(AnswerWord::Yes, AnswerWord::Lasting),
            args.alike,
            args.code,
        ),
        Command::Deny(args) => questions::answer(&args.id, AnswerWord::No(args.reason), args.alike, false),
        Command::Modify(args) => questions::modify(&args.id, args.command, args.code),
        Command::Silence(args) => questions::silence(args.minutes),
        Command::Language(args) => questions::language(args.language),
        Command::Console(args) => questions::console(args.code),
        Command::Status(args) => act::status(args.json),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Demo(args) => demo::demo(&args),
        Command::Prove(args) => prove::prove(&args),
        Command::Keys(args) => keys::keys(args),
        Command::Setup(args) => trusted_keyboard::setup(&args),
        Command::Run { ticket, folder, json } => {
            let options = RunOptions { moves: folder, json };
            return through::run(&ticket, options);
        }
        Command::Hook(args) => return hook::hook(args),
        Command::Token(args) => token::token(&args),
        Command::Config(args) => config::config(args),
        Command::Undo(args) => undo::undo(args),
        Command::History(args) => audit::audit(args.into()),
        Command::Blame(args) => audit::blame::blame(args),
        Command::Lookback(args) => audit::lookback::lookback(&args),
        Command::Audit(args) => audit::audit(args),
        Command::Registry(args) => registry::registry(&args),
        Command::Rules(args) => rules::rules(&args),
        Command::Session(args) => session::session(args),
        Command::Grants(args) => grants::grants(&args),
        Command::Trust(args) => trust::trust(&args),
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
        ServiceCommand::Serve(args) => serve(&args),
        ServiceCommand::Speak(args) => speak::speak(args),
        ServiceCommand::Mcp => mcp(),
        ServiceCommand::Judge { why } => hook::judge(&why, hook::cold),
        ServiceCommand::Probe { config, language } => probe::probe(config.as_deref(), language),
    })
}

fn ended(end: Result<ExitStatus, CliError>) -> ExitCode {
    let end = end.unwrap_or_else(|trouble| {
        terminal::trouble(&trouble.told(load::words()));
        ExitStatus::Failed
    });
    ExitCode::from(end.code())
}

/// Serves tools until the client disconnects.
fn mcp() -> Result<ExitStatus, CliError> {
    let state = load::state()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build();
    let runtime = runtime?;
    let served = runtime.block_on(crate::doors::mcp::Server::beside(state).stdio());
    // The thread that reads standard input may wait for ever.
    runtime.shutdown_background();
    served.map(|()| ExitStatus::Good).map_err(CliError::system)
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
