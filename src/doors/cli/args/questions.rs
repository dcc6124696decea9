//! Questions: seen, answered, and silenced.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda pending               the questions that wait
  guarda pending 5f0c          the whole card of one, as the terminal of the service shows it
  guarda pending --json | jq '.questions[0].touches'")]
pub(in crate::doors::cli) struct PendingArgs {
    /// Show the whole card of this question: its id, or its beginning (four characters or more)
    pub(in crate::doors::cli) id: Option<String>,
    /// Print them as JSON
    #[arg(long, conflicts_with = "id")]
    pub(in crate::doors::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda approve 5f0c                  asks for the code, where one is needed
  guarda approve 5f0c --code 4719

Read the whole question with `guarda pending` first. Answering needs the file `approve-token` of the state folder, which
those who ask for actions do not have, and the code of the question, which is shown and spoken where it is asked.

Exit status: 0 this answer counts, 1 the question is settled or was never asked, or the code is not its own.")]
pub(in crate::doors::cli) struct ApproveArgs {
    /// The question's id, or its beginning (four characters or more) where no other question begins so
    pub(in crate::doors::cli) id: String,
    /// Yes to this very command from now on, without a question; only where the question offers it
    #[arg(long)]
    pub(in crate::doors::cli) always: bool,
    /// The four digits that are shown and spoken where the question is asked
    #[arg(long, value_name = "DIGITS")]
    pub(in crate::doors::cli) code: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda deny 5f0c
  guarda deny 5f0c --reason 'not this folder; use ~/tmp'

Exit status: 0 this answer counts, 1 the question is settled or was never asked.")]
pub(in crate::doors::cli) struct DenyArgs {
    /// The question's id, or its beginning (four characters or more) where no other question begins so
    pub(in crate::doors::cli) id: String,
    /// Why not; it goes back to the model
    #[arg(long, value_name = "TEXT")]
    pub(in crate::doors::cli) reason: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda modify 5f0c                       opens $VISUAL or $EDITOR
  guarda modify 5f0c 'rm -i notes.txt'

What you write is judged from the start, and what may be done is asked in a new question; see guarda pending.

Exit status: 0 it is judged now, 1 the question is settled, was never asked, or takes yes or no only.")]
pub(in crate::doors::cli) struct ModifyArgs {
    /// The question's id, or its beginning (four characters or more) where no other question begins so
    pub(in crate::doors::cli) id: String,
    /// The command instead, as one word of the shell; without it your editor is opened
    pub(in crate::doors::cli) command: Option<String>,
    /// The four digits that are shown and spoken where the question is asked
    #[arg(long, value_name = "DIGITS")]
    pub(in crate::doors::cli) code: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::doors::cli) struct ConsoleArgs {
    /// The four digits that are shown and spoken at the computer when a link is asked for
    #[arg(long, value_name = "DIGITS")]
    pub(in crate::doors::cli) code: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda language        which one is spoken
  guarda language fr

It holds until the service ends or its configuration is read again; `language.default` of the configuration is for good.
A request may name its own language whatever is spoken.")]
pub(in crate::doors::cli) struct LanguageArgs {
    /// Speak it from now on: pt-BR, en or fr
    #[arg(value_parser = super::language)]
    pub(in crate::doors::cli) language: Option<guarda_core::action::Language>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda silence          for 15 minutes
  guarda silence 60
  guarda silence off")]
pub(in crate::doors::cli) struct SilenceArgs {
    /// For how many minutes, at most a day; off ends it
    #[arg(default_value = "15", value_parser = minutes)]
    pub(in crate::doors::cli) minutes: u64,
}

fn minutes(text: &str) -> Result<u64, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(0),
        (_, Ok(minutes @ 1..=1440)) => Ok(minutes),
        (_, _) => Err("a number of minutes from 1 to 1440, or off".to_owned()),
    }
}
