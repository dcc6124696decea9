//! Shows what a cell would open of the home folder.

use guarda_core::action::{Language, Way};
use guarda_core::judge::Judgement;

use crate::hands::{View, ViewEntry, Why};
use crate::wording::plain::visible;
use crate::wording::words::{Words, words};

/// The list, a line for each entry: its path, whether it is written to, and why it is open.
pub(super) fn page(view: &View, judgement: &Judgement, language: Language) -> String {
    let words = words(language);
    let plain = |id: &str| words.say(id, &[]);
    let whole = match judgement.run().way {
        Some(Way::Look | Way::Stage) => view.whole.map(|_| "view-whole"),
        _ => Some("view-act"),
    };
    let lines: Vec<String> = match whole {
        Some(id) => vec![plain(id)],
        None if view.opened.is_empty() => vec![plain("view-none")],
        None => view
            .opened
            .iter()
            .map(|opened| line(words, opened, judgement.run().way == Some(Way::Stage)))
            .collect(),
    };
    format!("\n{}:\n  {}\n", plain("view-title"), lines.join("\n  "))
}

fn line(words: &Words, opened: &ViewEntry, staged: bool) -> String {
    let access = words.say(if staged && opened.writes { "view-writes" } else { "view-reads" }, &[]);
    let why = match opened.why {
        Why::Trusted => words.say("view-trusted", &[]),
        Why::Folder => words.say("view-folder", &[]),
        Why::Git => words.say("view-git", &[]),
        Why::Named => words.say("view-named", &[]),
        Why::Program => words.say("view-program", &[]),
        Why::Approved => words.say("view-act", &[]),
        Why::Path => words.say("view-path", &[]),
        Why::Tool => words.say("view-tool", &[("programs", opened.programs.join(", ").into())]),
    };
    format!("{} ({access}): {why}", visible(&opened.path.to_string_lossy()))
}
