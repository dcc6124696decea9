//! Errors of a command line in the person's language. English errors are clap's own.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use guarda_core::action::Language;

use crate::wording::Words;

/// The error and the next step; `None` for help and version, which are no errors, and for an error without a
/// translation.
pub(in crate::cli::args) fn misused(error: &Error, command: &str, words: &Words) -> Option<String> {
    if words.language() == Language::English {
        return None;
    }
    let of = |kind: ContextKind| error.get(kind).map(text);
    let (given, option) = (of(ContextKind::InvalidValue), of(ContextKind::InvalidArg));
    let with = |id: &str, given: Option<String>| {
        let option = option.clone().unwrap_or_default();
        let told = [("given", given.unwrap_or_default().into()), ("option", option.into())];
        words.say(id, &told)
    };
    let what = match error.kind() {
        ErrorKind::InvalidSubcommand => with("usage-unknown-command", of(ContextKind::InvalidSubcommand)),
        ErrorKind::UnknownArgument if option.as_deref().is_some_and(|word| word.starts_with('-')) => {
            with("usage-unknown-option", option.clone())
        }
        ErrorKind::UnknownArgument => with("usage-unexpected", option.clone()),
        ErrorKind::InvalidValue if given.as_deref().is_none_or(str::is_empty) => with("usage-no-value", None),
        ErrorKind::InvalidValue => with("usage-value", given),
        // The parser gives its reason in English. The expected form is translated, found by the name of the value.
        ErrorKind::ValueValidation => match option.as_deref().and_then(|option| form(words, option)) {
            Some(form) => {
                let told = [
                    ("given", given.unwrap_or_default().into()),
                    ("option", option.clone().unwrap_or_default().into()),
                    ("why", form.into()),
                ];
                words.say("usage-value-why", &told)
            }
            None => with("usage-value", given),
        },
        ErrorKind::MissingRequiredArgument => with("usage-missing", option.clone()),
        ErrorKind::MissingSubcommand => words.say("usage-missing-command", &[]),
        ErrorKind::ArgumentConflict => match of(ContextKind::PriorArg) {
            Some(prior) if Some(&prior) != option.as_ref() => with("usage-conflict", Some(prior)),
            _ => with("usage-once", None),
        },
        ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => with("usage-many", None),
        ErrorKind::TooFewValues | ErrorKind::NoEquals => with("usage-no-value", None),
        ErrorKind::InvalidUtf8 => words.say("usage-text", &[]),
        _ => return None,
    };
    let mut page = what;
    if let Some(values) = of(ContextKind::ValidValue).filter(|values| !values.is_empty()) {
        page.push_str(&format!("\n  {}", words.say("usage-values", &[("values", values.into())])));
    }
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        if let Some(similar) = of(kind) {
            page.push_str(&format!("\n  {}", words.say("usage-similar", &[("given", similar.into())])));
        }
    }
    let help = format!("{command} --help");
    page.push_str(&format!("\n\n{}", words.say("usage-help", &[("command", help.into())])));
    Some(page)
}

/// The names of values whose form is explained.
const FORMS: &[&str] = &["minutes", "when", "client", "number", "rate", "volume", "seconds"];

/// What an option expects, found by the name of its value: `--lines <NUMBER>`, `[MINUTES]`.
fn form(words: &Words, option: &str) -> Option<String> {
    let shown = option.rsplit(['<', '[']).next()?.trim_end_matches(['>', ']', '.']);
    let named = |name: &&&str| words.find(&format!("value-{name}"), &[]).as_deref() == Some(shown);
    let name = FORMS.iter().find(named)?;
    words.find(&format!("usage-form-{name}"), &[])
}

/// The text of a value in a clap error.
fn text(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::StyledStrs(texts) => {
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        ContextValue::Number(number) => number.to_string(),
        ContextValue::Bool(_) | ContextValue::None => String::new(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::args::Cli;
    use clap::CommandFactory as _;
    use guarda_core::action::Language;

    #[test]
    fn an_error_is_told_in_the_persons_language() {
        let portuguese = crate::wording::words(Language::Portuguese);
        let french = crate::wording::words(Language::French);
        for (line, said, dit) in [
            (
                "guarda consol",
                "Não existe o comando consol.\n  Você quis dizer console?",
                "La commande consol n'existe pas.",
            ),
            (
                "guarda status --jsn",
                "Não existe a opção --jsn aqui.\n  Você quis dizer --json?",
                "L'option --jsn n'existe pas ici.",
            ),
            ("guarda status now", "now é uma palavra a mais.", "now est un mot de trop."),
            ("guarda approve", "Falta: <ID>", "Il manque : <ID>"),
            (
                "guarda completions fsh",
                "fsh não é um valor para <SHELL>.\n  Valores possíveis: bash",
                "fsh n'est pas une valeur de <SHELL>.",
            ),
            (
                "guarda audit tail -n x",
                "x não é um valor para --lines <NÚMERO>",
                "x n'est pas une valeur de --lines <NOMBRE>",
            ),
            (
                "guarda check ls --profile nope",
                "nope não é um valor para --profile <PERFIL>.\n  Valores possíveis: desktop,",
                "nope n'est pas une valeur de --profile <PROFIL>.",
            ),
            (
                "guarda speak --language xx a",
                "xx não é um valor para --language <IDIOMA>.\n  Valores possíveis: pt-BR, en, fr",
                "xx n'est pas une valeur de --language <LANGUE>.",
            ),
            (
                "guarda silence nope",
                "nope não é um valor para [MINUTOS]: minutos, de 1 a 1440, ou off",
                "nope n'est pas une valeur de [MINUTES] : des minutes",
            ),
            (
                "guarda audit tail --since nope",
                "nope não é um valor para --since <QUANDO>: escreva 30m,",
                "nope n'est pas une valeur de --since <QUAND> : écrivez 30m",
            ),
            (
                "guarda hook doctor nope",
                "nope não é um valor para <CLIENTE>: um destes: claude,",
                "nope n'est pas une valeur de <CLIENT> : l'un de ceux-ci",
            ),
            (
                "guarda speak --rate loud a",
                "loud não é um valor para --rate <VELOCIDADE>: um número de -100 a 100",
                "loud n'est pas une valeur de --rate <VITESSE> : un nombre",
            ),
            (
                "guarda setup keyboard --seconds 0",
                "0 não é um valor para --seconds <SEGUNDOS>: segundos, de 1 a 600",
                "0 n'est pas une valeur de --seconds <SECONDES> : des secondes",
            ),
            (
                "guarda audit tail -n",
                "--lines <NÚMERO> precisa de um valor.",
                "--lines <NOMBRE> demande une valeur.",
            ),
            (
                "guarda status --json --json",
                "--json só pode aparecer uma vez.",
                "--json ne peut figurer qu'une fois.",
            ),
            (
                "guarda audit export --json --csv",
                "--json e --csv não combinam.",
                "--json et --csv s'excluent.",
            ),
        ] {
            let told = |words| {
                let command = super::super::translated::translated(Cli::command(), words);
                let error = command.try_get_matches_from(line.split(' ')).unwrap_err();
                super::misused(&error, "guarda", words).unwrap_or_else(|| panic!("{line}: {error}"))
            };
            let (um, un) = (told(portuguese), told(french));
            assert!(um.starts_with(said), "{line}: {um}");
            assert!(un.starts_with(dit), "{line}: {un}");
            for english in [
                "error:",
                "tip:",
                "Usage",
                "For more",
                "unexpected",
                "required",
                "invalid",
                "number",
                "write",
            ] {
                assert!(!um.contains(english) && !un.contains(english), "{line}: {um} {un}");
            }
        }
        let help = Cli::command().try_get_matches_from(["guarda", "--help"]).unwrap_err();
        assert_eq!(super::misused(&help, "guarda", portuguese), None);
    }
}
