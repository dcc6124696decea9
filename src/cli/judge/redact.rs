//! `guarda redact`: hides secrets in a text, as in a command's output. Needs neither a service nor a configuration.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

use guarda_core::output::{Redacted, redact, text};

use crate::app::{CliError, ExitStatus, terminal};
use crate::cli::args::RedactArgs;
use crate::cli::judge::lines;

/// The longest text, in bytes. It is held in memory as a whole, because a secret can span many lines.
const LIMIT: u64 = 256 * 1024 * 1024;

/// An input line of `--jsonl`. Other keys are ignored.
#[derive(Deserialize)]
struct Line {
    text: String,
}

/// A text without its secrets.
#[derive(Serialize)]
struct Clean {
    text: String,
    found: Vec<String>,
    count: usize,
}

/// The answer to a line that cannot be made safe.
#[derive(Serialize)]
struct Bad {
    error: String,
}

pub(in crate::cli) fn redact_input(args: &RedactArgs) -> Result<ExitStatus, CliError> {
    let input = std::io::stdin().lock();
    if args.jsonl {
        lines::each(input, std::io::stdout().lock(), answer)?;
        return Ok(ExitStatus::Good);
    }
    let mut bytes = Vec::new();
    input.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::say("redact-long", &[("limit", &LIMIT)]));
    }
    let clean = hide(&bytes).map_err(CliError::text)?;
    if args.json {
        terminal::out(&format!("{}\n", serde_json::to_string(&clean)?));
    } else {
        // `show` would remove colours, but this is the caller's own text.
        let mut out = std::io::stdout().lock();
        match out.write_all(clean.text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                return Err(CliError::system(error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(ExitStatus::Good)
}

fn answer(line: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    let read = serde_json::from_slice::<Line>(line).map_err(|error| error.to_string());
    match read.and_then(|line| hide(line.text.as_bytes())) {
        Ok(clean) => lines::write(out, &clean),
        Err(error) => lines::write(out, &Bad { error }),
    }
}

/// Hides secrets as in a command's output. The text is cleaned first, because an invisible character may split a
/// secret.
fn hide(bytes: &[u8]) -> Result<Clean, String> {
    let redacted = redact(&text::readable(bytes)).map_err(|failure| failure.to_string())?;
    let Redacted { text, kinds, count } = redacted;
    Ok(Clean { text, found: kinds, count })
}
