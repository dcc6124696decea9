//! The clients' tools by name, and the fields of their inputs, as tables.

use super::Client;
use Client::{Claude, Codex, Copilot, Cursor, Gemini, OpenCode};

/// How to interpret a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolKind {
    Shell,
    Read,
    /// Reads every file that patterns and folders name.
    ReadMany,
    /// Lists the names in a folder.
    List,
    /// Finds files by name pattern.
    Find,
    /// Searches for text in files.
    Search,
    Write,
    /// Does what its field `command` says.
    Editor,
    Delete,
    Patch,
    Fetch,
}

use ToolKind::{Delete, Editor, Fetch, Find, List, Patch, Read, ReadMany, Search, Shell, Write};

/// The known tools, in lower case. Any other tool leads to a question.
pub(super) const TOOLS: &[(&str, ToolKind)] = &[
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
    ("read_many_files", ReadMany),
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
    ("str_replace_editor", Editor),
    ("str_replace_based_edit_tool", Editor),
    ("notebookedit", Write),
    ("delete", Delete),
    ("delete_file", Delete),
    ("apply_patch", Patch),
    ("patch", Patch),
    ("webfetch", Fetch),
    ("web_fetch", Fetch),
    ("fetch", Fetch),
];

/// Tools without an effect outside the agent, or that lead to tool calls that are asked about one by one, and the clients that have
/// them. A program that calls the hook itself has none: its tools of such names can be anything.
const HARMLESS: &[(&str, &[Client])] = &[
    ("task", &[Claude, Copilot, OpenCode]),
    ("agent", &[Claude]),
    ("skill", &[Claude, Copilot, OpenCode]),
    ("toolsearch", &[Claude]),
    ("todowrite", &[Claude, OpenCode]),
    ("todoread", &[Claude, OpenCode]),
    ("todo_write", &[Cursor]),
    ("write_todos", &[Gemini]),
    ("update_plan", &[Codex]),
    ("update_todo", &[Copilot]),
    ("report_intent", &[Copilot]),
    ("taskcreate", &[Claude]),
    ("taskupdate", &[Claude]),
    ("tasklist", &[Claude]),
    ("taskget", &[Claude]),
    ("enterplanmode", &[Claude]),
    ("exitplanmode", &[Claude]),
    ("askuserquestion", &[Claude]),
    ("ask_user", &[Copilot, Gemini]),
    ("bashoutput", &[Claude]),
    ("killshell", &[Claude]),
    ("read_bash", &[Copilot]),
    ("list_bash", &[Copilot]),
    ("stop_bash", &[Copilot]),
];

/// How to interpret the input of a tool of this name; `None` for an unknown one.
pub(super) fn kind(tool: &str) -> Option<ToolKind> {
    let name = tool.to_ascii_lowercase();
    TOOLS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// Whether this client has a tool of this name that does nothing outside of it.
pub(super) fn is_harmless(client: Client, tool: &str) -> bool {
    let name = tool.to_ascii_lowercase();
    HARMLESS.iter().any(|(known, clients)| *known == name && clients.contains(&client))
}

/// Whether a name is that of a client's own tool.
pub(super) fn is_built_in(tool: &str) -> bool {
    let name = tool.to_ascii_lowercase();
    kind(tool).is_some() || HARMLESS.iter().any(|(known, _)| *known == name)
}

/// The command line of a shell.
pub(super) const COMMANDS: &[&str] = &["command", "cmd", "script", "commandLine", "command_line"];
/// Text for a running shell.
pub(super) const TYPED: &[&str] = &["input", "chars", "text"];
/// A list of lines.
pub(super) const LINES: &str = "commands";
/// The folder of a shell.
pub(super) const FOLDER: &[&str] = &["workdir", "dir", "directory", "working_directory", "dir_path", "cwd"];
/// Files.
pub(super) const PATHS: &[&str] = &[
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
];
/// Files by patterns.
pub(super) const PATTERNS: &[&str] =
    &["pattern", "patterns", "glob_pattern", "globPattern", "query", "include"];
/// Folders of a search.
pub(super) const FOLDERS: &[&str] =
    &["path", "paths", "dir_path", "directory", "target_directory", "relative_workspace_path"];
/// The file pattern of a search.
pub(super) const CHOOSING: &[&str] =
    &["glob", "globs", "include", "include_pattern", "includePattern", "file_pattern"];
/// A patch.
pub(super) const PATCH: &[&str] = &["command", "input", "patch", "patchText", "patch_text"];
/// An address.
pub(super) const ADDRESS: &[&str] = &["url", "uri"];
/// The complete content of a file.
pub(super) const WHOLE: &[&str] = &["content", "contents", "file_text", "fileText"];
/// The replaced text, and its replacement.
pub(super) const OLD: &[&str] = &["old_string", "oldString", "old_str", "old_text", "oldText"];
pub(super) const NEW: &[&str] = &["new_string", "newString", "new_str", "new_text", "newText"];

/// Texts that say something about a call, and change nothing of what it does to files, programs or machines.
const NEUTRAL: &[&str] = &[
    "description",
    "explanation",
    "justification",
    "goal",
    "id",
    "session_id",
    "sessionId",
    "shellId",
    "call_id",
    "toolSummary",
];

impl ToolKind {
    /// The fields that say what the tool does, and texts and lists that change nothing about it.
    fn fields(self) -> &'static [&'static [&'static str]] {
        match self {
            Shell => &[
                COMMANDS,
                TYPED,
                FOLDER,
                &[
                    LINES,
                    "shell",
                    "mode",
                    "sandbox_permissions",
                    "prefix_rule",
                    "required_permissions",
                    "async",
                ],
            ],
            Read => &[PATHS, &["pages", "content", "attachments", "view_range", "ranges"]],
            ReadMany => &[PATHS, PATTERNS, &["exclude", "file_filtering_options"]],
            List => &[FOLDERS, &["ignore", "ignore_globs", "file_filtering_options"]],
            Find => &[FOLDERS, PATTERNS, &["exclude", "file_filtering_options"]],
            Search => &[
                FOLDERS,
                CHOOSING,
                &[
                    "pattern",
                    "query",
                    "regex",
                    "type",
                    "output_mode",
                    "sort",
                    "exclude",
                    "exclude_pattern",
                    "excludePattern",
                ],
            ],
            Write | Editor => &[
                PATHS,
                WHOLE,
                OLD,
                NEW,
                &[
                    "command",
                    "edits",
                    "view_range",
                    "insert_text",
                    "cell_id",
                    "cell_type",
                    "edit_mode",
                    "new_source",
                    "instruction",
                    "instructions",
                    "code_edit",
                    "ai_proposed_content",
                ],
            ],
            Delete => &[PATHS],
            Patch => &[PATCH],
            Fetch => &[ADDRESS, &["prompt", "format"]],
        }
    }

    /// Whether a field that holds text or more is known for it.
    pub(super) fn knows(self, field: &str) -> bool {
        NEUTRAL.contains(&field) || self.fields().iter().any(|fields| fields.contains(&field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_stands_in_the_tables_twice() {
        let harmless = HARMLESS.iter().map(|(name, _)| *name);
        let mut names: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).chain(harmless).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| *name == name.to_ascii_lowercase()));
    }

    #[test]
    fn a_harmless_tool_is_a_clients_own() {
        for (client, tool, harmless) in [
            (Claude, "TodoWrite", true),
            (Claude, "Task", true),
            (Claude, "ask_user", false),
            (Claude, "update_plan", false),
            (Codex, "update_plan", true),
            (Codex, "task", false),
            (Gemini, "ask_user", true),
            (Gemini, "skill", false),
            (Copilot, "skill", true),
            (Cursor, "task", false),
            (OpenCode, "task", true),
        ] {
            assert_eq!(is_harmless(client, tool), harmless, "{client} {tool}");
        }
        for (tool, _) in HARMLESS {
            assert!(!is_harmless(Client::OpenAiAgents, tool) && is_built_in(tool), "{tool}");
        }
    }
}
