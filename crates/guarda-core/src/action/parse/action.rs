//! Builds the action for each name of the vocabulary from its fields.

use super::super::kinds::{Action, FileOperation, Level, MediaKey, Power, Radio, Repeat, Switch};
use super::fields::{Fields, percent};
use super::{FIELD_LIMIT, Hint, Misread, limit};
use guarda_shell::script::Dialect;

/// Maximum length of a command line in characters (feature B8).
const COMMAND_LIMIT: usize = 4096;
/// Maximum length of a run's id in bytes.
const RUN_LIMIT: usize = 128;
/// Step of the volume keys in percent (feature M2).
const VOLUME_STEP: u8 = 5;
/// Step of the brightness keys in percent.
const BRIGHTNESS_STEP: u8 = 10;

pub(super) fn action(name: &str, fields: &Fields) -> Result<Action, Misread> {
    let step = |step: u8| fields.amount().map(|amount| amount.unwrap_or(step));
    Ok(match name.to_ascii_uppercase().as_str() {
        "OPEN_APP" => Action::OpenApp { name: fields.target()? },
        "CLOSE_APP" => Action::CloseApp { name: fields.target()? },
        "OPEN_URL" => address(&fields.target()?)?,
        "OPEN_FOLDER" => Action::OpenFolder { path: fields.target()? },
        "VOLUME_UP" => Action::Volume(Level::Up(step(VOLUME_STEP)?)),
        "VOLUME_DOWN" => Action::Volume(Level::Down(step(VOLUME_STEP)?)),
        "VOLUME_MUTE" => Action::Volume(Level::ToggleMute),
        "VOLUME_UNMUTE" => Action::Volume(Level::Unmute),
        "VOLUME_SET" => Action::Volume(Level::Set(whole(fields)?)),
        "MEDIA_PLAY_PAUSE" => Action::Media(MediaKey::PlayPause),
        "MEDIA_PLAY" | "MEDIA_RESUME" => Action::Media(MediaKey::Play),
        "MEDIA_PAUSE" => Action::Media(MediaKey::Pause),
        "MEDIA_NEXT" => Action::Media(MediaKey::Next),
        "MEDIA_PREV" | "MEDIA_PREVIOUS" => Action::Media(MediaKey::Previous),
        "MEDIA_STOP" => Action::Media(MediaKey::Stop),
        "MEDIA_SHUFFLE" => Action::Media(MediaKey::Shuffle(switch(fields)?)),
        "MEDIA_REPEAT" => Action::Media(MediaKey::Repeat(repeat(&fields.target()?)?)),
        "MEDIA_SEEK" => Action::Media(MediaKey::Seek(seconds(&fields.target()?)?)),
        "MEDIA_STATUS" => Action::Media(MediaKey::Tell),
        "MEDIA_CONTROL" => Action::Media(media(&fields.target()?)?),
        "RUN_COMMAND" => command(fields)?,
        "KEY_PRESS" => Action::KeyPress { chord: chord(&fields.target()?)? },
        "BRIGHTNESS" => level(fields, BRIGHTNESS_STEP, false).map(Action::Brightness)?,
        "BRIGHTNESS_UP" => Action::Brightness(Level::Up(step(BRIGHTNESS_STEP)?)),
        "BRIGHTNESS_DOWN" => Action::Brightness(Level::Down(step(BRIGHTNESS_STEP)?)),
        "BRIGHTNESS_SET" => Action::Brightness(Level::Set(whole(fields)?)),
        "SCREEN_OFF" => Action::ScreenOff,
        "SCREENSHOT" => Action::Screenshot,
        "LOCK" => Action::Lock,
        "SUSPEND" => Action::Power(Power::Suspend),
        "REBOOT" => Action::Power(Power::Reboot),
        "SHUTDOWN" => Action::Power(Power::Shutdown),
        "WIFI" => Action::Radio(Radio::Wifi, switch(fields)?),
        "BLUETOOTH" => Action::Radio(Radio::Bluetooth, switch(fields)?),
        "NOTIFY" => notify(fields, fields.target()?)?,
        "DO_NOT_DISTURB" => Action::DoNotDisturb(switch(fields)?),
        "REPLY" => Action::Reply { text: fields.target()? },
        "FILE_OPEN" => file("open", fields)?,
        "FILE_LIST" => file("list", fields)?,
        "FILE_COPY" => file("copy", fields)?,
        "FILE_MOVE" => file("move", fields)?,
        "FILE_DELETE" => file("delete", fields)?,
        "FILE_MKDIR" => file("mkdir", fields)?,
        "UNDO" => Action::Undo { of: run(fields)? },
        "FILE_OP" => {
            let operation = fields.param("operation")?.ok_or(Misread::Missing("operation"))?;
            file(&operation.to_lowercase(), fields)?
        }
        "SYSTEM_OP" => system(fields)?,
        "VOLUME" => level(fields, VOLUME_STEP, true).map(Action::Volume)?,
        // The early Portuguese draft has one verb for programs, addresses and folders.
        "ABRIR" => open_anything(&fields.target()?)?,
        _ => {
            limit("action", name, 128)?;
            Action::Unknown { said: name.to_owned() }
        }
    })
}

fn open_anything(target: &str) -> Result<Action, Misread> {
    if target.starts_with('/') || target.starts_with('~') {
        Ok(Action::OpenFolder { path: target.to_owned() })
    } else if target.contains("://") || (target.contains('.') && !target.contains(' ')) {
        address(target)
    } else {
        Ok(Action::OpenApp { name: target.to_owned() })
    }
}

/// A web address, or the address of a new message. `https://` is prepended if there is no scheme (feature
/// M2).
fn address(target: &str) -> Result<Action, Misread> {
    let wrong = || {
        let said: String = target.chars().take(200).collect();
        match url::Url::parse_with_params("https://duckduckgo.com/", [("q", said.as_str())]) {
            Ok(search) if target.contains(' ') && !target.contains("://") => {
                Misread::NoAddress { said, search: search.into() }
            }
            _ => Misread::Value { field: "target", value: said, hint: Hint::WebAddress },
        }
    };
    // A browser's address bar drops some characters; the address that it opens could then differ from the one
    // that is shown.
    if target.chars().any(|c| c.is_control() || c.is_whitespace()) || target.starts_with('-') {
        return Err(wrong());
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
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(Action::OpenUrl { url }),
        Ok(url) if is_letter(&url) => Ok(Action::OpenUrl { url }),
        Ok(_) => Ok(Action::OpenStrangeUrl { url: target.to_owned() }),
        Err(_) => Err(wrong()),
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

fn command(fields: &Fields) -> Result<Action, Misread> {
    let target = fields.target.as_deref().ok_or(Misread::EmptyCommand)?;
    // Some models put the program in `target` and its arguments in `args`. They are joined so that both are
    // judged.
    let text = match &*fields.text {
        Some(args) => format!("{target} {args}"),
        None => target.to_owned(),
    };
    if let Some(name) = fields.params.keys().next() {
        return Err(Misread::Value {
            field: "params",
            value: name.chars().take(64).collect(),
            hint: Hint::WholeCommand,
        });
    }
    command_line(text)
}

/// A command line, read.
pub(super) fn command_line(text: String) -> Result<Action, Misread> {
    if text.trim().is_empty() {
        return Err(Misread::EmptyCommand);
    }
    if text.chars().count() > COMMAND_LIMIT || text.contains('\0') {
        return Err(Misread::Value {
            field: "target",
            value: text.chars().take(64).collect(),
            hint: Hint::ShorterCommand,
        });
    }
    let script = guarda_shell::read(&text, Dialect::Bash);
    Ok(Action::RunCommand { text, script })
}

fn whole(fields: &Fields) -> Result<u8, Misread> {
    match fields.target.as_deref() {
        Some(text) => percent(text),
        None => fields.percent()?.ok_or(Misread::Missing("target")),
    }
}

/// Reads `up`, `down`, `mute`, `50`, `+20`, `-20` … from `params.action`, the target, or plain `args`.
fn level(fields: &Fields, step: u8, sound: bool) -> Result<Level, Misread> {
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
            let number = self::percent(other.trim_start_matches(['+', '-'])).map_err(|_| Misread::Value {
                field: "action",
                value: other.chars().take(64).collect(),
                hint: Hint::Level,
            })?;
            match other.chars().next() {
                Some('+') => Level::Up(number),
                Some('-') => Level::Down(number),
                _ => Level::Set(number),
            }
        }
    })
}

fn media(target: &str) -> Result<MediaKey, Misread> {
    Ok(match target.to_lowercase().as_str() {
        "play" => MediaKey::Play,
        "pause" | "pausa" => MediaKey::Pause,
        "play-pause" | "play_pause" | "toca" | "toggle" => MediaKey::PlayPause,
        "next" | "proxima" | "próxima" => MediaKey::Next,
        "previous" | "prev" | "anterior" => MediaKey::Previous,
        "stop" | "para" | "parar" => MediaKey::Stop,
        other => {
            return Err(Misread::Value {
                field: "target",
                value: other.chars().take(64).collect(),
                hint: Hint::MediaKey,
            });
        }
    })
}

fn repeat(target: &str) -> Result<Repeat, Misread> {
    Ok(match target.to_lowercase().as_str() {
        "off" | "none" => Repeat::Off,
        "track" | "one" => Repeat::Track,
        "all" | "playlist" => Repeat::All,
        other => {
            return Err(Misread::Value {
                field: "target",
                value: other.chars().take(64).collect(),
                hint: Hint::Repeat,
            });
        }
    })
}

/// Reads `30`, `+30`, `-10`, `10s`; at most one hour.
fn seconds(target: &str) -> Result<i16, Misread> {
    let number = target.trim().trim_end_matches(['s', 'S']).trim_end();
    let number = number.strip_prefix('+').unwrap_or(number);
    let seconds = number.parse::<i16>().ok().filter(|seconds| (1..=3600).contains(&seconds.unsigned_abs()));
    seconds.ok_or_else(|| Misread::Value {
        field: "target",
        value: target.chars().take(32).collect(),
        hint: Hint::Seconds,
    })
}

/// The id of a run, from a reply (`id`) or the record (`audit_id`). Nothing, or `last`, means the latest run.
fn run(fields: &Fields) -> Result<Option<String>, Misread> {
    let told = fields.target.as_deref().or(fields.text.as_deref()).map(str::trim);
    let Some(id) = told.filter(|id| !id.is_empty() && !id.eq_ignore_ascii_case("last")) else {
        return Ok(None);
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.len() > RUN_LIMIT || !id.chars().all(plain) {
        return Err(Misread::Value {
            field: "target",
            value: id.chars().take(64).collect(),
            hint: Hint::Run,
        });
    }
    Ok(Some(id.to_owned()))
}

fn switch(fields: &Fields) -> Result<Switch, Misread> {
    let told = fields.param("action")?.or_else(|| fields.text.clone()).or_else(|| fields.target.clone());
    let told = told.unwrap_or_else(|| "toggle".to_owned()).to_lowercase();
    Ok(match told.trim() {
        "on" | "ligar" | "liga" | "true" => Switch::On,
        "off" | "desligar" | "desliga" | "false" => Switch::Off,
        "toggle" | "alternar" => Switch::Toggle,
        other => {
            return Err(Misread::Value {
                field: "action",
                value: other.chars().take(64).collect(),
                hint: Hint::Switch,
            });
        }
    })
}

fn notify(fields: &Fields, title: String) -> Result<Action, Misread> {
    let body = fields.param("body")?.or_else(|| fields.text.clone()).unwrap_or_default();
    limit("body", &body, FIELD_LIMIT)?;
    Ok(Action::Notify { title, body })
}

fn system(fields: &Fields) -> Result<Action, Misread> {
    let target = fields.target()?;
    // Here the target names the subject, and `params` says what to do with it.
    let about = fields.about();
    let action = match target.to_lowercase().as_str() {
        "volume" | "vol" => Action::Volume(level(&about, VOLUME_STEP, true)?),
        "brightness" | "brilho" => Action::Brightness(level(&about, BRIGHTNESS_STEP, false)?),
        "shutdown" | "desligar" => Action::Power(Power::Shutdown),
        "reboot" | "reiniciar" => Action::Power(Power::Reboot),
        "suspend" | "suspender" | "sleep" | "dormir" => Action::Power(Power::Suspend),
        "lock" | "bloquear" => Action::Lock,
        "wifi" => Action::Radio(Radio::Wifi, switch(&about)?),
        "bluetooth" | "bt" => Action::Radio(Radio::Bluetooth, switch(&about)?),
        "notification" | "notify" | "notificar" => {
            let title = about.param("title")?.unwrap_or_else(|| "Mascate".to_owned());
            notify(&about, title)?
        }
        other => {
            let said = format!("SYSTEM_OP {}", other.chars().take(64).collect::<String>());
            return Ok(Action::Unknown { said });
        }
    };
    about.all_seen()?;
    Ok(action)
}

fn file(operation: &str, fields: &Fields) -> Result<Action, Misread> {
    let path = fields.target()?;
    let to = || {
        let given = fields.param("destination")?.or_else(|| fields.text.clone());
        let given = given.ok_or(Misread::Missing("destination"))?;
        limit("destination", &given, FIELD_LIMIT)?;
        Ok(given)
    };
    Ok(Action::File(match operation {
        "open" => FileOperation::Open(path),
        "list" => FileOperation::List(path),
        "copy" => FileOperation::Copy { from: path, to: to()? },
        "move" => FileOperation::Move { from: path, to: to()? },
        "delete" => FileOperation::Delete(path),
        "mkdir" => FileOperation::MakeFolder(path),
        other => {
            return Err(Misread::Value {
                field: "operation",
                value: other.chars().take(64).collect(),
                hint: Hint::FileOperation,
            });
        }
    }))
}

/// A chord such as `ctrl+tab`: modifiers first, then one key, all from a closed list.
fn chord(target: &str) -> Result<Vec<String>, Misread> {
    let wrong =
        || Misread::Value { field: "target", value: target.chars().take(64).collect(), hint: Hint::Chord };
    let parts: Vec<String> = target.split('+').map(|part| part.trim().to_lowercase()).collect();
    let (key, modifiers) = parts.split_last().ok_or_else(wrong)?;
    let known_modifier = |name: &String| matches!(name.as_str(), "ctrl" | "shift" | "alt" | "super");
    if !modifiers.iter().all(known_modifier) || !known_key(key) {
        return Err(wrong());
    }
    Ok(parts)
}

fn known_key(key: &str) -> bool {
    const NAMED: &[&str] = &[
        "enter",
        "return",
        "space",
        "tab",
        "esc",
        "escape",
        "backspace",
        "delete",
        "insert",
        "home",
        "end",
        "pageup",
        "pagedown",
        "up",
        "down",
        "left",
        "right",
        "plus",
        "minus",
        "print",
    ];
    let mut chars = key.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => one.is_alphanumeric() || "-=[];',./\\`".contains(one),
        (Some('f'), Some(_)) => {
            key.get(1..).and_then(|n| n.parse::<u8>().ok()).is_some_and(|n| (1..=24).contains(&n))
        }
        _ => NAMED.contains(&key),
    }
}
