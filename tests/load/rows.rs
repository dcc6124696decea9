//! The plain requests of the mix.

use serde_json::json;

use crate::client::Target;

/// The session in which every response is awaited, and the one in which callers disconnect.
pub const HEARD: &str = "heard";
pub const GONE: &str = "gone";
/// The session of judgements: each response leaves one line of advice.
pub const JUDGED: &str = "judged";

/// A kind of request, and its permitted statuses.
pub type Row = (&'static str, &'static [u16], fn(&Target, u64) -> Vec<u8>);

/// The requests of each turn, in order. A `?` at the end marks a question for a person.
pub const ROWS: [Row; 20] = [
    ("safe command", &[200], |to, n| to.command("/v1/actions", &format!("echo {n}"), HEARD)),
    ("judge", &[200], |to, n| to.command("/v1/judge", &format!("ls -la {n}"), JUDGED)),
    ("blocked", &[200], |to, _| to.command("/v1/actions", "rm -rf /", HEARD)),
    ("health", &[200], |to, _| to.request("GET", "/v1/health", "", "", "")),
    ("judge long", &[200], |to, n| {
        to.command("/v1/judge", &format!("cat {n} | sort | uniq -c | sort -rn | head; ").repeat(40), JUDGED)
    }),
    ("safe command", &[200], |to, n| to.command("/v1/actions", &format!("echo {n}"), HEARD)),
    ("status", &[200], |to, _| to.request("GET", "/v1/status", &to.token, "", "")),
    ("yes?", &[200], |to, n| to.command("/v1/actions", &format!("touch yes-{}", n % 500), HEARD)),
    ("metrics", &[200], |to, _| to.request("GET", "/metrics", &to.token, "", "")),
    ("no JSON", &[400], |to, _| to.request("POST", "/v1/actions", &to.token, "", "{\"action\": ")),
    ("safe command", &[200], |to, n| to.command("/v1/actions", &format!("echo {n}"), HEARD)),
    ("no such path", &[404], |to, n| to.request("GET", &format!("/v1/{n}"), &to.token, "", "")),
    ("hook", &[200], |to, n| {
        let event = json!({"session_id": "agent", "cwd": &*to.folder, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": format!("ls {n}")}, "transcript_path": "/tmp/t",
            "permission_mode": "default", "tool_use_id": format!("t{n}")});
        to.post("/v1/hooks/claude", &event)
    }),
    ("no?", &[200], |to, n| to.command("/v1/actions", &format!("touch no-{n}"), HEARD)),
    ("judge", &[200], |to, n| to.command("/v1/judge", &format!("git push origin {n}"), JUDGED)),
    ("safe command", &[200], |to, n| to.command("/v1/actions", &format!("echo {n}"), HEARD)),
    ("tool calls", &[200], |to, _| {
        to.post(
            "/v1/chat/tool-calls",
            &json!({"action": "RUN_COMMAND", "target": "rm -rf /", "session": HEARD}),
        )
    }),
    ("tools", &[200], |to, _| to.request("GET", "/v1/tools", &to.token, "", "")),
    ("many headers", &[431], |to, _| {
        to.request("GET", "/v1/health", &to.token, &"X-Many: x\r\n".repeat(150), "")
    }),
    ("wrong token", &[401, 429], |to, n| {
        let mut token = to.token.to_string();
        token.replace_range(0..8, &format!("{n:08x}"));
        to.request("GET", "/v1/status", &token, "", "")
    }),
];
