//! Tests of redaction: every example of the tables, and cases that the tables cannot express.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use proptest::prelude::*;

use super::rules::{Rules, TABLES};
use super::{Stream, hide, redact};

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

/// The texts of all examples, as whole lines.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let plain = |text: &str| text.chars().filter(|c| !matches!(c, '«' | '»')).collect::<String>();
    let mut lines: Vec<String> = include_str!("lines.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| plain(&expand(line)).replace("\\n", "\n"))
        .collect();
    for (_, text) in TABLES {
        let read: BTreeMap<String, Examples> = toml::from_str(text).unwrap();
        lines.extend(read.into_values().flat_map(|all| all.hides).map(|line| plain(&expand(&line))));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
});

/// The result of a stream for text in pieces of these lengths, repeated.
fn streamed(bytes: &[u8], lengths: &[usize]) -> Vec<u8> {
    let mut stream = Stream::new();
    let mut out = Vec::new();
    let mut rest = bytes;
    for length in lengths.iter().cycle() {
        let (piece, after) = rest.split_at((*length).min(rest.len()));
        out.extend(stream.push(piece));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    out.extend(stream.finish());
    out
}

/// Invented data that begins as keys do.
#[test]
fn a_private_key_without_its_head_is_hidden() {
    let bodies = [
        "MC4CAQAwBQYDK2VwBCIEIEQOTi8jkDVd03cvtiXXZl2hpCGfxh3hFSJJCUVNnxNW",
        "MHcCAQEEIBv5XyWz2rUZ8c8d1eVgM3hYkq0W7b9x6mQZP4n2JtFVoAoGCCqGSM49\nAwEHoUQDQgAE3kqQv0b7Y5s8m1Zr2XcW9dTg6fHjKlPoIuYtReWqAsDfGhJkLzXc\nVbNm1Q2w3E4r5T6y7U8i9O0pAsDfGhJkLw",
    ];
    for body in bodies {
        let text = format!("what stands before\n{body}\nand behind\n");
        let hidden = redact(&text).unwrap().text;
        for line in body.lines() {
            assert!(!hidden.contains(line), "{hidden}");
        }
        assert!(hidden.starts_with("what stands before\n") && hidden.ends_with("and behind\n"), "{hidden}");
    }
}

#[test]
fn a_stream_hides_what_is_hidden_at_once() {
    let mut wrong = Vec::new();
    for line in LINES.iter() {
        let text = format!("a first line\n{line}a last line\n");
        let (whole, stream) = (redact(&text).unwrap().text, streamed(text.as_bytes(), &[7]));
        if whole.as_bytes() != stream {
            wrong.push((whole, String::from_utf8(stream).unwrap()));
        }
    }
    assert!(wrong.is_empty(), "{} texts: {wrong:#?}", wrong.len());
}

#[test]
fn a_stream_holds_back_only_what_is_open() {
    let rows = [
        ("one\ntwo\nthr", "one\ntwo\n"),
        ("\u{1b}[31mred\u{1b}[0m\r\n", "\u{1b}[31mred\u{1b}[0m\r\n"),
        ("{\"data\": {\"a\": 1}}\n", "{\"data\": {\"a\": 1}}\n"),
        ("one\n-----BEGIN RSA PRIVATE KEY-----\nMIIEq7RkT2mZ9xLp4VbN8sYd3HfJ6\n", "one\n"),
        ("one\npassword:\n", "one\n"),
        (
            "kind: Secret\ndata:\n  a: c2VjcmV0\n---\nnext\n",
            "kind: Secret\ndata:\n  a: [REDACTED_SECRET]\n---\nnext\n",
        ),
        ("data:\n  a: c2VjcmV0\n", ""),
        ("data:\n  a: c2VjcmV0\nkind: Secret\n---\n", "data:\n  a: [REDACTED_SECRET]\nkind: Secret\n---\n"),
        ("data:\n  a: 1\nkind: ConfigMap\nx\n", "data:\n  a: 1\nkind: ConfigMap\nx\n"),
        // From here on, the value is known.
        (
            "password=hunter22x\nit was hunter22x\n",
            "password=[REDACTED_PASSWORD]\nit was [REDACTED_PASSWORD]\n",
        ),
    ];
    for (text, out) in rows {
        assert_eq!(String::from_utf8(Stream::new().push(text.as_bytes())).unwrap(), out, "{text:?}");
    }
    let noise: Vec<u8> = (0_u8..=255).cycle().take(300_000).collect();
    assert_eq!(streamed(&noise, &[1000]), noise);
    // An endless line passes in parts; an endless key does not pass at all.
    let long = "word ".repeat(40_000);
    assert!(Stream::new().push(long.as_bytes()).len() > 100_000);
    let key = format!(
        "-----BEGIN PRIVATE KEY-----\n{}",
        "q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1PvMnQ0aSeDrBu7q7RkT2mZ9xLp4VbN\n".repeat(3000)
    );
    let out = streamed(format!("{key}-----END PRIVATE KEY-----\nafter\n").as_bytes(), &[999]);
    assert_eq!(String::from_utf8(out).unwrap(), "[REDACTED_PRIVATE_KEY]\nafter\n");
    // Wherever a long line is cut, a secret in it is whole.
    for shift in 0..120 {
        let line = format!(
            "{}{} password=hunter22x ghp_q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1Pv {}\n",
            "word ".repeat(13_060),
            "x".repeat(shift),
            "word ".repeat(500)
        );
        let out = String::from_utf8(streamed(line.as_bytes(), &[5000])).unwrap();
        assert!(!out.contains("hunter22x") && !out.contains("q7RkT2mZ9xLp"), "{shift}");
    }
}

#[test]
fn a_random_value_that_reads_like_words_is_hidden() {
    for drawn in ["Ua0Nc0agloarAa0AaQuaBlA0a0A0alAG", "Ta1Re2alerRa3anLereSo4nTaLes5Mare"] {
        for name in ["login_key", "x_key", "key"] {
            let shown = redact(&format!("{name} = \"{drawn}\"")).unwrap().text;
            assert!(!shown.contains(drawn), "{shown}");
        }
    }
    for name in ["getHttp2ResponseHeaderXml11", "Md5Sha256HandlerFactoryImpl2"] {
        let text = format!("key = \"{name}\"");
        assert_eq!(redact(&text).unwrap().text, text);
    }
}

proptest! {
    /// A machine's name, its port and a path are shown, however they look; a secret beside the same names is not.
    #[test]
    fn a_name_of_a_machine_is_none_of_a_secret(
        name in proptest::sample::select(vec!["api", "auth", "token", "secret", "login", "private", "access"]),
        port in 10_u32..65536,
        path in "[a-z]{2,8}(/[a-z]{2,8}){0,2}/[0-9a-f]{8,32}",
        drawn in "[A-Z][a-z][0-9][A-Z][a-z][0-9][A-Za-z0-9]{26}",
    ) {
        // What is crossed out is no secret.
        prop_assume!(!drawn.to_ascii_lowercase().contains("xxxx"));
        for text in [format!("GET http://{name}:{port}/{path} 200"), format!("curl {name}:{port}/{path}"),
            format!("ls: cannot access '{path}': No such file or directory")] {
            prop_assert_eq!(redact(&text).unwrap().text, text);
        }
        for text in [format!("http://ana:{drawn}@{name}:{port}/{path}"), format!("{name}_token: {drawn}"),
            format!("{name} token={drawn}"), format!("http://{name}:{port}/{path}?token={drawn}"),
            format!("{name}_key = \"{drawn}\"")] {
            let shown = redact(&text).unwrap().text;
            prop_assert!(!shown.contains(&drawn), "{shown}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_stream_says_the_same_however_it_is_cut(
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..30),
        odd in proptest::collection::vec(any::<u8>(), 0..40),
        at in any::<prop::sample::Index>(),
        lengths in proptest::collection::vec(1_usize..400, 1..9),
    ) {
        let mut bytes = picks.iter().map(|pick| pick.get(&LINES).as_str()).collect::<String>().into_bytes();
        let at = at.index(bytes.len() + 1);
        bytes.splice(at..at, odd);
        let whole = streamed(&bytes, &[usize::MAX]);
        prop_assert_eq!(streamed(&bytes, &lengths), whole.clone());
        prop_assert_eq!(streamed(&bytes, &[1]), whole);
    }
}

/// The fault in the result for a text whose secrets are marked by `«…»`. A text without marks must stay unchanged.
fn fault(rules: &Rules, example: &str) -> Option<&'static str> {
    let plain: String = example.chars().filter(|c| !matches!(c, '«' | '»')).collect();
    let Ok((redacted, _)) = hide(rules, &plain, None) else {
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
