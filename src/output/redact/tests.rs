//! Tests of redaction: every example of the tables, and what the tables cannot say.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::hide;
use super::rules::{Rules, TABLES};

#[derive(Deserialize)]
struct Examples {
    hides: Vec<String>,
    #[serde(default)]
    spares: Vec<String>,
}

#[test]
fn every_rule_does_what_its_examples_say() {
    let rules = Rules::builtin().unwrap();
    let faults: Vec<&String> = rules.rules.iter().filter_map(|rule| rule.then.fault()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let mut wrong = Vec::new();
    for (table, text) in TABLES {
        let read: BTreeMap<String, Examples> = toml::from_str(text).unwrap();
        for (name, examples) in read {
            assert!(!examples.hides.is_empty(), "{table}: {name} has no example");
            for (example, hides) in examples
                .hides
                .iter()
                .map(|text| (text, true))
                .chain(examples.spares.iter().map(|text| (text, false)))
            {
                assert_eq!(example.contains('«'), hides, "{table}: {name}: {example}");
                wrong
                    .extend(fault(&rules, &expand(example)).map(|what| format!("{name}: {what}: {example}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lines_of_every_notation() {
    let rules = Rules::builtin().unwrap();
    let lines = include_str!("lines.txt").lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let wrong: Vec<String> = lines
        .filter(|line| !line.starts_with("## "))
        .filter_map(|line| {
            let text = expand(line).replace("\\n", "\n");
            fault(&rules, &text).map(|what| format!("{what}: {line}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} lines: {wrong:#?}", wrong.len());
}

/// What is wrong with a text whose secrets stand in `«…»`; without them it is to be spared.
fn fault(rules: &Rules, example: &str) -> Option<&'static str> {
    let plain: String = example.chars().filter(|c| !matches!(c, '«' | '»')).collect();
    let Ok((redacted, _)) = hide(rules, &plain) else {
        return Some("never comes to rest");
    };
    let mut secrets = example.split('«').skip(1).filter_map(|rest| rest.split('»').next()).peekable();
    if secrets.peek().is_none() && redacted.text != plain {
        return Some("is to be spared");
    }
    secrets.any(|secret| redacted.text.contains(secret)).then_some("is to be hidden")
}

/// Writes an example out: `{w36}` stands for 36 letters and digits, `{h32}` for hexadecimal digits, `{d9}` for digits,
/// `{u16}` for capitals and digits, `{l20}` for small letters and digits, `{b44}` for base64.
fn expand(example: &str) -> String {
    let mut text = String::new();
    let mut rest = example;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        text.push_str(before);
        let order = tail.strip_prefix('{').and_then(|tail| tail.split_once('}'));
        let drawn = order.and_then(|(inside, after)| {
            let alphabet = match inside.get(..1)? {
                "w" => "q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1PvMnQ0aSeDrBu",
                "h" => "3f9a0c7e5b1d8264",
                "d" => "7390418265",
                "u" => "K7Q2ZL9XW4B8RT5V3NM6YJ",
                "l" => "k7q2zl9xw4b8rt5v3nm6yj0ahc",
                "b" => "q7R/kT2m+Z9xLp4VbN8sYd3HfJ6wGc5XtKz1PvMnQ0aSeDrBu",
                _ => return None,
            };
            let count = inside.get(1..)?.parse().ok()?;
            Some((alphabet.chars().cycle().take(count).collect::<String>(), after))
        });
        match drawn {
            Some((drawn, after)) => {
                text.push_str(&drawn);
                rest = after;
            }
            None => {
                text.push('{');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    text
}
