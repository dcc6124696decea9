//! Turns a request into an action of the closed set without guessing. An unknown field is an error; an
//! unknown name becomes `Unknown`.

pub(super) mod fields;
pub(super) mod hint;
pub(super) mod misread;
pub(super) mod read;

use super::request::{AT, Request, is_session_name};
use super::vocabulary::{Action, action};
use fields::{FIELD_LIMIT, Fields, limit};
pub use hint::Hint;
pub use misread::Misread;

/// An action with its caller's claims.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The requested action.
    pub action: Action,
    /// The caller's claims. They can only make the verdict stricter.
    pub claims: Claims,
}

/// What a caller says about its own action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// How sure the model is, 0 to 1.
    pub confidence: Option<f64>,
    /// Whether the model wants a person to be asked.
    pub requires_confirmation: bool,
    /// The reason, in the model's words.
    pub reasoning: Option<String>,
    /// The conversation: letters, digits, `-`, `_` and `.`, at most 64.
    pub session: Option<String>,
    /// The person's message that it follows from, by any name that differs from those of the session's other messages: letters, digits,
    /// `-`, `_` and `.`, at most 64.
    pub turn: Option<String>,
    /// The folder to run in, as given.
    pub cwd: Option<String>,
    /// The requested language, as given.
    pub language: Option<String>,
    /// The minimum sandbox level for the command.
    pub sandbox: Option<super::custody::SandboxLevel>,
    /// Whether the caller wants the output in full.
    pub whole_output: bool,
    /// A search path for programs that replaces the guard's own.
    pub search_path: Option<String>,
}

impl Proposal {
    /// Parses a request.
    ///
    /// ```
    /// use guarda_core::action::{Action, Proposal, Request};
    ///
    /// let request: Request = serde_json::from_str(r#"{"action": "RUN_COMMAND", "target": "ls -l"}"#)?;
    /// let proposal = Proposal::parse(request)?;
    /// assert!(matches!(proposal.action, Action::RunCommand { .. }));
    /// assert!(Proposal::parse(Request::default()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Misread`] names the wrong field and the values that would be understood.
    pub fn parse(request: Request) -> Result<Self, Misread> {
        let claims = claims(&request)?;
        let name = request.action.as_deref().map(str::trim).ok_or(Misread::Missing("action"))?;
        if name.is_empty() {
            return Err(Misread::Missing("action"));
        }
        let fields = Fields::new(&request)?;
        let action = action(name, &fields)?;
        if !matches!(action, Action::Unknown { .. }) {
            fields.all_seen()?;
        }
        Ok(Self { action, claims })
    }

    /// The same request and claims with another command line.
    ///
    /// # Errors
    /// [`Misread`] if the text cannot be a command line or the action is not a command.
    pub fn with_command(&self, text: &str) -> Result<Self, Misread> {
        if !matches!(self.action, Action::RunCommand { .. }) {
            return Err(Misread::Type { field: "action", expected: Hint::Command });
        }
        let (text, script) = read::command_line(text.to_owned())?;
        Ok(Self { action: Action::RunCommand { text, script }, claims: self.claims.clone() })
    }
}

fn claims(request: &Request) -> Result<Claims, Misread> {
    if let Some(confidence) = request.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        return Err(Misread::Value {
            field: "confidence",
            value: confidence.to_string(),
            hint: Hint::Confidence,
        });
    }
    if let Some(session) = request.session.as_ref().filter(|session| !is_session_name(session)) {
        return Err(Misread::value("session", session, Hint::Session));
    }
    if let Some(turn) = request.turn.as_ref().filter(|turn| turn.contains(AT) || !is_session_name(turn)) {
        return Err(Misread::value("turn", turn, Hint::Session));
    }
    limit("reasoning", request.reasoning.as_deref().unwrap_or_default(), 4 * FIELD_LIMIT)?;
    limit("cwd", request.cwd.as_deref().unwrap_or_default(), FIELD_LIMIT)?;
    Ok(Claims {
        confidence: request.confidence,
        requires_confirmation: request.requires_confirmation.unwrap_or(false),
        reasoning: request.reasoning.clone().filter(|text| !text.trim().is_empty()),
        session: request.session.clone(),
        turn: request.turn.clone(),
        cwd: request.cwd.clone().filter(|text| !text.is_empty()),
        language: request.language.clone(),
        sandbox: request.sandbox.as_deref().map(sandbox).transpose()?,
        whole_output: request.whole_output.unwrap_or(false),
        search_path: request.search_path.clone(),
    })
}

fn sandbox(text: &str) -> Result<super::custody::SandboxLevel, Misread> {
    text.parse().map_err(|_| Misread::value("sandbox", text, Hint::Sandbox))
}
