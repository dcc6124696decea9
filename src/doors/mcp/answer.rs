//! Converts the service's answer into the result of a tool.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The service's answer.
#[derive(Debug, Clone)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) body: Value,
}

/// The call failed, for this reason.
pub(super) fn trouble(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// The outcome of an action in the format of feature B3.
pub(super) fn executed(answered: Answered) -> Answered {
    if answered.status != 200 {
        return answered;
    }
    let of = |field: &str| answered.body.get(field).cloned().unwrap_or_default();
    let output =
        |field: &str| answered.body.pointer(&format!("/output/{field}")).cloned().unwrap_or_default();
    let done = of("outcome") == "done";
    let text = |value: Value| if value.is_string() { value } else { "".into() };
    let by_policy = of("decided_by") == "policy";
    let body = json!({
        "success": done && output("exit_code") == 0,
        "status": if done { "executed".into() } else { of("outcome") },
        "exit_code": output("exit_code"),
        "stdout": text(output("stdout")),
        "stderr": text(output("stderr")),
        "duration_ms": output("duration_ms").as_u64().unwrap_or_default(),
        "policy_used": if of("status") == "blocked" { "blocked" } else if by_policy { "auto_approve" } else { "ask" },
        "message": of("message"),
        "reply": answered.body,
    });
    Answered { status: 200, body }
}

/// The result of a tool. Refused and failed calls are marked as errors, so that no model takes them for done; a call
/// that waits for the user is not.
pub(super) fn result(name: &str, answered: Answered) -> CallToolResult {
    let text = |field: &str| answered.body.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    if answered.status != 200 {
        let (title, detail) = (text("title"), text("detail"));
        return trouble(&format!("not done: {title}: {detail}"));
    }
    let bad = match name {
        "execute_bash" => answered.body.get("success") == Some(&json!(false)) && text("status") != "executed",
        "desktop_action" => text("outcome") != "done",
        _ => false,
    };
    let mut result = CallToolResult::structured(answered.body);
    result.is_error = Some(bad);
    result
}
