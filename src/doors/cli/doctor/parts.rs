//! The parts of the machine: as the running service has found them, or as they are found now.

use serde_json::Value;

use crate::doors::cli::client::{As, ask};
use crate::doors::cli::load::Loaded;

use super::{Check, How};

/// What to do where a part is not ready, by its name in the status.
const MENDS: [(&str, &str); 19] = [
    (
        "speech",
        "sudo apt install speech-dispatcher speech-dispatcher-espeak-ng speech-dispatcher-audio-plugins espeak-ng; hear it with: spd-say hello",
    ),
    (
        "answer by keys",
        "log in to an Xorg session; a service needs DISPLAY: systemctl --user import-environment DISPLAY XAUTHORITY",
    ),
    (
        "answer by keyboard",
        "as root: systemctl enable --now guarda-keys; guarda keys enroll --user YOU; then look: guarda keys status",
    ),
    ("answer by terminal", "start it in a terminal: guarda serve"),
    (
        "answer by http",
        "set server.answer_over_http = true; with server.answer_code = \"always\" it needs a terminal, notifications or a voice",
    ),
    (
        "sandbox",
        "Linux 5.13 or later with Landlock and user namespaces; where they are closed: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "stage",
        "user namespaces and overlay file systems; where they are closed: sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1",
    ),
    (
        "volume",
        "systemctl --user start pipewire-pulse, or pulseaudio --start; then raise the volume or unmute",
    ),
    ("keys", "needs an X server: log in to an Xorg session, with DISPLAY set"),
    ("screen", "needs an X server: log in to an Xorg session, with DISPLAY set"),
    ("applications", "needs a desktop: start it where DISPLAY or WAYLAND_DISPLAY is set"),
    ("browser", "install a browser, and choose it: xdg-settings set default-web-browser NAME.desktop"),
    ("file-manager", "install one, such as: sudo apt install pcmanfm"),
    ("terminal", "install one, such as xterm, or name it in terminal.program"),
    ("notifications", "start a notification daemon, such as: sudo apt install dunst"),
    ("wifi", "sudo apt install network-manager"),
    ("bluetooth", "sudo apt install bluez"),
    ("password", "set security.advanced_mode = true, and choose a way in [password]"),
    (
        "advice",
        "start the model's server (ollama serve, llama-server -m FILE); try it: guarda advise 'ls -l'",
    ),
];

/// The running service and the status that it tells; where there is none, what `guarda-service` finds.
pub(super) fn service(loaded: &Loaded) -> (Check, Value) {
    let why = match ask(As::Asker, "/v1/status", None) {
        Ok(answered) if answered.status == 200 => {
            let version = answered.body.get("version").and_then(Value::as_str).unwrap_or_default();
            let own = env!("CARGO_PKG_VERSION");
            let check = if version == own {
                Check::good("service", format!("version {version} answers"))
            } else {
                let detail = format!("version {version} answers, and this is {own}");
                Check::wary("service", detail, "start it again")
            };
            return (check, answered.body);
        }
        Ok(answered) => format!("it answers {}: {}", answered.status, answered.text),
        Err(trouble) => trouble.0,
    };
    let check = Check::wary("service", why, "guarda serve, or: systemctl --user start guarda");
    match crate::doors::cli::service::probe(loaded) {
        Ok(found) => (check, found),
        Err(trouble) => (
            Check::bad("service", trouble, "install all of its programs into one folder: make install"),
            Value::Null,
        ),
    }
}

pub(super) fn parts(status: &Value) -> Vec<Check> {
    let mut checks: Vec<Check> =
        status.get("speech").map(|speech| part("speech", speech)).into_iter().collect();
    if let Some(advice) = status.get("advice") {
        let off = advice.get("state").and_then(Value::as_str) == Some("absent");
        let detail = advice.get("detail").and_then(Value::as_str).unwrap_or_default();
        checks.push(if off { Check::good("advice", detail) } else { part("advice", advice) });
    }
    for (group, word) in [("answers", "answer by "), ("deeds", "")] {
        for (name, backend) in status.get(group).and_then(Value::as_object).into_iter().flatten() {
            checks.push(part(&format!("{word}{name}"), backend));
        }
    }
    let mut ways = checks.iter().filter(|check| check.name.starts_with("answer by ")).peekable();
    if ways.peek().is_some() && ways.all(|way| way.how != How::Good) {
        let mend = "make one of the ways above work";
        checks.push(Check::bad("answers", "nobody can be asked: what needs a yes is refused", mend));
    }
    checks
}

fn part(name: &str, backend: &Value) -> Check {
    let of = |key: &str| backend.get(key).and_then(Value::as_str).unwrap_or_default();
    let detail = of("detail");
    if of("state") == "ready" {
        return Check::good(name, detail);
    }
    let mend = MENDS.iter().find(|(part, _)| *part == name).map_or("start what it needs", |(_, mend)| mend);
    if name == "stage" {
        let programs = std::env::current_exe().ok();
        let program = programs.as_deref().filter(|_| guarda_sandbox::apparmor_restricts());
        return Check::wary(name, detail, &stage(detail, program).unwrap_or_else(|| mend.to_owned()));
    }
    // Without its sandbox the guard does less than it says; the rest is a lack that it tells itself.
    if name == "sandbox" && of("state") == "failed" {
        return Check::bad(name, detail, mend);
    }
    let detail = if detail.is_empty() { of("state") } else { detail };
    Check::wary(name, detail, mend)
}

/// What to do where changes cannot be held back, if there is something better than the usual: it was switched off, or
/// AppArmor stands in the way of the program, which lies in `bin` beside the profile for it.
fn stage(detail: &str, restricted: Option<&std::path::Path>) -> Option<String> {
    if detail.starts_with("switched off") {
        return Some("set undo.stage = true".to_owned());
    }
    let profile = restricted?.parent()?.parent()?.join("share/guarda/apparmor/guarda-keeper");
    let profile = profile.display();
    Some(format!(
        "sudo cp {profile} /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/guarda-keeper; without that file: sudo \
         sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ready_is_told_how_to_mend() {
        let status = serde_json::json!({
            "speech": {"state": "absent", "detail": "no speech service"},
            "answers": {"http": {"state": "absent", "detail": "off"}, "keys": {"state": "failed", "detail": "no X"}},
            "deeds": {"sandbox": {"state": "failed", "detail": "no namespaces"}, "wifi": {"state": "absent", "detail": ""}},
        });
        let checks = parts(&status);
        assert!(
            checks.iter().all(|check| check.mend.as_deref().is_some_and(|mend| !mend.is_empty())),
            "{checks:?}"
        );
        let bad: Vec<&str> =
            checks.iter().filter(|check| check.how == How::Bad).map(|check| check.name.as_str()).collect();
        assert_eq!(bad, ["sandbox", "answers"]);
    }

    #[test]
    fn what_keeps_changes_from_being_held_back_is_told_how_to_mend() {
        let program = std::path::Path::new("/usr/bin/guarda");
        let restricted = stage("no namespaces", Some(program)).unwrap();
        assert!(restricted.starts_with("sudo cp /usr/share/guarda/apparmor/guarda-keeper /etc/apparmor.d/ "));
        assert!(
            stage("switched off (undo.stage = false)", Some(program)).unwrap().contains("undo.stage = true")
        );
        assert_eq!(stage("no namespaces", None), None);
        let absent = serde_json::json!({"state": "absent", "detail": "switched off (undo.stage = false)"});
        assert_eq!(part("stage", &absent).mend.as_deref(), Some("set undo.stage = true"));
    }
}
