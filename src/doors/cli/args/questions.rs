//! Questions: seen, answered, and silenced.

use clap::Args;

#[derive(Debug, Args)]
pub(in crate::doors::cli) struct PendingArgs {
    /// Print them as JSON
    #[arg(long)]
    pub(in crate::doors::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Read the whole question with `guarda pending` first. Answering needs the file `approve-token` of the state folder, which
those who ask for actions do not have.

Exit status: 0 this answer counts, 1 the question is settled or was never asked.")]
pub(in crate::doors::cli) struct ApproveArgs {
    /// The question's id, or its beginning (four characters or more) where no other question begins so
    pub(in crate::doors::cli) id: String,
    /// Yes to this very command from now on, without a question; only where the question offers it
    #[arg(long)]
    pub(in crate::doors::cli) always: bool,
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
  guarda modify 5f0c 'rm -i notes.txt'

What you write is judged from the start, and what may be done is asked in a new question; see guarda pending.

Exit status: 0 it is judged now, 1 the question is settled, was never asked, or takes yes or no only.")]
pub(in crate::doors::cli) struct ModifyArgs {
    /// The question's id, or its beginning (four characters or more) where no other question begins so
    pub(in crate::doors::cli) id: String,
    /// The command instead, as one word of the shell
    pub(in crate::doors::cli) command: String,
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
