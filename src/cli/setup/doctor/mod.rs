//! `guarda doctor`: what works, what does not, and how to fix it.

mod check;
mod files;
mod parts;

use check::{Checkup, Condition};
use guarda_core::action::Language;

use crate::app::{CliError, ExitStatus, Loaded, load, terminal};
use crate::cli::args::DoctorArgs;
use crate::wording::Words;
use crate::wording::words;

pub(in crate::cli) fn doctor(args: &DoctorArgs) -> Result<ExitStatus, CliError> {
    // JSON output is for programs, so it is the same in every language.
    let words = words(if args.json { Language::English } else { load::page_language() });
    let named = args.config.as_deref();
    let loaded = load::load(named).and_then(|loaded| loaded.policy().map(|_| loaded));
    let mut checks = vec![files::config(words, &loaded), files::user(words)];
    // If the configuration is broken, the remaining checks use the built-in one.
    let loaded = loaded.unwrap_or_else(|_| Loaded { config: crate::config::Config::default(), file: None });
    let state = load::state()?;
    checks.extend(files::state(words, &state));
    let (service, status) = parts::service(words, &loaded);
    checks.push(service);
    checks.extend(parts::parts(words, &status));
    checks.push(parts::record(words, &status).unwrap_or_else(|| files::record(words, &loaded, &state)));
    checks.push(files::registry(words, &loaded, &state));
    checks.extend(files::plugins(words, &loaded));
    checks.extend(crate::cli::setup::clients::checkup().into_iter().map(|(client, found)| match found {
        Ok(detail) => Checkup::good(&format!("hook {client}"), detail),
        Err(why) => Checkup::wary(
            &format!("hook {client}"),
            why.told(words),
            &format!("guarda hook install {client}"),
        ),
    }));
    let well = checks.iter().all(|check| check.how != Condition::Bad);
    terminal::out(&if args.json {
        format!("{}\n", serde_json::json!({"well": well, "checks": checks}))
    } else {
        page(words, &checks, well)
    });
    Ok(if well { ExitStatus::Good } else { ExitStatus::Failed })
}

/// The name of a part for a person. Answering by keys and pressing keys have different names.
fn title(words: &Words, name: &str) -> String {
    let id = match name.strip_prefix("answer by ") {
        Some(way) => format!("answer-{way}"),
        None => format!("part-{}", name.replace(' ', "-")),
    };
    words.find(&id, &[]).unwrap_or_else(|| name.to_owned())
}

fn page(words: &Words, checks: &[Checkup], well: bool) -> String {
    let room = terminal::room();
    let mut page = format!("{}\n", words.say("doctor-language", &[]));
    let titles: Vec<String> = checks.iter().map(|check| title(words, &check.name)).collect();
    let width = titles.iter().map(|title| title.chars().count()).max().unwrap_or_default();
    for (Checkup { how, detail, fix, .. }, title) in checks.iter().zip(&titles) {
        let (style, id) = match how {
            Condition::Good => (terminal::GOOD, "how-good"),
            Condition::Wary => (terminal::WARY, "how-warning"),
            Condition::Bad => (terminal::BAD, "how-broken"),
        };
        let word = words.say(id, &[]);
        let line = format!("  {title:<width$} {style}{word:<7}{style:#} {detail}");
        page.push_str(&(terminal::column(&line, width + 11, room) + "\n"));
        if let Some(fix) = fix {
            let fix = words.say("doctor-fix", &[("fix", fix.as_str().into())]);
            let line = format!("  {:<width$} {:<7} {fix}", "", "");
            page.push_str(&(terminal::column(&line, width + 11, room) + "\n"));
        }
    }
    let missing = checks.iter().filter(|check| check.how == Condition::Wary).count();
    let (style, text) = match (well, missing) {
        (true, 0) => (terminal::GOOD, words.say("doctor-well", &[])),
        (true, count) => (terminal::GOOD, words.say("doctor-partly", &[("count", count.into())])),
        (false, _) => (terminal::BAD, words.say("doctor-ill", &[])),
    };
    page.push_str(&format!("{style}{text}{style:#}\n"));
    page
}
