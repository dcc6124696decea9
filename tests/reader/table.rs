//! The table in `lines.txt`: how it is written down, and how a script is shown in it.

use guarda::action::script::{Dialect, Piece, RedirectKind, Run, Script, Word};
use guarda::action::shell;

/// One case: the script, what is expected of it, and the line of the file where it begins.
pub struct Case {
    pub category: String,
    pub script: String,
    pub expected: Vec<String>,
    pub line: usize,
}

/// The cases of a table.
pub fn cases(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut category = String::new();
    let mut open = false;
    for (index, line) in table.lines().enumerate() {
        if let Some(name) = line.strip_prefix("# ") {
            category = name.to_owned();
            open = false;
        } else if let Some(text) = line.strip_prefix(">$ ") {
            let script = unescape(text);
            cases.push(Case { category: category.clone(), script, expected: Vec::new(), line: index + 1 });
            open = true;
        } else if let Some(text) = line.strip_prefix('>') {
            let text = text.strip_prefix(' ').unwrap_or(text);
            match cases.last_mut() {
                Some(case) if open => {
                    case.script.push('\n');
                    case.script.push_str(text);
                }
                _ => {
                    let script = text.to_owned();
                    cases.push(Case {
                        category: category.clone(),
                        script,
                        expected: Vec::new(),
                        line: index + 1,
                    });
                    open = true;
                }
            }
        } else if line.is_empty() {
            open = false;
        } else if let Some(case) = cases.last_mut() {
            case.expected.push(line.to_owned());
        }
    }
    cases
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        match escape.chars().next() {
            Some('r') => out.push('\r'),
            Some('n') => out.push('\n'),
            Some('u') => {
                let (code, left) = escape[2..].split_once('}').expect("a closed escape");
                let code = u32::from_str_radix(code, 16).expect("a number");
                out.push(char::from_u32(code).expect("a character"));
                rest = left;
                continue;
            }
            other => panic!("no such escape: {other:?}"),
        }
        rest = &escape[1..];
    }
    out.push_str(rest);
    out
}

/// What the reader makes of a script, in the table's form.
pub fn shown(script: &str) -> Vec<String> {
    match shell::read(script, Dialect::Bash) {
        Err(_) => vec!["unsure".to_owned()],
        Ok(script) => lines(&script),
    }
}

fn lines(script: &Script) -> Vec<String> {
    let mut lines: Vec<String> = script.runs().iter().map(run).collect();
    if !script.doubts().is_empty() {
        lines.push("!".to_owned());
    }
    lines
}

fn run(run: &Run) -> String {
    let mut parts = Vec::new();
    parts.extend(run.assigns.iter().map(|assign| format!("{}={}", assign.name, word(&assign.value))));
    parts.extend(run.words.iter().map(word));
    for redirect in &run.redirects {
        let sign = match redirect.kind {
            RedirectKind::Read => "<",
            RedirectKind::Write => ">",
            RedirectKind::Append => ">>",
            RedirectKind::ReadWrite => "<>",
            RedirectKind::Text => "<<<",
            RedirectKind::Duplicate => "&",
            RedirectKind::Close => "&-",
        };
        parts.push(format!("{}{sign}{}", redirect.fd, word(&redirect.target)));
    }
    format!("= {}", parts.join(" "))
}

fn word(word: &Word) -> String {
    let text: String = word
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Glob(pattern) => format!("*{pattern}*"),
            Piece::Home => "~".to_owned(),
            Piece::Cwd => ".".to_owned(),
            Piece::Unknown(_) => "?".to_owned(),
        })
        .collect();
    let plain = !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || "?*~._-/=+,:@%{}[]()$#!;&|<>^".contains(c));
    if plain { text } else { format!("{text:?}") }
}
