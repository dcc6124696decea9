//! Plugins: the user's own checks.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A plugin is an executable in the folder `plugins` beside the configuration. It is told every action as JSON on standard input
and answers {\"decision\": \"deny\"|\"ask\"|\"pass\", \"reason\": …} on standard output. docs/plugins.md tells more.

Examples:
  guarda plugin list
  guarda plugin try 'git push'
  guarda plugin try --plugin 10-no-push 'git push'")]
pub(in crate::doors::cli) struct PluginArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: PluginCommand,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum PluginCommand {
    /// Name what lies in the folder of plugins, and what of it is asked
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask the plugins about a command; nothing is done
    ///
    /// Exit status: 0 all of them pass, 3 one denies, 4 a person would be asked.
    Try {
        /// The command line, as one argument
        #[arg(allow_hyphen_values = true)]
        cmd: String,
        /// Ask only this one
        #[arg(long, value_name = "NAME")]
        plugin: Option<String>,
        /// Print the event that they are told as well
        #[arg(long)]
        event: bool,
    },
}
