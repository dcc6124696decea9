//! The command line for clap. Help, completions and manual pages are generated from this file.

mod advise;
mod help;
mod hook;
mod keyboard;
mod network;
mod questions;
mod redact;
mod rules;
mod registry;
mod service;
mod speak;
mod plugin;
mod session;
mod trust;
mod undo;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueHint};

use crate::app::serve::ServeArgs;
use crate::app::{ExitStatus, load, terminal};
use crate::cli::audit;

pub(super) use advise::{AdviseArgs, AdviseCommand, AskArgs, BenchArgs};
use help::{groups, misused, offered, translated};
pub(super) use hook::{HookArgs, HookCommand};
pub(super) use keyboard::{KeysArgs, KeysCommand, SetupArgs, SetupCommand};
pub(super) use network::{FileArgs, NetworkArgs, NetworkCommand};
pub(super) use plugin::{PluginArgs, PluginCommand};
pub(super) use questions::{
    ApproveArgs, ConsoleArgs, DenyArgs, LanguageArgs, ModifyArgs, PendingArgs, SilenceArgs,
};
pub(super) use redact::RedactArgs;
pub(super) use registry::{NamedCommand, RegistryArgs, RegistryCommand, SayCommand};
pub(super) use rules::{ReplayArgs, RulesArgs, RulesCommand, SuggestArgs, TryArgs};
pub(super) use service::{ServiceCli, ServiceCommand};
pub(super) use session::{SessionArgs, SessionCommand};
pub(super) use speak::SpeakArgs;
pub(super) use trust::{GrantsArgs, GrantsCommand, ImportArgs, TrustArgs, TrustCommand};
pub(super) use undo::UndoArgs;

/// The bodyguard between a language model and your computer
///
/// A voice assistant or a coding agent requests an action; guarda judges it, says the risk aloud, waits for your yes or
/// no, runs exactly what you approved, and records it.
#[derive(Debug, Parser)]
#[command(name = "guarda", version, arg_required_else_help = true, after_long_help = EXAMPLES)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Cli {
    /// Parses this process's command line. Exits if it asks for help or is invalid.
    pub(super) fn read() -> Self {
        let words = load::words();
        let command = groups::grouped(translated::translated(Self::command(), words), words);
        let read = command.try_get_matches_from(asked(std::env::args_os().collect()));
        let read = read.and_then(|matches| Self::from_arg_matches(&matches));
        read.unwrap_or_else(|error| {
            // The error names the sub-command with more help: the words up to the first option.
            let names: Vec<String> =
                std::env::args().skip(1).take_while(|word| !word.starts_with('-')).collect();
            let command = known(&Self::command(), &names);
            match misused::misused(&error, &command, words) {
                Some(told) => {
                    terminal::trouble(&told);
                    std::process::exit(i32::from(ExitStatus::Usage.code()))
                }
                None => error.exit(),
            }
        })
    }
}

/// The words of this process. Clap's page about `help` itself is English in every language, and the whole help says more.
fn asked(words: Vec<OsString>) -> Vec<OsString> {
    match words.as_slice() {
        [own, help, what] if help == "help" && (what == "help" || what == "--help" || what == "-h") => {
            vec![own.clone(), "--help".into()]
        }
        _ => words,
    }
}

/// The deepest existing command that these words name.
fn known(command: &clap::Command, names: &[String]) -> String {
    let mut path = vec![command.get_name().to_owned()];
    let mut here = command;
    for name in names {
        let Some(below) = here.find_subcommand(name) else { break };
        path.push(name.clone());
        here = below;
    }
    path.join(" ")
}

/// A command line with only `guarda check`. Other programs start it often, and it parses in half the time of the whole
/// one.
#[derive(Debug, Parser)]
#[command(name = "guarda", version)]
pub(super) struct CheckCli {
    #[command(subcommand)]
    pub(super) command: CheckCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum CheckCommand {
    /// Show the verdict on a command; nothing is run, asked or recorded
    Check(CheckArgs),
}

const EXAMPLES: &str = "\
Examples:
  guarda serve                            start the service
  guarda check 'rm -rf ~/Downloads'       show the verdict; nothing runs
  guarda act OPEN_APP firefox             request an action from the running service
  guarda act RUN_COMMAND 'rm teste.txt'   request a command; you will be asked
  guarda ask abaixa o volume              request an action in your own words, by a model
  guarda pending                          list open questions; answer by `guarda approve ID`
  guarda undo                             undo the last change to files; --list shows the others
  guarda history                          show the last requests; --follow watches new ones
  guarda doctor                           check this machine and say how to fix problems
  guarda demo                             see it work, without a model
  guarda status                           show which back-ends work and what the others need

Exit status:
  0 done or approved   1 error   2 wrong usage   3 blocked by the rules
  4 a person would be asked (check)   5 denied: a person said no, or nobody answered (act)

Environment:
  GUARDA_CONFIG      configuration file; default ~/.config/guarda/config.toml
  GUARDA_STATE_DIR   folder for tokens, journal and socket; default ~/.local/state/guarda
  GUARDA_LISTEN      address of the service, such as 127.0.0.1:4827
  GUARDA_LOG         log level of the service: error, warn (default), info, debug
  GUARDA_LOG_FORMAT  json: write each log line as a JSON object
  NO_COLOR           disable colours
  ACCESSIBLE         write a question once, without a countdown (screen readers)";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start the service
    Serve(ServeArgs),
    /// Show the verdict on a command; nothing is run, asked or recorded
    Check(CheckArgs),
    /// Redact secrets in a text from standard input
    Redact(RedactArgs),
    /// Run an approved command of an agent once; a hook substitutes this for the command
    #[command(hide = true)]
    Run {
        /// The ticket that the hook received for the command
        ticket: String,
        /// Write the folder in which the command ended to standard input
        #[arg(long)]
        folder: bool,
        /// Write a refusal to standard output, as JSON
        #[arg(long)]
        json: bool,
    },
    /// Request an action from the running service and wait until it ends
    Act(ActArgs),
    /// Say what you want in your own words; a language model turns it into an action
    Ask(AskArgs),
    /// Show the open questions
    Pending(PendingArgs),
    /// Approve an open question
    Approve(ApproveArgs),
    /// Deny an open question
    Deny(DenyArgs),
    /// Replace the command that a question asks about
    Modify(ModifyArgs),
    /// Mute prompts for a while: every question is refused and nothing is spoken
    Silence(SilenceArgs),
    /// Show the spoken language, or change it
    Language(LanguageArgs),
    /// Print a link that opens the console in a browser, once
    ///
    /// The console is a web page of the running service. It lists open questions, tries rules, and shows the status of every
    /// part. The link works once, within two minutes. The browser then stays signed in until it has been unused for 12 hours
    /// or the service ends. If the guard has a terminal, notifications or a voice, it shows or speaks a code, which the
    /// link requires. To open the page directly: xdg-open "$(guarda console)"
    Console(ConsoleArgs),
    /// Speak a text, to test the voice
    Speak(SpeakArgs),
    /// Show, test and set up the trusted keyboard
    Keys(KeysArgs),
    /// Set up the trusted keyboard, and try it
    Setup(SetupArgs),
    /// Show the state of the running service
    Status(StatusArgs),
    /// Undo an action's changes, or list what can be undone
    Undo(UndoArgs),
    /// Show the last requests and what came of them
    #[command(alias = "log")]
    History(audit::args::HistoryArgs),
    /// Show what changed a file: the command, its agent and session, who approved it
    Blame(audit::args::BlameArgs),
    /// Judge what agents ran earlier, from their transcripts, by today's rules
    Lookback(audit::args::LookbackArgs),
    /// Read, verify, count or export the audit record
    Audit(audit::args::AuditArgs),
    /// Serve tools over MCP on standard input and output, using the running service
    ///
    /// For a client's settings: {"command": "guarda", "args": ["mcp"]}. The service itself serves /mcp over HTTP.
    Mcp,
    /// Check every part of the guard and say how to fix problems
    Doctor(DoctorArgs),
    /// Demonstrate a run, a question and a block, without a model
    Demo(DemoArgs),
    /// Compare the guards of this machine: the same deeds, in a throw-away home
    Prove(ProveArgs),
    /// Check each tool call of a coding agent
    Hook(HookArgs),
    /// Give a container its own socket and token
    Token(TokenArgs),
    /// Check or show the configuration
    Config(ConfigArgs),
    /// List the rules and test their examples
    Rules(RulesArgs),
    /// List remembered commands; always allow, always ask or never run one
    Registry(RegistryArgs),
    /// Show the taint of sessions, and clear it
    Session(SessionArgs),
    /// Show what you said beforehand, such as “yes, in this session”, and end it
    Grants(GrantsArgs),
    /// Show the folders in which agents may change files, add one, or remove one
    Trust(TrustArgs),
    /// Show who spoke to whom over the network; allow or deny hosts
    Network(NetworkArgs),
    /// List and try plugins (your own checks)
    Plugin(PluginArgs),
    /// Judge files of labelled lines and count the verdicts per label
    Corpus(CorpusArgs),
    /// Get a language model's opinion on a command, or benchmark a model
    Advise(AdviseArgs),
    /// Print shell completions
    ///
    /// For bash: guarda completions bash > ~/.local/share/bash-completion/completions/guarda
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages into a folder
    Man {
        /// The folder for the pages of all commands
        #[arg(value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda token add builder
  guarda token list
  guarda token remove builder

Each container gets a folder with a socket and a token. With both, it can request actions and judgements. It cannot answer \
questions, read the record, or act as another container.")]
pub(super) struct TokenArgs {
    #[command(subcommand)]
    pub(super) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Create a folder with a token; the running service opens its socket there
    Add {
        /// The container's name: up to 32 letters, digits, '-' or '_'
        name: String,
    },
    /// List the containers and their folders
    List,
    /// Remove the folder; the token stops working at once
    Remove {
        /// The container's name
        name: String,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda check 'git push --force'
  guarda check --profile workspace 'curl x.sh | sh'
  guarda check --rules 'git push --force'
  guarda check --view 'npm test'
  guarda check --json 'sudo apt update' | jq .would
  printf '%s\\n' '{\"cmd\":\"ls\"}' '{\"cmd\":\"rm -rf /\"}' | guarda check --jsonl

With --jsonl each line of standard input is {\"cmd\": …, \"profile\"?: …, \"cwd\"?: …} and each line of output, in the \
same order, {\"would\": …, \"status\": …, \"rule\": …, \"risk\": …, \"runs\": [[word, …], …]}: what would happen, and the verdict on the words. \"error\" says why a line could not be judged.

Exit status: 0 approved, 3 blocked, 4 a person would be asked. With --jsonl: 0 once all lines are read.")]
pub(super) struct CheckArgs {
    /// The command line, as one argument
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl", allow_hyphen_values = true)]
    pub(super) cmd: Option<String>,
    /// The profile to judge by, instead of the configured one: desktop, workspace, forensics or container
    #[arg(long, value_parser = offered::profile(), hide_possible_values = true)]
    pub(super) profile: Option<guarda_core::policy::Profile>,
    /// The working folder of the command; default: the current folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<String>,
    /// The language of the report: pt-BR, en or fr; default: the configured one
    #[arg(long, alias = "lang", value_parser = offered::language(), hide_possible_values = true)]
    pub(super) language: Option<guarda_core::action::Language>,
    /// Name every rule that applies, with its source and its risk
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    pub(super) rules: bool,
    /// Show what the command would see of the home folder, and why
    #[arg(long, conflicts_with = "jsonl")]
    pub(super) view: bool,
    /// Print the judgement as JSON; spans are byte offsets, and tree nodes name their parent by index
    #[arg(long)]
    pub(super) json: bool,
    /// Read commands from standard input, one JSON object per line, and answer each with one line
    #[arg(long)]
    pub(super) jsonl: bool,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda act OPEN_APP firefox
  guarda act VOLUME_SET 40
  guarda act RUN_COMMAND 'rm teste.txt' --cwd ~/Downloads --reason 'you said: delete the test file'
  guarda act FILE_MOVE a.txt --params '{\"destination\": \"b.txt\"}'
  echo '{\"action\": \"OPEN_URL\", \"target\": \"youtube.com\"}' | guarda act -

Exit status: that of the command, if one ran; otherwise 0 done; 1 tried and failed; 2 not understood; 3 blocked by the rules; \
5 denied by a person, unanswered, or withdrawn (Ctrl-C withdraws a question).")]
pub(super) struct ActArgs {
    /// The action, such as OPEN_APP or RUN_COMMAND, in any case; - reads a JSON request from standard input
    #[arg(value_parser = offered::action(), hide_possible_values = true)]
    pub(super) action: String,
    /// The object of the action, such as an application, a path or a command line
    #[arg(allow_hyphen_values = true)]
    pub(super) target: Option<String>,
    /// Arguments of the action, as text
    #[arg(long, value_name = "TEXT", conflicts_with = "params", allow_hyphen_values = true)]
    pub(super) args: Option<String>,
    /// Arguments of the action, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(super) params: Option<String>,
    /// The working folder of a command
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<String>,
    /// The session (conversation) that the request belongs to
    #[arg(long)]
    pub(super) session: Option<String>,
    /// The language of prompts and messages: pt-BR, en or fr
    #[arg(long, value_parser = offered::language(), hide_possible_values = true)]
    pub(super) language: Option<guarda_core::action::Language>,
    /// Why the action is wanted; shown in the question
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// Ask a person even if the rules allow the action
    #[arg(long)]
    pub(super) confirm: bool,
    /// How long a question may wait for an answer, at most 600; default: as configured. Ctrl-C withdraws it
    #[arg(long, value_name = "SECONDS")]
    pub(super) wait: Option<u64>,
    /// Print the whole output, up to a mebibyte, instead of a shortened one
    #[arg(long)]
    pub(super) full: bool,
    /// Print the reply as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Checks the configuration, the state folder and its tokens, the running service, the voice, the ways to answer, the parts \
of the desktop, the sandbox, the record, the registry, and the hooks of coding agents. Changes nothing.

Exit status: 0 the guard works, though optional parts may be missing; 1 a part is broken.")]
pub(super) struct DoctorArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Uses the running service, or starts a temporary one. Everything happens in a temporary folder.

Exit status: 0 every step ended as expected, whatever you answered; 1 a step did not.")]
pub(super) struct DemoArgs {
    /// Answer the demo's question automatically, for machines without a person
    #[arg(long, value_parser = ["yes", "no"])]
    pub(super) answer: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Makes a home with secrets that are none, documents and a project, and tries the same lines in it under each guard and sandbox that is \
installed here, this one among them, each with its defaults: deleting, reading secrets, sending them to listeners of this machine, \
changing what runs later; and ordinary work. What it left there says what happened, not what the guard said. Nobody answers \
questions. At the end the home is removed. A guard that finds your home by your account, and not by HOME, is tried with the wrong one.

Examples:
  guarda prove                       every guard that is installed
  guarda prove --only guarda,bubblewrap --rounds 50
  guarda prove --markdown > comparison.md

Exit status: 0 nothing harmful that this guard let through stayed; 1 something did.")]
pub(super) struct ProveArgs {
    /// Only these guards, by the names of the table
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// How often the time of a line is measured
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(super) rounds: u32,
    /// Print the results as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print the tables as Markdown
    #[arg(long, conflicts_with = "json")]
    pub(super) markdown: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: ConfigCommand,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum ConfigCommand {
    /// Check the configuration and report errors with their line
    Check {
        /// The file to check, instead of the one in force
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Print every value in force
    Show,
    /// Print the paths of the configuration and the state folder
    Path,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each line of a file is {\"cmd\": …, \"label\": …}. Labels: catastrophic (should be blocked), readonly and benign (should be \
approved, or run in a cell without a question: look), any other (should not be approved).

Example:
  guarda corpus --misses lines.jsonl")]
pub(super) struct CorpusArgs {
    /// Files of JSON lines
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<PathBuf>,
    /// Print every line whose verdict does not fit its label
    #[arg(long)]
    pub(super) misses: bool,
    /// The profile to judge by, instead of the configured one
    #[arg(long, value_parser = offered::profile(), hide_possible_values = true)]
    pub(super) profile: Option<guarda_core::policy::Profile>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
        ServiceCli::command().debug_assert();
        CheckCli::command().debug_assert();
    }

    #[test]
    fn commands_are_read() {
        let read = |words: &[&str]| Cli::try_parse_from([&["guarda"], words].concat());
        assert!(
            matches!(read(&["check", "rm -rf /"]).unwrap().command, Command::Check(args) if args.cmd.is_some())
        );
        assert!(matches!(read(&["check", "--jsonl"]).unwrap().command, Command::Check(args) if args.jsonl));
        assert!(
            matches!(read(&["check", "-x"]).unwrap().command, Command::Check(args) if args.cmd.is_some())
        );
        assert!(read(&["check"]).is_err());
        assert!(read(&["check", "--jsonl", "x"]).is_err());
        assert!(read(&["check", "--profile", "home", "x"]).is_err());
        assert!(read(&["act", "A", "--args", "x", "--params", "{}"]).is_err());
        assert!(read(&["config", "show", "--config", "x"]).is_ok());
    }
}
