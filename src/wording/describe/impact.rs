//! What a person should know beside the judgement: what a command would touch, what would confine it, and what the
//! session has seen. None of it decides anything.

use std::sync::Arc;
use std::time::Duration;

use crate::devices::filesystem::census::Census;
use crate::devices::filesystem::touch::{Fate, Group, Preview};
use crate::wording::describe::host::{self, WantedHosts};
use crate::wording::describe::staged::Staged;
use crate::wording::describe::tool::{ToolUse, below};
use crate::wording::plain::visible;
use crate::wording::words::{Words, ago, size};
use guarda_core::action::custody::SandboxLevel;
use guarda_core::effects::Effects;
use guarda_core::hosts::NetworkPlan;
use guarda_core::output::{Network, Protection};

/// The information gathered when a question is put.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Impact {
    /// What would be touched.
    pub preview: Preview,
    /// How a command is run after a yes; `None` if it is not a command, or the guard does not run it.
    pub way: Option<guarda_core::action::Way>,
    /// True if the command rests on more files than are watched for changes until it runs.
    pub partly: bool,
    /// A command's sandbox; `None` if the action is not a command, or the guard does not run it.
    pub sandbox: Option<Protection>,
    /// The hosts that the command's words and its tools reach.
    pub network: Arc<NetworkPlan>,
    /// What the session has seen.
    pub marks: Vec<TaintMark>,
    /// When this was gathered, in seconds since 1970.
    pub now: i64,
    /// Hosts that a running command wants. The question is then about them and not about the command.
    pub host: Option<WantedHosts>,
    /// True if the run has gone on, or was refused, without an answer. A yes is then kept for the next run of the command.
    pub late: bool,
    /// The tool of an agent's client that the question is about. The client runs this tool instead of the judged
    /// command.
    pub tool: Option<ToolUse>,
    /// The changes of a staged run, shown in place of what would be touched. `None` before anything has run.
    pub effects: Option<Arc<Effects>>,
    /// For how many days the changes could be undone; `None` if they could not be.
    pub undo_days: Option<u32>,
    /// Whether the changes that the command's words name can be undone; `None` if they name none, or the command has
    /// run.
    pub keeping: Option<Keeping>,
    /// The home folder and the working folder, for short paths; empty if they are unknown.
    pub home: String,
    /// See `home`.
    pub cwd: String,
}

impl Impact {
    /// What a staged run changed, prepared for display.
    #[must_use]
    pub fn staged(&self) -> Option<Staged<'_>> {
        let effects = self.effects.as_deref()?;
        Some(Staged { effects, undo_days: self.undo_days, home: &self.home, cwd: &self.cwd })
    }

    /// The kind of the single path that would be deleted: `link`, `folder` or `file`; `None` if it is unknown.
    pub(crate) fn deleted(&self) -> Option<&'static str> {
        let group = self.preview.groups.iter().find(|group| group.fate == Fate::Deleted)?;
        let [item] = group.items.as_slice() else { return None };
        match &item.census {
            Census { links: 1, files: 0, folders: 0, .. } => Some("link"),
            Census { folders: 1.., .. } => Some("folder"),
            Census { files: 1, .. } => Some("file"),
            _ => None,
        }
    }
}

/// Whether old versions can be kept of the files that a command deletes or overwrites by its words. Determined before
/// the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Of every file that it changes.
    All,
    /// Of the files that its words name. The command may change others.
    Named,
    /// They would take this many bytes, which is more than the limit.
    NoRoom(u64),
    /// Never.
    Never,
    /// The file system did not answer in time.
    Unknown,
}

/// What a session has seen that makes its requests less trustworthy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TaintMark {
    /// Text from outside: web pages, files, output of other programs.
    Outside,
    /// Secrets.
    Secret,
}

impl TaintMark {
    /// The name on the wire and in the ids of words.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mark in words, for a person.
    #[must_use]
    pub fn text(self, words: &Words) -> String {
        words.say(&format!("mark-{}", self.name()), &[])
    }
}

/// What would be touched: for each fate one line, followed by its paths.
#[must_use]
pub fn touches(words: &Words, impact: &Impact) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(wanted) = &impact.host {
        return host::lines(words, wanted);
    }
    if impact.effects.is_some() {
        return lines;
    }
    let short = |path: &str| visible(&below(path, &impact.home, ""));
    for group in &impact.preview.groups {
        let told = told(words, group, impact.now);
        let paths = group.items.iter().map(|item| match &item.leads {
            Some(real) => format!("{} → {}", short(&item.path), short(real)),
            None => short(&item.path),
        });
        if group.paths == 1 {
            lines.push(format!("{told} — {}", paths.collect::<String>()));
            continue;
        }
        lines.push(told);
        lines.extend(paths.map(|path| format!("  {path}")));
        let left = group.paths.saturating_sub(group.items.len() as u64);
        if left > 0 {
            lines.push(format!("  {}", words.say("touch-paths-more", &[("count", left.into())])));
        }
    }
    if !impact.preview.missing.is_empty() {
        lines.push(words.labelled(&words.say("touch-missing", &[]), ""));
        lines.extend(impact.preview.missing.iter().map(|path| format!("  {}", short(path))));
    }
    if impact.preview.open {
        lines.push(words.say("touch-open", &[]));
    }
    if impact.partly {
        lines.push(words.say("touch-partly", &[]));
    }
    lines
}

/// Describes one fate: `deleted: 3 files, 12.4 MB, the newest 5 minutes ago`.
#[must_use]
pub fn told(words: &Words, group: &Group, now: i64) -> String {
    let fate = words.say(&format!("touch-{}", group.fate.name()), &[]);
    let mut parts = counts(words, &group.census);
    if parts.is_empty() {
        parts.push(words.say("touch-paths", &[("count", group.paths.into())]));
    }
    let mut text = parts.join(", ");
    if group.census.unfinished {
        text = words.say("touch-at-least", &[("what", text.into())]);
    }
    if let Some(newest) = group.census.newest {
        let since = Duration::from_secs(u64::try_from(now.saturating_sub(newest)).unwrap_or_default());
        text.push_str(&format!(", {}", words.say("touch-newest", &[("ago", ago(words, since).into())])));
    }
    if group.census.unreadable > 0 {
        let count = group.census.unreadable;
        text.push_str(&format!(", {}", words.say("touch-unreadable", &[("count", count.into())])));
    }
    words.say("touch-told", &[("fate", fate.into()), ("what", text.into())])
}

fn counts(words: &Words, census: &Census) -> Vec<String> {
    let each = [
        ("touch-files", census.files),
        ("touch-folders", census.folders),
        ("touch-links", census.links),
        ("touch-others", census.others),
    ];
    let mut parts: Vec<String> = each
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(id, count)| words.say(id, &[("count", count.into())]))
        .collect();
    if census.files > 0 {
        parts.push(size(words, census.bytes));
    }
    parts
}

/// Describes the sandbox: its level, its network, and one line for each measure that this computer cannot provide.
#[must_use]
pub fn sandbox(words: &Words, held: &Protection) -> Vec<String> {
    let profile = match held.profile {
        SandboxLevel::None => return vec![words.say("sandbox-none", &[])],
        SandboxLevel::Confined => "sandbox-confined",
        SandboxLevel::Isolated => "sandbox-isolated",
    };
    let network = match held.open_network() {
        Network::None => "sandbox-network-none",
        Network::Hosts => "sandbox-network-hosts",
        Network::All => "sandbox-network-all",
    };
    let mut lines = vec![format!("{}, {}", words.say(profile, &[]), words.say(network, &[]))];
    if !held.lacking.is_empty() {
        let each = held.lacking.iter().map(|lack| {
            let measure = words.say(&format!("measure-{}", lack.measure.name()), &[]);
            format!("{measure} ({})", visible(&lack.why))
        });
        let what = each.collect::<Vec<_>>().join(", ");
        lines.push(words.say("sandbox-lacking", &[("what", what.into())]));
    }
    lines.extend(held.notes.iter().map(|note| visible(note)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::filesystem::touch::TouchedPath;
    use crate::wording::words::words;
    use guarda_core::action::Language;
    use guarda_core::output::Measure;

    #[test]
    fn every_fate_measure_and_mark_has_words() {
        for language in Language::ALL {
            let words = words(language);
            for fate in [
                Fate::Deleted,
                Fate::Overwritten,
                Fate::Changed,
                Fate::Attributes,
                Fate::Moved,
                Fate::Made,
                Fate::Read,
                Fate::Named,
            ] {
                assert!(words.find(&format!("touch-{}", fate.name()), &[]).is_some(), "{language} {fate:?}");
            }
            for measure in Measure::of(SandboxLevel::Isolated) {
                assert!(words.find(&format!("measure-{}", measure.name()), &[]).is_some(), "{language}");
            }
            for mark in [TaintMark::Outside, TaintMark::Secret] {
                assert!(!mark.text(words).is_empty());
            }
        }
    }

    #[test]
    fn what_is_touched_is_told() {
        let census =
            Census { files: 3, bytes: 1_250_000, newest: Some(1000), unfinished: true, ..Census::default() };
        let item =
            TouchedPath { path: "/home/ana/\u{202e}a".to_owned(), leads: Some("/b".to_owned()), census };
        let group = Group { fate: Fate::Deleted, paths: 3, items: vec![item], census };
        let preview = Preview { groups: vec![group], missing: vec!["/x".to_owned()], open: true };
        let impact = Impact { preview, partly: true, now: 1300, ..Impact::default() };
        assert_eq!(
            touches(words(Language::English), &impact),
            [
                "deleted: at least 3 files, 1.2 MB, the newest written 5 minutes ago",
                "  /home/ana/⟨U+202E⟩a → /b",
                "  and 2 more paths",
                "not there:",
                "  /x",
                "It may touch more than can be told before it runs.",
                "Not all that it rests on can be watched for changes until your answer.",
            ]
        );
        assert_eq!(
            touches(words(Language::Portuguese), &impact)[0],
            "apagado: pelo menos 3 arquivos, 1,2 MB, o mais novo escrito há 5 minutos"
        );
    }

    #[test]
    fn a_sandbox_is_told_with_what_it_lacks() {
        let mut held = Protection::new(SandboxLevel::Confined, Network::None);
        for measure in Measure::of(SandboxLevel::Confined) {
            held.enter(*measure, Ok(()));
        }
        let english = words(Language::English);
        assert_eq!(
            sandbox(english, &held),
            ["changes only the folder it runs in and what the line names, no network"]
        );
        held.enter(Measure::Network, Err(guarda_core::output::NotHeld("Landlock ABI 3".to_owned())));
        assert_eq!(
            sandbox(english, &held),
            [
                "changes only the folder it runs in and what the line names, the whole network",
                "This computer cannot hold back: the network (Landlock ABI 3)"
            ]
        );
        let none = Protection::new(SandboxLevel::None, Network::All);
        assert_eq!(sandbox(words(Language::French), &none).len(), 1);
    }

    #[test]
    fn a_deletion_names_what_stands_there() {
        for (files, folders, links, said) in [
            (1, 0, 0, "apagar x"),
            (3, 2, 1, "apagar a pasta x com tudo dentro"),
            (0, 1, 0, "apagar a pasta x com tudo dentro"),
            (0, 0, 1, "apagar o atalho x"),
        ] {
            let census = Census { files, folders, links, ..Census::default() };
            let item = TouchedPath { path: "/home/ana/x".to_owned(), leads: None, census };
            let group = Group { fate: Fate::Deleted, paths: 1, items: vec![item], census };
            let preview = Preview { groups: vec![group], ..Preview::default() };
            let kind = Impact { preview, ..Impact::default() }.deleted().unwrap();
            assert_eq!(
                crate::wording::describe::effect::deletes(words(Language::Portuguese), "~/x", kind),
                said
            );
        }
        for (path, said) in [
            ("x", "delete x"),
            ("/x", "delete x from the root of the system"),
            ("~/Downloads/x", "delete x from Downloads"),
            ("/srv/a/x", "delete x from /srv/a"),
        ] {
            assert_eq!(
                crate::wording::describe::effect::deletes(words(Language::English), path, "file"),
                said
            );
        }
    }
}
