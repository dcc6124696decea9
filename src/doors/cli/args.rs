//! The command line as clap knows it. Help, completions and the man page are made from this file.

mod advise;
mod groups;
mod hook;
mod keyboard;
mod questions;
mod redact;
mod registry;
mod service;
mod speak;
mod plugin;
mod session;
mod undo;

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueHint};

pub(super) use advise::{AdviseArgs, AdviseCommand, AskArgs, BenchArgs};
pub(super) use hook::{HookArgs, HookCommand};
pub(super) use keyboard::{KeysArgs, KeysCommand};
pub(super) use plugin::{PluginArgs, PluginCommand};
pub(super) use questions::{
    ApproveArgs, ConsoleArgs, DenyArgs, LanguageArgs, ModifyArgs, PendingArgs, SilenceArgs,
};
pub(super) use redact::RedactArgs;
pub(super) use registry::{NamedCommand, RegistryArgs, RegistryCommand, SayCommand};
pub(super) use service::{ServiceCli, ServiceCommand};
pub(super) use session::{SessionArgs, SessionCommand};
pub(super) use speak::SpeakArgs;
pub(super) use undo::UndoArgs;

/// The bodyguard between a language model and your computer
///
/// A voice assistant or a coding agent asks for an action; guarda judges it, says the risk aloud, waits for your Y or N,
/// does exactly what you approved, and writes it down.
#[derive(Debug, Parser)]
#[command(name = "guarda", version, arg_required_else_help = true, after_long_help = EXAMPLES)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Cli {
    /// The command line of this process; ends it where that asks for help, or is wrong.
    pub(super) fn read() -> Self {
        let matches = groups::grouped(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The part of the command line that other programs start again and again: it is read in half the time that all of it takes.
#[derive(Debug, Parser)]
#[command(name = "guarda", version)]
pub(super) struct CheckCli {
    #[command(subcommand)]
    pub(super) command: CheckCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum CheckCommand {
    /// Say what would become of a command; nothing is asked, done or recorded
    Check(CheckArgs),
}

const EXAMPLES: &str = "\
Examples:
  guarda serve                            start the service
  guarda check 'rm -rf ~/Downloads'       what would become of it? nothing is done
  guarda act OPEN_APP firefox             ask the running service for it
  guarda ask abaixa o volume              the same in your own words, through a language model
  guarda act RUN_COMMAND 'rm teste.txt'   the same; you will be asked
  guarda pending                          the questions that wait; `guarda approve ID` or `guarda deny ID`
  guarda undo                             put back what the last deed changed; --list: what can be undone
  guarda audit tail --follow              what is asked, decided and done
  guarda doctor                           what is missing on this machine, and how to mend it
  guarda demo                             see it work, without a model
  guarda status                           which back-ends work, and what the others need

Exit status:
  0 done or approved   1 error   2 wrong usage   3 blocked by the rules
  4 a person would be asked (check)   5 a person said no, or nobody answered (act)

Environment:
  GUARDA_CONFIG      the configuration; otherwise ~/.config/guarda/config.toml
  GUARDA_STATE_DIR   tokens, journal and socket; otherwise ~/.local/state/guarda
  GUARDA_LISTEN      where the service listens, such as 127.0.0.1:4827
  GUARDA_LOG         what the service logs: error, warn (usual), info, debug
  GUARDA_LOG_FORMAT  json: each line of the log is a JSON object
  NO_COLOR           no colours";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start the service
    Serve(ServeArgs),
    /// Say what would become of a command; nothing is asked, done or recorded
    Check(CheckArgs),
    /// Hide the secrets of a text: standard input to standard output
    Redact(RedactArgs),
    /// Run a command of an agent that may be run, once: a hook puts this in the place of the command
    #[command(hide = true)]
    Run {
        /// What the hook was given for it
        ticket: String,
    },
    /// Ask the running service for an action, and wait for its end
    Act(ActArgs),
    /// Say in your own words what you want; a language model makes an action of it
    Ask(AskArgs),
    /// Show the questions that wait for a person
    Pending(PendingArgs),
    /// Say yes to a question that waits
    Approve(ApproveArgs),
    /// Say no to a question that waits
    Deny(DenyArgs),
    /// Write another command in the place of the one a question asks about
    Modify(ModifyArgs),
    /// Ask me nothing for a while: every question is refused, nothing is spoken
    Silence(SilenceArgs),
    /// Say which language is spoken, or speak another one from now on
    Language(LanguageArgs),
    /// Print a link that opens the console in a browser, once
    ///
    /// The console is a page of the running service: what waits for your answer, the rules to try, and how everything is
    /// doing. The link works once, within two minutes; the browser is then let in until it has been unused for 12 hours or
    /// the service ends. Where the guard has a desk, it shows and speaks a code then, and the link takes it. To open it at
    /// once: xdg-open "$(guarda console)"
    Console(ConsoleArgs),
    /// Say something, to try the voice
    Speak(SpeakArgs),
    /// Look at the trusted keyboard, try it, and set it up
    Keys(KeysArgs),
    /// Say how the running service is doing
    Status(StatusArgs),
    /// Undo what a deed changed; list what can be undone
    Undo(UndoArgs),
    /// Look at the record: the last requests, one of them, counts; check it or export it
    Audit(super::audit::args::AuditArgs),
    /// Be a server of tools (MCP) on standard input and output, before the running service
    ///
    /// For a client's settings: {"command": "guarda", "args": ["mcp"]}. The service itself serves /mcp over HTTP.
    Mcp,
    /// Say what works, what does not, and how to mend it
    Doctor(DoctorArgs),
    /// Play the main job without a model: what runs, what you are asked, what is blocked
    Demo(DemoArgs),
    /// Stand between a coding agent and its tools
    Hook(HookArgs),
    /// Let a container ask through a socket of its own
    Token(TokenArgs),
    /// Look at the configuration
    Config(ConfigArgs),
    /// Look at the rules, and try their examples
    Rules(RulesArgs),
    /// See which commands ran and how they ended, and decide on one once and for all
    Registry(RegistryArgs),
    /// See what sessions have seen, and take their marks away
    Session(SessionArgs),
    /// Look at your own checks (plugins), and try them
    Plugin(PluginArgs),
    /// Judge files of labelled lines, and count how each label was treated
    Corpus(CorpusArgs),
    /// Ask a language model for its opinion on a command, or measure one on labelled lines
    Advise(AdviseArgs),
    /// Print completions for a shell
    ///
    /// For bash: guarda completions bash > ~/.local/share/bash-completion/completions/guarda
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them into a folder
    Man {
        /// Write the pages of all commands into this folder
        #[arg(value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda serve
  guarda serve --listen 127.0.0.1:0 --ready-json
  kill -HUP $(cat ~/.local/state/guarda/lock)     read the configuration again")]
pub(super) struct ServeArgs {
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Where to listen, such as 127.0.0.1:4827; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(super) listen: Option<String>,
    /// Also answer requests in this folder, for agents in containers; may stand there several times
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) ipc: Vec<PathBuf>,
    /// Make the first line of standard output {"ready": true, "address": …}
    #[arg(long)]
    pub(super) ready_json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda token add builder
  guarda token list
  guarda token remove builder

The folder of a container has a socket and a token. Whoever has both can ask for actions and judgements, and not answer
questions, look at the record, or be taken for another container.")]
pub(super) struct TokenArgs {
    #[command(subcommand)]
    pub(super) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a folder with a token; the running service opens the socket in it
    Add {
        /// The container's name: up to 32 letters, digits, '-' or '_'
        name: String,
    },
    /// Name the containers and their folders
    List,
    /// Take the folder away; the token counts no more at once
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
  guarda check --json 'sudo apt update' | jq .status
  printf '%s\\n' '{\"cmd\":\"ls\"}' '{\"cmd\":\"rm -rf /\"}' | guarda check --jsonl

With --jsonl each line of standard input is {\"cmd\": …, \"profile\"?: …, \"cwd\"?: …} and each line of output, in the
same order, {\"status\": …, \"rule\": …, \"risk\": …, \"runs\": [[word, …], …]}; \"error\" says why a line could not be judged.

Exit status: 0 approved, 3 blocked, 4 a person would be asked; with --jsonl 0 once all lines are read.")]
pub(super) struct CheckArgs {
    /// The command line, as one argument
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl", allow_hyphen_values = true)]
    pub(super) cmd: Option<String>,
    /// Judge by this profile instead of the configured one: desktop, workspace, forensics or container
    #[arg(long, value_parser = profile)]
    pub(super) profile: Option<guarda_core::policy::Profile>,
    /// The folder in which the command would run; otherwise this one
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<String>,
    /// The language of the page: pt-BR, en or fr; otherwise the configured one
    #[arg(long, alias = "lang", value_parser = language)]
    pub(super) language: Option<guarda_core::action::Language>,
    /// Print the judgement as JSON: spans are byte offsets, and the tree of what would run names parents by their place
    #[arg(long)]
    pub(super) json: bool,
    /// Read commands from standard input, one JSON object a line, and answer each with a line
    #[arg(long)]
    pub(super) jsonl: bool,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

fn language(
    tag: &str,
) -> Result<guarda_core::action::Language, guarda_core::action::language::UnknownLanguage> {
    tag.parse()
}

fn profile(name: &str) -> Result<guarda_core::policy::Profile, guarda_core::policy::profile::UnknownProfile> {
    name.parse()
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda act OPEN_APP firefox
  guarda act VOLUME_SET 40
  guarda act RUN_COMMAND 'rm teste.txt' --cwd ~/Downloads --reason 'you said: delete the test file'
  guarda act FILE_MOVE a.txt --params '{\"destination\": \"b.txt\"}'
  echo '{\"action\": \"OPEN_URL\", \"target\": \"youtube.com\"}' | guarda act -

Exit status: 0 done, 1 it was tried and failed, 2 not understood, 3 blocked by the rules,
5 a person said no, nobody answered, or it was withdrawn (Ctrl-C withdraws a question).")]
pub(super) struct ActArgs {
    /// The action, such as OPEN_APP or RUN_COMMAND, in any case; - reads the whole request as JSON from standard input
    pub(super) action: String,
    /// What it is done to
    #[arg(allow_hyphen_values = true)]
    pub(super) target: Option<String>,
    /// More about it, as text
    #[arg(long, value_name = "TEXT", conflicts_with = "params", allow_hyphen_values = true)]
    pub(super) args: Option<String>,
    /// More about it, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(super) params: Option<String>,
    /// The folder in which a command is to run
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<String>,
    /// The conversation that it belongs to
    #[arg(long)]
    pub(super) session: Option<String>,
    /// The language of what is said and shown: pt-BR, en or fr
    #[arg(long)]
    pub(super) language: Option<String>,
    /// Why it is wanted; shown to the person who is asked
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// Ask a person whatever the rules say
    #[arg(long)]
    pub(super) confirm: bool,
    /// Print the reply as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Looks at the configuration, the state folder and its tokens, the running service, the voice, the ways to answer, the parts
of the desktop, the sandbox, the record, the registry, and the hooks of coding agents. Changes nothing.

Exit status: 0 the guard works, though parts may be missing; 1 something does not work as it should.")]
pub(super) struct DoctorArgs {
    /// Print it as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Asks the running service, or starts one of its own for as long as it lasts. Everything happens in a temporary folder.

Exit status: 0 every step ended as it should, whatever you answered; 1 one did not.")]
pub(super) struct DemoArgs {
    /// Answer the demo's own question instead of waiting for you: for machines where nobody is
    #[arg(long, value_parser = ["yes", "no"])]
    pub(super) answer: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Print it as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: ConfigCommand,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum ConfigCommand {
    /// Say whether the configuration is good, with the line of what is not
    Check,
    /// Print every value that holds
    Show,
    /// Print where the configuration and the state folder are looked for
    Path,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda rules list
  guarda rules list --profile forensics
  guarda rules show delete-trees
  guarda rules test")]
pub(super) struct RulesArgs {
    #[command(subcommand)]
    pub(super) command: RulesCommand,
    /// The rules of this profile instead of the configured one: desktop, workspace, forensics or container
    #[arg(long, global = true, value_parser = profile)]
    pub(super) profile: Option<guarda_core::policy::Profile>,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum RulesCommand {
    /// Name every rule in force, with its verdict and its reason
    List,
    /// Print one rule with its conditions and its examples
    Show {
        /// The rule's id, as `guarda check` and `guarda rules list` print it
        id: String,
    },
    /// Try the examples that the rules carry
    Test,
    /// Print the built-in rules of all profiles as a document (docs/rules.md)
    Document,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each line of a file is {\"cmd\": …, \"label\": …}. Labels: catastrophic (should be blocked), readonly and benign (should be
approved), any other (should not be approved).

Example:
  guarda corpus --misses lines.jsonl")]
pub(super) struct CorpusArgs {
    /// Files of JSON lines
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<PathBuf>,
    /// Print every line that was not treated as its label asks
    #[arg(long)]
    pub(super) misses: bool,
    /// Judge by this profile instead of the configured one
    #[arg(long, value_parser = profile)]
    pub(super) profile: Option<guarda_core::policy::Profile>,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
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
