//! `guarda registry`: what is remembered of commands, and what a person says of them once and for all.
//!
//! It goes to the database itself, not through the service: SQLite and PostgreSQL both keep writers apart, the service
//! reads again for every command, and anyone who can write to the file needs no service to be asked. Nothing here is
//! reached over HTTP.

mod subject;
pub(super) mod table;

use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::record::registry::{Backend, Row, Store, StoreError, Wanted, Which};
use guarda_core::policy::history::{Learned, Override, OverrideKind};

use super::args::{NamedCommand, RegistryArgs, RegistryCommand, SayCommand};
use super::load::{self, Loaded};
use super::{End, Trouble, show};
use subject::Bench;

/// Rows from which on it is said how far an export is.
const LONG: u64 = 20_000;

pub(super) fn registry(args: &RegistryArgs) -> Result<End, Trouble> {
    let loaded = load::load(args.config.as_deref())?;
    let state = load::state()?;
    let backend = Backend::of(&loaded.config.registry, &state).map_err(Trouble::new)?;
    if !loaded.config.registry.enabled {
        show::err("note: the registry is off (registry.enabled), so the service ignores it\n");
    }
    if let RegistryCommand::Init { force } = args.command {
        return init(&backend, &state, force);
    }
    if !backend.exists() {
        return Err(Trouble(format!(
            "there is no registry yet at {}: nothing has run. `guarda registry init` makes it",
            backend.place()
        )));
    }
    let mut store = backend.open().map_err(|error| lost(&backend, &error))?;
    let page = Page { json: args.json, place: backend.place() };
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
            page.rows(&mut *store, Wanted { which, most: *most })
        }
        RegistryCommand::Candidates => page.candidates(&mut *store),
        RegistryCommand::Stats => page.sums(&mut *store),
        RegistryCommand::Export => export(&mut *store),
        RegistryCommand::Show(named) => return page.show(&mut *store, named, &loaded, &state),
        RegistryCommand::Allow(say) => {
            return say_so(&mut *store, say, OverrideKind::AlwaysAllow, &loaded, &state);
        }
        RegistryCommand::Ask(say) => {
            return say_so(&mut *store, say, OverrideKind::AlwaysAsk, &loaded, &state);
        }
        RegistryCommand::Never(say) => return say_so(&mut *store, say, OverrideKind::Never, &loaded, &state),
        RegistryCommand::Reset(named) => return reset(&mut *store, named, &loaded, &state),
        RegistryCommand::Init { .. } => Ok(()),
    };
    told.map(|()| End::Good).map_err(|error| lost(&backend, &error))
}

fn lost(backend: &Backend, error: &StoreError) -> Trouble {
    let next = match error {
        StoreError::Damaged(_) => {
            "; start the service, which sets it aside and keeps what is forbidden, or: guarda registry init --force"
        }
        StoreError::Locked
        | StoreError::ReadOnly(_)
        | StoreError::Unreachable(_)
        | StoreError::Newer { .. }
        | StoreError::Other(_) => "",
    };
    Trouble(format!("the registry {}: {error}{next}", backend.place()))
}

fn init(backend: &Backend, state: &Path, force: bool) -> Result<End, Trouble> {
    let there = backend.exists();
    let opened = match backend.open() {
        Err(StoreError::Damaged(_)) if force => {
            // Anyone who holds the folder is the only one who may set a damaged file aside.
            let _hold = crate::devices::folder::StateFolder::open(state).map_err(Trouble::new)?;
            let mended = backend.mend(jiff::Timestamp::now()).map_err(Trouble::new)?;
            show::out(&format!("the damaged file is now {}\n", mended.aside.display()));
            backend.open()
        }
        other => other,
    };
    let mut store = opened.map_err(|error| lost(backend, &error))?;
    let totals = store.totals().map_err(|error| lost(backend, &error))?;
    if force {
        let forgotten = store.clear().map_err(|error| lost(backend, &error))?;
        show::out(&format!(
            "started over: {} ({} commands forgotten)\n",
            backend.place(),
            table::grouped(forgotten)
        ));
    } else if there && totals.commands > 0 {
        show::out(&format!(
            "the registry exists: {} ({} commands); --force starts over\n",
            backend.place(),
            table::grouped(totals.commands)
        ));
    } else {
        show::out(&format!("ready: {}\n", backend.place()));
    }
    Ok(End::Good)
}

/// How things are shown.
struct Page {
    json: bool,
    place: String,
}

impl Page {
    fn rows(&self, store: &mut dyn Store, wanted: Wanted) -> Result<(), StoreError> {
        let most = wanted.most;
        let rows = store.list(&wanted)?;
        if self.json {
            show::out(&json(&rows));
        } else if rows.is_empty() {
            show::out("no such command\n");
        } else {
            show::out(&table::table(&rows, width(), jiff::Timestamp::now().as_second()));
            if most > 0 && rows.len() as u64 == most {
                show::err(&format!("the first {most}; --most 0 shows all\n"));
            }
        }
        Ok(())
    }

    fn candidates(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        let rows = store.list(&Wanted { which: Which::Candidates, most: 0 })?;
        if self.json {
            show::out(&json(&rows));
            return Ok(());
        }
        if rows.is_empty() {
            show::out("no command has the record for a promotion\n");
            return Ok(());
        }
        show::out(&table::table(&rows, width(), jiff::Timestamp::now().as_second()));
        for row in rows.iter().filter(|row| row.held_back.is_some()) {
            let hash: String = row.command_hash.chars().take(12).collect();
            let why = crate::human::plain::visible(row.held_back.as_deref().unwrap_or_default());
            show::out(&format!("{hash}  is still asked: {why}\n"));
        }
        Ok(())
    }

    fn sums(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        let totals = store.totals()?;
        show::out(&if self.json { json(&totals) } else { table::sums(&totals, &self.place) });
        Ok(())
    }

    fn show(
        &self,
        store: &mut dyn Store,
        named: &NamedCommand,
        loaded: &Loaded,
        state: &Path,
    ) -> Result<End, Trouble> {
        let bench = Bench::new(loaded, state)?;
        let row = match subject::row(store, &named.what)? {
            Some(row) => row,
            None => {
                let looked = bench.look(&named.what, subject::folder(named).as_deref())?;
                let wanted = Wanted { which: Which::Hash(looked.identity.command_hash), most: 1 };
                let rows = store.list(&wanted).map_err(Trouble::new)?;
                rows.into_iter().next().ok_or_else(|| unknown(&named.what))?
            }
        };
        // As the rules see it today; the stored risk is that of its last run.
        let looked = bench.look(&row.command_text, Some(&row.folder));
        let (findings, missing) = match &looked {
            Ok(looked) if looked.identity.command_hash == row.command_hash => {
                (looked.judgement.findings(), None)
            }
            Ok(looked) => (
                looked.judgement.findings(),
                Some("its program, the profile or a hidden secret differs now; the rules say of it today:"),
            ),
            Err(_) => (&[][..], Some("it cannot be looked at any more (its folder is gone?)")),
        };
        if self.json {
            let reasons: Vec<crate::doors::http::wire::Finding> = findings.iter().map(Into::into).collect();
            let mut value = serde_json::to_value(&row).map_err(Trouble::new)?;
            if let Some(object) = value.as_object_mut() {
                object.insert("findings".to_owned(), serde_json::to_value(reasons).map_err(Trouble::new)?);
            }
            show::out(&json(&value));
        } else {
            show::out(&table::page(&row, findings, missing));
        }
        Ok(End::Good)
    }
}

fn unknown(what: &str) -> Trouble {
    Trouble(format!(
        "the registry does not know {:?} here; `guarda registry list` shows what it knows, and --cwd names the folder",
        crate::human::plain::visible(what)
    ))
}

fn say_so(
    store: &mut dyn Store,
    say: &SayCommand,
    standing: OverrideKind,
    loaded: &Loaded,
    state: &Path,
) -> Result<End, Trouble> {
    let word = Override { kind: standing, reason: say.reason.clone(), by: Some(who()) };
    let now = jiff::Timestamp::now();
    let row = subject::row(store, &say.named.what)?;
    if let (Some(row), true) = (&row, standing != OverrideKind::AlwaysAllow) {
        store.say_of(&row.command_hash, Some(&word), now).map_err(Trouble::new)?;
        told(standing, &row.command_text, None);
        return Ok(End::Good);
    }
    let bench = Bench::new(loaded, state)?;
    let looked = match &row {
        Some(row) => bench.look(&row.command_text, Some(&row.folder))?,
        None => bench.look(&say.named.what, subject::folder(&say.named).as_deref())?,
    };
    if standing == OverrideKind::AlwaysAllow {
        if let Some(why) = looked.not_allowed {
            show::trouble(&format!("this cannot be allowed once and for all: {why}"));
            return Ok(End::Blocked);
        }
        if row.is_some_and(|row| row.command_hash != looked.identity.command_hash) {
            return Err(Trouble(
                "this is not that command any more: its program or the profile was changed since, or a secret in it is \
                 hidden. Name it by its text and --cwd"
                    .to_owned(),
            ));
        }
    }
    store.say(&looked.identity, Some(&word), now).map_err(Trouble::new)?;
    told(standing, &looked.identity.text, Some(&looked.identity.folder));
    Ok(End::Good)
}

fn told(standing: OverrideKind, text: &str, folder: Option<&str>) {
    let style = match standing {
        OverrideKind::AlwaysAllow => show::GOOD,
        OverrideKind::AlwaysAsk => show::WARY,
        OverrideKind::Never => show::BAD,
    };
    let place = match (standing, folder) {
        (OverrideKind::AlwaysAllow, Some(folder)) => {
            format!("in {folder}, with the programs as they are now")
        }
        (OverrideKind::AlwaysAllow, None) => "where it runs, with the programs as they are now".to_owned(),
        (OverrideKind::AlwaysAsk | OverrideKind::Never, _) => "wherever it runs".to_owned(),
    };
    let text = crate::human::plain::visible(text);
    show::out(&format!("{style}{}{style:#}  {text}  ({place})\n", standing.name()));
}

fn reset(store: &mut dyn Store, named: &NamedCommand, loaded: &Loaded, state: &Path) -> Result<End, Trouble> {
    let hash = match subject::row(store, &named.what)? {
        Some(row) => row.command_hash,
        None => {
            let looked = Bench::new(loaded, state)?.look(&named.what, subject::folder(named).as_deref())?;
            looked.identity.command_hash
        }
    };
    if !store.forget(&hash).map_err(Trouble::new)? {
        return Err(unknown(&named.what));
    }
    show::out("removed: the override and everything learned about the command; it starts over\n");
    Ok(End::Good)
}

fn export(store: &mut dyn Store) -> Result<(), StoreError> {
    let all = store.totals()?.commands;
    let shown = all > LONG && std::io::stderr().is_terminal();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut done, mut fault) = (0_u64, None);
    store.each(&mut |row: Row| {
        if let Err(error) = crate::doors::cli::lines::write(&mut out, &row) {
            fault = Some(error);
            return false;
        }
        done += 1;
        if shown && done % 5000 == 0 {
            let filled = usize::try_from(done.saturating_mul(30) / all.max(1)).unwrap_or(30).min(30);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(30 - filled));
            show::err(&format!("\r{bar} {} of {}", table::grouped(done), table::grouped(all)));
        }
        true
    })?;
    if shown {
        show::err("\r\x1b[K");
    }
    // A reader that has gone away is no error.
    match fault.or_else(|| out.flush().err()) {
        Some(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(StoreError::Other(error.to_string()))
        }
        _ => Ok(()),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The columns of the terminal; `None` where nobody looks.
fn width() -> Option<usize> {
    let out = std::io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok()).flatten();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The person at the command line.
fn who() -> String {
    let name = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(load::environment);
    name.unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()))
}
