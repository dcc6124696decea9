//! What the tools of the clients do, by their names as one table.

use serde_json::{Map, Value};

use super::event::{Does, Files};

/// How a tool's input is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shell,
    Read,
    Search,
    Write,
    Delete,
    Patch,
    Fetch,
    Nothing,
}

use Kind::{Delete, Fetch, Nothing, Patch, Read, Search, Shell, Write};

/// The tools that are known, in lower case. What is not here is unknown, and asked.
const TOOLS: &[(&str, Kind)] = &[
    // Claude Code, Codex (which calls its shell Bash towards hooks), Copilot, OpenCode
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
    // Text for a shell that runs already: read like a command line, so that what means something in one is seen.
    ("write_bash", Shell),
    ("write_stdin", Shell),
    ("read", Read),
    ("read_file", Read),
    ("read_many_files", Read),
    ("view", Read),
    ("view_image", Read),
    ("notebookread", Read),
    ("ls", Search),
    ("list", Search),
    ("list_directory", Search),
    ("glob", Search),
    ("grep", Search),
    ("grep_search", Search),
    ("search_file_content", Search),
    ("rg", Search),
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
    // Nothing of these leaves the agent, or the tools that they lead to are asked for one by one.
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

/// What a tool does with this input. A tool that is known, and whose input is not, is not understood.
///
/// # Errors
/// A sentence that says what is missing.
pub fn does(tool: &str, input: &Map<String, Value>) -> Result<Does, String> {
    let name = tool.to_ascii_lowercase();
    let kind = TOOLS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let Some(kind) = kind else { return Ok(Does::Unknown(text(input, COMMANDS))) };
    let paths = || paths(input).ok_or_else(|| format!("the input of {tool} names no file"));
    Ok(match kind {
        Shell => Does::Run(command(input).ok_or_else(|| format!("the input of {tool} has no command"))?),
        Read => Does::Files(Files { read: paths()?, ..Files::default() }),
        // Without a folder it is the one that the agent works in.
        Search => {
            let searched = self::paths(input).unwrap_or_else(|| vec![".".to_owned()]);
            Does::Files(Files { searched, ..Files::default() })
        }
        Write => Does::Files(Files { written: paths()?, ..Files::default() }),
        Delete => Does::Files(Files { deleted: paths()?, ..Files::default() }),
        Patch => {
            let patch = text(input, &["command", "input", "patch", "patchText", "patch_text"]);
            Does::Files(patched(&patch.ok_or_else(|| format!("the input of {tool} has no patch"))?)?)
        }
        Fetch => match text(input, &["url", "uri"]) {
            Some(url) => Does::Fetch(url),
            // Gemini's tool takes a sentence with addresses in it.
            None => Does::Unknown(None),
        },
        Nothing => Does::Nothing,
    })
}

const COMMANDS: &[&str] = &["command", "cmd", "script", "commandLine", "command_line"];

/// The command line of a shell tool: a text, or a list of words, or a list of lines.
fn command(input: &Map<String, Value>) -> Option<String> {
    if let Some(text) = text(input, COMMANDS).or_else(|| text(input, &["input", "chars", "text"])) {
        return Some(text);
    }
    let lines = input.get("commands").and_then(Value::as_array)?;
    let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
    lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"))
}

fn text(input: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| input.get(*name)?.as_str()).map(str::to_owned)
}

/// The paths in an input, under every name that the clients use.
fn paths(input: &Map<String, Value>) -> Option<Vec<String>> {
    const ONE: &[&str] = &[
        "file_path",
        "filePath",
        "path",
        "absolute_path",
        "dir_path",
        "notebook_path",
        "target_file",
        "target_notebook",
        "filename",
    ];
    let mut found: Vec<String> =
        ONE.iter().filter_map(|name| input.get(*name)?.as_str()).map(str::to_owned).collect();
    for name in ["paths", "include", "files", "file_paths"] {
        let list = input.get(name).and_then(Value::as_array).into_iter().flatten();
        found.extend(list.filter_map(Value::as_str).map(str::to_owned));
    }
    (!found.is_empty() && found.iter().all(|path| !path.is_empty())).then_some(found)
}

/// The files that a patch in the form of `apply_patch` touches.
fn patched(patch: &str) -> Result<Files, String> {
    let mut files = Files::default();
    for line in patch.lines() {
        let Some(line) = line.strip_prefix("*** ") else { continue };
        if let Some(path) = line.strip_prefix("Add File: ").or(line.strip_prefix("Update File: ")) {
            files.written.push(path.trim().to_owned());
        } else if let Some(path) = line.strip_prefix("Move to: ") {
            files.written.push(path.trim().to_owned());
        } else if let Some(path) = line.strip_prefix("Delete File: ") {
            files.deleted.push(path.trim().to_owned());
        }
    }
    if files == Files::default() {
        return Err("the patch names no file".to_owned());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(tool: &str, input: &Value) -> Result<Does, String> {
        does(tool, input.as_object().unwrap())
    }

    fn files(read: &[&str], searched: &[&str], written: &[&str], deleted: &[&str]) -> Does {
        let list = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        Does::Files(Files {
            read: list(read),
            searched: list(searched),
            written: list(written),
            deleted: list(deleted),
        })
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
            ("Glob", json!({"pattern": "*", "path": "/p"}), files(&[], &["/p"], &[], &[])),
            ("Write", json!({"file_path": "/a", "content": "x"}), files(&[], &[], &["/a"], &[])),
            ("edit", json!({"filePath": "/a"}), files(&[], &[], &["/a"], &[])),
            ("NotebookEdit", json!({"notebook_path": "/a"}), files(&[], &[], &["/a"], &[])),
            ("delete_file", json!({"target_file": "/a"}), files(&[], &[], &[], &["/a"])),
            (
                "apply_patch",
                json!({"command": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch"}),
                files(&[], &[], &["a", "b"], &["c"]),
            ),
            ("WebFetch", json!({"url": "https://a"}), Does::Fetch("https://a".to_owned())),
            ("web_fetch", json!({"prompt": "read https://a"}), Does::Unknown(None)),
            ("TodoWrite", json!({}), Does::Nothing),
            ("mcp__x__run", json!({"command": "rm x"}), Does::Unknown(Some("rm x".to_owned()))),
            ("WebSearch", json!({"query": "x"}), Does::Unknown(None)),
        ] {
            assert_eq!(read(tool, &input), Ok(does), "{tool}");
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
