//! The vocabulary for models: a JSON Schema, and grammars (GBNF) that restrict a model's output to it. They
//! are a convenience, not a boundary: every request is parsed and judged as usual.

use serde_json::{Value, json};

use super::object::TargetForm;
use super::vocabulary::{ActionKind, ActionSpec, VOCABULARY};

/// Maximum length of a target in bytes; the parser's limit.
const TARGET: usize = 4096;
/// Maximum length of a run's id in bytes; the parser's limit.
const RUN: usize = 128;

/// A subset of the actions, for one kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The profile's name, and the name of the grammar file.
    pub name: &'static str,
    kinds: Option<&'static [ActionKind]>,
}

const WORK: &[ActionKind] = &[
    ActionKind::RunCommand,
    ActionKind::Notify,
    ActionKind::Reply,
    ActionKind::FileOpen,
    ActionKind::FileList,
    ActionKind::FileCopy,
    ActionKind::FileMove,
    ActionKind::FileDelete,
    ActionKind::FileMkdir,
    ActionKind::Undo,
    ActionKind::Unknown,
];
const COMMANDS: &[ActionKind] =
    &[ActionKind::RunCommand, ActionKind::Reply, ActionKind::Undo, ActionKind::Unknown];

/// The offers, named after the profiles. The desktop offers every action, the others those that make sense
/// there.
pub const OFFERS: [Offer; 4] = [
    Offer { name: "desktop", kinds: None },
    Offer { name: "workspace", kinds: Some(WORK) },
    Offer { name: "forensics", kinds: Some(COMMANDS) },
    Offer { name: "container", kinds: Some(COMMANDS) },
];

impl Offer {
    /// The rows of the vocabulary that this offer includes, in the table's order.
    pub fn entries(self) -> impl Iterator<Item = &'static ActionSpec> {
        VOCABULARY.iter().filter(move |entry| self.kinds.is_none_or(|kinds| kinds.contains(&entry.kind)))
    }

    /// The offer with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        OFFERS.into_iter().find(|offer| offer.name == name)
    }
}

/// The JSON Schema of an action in this offer.
#[must_use]
pub fn schema(offer: Offer) -> Value {
    let text = json!({ "type": ["string", "null"], "maxLength": TARGET });
    let more = json!({ "type": ["string", "number", "object", "null"] });
    let variant = |entry: &ActionSpec| {
        let target = match entry.form {
            TargetForm::Nothing => json!({ "type": ["string", "null"], "maxLength": TARGET }),
            TargetForm::Text | TargetForm::Destination => {
                json!({ "type": "string", "minLength": 1, "maxLength": TARGET, "description": entry.target })
            }
            TargetForm::Percent => json!({ "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 100 },
                { "type": "string", "pattern": "^[0-9]{1,3}%?$" },
            ], "description": entry.target }),
            TargetForm::Step => json!({ "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 100 },
                { "type": "string", "pattern": "^[0-9]{1,3}%?$" },
                { "type": "null" },
            ], "description": entry.target }),
            TargetForm::Level => json!({ "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 100 },
                { "type": "string", "pattern": "^(up|down|[+-]?[0-9]{1,3}%?)$" },
            ], "description": entry.target }),
            TargetForm::Switch => json!({ "enum": ["on", "off", "toggle"], "description": entry.target }),
            TargetForm::Repeat => json!({ "enum": ["off", "track", "all"], "description": entry.target }),
            TargetForm::Seconds => {
                json!({ "type": "integer", "minimum": -3600, "maximum": 3600, "description": entry.target })
            }
            TargetForm::Run => json!({ "anyOf": [
                { "type": "string", "maxLength": RUN, "pattern": "^([0-9A-Za-z._-]+|since [0-2][0-9]:[0-5][0-9])$" },
                { "type": "null" },
            ], "description": entry.target }),
        };
        let mut properties = json!({ "action": { "const": entry.name }, "target": target });
        let mut required = vec!["action"];
        if !matches!(entry.form, TargetForm::Nothing | TargetForm::Run | TargetForm::Step) {
            required.push("target");
        }
        if entry.form == TargetForm::Destination
            && let Some(fields) = properties.as_object_mut()
        {
            let destination = json!({ "type": "string", "minLength": 1, "maxLength": TARGET });
            let params = json!({ "type": "object", "properties": { "destination": destination },
                "required": ["destination"], "additionalProperties": false });
            fields.insert("params".to_owned(), params);
            required.push("params");
        }
        json!({ "description": entry.does, "properties": properties, "required": required })
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Action",
        "description": "What a model may ask the guard for",
        "type": "object",
        "properties": {
            "action": { "enum": offer.entries().map(|entry| entry.name).collect::<Vec<_>>() },
            "target": { "description": "What it is done to" },
            "args": more, "params": more,
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            "requires_confirmation": { "type": "boolean" },
            "reasoning": text, "session": { "type": ["string", "null"], "maxLength": 64 },
            "cwd": text, "language": { "enum": ["pt-BR", "en", "fr", null] },
        },
        "required": ["action"],
        "additionalProperties": false,
        "oneOf": offer.entries().map(variant).collect::<Vec<_>>(),
    })
}

/// The tools of this offer in the form of the OpenAI API, one for each action.
#[must_use]
pub fn tools(offer: Offer) -> Vec<Value> {
    let tool = |entry: &ActionSpec| {
        let target = json!({ "type": "string", "description": entry.target });
        let destination = json!({ "type": "object", "required": ["destination"],
            "properties": { "destination": { "type": "string", "description": "path" } } });
        let (properties, required) = match entry.form {
            TargetForm::Nothing => (json!({}), json!([])),
            TargetForm::Destination => {
                (json!({ "target": target, "params": destination }), json!(["target", "params"]))
            }
            TargetForm::Text
            | TargetForm::Percent
            | TargetForm::Level
            | TargetForm::Switch
            | TargetForm::Repeat
            | TargetForm::Seconds => (json!({ "target": target }), json!(["target"])),
            TargetForm::Run | TargetForm::Step => (json!({ "target": target }), json!([])),
        };
        json!({ "type": "function", "function": {
            "name": entry.name, "description": entry.does,
            "parameters": { "type": "object", "properties": properties, "required": required },
        } })
    };
    offer.entries().filter(|entry| entry.kind != ActionKind::Unknown).map(tool).collect()
}

/// The grammar of an action in this offer: one JSON object, its fields in the order of feature M13.
#[must_use]
pub fn actions(offer: Offer) -> String {
    written(offer, "claims ")
}

/// The same grammar without the claims about the action. The model writes less and finishes sooner.
#[must_use]
pub fn bare_actions(offer: Offer) -> String {
    written(offer, "")
}

fn written(offer: Offer, claims: &str) -> String {
    let mut rules = String::new();
    let mut names = Vec::new();
    for entry in offer.entries() {
        let name = entry.kind.id();
        let target: &str = entry.form.into();
        rules.push_str(&format!("{name} ::= \"\\\"{}\\\"\" {target}\n", entry.name));
        names.push(name);
    }
    format!(
        "# Actions of the offer \"{}\". Made from the vocabulary by `make docs`.\n\
         root ::= \"{{\" ws \"\\\"action\\\"\" colon ( {} ) {claims}ws \"}}\"\n{rules}{COMMON}",
        offer.name,
        names.join(" | ")
    )
}

/// Rules that all grammars of actions share. Texts contain no control characters, and quotes and backslashes
/// are escaped.
const COMMON: &str = r##"no-target ::= ( comma "\"target\"" colon "null" )?
target ::= comma "\"target\"" colon text
percent ::= comma "\"target\"" colon ( number | "\"" number "%"? "\"" )
step ::= ( comma "\"target\"" colon ( number | "\"" number "%"? "\"" | "null" ) )?
level ::= comma "\"target\"" colon ( number | "\"" [-+]? number "%"? "\"" | "\"up\"" | "\"down\"" )
switch ::= comma "\"target\"" colon ( "\"on\"" | "\"off\"" | "\"toggle\"" )
repeat ::= comma "\"target\"" colon ( "\"off\"" | "\"track\"" | "\"all\"" )
seconds ::= comma "\"target\"" colon "-"? [1-9] [0-9]? [0-9]?
run ::= ( comma "\"target\"" colon ( "null" | "\"" [-0-9A-Za-z._]+ "\"" | "\"since " [0-2] [0-9] ":" [0-5] [0-9] "\"" ) )?
destination ::= comma "\"params\"" colon "{" ws "\"destination\"" colon text ws "}"
claims ::= confidence? asks? reasoning?
confidence ::= comma "\"confidence\"" colon ( "1.0" | "1" | "0" | "0." [0-9] [0-9]? )
asks ::= comma "\"requires_confirmation\"" colon ( "true" | "false" )
reasoning ::= comma "\"reasoning\"" colon text
number ::= "100" | [1-9] [0-9]? | "0"
text ::= "\"" char+ "\""
char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/]
comma ::= ws "," ws
colon ::= ws ":" ws
ws ::= [ \n]?
"##;

/// The grammar of an answer to "shall I?", for a model that listens. An unclear answer is asked about once
/// more and then counts as no.
#[must_use]
pub fn confirm() -> String {
    "# An answer to a question of yes or no. Made by `make docs`.\n\
     root ::= \"{\" ws \"\\\"answer\\\"\" ws \":\" ws ( \"\\\"yes\\\"\" | \"\\\"no\\\"\" | \"\\\"unclear\\\"\" ) ws \"}\"\n\
     ws ::= [ \\n]?\n"
        .to_owned()
}

/// Every grammar, by the name of its file.
#[must_use]
pub fn grammars() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        OFFERS.iter().map(|offer| (format!("actions-{}.gbnf", offer.name), actions(*offer))).collect();
    all.push(("confirm.gbnf".to_owned(), confirm()));
    all
}
