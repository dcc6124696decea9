//! A client's event and the parts of its answer. An answer that changes the command must repeat the tool's whole
//! input.

use serde_json::{Map, Value};

use super::{Client, Decision, Dialect, HookEvent, tools};

/// The longest time that Claude Code's shell gives a command, in milliseconds. Unless told, it gives two minutes.
const CLAUDE_LONGEST: u64 = 600_000;

/// An event, with the parts for its answer. Only the event goes to the service.
#[derive(Debug, Clone, PartialEq)]
pub struct HookQuestion {
    /// The event to judge.
    pub event: HookEvent,
    /// The format of the answer.
    pub dialect: Dialect,
    /// The file of the conversation, as the client names it.
    pub(super) transcript: Option<String>,
    /// The tool's input, as the client sent it.
    pub(super) input: Map<String, Value>,
    /// Where the input has the command that can be replaced.
    pub(super) place: Option<tools::LinePlace>,
}

impl HookQuestion {
    /// The answer for standard output; empty if the client expects silence. A changed command becomes a no if the
    /// client cannot receive it.
    #[must_use]
    pub fn encode(&self, decision: &Decision) -> String {
        let answer = match decision {
            Decision::Run { command, reason } if self.event.can_rewrite => {
                self.rewritten(command, reason, decision)
            }
            Decision::Run { .. }
            | Decision::Allow { .. }
            | Decision::Deny { .. }
            | Decision::Ask { .. }
            | Decision::Pass => None,
        };
        answer.map_or_else(|| self.dialect.encode(decision), |answer| answer.to_string())
    }

    fn rewritten(&self, command: &str, reason: &str, decision: &Decision) -> Option<Value> {
        let mut input = self.place?.replaced(&self.input, command);
        // The line may wait for a person, which its time in the client's shell must allow. The guard ends what runs too long.
        if self.event.client == Client::Claude {
            input.entry("timeout").or_insert(CLAUDE_LONGEST.into());
        }
        match self.dialect {
            Dialect::Plain => serde_json::to_value(decision).ok(),
            dialect => dialect.rewrite(&input, reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doors::hook::read::read;
    use serde_json::json;

    /// Each client's contract: its event, and the answer that changes the command.
    #[test]
    fn every_client_hears_of_a_changed_command_in_its_own_words() {
        let input = || json!({"command": "ls", "description": "why", "timeout": 5});
        let new = || json!({"command": "NEW", "description": "why", "timeout": 5});
        let event = |name: &str, tool: &str| json!({"session_id": "s", "cwd": "/h", "hook_event_name": name, "tool_name": tool, "tool_input": input()});
        let copilot =
            json!({"sessionId": "s", "cwd": "/h", "toolName": "bash", "toolArgs": input().to_string()});
        let claude = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "permissionDecisionReason": "R", "updatedInput": new()}});
        let gemini = json!({"decision": "allow", "reason": "R",
            "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": new()}});
        let plain = json!({"decision": "run", "command": "NEW", "reason": "R"});
        let opencode = json!({"tool": "bash", "args": input(), "can_rewrite": true});
        let lines = json!({"tool": "shell", "args": {"commands": ["a", "b"]}, "can_rewrite": true});
        for (client, sent, answer) in [
            (Client::Claude, event("PreToolUse", "Bash"), claude.clone()),
            (Client::Codex, event("PreToolUse", "Bash"), claude.clone()),
            (Client::Copilot, event("PreToolUse", "Bash"), claude),
            (Client::Gemini, event("BeforeTool", "run_shell_command"), gemini),
            (
                Client::Copilot,
                copilot,
                json!({"permissionDecision": "allow", "permissionDecisionReason": "R", "modifiedArgs": new()}),
            ),
            (
                Client::Cursor,
                event("preToolUse", "Shell"),
                json!({"permission": "allow", "updated_input": new()}),
            ),
            (Client::OpenCode, opencode, plain.clone()),
            (Client::OpenAiAgents, lines, plain),
        ] {
            let asked = read(client, sent.to_string().as_bytes()).unwrap();
            assert!(asked.event.can_rewrite, "{sent}");
            let run = Decision::Run { command: "NEW".to_owned(), reason: "R".to_owned() };
            assert_eq!(serde_json::from_str::<Value>(&asked.encode(&run)).unwrap(), answer, "{sent}");
        }
    }

    /// Claude's shell gives up after two minutes, and a question waits for ten.
    #[test]
    fn a_line_may_wait_for_a_person_as_long_as_the_client_lets_it() {
        for (client, input, timeout) in [
            (Client::Claude, json!({"command": "ls"}), json!(600_000)),
            (Client::Claude, json!({"command": "ls", "timeout": 5}), json!(5)),
            (Client::Codex, json!({"command": "ls"}), Value::Null),
            (Client::Copilot, json!({"command": "ls"}), Value::Null),
        ] {
            let sent = json!({"session_id": "s", "cwd": "/h", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input});
            let asked = read(client, sent.to_string().as_bytes()).unwrap();
            let run = Decision::Run { command: "NEW".to_owned(), reason: "R".to_owned() };
            let answer: Value = serde_json::from_str(&asked.encode(&run)).unwrap();
            assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["timeout"], timeout, "{answer}");
        }
    }

    #[test]
    fn a_client_that_takes_no_changed_command_hears_a_no() {
        let input = json!({"command": "ls"});
        let event = |name: &str, tool: &str| json!({"session_id": "s", "cwd": "/h", "hook_event_name": name, "tool_name": tool, "tool_input": input});
        let before = json!({"hook_event_name": "beforeShellExecution", "cwd": "/h", "command": "ls"});
        let permission = json!({"hookName": "permissionRequest", "toolName": "bash", "toolInput": input});
        let typed = json!({"hook_event_name": "PreToolUse", "tool_name": "write_bash", "tool_input": {"input": "ls"}});
        for (client, sent) in [
            (Client::Codex, event("PermissionRequest", "Bash")),
            (Client::Copilot, permission),
            (Client::Cursor, before),
            (Client::Claude, event("PreToolUse", "mcp__x__run")),
            (Client::Claude, event("PreToolUse", "TodoWrite")),
            (Client::Claude, typed),
            (Client::OpenCode, json!({"tool": "bash", "args": input})),
            (Client::OpenCode, json!({"tool": "bash", "args": input, "can_rewrite": 1})),
        ] {
            let asked = read(client, sent.to_string().as_bytes()).unwrap();
            assert!(!asked.event.can_rewrite, "{sent}");
            let run = Decision::Run { command: "NEW".to_owned(), reason: "R".to_owned() };
            let answer = asked.encode(&run);
            assert!(answer.contains("deny") && !answer.contains("NEW"), "{sent} {answer}");
        }
    }
}
