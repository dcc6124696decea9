//! Translates the help. The manual pages exist only in English.

use guarda_core::action::Language;

use crate::wording::Words;

use super::usage::{usage, valued};

/// Translates the help of a command line. Texts without a translation stay English.
pub(in crate::cli::args) fn translated(mut command: clap::Command, words: &Words) -> clap::Command {
    let of = |id: &str| words.find(id, &[]);
    if let Some(about) = of("help-guarda") {
        command = command.about(about);
    }
    if let Some((long, more)) = of("help-guarda-long").zip(of("help-guarda-more")) {
        let about = of("help-guarda").unwrap_or_default();
        command = command.long_about(format!("{about}\n\n{long}")).after_long_help(more);
        let version = clap::Arg::new("version").short('V').long("version").action(clap::ArgAction::Version);
        let version = version.help(words.say("help-any-version", &[]));
        command = command.disable_version_flag(true).disable_help_flag(true).arg(help(words)).arg(version);
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(&name, |sub| described(sub, &[&name], false, words));
    }
    if words.language() == Language::English {
        return command;
    }
    let line = usage(&command, command.get_name(), false, words);
    command.override_usage(line)
}

/// Translates one sub-command, with its options and its own sub-commands. `path` holds the names that lead to it,
/// `inherited` says that a command above it has options for it.
fn described(mut command: clap::Command, path: &[&str], inherited: bool, words: &Words) -> clap::Command {
    let name = &path.join("-");
    let global = inherited || command.get_arguments().any(clap::Arg::is_global_set);
    let subs: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    // Clap's own texts are English. `--help` says the same.
    command = command.disable_help_subcommand(words.language() != Language::English && !subs.is_empty());
    for sub in subs {
        let below = [path, &[&sub]].concat();
        command = command.mut_subcommand(&sub, |command| described(command, &below, global, words));
    }
    let ids: Vec<clap::Id> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in ids {
        if let Some(help) = option(words, name, id.as_str()) {
            // The explanations of an option's possible values exist only in English. The option's help names the
            // values.
            let english = words.language() == Language::English;
            command = command.mut_arg(id, |argument| {
                let hidden = !english && argument.get_action().takes_values();
                let help = if english { help } else { defaulted(help, &argument, words) };
                let argument = argument.help(help.clone()).long_help(help);
                if hidden { argument.hide_possible_values(true).hide_default_value(true) } else { argument }
            });
        }
    }
    let about = words.find(&format!("help-{name}"), &[]);
    if words.language() == Language::English {
        return if let Some(about) = about { command.about(about) } else { command };
    }
    if let Some(about) = about {
        command = command.long_about(about.clone()).about(about);
    }
    if let Some(more) = words.find(&format!("help-{name}-more"), &[]) {
        command = command.after_long_help(more);
    }
    let ids: Vec<clap::Id> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in ids {
        command = command.mut_arg(id, |argument| valued(argument, words));
    }
    let line = usage(&command, &format!("guarda {}", path.join(" ")), inherited, words);
    headed(command.override_usage(line), words)
}

/// An option's help with its default value, which clap would name in English.
fn defaulted(help: String, argument: &clap::Arg, words: &Words) -> String {
    let values: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if values.is_empty() || argument.is_hide_default_value_set() || !argument.get_action().takes_values() {
        return help;
    }
    let value = ("value", values.join(" ").into());
    format!("{help} {}", words.say("help-default", &[value]))
}

/// Translates the headings of a help page and the help option itself.
fn headed(mut command: clap::Command, words: &Words) -> clap::Command {
    // Clap adds the colons.
    let head = |id: &str| words.before_colon(&words.say(id, &[]));
    let ids: Vec<clap::Id> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in ids {
        command = command.mut_arg(id, |argument| {
            let heading = if argument.is_positional() { "help-arguments" } else { "help-options" };
            argument.help_heading(head(heading))
        });
    }
    let help = help(words).help_heading(head("help-options"));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{}\n\n{{all-args}}{{after-help}}",
        words.labelled(&words.say("help-usage", &[]), "{usage}")
    );
    let command = command.help_template(template).subcommand_help_heading(head("help-commands"));
    command.disable_help_flag(true).arg(help)
}

/// The help option.
fn help(words: &Words) -> clap::Arg {
    let help = clap::Arg::new("help").short('h').long("help").action(clap::ArgAction::Help);
    help.help(words.say("help-any-help", &[]))
}

/// The text for an option: the command's own text, or else the one that several commands share.
fn option(words: &Words, name: &str, id: &str) -> Option<String> {
    words.find(&format!("help-{name}-{id}"), &[]).or_else(|| words.find(&format!("help-any-{id}"), &[]))
}

#[cfg(test)]
mod tests {
    use crate::cli::args::Cli;
    use clap::CommandFactory as _;
    use guarda_core::action::Language;

    /// The visible commands of the first level.
    fn shown(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
        command.get_subcommands().filter(|sub| !sub.is_hide_set())
    }

    /// The message ids for a command's sub-commands and options, each with its English text.
    fn ids(command: &clap::Command, name: &str, all: &mut Vec<(String, String)>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let below = format!("{name}-{}", sub.get_name());
            all.push((format!("help-{below}"), sub.get_about().map(ToString::to_string).unwrap_or_default()));
            ids(sub, &below, all);
        }
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let text = argument.get_help().map(ToString::to_string).unwrap_or_default();
            all.push((format!("help-{name}-{}", argument.get_id()), text));
        }
    }

    #[test]
    fn every_command_and_option_is_explained_in_every_language() {
        let command = Cli::command();
        let mut all = Vec::new();
        for sub in shown(&command) {
            ids(sub, sub.get_name(), &mut all);
        }
        for language in [Language::Portuguese, Language::French] {
            let words = crate::wording::words(language);
            let shared = |id: &str| id.rsplit('-').next().map(|last| format!("help-any-{last}"));
            let known = |id: &str| words.find(id, &[]).is_some();
            let missing = all.iter().filter(|(id, _)| !known(id) && shared(id).is_none_or(|id| !known(&id)));
            let missing: Vec<String> = missing.map(|(id, text)| format!("{id} = {text}")).collect();
            assert!(missing.is_empty(), "{language}:\n{}", missing.join("\n"));
        }
    }

    #[test]
    fn the_translated_command_line_is_well_formed() {
        for language in Language::ALL {
            super::translated(Cli::command(), crate::wording::words(language)).debug_assert();
        }
    }

    /// The commands in a help page's examples, without their explanations.
    fn examples(help: &str) -> Vec<&str> {
        let indented = help.lines().filter_map(|line| line.strip_prefix("  "));
        indented.map(|line| line.split("  ").next().unwrap_or_default().trim()).collect()
    }

    #[test]
    fn the_rest_of_each_help_is_there_in_every_language_with_the_same_examples() {
        let command = Cli::command();
        let all = shown(&command).map(|sub| (sub.get_name(), sub)).chain([("guarda", &command)]);
        for (name, sub) in all {
            let english = sub.get_after_long_help().map(ToString::to_string);
            let more = english.or_else(|| sub.get_long_about().map(ToString::to_string));
            let Some(more) = more else { continue };
            for language in [Language::Portuguese, Language::French] {
                let words = crate::wording::words(language);
                let told = words.find(&format!("help-{name}-more"), &[]);
                let told = told.unwrap_or_else(|| panic!("{language}: help-{name}-more is missing"));
                if name != "guarda" {
                    assert_eq!(examples(&told), examples(&more), "{language} {name}");
                }
            }
        }
    }

    #[test]
    fn no_help_breaks_its_lines_before_the_terminal_does() {
        for language in Language::ALL {
            let words = crate::wording::words(language);
            let command = super::translated(Cli::command(), words);
            for sub in shown(&command).chain([&command]) {
                let more = sub.get_after_long_help().map(ToString::to_string).unwrap_or_default();
                let lines: Vec<&str> = more.lines().collect();
                for pair in lines.windows(2) {
                    let prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
                    let [one, next] = pair else { continue };
                    assert!(one.chars().count() <= 100 || prose(one), "{language}: too wide: {one}");
                    assert!(!prose(one) || !prose(next), "{language}: a paragraph is one line: {one}");
                }
            }
        }
    }

    #[test]
    fn every_command_says_in_every_language_what_it_is_for() {
        let command = Cli::command();
        let english = crate::wording::words(Language::English);
        for language in Language::ALL {
            let words = crate::wording::words(language);
            for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
                let id = format!("help-{}", sub.get_name());
                let said = words.find(&id, &[]).unwrap_or_else(|| panic!("{language}: {id} is missing"));
                assert!(
                    language == Language::English || Some(said) != english.find(&id, &[]),
                    "{language} {id}"
                );
            }
        }
        // English texts are in the command line itself, which manual pages and completions also use.
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let about = sub.get_about().map(ToString::to_string);
            assert_eq!(english.find(&format!("help-{}", sub.get_name()), &[]), about);
        }
    }
}
