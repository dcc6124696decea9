//! Encodes a decision in each client's own format. An answer has exactly the fields that the client knows, because
//! some clients run the tool if there is an unknown field.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The answer to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
pub enum Decision {
    /// The rules approve the call, or a person said yes.
    Allow {
        /// Why the call may run: the rules approve it, or a person said yes.
        reason: String,
    },
    /// The tool must not be used.
    Deny {
        /// The reason and the alternative, for the model. Never empty.
        reason: String,
    },
    /// The client asks the person itself.
    Ask {
        /// Why.
        reason: String,
    },
    /// The guard runs the command, and the client's shell runs this line instead (feature N3). Only for a client that
    /// accepts a changed command.
    Run {
        /// The whole command line, for the client's shell.
        command: String,
        /// Who approved it.
        reason: String,
    },
    /// The guard does not decide: the client follows its own rules.
    Pass,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code's `PreToolUse`.
    Claude,
    /// Codex's `PreToolUse`. Silence is a yes, and questions are not possible.
    Codex,
    /// Codex's `PermissionRequest`.
    CodexPermission,
    /// Gemini's `BeforeTool`.
    Gemini,
    /// Copilot's `preToolUse`.
    Copilot,
    /// Copilot's `permissionRequest`.
    CopilotPermission,
    /// Cursor's `preToolUse`. Silence is a failure.
    Cursor,
    /// Cursor's other events. They have the same answer, but cannot change the input.
    CursorEvent,
    /// The plain decision, for OpenCode's plugin and the Agents SDK.
    Plain,
}

impl Dialect {
    /// Whether the client can ask the person itself.
    #[must_use]
    pub fn can_ask(self) -> bool {
        matches!(self, Self::Claude | Self::Gemini | Self::Copilot | Self::Cursor | Self::CursorEvent)
    }

    /// Whether an answer can change the tool's input. A plain client announces this in its event.
    #[must_use]
    pub fn can_rewrite(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Gemini | Self::Copilot | Self::Cursor)
    }

    /// A yes with the tool's complete new input; `None` if the client has no such answer.
    pub(super) fn rewrite(self, input: &Map<String, Value>, reason: &str) -> Option<Value> {
        Some(match self {
            Self::Claude | Self::Codex => json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": reason,
                "updatedInput": input,
            } }),
            Self::Gemini => json!({ "decision": "allow", "reason": reason, "hookSpecificOutput": {
                "hookEventName": "BeforeTool", "tool_input": input,
            } }),
            Self::Copilot => json!({
                "permissionDecision": "allow", "permissionDecisionReason": reason, "modifiedArgs": input,
            }),
            Self::Cursor => json!({ "permission": "allow", "updated_input": input }),
            Self::CodexPermission | Self::CopilotPermission | Self::CursorEvent | Self::Plain => return None,
        })
    }

    /// The answer for standard output; empty if the client expects silence. A question that the client cannot ask
    /// becomes a no. So does a changed command, which needs the tool's input ([`super::HookQuestion::encode`]).
    #[must_use]
    pub fn encode(self, decision: &Decision) -> String {
        let decision = match decision {
            Decision::Ask { reason } if !self.can_ask() => Decision::Deny { reason: reason.clone() },
            Decision::Deny { reason } if reason.trim().is_empty() => {
                Decision::Deny { reason: "the guard says no".to_owned() }
            }
            Decision::Run { .. } => Decision::Deny { reason: UNCHANGED.to_owned() },
            other => other.clone(),
        };
        let (word, reason) = match &decision {
            Decision::Allow { reason } => ("allow", reason.as_str()),
            Decision::Deny { reason } => ("deny", reason.as_str()),
            Decision::Ask { reason } => ("ask", reason.as_str()),
            // Handled above, where it became a no.
            Decision::Run { .. } => ("deny", UNCHANGED),
            Decision::Pass => ("pass", ""),
        };
        let passes = matches!(decision, Decision::Pass);
        let answer = match self {
            Self::Claude if passes => json!({}),
            Self::Codex if passes || word == "allow" => return String::new(),
            Self::Claude | Self::Codex => json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": reason,
            } }),
            Self::CodexPermission | Self::CopilotPermission if passes => return String::new(),
            Self::CodexPermission => {
                let decision = with_message(json!({ "behavior": word }), word, reason);
                json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } })
            }
            Self::Gemini | Self::Copilot if passes => json!({}),
            Self::Gemini => json!({ "decision": word, "reason": reason }),
            Self::Copilot => json!({ "permissionDecision": word, "permissionDecisionReason": reason }),
            Self::CopilotPermission => with_message(json!({ "behavior": word }), word, reason),
            Self::Cursor | Self::CursorEvent if passes || word == "allow" => json!({ "permission": "allow" }),
            Self::Cursor | Self::CursorEvent => {
                json!({ "permission": word, "user_message": reason, "agent_message": reason })
            }
            Self::Plain => serde_json::to_value(&decision).unwrap_or(Value::Null),
        };
        answer.to_string()
    }
}

/// The denial of a command that the guard would run, for a client that cannot receive the replacement.
const UNCHANGED: &str = "guarda: not done: the command cannot be changed here, and only the guard may run it";

/// Adds the message. Only a no has one.
fn with_message(mut answer: Value, word: &str, reason: &str) -> Value {
    if word == "deny"
        && let Some(fields) = answer.as_object_mut()
    {
        fields.insert("message".to_owned(), reason.into());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each client's contract: the dialect, then its answers to yes, no, a question and no decision.
    #[test]
    fn every_client_hears_its_own_words() {
        let reason = || "R".to_owned();
        let decisions = [
            Decision::Allow { reason: reason() },
            Decision::Deny { reason: reason() },
            Decision::Ask { reason: reason() },
            Decision::Pass,
        ];
        let run = Decision::Run { command: "x".to_owned(), reason: reason() };
        let claude = |word: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}","permissionDecisionReason":"R"}}}}"#
            )
        };
        let permission = |decision: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}"#
            )
        };
        let (yes, no) = (r#"{"behavior":"allow"}"#, r#"{"behavior":"deny","message":"R"}"#);
        let copilot =
            |word: &str| format!(r#"{{"permissionDecision":"{word}","permissionDecisionReason":"R"}}"#);
        let cursor =
            |word: &str| format!(r#"{{"permission":"{word}","user_message":"R","agent_message":"R"}}"#);
        let plain = |word: &str| format!(r#"{{"decision":"{word}","reason":"R"}}"#);
        let (silence, allow) = (String::new, || r#"{"permission":"allow"}"#.to_owned());
        for (dialect, answers) in [
            (Dialect::Claude, [claude("allow"), claude("deny"), claude("ask"), "{}".to_owned()]),
            (Dialect::Codex, [silence(), claude("deny"), claude("deny"), silence()]),
            (Dialect::CodexPermission, [permission(yes), permission(no), permission(no), silence()]),
            (Dialect::Gemini, [plain("allow"), plain("deny"), plain("ask"), "{}".to_owned()]),
            (Dialect::Copilot, [copilot("allow"), copilot("deny"), copilot("ask"), "{}".to_owned()]),
            (Dialect::CopilotPermission, [yes.to_owned(), no.to_owned(), no.to_owned(), silence()]),
            (Dialect::Cursor, [allow(), cursor("deny"), cursor("ask"), allow()]),
            (Dialect::CursorEvent, [allow(), cursor("deny"), cursor("ask"), allow()]),
            (
                Dialect::Plain,
                [plain("allow"), plain("deny"), plain("deny"), r#"{"decision":"pass"}"#.to_owned()],
            ),
        ] {
            for (decision, answer) in decisions.iter().zip(answers) {
                assert_eq!(dialect.encode(decision), answer, "{dialect:?} {decision:?}");
            }
            assert!(dialect.encode(&run).contains("deny"), "{dialect:?}: the input is not here");
            let mute = dialect.encode(&Decision::Deny { reason: " ".to_owned() });
            assert!(
                mute.contains("the guard says no"),
                "{dialect:?}: Codex runs what is denied without a reason"
            );
        }
    }
}
