//! The help in the person's language: what each command is for, and the options of the everyday ones.

use crate::human::Words;

/// The help of a command line in the words of a language. What has no words stays English.
pub(super) fn translated(mut command: clap::Command, words: &Words) -> clap::Command {
    if let Some(about) = words.find("help-guarda", &[]) {
        command = command.about(about);
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(&name, |sub| described(sub, &name, words));
    }
    command
}

/// One sub-command, with its options.
fn described(mut command: clap::Command, name: &str, words: &Words) -> clap::Command {
    if let Some(about) = words.find(&format!("help-{name}"), &[]) {
        command = command.about(about);
    }
    let ids: Vec<clap::Id> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in ids {
        if let Some(help) = words.find(&format!("help-{name}-{id}"), &[]) {
            command = command.mut_arg(id, |argument| argument.help(help));
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use clap::CommandFactory as _;
    use guarda_core::action::Language;

    #[test]
    fn every_command_says_in_every_language_what_it_is_for() {
        let command = Cli::command();
        let english = crate::human::words(Language::English);
        for language in Language::ALL {
            let words = crate::human::words(language);
            for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
                let id = format!("help-{}", sub.get_name());
                let said = words.find(&id, &[]).unwrap_or_else(|| panic!("{language}: {id} is missing"));
                assert!(
                    language == Language::English || Some(said) != english.find(&id, &[]),
                    "{language} {id}"
                );
            }
        }
        // The English words are those of the command line itself, which the manual pages and completions show.
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let about = sub.get_about().map(ToString::to_string);
            assert_eq!(english.find(&format!("help-{}", sub.get_name()), &[]), about);
        }
    }
}
