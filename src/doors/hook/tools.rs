//! What a call of a client's tool does, by its input. Each field is known for its tool, or the call is not understood.

use serde_json::{Map, Value};

use super::Client;
use super::event::{Does, Files};
use super::fields::{only, text};
use super::known::{
    ADDRESS, CHOOSING, COMMANDS, FOLDERS, LINES, PATCH, PATHS, PATTERNS, TYPED, ToolKind, is_harmless, kind,
};
use super::misread::Misread;
use super::writing;
use crate::hands::announced::{Content, Planned};

/// The shells that a call may name.
const SHELLS: &[&str] = &["bash", "sh", "zsh"];

/// What the tool does with this input. A known tool with an unknown input is an error.
///
/// # Errors
/// [`Misread`] with the field that is missing, stands beside another one, or is not known.
pub fn does(client: Client, tool: &str, input: &Map<String, Value>) -> Result<Does, Misread> {
    let Some(kind) = kind(tool) else {
        return Ok(if is_harmless(client, tool) { Does::Nothing } else { unknown(input) });
    };
    let lacks = |what| Misread::Lacks { tool: tool.to_owned(), what };
    let strange = |field: &str| Misread::Field { tool: tool.to_owned(), field: field.to_owned() };
    if let Some((field, _)) = input.iter().find(|(field, value)| says(value) && !kind.knows(field)) {
        return Err(strange(field));
    }
    let paths = || paths(input)?.ok_or_else(|| lacks("file"));
    Ok(match kind {
        ToolKind::Shell => {
            let name = text(input, "shell")?.filter(|shell| !shell.is_empty());
            let plain =
                |shell: &String| SHELLS.iter().any(|name| shell.strip_suffix(name).is_some_and(in_system));
            if name.is_some_and(|shell| !plain(&shell)) {
                return Err(strange("shell"));
            }
            Does::Run(command(input)?.ok_or_else(|| lacks("command"))?)
        }
        ToolKind::Read => reads(paths()?),
        ToolKind::ReadMany => {
            let names = [many(input, PATHS)?, many(input, PATTERNS)?].concat();
            if names.iter().all(String::is_empty) {
                return Err(lacks("file"));
            }
            Does::Files(gathered(names))
        }
        ToolKind::List => reads(folders(input)?),
        ToolKind::Find => {
            let patterns = many(input, PATTERNS)?;
            if patterns.is_empty() {
                return Err(lacks("pattern"));
            }
            Does::Files(Files { matched: below(&folders(input)?, &patterns), ..Files::default() })
        }
        ToolKind::Search => {
            let searched = folders(input)?;
            let matched = below(&searched, &many(input, CHOOSING)?);
            Does::Files(Files { searched, matched, ..Files::default() })
        }
        ToolKind::Editor => match text(input, "command")?.as_deref() {
            Some("view") => reads(paths()?),
            Some("create" | "str_replace" | "insert" | "undo_edit") => writes(paths()?, input)?,
            Some(_) => return Err(strange("command")),
            None => return Err(lacks("command")),
        },
        // Only a tool with several operations has this field.
        ToolKind::Write if input.get("command").is_some_and(says) => return Err(strange("command")),
        ToolKind::Write => writes(paths()?, input)?,
        ToolKind::Delete => {
            let deleted = paths()?;
            let planned = deleted.iter().map(|path| Planned::new(path.clone(), Content::Gone)).collect();
            Does::Files(Files { deleted, planned, ..Files::default() })
        }
        ToolKind::Patch => {
            Does::Files(writing::patched(&only(input, PATCH)?.ok_or_else(|| lacks("patch"))?)?)
        }
        ToolKind::Fetch => match only(input, ADDRESS)? {
            Some(url) => Does::Fetch(url),
            // Gemini's tool takes a sentence that contains addresses.
            None => Does::Unknown(None),
        },
    })
}

/// The use of a tool that is not known. Its fields can mean anything, so every text that could be its command line is judged.
pub(super) fn unknown(input: &Map<String, Value>) -> Does {
    let texts = |name: &&str| match input.get(*name) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let lines: Vec<String> = COMMANDS.iter().chain([&LINES]).flat_map(texts).collect();
    Does::Unknown((!lines.is_empty()).then(|| lines.join("\n")))
}

/// Whether a value can say what is to be done. A number or a switch names no file, program or machine.
fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => list.iter().any(says),
        Value::Object(map) => map.values().any(says),
    }
}

/// The folder of a shell, or none, as it stands before its name.
fn in_system(folder: &str) -> bool {
    matches!(folder, "" | "/bin/" | "/usr/bin/" | "/usr/local/bin/")
}

fn reads(read: Vec<String>) -> Does {
    Does::Files(Files { read, ..Files::default() })
}

fn writes(written: Vec<String>, input: &Map<String, Value>) -> Result<Does, Misread> {
    let planned = match written.as_slice() {
        [path] => vec![Planned::new(path.clone(), writing::content(input)?)],
        _ => Vec::new(),
    };
    Ok(Does::Files(Files { written, planned, ..Files::default() }))
}

/// The files that names stand for: patterns, and files or folders with everything below them. The client's patterns match hidden
/// files too, so the folder in front of one counts as searched.
fn gathered(names: Vec<String>) -> Files {
    const SIGNS: [char; 4] = ['*', '?', '[', '{'];
    let (patterns, plain): (Vec<String>, Vec<String>) =
        names.into_iter().filter(|name| !name.is_empty()).partition(|name| name.contains(SIGNS));
    let folder = |pattern: &String| {
        let before = pattern.split(SIGNS).next().unwrap_or_default();
        match before.rsplit_once('/') {
            None => ".".to_owned(),
            Some(("", _)) => "/".to_owned(),
            Some((folder, _)) => folder.to_owned(),
        }
    };
    let mut searched = plain.clone();
    searched.extend(patterns.iter().filter(|pattern| !pattern.starts_with('!')).map(folder));
    searched.dedup();
    Files { searched, read: plain, matched: below(&[".".to_owned()], &patterns), ..Files::default() }
}

/// Where the command line is in a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    key: &'static str,
    /// True if it is the only item of a list.
    in_list: bool,
}

impl LinePlace {
    /// The input with another command line and no other change.
    #[must_use]
    pub fn replaced(self, input: &Map<String, Value>, command: &str) -> Map<String, Value> {
        let mut input = input.clone();
        let command = Value::from(command);
        input.insert(self.key.to_owned(), if self.in_list { Value::Array(vec![command]) } else { command });
        input
    }
}

/// Where the command line is, for a tool that starts a shell for it. `None` for any other tool, for text that goes to
/// a running shell, and if several places are possible.
///
/// # Errors
/// If one of the fields has another type.
pub fn place(tool: &str, input: &Map<String, Value>) -> Result<Option<LinePlace>, Misread> {
    if kind(tool) != Some(ToolKind::Shell) || TYPED.iter().any(|name| input.contains_key(*name)) {
        return Ok(None);
    }
    let places = COMMANDS.iter().map(|key| LinePlace { key, in_list: false });
    let mut places =
        places.chain([LinePlace { key: LINES, in_list: true }]).filter(|place| input.contains_key(place.key));
    let known = command(input)?.is_some();
    let place = places.next().filter(|_| known);
    Ok(place.filter(|_| places.next().is_none()))
}

/// The command line of a shell tool, from a text or from a list of lines. Only one field may have one.
fn command(input: &Map<String, Value>) -> Result<Option<String>, Misread> {
    let all: Vec<&str> = COMMANDS.iter().chain(TYPED).copied().collect();
    let line = only(input, &all)?;
    let lines = many(input, &[LINES])?;
    match (line, lines.is_empty()) {
        (line, true) => Ok(line),
        (None, false) => Ok(Some(lines.join("\n"))),
        (Some(_), false) => Err(Misread::Two(LINES.to_owned(), "command".to_owned())),
    }
}

/// The values of these fields. A field holds text or a list of texts.
fn many(input: &Map<String, Value>, names: &[&str]) -> Result<Vec<String>, Misread> {
    let mut found = Vec::new();
    for name in names {
        match input.get(*name) {
            Some(Value::Array(list)) => {
                for one in list {
                    let text = one.as_str().ok_or_else(|| Misread::NotText((*name).to_owned()))?;
                    found.push(text.to_owned());
                }
            }
            _ => found.extend(text(input, name)?),
        }
    }
    Ok(found)
}

/// The paths in an input, under every field name that the clients use.
fn paths(input: &Map<String, Value>) -> Result<Option<Vec<String>>, Misread> {
    let found = many(input, PATHS)?;
    Ok((!found.is_empty() && found.iter().all(|path| !path.is_empty())).then_some(found))
}

/// The folders of a search. The default is the agent's working folder.
fn folders(input: &Map<String, Value>) -> Result<Vec<String>, Misread> {
    let mut found = many(input, FOLDERS)?;
    found.retain(|path| !path.is_empty());
    Ok(if found.is_empty() { vec![".".to_owned()] } else { found })
}

/// The patterns below each folder. A pattern that is absolute or starts at the home folder stays as it is. A pattern
/// that excludes files selects none.
fn below(folders: &[String], patterns: &[String]) -> Vec<String> {
    let chosen = patterns.iter().filter(|pattern| !pattern.is_empty() && !pattern.starts_with('!'));
    let mut found = Vec::new();
    for pattern in chosen {
        if pattern.starts_with(['/', '~']) {
            found.push(pattern.clone());
        } else {
            found.extend(folders.iter().map(|folder| format!("{}/{pattern}", folder.trim_end_matches('/'))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(tool: &str, input: &Value) -> Result<Does, Misread> {
        does(Client::Claude, tool, input.as_object().unwrap())
    }

    /// Drops file contents, which the tests of `writing` cover.
    fn without_contents(does: Does) -> Does {
        match does {
            Does::Files(files) => Does::Files(Files { planned: Vec::new(), ..files }),
            other => other,
        }
    }

    fn files(read: &[&str], searched: &[&str], written: &[&str], deleted: &[&str]) -> Does {
        let list = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        Does::Files(Files {
            read: list(read),
            searched: list(searched),
            written: list(written),
            deleted: list(deleted),
            ..Files::default()
        })
    }

    fn looked(searched: &[&str], matched: &[&str]) -> Does {
        let list = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        Does::Files(Files { searched: list(searched), matched: list(matched), ..Files::default() })
    }

    #[test]
    fn every_tool_is_understood_by_its_input() {
        for (tool, input, does) in [
            ("Bash", json!({"command": "ls", "description": "x"}), Does::Run("ls".to_owned())),
            ("run_shell_command", json!({"command": "ls"}), Does::Run("ls".to_owned())),
            ("shell", json!({"commands": ["cd /", "ls"]}), Does::Run("cd /\nls".to_owned())),
            ("write_bash", json!({"input": "rm x"}), Does::Run("rm x".to_owned())),
            ("Read", json!({"file_path": "/a", "limit": 3}), files(&["/a"], &[], &[], &[])),
            ("read_file", json!({"absolute_path": "/a"}), files(&["/a"], &[], &[], &[])),
            ("read_many_files", json!({"paths": ["a", "b"]}), files(&["a", "b"], &["a", "b"], &[], &[])),
            ("read_many_files", json!({"include": [".e*"]}), looked(&["."], &["./.e*"])),
            ("read_many_files", json!({"paths": ["**/*"], "recursive": true}), looked(&["."], &["./**/*"])),
            ("read_many_files", json!({"paths": ["~/.ssh/*"]}), looked(&["~/.ssh"], &["~/.ssh/*"])),
            (
                "read_many_files",
                json!({"include": ["/e{t,x}c/*"], "exclude": ["a"]}),
                looked(&["/"], &["/e{t,x}c/*"]),
            ),
            (
                "str_replace_editor",
                json!({"command": "view", "path": ".env"}),
                files(&[".env"], &[], &[], &[]),
            ),
            (
                "str_replace_editor",
                json!({"command": "create", "path": "a", "file_text": "x"}),
                files(&[], &[], &["a"], &[]),
            ),
            (
                "Edit",
                json!({"file_path": "a", "old_string": "x", "new_string": "y"}),
                files(&[], &[], &["a"], &[]),
            ),
            (
                "exec_command",
                json!({"cmd": "ls", "shell": "/bin/bash", "login": true}),
                Does::Run("ls".to_owned()),
            ),
            ("task", json!({"prompt": "x"}), Does::Nothing),
            ("update_plan", json!({"plan": "x"}), Does::Unknown(None)),
            ("Grep", json!({"pattern": "x"}), files(&[], &["."], &[], &[])),
            ("Grep", json!({"pattern": "x", "glob": ".env"}), looked(&["."], &["./.env"])),
            (
                "search_file_content",
                json!({"pattern": "x", "include": "*.rs", "dir_path": "/p"}),
                looked(&["/p"], &["/p/*.rs"]),
            ),
            (
                "grep_search",
                json!({"query": "x", "includePattern": "~/.ssh/*"}),
                looked(&["."], &["~/.ssh/*"]),
            ),
            ("rg", json!({"pattern": "x", "paths": ["a", "b"], "glob": "!*.log"}), looked(&["a", "b"], &[])),
            ("Glob", json!({"pattern": "*", "path": "/p"}), looked(&[], &["/p/*"])),
            ("Glob", json!({"pattern": "~/.ssh/*"}), looked(&[], &["~/.ssh/*"])),
            ("LS", json!({"path": "/p"}), files(&["/p"], &[], &[], &[])),
            ("Write", json!({"file_path": "/a", "content": "x"}), files(&[], &[], &["/a"], &[])),
            ("edit", json!({"filePath": "/a"}), files(&[], &[], &["/a"], &[])),
            ("NotebookEdit", json!({"notebook_path": "/a"}), files(&[], &[], &["/a"], &[])),
            ("delete_file", json!({"target_file": "/a"}), files(&[], &[], &[], &["/a"])),
            (
                "apply_patch",
                json!({"command": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch"}),
                files(&[], &[], &["b"], &["a", "c"]),
            ),
            ("WebFetch", json!({"url": "https://a"}), Does::Fetch("https://a".to_owned())),
            ("web_fetch", json!({"prompt": "read https://a"}), Does::Unknown(None)),
            ("TodoWrite", json!({}), Does::Nothing),
            ("mcp__x__run", json!({"command": "rm x"}), Does::Unknown(Some("rm x".to_owned()))),
            (
                "mcp__x__run",
                json!({"command": "ls", "cmd": "rm x", "commands": ["rm y"]}),
                Does::Unknown(Some("ls\nrm x\nrm y".to_owned())),
            ),
            ("WebSearch", json!({"query": "x"}), Does::Unknown(None)),
        ] {
            assert_eq!(read(tool, &input).map(without_contents), Ok(does), "{tool}");
        }
    }

    #[test]
    fn a_command_is_replaced_where_it_stood() {
        for (tool, input, replaced) in [
            (
                "Bash",
                json!({"timeout": 5, "command": "ls", "description": "x", "run_in_background": true}),
                Some(json!({"timeout": 5, "command": "new", "description": "x", "run_in_background": true})),
            ),
            (
                "exec_command",
                json!({"cmd": "ls", "workdir": "a"}),
                Some(json!({"cmd": "new", "workdir": "a"})),
            ),
            ("shell", json!({"commands": ["cd /", "ls"]}), Some(json!({"commands": ["new"]}))),
            // Text for a running shell is not a command line of its own.
            ("write_bash", json!({"input": "ls"}), None),
            ("write_stdin", json!({"chars": "ls", "session_id": 1}), None),
            ("Bash", json!({"command": "ls", "input": "x"}), None),
            ("Bash", json!({"command": "ls", "cmd": "rm x"}), None),
            ("shell", json!({"commands": ["ls"], "script": "rm x"}), None),
            ("shell", json!({"commands": ["ls", 1]}), None),
            ("Bash", json!({"command": ["ls"]}), None),
            ("mcp__x__run", json!({"command": "ls"}), None),
            ("Read", json!({"command": "ls", "path": "a"}), None),
        ] {
            let input = input.as_object().unwrap();
            let found =
                place(tool, input).ok().flatten().map(|place| Value::Object(place.replaced(input, "new")));
            assert_eq!(found, replaced, "{tool} {input:?}");
        }
    }

    #[test]
    fn a_known_tool_without_its_input_is_not_understood() {
        for (tool, input) in [
            ("Bash", json!({})),
            ("Bash", json!({"command": 1})),
            ("shell", json!({"commands": ["ls", 1]})),
            ("shell", json!({"commands": []})),
            ("Read", json!({})),
            ("Write", json!({"file_path": ""})),
            ("apply_patch", json!({"command": "rm x"})),
            ("delete_file", json!({"path": 3})),
            ("Bash", json!({"command": [1]})),
            ("Bash", json!({"command": "ls", "cmd": {}})),
            ("Read", json!({"file_path": "/a", "path": 7})),
            ("Grep", json!({"pattern": "x", "path": 7})),
            ("Grep", json!({"pattern": "x", "glob": [1]})),
            ("Glob", json!({"path": "/p"})),
            ("Glob", json!({"pattern": 5})),
            ("LS", json!({"path": {}})),
            // What a call does stands once.
            ("write_bash", json!({"command": "ls", "input": "rm -rf /"})),
            ("exec_command", json!({"command": "ls", "cmd": "rm -rf /"})),
            ("shell", json!({"command": "ls", "commands": ["rm -rf /"]})),
            ("shell", json!({"commands": ["ls"], "script": "rm -rf /"})),
            ("Bash", json!({"command": "ls", "text": "rm -rf /"})),
            ("run_shell_command", json!({"command": "ls", "commandLine": "rm -rf /"})),
            ("apply_patch", json!({"command": "*** Add File: a\n+x\n", "patchText": "*** Delete File: b\n"})),
            ("WebFetch", json!({"url": "https://a", "uri": "https://b"})),
            ("Write", json!({"file_path": "a", "content": "x", "contents": "y"})),
            ("Edit", json!({"file_path": "a", "old_string": "x", "new_string": "y", "new_str": "z"})),
            // A field that is not known for the tool.
            ("Bash", json!({"command": "ls", "Command": "rm -rf /"})),
            ("Bash", json!({"command": "ls", "_simulatedSedEdit": {"filePath": "a", "newContent": "x"}})),
            ("exec_command", json!({"cmd": "ls", "shell": "./x"})),
            ("exec_command", json!({"cmd": "ls", "shell": "/tmp/bash"})),
            ("local_shell", json!({"command": "ls", "env": {"PATH": "x"}})),
            ("Read", json!({"file_path": "a", "also": "/etc/shadow"})),
            ("Write", json!({"file_path": "a", "content": "x", "command": "view"})),
            (
                "MultiEdit",
                json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y", "file_path": "b"}]}),
            ),
            ("Grep", json!({"pattern": "x", "pre": "sh"})),
            ("read_many_files", json!({"include": []})),
            ("str_replace_editor", json!({"path": ".env"})),
            ("str_replace_editor", json!({"command": "run", "path": "a"})),
            ("WebFetch", json!({"url": 1})),
        ] {
            assert!(read(tool, &input).is_err(), "{tool} {input}");
        }
    }
}
