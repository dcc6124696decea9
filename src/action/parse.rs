//! From a request to an action: a closed set, never a guess. What is not understood is an error or `Unknown`.

use serde_json::{Map, Value};

use super::kinds::{Action, FileOperation, Level, MediaKey, Power, Radio, Switch};
use super::request::Request;
use super::script::Dialect;

/// An action and what its caller says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What is asked for.
    pub action: Action,
    /// What the caller claims; it can only make the verdict stricter.
    pub claims: Claims,
}

/// What a caller says of its own action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// How sure the model is, 0 to 1.
    pub confidence: Option<f64>,
    /// The model itself wants a person to be asked.
    pub requires_confirmation: bool,
    /// Why, in the model's words.
    pub reasoning: Option<String>,
    /// The conversation: letters, digits, `-`, `_` and `.`, at most 64.
    pub session: Option<String>,
    /// The folder to run in, as given.
    pub cwd: Option<String>,
    /// The language asked for, as given.
    pub language: Option<String>,
    /// How far the command is to be kept in, at least.
    pub sandbox: Option<super::custody::Profile>,
}

/// The request could not be understood; the caller must mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// A field is missing.
    #[error("the field \"{0}\" is missing")]
    Missing(&'static str),
    /// A field has the wrong type.
    #[error("the field \"{field}\" must be {expected}")]
    Type {
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A field's value is not one of those that have a meaning.
    #[error("\"{value}\" is not a value for \"{field}\": {hint}")]
    Value {
        /// The field.
        field: &'static str,
        /// What was given.
        value: String,
        /// What would be understood.
        hint: &'static str,
    },
    /// The command line is empty.
    #[error("the command is empty; write it in \"target\"")]
    EmptyCommand,
    /// Two fields say the same thing differently.
    #[error("\"args\" and \"params\" are two names of one field; give only one")]
    Twice,
}

/// Longest text of any field but a command, in bytes.
const FIELD_LIMIT: usize = 4096;
/// Longest command line, in characters (feature B8).
const COMMAND_LIMIT: usize = 4096;
/// Step of the volume keys in percent, as `pactl` is called in the seed's project.
const VOLUME_STEP: u8 = 5;
/// Step of the brightness in percent.
const BRIGHTNESS_STEP: u8 = 10;

impl Proposal {
    /// Understands a request.
    ///
    /// # Errors
    /// [`Misread`] says which field is wrong and what would be understood.
    pub fn parse(request: Request) -> Result<Self, Misread> {
        let claims = claims(&request)?;
        let name = request.action.as_deref().map(str::trim).ok_or(Misread::Missing("action"))?;
        if name.is_empty() {
            return Err(Misread::Missing("action"));
        }
        let fields = Fields::new(&request)?;
        Ok(Self { action: action(name, &fields)?, claims })
    }
}

fn claims(request: &Request) -> Result<Claims, Misread> {
    if let Some(confidence) = request.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        return Err(Misread::Value {
            field: "confidence",
            value: confidence.to_string(),
            hint: "a number from 0 to 1",
        });
    }
    if let Some(session) = &request.session {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if session.is_empty() || session.len() > 64 || session.starts_with('.') || !session.chars().all(plain)
        {
            return Err(Misread::Value {
                field: "session",
                value: session.chars().take(64).collect(),
                hint: "1 to 64 letters, digits, '-', '_' or '.', not beginning with '.'",
            });
        }
    }
    limit("reasoning", request.reasoning.as_deref().unwrap_or_default(), 4 * FIELD_LIMIT)?;
    limit("cwd", request.cwd.as_deref().unwrap_or_default(), FIELD_LIMIT)?;
    Ok(Claims {
        confidence: request.confidence,
        requires_confirmation: request.requires_confirmation.unwrap_or(false),
        reasoning: request.reasoning.clone().filter(|text| !text.trim().is_empty()),
        session: request.session.clone(),
        cwd: request.cwd.clone().filter(|text| !text.is_empty()),
        language: request.language.clone(),
        sandbox: request.sandbox.as_deref().map(sandbox).transpose()?,
    })
}

fn sandbox(text: &str) -> Result<super::custody::Profile, Misread> {
    text.parse().map_err(|_| Misread::Value {
        field: "sandbox",
        value: text.chars().take(64).collect(),
        hint: "write \"none\", \"confined\" or \"isolated\"; what the configuration says is the least",
    })
}

fn limit(field: &'static str, text: &str, most: usize) -> Result<(), Misread> {
    if text.len() > most || text.contains('\0') {
        return Err(Misread::Value {
            field,
            value: String::new(),
            hint: "shorter text without NUL characters",
        });
    }
    Ok(())
}

/// `target` and `args`, whichever way they were written.
struct Fields {
    target: Option<String>,
    text: Option<String>,
    params: Map<String, Value>,
}

impl Fields {
    fn new(request: &Request) -> Result<Self, Misread> {
        let target = match &request.target {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(_) => return Err(Misread::Type { field: "target", expected: "text or null" }),
        };
        let said = |value: &Option<Value>| value.clone().filter(|value| !value.is_null());
        let args = match (said(&request.args), said(&request.params)) {
            (Some(_), Some(_)) => return Err(Misread::Twice),
            (Some(value), None) | (None, Some(value)) => Some(value),
            (None, None) => None,
        };
        let (text, params) = match args {
            None => (None, Map::new()),
            Some(Value::String(text)) => (Some(text).filter(|text| !text.is_empty()), Map::new()),
            Some(Value::Number(number)) => (Some(number.to_string()), Map::new()),
            Some(Value::Object(map)) => (None, map),
            Some(_) => {
                return Err(Misread::Type { field: "args", expected: "text, a number, an object or null" });
            }
        };
        Ok(Self { target: target.filter(|text| !text.trim().is_empty()), text, params })
    }

    /// The target, which this action needs.
    fn target(&self) -> Result<String, Misread> {
        let target = self.target.as_deref().ok_or(Misread::Missing("target"))?;
        limit("target", target, FIELD_LIMIT)?;
        Ok(target.trim().to_owned())
    }

    /// A named parameter as text.
    fn param(&self, name: &'static str) -> Result<Option<String>, Misread> {
        let text = match self.params.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(yes)) => yes.to_string(),
            Some(_) => return Err(Misread::Type { field: name, expected: "text" }),
        };
        limit(name, &text, FIELD_LIMIT)?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// A percentage, from `params.value` or plain `args`.
    fn percent(&self) -> Result<Option<u8>, Misread> {
        self.param("value")?.or_else(|| self.text.clone()).map(|text| percent(&text)).transpose()
    }
}

fn percent(text: &str) -> Result<u8, Misread> {
    let digits = text.trim().trim_start_matches(['+', '-']).trim_end_matches('%').trim();
    match digits.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to lie in 0..=100"
            )]
            let whole = number.round() as u8;
            Ok(whole)
        }
        _ => Err(Misread::Value { field: "value", value: text.chars().take(32).collect(), hint: "0 to 100" }),
    }
}

fn action(name: &str, fields: &Fields) -> Result<Action, Misread> {
    let step = |step: u8| fields.percent().map(|percent| percent.unwrap_or(step));
    Ok(match name.to_ascii_uppercase().as_str() {
        "OPEN_APP" => Action::OpenApp { name: fields.target()? },
        "OPEN_URL" => address(&fields.target()?)?,
        "OPEN_FOLDER" => Action::OpenFolder { path: fields.target()? },
        "VOLUME_UP" => Action::Volume(Level::Up(step(VOLUME_STEP)?)),
        "VOLUME_DOWN" => Action::Volume(Level::Down(step(VOLUME_STEP)?)),
        "VOLUME_MUTE" => Action::Volume(Level::ToggleMute),
        "VOLUME_UNMUTE" => Action::Volume(Level::Unmute),
        "VOLUME_SET" => Action::Volume(Level::Set(whole(fields)?)),
        "MEDIA_PLAY_PAUSE" => Action::Media(MediaKey::PlayPause),
        "MEDIA_NEXT" => Action::Media(MediaKey::Next),
        "MEDIA_PREV" | "MEDIA_PREVIOUS" => Action::Media(MediaKey::Previous),
        "MEDIA_STOP" => Action::Media(MediaKey::Stop),
        "MEDIA_CONTROL" => Action::Media(media(&fields.target()?)?),
        "RUN_COMMAND" => command(fields)?,
        "KEY_PRESS" => Action::KeyPress { chord: chord(&fields.target()?)? },
        "BRIGHTNESS" => level(fields, BRIGHTNESS_STEP, false).map(Action::Brightness)?,
        "BRIGHTNESS_UP" => Action::Brightness(Level::Up(step(BRIGHTNESS_STEP)?)),
        "BRIGHTNESS_DOWN" => Action::Brightness(Level::Down(step(BRIGHTNESS_STEP)?)),
        "BRIGHTNESS_SET" => Action::Brightness(Level::Set(whole(fields)?)),
        "LOCK" => Action::Lock,
        "SUSPEND" => Action::Power(Power::Suspend),
        "REBOOT" => Action::Power(Power::Reboot),
        "SHUTDOWN" => Action::Power(Power::Shutdown),
        "WIFI" => Action::Radio(Radio::Wifi, switch(fields)?),
        "BLUETOOTH" => Action::Radio(Radio::Bluetooth, switch(fields)?),
        "NOTIFY" => notify(fields, fields.target()?)?,
        "REPLY" => Action::Reply { text: fields.target()? },
        "FILE_OPEN" => file("open", fields)?,
        "FILE_LIST" => file("list", fields)?,
        "FILE_COPY" => file("copy", fields)?,
        "FILE_MOVE" => file("move", fields)?,
        "FILE_DELETE" => file("delete", fields)?,
        "FILE_MKDIR" => file("mkdir", fields)?,
        "FILE_OP" => {
            let operation = fields.param("operation")?.ok_or(Misread::Missing("operation"))?;
            file(&operation.to_lowercase(), fields)?
        }
        "SYSTEM_OP" => system(fields)?,
        "VOLUME" => level(fields, VOLUME_STEP, true).map(Action::Volume)?,
        // The early Portuguese draft: one verb for programs, addresses and folders.
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

/// A web address; `https://` is put in front where no scheme stands (seed 002, dispatch table).
fn address(target: &str) -> Result<Action, Misread> {
    let wrong = || Misread::Value {
        field: "target",
        value: target.chars().take(200).collect(),
        hint: "a web address, such as https://example.org/page",
    };
    // Characters that a browser's address bar drops could make another address of it than the one that is shown.
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
        Ok(_) => Ok(Action::OpenStrangeUrl { url: target.to_owned() }),
        Err(_) => Err(wrong()),
    }
}

fn command(fields: &Fields) -> Result<Action, Misread> {
    let target = fields.target.as_deref().ok_or(Misread::EmptyCommand)?;
    // Some models put the program in `target` and its words in `args`: read together, so that both are judged.
    let text = match &fields.text {
        Some(args) => format!("{target} {args}"),
        None => target.to_owned(),
    };
    if let Some(name) = fields.params.keys().next() {
        return Err(Misread::Value {
            field: "params",
            value: name.chars().take(64).collect(),
            hint: "RUN_COMMAND takes its whole command line in \"target\"",
        });
    }
    if text.trim().is_empty() {
        return Err(Misread::EmptyCommand);
    }
    if text.chars().count() > COMMAND_LIMIT || text.contains('\0') {
        return Err(Misread::Value {
            field: "target",
            value: text.chars().take(64).collect(),
            hint: "a command has at most 4096 characters, and no NUL; put a longer text into a file and run that",
        });
    }
    let script = super::shell::read(&text, Dialect::Bash);
    Ok(Action::RunCommand { text, script })
}

fn whole(fields: &Fields) -> Result<u8, Misread> {
    match fields.target.as_deref() {
        Some(text) => percent(text),
        None => fields.percent()?.ok_or(Misread::Missing("target")),
    }
}

/// `up`, `down`, `mute`, `50` … from `params.action`, or from the target, or from plain `args`.
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
        other => Level::Set(self::percent(other).map_err(|_| Misread::Value {
            field: "action",
            value: other.chars().take(64).collect(),
            hint: "up, down, set, mute, unmute, toggle, or a number from 0 to 100",
        })?),
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
                hint: "play, pause, play-pause, next, previous or stop",
            });
        }
    })
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
                hint: "on, off or toggle",
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
    // The target names the subject here; what to do with it stands in `params`.
    let about = Fields { target: None, text: fields.text.clone(), params: fields.params.clone() };
    Ok(match target.to_lowercase().as_str() {
        "volume" | "vol" => Action::Volume(level(&about, VOLUME_STEP, true)?),
        "brightness" | "brilho" => Action::Brightness(level(&about, BRIGHTNESS_STEP, false)?),
        "shutdown" | "desligar" => Action::Power(Power::Shutdown),
        "reboot" | "reiniciar" => Action::Power(Power::Reboot),
        "suspend" | "suspender" | "sleep" | "dormir" => Action::Power(Power::Suspend),
        "lock" | "bloquear" => Action::Lock,
        "wifi" => Action::Radio(Radio::Wifi, switch(&about)?),
        "bluetooth" | "bt" => Action::Radio(Radio::Bluetooth, switch(&about)?),
        "notification" | "notify" | "notificar" => {
            let title = fields.param("title")?.unwrap_or_else(|| "Mascate".to_owned());
            notify(&about, title)?
        }
        other => {
            Action::Unknown { said: format!("SYSTEM_OP {}", other.chars().take(64).collect::<String>()) }
        }
    })
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
                hint: "open, list, copy, move, delete or mkdir",
            });
        }
    }))
}

/// A chord such as `ctrl+tab`: modifiers first, one key last, names from a closed list.
fn chord(target: &str) -> Result<Vec<String>, Misread> {
    let wrong = || Misread::Value {
        field: "target",
        value: target.chars().take(64).collect(),
        hint: "one key, or modifiers and a key joined by '+', such as ctrl+tab, alt+f4, y",
    };
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
