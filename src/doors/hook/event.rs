//! The event: an agent's intended tool call, in one form for all clients. It contains only what is judged, such as the
//! names of files to read and the new content of files to write.

use serde::{Deserialize, Serialize};

use guarda_core::action::Request;

use super::Client;
use crate::hands::announced::{Content, Planned};
use crate::wording::{ToolUse, ToolWork};

/// An agent is about to use a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEvent {
    /// Who asks.
    pub client: Client,
    /// The tool, as the client names it.
    pub tool: String,
    /// What the tool does.
    pub does: Does,
    /// The conversation, as the client names it.
    #[serde(default)]
    pub session: Option<String>,
    /// The user's message that the call follows from, as the client names it.
    #[serde(default)]
    pub turn: Option<String>,
    /// The title that the user gave the conversation, if the event or a file that it names contains one.
    #[serde(default)]
    pub title: Option<String>,
    /// The working folder of the call.
    #[serde(default)]
    pub cwd: Option<String>,
    /// The model's stated purpose.
    #[serde(default)]
    pub purpose: Option<String>,
    /// Whether the client can ask the person itself.
    #[serde(default, deserialize_with = "no_if_null")]
    pub can_ask: bool,
    /// Whether the client accepts a replacement for the command.
    #[serde(default, deserialize_with = "no_if_null")]
    pub can_rewrite: bool,
    /// The search path of the client's shell (`PATH`).
    #[serde(default)]
    pub path: Option<String>,
    /// True if the client runs in a container, so its files are not those of this machine.
    #[serde(skip)]
    pub elsewhere: bool,
}

/// Treats `null` like a missing field.
fn no_if_null<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Option::<bool>::deserialize(from).map(Option::unwrap_or_default)
}

/// The kinds of tool calls that the guard distinguishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Does {
    /// Runs this command line in a shell.
    Run(String),
    /// Works on files.
    Files(Files),
    /// Fetches a web address.
    Fetch(String),
    /// Changes nothing outside the agent itself: notes, plans, questions to the user.
    Nothing,
    /// Nothing more: the client has ended the conversation.
    Ends,
    /// An unknown tool. Holds the command line in its input, if there is one.
    Unknown(Option<String>),
}

/// Work on files. Paths are as the client gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// Files that are read.
    pub read: Vec<String>,
    /// Folders whose files are searched for text.
    pub searched: Vec<String>,
    /// Patterns of searched files: paths with `*`, `?`, `[…]` and `{…}`.
    pub matched: Vec<String>,
    /// Files that are created or changed.
    pub written: Vec<String>,
    /// Files that are deleted.
    pub deleted: Vec<String>,
    /// The known changes to written or deleted files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<Planned>,
}

impl HookEvent {
    /// The request to judge. File operations and fetches are judged as the equivalent command, so both spellings get
    /// one verdict. That command is never run.
    #[must_use]
    pub fn request(&self) -> Request {
        let request = Request {
            reasoning: self.purpose.clone(),
            session: self.session.as_deref().and_then(session),
            turn: self.turn.as_deref().and_then(session),
            cwd: self.cwd.clone(),
            search_path: self.path.clone(),
            ..Request::default()
        };
        let command = match &self.does {
            Does::Run(command) | Does::Unknown(Some(command)) => Some(command.clone()),
            Does::Files(files) => Some(files.command()),
            Does::Fetch(url) => Some(format!("curl -- {}", quoted(url))),
            Does::Nothing | Does::Ends | Does::Unknown(None) => None,
        };
        match command {
            Some(command) => {
                Request { action: Some("RUN_COMMAND".to_owned()), target: Some(command.into()), ..request }
            }
            // The space keeps the name of a tool from being read as the name of an action.
            None => {
                let name: String = self.tool.chars().take(64).collect();
                Request { action: Some(format!("tool {name}")), cwd: None, ..request }
            }
        }
    }
}

impl HookEvent {
    /// The tool, described in place of the equivalent command; `None` if the client runs a command line.
    #[must_use]
    pub fn tool_use(&self) -> Option<ToolUse> {
        let work = match &self.does {
            Does::Run(_) => return None,
            Does::Files(files) => files.work(),
            Does::Fetch(url) => vec![(ToolWork::Fetched, vec![url.clone()])],
            Does::Nothing | Does::Ends | Does::Unknown(_) => Vec::new(),
        };
        Some(ToolUse { name: self.tool.chars().take(64).collect(), work })
    }
}

impl Files {
    /// The change to each file. A file without details counts as written or deleted.
    #[must_use]
    pub fn changes(&self) -> Vec<Planned> {
        let known = |path: &String| {
            self.planned.iter().any(|one| one.path == *path || one.from.as_ref() == Some(path))
        };
        let plain = |paths: &[String], content: Content| -> Vec<Planned> {
            let left = paths.iter().filter(|path| !known(path));
            left.map(|path| Planned::new(path.clone(), content.clone())).collect()
        };
        let written = plain(&self.written, Content::Unknown);
        let deleted = plain(&self.deleted, Content::Gone);
        self.planned.iter().cloned().chain(written).chain(deleted).collect()
    }

    /// The paths of each kind of work. Includes files that are known only from their details.
    fn work(&self) -> Vec<(ToolWork, Vec<String>)> {
        let planned = |gone: bool| {
            self.planned.iter().filter(move |one| (one.content == Content::Gone) == gone).map(|one| &one.path)
        };
        let moved = self.planned.iter().filter_map(|one| one.from.as_ref());
        let joined = |named: &[String], more: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            let mut all = named.to_vec();
            more.for_each(|path| {
                if !all.contains(path) {
                    all.push(path.clone())
                }
            });
            all
        };
        let all = [
            (ToolWork::Read, self.read.clone()),
            (ToolWork::Searched, self.searched.clone()),
            (ToolWork::Matched, self.matched.clone()),
            (ToolWork::Written, joined(&self.written, &mut planned(false))),
            (ToolWork::Deleted, joined(&self.deleted, &mut planned(true).chain(moved))),
        ];
        all.into_iter().filter(|(_, paths)| !paths.is_empty()).collect()
    }

    /// The equivalent command.
    fn command(&self) -> String {
        let commands = self.work().into_iter().map(|(work, paths)| {
            let (program, quote): (&str, fn(&str) -> String) = match work {
                ToolWork::Read => ("cat --", quoted_path),
                // The searched files matter, not the text that is searched for.
                ToolWork::Searched => ("grep -r -e x --", quoted_path),
                ToolWork::Matched => ("cat --", quoted_pattern),
                ToolWork::Written => ("tee --", quoted_path),
                ToolWork::Deleted => ("rm --", quoted_path),
                ToolWork::Fetched => ("curl --", quoted),
            };
            let paths: Vec<String> = paths.iter().map(|path| quote(path)).collect();
            format!("{program} {}", paths.join(" "))
        });
        let commands: Vec<String> = commands.collect();
        // A file tool without a path is not understood. The unreadable line leads to a question.
        if commands.is_empty() { "'".to_owned() } else { commands.join("; ") }
    }
}

/// Quotes a word for a shell if needed.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Quotes a path. Some clients write `~` for the home folder.
fn quoted_path(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", quoted(rest)),
        None if path == "~" => "~".to_owned(),
        None => quoted(path),
    }
}

/// Quotes a path pattern, except for the characters that the client also treats as special.
fn quoted_pattern(pattern: &str) -> String {
    let (home, rest) = match pattern.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", pattern),
    };
    let mut text = home.to_owned();
    for letter in rest.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' | ',' => text.push(letter),
            _ if letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-') => {
                text.push(letter)
            }
            _ => text.push_str(&quoted(&letter.to_string())),
        }
    }
    if text.is_empty() { "''".to_owned() } else { text }
}

/// Converts a client's conversation name to a valid session name.
fn session(name: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.chars().take(64).map(plain).collect();
    let name = name.trim_start_matches('.');
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(does: Does) -> HookEvent {
        HookEvent {
            client: Client::Claude,
            tool: "Lock".to_owned(),
            does,
            session: Some("../a b".to_owned()),
            turn: None,
            title: None,
            cwd: Some("/w".to_owned()),
            purpose: None,
            can_ask: true,
            can_rewrite: false,
            path: None,
            elsewhere: false,
        }
    }

    #[test]
    fn what_is_done_to_files_is_judged_as_a_command() {
        let files = |read: &[&str], written: &[&str], deleted: &[&str]| {
            let list = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
            Does::Files(Files {
                read: list(read),
                written: list(written),
                deleted: list(deleted),
                ..Files::default()
            })
        };
        let looked = |searched: &str, matched: &[&str]| {
            let matched = matched.iter().map(|&path| path.to_owned()).collect();
            Does::Files(Files { searched: vec![searched.to_owned()], matched, ..Files::default() })
        };
        for (does, line) in [
            (looked("a b", &[]), "grep -r -e x -- 'a b'"),
            (looked("~", &["~/.ssh/*.{a,b}"]), "grep -r -e x -- ~; cat -- ~/.ssh/*.{a,b}"),
            (looked("s", &["s/$(id);x `y`"]), "grep -r -e x -- 's'; cat -- s/'$''('id')'';'x' ''`'y'`'"),
            (files(&["/a b", "it's"], &[], &[]), r"cat -- '/a b' 'it'\''s'"),
            (files(&["~/.ssh/id_rsa"], &[], &[]), "cat -- ~/'.ssh/id_rsa'"),
            (files(&[], &["x; rm -rf ~"], &["-rf"]), "tee -- 'x; rm -rf ~'; rm -- '-rf'"),
            (files(&[], &[], &[]), "'"),
            (Does::Fetch("https://a/?b='c'".to_owned()), r"curl -- 'https://a/?b='\''c'\'''"),
            (Does::Run("ls | wc".to_owned()), "ls | wc"),
            (Does::Unknown(Some("rm x".to_owned())), "rm x"),
        ] {
            let request = event(does).request();
            assert_eq!(request.target, Some(line.into()));
            assert_eq!(request.session.as_deref(), Some("-a-b"));
            assert_eq!(request.cwd.as_deref(), Some("/w"));
        }
    }

    #[test]
    fn the_name_of_a_tool_is_never_the_name_of_an_action() {
        for does in [Does::Nothing, Does::Unknown(None)] {
            let request = event(does).request();
            assert_eq!(request.action.as_deref(), Some("tool Lock"));
            let proposal = guarda_core::action::Proposal::parse(request).unwrap();
            assert!(matches!(proposal.action, guarda_core::action::Action::Unknown { .. }));
        }
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_word_stays_one_word(word in "[^\\x00]{1,40}") {
            let request = event(Does::Files(Files { written: vec![format!("/{word}")], ..Files::default() })).request();
            let proposal = guarda_core::action::Proposal::parse(request).unwrap();
            let guarda_core::action::Action::RunCommand { script, .. } = proposal.action else { unreachable!() };
            // The line may be refused for its control characters, but is never misread.
            if let Ok(script) = script {
                let runs = script.runs();
                proptest::prop_assert_eq!(runs.len(), 1);
            }
        }
    }
}
