//! Turns each client's message into an event. A missing field, or a field of another type, is an error and never a
//! guess.

use std::path::Path;

use serde_json::{Map, Value};

use super::fields::{first, only, text};
use super::known::{FOLDER, is_built_in};
use super::misread::Misread;
use super::{Client, Dialect, Does, HookEvent, HookQuestion, tools};

/// Fields of an event that name the server whose tool is called.
const OF_SERVER: &[&str] = &[
    "mcp_context",
    "mcpContext",
    "mcp_server",
    "mcpServer",
    "mcp_server_name",
    "mcpServerName",
    "server_name",
];

/// The event of a conversation that ends.
pub(super) const ENDS: &str = "SessionEnd";

/// Parses a client's message.
///
/// # Errors
/// [`Misread`]. The caller denies.
pub fn read(client: Client, bytes: &[u8]) -> Result<HookQuestion, Misread> {
    let value = crate::doors::http::read_json(bytes).map_err(|error| Misread::NoJson(error.to_string()))?;
    let Value::Object(sent) = value else { return Err(Misread::NoObject) };
    let event = text(&sent, "hook_event_name")?;
    let hook = text(&sent, "hookName")?;
    let named = |name: &str| event.as_deref() == Some(name);
    let unknown = || {
        let name = event.clone().or_else(|| hook.clone()).unwrap_or_else(|| "without a name".to_owned());
        Err(Misread::Event { name, client })
    };
    let ends = match client {
        Client::Claude if named(ENDS) => Some(Dialect::Claude),
        Client::Gemini if named(ENDS) => Some(Dialect::Gemini),
        _ => None,
    };
    if let Some(dialect) = ends {
        let asked = event_of(client, dialect, &sent, ENDS.to_owned(), Map::new())?;
        return Ok(HookQuestion { event: HookEvent { does: Does::Ends, ..asked.event }, ..asked });
    }
    let (dialect, tool, input) = match client {
        Client::Claude if named("PreToolUse") => (Dialect::Claude, "tool_name", "tool_input"),
        Client::Codex if named("PreToolUse") => (Dialect::Codex, "tool_name", "tool_input"),
        Client::Codex if named("PermissionRequest") => (Dialect::CodexPermission, "tool_name", "tool_input"),
        Client::Gemini if named("BeforeTool") => (Dialect::Gemini, "tool_name", "tool_input"),
        // If its settings use the key `PreToolUse`, Copilot sends Claude's format.
        Client::Copilot if named("PreToolUse") => (Dialect::Claude, "tool_name", "tool_input"),
        Client::Copilot if event.is_none() && sent.contains_key("toolArgs") => {
            (Dialect::Copilot, "toolName", "toolArgs")
        }
        Client::Copilot if hook.as_deref() == Some("permissionRequest") => {
            (Dialect::CopilotPermission, "toolName", "toolInput")
        }
        Client::Cursor if named("preToolUse") => (Dialect::Cursor, "tool_name", "tool_input"),
        Client::Cursor => return cursor(&sent, event.as_deref())?.map_or_else(unknown, Ok),
        Client::OpenCode | Client::OpenAiAgents => (Dialect::Plain, "tool", "args"),
        Client::Claude | Client::Codex | Client::Gemini | Client::Copilot => return unknown(),
    };
    let tool = text(&sent, tool)?.filter(|name| !name.is_empty()).ok_or(Misread::Missing(tool))?;
    let input = object(sent.get(input)).ok_or(Misread::NotAnObject(input))?;
    event_of(client, dialect, &sent, tool, input)
}

/// Reads Cursor's own events. Their name stands for the tool.
fn cursor(sent: &Map<String, Value>, event: Option<&str>) -> Result<Option<HookQuestion>, Misread> {
    /// What every event of Cursor's has.
    const COMMON: &[&str] = &[
        "conversation_id",
        "generation_id",
        "model",
        "session_id",
        "hook_event_name",
        "cursor_version",
        "workspace_roots",
        "user_email",
        "transcript_path",
        "title",
    ];
    let own = || sent.iter().filter(|(name, _)| !COMMON.contains(&name.as_str()));
    let own = || own().map(|(name, value)| (name.clone(), value.clone())).collect();
    let (tool, input) = match event.unwrap_or_default() {
        "beforeShellExecution" => ("shell".to_owned(), own()),
        "beforeReadFile" => ("read_file".to_owned(), own()),
        "beforeMCPExecution" => {
            // This is a tool of another server, never Cursor's own tool of the same name.
            let tool = text(sent, "tool_name")?.ok_or(Misread::Missing("tool_name"))?;
            (format!("mcp__{tool}"), object(sent.get("tool_input")).unwrap_or_default())
        }
        _ => return Ok(None),
    };
    event_of(Client::Cursor, Dialect::CursorEvent, sent, tool, input).map(Some)
}

fn event_of(
    client: Client,
    dialect: Dialect,
    sent: &Map<String, Value>,
    tool: String,
    input: Map<String, Value>,
) -> Result<HookQuestion, Misread> {
    // A tool of another server is never the client's own of the same name.
    let foreign = OF_SERVER.iter().any(|name| sent.get(*name).is_some_and(|value| !value.is_null()));
    let tool = if foreign && is_built_in(&tool) { format!("mcp__{tool}") } else { tool };
    let does = if foreign { tools::unknown(&input) } else { tools::does(client, &tool, &input)? };
    let workspace = match sent.get("workspace_roots") {
        None | Some(Value::Null) => None,
        Some(Value::Array(roots)) => match roots.first() {
            None => None,
            Some(root) => {
                let text = root.as_str().ok_or_else(|| Misread::NotText("workspace_roots".to_owned()))?;
                Some(text.to_owned())
            }
        },
        Some(_) => return Err(Misread::NotAList("workspace_roots")),
    };
    let cwd = text(sent, "cwd")?.filter(|path| !path.is_empty()).or(workspace);
    let cwd = match (&does, cwd) {
        // Codex and Gemini may give a shell its own folder, absolute or relative to the working folder.
        (Does::Run(_), cwd) => {
            let own = only(&input, FOLDER)?.filter(|path| !path.is_empty());
            match (own, cwd) {
                (Some(own), Some(cwd)) => Some(Path::new(&cwd).join(own).to_string_lossy().into_owned()),
                (Some(own), None) => Some(own).filter(|own| own.starts_with('/')),
                (None, cwd) => cwd,
            }
        }
        (Does::Files(_) | Does::Fetch(_) | Does::Nothing | Does::Ends | Does::Unknown(_), cwd) => cwd,
    };
    let session = first(sent, &["session_id", "sessionId", "sessionID", "conversation_id", "session"])?;
    let purpose = match &does {
        // The fields of an unknown tool can mean anything.
        Does::Unknown(_) => input.get("description").and_then(Value::as_str).map(str::to_owned),
        _ => text(&input, "description")?,
    };
    let place = tools::place(&tool, &input)?;
    // Plugins and kits announce that they know this answer. Older ones take it for a no.
    let told = dialect == Dialect::Plain && sent.get("can_rewrite") == Some(&Value::Bool(true));
    let event = HookEvent {
        client,
        tool,
        does,
        session,
        turn: first(sent, &["prompt_id", "turn_id", "generation_id"])?,
        title: text(sent, "title")?,
        cwd,
        purpose,
        can_ask: dialect.can_ask(),
        can_rewrite: place.is_some() && (dialect.can_rewrite() || told),
        path: None,
        elsewhere: false,
    };
    let transcript = text(sent, "transcript_path")?;
    Ok(HookQuestion { event, dialect, transcript, input, place })
}

/// An object, or text that contains one: Copilot and Cursor send some inputs as text.
fn object(value: Option<&Value>) -> Option<Map<String, Value>> {
    match value? {
        Value::Object(map) => Some(map.clone()),
        Value::String(text) => match crate::doors::http::read_json(text.as_bytes()).ok()? {
            Value::Object(map) => Some(map),
            _ => None,
        },
        _ => None,
    }
}

/// A client's message before it runs a command, for the canary and for tests.
#[must_use]
pub fn sample(client: Client, command: &str, cwd: &str) -> Value {
    use serde_json::json;
    let input = json!({ "command": command, "description": "Say what it does" });
    match client {
        Client::Claude => json!({
            "session_id": "5f0c9ad2-1c55-4a0e-8f0b-2d5a3c1e7b90", "transcript_path": "/tmp/t.jsonl", "cwd": cwd,
            "prompt_id": "p1", "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": input, "tool_use_id": "toolu_01"
        }),
        Client::Codex => json!({
            "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "turn_id": "1", "transcript_path": null, "cwd": cwd,
            "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": "call_1"
        }),
        Client::Gemini => json!({
            "session_id": "a1b2", "transcript_path": "/tmp/t.json", "cwd": cwd, "hook_event_name": "BeforeTool",
            "timestamp": "2026-11-01T10:00:00.000Z", "tool_name": "run_shell_command", "tool_input": input
        }),
        Client::Copilot => json!({
            "sessionId": "c3d4", "timestamp": 1_764_000_000_000_u64, "cwd": cwd, "toolName": "bash", "toolArgs": input
        }),
        Client::Cursor => json!({
            "conversation_id": "e5f6", "generation_id": "g", "model": "m", "session_id": "e5f6",
            "hook_event_name": "beforeShellExecution", "cursor_version": "2.0", "workspace_roots": [cwd],
            "user_email": "ana@example.org", "transcript_path": null, "command": command, "cwd": cwd, "sandbox": false
        }),
        Client::OpenCode => json!({
            "tool": "bash", "sessionID": "ses_1", "callID": "c1", "cwd": cwd, "args": input
        }),
        Client::OpenAiAgents => json!({
            "tool": "shell", "session": "run-1", "call_id": "c1", "cwd": cwd, "args": { "commands": [command] }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Real messages of each client, with their expected parts: tool, command, folder, session, whether the client can
    /// ask, and the text of a denial.
    #[test]
    fn the_contracts_of_the_clients() {
        let claude = json!({"session_id": "875f90d3-8b41-4ce4-b58a-31b6c0c722a4", "transcript_path": "/h/t.jsonl",
            "cwd": "/h/work", "prompt_id": "bdc12725-8099-430e-8e85-3167941aec8b", "permission_mode": "bypassPermissions",
            "effort": {"level": "high"}, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "make", "description": "does what was asked"}, "tool_use_id": "toolu_1"});
        let codex = json!({"session_id": "01a201f7-a989-7132-9f9f-3d788f4bdd3a", "turn_id": "01a201f7-a9b5-7ac2-80fa-9a35",
            "transcript_path": "/h/rollout.jsonl", "cwd": "/h/work", "hook_event_name": "PreToolUse", "model": "m",
            "permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_input": {"command": "make"},
            "tool_use_id": "call_1"});
        let mut permission = codex.clone();
        permission["hook_event_name"] = json!("PermissionRequest");
        permission.as_object_mut().unwrap().remove("tool_use_id");
        let gemini = json!({"session_id": "b2f1", "transcript_path": "/h/chat.json", "cwd": "/h/work",
            "hook_event_name": "BeforeTool", "timestamp": "2026-11-21T10:00:00.000Z", "tool_name": "run_shell_command",
            "tool_input": {"command": "make", "description": "builds", "dir_path": "sub"}});
        let copilot = json!({"sessionId": "c3f8dcfd-34d8-4878-b7a1-ee45c782ab13", "timestamp": 1795329330545_u64,
            "cwd": "/h/work", "toolName": "bash", "toolArgs": {"command": "make", "description": "does what was asked"}});
        let asked = json!({"hookName": "permissionRequest", "sessionId": "c3f8dcfd-34d8-4878-b7a1-ee45c782ab13",
            "timestamp": 1795329330590_u64, "cwd": "/h/work", "toolName": "bash", "toolInput": {"command": "make"},
            "permissionSuggestions": []});
        let cursor = json!({"conversation_id": "e5f6", "generation_id": "g1", "model": "m", "session_id": "e5f6",
            "hook_event_name": "beforeShellExecution", "cursor_version": "2.1", "workspace_roots": ["/h/work"],
            "user_email": null, "transcript_path": null, "command": "make", "cwd": "", "sandbox": false});
        let mut server = cursor.clone();
        server["hook_event_name"] = json!("beforeMCPExecution");
        (server["tool_name"], server["tool_input"]) = (json!("run"), json!("{\"command\": \"make\"}"));
        let run = || Does::Run("make".to_owned());
        let unknown = || Does::Unknown(Some("make".to_owned()));
        for (client, sent, dialect, tool, does, cwd, session, can_ask) in [
            (Client::Claude, &claude, Dialect::Claude, "Bash", run(), "/h/work", "875f90d3", true),
            (Client::Codex, &codex, Dialect::Codex, "Bash", run(), "/h/work", "01a201f7", false),
            (
                Client::Codex,
                &permission,
                Dialect::CodexPermission,
                "Bash",
                run(),
                "/h/work",
                "01a201f7",
                false,
            ),
            (
                Client::Gemini,
                &gemini,
                Dialect::Gemini,
                "run_shell_command",
                run(),
                "/h/work/sub",
                "b2f1",
                true,
            ),
            (Client::Copilot, &copilot, Dialect::Copilot, "bash", run(), "/h/work", "c3f8dcfd", true),
            (
                Client::Copilot,
                &asked,
                Dialect::CopilotPermission,
                "bash",
                run(),
                "/h/work",
                "c3f8dcfd",
                false,
            ),
            // With the key `PreToolUse` in its settings.
            (Client::Copilot, &claude, Dialect::Claude, "Bash", run(), "/h/work", "875f90d3", true),
            (Client::Cursor, &cursor, Dialect::CursorEvent, "shell", run(), "/h/work", "e5f6", true),
            (Client::Cursor, &server, Dialect::CursorEvent, "mcp__run", unknown(), "/h/work", "e5f6", true),
        ] {
            let HookQuestion { event, dialect: spoken, .. } =
                read(client, sent.to_string().as_bytes()).unwrap();
            assert_eq!((spoken, event.tool.as_str()), (dialect, tool), "{sent}");
            assert_eq!((&event.does, event.cwd.as_deref()), (&does, Some(cwd)), "{sent}");
            assert!(event.session.as_deref().unwrap().starts_with(session), "{sent}");
            assert_eq!(event.can_ask, can_ask, "{sent}");
            assert_eq!(event.can_ask, dialect.can_ask());
        }
    }

    #[test]
    fn a_shell_with_a_folder_of_its_own_is_judged_there() {
        let in_folder = |input: Value| {
            let sent = json!({"hook_event_name": "PreToolUse", "cwd": "/h/work", "tool_name": "Bash", "tool_input": input});
            read(Client::Codex, sent.to_string().as_bytes()).unwrap().event.cwd.unwrap()
        };
        assert_eq!(in_folder(json!({"command": "ls", "workdir": "/srv"})), "/srv");
        assert_eq!(in_folder(json!({"command": "ls", "workdir": "../.."})), "/h/work/../..");
        assert_eq!(in_folder(json!({"command": "ls", "dir_path": "a"})), "/h/work/a");
        assert_eq!(in_folder(json!({"command": "ls", "dir_path": ""})), "/h/work");
        assert_eq!(in_folder(json!({"command": "ls", "dir_path": "", "cwd": "b"})), "/h/work/b");
        let two = json!({"hook_event_name": "PreToolUse", "cwd": "/h", "tool_name": "Bash",
            "tool_input": {"command": "ls", "workdir": "/a", "cwd": "/b"}});
        assert!(read(Client::Codex, two.to_string().as_bytes()).is_err());
    }

    #[test]
    fn a_field_of_another_kind_is_refused_from_every_client() {
        for client in Client::ALL {
            let good = sample(client, "ls", "/h");
            assert!(read(client, good.to_string().as_bytes()).is_ok(), "{client}");
            let session = ["session_id", "sessionId", "sessionID", "session"];
            let session = session.into_iter().find(|name| good.get(name).is_some()).unwrap();
            for (name, wrong) in [("cwd", json!(5)), (session, json!({})), ("hook_event_name", json!([]))] {
                let mut sent = good.clone();
                sent[name] = wrong;
                assert!(read(client, sent.to_string().as_bytes()).is_err(), "{client} {name}");
            }
            let input = ["tool_input", "toolArgs", "args"].into_iter().find(|name| good.get(name).is_some());
            let wrong: [(&str, Value); 3] =
                [("command", json!([1])), ("workdir", json!(7)), ("description", json!(7))];
            for (name, wrong) in wrong {
                let mut sent = good.clone();
                match input {
                    Some(input) => sent[input][name] = wrong,
                    None => sent[name] = wrong,
                }
                assert!(read(client, sent.to_string().as_bytes()).is_err(), "{client} {name}");
            }
        }
    }

    #[test]
    fn an_event_of_another_kind_or_client_is_not_understood() {
        for client in Client::ALL {
            for other in Client::ALL {
                let sent = sample(other, "ls", "/h").to_string();
                let same = client == other
                    || matches!(
                        (client, other),
                        (Client::Claude, Client::Codex) | (Client::Codex, Client::Claude)
                    )
                    || matches!((client, other), (Client::Copilot, Client::Claude | Client::Codex))
                    || matches!(
                        (client, other),
                        (Client::OpenCode, Client::OpenAiAgents) | (Client::OpenAiAgents, Client::OpenCode)
                    );
                assert_eq!(read(client, sent.as_bytes()).is_ok(), same, "{client} {other}");
            }
        }
    }

    /// A server's tool of a built-in name is not that tool, and another client's harmless tool is not harmless.
    #[test]
    fn a_tool_is_known_only_as_its_clients_own() {
        let sent = |tool: &str, input: Value, more: Value| {
            let mut sent =
                json!({"hook_event_name": "PreToolUse", "cwd": "/h", "tool_name": tool, "tool_input": input});
            sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            sent
        };
        let none = || json!({});
        let server = || json!({"mcp_context": {"server_name": "x", "tool_name": "y"}});
        let gemini = |tool: &str, input: Value, more: Value| {
            let mut sent = sent(tool, input, more);
            sent["hook_event_name"] = json!("BeforeTool");
            sent
        };
        let args = |tool: &str| json!({"tool": tool, "args": {}});
        for (client, sent, does) in [
            (Client::Claude, sent("Task", none(), none()), Does::Nothing),
            (Client::Claude, sent("Task", none(), server()), Does::Unknown(None)),
            (Client::Claude, sent("update_plan", none(), none()), Does::Unknown(None)),
            (Client::Codex, sent("update_plan", none(), none()), Does::Nothing),
            (Client::Codex, sent("skill", none(), none()), Does::Unknown(None)),
            (Client::Gemini, gemini("write_todos", none(), none()), Does::Nothing),
            (Client::Gemini, gemini("write_todos", none(), server()), Does::Unknown(None)),
            (Client::Gemini, gemini("task", none(), none()), Does::Unknown(None)),
            (Client::Gemini, gemini("read_file", json!({"path": "a"}), server()), Does::Unknown(None)),
            (
                Client::Gemini,
                gemini("run_shell_command", json!({"command": "ls"}), server()),
                Does::Unknown(Some("ls".to_owned())),
            ),
            (
                Client::Claude,
                json!({"hook_event_name": ENDS, "session_id": "s", "reason": "other"}),
                Does::Ends,
            ),
            (
                Client::Gemini,
                json!({"hook_event_name": ENDS, "session_id": "s", "reason": "exit"}),
                Does::Ends,
            ),
            (Client::OpenCode, args("task"), Does::Nothing),
            (Client::OpenAiAgents, args("task"), Does::Unknown(None)),
            (Client::OpenAiAgents, args("ask_user"), Does::Unknown(None)),
        ] {
            let asked = read(client, sent.to_string().as_bytes()).unwrap();
            assert_eq!(asked.event.does, does, "{client} {sent}");
            if sent.get("mcp_context").is_some() {
                assert!(asked.event.tool.starts_with("mcp__") && !asked.event.can_rewrite, "{sent}");
            }
        }
    }
}
