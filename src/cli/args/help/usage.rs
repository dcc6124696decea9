//! The line of a help page that shows how a command is written, and the names of values in it. Clap's own have English
//! words.

use crate::wording::Words;

/// How a command is written: `guarda network [OPÇÕES]`, and on a second line `guarda network <COMANDO>` if its options
/// exclude its sub-commands. `path` names the command, `inherited` says that a command above it has options for it.
pub(in crate::cli::args) fn usage(
    command: &clap::Command,
    path: &str,
    inherited: bool,
    words: &Words,
) -> String {
    let shown = |argument: &&clap::Arg| {
        !argument.is_hide_set() && !matches!(argument.get_id().as_str(), "help" | "version")
    };
    let (positional, named): (Vec<_>, Vec<_>) =
        command.get_arguments().filter(shown).partition(|argument| argument.is_positional());
    let (required, optional): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|argument| argument.is_required_set());
    let mut line = path.to_owned();
    let mut add = |part: &str| {
        line.push(' ');
        line.push_str(part);
    };
    if inherited || !optional.is_empty() {
        add(&format!("[{}]", words.say("value-options", &[])));
    }
    for argument in required.into_iter().chain(positional) {
        let shown = argument.to_string();
        // What comes after `--` alone.
        let last = argument.is_last_set().then(|| format!("[-- <{}>]", shown.trim_matches(['[', ']'])));
        add(&last.unwrap_or(shown));
    }
    if !command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        return line;
    }
    let sub = words.say("value-command", &[]);
    if command.is_args_conflicts_with_subcommands_set() {
        let indent = words.labelled(&words.say("help-usage", &[]), "").chars().count() + 1;
        line.push_str(&format!("\n{:indent$}{path} <{sub}>", ""));
    } else if command.is_subcommand_required_set() {
        line.push_str(&format!(" <{sub}>"));
    } else {
        line.push_str(&format!(" [{sub}]"));
    }
    line
}

/// The message id for the English name of a value: `value-address-port` for `ADDRESS:PORT`.
pub(in crate::cli::args) fn value_id(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("value-{}", name.chars().map(plain).collect::<String>())
}

/// Names the value of an option in the person's language: `<ARQUIVO>` for `<FILE>`.
pub(in crate::cli::args) fn valued(argument: clap::Arg, words: &Words) -> clap::Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<String> = names
        .iter()
        .map(|name| words.find(&value_id(name), &[]).unwrap_or_else(|| name.to_string()))
        .collect();
    if names.is_empty() || !argument.get_action().takes_values() {
        argument
    } else {
        argument.value_names(names)
    }
}

#[cfg(test)]
mod tests {
    use super::super::translated::translated;
    use crate::cli::args::Cli;
    use clap::CommandFactory as _;
    use guarda_core::action::Language;

    fn help(line: &str, language: Language) -> String {
        let words = crate::wording::words(language);
        let command = translated(Cli::command(), words);
        command.try_get_matches_from(line.split(' ')).unwrap_err().to_string()
    }

    #[test]
    fn a_command_is_shown_as_it_is_written() {
        for (line, um, un) in [
            (
                "guarda status -h",
                "Uso: guarda status [OPÇÕES]\n",
                "Utilisation\u{a0}: guarda status [OPTIONS]\n",
            ),
            ("guarda check -h", "guarda check [OPÇÕES] [COMANDO]\n", "guarda check [OPTIONS] [COMMANDE]\n"),
            ("guarda approve -h", "guarda approve [OPÇÕES] <ID>\n", "guarda approve [OPTIONS] <ID>\n"),
            (
                "guarda config check -h",
                "guarda config check [OPÇÕES] [ARQUIVO]\n",
                "guarda config check [OPTIONS] [FICHIER]\n",
            ),
            ("guarda token add -h", "guarda token add <NOME>\n", "guarda token add <NOM>\n"),
            ("guarda session -h", "guarda session <COMANDO>\n", "guarda session <COMMANDE>\n"),
            (
                "guarda network -h",
                "Uso: guarda network [OPÇÕES]\n     guarda network <COMANDO>\n",
                "Utilisation\u{a0}: guarda network [OPTIONS]\n              guarda network <COMMANDE>\n",
            ),
            ("guarda corpus -h", "guarda corpus [OPÇÕES] <ARQUIVOS>...\n", "<FICHIERS>...\n"),
        ] {
            for (language, told) in [(Language::Portuguese, um), (Language::French, un)] {
                let help = help(line, language);
                assert!(help.contains(told), "{language}: {help}");
                let close = |line: &str| line.ends_with(':') && !line.ends_with("\u{a0}:");
                assert!(language != Language::French || !help.lines().any(close), "{help}");
            }
        }
    }

    /// The same words, apart from their names, as in clap's own line.
    #[test]
    fn the_line_has_the_parts_of_claps_own() {
        fn walk(command: &mut clap::Command, path: &str, inherited: bool) {
            let words = crate::wording::words(Language::English);
            command.build();
            let own = command.clone().bin_name(path).render_usage().to_string();
            let own: Vec<&str> = own.split_whitespace().skip(1).collect();
            let ours = super::usage(command, path, inherited, words);
            assert_eq!(ours.split_whitespace().collect::<Vec<_>>(), own, "{path}");
            for sub in
                command.get_subcommands_mut().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
            {
                walk(sub, &format!("{path} {}", sub.get_name().to_owned()), false);
            }
        }
        walk(&mut Cli::command(), "guarda", false);
    }

    #[test]
    fn the_value_of_every_option_has_a_name_in_every_language() {
        fn walk(command: &clap::Command, missing: &mut std::collections::BTreeSet<String>) {
            let valued =
                |argument: &&clap::Arg| !argument.is_hide_set() && argument.get_action().takes_values();
            for argument in command.get_arguments().filter(valued) {
                let names = argument.get_value_names().unwrap_or_default();
                missing.extend(names.iter().map(|name| super::value_id(name)));
            }
            for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
                walk(sub, missing);
            }
        }
        for language in [Language::Portuguese, Language::French] {
            let mut missing = std::collections::BTreeSet::new();
            walk(&Cli::command(), &mut missing);
            missing.retain(|id| crate::wording::words(language).find(id, &[]).is_none());
            assert!(missing.is_empty(), "{language}: {missing:?}");
        }
    }
}
