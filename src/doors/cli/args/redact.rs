//! Secrets in a text.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Passwords, keys, tokens, cookies, connection strings and their like become [REDACTED_PASSWORD], [REDACTED_API_KEY] and so
on: the same as in what a model gets to see of a command's output, and as in the record. Sequences that steer a terminal
and characters that cannot be seen are taken out first. What cannot be made safe is not written.

Examples:
  journalctl -n 200 | guarda redact               what could be pasted elsewhere
  guarda redact --json < notes.txt                {\"text\": …, \"found\": [\"api_key\"], \"count\": 1}
  guarda redact --jsonl < lines.jsonl             a line for every line, to measure it

With --jsonl each line of standard input is {\"text\": …} and each line of output, in the same order, {\"text\": …,
\"found\": [kinds], \"count\": number}, or {\"error\": …} without a text.

Kinds: api_key, azure_subscription_id, bearer_token, connection_string, cookie, jwt, password, password_hash, private_key,
sas_token, secret, storage_key, token, webhook

Exit status: 0 it was written, 1 it could not be made safe or written; with --jsonl 0 once all lines are read.")]
pub(in crate::doors::cli) struct RedactArgs {
    /// Print one JSON object: the text, the kinds of secrets that were hidden, and how many
    #[arg(long)]
    pub(in crate::doors::cli) json: bool,
    /// Read texts from standard input, one JSON object a line, and answer each with a line
    #[arg(long, conflicts_with = "json")]
    pub(in crate::doors::cli) jsonl: bool,
}
