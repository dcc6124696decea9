//! `guarda plugin`: the user's own checks.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A plugin is an executable in the folder `plugins` beside the configuration. It receives every action as JSON on standard input \
and answers {\"decision\": \"deny\"|\"ask\"|\"pass\", \"reason\": …} on standard output. See docs/plugins.md.

Examples:
  guarda plugin list
  guarda plugin try 'git push'
  guarda plugin try --plugin 10-no-push 'git push'")]
pub(in crate::cli) struct PluginArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: PluginCommand,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PluginCommand {
    /// List the files in the plugin folder and say which ones are used
    List {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the plugins on a command; the command itself does not run
    ///
    /// Exit status: 0 all plugins pass, 3 one denies, 4 a person would be asked.
    Try {
        /// The command line, as one argument
        #[arg(allow_hyphen_values = true)]
        cmd: String,
        /// The only plugin to run
        #[arg(long, value_name = "NAME")]
        plugin: Option<String>,
        /// Also print the event that the plugins receive
        #[arg(long)]
        event: bool,
    },
}
