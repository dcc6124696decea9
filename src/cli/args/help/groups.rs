//! Groups the sub-commands by purpose in the help. A single list of nearly thirty would be hard to scan.

use std::fmt::Write as _;

use crate::wording::Words;

/// The groups in display order: the id of the title, and the sub-commands.
const GROUPS: &[(&str, &[&str])] = &[
    ("every-day", &["act", "ask", "undo", "check", "status", "console", "demo"]),
    ("answering", &["pending", "approve", "deny", "modify", "grants", "silence", "language"]),
    ("looking-back", &["history", "blame", "lookback", "audit", "network", "registry", "session"]),
    (
        "setting-up",
        &[
            "serve", "setup", "doctor", "prove", "config", "rules", "trust", "hook", "token", "keys",
            "speak", "plugin",
        ],
    ),
    ("for-programs", &["mcp", "redact", "corpus", "advise", "completions", "man"]),
];

/// Returns the command with its sub-commands grouped in the help.
pub(in crate::cli::args) fn grouped(command: clap::Command, words: &Words) -> clap::Command {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{}", words.labelled(&words.say(&format!("help-group-{title}"), &[]), ""));
        for name in *names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let _ = writeln!(text, "  {name:<13}{}", about.map(ToString::to_string).unwrap_or_default());
        }
        text.push('\n');
    }
    let (usage, options) = (words.say("help-usage", &[]), words.say("help-options", &[]));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{}\n\n{text}{}\n{{options}}{{after-help}}",
        words.labelled(&usage, "{usage}"),
        words.labelled(&options, ""),
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use crate::cli::args::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn every_sub_command_stands_in_one_group_and_on_one_line() {
        let command = Cli::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_title, names)| *names).copied().collect();
        grouped.sort_unstable();
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let mut there: Vec<&str> = shown.map(clap::Command::get_name).collect();
        there.sort_unstable();
        assert_eq!(grouped, there);
        let help = super::grouped(command, crate::wording::words(guarda_core::action::Language::English))
            .render_help()
            .to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(help.contains("Answering questions:\n  pending      Show"), "{help}");
    }
}
