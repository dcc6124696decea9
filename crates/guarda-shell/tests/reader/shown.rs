//! A script in the form of the table in `lines.txt`.

use guarda_shell::script::{Dialect, Piece, RedirectKind, Run, Script, Word};

/// The reader's result for a script, in the table's form.
pub fn shown(script: &str) -> Vec<String> {
    match guarda_shell::read(script, Dialect::Bash) {
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
