//! Converts the service's answer into the result of a tool call.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::doors::client::ServiceAnswer;

/// The result of a failed call.
pub(super) fn trouble(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// The outcome of an action in the format of feature B3.
pub(super) fn executed(answered: ServiceAnswer) -> ServiceAnswer {
    if answered.status != 200 {
        return answered;
    }
    let of = |field: &str| answered.body.get(field).cloned().unwrap_or_default();
    let output =
        |field: &str| answered.body.pointer(&format!("/output/{field}")).cloned().unwrap_or_default();
    let done = of("outcome") == "done";
    let text = |value: Value| if value.is_string() { value } else { "".into() };
    let by_policy = of("decided_by") == "policy";
    let mut body = json!({
        "id": of("id"),
        "success": done && output("exit_code") == 0,
        "status": if done { "executed".into() } else { of("outcome") },
        "exit_code": output("exit_code"),
        "stdout": text(output("stdout")),
        "stderr": text(output("stderr")),
        "duration_ms": output("duration_ms").as_u64().unwrap_or_default(),
        "policy_used": if of("status") == "blocked" { "blocked" } else if by_policy { "auto_approve" } else { "ask" },
        "message": of("message"),
    });
    // Explains why an action was not done. Success needs no explanation.
    if !done && let Some(body) = body.as_object_mut() {
        for field in ["outcome", "error", "reason", "refusal", "decided_by", "findings"] {
            body.insert(field.to_owned(), of(field));
        }
    }
    ServiceAnswer::here(200, body)
}

/// A command's output as a terminal would show it, for clients that ignore structured content.
fn printed(body: &Value) -> String {
    let text = |field: &str| body.get(field).and_then(Value::as_str).unwrap_or_default();
    let mut printed = [text("stdout"), text("stderr")].concat();
    match body.get("exit_code").and_then(Value::as_i64) {
        Some(0) => {}
        Some(code) => printed.push_str(&format!("\n[exit status {code}]")),
        None => printed.push_str("\n[it did not end by itself]"),
    }
    printed
}

/// The result of a tool call. Refused and failed calls are marked as errors, so no model takes them for done. A call
/// that waits for the user is not an error.
pub(super) fn result(name: &str, mut answered: ServiceAnswer) -> CallToolResult {
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
    let executed = name == "execute_bash" && text("status") == "executed";
    let printed = executed.then(|| printed(&answered.body));
    if executed && let Some(body) = answered.body.as_object_mut() {
        body.remove("reply");
    }
    let mut result = CallToolResult::structured(answered.body);
    // The output is text already; it need not be repeated inside the JSON.
    if let Some(printed) = printed {
        result.content = vec![ContentBlock::text(printed)];
    }
    result.is_error = Some(bad);
    result
}
