//! Checks the back-ends of this machine, as the running service reports them or as a probe finds them.

use serde_json::Value;

use crate::app::{Loaded, status};
use crate::cli::request::client::{As, ask};

use super::check::{Checkup, Condition};
use crate::wording::Words;
use guarda_core::output::FailureKind;

/// The status of the running service. Without a service, the result of a probe by `guarda-service`.
pub(super) fn service(words: &Words, loaded: &Loaded) -> (Checkup, Value) {
    let why = match ask(As::Asker, &format!("/v1/status?language={}", words.language().tag()), None) {
        Ok(answered) if answered.status == 200 => {
            let version = answered.body.get("version").and_then(Value::as_str).unwrap_or_default();
            let own = env!("CARGO_PKG_VERSION");
            let check = if version == own {
                Checkup::good("service", words.say("doctor-version", &[("version", version.into())]))
            } else {
                let told = [("version", version.into()), ("own", own.into())];
                Checkup::wary(
                    "service",
                    words.say("doctor-other-version", &told),
                    &words.say("mend-version", &[]),
                )
            };
            return (check, answered.body);
        }
        Ok(answered) => words.say(
            "doctor-answered",
            &[("status", answered.status.to_string().into()), ("text", answered.text.into())],
        ),
        Err(trouble) => trouble.told(words),
    };
    let check = Checkup::wary("service", why, &words.say("mend-service", &[]));
    match crate::cli::service::probe(loaded, words.language()) {
        Ok(found) => (check, found),
        Err(trouble) => {
            (Checkup::bad("service", trouble.told(words), &words.say("mend-programs", &[])), Value::Null)
        }
    }
}

/// What hinders the running service from writing its record; `None` if nothing does, or if none runs.
pub(super) fn record(words: &Words, status: &Value) -> Option<Checkup> {
    let record = status.get("record")?;
    let of = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
    (of("state") == "failed").then(|| Checkup::bad("record", of("detail"), &words.say("mend-unwritten", &[])))
}

pub(super) fn parts(words: &Words, status: &Value) -> Vec<Checkup> {
    let mut checks: Vec<Checkup> =
        status::voice(status).map(|speech| part(words, "speech", speech)).into_iter().collect();
    if let Some(advice) = status.get("advice") {
        checks.push(part(words, "advice", advice));
    }
    for (group, word) in [("answers", "answer by "), ("deeds", "")] {
        for (name, backend) in status.get(group).and_then(Value::as_object).into_iter().flatten() {
            checks.push(part(words, &format!("{word}{name}"), backend));
        }
    }
    let mut ways = checks.iter().filter(|check| check.name.starts_with("answer by ")).peekable();
    if ways.peek().is_some() && ways.all(|way| way.how != Condition::Good) {
        let (told, mend) = (words.say("doctor-nobody", &[]), words.say("mend-answers", &[]));
        checks.push(Checkup::bad("answers", told, &mend));
    }
    checks
}

fn part(words: &Words, name: &str, backend: &Value) -> Checkup {
    let of = |key: &str| backend.get(key).and_then(Value::as_str).unwrap_or_default();
    let (detail, cause) = (of("detail"), of("cause"));
    // A part that the user has switched off is not a problem.
    if of("state") == "ready" || cause == FailureKind::SwitchedOff.name() {
        return Checkup::good(name, detail);
    }
    let mend = mend(words, name, cause);
    if (name == "stage" || name == "network") && cause != FailureKind::StageStuck.name() {
        let programs = std::env::current_exe().ok();
        let program = programs.as_deref().filter(|_| guarda_sandbox::apparmor_restricts());
        return Checkup::wary(name, detail, &namespaces(words, program).unwrap_or(mend));
    }
    // Without a sandbox, the guard cannot keep its promises. It can work without any other part, and reports what is
    // missing.
    if name == "sandbox" && of("state") == "failed" {
        return Checkup::bad(name, detail, &mend);
    }
    let detail =
        if detail.is_empty() { words.say(&format!("state-{}", of("state")), &[]) } else { detail.to_owned() };
    Checkup::wary(name, detail, &mend)
}

/// The remedy for a part that is not ready. Some remedies differ between Wayland and X11.
fn mend(words: &Words, name: &str, cause: &str) -> String {
    let id = format!("mend-{}", name.replace(' ', "-"));
    let is = |kind: FailureKind| cause == kind.name();
    let wayland = is(FailureKind::OnlyX11) || is(FailureKind::NoPortal);
    let wayland = wayland.then(|| words.find(&format!("{id}-wayland"), &[])).flatten();
    let bus = is(FailureKind::NoSystemBus).then(|| words.say("mend-system-bus", &[]));
    let stuck = is(FailureKind::StageStuck).then(|| words.say("mend-stage-stuck", &[]));
    let usual = || words.find(&id, &[]).unwrap_or_else(|| words.say("mend-generic", &[]));
    wayland.or(bus).or(stuck).unwrap_or_else(usual)
}

/// The remedy if AppArmor restricts the program `restricted`: the profile that is installed beside it, by its path.
fn namespaces(words: &Words, restricted: Option<&std::path::Path>) -> Option<String> {
    let profile = restricted?.parent()?.parent()?.join("share/guarda/apparmor/guarda-keeper");
    Some(words.say("mend-stage-apparmor", &[("path", profile.display().to_string().into())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english() -> &'static Words {
        crate::wording::words(guarda_core::action::Language::English)
    }

    #[test]
    fn every_part_has_a_name_and_a_remedy_in_every_language() {
        let names = [
            "speech",
            "answer by keys",
            "answer by keyboard",
            "answer by terminal",
            "answer by http",
            "sandbox",
            "stage",
            "network",
            "volume",
            "keys",
            "screen",
            "applications",
            "browser",
            "file-manager",
            "terminal",
            "notifications",
            "power",
            "wifi",
            "bluetooth",
            "password",
            "advice",
        ];
        for language in guarda_core::action::Language::ALL {
            let words = crate::wording::words(language);
            for name in names {
                assert_ne!(mend(words, name, ""), words.say("mend-generic", &[]), "{language} {name}");
                assert_ne!(super::super::title(words, name), "");
            }
            // A person who chose Wayland does not want to be told to log in to an Xorg session.
            for name in ["answer by keys", "keys", "screen"] {
                let told = mend(words, name, "only-x11");
                assert!(!told.contains("Xorg") && !told.contains("DISPLAY"), "{told}");
            }
        }
    }

    #[test]
    fn what_is_not_ready_is_told_how_to_mend() {
        let status = serde_json::json!({
            "speech": {"state": "absent", "detail": "no speech service"},
            "answers": {"http": {"state": "absent", "detail": "off"}, "keys": {"state": "failed", "detail": "no X"}},
            "deeds": {"sandbox": {"state": "failed", "detail": "no namespaces"}, "wifi": {"state": "absent", "detail": ""}},
        });
        let checks = parts(english(), &status);
        assert!(
            checks.iter().all(|check| check.fix.as_deref().is_some_and(|fix| !fix.is_empty())),
            "{checks:?}"
        );
        let bad: Vec<&str> = checks
            .iter()
            .filter(|check| check.how == Condition::Bad)
            .map(|check| check.name.as_str())
            .collect();
        assert_eq!(bad, ["sandbox", "answers"]);
    }

    #[test]
    fn what_keeps_changes_from_being_held_back_is_told_how_to_mend() {
        let program = std::path::Path::new("/usr/bin/guarda");
        let restricted = namespaces(english(), Some(program)).unwrap();
        assert!(restricted.starts_with("sudo cp /usr/share/guarda/apparmor/guarda-keeper /etc/apparmor.d/ "));
        assert_eq!(namespaces(english(), None), None);
        let detail = "switched off (undo.stage = false)";
        let absent = serde_json::json!({"state": "absent", "detail": detail, "cause": "switched-off"});
        assert_eq!(part(english(), "stage", &absent), Checkup::good("stage", detail));
    }
}
