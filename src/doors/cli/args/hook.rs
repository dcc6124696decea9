//! Coding agents that ask before each of their tools.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Clients: claude, codex, gemini, copilot, cursor, opencode, openai-agents

Examples:
  guarda hook install claude              ask before every tool of Claude Code
  guarda hook doctor claude               is it asked, and does a no hold?
  guarda hook remove claude
  guarda hook claude < event.json         what the client starts: the event in, the answer out

Exit status of a hook: 0 with the answer on standard output, 2 with the reason on standard error for a no because something
failed.")]
pub(in crate::doors::cli) struct HookArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: HookCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum HookCommand {
    /// Put the hook into the client's settings
    Install(HookPlace),
    /// Take it out again
    Remove(HookPlace),
    /// Say whether the client is protected, and try it
    Doctor(HookPlace),
    /// Judge one event without a service
    #[command(hide = true)]
    Judge {
        /// Why no service answered
        why: String,
    },
    /// Answer one event of a client: CLIENT [--deadline SECONDS]
    #[command(external_subcommand)]
    Client(Vec<String>),
}

#[derive(Debug, Args)]
pub(in crate::doors::cli) struct HookPlace {
    /// claude, codex, gemini, copilot, cursor or opencode
    #[arg(value_parser = client)]
    pub(in crate::doors::cli) client: crate::doors::hook::Client,
}

fn client(name: &str) -> Result<crate::doors::hook::Client, String> {
    name.parse()
}
