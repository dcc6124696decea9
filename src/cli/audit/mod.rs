//! `guarda audit` and `guarda history`: read the record, whether or not a guard is running.

pub(super) mod args;
pub(super) mod blame;
mod client_rules;
pub(in crate::cli) mod import;
pub(in crate::cli) mod lookback;
pub(in crate::cli) mod replay;
mod transcripts;
mod page;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::app::{CliError, ExitStatus, load, paths, terminal};
use crate::wording::Words;
use guarda_journal::export::{Format, export};
use guarda_journal::follow::Follow;
use guarda_journal::read::{self, Filter};

use args::{AuditArgs, AuditCommand, TailArgs};

/// The polling interval of `tail --follow`.
const PAUSE: Duration = Duration::from_millis(300);

/// The most lines that the record holds for one request: asked, staged and committed.
const LINES: usize = 5;

pub(super) fn audit(args: AuditArgs) -> Result<ExitStatus, CliError> {
    if let AuditCommand::Verify { key, json } = &args.command {
        return verify(args.folder, args.config.as_deref(), key.as_deref(), *json);
    }
    let (words, folder) = (load::words(), folder(args.folder, args.config.as_deref())?);
    match args.command {
        AuditCommand::Tail(TailArgs { lines, follow, json, requests, filter }) => {
            tail(&folder, &Filter { requests, ..filter.filter() }, lines, follow, json)?;
        }
        AuditCommand::Show { id, json, in_words } => {
            let lines = read::show(&folder, &id).map_err(CliError::unreadable)?;
            if lines.is_empty() {
                let told = [("given", id.into()), ("path", folder.display().to_string().into())];
                return Err(CliError::text(words.say("audit-unknown", &told)));
            }
            terminal::out(&match (json, in_words) {
                (true, _) => page::raw(&lines),
                (false, true) => page::story(words, &lines),
                (false, false) => page::request(words, &lines),
            });
        }
        AuditCommand::Verify { .. } => {}
        AuditCommand::Stats { json, filter } => {
            let stats = read::stats(&folder, &filter.filter()).map_err(CliError::unreadable)?;
            let text =
                if json { serde_json::to_string_pretty(&stats)? + "\n" } else { page::stats(words, &stats) };
            terminal::out(&text);
        }
        AuditCommand::Export { json, csv, filter } => {
            let format = match (json, csv) {
                (true, _) => Format::Json,
                (_, true) => Format::Csv,
                (false, false) => Format::Lines,
            };
            let mut out = Reader { out: std::io::BufWriter::new(std::io::stdout().lock()), gone: false };
            export(&folder, &filter.filter(), format, &mut out).map_err(CliError::unreadable)?;
        }
    }
    Ok(ExitStatus::Good)
}

/// The home whose files of agents are read: from the command line, or this account's.
fn home(words: &Words, named: Option<&PathBuf>) -> Result<PathBuf, CliError> {
    match named {
        Some(home) => Ok(home.clone()),
        None => std::env::home_dir().ok_or_else(|| CliError::text(words.say("lookback-homeless", &[]))),
    }
}

/// The folder of the record: from the command line, or from the configuration.
fn folder(named: Option<PathBuf>, config: Option<&Path>) -> Result<PathBuf, CliError> {
    let folder = match named {
        Some(folder) => folder,
        None => paths::record_folder(&load::load(config)?.config, &load::state()?),
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(CliError::say("audit-none", &[("path", &folder.display())]))
}

fn tail(folder: &Path, filter: &Filter, count: usize, follow: bool, json: bool) -> Result<(), CliError> {
    // Existing lines come first, then new ones. A line that arrives in between may be shown twice, but never goes
    // missing.
    let mut added =
        follow.then(|| Follow::begin(folder, filter.clone())).transpose().map_err(CliError::unreadable)?;
    // One row stands for all lines of a request.
    let lines = if json { count } else { count.saturating_mul(LINES) };
    let lines = read::tail(folder, filter, lines).map_err(CliError::unreadable)?;
    let mut seen: std::collections::BTreeSet<(String, u64, String)> = lines.iter().map(page::place).collect();
    let mut table = page::PrintedTable::new(load::words());
    terminal::out(&if json { page::raw(&lines) } else { table.rows(&lines, count) });
    while let Some(added) = &mut added {
        std::thread::sleep(PAUSE);
        let mut lines = added.added().map_err(CliError::unreadable)?;
        if !seen.is_empty() {
            lines.retain(|line| !seen.contains(&page::place(line)));
            if !lines.is_empty() {
                seen.clear();
            }
        }
        terminal::out(&if json { page::raw(&lines) } else { table.rows(&lines, usize::MAX) });
    }
    Ok(())
}

/// Verifies the record, including its anchors.
fn verify(
    named: Option<PathBuf>,
    config: Option<&Path>,
    key: Option<&str>,
    json: bool,
) -> Result<ExitStatus, CliError> {
    let state = load::state()?;
    // A copy of a record can be verified without a configuration.
    let loaded = match (&named, load::load(config)) {
        (None, Err(trouble)) => return Err(trouble.into()),
        (_, loaded) => loaded.ok(),
    };
    let configured = loaded.as_ref().map(|loaded| paths::record_folder(&loaded.config, &state));
    let anchors = paths::anchors(loaded.as_ref().map(|loaded| &loaded.config), &state)?;
    let own = named.is_none() || named == configured;
    let place = match (named, configured) {
        (None, Some(place)) if anchors.speak() => place,
        (named, _) => folder(named, config)?,
    };
    let anchors = if own { anchors } else { anchors.about(&place) };
    let key = match key {
        Some(key) => Some(public(key)?),
        None => guarda_journal::anchor::public(&state).map(|key| public(&key)).transpose()?,
    };
    let report =
        guarda_journal::verify_against(&place, key.as_deref(), &anchors).map_err(CliError::unreadable)?;
    let text = if json {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        page::report(load::words(), &report)
    };
    terminal::out(&text);
    Ok(if report.is_sound() { ExitStatus::Good } else { ExitStatus::Failed })
}

/// A public key in hexadecimal, or from a file.
fn public(text: &str) -> Result<String, CliError> {
    let is_key = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_key(text) {
        return Ok(text.to_owned());
    }
    let key = std::fs::read_to_string(text).map_err(|error| CliError::at(text, error))?;
    let key = key.trim();
    if is_key(key) {
        return Ok(key.to_owned());
    }
    Err(CliError::say("audit-key", &[("path", &text)]))
}

/// Writes to standard output; a closed pipe is not an error.
struct Reader<W: Write> {
    out: W,
    gone: bool,
}

impl<W: Write> Reader<W> {
    fn forgive<T>(&mut self, result: std::io::Result<T>, otherwise: T) -> std::io::Result<T> {
        match result {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(otherwise)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let result = self.out.write(bytes);
        self.forgive(result, bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let result = self.out.flush();
        self.forgive(result, ())
    }
}
