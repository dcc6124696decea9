//! `guarda pending`, `approve`, `deny`, `modify`, `silence`, `language` and `console`.

use clap::Args;
use guarda_core::gate::Span;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda pending               list the open questions
  guarda pending 5f0c          show one question in full, as the service's terminal shows it
  guarda pending --json | jq '.questions[0].touches'")]
pub(in crate::cli) struct PendingArgs {
    /// The id of a question to show in full, or its first four or more characters
    pub(in crate::cli) id: Option<String>,
    /// Print the questions as JSON
    #[arg(long, conflicts_with = "id")]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda approve 5f0c                  prompts for the code if one is needed
  guarda approve 5f0c --code           reads the code from standard input
  guarda approve 5f0c --session        the same is not asked again in this session
  guarda approve 5f0c --alike          and those that guarda pending shows with it

Read the whole question with `guarda pending` first; it says which lasting answers it offers, and what each covers. See and end them \
with `guarda grants`. Approving needs the file `approve-token` in the state folder, which \
callers that request actions do not have. It also needs the question's code, which the guard shows and speaks with the \
question.

Exit status: 0 the answer counts; 1 the question is settled or does not exist, or the code is wrong.")]
pub(in crate::cli) struct ApproveArgs {
    /// The question's id, or its first four or more characters if they are unique
    pub(in crate::cli) id: String,
    #[command(flatten)]
    pub(in crate::cli) span: ApproveSpan,
    /// Answer all open questions of the same kind, which `guarda pending` shows together
    #[arg(long)]
    pub(in crate::cli) alike: bool,
    /// Read the four-digit code, which the guard shows and speaks with the question, from standard input
    #[arg(long)]
    pub(in crate::cli) code: bool,
}

/// For how long a yes holds. What it covers is told with the question, which offers it or not.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct ApproveSpan {
    /// The same, too, until your next message to the agent
    #[arg(long)]
    turn: bool,
    /// The same, too, until the session ends
    #[arg(long)]
    session: bool,
    /// The same, too, until the end of the day in this folder
    #[arg(long)]
    today: bool,
    /// The same, too, from now on in this folder
    #[arg(long)]
    always: bool,
}

impl ApproveSpan {
    pub(in crate::cli) fn span(&self) -> Option<Span> {
        let given = [
            (self.turn, Span::Turn),
            (self.session, Span::Session),
            (self.today, Span::Today),
            (self.always, Span::Always),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, span)| span)
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda deny 5f0c
  guarda deny 5f0c --reason 'not this folder; use ~/tmp'

Exit status: 0 the answer counts; 1 the question is settled or does not exist.")]
pub(in crate::cli) struct DenyArgs {
    /// The question's id, or its first four or more characters if they are unique
    pub(in crate::cli) id: String,
    /// The reason for the denial; it is sent to the model
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
    /// Answer all open questions of the same kind, which `guarda pending` shows together
    #[arg(long)]
    pub(in crate::cli) alike: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda modify 5f0c                       opens $VISUAL or $EDITOR
  guarda modify 5f0c 'rm -i notes.txt'

The new command is judged from the start and, unless it is blocked, asked about in a new question; see guarda pending.

Exit status: 0 the new command is being judged; 1 the question is settled, does not exist, or accepts only yes or no.")]
pub(in crate::cli) struct ModifyArgs {
    /// The question's id, or its first four or more characters if they are unique
    pub(in crate::cli) id: String,
    /// The new command, as one shell word; without it, your editor opens
    pub(in crate::cli) command: Option<String>,
    /// Read the four-digit code, which the guard shows and speaks with the question, from standard input
    #[arg(long)]
    pub(in crate::cli) code: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ConsoleArgs {
    /// Read the four-digit code, which the guard shows or speaks when a link is requested, from standard input
    #[arg(long)]
    pub(in crate::cli) code: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda language        show the spoken language
  guarda language fr

The change lasts until the service ends or reloads its configuration; set `language.default` for a permanent change. \
A request may always name its own language.")]
pub(in crate::cli) struct LanguageArgs {
    /// The new language: pt-BR, en or fr
    #[arg(value_parser = super::help::offered::language(), hide_possible_values = true)]
    pub(in crate::cli) language: Option<guarda_core::action::Language>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda silence          for 15 minutes
  guarda silence 60
  guarda silence off")]
pub(in crate::cli) struct SilenceArgs {
    /// How long prompts are muted, in minutes (at most one day), or off
    #[arg(default_value = "15", value_parser = minutes)]
    pub(in crate::cli) minutes: u64,
}

fn minutes(text: &str) -> Result<u64, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(0),
        (_, Ok(minutes @ 1..=1440)) => Ok(minutes),
        (_, _) => Err("a number of minutes from 1 to 1440, or off".to_owned()),
    }
}
