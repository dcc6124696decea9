//! `guarda trust`: shows the folders that a person trusts, and changes them through the service.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;

use serde_json::json;

use crate::app::{CliError, ExitStatus, load, paths, terminal};
use crate::cli::args::{TrustArgs, TrustCommand};
use crate::cli::request::client::{As, try_ask};
use crate::cli::request::questions::coded;
use crate::hands::trust::{TrustEntry, stands};
use crate::wording::Words;
use crate::wording::plain::visible;

pub(in crate::cli) fn trust(args: &TrustArgs) -> Result<ExitStatus, CliError> {
    let words = load::words();
    match &args.command {
        None | Some(TrustCommand::List) => list(words, args.json),
        Some(TrustCommand::Add { folder }) => add(words, folder),
        Some(TrustCommand::Remove { folder }) => {
            let folder = std::path::absolute(folder)?;
            decide(words, &folder, false)?;
            told(words, "trust-removed", &folder);
            Ok(ExitStatus::Good)
        }
    }
}

/// The trusted folders that the service knows; without one, those that its next start will know from the record.
fn entries() -> Result<Vec<TrustEntry>, CliError> {
    if let Ok(answered) = try_ask(As::Approver, "/v1/console/trust", None)?
        && let Some(folders) = answered.body.get("folders")
    {
        return Ok(serde_json::from_value(folders.clone())?);
    }
    let (loaded, state) = (load::load(None)?, load::state()?);
    let record = paths::record_folder(&loaded.config, &state);
    // Without a record, nothing is trusted.
    Ok(TrustEntry::all(&guarda_journal::carried::trusted_folders(&record).unwrap_or_default()))
}

fn list(words: &Words, as_json: bool) -> Result<ExitStatus, CliError> {
    let entries = entries()?;
    if as_json {
        terminal::out(&format!("{}\n", serde_json::to_string_pretty(&json!({ "folders": entries }))?));
        return Ok(ExitStatus::Good);
    }
    if entries.is_empty() {
        terminal::out(&format!("{}\n", words.say("trust-none", &[])));
    }
    let (faint, wary) = (terminal::FAINT, terminal::WARY);
    for entry in &entries {
        let time = terminal::local(words, &entry.since);
        let mut since = words.say("trust-since", &[("time", time.into())]);
        if let Some(session) = &entry.session {
            since +=
                &format!(", {}", words.say("page-folders-session", &[("session", session.as_str().into())]));
        }
        let gone = if entry.stands { String::new() } else { words.say("trust-gone", &[]) };
        let path = visible(&entry.folder);
        terminal::out(&format!("{path}  {faint}{since}{faint:#}  {wary}{gone}{wary:#}\n"));
    }
    Ok(ExitStatus::Good)
}

fn add(words: &Words, folder: &Path) -> Result<ExitStatus, CliError> {
    let folder = std::path::absolute(folder)?;
    decide(words, &folder, true)?;
    told(words, "trust-added", &folder);
    Ok(ExitStatus::Good)
}

/// Offers to trust the working tree in which a client's hook is installed. Without a terminal or a service, says how it is done.
pub(in crate::cli) fn offer() -> Result<(), CliError> {
    let words = load::words();
    let (loaded, state) = (load::load(None)?, load::state()?);
    let hands = crate::app::settings::hands(&loaded, &state);
    let Some(folder) = hands.tree(&std::env::current_dir()?) else { return Ok(()) };
    let known = guarda_journal::carried::trusted_folders(&paths::record_folder(&loaded.config, &state));
    let trusted = |(path, entry): (&std::path::PathBuf, _)| folder.starts_with(path) && stands(path, entry);
    if hands.trustable(&folder).is_err() || known.unwrap_or_default().iter().any(trusted) {
        return Ok(());
    }
    let runs = try_ask(As::Approver, "/v1/health", None)?.is_ok();
    if !(runs && std::io::stdin().is_terminal()) {
        told(words, "trust-hint", &folder);
        return Ok(());
    }
    let path = visible(&folder.to_string_lossy());
    terminal::err(&format!("{} ", words.say("trust-offer", &[("path", path.into())])));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    if crate::cli::request::questions::is_yes(&line) {
        add(words, &folder)?;
    }
    Ok(())
}

fn decide(words: &Words, folder: &Path, trusted: bool) -> Result<(), CliError> {
    coded(
        words,
        "/v1/console/trust",
        json!({ "folder": folder, "trusted": trusted }),
        false,
        "cli-code-trust",
    )
    .map(drop)
}

fn told(words: &Words, id: &str, folder: &Path) {
    let path = visible(&folder.to_string_lossy());
    terminal::out(&format!("{}\n", words.say(id, &[("path", path.into())])));
}
