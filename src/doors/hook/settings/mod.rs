//! The clients' settings: where they are, what the guard adds, and how to add and remove it without other changes.
//! Works from text to text; the command line reads and writes the files.

mod edit;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Client;
use super::read::ENDS;

pub use edit::{Unfit, complete, without};

/// How much longer the client waits than the hook's own deadline, in seconds.
const SLACK: u64 = 5;

/// What follows a failed hook in any shell: the status and the text that every client takes for a no.
const FAILED: &str = "sh -c 'echo guarda: denied: the hook failed >&2; exit 2'";

/// The state of the hook in a client's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct HookStatus {
    /// The file.
    pub file: PathBuf,
    /// Its content.
    pub content: HookEntry,
}

/// The guard's entry in a settings file.
#[derive(Debug, Clone, PartialEq)]
pub enum HookEntry {
    /// Entries in lists below `hooks`, by list name. Other entries in those lists are kept.
    Entries(Vec<(&'static str, Value)>),
    /// The whole file.
    Whole(String),
}

/// The command line of the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The program's absolute path.
    pub program: String,
    /// The arguments before the client's name: `hook` if the program is `guarda`.
    pub start: Vec<String>,
    /// The hook's own deadline, in seconds.
    pub deadline: u64,
    /// Whether the guard runs allowed commands. The hook then uses an event that can change the command.
    pub rewrites: bool,
}

impl Hook {
    /// The hook's command for this client, the program first.
    #[must_use]
    pub fn words(&self, client: Client) -> Vec<String> {
        let mut words = vec![self.program.clone()];
        words.extend(self.start.iter().cloned());
        words.extend([client.name().to_owned(), "--deadline".to_owned(), self.deadline.to_string()]);
        words
    }

    /// The hook's command as a shell line.
    fn line(&self, client: Client) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let words = self.words(client).into_iter().map(|word| {
            if word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A shell line that denies if the program is missing or crashes. It is for clients that would otherwise run the
    /// tool.
    fn safe_line(&self, client: Client) -> String {
        format!("{} || {FAILED}", self.line(client))
    }
}

/// The path and the content of the guard's entry in a client's settings; `None` for a toolkit without settings.
/// `environment` returns the variables that move settings, and `home` is the home folder.
#[must_use]
pub fn place(
    client: Client,
    hook: &Hook,
    home: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Option<HookStatus> {
    let folder = |variable: &str, usual: &str| {
        PathBuf::from(environment(variable).unwrap_or_else(|| format!("{home}/{usual}")))
    };
    let line = hook.line(client);
    let patience = hook.deadline + SLACK;
    let (file, content) = match client {
        Client::Claude => {
            let words = hook.words(client);
            // With `args`, the client starts the program without a shell. With `onFailure`, it takes a failed hook for
            // a no.
            let handler = json!({
                "type": "command", "command": words.first(), "args": words.get(1..),
                "timeout": patience, "onFailure": "block",
            });
            // The second entry stops what the conversation keeps running. Nothing depends on its answer.
            let ends = json!({ "hooks": [{
                "type": "command", "command": words.first(), "args": words.get(1..),
            }] });
            let entry = json!({ "matcher": "*", "hooks": [handler] });
            let lists = [("PreToolUse", entry), (ENDS, ends)];
            (folder("CLAUDE_CONFIG_DIR", ".claude").join("settings.json"), entries(&lists))
        }
        Client::Codex => {
            let handler =
                json!({ "type": "command", "command": hook.safe_line(client), "timeout": patience });
            let entry = json!({ "matcher": ".*", "hooks": [handler] });
            (folder("CODEX_HOME", ".codex").join("hooks.json"), entries(&[("PreToolUse", entry)]))
        }
        Client::Gemini => {
            let (line, timeout) = (hook.safe_line(client), patience * 1000);
            let handler = json!({ "type": "command", "name": "guarda", "command": line, "timeout": timeout });
            let ends = json!({ "hooks": [handler] });
            let entry = json!({ "matcher": ".*", "hooks": [handler] });
            let lists = [("BeforeTool", entry), (ENDS, ends)];
            (PathBuf::from(format!("{home}/.gemini/settings.json")), entries(&lists))
        }
        Client::Copilot => {
            let hooks = json!({ "version": 1, "hooks": { "preToolUse": [
                { "type": "command", "bash": line, "timeoutSec": patience }
            ] } });
            let text = format!("{}\n", serde_json::to_string_pretty(&hooks).unwrap_or_default());
            (PathBuf::from(format!("{home}/.copilot/hooks/guarda.json")), HookEntry::Whole(text))
        }
        Client::Cursor => {
            let handler = json!({ "command": line, "timeout": patience, "failClosed": true });
            let mut others = handler.clone();
            if let Some(fields) = others.as_object_mut() {
                // These are the tools that the three other events do not cover. The shell is added if its command may
                // be changed, which only this event can do. The shell's own event then follows with the changed
                // command.
                let matcher = if hook.rewrites {
                    format!("^(Shell|{CURSOR_TOOLS})$")
                } else {
                    format!("^({CURSOR_TOOLS})$")
                };
                fields.insert("matcher".to_owned(), matcher.into());
            }
            let lists = [
                ("beforeShellExecution", handler.clone()),
                ("beforeMCPExecution", handler.clone()),
                ("beforeReadFile", handler),
                ("preToolUse", others),
            ];
            (PathBuf::from(format!("{home}/.cursor/hooks.json")), entries(&lists))
        }
        Client::OpenCode => {
            let folder = folder("XDG_CONFIG_HOME", ".config").join("opencode/plugin");
            (folder.join("guarda.js"), HookEntry::Whole(plugin(hook)))
        }
        Client::OpenAiAgents => return None,
    };
    Some(HookStatus { file, content })
}

/// Files and folders that decide whether the clients ask the guard: those in the home folder, and where variables have
/// moved them. The policy has a class of places for those in projects.
#[must_use]
pub fn files(home: &str, environment: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let folder = |variable: &str, usual: &str| {
        PathBuf::from(environment(variable).unwrap_or_else(|| format!("{home}/{usual}")))
    };
    let hook = Hook { program: String::new(), start: Vec::new(), deadline: 0, rewrites: true };
    let ours = Client::ALL.into_iter().filter_map(|client| place(client, &hook, home, environment));
    let (claude, codex) = (folder("CLAUDE_CONFIG_DIR", ".claude"), folder("CODEX_HOME", ".codex"));
    let opencode = folder("XDG_CONFIG_HOME", ".config").join("opencode");
    let others = [
        claude.join("settings.local.json"),
        codex.join("config.toml"),
        PathBuf::from(format!("{home}/.copilot/settings.json")),
        PathBuf::from(format!("{home}/.copilot/hooks")),
        opencode.join("opencode.json"),
        opencode.join("plugin"),
    ];
    ours.map(|place| place.file).chain(others).filter(|path| path.is_absolute()).collect()
}

/// Cursor's tools that change or fetch something but have no event of their own.
const CURSOR_TOOLS: &str = "Write|Edit|MultiEdit|StrReplace|Delete|ApplyPatch|NotebookEdit|WebFetch";

fn entries(lists: &[(&'static str, Value)]) -> HookEntry {
    HookEntry::Entries(lists.to_vec())
}

/// OpenCode's plugin. It calls the hook and throws if the answer is no.
fn plugin(hook: &Hook) -> String {
    let words = hook.words(Client::OpenCode);
    let text = |value: &Value| value.to_string();
    include_str!("opencode.js")
        .replace("\"PROGRAM\"", &text(&json!(words.first())))
        .replace("\"WORDS\"", &text(&json!(words.get(1..))))
        .replace("\"PATIENCE\"", &((hook.deadline + SLACK) * 1000).to_string())
}
