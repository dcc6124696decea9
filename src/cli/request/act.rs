//! `guarda act` and `guarda status`: requests to the running service.

use std::io::Read;

use serde_json::{Value, json};

use crate::app::{CliError, ExitStatus, load, status, terminal};
use crate::cli::args::ActArgs;
use crate::cli::request::client::{As, ServiceAnswer, ask_with, done, text, tongue};
use crate::wording::Words;
use crate::wording::reason::why_of;
use guarda_core::action::Language;
use guarda_core::policy::{Origin, Verdict};

pub(in crate::cli) fn act(args: ActArgs) -> Result<ExitStatus, CliError> {
    let as_json = args.json;
    let wait = args.wait.map(|seconds| format!("wait={seconds}"));
    let body = if args.action == "-" { standard_input()? } else { request(args)?.to_string().into_bytes() };
    // JSON output is for programs, so it is the same in every language.
    let headers = [wait.as_deref().map(|wait| ("prefer", wait)), (!as_json).then(tongue)];
    let headers: Vec<_> = headers.into_iter().flatten().collect();
    let answered = ask_with(As::Asker, "/v1/actions", body, &headers)?;
    if as_json {
        terminal::out(&format!("{}\n", answered.text));
    } else {
        terminal::out(&page(load::words(), &answered));
    }
    Ok(end(&answered))
}

/// The exit status for an outcome. A command that ran passes on its own status. A command that a signal ended gives
/// 128 plus the signal's number, as in a shell.
pub(in crate::cli) fn end(answered: &ServiceAnswer) -> ExitStatus {
    match (answered.status, text(&answered.body, "outcome")) {
        (200, "done") => match status_of(&answered.body) {
            0 => ExitStatus::Good,
            status => ExitStatus::Command(status),
        },
        (200, "blocked") => ExitStatus::Blocked,
        (200, "denied" | "expired" | "withdrawn") => ExitStatus::Denied,
        // As in a shell: 127 for a program that was not found, 126 for one that is not executable.
        (200, "failed") if matches!(status_of(&answered.body), 126 | 127) => {
            ExitStatus::Command(status_of(&answered.body))
        }
        (400 | 422, _) => ExitStatus::Usage,
        (_, _) => ExitStatus::Failed,
    }
}

fn status_of(reply: &Value) -> u8 {
    let number =
        |name| reply.pointer(name).and_then(Value::as_u64).and_then(|number| u8::try_from(number).ok());
    let signal = number("/output/signal").map(|signal| signal.saturating_add(128));
    number("/output/exit_code").or(signal).unwrap_or(0)
}

pub(in crate::cli) fn status(as_json: bool) -> Result<ExitStatus, CliError> {
    let words = load::words();
    let language = if as_json { Language::English } else { words.language() };
    let answered = done(As::Asker, &format!("/v1/status?language={}", language.tag()), None)?;
    if as_json {
        terminal::out(&format!("{}\n", answered.text));
        return Ok(ExitStatus::Good);
    }
    let (version, profile) = (text(&answered.body, "version"), text(&answered.body, "profile"));
    let number = |name: &str| answered.body.get(name).and_then(Value::as_u64).unwrap_or_default();
    let head = [
        ("version", version.into()),
        ("profile", profile.into()),
        ("running", number("under_way").into()),
        ("waiting", number("questions").into()),
    ];
    terminal::out(&format!("{}\n{}", words.say("status-head", &head), status::status(words, &answered.body)));
    Ok(ExitStatus::Good)
}

fn standard_input() -> Result<Vec<u8>, CliError> {
    let mut body = Vec::new();
    std::io::stdin().lock().read_to_end(&mut body)?;
    Ok(body)
}

fn request(args: ActArgs) -> Result<Value, CliError> {
    let params = args.params.as_deref().map(serde_json::from_str::<Value>).transpose();
    let params = params.map_err(|error| CliError::say("act-params", &[("why", &error)]))?;
    let here = load::current_folder();
    let command = args.action.eq_ignore_ascii_case("RUN_COMMAND");
    let fields = [
        ("action", Some(json!(args.action))),
        ("target", args.target.map(Value::from)),
        ("args", args.args.map(Value::from)),
        ("params", params),
        ("cwd", args.cwd.or(here.filter(|_| command)).map(Value::from)),
        ("session", args.session.map(Value::from)),
        ("language", args.language.map(|language| language.tag().into())),
        ("reasoning", args.reason.map(Value::from)),
        ("whole_output", args.full.then_some(json!(true))),
        ("requires_confirmation", args.confirm.then_some(json!(true))),
    ];
    Ok(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// The reason of a finding in JSON.
pub(in crate::cli) fn why(words: &Words, finding: &Value) -> String {
    // Rules that allow have no translation.
    if text(finding, "status") == Verdict::Allow.status() && words.language() != Language::English {
        return words.say("reason-allowed", &[]);
    }
    let list =
        |name| finding.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let (tags, names): (Vec<&str>, Vec<String>) =
        (list("tags").collect(), list("names").map(str::to_owned).collect());
    let origin = Origin::named(text(finding, "layer"));
    why_of(words, (&origin, text(finding, "rule")), &tags, (text(finding, "why"), &names))
}

/// The reply for a person.
pub(in crate::cli) fn page(words: &Words, answered: &ServiceAnswer) -> String {
    let reply = &answered.body;
    if answered.status != 200 {
        let style = terminal::BAD;
        let title = format!("{style}{}{style:#}", text(reply, "title"));
        return format!("{}\n", words.labelled(&title, text(reply, "detail")));
    }
    let outcome = text(reply, "outcome");
    // A command that ran and failed is not reported as done.
    let failed = outcome == "done" && status_of(reply) != 0;
    let (style, outcome) =
        if failed { (terminal::BAD, "ended") } else { (terminal::style(outcome), outcome) };
    let told = words.find(&format!("outcome-{outcome}"), &[]).unwrap_or_else(|| outcome.to_owned());
    // The message of a command that wrote little is what it wrote, which follows.
    let written = reply.pointer("/output/stdout").and_then(Value::as_str).unwrap_or_default();
    let message = text(reply, "message");
    let message = if message == written.lines().collect::<Vec<_>>().join(", ") { "" } else { message };
    let mut page = format!("{}\n", format!("{style}{told}{style:#}  {message}").trim_end());
    if !text(reply, "reason").is_empty() {
        let told = reply.pointer("/refusal/why").and_then(Value::as_str).unwrap_or_default();
        page.push_str(&format!("  {}\n", words.say("act-reason", &[("reason", told.into())])));
    }
    // What failed here was not refused: the rules have nothing to do with it.
    let tried = outcome == "failed" && text(reply, "error") != "unknown_action";
    if !tried && !matches!(outcome, "done" | "ended") {
        let findings = reply.get("findings").and_then(Value::as_array).into_iter().flatten();
        for finding in findings.filter(|finding| text(finding, "status") != "approved") {
            let rule = text(finding, "rule");
            let line = format!("  {}\n", why(words, finding));
            // The same rule may match several places of a command.
            if page.contains(&line) {
                continue;
            }
            page.push_str(&line);
            let instead = text(finding, "instead");
            // A common mistake is a command in place of the action's name.
            if rule == "unknown-action" && instead.is_empty() {
                page.push_str(&format!("  {}\n", words.say("act-unknown", &[])));
            }
            if !instead.is_empty() {
                let instead = crate::wording::reason::instead(words, rule, instead);
                page.push_str(&format!(
                    "    {}\n",
                    words.labelled(&words.say("card-instead", &[]), &instead)
                ));
            }
        }
    }
    if let Some(output) = reply.get("output").filter(|output| output.is_object()) {
        for name in ["stdout", "stderr"] {
            let stream = text(output, name);
            page.push_str(stream);
            if !stream.is_empty() && !stream.ends_with('\n') {
                page.push('\n');
            }
        }
        match output.get("exit_code").and_then(Value::as_i64) {
            Some(code) if code != 0 => {
                page.push_str(&format!("{}\n", words.say("act-exit", &[("code", code.into())])))
            }
            Some(_) | None => {}
        }
    }
    page
}
