//! The vocabulary for models: a JSON Schema, and grammars (GBNF) that restrict a model's output to it. They
//! are a convenience, not a boundary: every request is parsed and judged as usual.

use serde_json::{Value, json};

use super::object::TargetForm;
use super::vocabulary::{ActionKind, ActionSpec, VOCABULARY};

/// Maximum length of a target in bytes; the parser's limit.
const TARGET: usize = 4096;
/// Maximum length of a run's id in bytes; the parser's limit.
const RUN: usize = 128;
/// A chord: modifiers, then one key of those that the parser knows.
const CHORD: &str = "^((ctrl|shift|alt|super)\\+){0,4}([a-z0-9]|f([1-9]|1[0-9]|2[0-4])|enter|space|tab|escape|backspace|\
    delete|insert|home|end|pageup|pagedown|up|down|left|right|plus|minus|print)$";

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

/// The JSON Schema of a request in this offer: one alternative for each action, with exactly its fields.
#[must_use]
pub fn schema(offer: Offer) -> Value {
    described(offer, &claims())
}

/// The same as one plain object, for clients whose tools take nothing else. It admits more than is understood.
#[must_use]
pub fn flat_schema(offer: Offer) -> Value {
    let mut fields = serde_json::Map::new();
    fields.insert(
        "action".to_owned(),
        json!({ "enum": offer.entries().map(|entry| entry.name).collect::<Vec<_>>() }),
    );
    fields.insert(
        "target".to_owned(),
        json!({ "type": ["string", "number", "null"], "description": "What it is done to" }),
    );
    for name in ["args", "params"] {
        fields.insert(name.to_owned(), json!({ "type": ["string", "number", "object", "null"] }));
    }
    fields.extend(claims().as_object().cloned().unwrap_or_default());
    json!({ "type": "object", "description": "What a model may ask the guard for", "properties": fields,
        "required": ["action"], "additionalProperties": false })
}

/// The fields that say something about a request besides its action.
fn claims() -> Value {
    let text = json!({ "type": ["string", "null"], "maxLength": TARGET });
    json!({
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "requires_confirmation": { "type": "boolean" },
        "reasoning": text, "session": { "type": ["string", "null"], "pattern": "^[0-9A-Za-z_-][0-9A-Za-z_.-]{0,63}$" },
        "cwd": text, "language": { "enum": ["pt-BR", "en", "fr", null] },
    })
}

/// The same without the claims about the action, for a model: it writes less and finishes sooner.
#[must_use]
pub fn bare_schema(offer: Offer) -> Value {
    described(offer, &json!({}))
}

fn described(offer: Offer, claims: &Value) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Action",
        "description": "What a model may ask the guard for",
        "type": "object",
        "oneOf": offer.entries().map(|entry| alternative(entry, claims)).collect::<Vec<_>>(),
    })
}

/// The schema of one action.
fn alternative(entry: &ActionSpec, claims: &Value) -> Value {
    let percent = json!({ "type": "integer", "minimum": 0, "maximum": 100 });
    let written = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let target = match entry.form {
        TargetForm::Nothing => json!({ "type": "null" }),
        TargetForm::Text | TargetForm::Destination => {
            json!({ "type": "string", "minLength": 1, "maxLength": TARGET })
        }
        TargetForm::Chord => written(CHORD),
        TargetForm::Heard => json!({ "type": ["string", "null"], "maxLength": TARGET }),
        TargetForm::Percent => json!({ "anyOf": [percent, written("^(100|[0-9]{1,2})%?$")] }),
        TargetForm::Step => {
            json!({ "anyOf": [percent, written("^(100|[0-9]{1,2})%?$"), { "type": "null" }] })
        }
        TargetForm::Level => {
            json!({ "anyOf": [percent, written("^(up|down|[+-]?(100|[0-9]{1,2})%?)$")] })
        }
        TargetForm::Switch => json!({ "enum": ["on", "off", "toggle"] }),
        TargetForm::Repeat => json!({ "enum": ["off", "track", "all"] }),
        TargetForm::Seconds => json!({ "type": "integer", "minimum": -3600, "maximum": 3600 }),
        TargetForm::Run => json!({ "anyOf": [
            { "type": "string", "maxLength": RUN,
                "pattern": "^([0-9A-Za-z._-]+|since ([01][0-9]|2[0-3]):[0-5][0-9])$" },
            { "type": "null" },
        ] }),
    };
    let mut fields = serde_json::Map::new();
    fields.insert("action".to_owned(), json!({ "const": entry.name }));
    fields.insert("target".to_owned(), target);
    let mut required = vec!["action"];
    if !matches!(entry.form, TargetForm::Nothing | TargetForm::Heard | TargetForm::Run | TargetForm::Step) {
        required.push("target");
    }
    if entry.form == TargetForm::Destination {
        let destination = json!({ "type": "string", "minLength": 1, "maxLength": TARGET });
        let params = json!({ "type": "object", "properties": { "destination": destination },
            "required": ["destination"], "additionalProperties": false });
        fields.insert("params".to_owned(), params);
        required.push("params");
    }
    fields.extend(claims.as_object().cloned().unwrap_or_default());
    let does = if entry.target.is_empty() {
        entry.does.to_owned()
    } else {
        format!("{}; target: {}", entry.does, entry.target)
    };
    json!({ "type": "object", "description": does, "properties": fields, "required": required,
        "additionalProperties": false })
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
            | TargetForm::Chord
            | TargetForm::Percent
            | TargetForm::Level
            | TargetForm::Switch
            | TargetForm::Repeat
            | TargetForm::Seconds => (json!({ "target": target }), json!(["target"])),
            TargetForm::Heard | TargetForm::Run | TargetForm::Step => {
                (json!({ "target": target }), json!([]))
            }
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
heard ::= ( comma "\"target\"" colon text )?
chord ::= comma "\"target\"" colon "\"" ( modifier "+" )* key "\""
modifier ::= "ctrl" | "shift" | "alt" | "super"
key ::= [a-z0-9] | "f" [1-9] | "f1" [0-9] | "f2" [0-4] | "enter" | "space" | "tab" | "escape" | "backspace" | "delete" | "insert" | "home" | "end" | "pageup" | "pagedown" | "up" | "down" | "left" | "right" | "plus" | "minus" | "print"
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::action::{Proposal, Request};

    /// Any value that a schema of ours admits.
    fn admitted(schema: &Value) -> BoxedStrategy<Value> {
        if let Some(value) = schema.get("const") {
            return Just(value.clone()).boxed();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return prop::sample::select(values.clone()).boxed();
        }
        for union in ["oneOf", "anyOf"] {
            if let Some(all) = schema.get(union).and_then(Value::as_array) {
                let all: Vec<_> = all.iter().map(admitted).collect();
                return prop::sample::select(all).prop_flat_map(|one| one).boxed();
            }
        }
        if let Some(types) = schema["type"].as_array() {
            let one = |kind: &Value| {
                let mut one = schema.clone();
                one["type"] = kind.clone();
                admitted(&one)
            };
            return prop::sample::select(types.iter().map(one).collect::<Vec<_>>())
                .prop_flat_map(|one| one)
                .boxed();
        }
        let bound = |name: &str, other: i64| schema.get(name).and_then(Value::as_i64).unwrap_or(other);
        match schema["type"].as_str().unwrap() {
            "null" => Just(Value::Null).boxed(),
            "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            "integer" => (bound("minimum", -9)..=bound("maximum", 9)).prop_map(Value::from).boxed(),
            "number" => (0.0..=1.0).prop_map(|number: f64| Value::from(number)).boxed(),
            "string" => {
                let pattern = schema
                    .get("pattern")
                    .and_then(Value::as_str)
                    .map(|pattern| pattern.trim_matches(['^', '$']));
                prop::string::string_regex(pattern.unwrap_or("[a-z/~:.]{1,20}"))
                    .unwrap()
                    .prop_map(Value::from)
                    .boxed()
            }
            "object" => {
                assert_eq!(schema["additionalProperties"], false, "{schema}");
                let required = schema["required"].as_array().unwrap().clone();
                let fields = schema["properties"].as_object().unwrap().iter().map(|(name, field)| {
                    let name = name.clone();
                    let must = required.contains(&Value::from(name.as_str()));
                    (prop::bool::ANY, admitted(field))
                        .prop_map(move |(given, value)| (must || given).then(|| (name.clone(), value)))
                });
                fields
                    .collect::<Vec<_>>()
                    .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect()))
                    .boxed()
            }
            other => panic!("{other}"),
        }
    }

    /// A model that keeps to the schema is understood: at most its words are wrong, such as a path that no desktop has.
    #[test]
    fn what_the_schema_admits_is_read_as_that_action() {
        for offer in OFFERS {
            for schema in [schema(offer), bare_schema(offer)] {
                let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
                    failure_persistence: None,
                    cases: 400,
                    ..ProptestConfig::default()
                });
                let read = runner.run(&admitted(&schema), |value| {
                    let request: Request = serde_json::from_value(value.clone()).unwrap();
                    let read = Proposal::parse(request);
                    prop_assert!(read.is_ok(), "{value}: {}", read.unwrap_err());
                    Ok(())
                });
                read.unwrap();
            }
        }
    }
}
