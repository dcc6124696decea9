//! The rules of agents' clients about commands: what their people have allowed, in the clients' own files.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use crate::doors::hook::Client;

/// A rule as a client's file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ClientRule {
    pub(super) client: Client,
    pub(super) file: PathBuf,
    /// As it is written there.
    pub(super) rule: String,
    pub(super) effect: Effect,
    pub(super) breadth: Breadth,
}

/// What a rule does with the commands that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Effect {
    Allow,
    Ask,
    Deny,
}

/// Which commands a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case", tag = "is", content = "text")]
#[strum(serialize_all = "snake_case")]
pub(super) enum Breadth {
    /// This command line alone.
    Exact(String),
    /// Every command line that begins with these words, whatever follows.
    Prefix(String),
    /// Every command.
    Every,
    /// No command: a file, an address, another tool.
    Other,
}

/// The files of a client with the rules in them: below the home folder, and below a project.
type Place = (Client, &'static [&'static str], &'static [&'static str], Reader);
/// Reads the rules of a file; `None` if it is not in the client's format.
type Reader = fn(&str) -> Option<Vec<(Effect, String, Breadth)>>;

const PLACES: [Place; 4] = [
    (
        Client::Claude,
        &[".claude/settings.json", ".claude/settings.local.json"],
        &[".claude/settings.json", ".claude/settings.local.json"],
        claude,
    ),
    (Client::Codex, &[".codex/rules"], &[".codex/rules"], codex),
    (Client::Gemini, &[".gemini/settings.json"], &[".gemini/settings.json"], gemini),
    (
        Client::OpenCode,
        &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
        &["opencode.json", "opencode.jsonc"],
        opencode,
    ),
];

/// The rules of all clients, of a person and of a project, and the files that are there and cannot be read.
pub(super) fn find(home: &Path, project: Option<&Path>) -> (Vec<ClientRule>, Vec<PathBuf>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for (client, own, theirs, read) in PLACES {
        let own = own.iter().map(|name| home.join(name));
        let theirs = project.into_iter().flat_map(|folder| theirs.iter().map(|name| folder.join(name)));
        for place in own.chain(theirs) {
            for file in files(&place) {
                let Ok(text) = std::fs::read_to_string(&file) else {
                    unread.extend(file.exists().then_some(file));
                    continue;
                };
                let Some(rules) = read(&text) else {
                    unread.push(file);
                    continue;
                };
                for (effect, rule, breadth) in rules {
                    let rule = ClientRule { client, file: file.clone(), rule, effect, breadth };
                    // The home folder may be the project.
                    if !found.contains(&rule) {
                        found.push(rule);
                    }
                }
            }
        }
    }
    (found, unread)
}

/// The file, or those with rules in the folder.
fn files(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(place) else { return vec![place.to_owned()] };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "rules"));
    files.sort();
    files
}

/// The strings of a list at this path of a JSON document.
fn strings<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    value.pointer(path).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The words between the brackets of `tool(words)`; empty for the tool alone.
fn within<'a>(rule: &'a str, tool: &str) -> Option<&'a str> {
    let rest = rule.strip_prefix(tool)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('(')?.strip_suffix(')') }
}

/// What a pattern with a star at its end is about.
fn starred(pattern: &str, star: &str) -> Breadth {
    match pattern.strip_suffix(star).map(str::trim_end) {
        _ if pattern.is_empty() || pattern == "*" => Breadth::Every,
        Some("") => Breadth::Every,
        Some(words) if !words.contains('*') => Breadth::Prefix(words.to_owned()),
        // A star between words lets anything stand there.
        _ if pattern.contains('*') => {
            let begin = pattern.split('*').next().unwrap_or_default().trim_end();
            if begin.is_empty() { Breadth::Every } else { Breadth::Prefix(begin.to_owned()) }
        }
        _ => Breadth::Exact(pattern.to_owned()),
    }
}

/// Claude Code: `permissions.allow: ["Bash(npm run test:*)"]`.
fn claude(text: &str) -> Option<Vec<(Effect, String, Breadth)>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let kinds = [("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];
    let rules = kinds.into_iter().flat_map(|(name, effect)| {
        strings(&value, &format!("/permissions/{name}")).map(move |rule| (effect, rule))
    });
    let breadth = |rule: &str| match within(rule, "Bash") {
        Some(words) if words.ends_with(":*") => starred(words, ":*"),
        Some(words) => starred(words, "*"),
        None => Breadth::Other,
    };
    Some(rules.map(|(effect, rule)| (effect, rule.to_owned(), breadth(rule))).collect())
}

/// Gemini CLI: `tools.allowed: ["run_shell_command(git status)"]`, which is about all that begins so.
fn gemini(text: &str) -> Option<Vec<(Effect, String, Breadth)>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let lists = [
        ("/tools/allowed", Effect::Allow),
        ("/allowedTools", Effect::Allow),
        ("/tools/exclude", Effect::Deny),
        ("/excludeTools", Effect::Deny),
    ];
    let rules =
        lists.into_iter().flat_map(|(path, effect)| strings(&value, path).map(move |rule| (effect, rule)));
    let tool = |rule: &str| {
        within(rule, "run_shell_command").or_else(|| within(rule, "ShellTool")).map(str::to_owned)
    };
    let breadth = |rule: &str| match tool(rule) {
        Some(words) if words.is_empty() => Breadth::Every,
        Some(words) => Breadth::Prefix(words),
        None => Breadth::Other,
    };
    Some(rules.map(|(effect, rule)| (effect, rule.to_owned(), breadth(rule))).collect())
}

/// OpenCode: `permission.bash: {"git push*": "ask"}`, or one word for all; since version 2 `permissions: [{"action": "shell", "resource":
/// "git push *", "effect": "deny"}]`.
fn opencode(text: &str) -> Option<Vec<(Effect, String, Breadth)>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let effect = |word: Option<&str>| match word {
        Some("allow") => Some(Effect::Allow),
        Some("ask") => Some(Effect::Ask),
        Some("deny") => Some(Effect::Deny),
        _ => None,
    };
    let mut found = Vec::new();
    let mut add = |pattern: &str, word: Option<&str>| {
        found.extend(effect(word).map(|effect| (effect, pattern.to_owned(), starred(pattern, "*"))));
    };
    match value.pointer("/permission/bash") {
        Some(Value::Object(rules)) => rules.iter().for_each(|(pattern, word)| add(pattern, word.as_str())),
        Some(word) => add("*", word.as_str()),
        None => {}
    }
    for rule in value.get("permissions").and_then(Value::as_array).into_iter().flatten() {
        let of = |name: &str| rule.get(name).and_then(Value::as_str);
        if matches!(of("action"), Some("shell" | "bash" | "*")) {
            add(of("resource").unwrap_or("*"), of("effect"));
        }
    }
    Some(found)
}

/// One rule of Codex, and in it the words of its pattern and its decision.
static RULE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)prefix_rule\s*\((.*?)\n\)|prefix_rule\s*\(([^\n]*)\)").ok());
static PATTERN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)pattern\s*=\s*\[([^\[\]]*)\]").ok());
static DECISION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"decision\s*=\s*"(\w+)""#).ok());
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)""#).ok());

/// Codex: `prefix_rule(pattern = ["git", "push"], decision = "prompt")`. A pattern with alternatives in it is left out: which commands it is
/// about cannot be said in a line.
fn codex(text: &str) -> Option<Vec<(Effect, String, Breadth)>> {
    let (rule, pattern) = (RULE.as_ref()?, PATTERN.as_ref()?);
    let (decision, word) = (DECISION.as_ref()?, WORD.as_ref()?);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let read = |body: &str| {
        let words = pattern.captures(body)?.get(1)?.as_str();
        let words: Vec<&str> =
            word.captures_iter(words).filter_map(|found| Some(found.get(1)?.as_str())).collect();
        let decided = decision.captures(body).and_then(|found| found.get(1)).map(|found| found.as_str());
        let effect = match decided {
            None | Some("allow") => Effect::Allow,
            Some("prompt") => Effect::Ask,
            Some(_) => Effect::Deny,
        };
        (!words.is_empty()).then(|| (effect, words.join(" "), Breadth::Prefix(words.join(" "))))
    };
    let text = lines.join("\n");
    let bodies = rule.captures_iter(&text).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    Some(bodies.filter_map(|body| read(body.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(rules: Option<Vec<(Effect, String, Breadth)>>) -> Vec<String> {
        rules
            .unwrap()
            .into_iter()
            .map(|(effect, rule, breadth)| format!("{effect:?} {rule} {breadth:?}"))
            .collect()
    }

    #[test]
    fn the_clients_rules_are_read_with_their_breadth() {
        let text = r#"{"permissions": {"allow": ["Bash(npm run test:*)", "Bash(git status)", "Bash", "Bash(ls *)", "Bash(git * main)",
            "Read(~/.zshrc)", "WebFetch(domain:example.com)"], "deny": ["Bash(curl:*)"], "ask": ["Bash(git push:*)"]}, "env": {}}"#;
        assert_eq!(
            told(claude(text)),
            [
                r#"Allow Bash(npm run test:*) Prefix("npm run test")"#,
                r#"Allow Bash(git status) Exact("git status")"#,
                "Allow Bash Every",
                r#"Allow Bash(ls *) Prefix("ls")"#,
                r#"Allow Bash(git * main) Prefix("git")"#,
                "Allow Read(~/.zshrc) Other",
                "Allow WebFetch(domain:example.com) Other",
                r#"Ask Bash(git push:*) Prefix("git push")"#,
                r#"Deny Bash(curl:*) Prefix("curl")"#,
            ]
        );
        let text = "# prefix_rule(\n#     pattern = [\"a\"]\n# )\nprefix_rule(\n    pattern = [\"gh\", \"pr\", \"view\"],\n    decision = \"prompt\",\n    match = [[\"gh\", \"pr\"]],\n)\n\
                    prefix_rule(pattern = [\"ls\"])\nprefix_rule(pattern = [\"rm\", [\"-r\", \"-f\"]], decision = \"forbidden\")\n";
        assert_eq!(told(codex(text)), [r#"Ask gh pr view Prefix("gh pr view")"#, r#"Allow ls Prefix("ls")"#]);
        let text = r#"{"tools": {"allowed": ["run_shell_command(git)", "run_shell_command", "read_file"], "exclude": ["ShellTool(rm -rf)"]}}"#;
        assert_eq!(
            told(gemini(text)),
            [
                r#"Allow run_shell_command(git) Prefix("git")"#,
                "Allow run_shell_command Every",
                "Allow read_file Other",
                r#"Deny ShellTool(rm -rf) Prefix("rm -rf")"#,
            ]
        );
        let text = r#"{"permission": {"edit": "ask", "bash": {"git status": "allow", "git push*": "ask", "*": "deny"}}}"#;
        let mut rules = told(opencode(text));
        rules.sort();
        assert_eq!(
            rules,
            [
                r#"Allow git status Exact("git status")"#,
                r#"Ask git push* Prefix("git push")"#,
                "Deny * Every",
            ]
        );
        assert_eq!(told(opencode(r#"{"permission": {"bash": "allow"}}"#)), ["Allow * Every"]);
        let text = r#"{"permissions": [{"action": "shell", "resource": "git push *", "effect": "deny"},
            {"action": "read", "resource": "*", "effect": "allow"}]}"#;
        assert_eq!(told(opencode(text)), [r#"Deny git push * Prefix("git push")"#]);
        assert!([claude, gemini, opencode].iter().all(|read| read("// no JSON").is_none()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_left(text in ".{0,200}|(prefix_rule\\(|pattern = \\[|\"a\"|\\]|\\)|\n|,|decision = \"allow\"){0,12}") {
            for read in [claude, codex, gemini, opencode] {
                let _ = read(&text);
            }
        }
    }
}
