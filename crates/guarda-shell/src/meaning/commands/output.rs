//! The output of a command, if the line itself determines it.

use crate::meaning::evaluator::Evaluator;
use crate::script::{Input, RedirectKind, Run, Word};

impl Evaluator<'_> {
    /// The output of a run, if the line determines it: `echo` and `printf` with known words, `cat` of inline text.
    pub fn output(&self, id: usize) -> Option<String> {
        let run = self.runs.get(id)?;
        if run.redirects.iter().any(|redirect| redirect.fd == 1) || !run.assigns.is_empty() {
            return None;
        }
        let words: Option<Vec<&str>> = run.words.iter().map(Word::literal).collect();
        let words = words?;
        let (name, arguments) = words.split_first()?;
        if self.functions.contains_key(*name) {
            return None;
        }
        match *name {
            "echo" => echo(arguments),
            "printf" => printf(arguments),
            "cat" if arguments.is_empty() || arguments == ["-"] => given_text(run),
            _ => None,
        }
    }

    /// The whole standard input of a run, if the line determines it.
    pub fn input_text(&self, id: usize) -> Option<String> {
        let run = self.runs.get(id)?;
        match &run.input {
            Input::Redirected => given_text(run),
            Input::Pipe(from) if !from.is_empty() => from.iter().map(|id| self.output(*id)).collect(),
            Input::Pipe(_) | Input::Inherited => None,
        }
    }
}

/// The text of the here-document or here-string that a run reads.
fn given_text(run: &Run) -> Option<String> {
    let last = run.redirects.iter().rfind(|redirect| redirect.fd == 0)?;
    match last.kind {
        RedirectKind::Text => last.target.literal().map(str::to_owned),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::Duplicate
        | RedirectKind::Close => None,
    }
}

fn echo(arguments: &[&str]) -> Option<String> {
    let mut rest = arguments;
    let mut newline = true;
    while let Some((first, behind)) = rest.split_first()
        && let Some(letters) = first.strip_prefix('-')
        && !letters.is_empty()
        && letters.bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E'))
    {
        newline &= !letters.contains('n');
        rest = behind;
    }
    let text = rest.join(" ");
    // The meaning of backslashes depends on the shell.
    if text.contains('\\') {
        return None;
    }
    Some(if newline { text + "\n" } else { text })
}

fn printf(arguments: &[&str]) -> Option<String> {
    let (format, values) = arguments.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.next()? {
                's' => text.push_str(values.next().copied().unwrap_or("")),
                '%' => text.push('%'),
                _ => return None,
            },
            '\\' => match letters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\\' => text.push('\\'),
                _ => return None,
            },
            _ => text.push(letter),
        }
    }
    if values.next().is_some() { None } else { Some(text) }
}
