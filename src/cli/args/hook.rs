//! `guarda hook`: coding agents that check each tool call with the guard.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Clients: claude, codex, gemini, copilot, cursor, opencode, openai-agents

Examples:
  guarda hook install claude              check every tool call of Claude Code
  guarda hook doctor claude               test that the hook is called and that a denial holds
  guarda hook remove claude
  guarda hook claude < event.json         answer one event, as the client starts it

Exit status of a hook: 0 with the answer on standard output; 2 if something failed, which denies the tool call, with the \
reason on standard error.")]
pub(in crate::cli) struct HookArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: HookCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HookCommand {
    /// Add the hook to the client's settings
    Install(HookPlace),
    /// Remove the hook from the client's settings
    Remove(HookPlace),
    /// Check whether the client is protected, with a trial run
    Doctor(HookPlace),
    /// Judge one event without a service
    #[command(hide = true)]
    Judge {
        /// Why no service answered
        why: String,
    },
    /// Answer one event from a client: CLIENT [--deadline SECONDS]
    #[command(external_subcommand)]
    Client(Vec<String>),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct HookPlace {
    /// claude, codex, gemini, copilot, cursor or opencode
    #[arg(value_parser = client)]
    pub(in crate::cli) client: crate::doors::hook::Client,
}

fn client(name: &str) -> Result<crate::doors::hook::Client, crate::doors::hook::UnknownClient> {
    name.parse()
}
