//! Tests from bytes to text: properties of arbitrary bytes, and the formats one by one.

use std::time::Duration;

use proptest::prelude::*;

use super::clean::{Options, Output, clean_by, clean_with};
use super::redact::RedactionFailure;
use super::redact::redact;
use super::text::{is_unseen, readable};
use super::truncate::{Limits, OutputKind, truncate};
use super::{Anonymiser, Ended, RawOutput};

fn raw(stdout: &[u8]) -> RawOutput {
    RawOutput {
        stdout: stdout.to_vec(),
        stderr: Vec::new(),
        stdout_total: stdout.len() as u64,
        stderr_total: 0,
        exit_code: Some(0),
        ended: Ended::Finished,
        duration: Duration::ZERO,
        sandbox: None,
        hosts: Vec::new(),
        now: None,
    }
}

fn shown(bytes: &[u8]) -> Output {
    clean_with(raw(bytes), &Options::default())
}

/// Bytes of every kind: arbitrary ones, text, escape sequences, and the four formats in many sizes.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        ".{0,400}",
        "(?s).{0,200}",
        "([a-z ]{0,60}\n){0,300}",
        "([a-z]{1,9} {2,5}[0-9]{1,5} {2,5}[a-z]{1,9}\n){0,300}",
        "\\[(\\{\"name\": \"[a-z]{0,40}\", \"n\": [0-9]{1,4}\\},){0,200}null\\]",
        "\\{\"a\": \\[([0-9]{1,9}, ){0,200}1\\], \"b\": \\{\"c\": \\{\"d\": \\{\"e\": 1\\}\\}\\}\\}",
        "(\u{1b}\\[[0-9;]{0,5}[a-zA-Z]|\u{1b}\\][^\u{7}\n]{0,9}(\u{7}|\u{1b}\\\\)?|[a-z\r\n\u{8}]){0,80}",
        "(password|token|key|://|:|=|\"|'| |\\\\|\n|@|-----BEGIN |-----END |PRIVATE KEY-----|eyJ|\\.|[a-zA-Z0-9]{1,20}){0,60}",
    ];
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..600),
        text.clone().prop_map(String::into_bytes),
        (text, proptest::collection::vec(any::<u8>(), 0..20), any::<prop::sample::Index>()).prop_map(
            |(text, odd, at)| {
                let mut bytes = text.into_bytes();
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, odd);
                bytes
            }
        ),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    let small = (0_usize..40, 0_usize..80, 0_usize..400, 0_usize..12, 0_usize..12)
        .prop_map(|(lines, line_bytes, bytes, head, tail)| Limits { lines, line_bytes, bytes, head, tail });
    prop_oneof![Just(Limits::default()), small]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn readable_text_steers_nothing(bytes in bytes()) {
        let text = readable(&bytes);
        prop_assert!(!text.chars().any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_unseen(c)), "{text:?}");
        prop_assert_eq!(readable(text.as_bytes()), text);
    }

    #[test]
    fn a_cut_text_is_within_its_limits_and_cutting_twice_is_cutting_once(bytes in bytes(), limits in limits()) {
        let text = readable(&bytes);
        let cut = truncate(&text, &limits);
        prop_assert!(cut.text.len() <= text.len(), "longer: {:?}", cut.text);
        prop_assert!(cut.text.len() <= limits.bytes, "bytes: {:?}", cut.text);
        prop_assert!(cut.text.lines().count() <= limits.lines, "lines: {:?}", cut.text);
        prop_assert_eq!(cut.truncated, cut.text != text);
        prop_assert_eq!(truncate(&cut.text, &limits).text, cut.text);
    }

    #[test]
    fn redacting_twice_is_redacting_once(bytes in bytes()) {
        if let Ok(once) = redact(&readable(&bytes)) {
            let twice = redact(&once.text);
            prop_assert_eq!(twice.map(|twice| twice.text), Ok(once.text));
        }
    }

    #[test]
    fn a_clean_output_is_within_its_limits(bytes in bytes(), limits in limits()) {
        let names = Anonymiser::new(&["wintermute"]);
        let output = clean_with(raw(&bytes), &Options { limits, anonymiser: Some(&names) });
        let shown = &output.stdout;
        prop_assert!(shown.len() <= limits.bytes.max(64), "{shown:?}");
        prop_assert!(!shown.chars().any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_unseen(c)));
        prop_assert!(!output.withheld || shown.is_empty());
    }

    /// However the surrounding text is cut, no revealing part of a secret remains.
    #[test]
    fn a_secret_is_gone_wherever_the_cut_falls(before in 0_usize..30_000, after in 0_usize..30_000, wide in 1_usize..200) {
        let secret = "ghp_q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1Pv";
        let pad = |len: usize| {
            let line = format!("{} ", "word ".repeat(wide / 5));
            line.chars().cycle().enumerate().map(|(at, c)| if at % wide == wide - 1 { '\n' } else { c }).take(len).collect::<String>()
        };
        let text = format!("{}{secret} {}", pad(before), pad(after));
        let output = shown(text.as_bytes());
        for part in secret.as_bytes().windows(12) {
            let part = std::str::from_utf8(part).unwrap();
            prop_assert!(!output.stdout.contains(part), "{part}");
        }
    }
}

#[test]
fn every_format_is_cut_in_its_own_way() {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>();
    let array =
        format!("[{}]", many(1000, &|n| format!("{{\"id\": {n}, \"text\": \"{n} bottles\"}}")).join(","));
    let object = format!(
        "{{\"items\": [{}], \"deep\": {{\"a\": {{\"b\": {{\"c\": 1}}}}}}, \"last\": true}}",
        many(3000, &|n| n.to_string()).join(",")
    );
    let table = format!("NAME      AGE\n{}", many(500, &|n| format!("row-{n}    {n}\n")).concat());
    let log = many(500, &|n| format!("line {n}\n")).concat();
    let long = "x".repeat(5000);
    let noise: Vec<u8> = (0_u8..=255).cycle().take(4000).collect();
    /// The bytes, their detected format, text that must be shown, and text that must not.
    type Case<'a> = (&'a [u8], OutputKind, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 7] = [
        (
            array.as_bytes(),
            OutputKind::JsonArray,
            &["\"id\":0", "\"id\":1", "\"id\":2", "[truncated: showing 4 of 1000 items]", "\"id\":999"],
            &["\"id\":3,", "\"id\":998"],
        ),
        (
            object.as_bytes(),
            OutputKind::JsonObject,
            &["[0,1,2,\"[truncated: showing 4 of 3000 items]\",2999]", "\"last\":true", "\"...\""],
            &["2998"],
        ),
        (
            table.as_bytes(),
            OutputKind::Tabular,
            &["NAME      AGE", "row-0 ", "row-197 ", "[truncated: showing 198 of 500 rows]"],
            &["row-198 "],
        ),
        (
            log.as_bytes(),
            OutputKind::LogStream,
            &["line 0\n", "line 19\n", "[truncated: 470 lines omitted]", "line 490\n", "line 499"],
            &["line 20\n", "line 489\n"],
        ),
        (long.as_bytes(), OutputKind::LogStream, &["xxx[truncated: "], &[]),
        (&noise, OutputKind::Binary, &["[binary output: 4000 bytes, not displayed]"], &[]),
        (b"", OutputKind::Empty, &[], &["["]),
    ];
    for (bytes, kind, kept, gone) in cases {
        let output = shown(bytes);
        assert_eq!(output.metadata.output_type, kind);
        for part in kept {
            assert!(output.stdout.contains(part), "{kind:?} lacks {part}: {}", output.stdout);
        }
        for part in gone {
            assert!(!output.stdout.contains(part), "{kind:?} has {part}: {}", output.stdout);
        }
    }
}

#[test]
fn nothing_is_shown_when_redaction_fails() {
    let mut bytes = raw(b"what was said");
    bytes.stderr = b"what was said".to_vec();
    bytes.ended = Ended::Failed("what was said".into());
    // The second pass counts like the first: text that does not converge is withheld, too.
    let restless = |text: &str| redact(text).map(|done| super::Redacted { count: 1, ..done });
    let fails = |_: &str| Err(RedactionFailure);
    assert_eq!(clean_by(&fails, &bytes, &Options::default()), Err(RedactionFailure));
    assert_eq!(clean_by(&restless, &bytes, &Options::default()), Err(RedactionFailure));
    let output = Output::withheld(&bytes);
    assert!(output.withheld && output.stdout.is_empty() && output.stderr.is_empty());
    assert!(!format!("{output:?}").contains("said"));
}

#[test]
fn the_network_is_hidden_and_keeps_its_stand_ins() {
    let names = Anonymiser::new(&["wintermute"]);
    let rows = [
        ("10.1.2.3 and 10.1.2.3", "[INTERNAL_IP_1] and [INTERNAL_IP_1]"),
        ("192.168.0.7", "[INTERNAL_IP_2]"),
        ("10.1.2.0/24 dev eth0", "[INTERNAL_SUBNET_1] dev eth0"),
        ("172.16.0.1, 172.32.0.1", "[INTERNAL_IP_3], 172.32.0.1"),
        ("100.64.1.1 169.254.169.254", "[INTERNAL_IP_4] [INTERNAL_IP_5]"),
        ("8.8.8.8 1.2.3.4/24 127.0.0.1", "8.8.8.8 1.2.3.4/24 127.0.0.1"),
        ("999.1.1.1 and version 10.2.3", "999.1.1.1 and version 10.2.3"),
        ("fd12:3456::1", "[INTERNAL_IP_6]"),
        ("fe80::1%eth0", "[INTERNAL_IP_7]"),
        ("fd00::/8", "[INTERNAL_SUBNET_2]"),
        ("2001:db8::1", "2001:db8::1"),
        ("db1.corp, DB1.corp", "[INTERNAL_HOST_1], [INTERNAL_HOST_1]"),
        ("printer.home.arpa", "[INTERNAL_HOST_2]"),
        ("example.org", "example.org"),
        ("me@wintermute:~$ wintermutes", "me@[INTERNAL_HOST_3]:~$ wintermutes"),
        ("/subscriptions/{x}", "/subscriptions/{x}"),
        ("/subscriptions/1f-2/resourceGroups/rg/providers/p", "[AZURE_RESOURCE_1]"),
        ("arn:aws:s3:::bucket/key", "[CLOUD_RESOURCE_1]"),
        ("i-0abc1234def567890 vpc-0a1b2c3d", "[CLOUD_RESOURCE_2] [CLOUD_RESOURCE_3]"),
        ("projects/my-project-1/zones/a", "[CLOUD_RESOURCE_4]"),
        ("10.1.2.3", "[INTERNAL_IP_1]"),
    ];
    for (text, hidden) in rows {
        assert_eq!(names.hide(text).unwrap().0, hidden, "{text}");
        assert_eq!(names.hide(hidden).unwrap().1, 0, "{hidden} is hidden once more");
    }
    // Truncation follows redaction, so no half of an address remains at the cut.
    let text = "connected to 10.11.12.13 again ".repeat(400);
    let options = Options { anonymiser: Some(&names), ..Options::default() };
    for bytes in 60..90 {
        let limits = Limits { bytes, ..Limits::default() };
        let output = clean_with(raw(text.as_bytes()), &Options { limits, ..options });
        assert!(
            !output.stdout.contains("10.1") && output.metadata.anonymization_applied,
            "{}",
            output.stdout
        );
    }
}

/// A program that has seen one fence cannot close the next.
#[test]
fn the_fence_cannot_be_closed_from_within() {
    let (open, close) = super::fence::fence(0x0123_4567_89ab_cdef);
    assert_eq!(close, "output 00000000000000000123456789abcdef>>>\n");
    assert!(open.starts_with("<<<output 00000000000000000123456789abcdef\n") && !open.contains(&close));
    assert_ne!(super::fence::fence(1).1, super::fence::fence(2).1);
}

#[test]
fn wide_characters_are_read_and_their_secrets_hidden() {
    let secret = "export TOKEN=ghp_q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1Pv\nnext";
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for lead in ["", "\u{feff}"] {
            let wide: Vec<u8> = format!("{lead}{secret}").encode_utf16().flat_map(order).collect();
            for before in [&b""[..], b"found: ", b"odd"] {
                let text = shown(&[before, &wide].concat()).stdout;
                assert!(
                    text.contains("[REDACTED_") && !text.contains("q7Rk") && text.contains("next"),
                    "{text:?}"
                );
            }
        }
    }
    // The names in the output of `find -print0` stay separate.
    assert_eq!(readable(b"a\0b\0c\0one\0two\0"), "a\nb\nc\none\ntwo\n");
}

/// The guard's tokens and keys are recognised by value, in every notation, whole or in part.
#[test]
fn kept_values_are_hidden_however_they_are_written() {
    let value = "3c9e7a51f02b84d6e8170b5a2cf39d46b1e05a7793cd48f2160e9b7ad4c85f13";
    super::keep([value]);
    let part = |from, to| value.get(from..to).unwrap();
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let url: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let octal: String = value.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let spaced: Vec<String> = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let rows: Vec<String> = spaced
        .chunks(16)
        .enumerate()
        .map(|(at, row)| format!("{:08x}  {}", at * 16, row.join(" ")))
        .collect();
    let characters: Vec<String> = value
        .as_bytes()
        .chunks(16)
        .enumerate()
        .map(|(at, row)| {
            format!(
                "{:07o}   {}",
                at * 16,
                row.iter().map(|byte| char::from(*byte).to_string()).collect::<Vec<_>>().join("   ")
            )
        })
        .collect();
    for text in [
        value.to_owned(),
        value.to_uppercase(),
        format!("sha256:{value}"),
        format!("{}\n{}", part(0, 20), part(20, 40)),
        hex,
        url,
        octal,
        rows.join("\n"),
        characters.join("\n"),
        "M2M5ZTdhNTFmMDJiODRkNmU4MTcwYjVhMmNmMzlkNDZiMWUwNWE3NzkzY2Q0OGYyMTYwZTliN2FkNGM4NWYxMw==".to_owned(),
    ] {
        let output = shown(format!("before\n{text}\nafter\n").as_bytes()).stdout;
        assert!(output.contains("[REDACTED_") && output.ends_with("after\n"), "{text}: {output}");
        let left = output.lines().filter(|line| line.len() > 40).count();
        assert_eq!(left, 0, "{text}: {output}");
    }
    assert!(!shown(format!("{} apart", part(0, 11)).as_bytes()).stdout.contains("REDACTED"));
    let mut stream = super::Stream::new();
    let out = stream.push(format!("\0\u{1}\u{2}{value}\0\0\0\u{3}\u{4}\0\u{1}\n").as_bytes());
    assert!(!String::from_utf8_lossy(&out).contains(part(0, 12)));
}

/// Counted work, not time: twice the text costs about twice the steps.
#[test]
fn hostile_text_costs_no_more_than_its_length() {
    let units = [
        "password password ",
        "token=",
        "key: ",
        "://",
        "a:b@",
        "-----BEGIN ",
        "eyJ",
        "curl -u ",
        "\"",
        "\\",
        "{{",
        "${",
        "machine ",
        "Authorization: ",
        "echo ",
        "AAAA",
        "kind: Secret\n",
        "|",
        "x.y",
        "variable \"",
        "<value>",
        "$1$",
        ":AA",
        "%41",
        "\\u0041",
        "\\101",
        "&#65;",
        "61",
        "QUJD",
        "JBSWY3DP",
        "q7RkT2mZ9xLp4VbN8s\n",
        "00000000: 6768 706f  ghpo\n",
        "0000000   g   h   p\n",
        "password:\n",
        "password: |\n",
    ];
    for unit in units {
        let steps = |times: usize| super::redact::steps(&unit.repeat(times)).unwrap_or(0);
        let (one, four) = (steps(1_500), steps(6_000));
        assert!(four <= one * 5, "{unit:?}: {one} steps, then {four}");
    }
}
