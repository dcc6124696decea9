//! The fork bomb, in every spelling: a function that starts itself more than once or in the background, and a loop
//! without end that starts things in the background.

use crate::action::script::{Reach, Script, Span};
use crate::policy::fuel::Fuel;

/// Where the script multiplies without end, if it does.
pub(super) fn find(script: &Script, fuel: &Fuel) -> Option<Span> {
    let source = script.source();
    if let Some(span) = in_text(source, fuel) {
        return Some(span);
    }
    // The texts that shells are given to run.
    for run in script.runs().iter().filter(|run| matches!(run.reach, Reach::Text(_))) {
        let Some(parent) = run.parent.and_then(|at| script.runs().get(at)) else { continue };
        for word in &parent.words {
            if word.literal().is_some_and(|text| in_text(text, fuel).is_some()) {
                return Some(word.span);
            }
        }
    }
    None
}

fn in_text(source: &str, fuel: &Fuel) -> Option<Span> {
    let defines = source.contains('(') && source.contains(')') || source.contains("function");
    let loops = source.contains("do") && source.contains('&');
    if !(source.contains(['&', '|']) && (defines && source.contains(['{', '(']) || loops)) {
        return None;
    }
    let tokens = tokens(source);
    (0..tokens.len()).find_map(|at| function(&tokens, at, fuel).or_else(|| endless(&tokens, at, fuel)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    at: usize,
}

/// Words and operators outside of quotes; a rough cut that need not be exact, since it can only raise the verdict.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let bytes = source.as_bytes();
    let mut at = 0usize;
    let mut start: Option<usize> = None;
    let mut push = |from: usize, to: usize| {
        if let Some(text) = source.get(from..to) {
            tokens.push(Token { text, at: from });
        }
    };
    while let Some(byte) = bytes.get(at).copied() {
        let double = bytes.get(at + 1) == Some(&byte);
        let length = match byte {
            b'\'' | b'"' => {
                start.get_or_insert(at);
                let end = bytes.get(at + 1..).and_then(|rest| rest.iter().position(|other| *other == byte));
                at += end.map_or(bytes.len(), |end| end + 2);
                continue;
            }
            // A joined line is no part of a word.
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                if let Some(from) = start.take() {
                    push(from, at);
                }
                at += 2;
                continue;
            }
            b'\\' => {
                start.get_or_insert(at);
                at += 2;
                continue;
            }
            b'>' | b'<' if matches!(bytes.get(at + 1), Some(b'&')) => 2,
            b'&' if matches!(bytes.get(at + 1), Some(b'>')) => 2,
            b'&' | b'|' | b';' if double => 2,
            b'&' | b'|' | b';' | b'(' | b')' | b'\n' | b'<' | b'>' => 1,
            b'{' | b'}' if start.is_none() || byte == b'}' => 1,
            b' ' | b'\t' | b'\r' => 0,
            _ => {
                start.get_or_insert(at);
                at += 1;
                continue;
            }
        };
        if let Some(from) = start.take() {
            push(from, at);
        }
        if length > 0 {
            push(at, at + length);
        }
        at += length.max(1);
    }
    if let Some(from) = start {
        push(from, bytes.len());
    }
    tokens
}

/// `NAME() { … NAME | NAME & … }` and its like.
fn function(tokens: &[Token<'_>], at: usize, fuel: &Fuel) -> Option<Span> {
    let text = |at: usize| tokens.get(at).map(|token| token.text);
    let (name, mut body) = match text(at)? {
        "function" => {
            let skip = if text(at + 2) == Some("(") && text(at + 3) == Some(")") { 4 } else { 2 };
            (tokens.get(at + 1)?, at + skip)
        }
        _ if text(at + 1) == Some("(") && text(at + 2) == Some(")") => (tokens.get(at)?, at + 3),
        _ => return None,
    };
    while text(body) == Some("\n") {
        body += 1;
    }
    let (open, close) = match text(body)? {
        "{" => ("{", "}"),
        "(" => ("(", ")"),
        _ => return None,
    };
    let mut depth = 0usize;
    let mut calls = 0usize;
    let mut spread = false;
    let mut end = body;
    for token in tokens.get(body..)? {
        if !fuel.spend(1) {
            return None;
        }
        end = token.at + token.text.len();
        match token.text {
            other if other == open => depth += 1,
            other if other == close => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            "&" | "|" | "|&" => spread = true,
            other if other == name.text => calls += 1,
            _ => {}
        }
    }
    let called_by_other = calls == 0 && spread && fuel.spend(1024) && mutual(tokens, name.text, body);
    ((calls > 0 && spread) || calls > 1 || called_by_other).then_some(Span { start: tokens.get(at)?.at, end })
}

/// True if this function calls another of the line that calls it back.
fn mutual(tokens: &[Token<'_>], name: &str, body: usize) -> bool {
    let inside: Vec<&str> = tokens
        .get(body..)
        .unwrap_or_default()
        .iter()
        .map(|token| token.text)
        .take_while(|text| !matches!(*text, "}"))
        .take(64)
        .collect();
    tokens.windows(3).enumerate().take(256).any(|(at, window)| match window {
        [other, open, close] if open.text == "(" && close.text == ")" && other.text != name => {
            inside.contains(&other.text)
                && tokens
                    .get(at + 3..)
                    .unwrap_or_default()
                    .iter()
                    .map(|token| token.text)
                    .take_while(|text| *text != "}")
                    .take(64)
                    .any(|text| text == name)
        }
        _ => false,
    })
}

/// `while true; do … & done`, without a wait behind the last `&`.
fn endless(tokens: &[Token<'_>], at: usize, fuel: &Fuel) -> Option<Span> {
    let text = |at: usize| tokens.get(at).map(|token| token.text);
    let keyword = text(at)?;
    let mut condition = Vec::new();
    let mut cursor = at + 1;
    match keyword {
        "while" | "until" | "for" => {
            while let Some(word) = text(cursor) {
                cursor += 1;
                if word == "do" {
                    break;
                }
                if !matches!(word, ";" | "\n") || keyword == "for" {
                    condition.push(word);
                }
                if condition.len() > 16 {
                    return None;
                }
            }
        }
        _ => return None,
    }
    let joined = condition.join(" ");
    let base = joined.rsplit('/').next().unwrap_or(&joined);
    let endless = match keyword {
        "while" => matches!(
            base,
            "true"
                | ":"
                | "[ 1 ]"
                | "[[ 1 ]]"
                | "( ( 1 ) )"
                | "test 1"
                | "! false"
                | "[ true ]"
                | "[[ true ]]"
        ),
        "until" => matches!(base, "false" | "! true" | "! :"),
        _ => {
            joined.starts_with("( (")
                && (joined.contains(";;") || joined.contains("; ;") || joined.contains("; 1 ;"))
        }
    };
    if !endless {
        return None;
    }
    let mut depth = 1usize;
    let mut branch = 0usize;
    let mut background = false;
    let mut end = cursor;
    while let Some(token) = tokens.get(cursor) {
        if !fuel.spend(1) {
            return None;
        }
        end = token.at + token.text.len();
        match token.text {
            "do" => depth += 1,
            "if" | "case" => branch += 1,
            "fi" | "esac" => branch = branch.saturating_sub(1),
            "done" => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            "&" => background = true,
            "wait" if branch == 0 => background = false,
            _ => {}
        }
        cursor += 1;
    }
    background.then_some(Span { start: tokens.get(at)?.at, end })
}

#[cfg(test)]
mod tests {
    fn found(text: &str) -> Option<crate::action::script::Span> {
        super::in_text(text, &crate::policy::fuel::Fuel::for_line(text.len()))
    }

    #[test]
    fn bombs() {
        for bomb in [
            ":(){ :|:& };:",
            ":() { : | : & } ; :",
            "function f { f | f & }; f",
            "function f() { f|f& }; f",
            "f(){ f& f& }; f",
            "x(){ x & }; x",
            "b()\n{\n b | b &\n}\nb",
            "b() \\\n{ b | \\\nb & }; b",
            "a(){ b & }; b(){ a; }; a",
            "while true; do sleep 9 & done",
            "until false; do w & done",
            "for ((;;)); do w & done",
            "for ((i=0;;i++)); do w & done",
            "while :; do w & wait; v & done",
            "f() ( f | f & ); f",
        ] {
            assert!(found(bomb).is_some(), "{bomb}");
        }
        for harmless in [
            "f(){ ls | wc -l; }; f",
            "while true; do date; sleep 1; done",
            "while read x; do f \"$x\" & done",
            "while true; do w & wait; done",
            "echo ':(){ :|:& };:'",
            "a && b || c",
            "f(){ echo f; }; f &",
        ] {
            assert!(found(harmless).is_none(), "{harmless}");
        }
    }
}
