//! `target` and `args` of a request, in every accepted spelling.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Deref;

use serde_json::{Map, Value};

use super::hint::Hint;
use super::misread::Misread;
use crate::action::request::Request;
use crate::action::slip::is_slip;

/// Maximum length of any text field except a command, in bytes.
pub(super) const FIELD_LIMIT: usize = 4096;

/// `target` and `args` in one form. Each field remembers whether it was read: a field that the action never
/// reads has no meaning for it and is refused instead of ignored.
pub(in crate::action) struct Fields {
    pub(in crate::action) target: Told,
    pub(in crate::action) text: Told,
    pub(in crate::action) params: Map<String, Value>,
    /// The parameter names that the action reads.
    known: RefCell<BTreeSet<&'static str>>,
    /// True if another reader reads the parameters of these fields.
    passed_on: Cell<bool>,
}

/// A text that remembers whether it was read.
#[derive(Default)]
pub(in crate::action) struct Told {
    text: Option<String>,
    seen: Cell<bool>,
}

impl From<Option<String>> for Told {
    fn from(text: Option<String>) -> Self {
        Self { text, seen: Cell::new(false) }
    }
}

impl Deref for Told {
    type Target = Option<String>;

    fn deref(&self) -> &Self::Target {
        self.seen.set(true);
        &self.text
    }
}

impl Told {
    fn unseen(&self) -> bool {
        self.text.is_some() && !self.seen.get()
    }
}

impl Fields {
    pub(in crate::action) fn new(request: &Request) -> Result<Self, Misread> {
        let target = match &request.target {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(_) => return Err(Misread::Type { field: "target", expected: Hint::TextOrNull }),
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
                return Err(Misread::Type { field: "args", expected: Hint::Arguments });
            }
        };
        let target = target.filter(|text| !text.trim().is_empty());
        Ok(Self {
            target: target.into(),
            text: text.into(),
            params,
            known: RefCell::default(),
            passed_on: Cell::default(),
        })
    }

    /// These fields without the target, which named a subject.
    pub(in crate::action) fn about(&self) -> Self {
        let (text, params) = (self.text.clone().into(), self.params.clone());
        self.passed_on.set(true);
        Self { target: Told::default(), text, params, known: RefCell::default(), passed_on: Cell::default() }
    }

    /// Checks that every given field was read.
    ///
    /// # Errors
    /// The first field that was not read.
    pub(in crate::action) fn all_seen(&self) -> Result<(), Misread> {
        let known = self.known.borrow();
        let unknown = |(name, value): &(&String, &Value)| !value.is_null() && !known.contains(name.as_str());
        let field = match self.params.iter().find(unknown).filter(|_| !self.passed_on.get()) {
            Some((name, _)) => name.chars().take(64).collect(),
            None if self.target.unseen() => "target".to_owned(),
            None if self.text.unseen() => "args".to_owned(),
            None => return Ok(()),
        };
        let meant = known.iter().copied().find(|name| is_slip(name, &field));
        Err(Misread::Unread { field, meant })
    }

    /// The target, which is required for this action.
    pub(in crate::action) fn target(&self) -> Result<String, Misread> {
        let target = self.target.as_deref().ok_or(Misread::Missing("target"))?;
        limit("target", target, FIELD_LIMIT)?;
        Ok(target.trim().to_owned())
    }

    /// A named parameter as text.
    pub(in crate::action) fn param(&self, name: &'static str) -> Result<Option<String>, Misread> {
        self.known.borrow_mut().insert(name);
        let text = match self.params.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(yes)) => yes.to_string(),
            Some(_) => return Err(Misread::Type { field: name, expected: Hint::Text }),
        };
        limit(name, &text, FIELD_LIMIT)?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// A percentage, from `params.value` (also called `percent` or `amount`) or plain `args`.
    pub(in crate::action) fn percent(&self) -> Result<Option<u8>, Misread> {
        let mut named = None;
        for name in ["value", "percent", "amount"] {
            match (self.param(name)?, &named) {
                (Some(_), Some(_)) => return Err(Misread::Type { field: name, expected: Hint::Once }),
                (Some(text), None) => named = Some(text),
                (None, _) => {}
            }
        }
        named.or_else(|| self.text.clone()).map(|text| percent(&text)).transpose()
    }

    /// The size of a relative change in percent: the target, or the value of [`Fields::percent`].
    pub(in crate::action) fn amount(&self) -> Result<Option<u8>, Misread> {
        match (self.target.as_deref(), self.percent()?) {
            (Some(_), Some(_)) => Err(Misread::Type { field: "target", expected: Hint::OnlyAmount }),
            (Some(target), None) => percent(target).map(Some),
            (None, amount) => Ok(amount),
        }
    }

    /// The same, with a usual size.
    pub(in crate::action) fn step(&self, usual: u8) -> Result<u8, Misread> {
        self.amount().map(|amount| amount.unwrap_or(usual))
    }
}

pub(in crate::action) fn percent(text: &str) -> Result<u8, Misread> {
    let digits = text.trim().trim_start_matches('+').trim_end_matches('%').trim();
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
        _ => Err(Misread::Value {
            field: "value",
            value: text.chars().take(32).collect(),
            hint: Hint::Percent,
        }),
    }
}

/// Checks the length of a text.
pub(in crate::action) fn limit(field: &'static str, text: &str, most: usize) -> Result<(), Misread> {
    if text.len() > most || text.contains('\0') {
        return Err(Misread::Value { field, value: String::new(), hint: Hint::ShorterText });
    }
    Ok(())
}
