//! `guarda registry`: shows remembered commands, and sets a person's overrides.
//!
//! A decision goes through the service, which asks for a code that a person sees or hears if more would be done unasked. A
//! restriction is also possible without a service: the database serialises writers, and is read for every command.

mod subject;
pub(super) mod table;

use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::app::{CliError, ExitStatus, Loaded, load, paths, terminal};
use crate::registry::{RegistryBackend, Row, RowQuery, Store, StoreError, Which};
use guarda_core::policy::history::{Learned, Override, OverrideKind};
use guarda_journal::Grants;
use serde_json::json;

use crate::cli::args::{NamedCommand, RegistryArgs, RegistryCommand, SayCommand};
use crate::cli::request::client::{As, try_ask};
use crate::cli::request::questions::coded;
use crate::wording::Words;
use crate::wording::remembered::held_back;
use subject::CommandJudge;

/// The number of rows from which an export reports its progress.
const LONG: u64 = 20_000;

pub(super) fn registry(args: &RegistryArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(args.config.as_deref())?;
    let state = load::state()?;
    let backend = RegistryBackend::of(&loaded.config.registry, &state)?;
    if !loaded.config.registry.enabled {
        terminal::err(&format!("{}\n", load::words().say("registry-off", &[])));
    }
    if let RegistryCommand::Init { force } = args.command {
        return init(&backend, &state, force);
    }
    if !backend.exists() {
        return Err(CliError::say("registry-nothing", &[("place", &backend.place())]));
    }
    let mut store = backend.open().map_err(|error| lost(&backend, &error))?;
    let record = paths::record_folder(&loaded.config, &state);
    // Without a record, nothing is allowed for good.
    let grants = guarda_journal::carried::grants(&record).unwrap_or_default();
    let page = Page { words: load::words(), json: args.json, place: backend.place(), grants };
    let told = match &args.command {
        RegistryCommand::List { said, risky, frequent, policy, containing, most } => {
            let which = match (said, risky, frequent, policy, containing) {
                (true, ..) => Which::Said,
                (_, true, ..) => Which::HighRisk,
                (_, _, true, ..) => Which::Frequent,
                (.., Some(policy), _) => Which::Learned(Learned::named(policy)),
                (.., Some(text)) => Which::Containing(text.clone()),
                _ => Which::All,
            };
            page.rows(&mut store, RowQuery { which, most: *most })
        }
        RegistryCommand::Candidates => page.candidates(&mut store),
        RegistryCommand::Stats => page.sums(&mut store),
        RegistryCommand::Export => export(&mut store),
        RegistryCommand::Show(named) => return page.show(&mut store, named, &loaded, &state),
        RegistryCommand::Allow(say) => {
            return say_so(&mut store, say, OverrideKind::AlwaysAllow, &loaded, &state);
        }
        RegistryCommand::Ask(say) => {
            return say_so(&mut store, say, OverrideKind::AlwaysAsk, &loaded, &state);
        }
        RegistryCommand::Never(say) => return say_so(&mut store, say, OverrideKind::Never, &loaded, &state),
        RegistryCommand::Reset(named) => return reset(&mut store, named, &loaded, &state),
        RegistryCommand::Init { .. } => Ok(()),
    };
    told.map(|()| ExitStatus::Good).map_err(|error| lost(&backend, &error))
}

fn lost(backend: &RegistryBackend, error: &StoreError) -> CliError {
    let words = load::words();
    let why = error.to_string();
    let why = match error {
        StoreError::Damaged(_) => words.say("registry-damaged-next", &[("why", why.into())]),
        StoreError::Locked
        | StoreError::ReadOnly(_)
        | StoreError::Unreachable(_)
        | StoreError::Newer { .. }
        | StoreError::Other(_) => why,
    };
    CliError::say("registry-trouble", &[("place", &backend.place()), ("why", &why)])
}

fn init(backend: &RegistryBackend, state: &Path, force: bool) -> Result<ExitStatus, CliError> {
    let (words, there) = (load::words(), backend.exists());
    let opened = match backend.open() {
        Err(StoreError::Damaged(_)) if force => {
            // Only the process that holds the folder's lock may rename a damaged file.
            let _hold = crate::devices::exchange::state_folder::StateFolder::open(state)?;
            let mended = backend.mend(jiff::Timestamp::now())?;
            let path = mended.aside.display().to_string();
            terminal::out(&format!("{}\n", words.say("registry-aside", &[("path", path.into())])));
            backend.open()
        }
        other => other,
    };
    let mut store = opened.map_err(|error| lost(backend, &error))?;
    let totals = store.totals().map_err(|error| lost(backend, &error))?;
    // What is forbidden or always asked would be forgotten: a person must have said so, as for a decision.
    if force && totals.commands > 0 && try_ask(As::Approver, "/v1/health", None)?.is_ok() {
        coded(words, "/v1/console/consents", json!({}), false, "cli-code-console")?;
    }
    let (id, count) = if force {
        ("registry-over", store.clear().map_err(|error| lost(backend, &error))?)
    } else if there && totals.commands > 0 {
        ("registry-exists", totals.commands)
    } else {
        ("registry-ready", 0)
    };
    let figures = [("place", backend.place().into()), ("commands", table::grouped(count).into())];
    terminal::out(&format!("{}\n", words.say(id, &figures)));
    Ok(ExitStatus::Good)
}

/// The output format.
struct Page {
    words: &'static Words,
    json: bool,
    place: String,
    /// What the record says is allowed for good.
    grants: Grants,
}

impl Page {
    fn rows(&self, store: &mut Store, wanted: RowQuery) -> Result<(), StoreError> {
        let most = wanted.most;
        let rows = store.list(&wanted)?;
        if self.json {
            let rows = rows.iter().map(|row| self.sealed(row)).collect::<Result<Vec<_>, _>>()?;
            terminal::out(&pretty(&rows));
        } else if rows.is_empty() {
            terminal::out(&format!("{}\n", self.words.say("registry-empty", &[])));
        } else {
            self.table(&rows);
            if most > 0 && rows.len() as u64 == most {
                terminal::err(&format!("{}\n", self.words.say("registry-first", &[("count", most.into())])));
            }
        }
        Ok(())
    }

    fn table(&self, rows: &[Row]) {
        let now = jiff::Timestamp::now().as_second();
        terminal::out(&table::table(self.words, rows, &self.grants, width(), now));
    }

    fn candidates(&self, store: &mut Store) -> Result<(), StoreError> {
        let rows = store.list(&RowQuery { which: Which::Candidates, most: 0 })?;
        if self.json {
            terminal::out(&pretty(&rows));
            return Ok(());
        }
        if rows.is_empty() {
            terminal::out(&format!("{}\n", self.words.say("registry-no-candidates", &[])));
            return Ok(());
        }
        self.table(&rows);
        for row in rows.iter().filter(|row| row.held_back.is_some()) {
            let hash: String = row.command_hash.chars().take(12).collect();
            let why = held_back(self.words, row.held_back.as_deref().unwrap_or_default());
            let why = crate::wording::plain::visible(&why);
            let asked = [("hash", hash.into()), ("why", why.into())];
            terminal::out(&format!("{}\n", self.words.say("registry-still-asked", &asked)));
        }
        Ok(())
    }

    /// A row for programs. `sealed`: whether the record has what it claims is allowed for good.
    fn sealed(&self, row: &Row) -> Result<serde_json::Value, StoreError> {
        let mut value = serde_json::to_value(row).map_err(|error| StoreError::Other(error.to_string()))?;
        if let Some(object) = value.as_object_mut() {
            object.insert("sealed".to_owned(), row.counts(&self.grants).into());
        }
        Ok(value)
    }

    fn sums(&self, store: &mut Store) -> Result<(), StoreError> {
        let totals = store.totals()?;
        terminal::out(&if self.json {
            pretty(&totals)
        } else {
            table::sums(self.words, &totals, &self.place)
        });
        Ok(())
    }

    fn show(
        &self,
        store: &mut Store,
        named: &NamedCommand,
        loaded: &Loaded,
        state: &Path,
    ) -> Result<ExitStatus, CliError> {
        let bench = CommandJudge::new(loaded, state)?;
        let row = match subject::row(store, &named.what)? {
            Some(row) => row,
            None => {
                let looked = bench.look(&named.what, subject::folder(named).as_deref())?;
                let wanted = RowQuery { which: Which::Hash(looked.identity.command_hash), most: 1 };
                let rows = store.list(&wanted)?;
                rows.into_iter().next().ok_or_else(|| unknown(&named.what))?
            }
        };
        // Judges by today's rules. The stored risk is that of the last run.
        let looked = bench.look(&row.command_text, Some(&row.folder));
        let (findings, missing) = match &looked {
            Ok(looked) if looked.identity.command_hash == row.command_hash => {
                (looked.judgement.findings(), None)
            }
            Ok(looked) => (looked.judgement.findings(), Some("registry-differs")),
            Err(_) => (&[][..], Some("registry-gone")),
        };
        if self.json {
            let mut value = self.sealed(&row).map_err(CliError::system)?;
            if let Some(object) = value.as_object_mut() {
                object.insert("findings".to_owned(), serde_json::to_value(findings)?);
            }
            terminal::out(&pretty(&value));
        } else {
            let unsealed = (!row.counts(&self.grants)).then_some("registry-policy-unsealed");
            terminal::out(&table::page(self.words, &row, findings, missing.or(unsealed)));
        }
        Ok(ExitStatus::Good)
    }
}

fn unknown(what: &str) -> CliError {
    let given = format!("{:?}", crate::wording::plain::visible(what));
    CliError::say("registry-unknown", &[("given", &given)])
}

fn say_so(
    store: &mut Store,
    say: &SayCommand,
    standing: OverrideKind,
    loaded: &Loaded,
    state: &Path,
) -> Result<ExitStatus, CliError> {
    let row = subject::row(store, &say.named.what)?;
    if let (Some(row), true) = (&row, standing != OverrideKind::AlwaysAllow) {
        restrict(store, &row.command_hash, standing, say.reason.as_ref())?;
        told(standing, &row.command_text, None);
        return Ok(ExitStatus::Good);
    }
    let bench = CommandJudge::new(loaded, state)?;
    let looked = match &row {
        Some(row) => bench.look(&row.command_text, Some(&row.folder))?,
        None => bench.look(&say.named.what, subject::folder(&say.named).as_deref())?,
    };
    let identity = &looked.identity;
    if standing == OverrideKind::AlwaysAllow {
        if let Some(why) = looked.not_allowed {
            let words = load::words();
            let why = crate::wording::remembered::hindrance(words, why);
            terminal::trouble(&words.say("registry-not-allowed", &[("why", why.into())]));
            return Ok(ExitStatus::Blocked);
        }
        if row.is_some_and(|row| row.command_hash != identity.command_hash) {
            return Err(CliError::say("registry-changed", &[]));
        }
        let (command, folder) = (&identity.text, &identity.folder);
        decide(standing.name(), json!({ "command": command, "folder": folder, "reason": say.reason }))?;
    } else if known(store, &identity.command_hash)? {
        restrict(store, &identity.command_hash, standing, say.reason.as_ref())?;
    } else {
        let word = Override { kind: standing, reason: say.reason.clone(), by: Some(who()) };
        store.say(identity, Some(&word), jiff::Timestamp::now())?;
    }
    told(standing, &identity.text, Some(&identity.folder));
    Ok(ExitStatus::Good)
}

/// Has the service store a decision. It asks for a code if more would be done unasked than before.
fn decide(word: &str, mut body: serde_json::Value) -> Result<(), CliError> {
    if let Some(fields) = body.as_object_mut() {
        fields.insert("word".to_owned(), word.into());
    }
    coded(load::words(), "/v1/console/decisions", body, false, "cli-code-console").map(drop)
}

/// Restricts a known command: through the service, which may have to withdraw a permission, or without one in the database.
fn restrict(
    store: &mut Store,
    hash: &str,
    standing: OverrideKind,
    reason: Option<&String>,
) -> Result<(), CliError> {
    if try_ask(As::Approver, "/v1/status", None)?.is_ok() {
        return decide(standing.name(), json!({ "hash": hash, "reason": reason }));
    }
    let word = Override { kind: standing, reason: reason.cloned(), by: Some(who()) };
    store.say_of(hash, Some(&word), jiff::Timestamp::now()).map(drop).map_err(CliError::system)
}

fn known(store: &mut Store, hash: &str) -> Result<bool, CliError> {
    let wanted = RowQuery { which: Which::Hash(hash.to_owned()), most: 1 };
    store.list(&wanted).map(|rows| !rows.is_empty()).map_err(CliError::system)
}

fn told(standing: OverrideKind, text: &str, folder: Option<&str>) {
    let words = load::words();
    let style = match standing {
        OverrideKind::AlwaysAllow => terminal::GOOD,
        OverrideKind::AlwaysAsk => terminal::WARY,
        OverrideKind::Never => terminal::BAD,
    };
    let place = match (standing, folder) {
        (OverrideKind::AlwaysAllow, Some(folder)) => words.say("registry-in", &[("folder", folder.into())]),
        (OverrideKind::AlwaysAllow, None) => words.say("registry-where", &[]),
        (OverrideKind::AlwaysAsk | OverrideKind::Never, _) => words.say("registry-anywhere", &[]),
    };
    let text = crate::wording::plain::visible(text);
    let said = table::policy_said(words, standing.name());
    terminal::out(&format!("{style}{said}{style:#}  {text}  ({place})\n"));
}

fn reset(
    store: &mut Store,
    named: &NamedCommand,
    loaded: &Loaded,
    state: &Path,
) -> Result<ExitStatus, CliError> {
    let hash = match subject::row(store, &named.what)? {
        Some(row) => row.command_hash,
        None => {
            let looked =
                CommandJudge::new(loaded, state)?.look(&named.what, subject::folder(named).as_deref())?;
            looked.identity.command_hash
        }
    };
    if !known(store, &hash)? {
        return Err(unknown(&named.what));
    }
    decide("reset", json!({ "hash": hash }))?;
    terminal::out(&format!("{}\n", load::words().say("registry-reset", &[])));
    Ok(ExitStatus::Good)
}

fn export(store: &mut Store) -> Result<(), StoreError> {
    let all = store.totals()?.commands;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut done, mut fault) = (0_u64, None);
    store.each(&mut |row: Row| {
        if let Err(error) = crate::cli::judge::lines::write(&mut out, &row) {
            fault = Some(error);
            return false;
        }
        done += 1;
        if all > LONG && done % 5000 == 0 {
            let filled = usize::try_from(done.saturating_mul(30) / all.max(1)).unwrap_or(30).min(30);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(30 - filled));
            terminal::progress(&format!("{bar} {} / {}", table::grouped(done), table::grouped(all)));
        }
        true
    })?;
    if all > LONG {
        terminal::progress("");
    }
    // A closed pipe is not an error.
    match fault.or_else(|| out.flush().err()) {
        Some(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(StoreError::Other(error.to_string()))
        }
        _ => Ok(()),
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The width of the terminal; `None` without a terminal.
fn width() -> Option<usize> {
    let out = std::io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok()).flatten();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The name of the person at the command line.
fn who() -> String {
    let name = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(load::environment);
    name.unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()))
}
