//! Transcripts that agents leave: the commands in them, read from the files of Claude Code and Codex.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::doors::hook::Client;

/// The folders of transcripts below the home folder, by client.
const PLACES: [(Client, &str); 2] =
    [(Client::Claude, ".claude/projects"), (Client::Codex, ".codex/sessions")];
/// The deepest folder that is searched.
const DEEPEST: usize = 6;

/// A transcript file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transcript {
    pub(super) client: Client,
    pub(super) file: PathBuf,
}

/// What a line of a transcript holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// The command lines that the agent wanted to run, with their folders, if it says them.
    pub(super) commands: Vec<(String, Option<String>)>,
    /// Everything that was said in it, for the search for secrets.
    pub(super) texts: Vec<String>,
    /// When: RFC 3339.
    pub(super) time: Option<String>,
}

/// The transcripts in a home folder.
pub(super) fn find(home: &Path) -> Vec<Transcript> {
    let mut found = Vec::new();
    for (client, place) in PLACES {
        let mut folders = vec![(home.join(place), 0)];
        while let Some((folder, depth)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                match kind {
                    Ok(kind) if kind.is_dir() && depth < DEEPEST => folders.push((path, depth + 1)),
                    Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "jsonl") => {
                        found.push(Transcript { client, file: path });
                    }
                    Ok(_) | Err(_) => {}
                }
            }
        }
    }
    found.sort_by(|one, other| one.file.cmp(&other.file));
    found
}

impl Transcript {
    /// Each line that could be read, in order. What is no JSON, such as a line that is being written, is left out.
    pub(super) fn entries(&self) -> std::io::Result<impl Iterator<Item = Entry> + use<>> {
        let lines =
            std::io::BufReader::new(std::fs::File::open(&self.file)?).split(b'\n').map_while(Result::ok);
        let values = lines.filter_map(|line| serde_json::from_slice::<Value>(&line).ok());
        let (client, mut folder) = (self.client, None);
        Ok(values.map(move |value| match client {
            Client::Claude => claude(&value),
            _ => codex(&value, &mut folder),
        }))
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A line of Claude Code: a message of the person or the model. Other lines repeat what is in those.
fn claude(line: &Value) -> Entry {
    let kind = text(line, "type").unwrap_or_default();
    let message = line.get("message").filter(|_| kind == "user" || kind == "assistant");
    let Some(content) = message.and_then(|message| message.get("content")) else { return Entry::default() };
    let cwd = text(line, "cwd");
    let parts = content.as_array().into_iter().flatten();
    let run = |part: &&Value| {
        text(part, "type").as_deref() == Some("tool_use") && text(part, "name").as_deref() == Some("Bash")
    };
    let commands = parts.filter(run).filter_map(|part| text(part.get("input")?, "command"));
    let commands = commands.map(|command| (command, cwd.clone())).collect();
    Entry { commands, texts: said(content), time: text(line, "timestamp") }
}

/// A line of Codex: calls of its shell name their folder, or are made in that of the conversation.
fn codex(line: &Value, folder: &mut Option<String>) -> Entry {
    let Some(payload) = line.get("payload") else { return Entry::default() };
    if let Some(cwd) = text(payload, "cwd") {
        *folder = Some(cwd);
    }
    if text(line, "type").as_deref() != Some("response_item") {
        return Entry::default();
    }
    let given = text(payload, "arguments").and_then(|given| serde_json::from_str::<Value>(&given).ok());
    let command = given.and_then(|given| {
        let words = given.pointer("/command").or_else(|| given.pointer("/cmd"))?;
        let line = match words {
            Value::String(line) => line.clone(),
            // A shell and its line, as the older tool names them.
            Value::Array(words) => words.last()?.as_str()?.to_owned(),
            _ => return None,
        };
        Some((line, text(&given, "workdir").or_else(|| folder.clone())))
    });
    Entry { commands: command.into_iter().collect(), texts: said(payload), time: text(line, "timestamp") }
}

/// Every text in a value.
fn said(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(said).collect(),
        // Pictures and signatures are long, and no text.
        Value::Object(all) => all
            .iter()
            .filter(|(name, _)| *name != "data" && *name != "signature")
            .flat_map(|(_, one)| said(one))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn commands_are_found_where_each_client_writes_them() {
        let claude_line = json!({
            "type": "assistant", "cwd": "/home/ana/p", "timestamp": "2026-11-28T21:00:42Z",
            "message": {"content": [
                {"type": "text", "text": "now"},
                {"type": "tool_use", "name": "Bash", "input": {"command": "ls -la"}},
                {"type": "tool_use", "name": "Write", "input": {"file_path": "a", "content": "b"}},
            ]},
        });
        let entry = claude(&claude_line);
        assert_eq!(entry.commands, [("ls -la".to_owned(), Some("/home/ana/p".to_owned()))]);
        assert!(entry.texts.contains(&"now".to_owned()) && entry.time.is_some());
        assert_eq!(claude(&json!({"type": "api-request-blob", "content": []})), Entry::default());
        let mut folder = None;
        codex(&json!({"type": "session_meta", "payload": {"cwd": "/home/ana/p"}}), &mut folder);
        for (arguments, command, at) in [
            (json!({"command": ["bash", "-lc", "make test"]}), "make test", "/home/ana/p"),
            (json!({"cmd": "make", "workdir": "/tmp"}), "make", "/tmp"),
        ] {
            let line = json!({"type": "response_item", "payload": {"type": "function_call", "arguments": arguments.to_string()}});
            assert_eq!(codex(&line, &mut folder).commands, [(command.to_owned(), Some(at.to_owned()))]);
        }
    }

    proptest! {
        #[test]
        fn no_line_of_a_transcript_can_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,80}") {
            let folder = tempfile::tempdir().unwrap();
            let nested = json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": text}]}, "payload": {"arguments": text}});
            for client in [Client::Claude, Client::Codex] {
                let file = folder.path().join("a.jsonl");
                std::fs::write(&file, [bytes.as_slice(), b"\n", nested.to_string().as_bytes()].concat()).unwrap();
                let transcript = Transcript { client, file };
                prop_assert!(transcript.entries().unwrap().count() <= 201);
            }
        }
    }
}
