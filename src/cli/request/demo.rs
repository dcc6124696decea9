//! `guarda demo`: shows a run, a question and a block without a model, step by step.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::request::client;
use crate::devices::process::sibling::RunningProgram;
use crate::doors::client::ServiceAnswer;

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::DemoArgs;
use crate::cli::request::act::why;
use crate::cli::request::client::{As, answer_all, send, temporary_service, text};
use crate::wording::words;

/// The indent of what belongs to a step.
const INDENT: &str = "   ";

/// A request that a model might make, and its expected outcome.
struct Step {
    /// The message that introduces it.
    says: &'static str,
    path: &'static str,
    action: &'static str,
    target: &'static str,
    /// The expected outcomes or statuses.
    ends: &'static [&'static str],
}

const STEPS: [Step; 5] = [
    Step { says: "demo-see", path: "/v1/actions", action: "RUN_COMMAND", target: "ls -l", ends: &["done"] },
    Step {
        says: "demo-delete",
        path: "/v1/actions",
        action: "RUN_COMMAND",
        target: "rm old.zip",
        ends: &["done", "denied", "expired"],
    },
    Step {
        says: "demo-all",
        path: "/v1/judge",
        action: "RUN_COMMAND",
        target: r"r$'\x6d' -fr --no-preserve-root /",
        ends: &["blocked"],
    },
    Step {
        says: "demo-self",
        path: "/v1/actions",
        action: "RUN_COMMAND",
        target: "guarda approve 0000",
        ends: &["blocked"],
    },
    Step {
        says: "demo-invent",
        path: "/v1/actions",
        action: "FLY_TO_THE_MOON",
        target: "now",
        ends: &["failed"],
    },
];

pub(in crate::cli) fn demo(args: &DemoArgs) -> Result<ExitStatus, CliError> {
    let runtime = client::runtime()?;
    let folder = scratch()?;
    let scratch = folder.path();
    let words = words(load::page_language());
    let place = runtime.block_on(Place::find(scratch))?;
    let told = words.say("demo-place", &[("path", scratch.display().to_string().into())]);
    let room = terminal::room();
    let prose = |line: &str| terminal::out(&format!("{}\n", terminal::wrapped(line, room, INDENT)));
    terminal::out(&format!("{}\n", terminal::wrapped(&words.say(place.said, &[]), room, "")));
    terminal::out(&format!("{}\n", terminal::wrapped(&told, room, "")));
    let mut well = true;
    for (number, step) in STEPS.iter().enumerate() {
        terminal::out("\n");
        prose(&format!("{}. {}", number + 1, words.say(step.says, &[])));
        terminal::out(&format!("{INDENT}{} {}\n", step.action, step.target));
        let answered = runtime.block_on(play(&place.state, step, scratch, args.answer.as_deref()))?;
        let reply = &answered.body;
        let end = if step.path == "/v1/judge" { text(reply, "status") } else { text(reply, "outcome") };
        well &= step.ends.contains(&end);
        let style = terminal::style(end);
        let first = reply.pointer("/findings/0").filter(|_| step.path == "/v1/judge");
        let reason = first.map(|finding| why(words, finding)).unwrap_or_default();
        let said = [text(reply, "message"), text(reply, "detail"), &reason].concat();
        let shown = words.find(&format!("outcome-{end}"), &[]).unwrap_or_else(|| end.to_owned());
        prose(&format!("{INDENT}{style}{shown}{style:#}  {said}"));
        let listed = reply.pointer("/output/stdout").and_then(Value::as_str).unwrap_or_default();
        listed.lines().for_each(|line| terminal::out(&format!("     {line}\n")));
        if let Some(receipt) = reply.pointer("/receipt/audit_id").and_then(Value::as_str) {
            let recorded = words.say("demo-recorded", &[("id", receipt.into())]);
            prose(&format!("{INDENT}{}{recorded}{:#}", terminal::FAINT, terminal::FAINT));
        }
    }
    let left = if scratch.join("old.zip").exists() { "yes" } else { "no" };
    let end = words.say("demo-end", &[("left", left.into())]);
    terminal::out(&format!("\n{}\n", terminal::wrapped(&end, room, "")));
    Ok(if well { ExitStatus::Good } else { ExitStatus::Failed })
}

async fn play(
    state: &Path,
    step: &Step,
    folder: &Path,
    answer: Option<&str>,
) -> Result<ServiceAnswer, CliError> {
    let request = json!({"action": step.action, "target": step.target, "cwd": folder, "session": "demo",
        "reasoning": "guarda demo"});
    let asked = send(state, As::Asker, step.path, Some(request.to_string().into_bytes()));
    let Some(answer) = answer else { return asked.await.map_err(CliError::from) };
    // This step's own question and no other.
    let own = |question: &Value| {
        (text(question, "session") == "demo" && text(question, "object") == step.target).then_some(answer)
    };
    tokio::select! {
        reply = asked => reply.map_err(CliError::from),
        error = answer_all(state, own) => Err(error),
    }
}

/// The service that the demo uses.
struct Place {
    state: PathBuf,
    /// The message that names the service.
    said: &'static str,
    /// The process of the service, if the demo started it.
    _own: Option<RunningProgram>,
}

impl Place {
    async fn find(scratch: &Path) -> Result<Self, CliError> {
        let state = load::state()?;
        if send(&state, As::Asker, "/v1/health", None).await.is_ok_and(|answered| answered.status == 200) {
            return Ok(Self { state, said: "demo-running", _own: None });
        }
        let state = scratch.join("state");
        let running = temporary_service(&[("GUARDA_STATE_DIR", &state)])?;
        let said = "demo-own";
        Ok(Self { state, said, _own: Some(running) })
    }
}

/// A folder with two files, which is deleted on drop.
fn scratch() -> Result<tempfile::TempDir, CliError> {
    use std::os::unix::fs::PermissionsExt as _;
    let own = std::fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("guarda-demo-").permissions(own).tempdir()?;
    let made = std::fs::write(folder.path().join("old.zip"), "an archive that nobody needs\n")
        .and_then(|()| std::fs::write(folder.path().join("letter.txt"), "Dear reader,\n"));
    made.map_err(|error| CliError::at(folder.path(), error))?;
    Ok(folder)
}
