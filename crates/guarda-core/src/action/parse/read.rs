//! Reads what an action carries from the fields of a request.

use super::fields::{FIELD_LIMIT, Fields, limit, percent};
use super::hint::Hint;
use super::misread::Misread;
use crate::action::UndoOf;
use crate::action::kinds::{Level, MediaKey, Repeat, Switch};
use guarda_shell::script::{Dialect, Script, Unsure};

/// Maximum length of a command line in characters (feature B8).
const COMMAND_LIMIT: usize = 4096;
/// A web address, or the address of a new message; `None` for an address of another scheme. `https://` is prepended if there is no
/// scheme (feature M2). What is no address is searched for, as in a browser's address bar.
pub(in crate::action) fn address(target: &str) -> Result<Option<url::Url>, Misread> {
    let wrong = || Misread::value("target", target, Hint::WebAddress);
    let search = || {
        let words = target.split_whitespace().collect::<Vec<_>>().join(" ");
        url::Url::parse_with_params("https://duckduckgo.com/", [("q", words)]).ok()
    };
    // A browser's address bar drops some characters; the address that it opens could then differ from the one
    // that is shown.
    if target.chars().any(char::is_control) || target.starts_with('-') {
        return Err(wrong());
    }
    let named = target.contains("://");
    if target.chars().any(char::is_whitespace) {
        return if named { Err(wrong()) } else { Ok(search()) };
    }
    let bare_host = |text: &str| {
        let end = text.find(['/', '?', '#']).unwrap_or(text.len());
        text.get(..end).is_some_and(|host| match host.split_once(':') {
            None => host.contains('.') || host == "localhost",
            Some((name, port)) => {
                !name.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
            }
        })
    };
    let parsed = if bare_host(target) {
        url::Url::parse(&format!("https://{target}"))
    } else {
        url::Url::parse(target)
    };
    match parsed {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(Some(url)),
        Ok(url) if is_letter(&url) => Ok(Some(url)),
        Ok(_) => Ok(None),
        Err(_) if named => Ok(None),
        Err(_) => Ok(search()),
    }
}

/// True for a `mailto:` address that only fills in a new message (RFC 6068). Some programs attach files that
/// other header names refer to.
fn is_letter(url: &url::Url) -> bool {
    const FIELDS: [&str; 5] = ["to", "cc", "bcc", "subject", "body"];
    url.scheme() == "mailto"
        && url.path().contains('@')
        && url.query_pairs().all(|(name, _)| FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field)))
}

/// A command line, and what it means.
pub(in crate::action) type CommandLine = (String, Result<Script, Unsure>);

/// The command line of `RUN_COMMAND`.
pub(in crate::action) fn command(fields: &Fields) -> Result<CommandLine, Misread> {
    let target = fields.target.as_deref().ok_or(Misread::EmptyCommand)?;
    // Some models put the program in `target` and its arguments in `args`. They are joined so that both are
    // judged.
    let text = match &*fields.text {
        Some(args) => format!("{target} {args}"),
        None => target.to_owned(),
    };
    if let Some(name) = fields.params.keys().next() {
        return Err(Misread::value("params", name, Hint::WholeCommand));
    }
    command_line(text)
}

/// A command line, read.
pub(super) fn command_line(text: String) -> Result<CommandLine, Misread> {
    if text.trim().is_empty() {
        return Err(Misread::EmptyCommand);
    }
    if text.chars().count() > COMMAND_LIMIT || text.contains('\0') {
        return Err(Misread::value("target", &text, Hint::ShorterCommand));
    }
    let script = guarda_shell::read(&text, Dialect::Bash);
    Ok((text, script))
}

/// A percentage that has to be there.
pub(in crate::action) fn whole(fields: &Fields) -> Result<u8, Misread> {
    match fields.target.as_deref() {
        Some(text) => percent(text),
        None => fields.percent()?.ok_or(Misread::Missing("target")),
    }
}

/// Reads `up`, `down`, `mute`, `50`, `+20`, `-20` … from `params.action`, the target, or plain `args`.
pub(in crate::action) fn level(fields: &Fields, step: u8, sound: bool) -> Result<Level, Misread> {
    let percent = fields.percent();
    let told = fields.param("action")?.or_else(|| fields.target.clone()).or_else(|| fields.text.clone());
    let told = told.ok_or(Misread::Missing("action"))?;
    let by = || percent.clone().map(|percent| percent.unwrap_or(step));
    Ok(match told.trim().to_lowercase().as_str() {
        "up" | "aumentar" | "aumenta" => Level::Up(by()?),
        "down" | "diminuir" | "abaixar" | "abaixa" => Level::Down(by()?),
        "set" | "definir" => Level::Set(percent?.ok_or(Misread::Missing("value"))?),
        "mute" | "mudo" if sound => Level::Mute,
        "unmute" if sound => Level::Unmute,
        "toggle" if sound => Level::ToggleMute,
        other => {
            let number = self::percent(other.trim_start_matches(['+', '-']))
                .map_err(|_| Misread::value("action", other, Hint::Level))?;
            match other.chars().next() {
                Some('+') => Level::Up(number),
                Some('-') => Level::Down(number),
                _ => Level::Set(number),
            }
        }
    })
}

/// A key of a media player.
pub(in crate::action) fn media(target: &str) -> Result<MediaKey, Misread> {
    Ok(match target.to_lowercase().as_str() {
        "play" => MediaKey::Play,
        "pause" | "pausa" => MediaKey::Pause,
        "play-pause" | "play_pause" | "toca" | "toggle" => MediaKey::PlayPause,
        "next" | "proxima" | "próxima" => MediaKey::Next,
        "previous" | "prev" | "anterior" => MediaKey::Previous,
        "stop" | "para" | "parar" => MediaKey::Stop,
        other => return Err(Misread::value("target", other, Hint::MediaKey)),
    })
}

/// What is repeated.
pub(in crate::action) fn repeat(target: &str) -> Result<Repeat, Misread> {
    Ok(match target.to_lowercase().as_str() {
        "off" | "none" => Repeat::Off,
        "track" | "one" => Repeat::Track,
        "all" | "playlist" => Repeat::All,
        other => return Err(Misread::value("target", other, Hint::Repeat)),
    })
}

/// Reads `30`, `+30`, `-10`, `10s`; at most one hour.
pub(in crate::action) fn seconds(target: &str) -> Result<i16, Misread> {
    let number = target.trim().trim_end_matches(['s', 'S']).trim_end();
    let number = number.strip_prefix('+').unwrap_or(number);
    let seconds = number.parse::<i16>().ok().filter(|seconds| (1..=3600).contains(&seconds.unsigned_abs()));
    seconds.ok_or_else(|| Misread::Value {
        field: "target",
        value: target.chars().take(32).collect(),
        hint: Hint::Seconds,
    })
}

/// What is undone.
pub(in crate::action) fn undo(fields: &Fields) -> Result<UndoOf, Misread> {
    let told = fields.target.as_deref().or(fields.text.as_deref()).unwrap_or_default();
    UndoOf::read(told).ok_or_else(|| Misread::value("target", told, Hint::Run))
}

/// Reads `on`, `off`, `toggle` from `params.action`, plain `args` or the target.
pub(in crate::action) fn switch(fields: &Fields) -> Result<Switch, Misread> {
    let told = fields.param("action")?.or_else(|| fields.text.clone()).or_else(|| fields.target.clone());
    let told = told.unwrap_or_else(|| "toggle".to_owned()).to_lowercase();
    Ok(match told.trim() {
        "on" | "ligar" | "liga" | "true" => Switch::On,
        "off" | "desligar" | "desliga" | "false" => Switch::Off,
        "toggle" | "alternar" => Switch::Toggle,
        other => return Err(Misread::value("action", other, Hint::Switch)),
    })
}

/// The body of a notification.
pub(in crate::action) fn body(fields: &Fields) -> Result<String, Misread> {
    let body = fields.param("body")?.or_else(|| fields.text.clone()).unwrap_or_default();
    limit("body", &body, FIELD_LIMIT)?;
    Ok(body)
}

/// Where a file goes.
pub(in crate::action) fn destination(fields: &Fields) -> Result<String, Misread> {
    let given = fields.param("destination")?.or_else(|| fields.text.clone());
    let given = given.ok_or(Misread::Missing("destination"))?;
    limit("destination", &given, FIELD_LIMIT)?;
    Ok(given)
}

/// A chord such as `ctrl+tab`: modifiers first, then one key, all from a closed list.
pub(in crate::action) fn chord(target: &str) -> Result<Vec<String>, Misread> {
    let wrong = || Misread::value("target", target, Hint::Chord);
    let parts: Vec<String> = target.split('+').map(|part| part.trim().to_lowercase()).collect();
    let (key, modifiers) = parts.split_last().ok_or_else(wrong)?;
    let known_modifier = |name: &String| matches!(name.as_str(), "ctrl" | "shift" | "alt" | "super");
    if !modifiers.iter().all(known_modifier) || !known_key(key) {
        return Err(wrong());
    }
    Ok(parts)
}

fn known_key(key: &str) -> bool {
    const NAMED: &str = "enter return space tab esc escape backspace delete \
                         insert home end pageup pagedown up down left right plus minus print";
    let mut chars = key.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => one.is_alphanumeric() || "-=[];',./\\`".contains(one),
        (Some('f'), Some(_)) => {
            key.get(1..).and_then(|n| n.parse::<u8>().ok()).is_some_and(|n| (1..=24).contains(&n))
        }
        _ => NAMED.split(' ').any(|name| name == key),
    }
}
