//! `guarda redact`: hides the secrets in a text.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Replaces passwords, keys, tokens, cookies, connection strings and similar secrets by [REDACTED_PASSWORD], [REDACTED_API_KEY] \
and so on, as in command output for a model and in the record. Removes terminal control sequences and invisible characters \
first. Writes nothing that cannot be made safe.

Examples:
  journalctl -n 200 | guarda redact               text that is safe to paste elsewhere
  guarda redact --json < notes.txt                {\"text\": …, \"found\": [\"api_key\"], \"count\": 1}
  guarda redact --jsonl < lines.jsonl             one answer per line, for measurements

With --jsonl each line of standard input is {\"text\": …} and each line of output, in the same order, {\"text\": …, \
\"found\": [kinds], \"count\": number}, or {\"error\": …} without a text.

Kinds: api_key, azure_subscription_id, bearer_token, connection_string, cookie, jwt, password, password_hash, private_key, \
sas_token, secret, storage_key, token, webhook

Exit status: 0 the text was written; 1 it could not be made safe or written. With --jsonl: 0 once all lines are read.")]
pub(in crate::cli) struct RedactArgs {
    /// Print one JSON object with the text, the kinds of hidden secrets, and their number
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Read texts from standard input, one JSON object per line, and answer each with one line
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) jsonl: bool,
}
