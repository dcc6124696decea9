//! The clients' tools by name, in one table.

use serde_json::{Map, Value};

use super::event::{Does, Files};
use super::fields;
use super::misread::Misread;
use super::writing;
use crate::hands::announced::{Content, Planned};

/// How to interpret a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shell,
    Read,
    /// Lists the names in a folder.
    List,
    /// Finds files by name pattern.
    Find,
    /// Searches for text in files.
    Search,
    Write,
    Delete,
    Patch,
    Fetch,
    Nothing,
}

use Kind::{Delete, Fetch, Find, List, Nothing, Patch, Read, Search, Shell, Write};

/// The known tools, in lower case. Any other tool leads to a question.
const TOOLS: &[(&str, Kind)] = &[
    // Claude Code, Codex (which names its shell Bash in hooks), Copilot, OpenCode
    ("bash", Shell),
    // Gemini
    ("run_shell_command", Shell),
    // Cursor, OpenAI
    ("shell", Shell),
    ("local_shell", Shell),
    ("exec_command", Shell),
    ("run_terminal_cmd", Shell),
    // VS Code
    ("run_in_terminal", Shell),
    ("runinterminal", Shell),
    // Text for a running shell. Parsed like a command line, to see its effect.
    ("write_bash", Shell),
    ("write_stdin", Shell),
    ("read", Read),
    ("read_file", Read),
    ("read_many_files", Read),
    ("view", Read),
    ("view_image", Read),
    ("notebookread", Read),
    ("ls", List),
    ("list", List),
    ("list_dir", List),
    ("list_directory", List),
    ("glob", Find),
    ("glob_file_search", Find),
    ("file_search", Find),
    ("grep", Search),
    ("grep_search", Search),
    ("search_file_content", Search),
    ("rg", Search),
    ("ripgrep", Search),
    ("write", Write),
    ("write_file", Write),
    ("create", Write),
    ("create_file", Write),
    ("edit", Write),
    ("multiedit", Write),
    ("edit_file", Write),
    ("replace", Write),
    ("str_replace", Write),
    ("strreplace", Write),
    ("str_replace_editor", Write),
    ("notebookedit", Write),
    ("delete", Delete),
    ("delete_file", Delete),
    ("apply_patch", Patch),
    ("patch", Patch),
    ("webfetch", Fetch),
    ("web_fetch", Fetch),
    ("fetch", Fetch),
    // These have no effect outside the agent, or lead to tool calls that are asked about one by one.
    ("task", Nothing),
    ("agent", Nothing),
    ("todowrite", Nothing),
    ("todoread", Nothing),
    ("todo_write", Nothing),
    ("write_todos", Nothing),
    ("update_plan", Nothing),
    ("update_todo", Nothing),
    ("report_intent", Nothing),
    ("taskcreate", Nothing),
    ("taskupdate", Nothing),
    ("tasklist", Nothing),
    ("taskget", Nothing),
    ("enterplanmode", Nothing),
    ("exitplanmode", Nothing),
    ("askuserquestion", Nothing),
    ("ask_user", Nothing),
    ("bashoutput", Nothing),
    ("read_bash", Nothing),
    ("list_bash", Nothing),
    ("killshell", Nothing),
    ("stop_bash", Nothing),
    ("toolsearch", Nothing),
    ("skill", Nothing),
];

/// What the tool does with this input. A known tool with an unknown input is an error.
///
/// # Errors
/// [`Misread`] with the missing field.
pub fn does(tool: &str, input: &Map<String, Value>) -> Result<Does, Misread> {
    let name = tool.to_ascii_lowercase();
    let kind = TOOLS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let Some(kind) = kind else {
        // The fields of an unknown tool can mean anything.
        let command = COMMANDS.iter().find_map(|name| input.get(*name)?.as_str());
        return Ok(Does::Unknown(command.map(str::to_owned)));
    };
    let lacks = |what| Misread::Lacks { tool: tool.to_owned(), what };
    let paths = || paths(input)?.ok_or_else(|| lacks("file"));
    Ok(match kind {
        Shell => Does::Run(command(input)?.ok_or_else(|| lacks("command"))?),
        Read => Does::Files(Files { read: paths()?, ..Files::default() }),
        List => Does::Files(Files { read: folders(input)?, ..Files::default() }),
        Find => {
            let patterns = many(input, &["pattern", "patterns", "glob_pattern", "globPattern", "query"])?;
            if patterns.is_empty() {
                return Err(lacks("pattern"));
            }
            Does::Files(Files { matched: below(&folders(input)?, &patterns), ..Files::default() })
        }
        Search => {
            let searched = folders(input)?;
            let matched = below(&searched, &many(input, CHOOSING)?);
            Does::Files(Files { searched, matched, ..Files::default() })
        }
        Write => {
            let written = paths()?;
            let planned = match written.as_slice() {
                [path] => vec![Planned::new(path.clone(), writing::content(input)?)],
                _ => Vec::new(),
            };
            Does::Files(Files { written, planned, ..Files::default() })
        }
        Delete => {
            let deleted = paths()?;
            let planned = deleted.iter().map(|path| Planned::new(path.clone(), Content::Gone)).collect();
            Does::Files(Files { deleted, planned, ..Files::default() })
        }
        Patch => {
            let patch = fields::first(input, &["command", "input", "patch", "patchText", "patch_text"])?;
            Does::Files(writing::patched(&patch.ok_or_else(|| lacks("patch"))?)?)
        }
        Fetch => match fields::first(input, &["url", "uri"])? {
            Some(url) => Does::Fetch(url),
            // Gemini's tool takes a sentence that contains addresses.
            None => Does::Unknown(None),
        },
        Nothing => Does::Nothing,
    })
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
    let name = tool.to_ascii_lowercase();
    let shell = TOOLS.iter().any(|(known, kind)| *known == name && *kind == Shell);
    if !shell || TYPED.iter().any(|name| input.contains_key(*name)) {
        return Ok(None);
    }
    let places = COMMANDS.iter().map(|key| LinePlace { key, in_list: false });
    let mut places =
        places.chain([LinePlace { key: LINES, in_list: true }]).filter(|place| input.contains_key(place.key));
    let known = command(input)?.is_some();
    let place = places.next().filter(|_| known);
    Ok(place.filter(|_| places.next().is_none()))
}

/// Fields with text for a running shell.
const TYPED: &[&str] = &["input", "chars", "text"];
/// The field with a list of lines.
const LINES: &str = "commands";
const COMMANDS: &[&str] = &["command", "cmd", "script", "commandLine", "command_line"];

/// The fields for the file pattern of a search.
const CHOOSING: &[&str] = &["glob", "globs", "include", "include_pattern", "includePattern", "file_pattern"];

/// The command line of a shell tool, from a text or from a list of lines.
fn command(input: &Map<String, Value>) -> Result<Option<String>, Misread> {
    if let Some(text) = fields::first(input, COMMANDS)?.or(fields::first(input, TYPED)?) {
        return Ok(Some(text));
    }
    let lines = many(input, &[LINES])?;
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
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
            _ => found.extend(fields::text(input, name)?),
        }
    }
    Ok(found)
}

/// The paths in an input, under every field name that the clients use.
fn paths(input: &Map<String, Value>) -> Result<Option<Vec<String>>, Misread> {
    const NAMES: &[&str] = &[
        "file_path",
        "filePath",
        "path",
        "absolute_path",
        "dir_path",
        "notebook_path",
        "target_file",
        "target_notebook",
        "target_directory",
        "relative_workspace_path",
        "filename",
        "paths",
        "files",
        "file_paths",
        "include",
    ];
    let found = many(input, NAMES)?;
    Ok((!found.is_empty() && found.iter().all(|path| !path.is_empty())).then_some(found))
}

/// The folders of a search. The default is the agent's working folder.
fn folders(input: &Map<String, Value>) -> Result<Vec<String>, Misread> {
    const NAMES: &[&str] =
        &["path", "paths", "dir_path", "directory", "target_directory", "relative_workspace_path"];
    let mut found = many(input, NAMES)?;
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
        does(tool, input.as_object().unwrap())
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
            ("read_many_files", json!({"paths": ["a", "b"]}), files(&["a", "b"], &[], &[], &[])),
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
            ("WebFetch", json!({"url": 1})),
        ] {
            assert!(read(tool, &input).is_err(), "{tool} {input}");
        }
    }

    #[test]
    fn no_tool_stands_in_the_table_twice() {
        let mut names: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| *name == name.to_ascii_lowercase()));
    }
}
