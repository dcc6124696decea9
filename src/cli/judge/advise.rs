//! `guarda advise`: a model's opinion on a command, and how good it is on labelled lines.

use crate::advice::bench::{self, BenchReport};
use crate::advice::{Advisor, Matter, Opinion};
use crate::config::sections::advice::Check;
use crate::wording::fault::unusable::unusable;

use crate::app::{CliError, ExitStatus, Loaded, load, terminal};
use crate::cli::args::{AdviseArgs, AdviseCommand, BenchArgs};
use crate::cli::request::client;

pub(in crate::cli) fn advise(args: AdviseArgs) -> Result<ExitStatus, CliError> {
    if let Some(AdviseCommand::Bench(args)) = &args.command {
        return bench(args);
    }
    let Some(command) = args.cmd else { return Err(CliError::say("advise-nothing", &[])) };
    let loaded = load::load(args.config.as_deref())?;
    let advisor = advisor(&loaded, None)?;
    let checks = args.check.map_or_else(|| loaded.config.advice.checks.clone(), |check| vec![check.into()]);
    let folder = load::current_folder();
    let matter = Matter {
        command,
        folder: folder.unwrap_or_default(),
        allowed: loaded.config.lists().allowed_dirs,
        reasoning: String::new(),
    };
    let opinion = client::runtime()?.block_on(advisor.opine(&checks, &matter));
    let words = load::words();
    // Programs read the English reason.
    let (name, style, reason, told) = match &opinion {
        Opinion::Clear => ("clear", terminal::GOOD, String::new(), String::new()),
        Opinion::Flagged(reason) => ("flagged", terminal::BAD, reason.clone(), reason.clone()),
        Opinion::Unclear(why) => ("unclear", terminal::WARY, why.to_string(), unusable(words, why)),
    };
    terminal::out(&if args.json {
        format!("{}\n", serde_json::json!({"opinion": name, "reason": reason}))
    } else {
        let word = load::say(&format!("advise-{name}"), &[]);
        let said = format!("{style}{word}{style:#}");
        format!("{}\n", if told.is_empty() { said } else { words.labelled(&said, &told) })
    });
    Ok(if opinion == Opinion::Clear { ExitStatus::Good } else { ExitStatus::Asked })
}

fn bench(args: &BenchArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(args.config.as_deref())?;
    let advisor = advisor(&loaded, args.model.as_deref())?;
    let shown = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).map_err(|error| CliError::file(&args.file, &error))?;
    let mut rows = bench::rows(&text)
        .map_err(|line| CliError::say("corpus-line", &[("path", &shown), ("line", &line)]))?;
    rows.truncate(args.limit.unwrap_or(usize::MAX));
    let check = Check::from(args.check);
    let harmful = match args.harmful.as_slice() {
        [] => bench::harmful(check).iter().map(|label| (*label).to_owned()).collect(),
        labels => labels.to_vec(),
    };
    let allowed = match loaded.config.lists().allowed_dirs {
        dirs if dirs.is_empty() => vec!["/home/ana/project".to_owned()],
        dirs => dirs,
    };
    let told = |done: usize| {
        let counts = [("done", done.to_string()), ("all", rows.len().to_string())];
        terminal::progress(&load::say("advise-progress", &counts));
    };
    let report =
        client::runtime()?.block_on(bench::measure(&advisor, check, &rows, &allowed, &harmful, told));
    terminal::progress("");
    terminal::out(&if args.json {
        format!("{}\n", serde_json::to_string(&report)?)
    } else {
        page(&report, args.faults)
    });
    let heard = report.labels.values().any(|counts| counts.clear + counts.flagged > 0);
    Ok(if heard || rows.is_empty() { ExitStatus::Good } else { ExitStatus::Failed })
}

fn page(report: &BenchReport, faults: bool) -> String {
    let mut page = report.to_string();
    let lists = [("advise-miss", &report.misses), ("advise-false-alarm", &report.false_alarms)];
    for (name, list) in lists.into_iter().filter(|_| faults) {
        let name = load::say(name, &[]);
        for fault in list {
            page.push_str(&format!("{name}\t{}\t{:?}\t{}\n", fault.label, fault.cmd, fault.said));
        }
    }
    page
}

/// The configured models, whether or not advice is enabled. Repeated failures do not pause a model during a
/// measurement.
fn advisor(loaded: &Loaded, model: Option<&str>) -> Result<Advisor, CliError> {
    let mut settings = loaded.config.advice.clone();
    if let Some(model) = model {
        model.clone_into(&mut settings.model);
    }
    if settings.model.trim().is_empty() {
        return Err(CliError::say("advise-no-model", &[]));
    }
    settings.failures = u64::MAX;
    Advisor::new(&settings, &loaded.config.endpoint).map_err(CliError::from)
}
