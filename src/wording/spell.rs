//! Spells a command aloud on request. The question itself says what the command does.

use crate::wording::words::Words;

/// Signs that have a name, with the name's message key.
const SIGNS: [(char, &str); 32] = [
    ('/', "slash"),
    ('\\', "backslash"),
    ('-', "dash"),
    ('_', "underscore"),
    ('.', "dot"),
    (',', "comma"),
    (':', "colon"),
    (';', "semicolon"),
    ('*', "star"),
    ('?', "question"),
    ('!', "exclamation"),
    ('|', "pipe"),
    ('&', "and"),
    ('>', "greater"),
    ('<', "less"),
    ('$', "dollar"),
    ('~', "tilde"),
    ('#', "hash"),
    ('@', "at"),
    ('%', "percent"),
    ('^', "caret"),
    ('+', "plus"),
    ('=', "equals"),
    ('"', "quote"),
    ('\'', "apostrophe"),
    ('`', "backtick"),
    ('(', "open"),
    (')', "close"),
    ('[', "open-square"),
    (']', "close-square"),
    ('{', "open-curly"),
    ('}', "close-curly"),
];
/// The longest text to spell, in characters. The screen shows the rest.
const LONGEST: usize = 150;

/// The text with its signs by name. Words stay words. Capital letters and unnamed characters are announced.
#[must_use]
pub fn spell(words: &Words, text: &str) -> String {
    let mut spelled = String::new();
    let mut part = |text: &str, apart: &str| {
        if !spelled.is_empty() {
            spelled.push_str(apart);
        }
        spelled.push_str(text);
    };
    let mut word = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            part(&std::mem::take(&mut word), " ");
        }
        match SIGNS.iter().find(|(sign, _)| *sign == c) {
            Some((_, name)) => {
                part(&words.say("sign", &[("sign", (*name).into()), ("code", "".into())]), " ")
            }
            None if c == ' ' => part("", ","),
            None => {
                let code = format!("{:X}", u32::from(c));
                part(&words.say("sign", &[("sign", "other".into()), ("code", code.into())]), " ");
            }
        }
    }
    if !word.is_empty() {
        part(&word, " ");
    }
    let text = spelled.split_whitespace().collect::<Vec<_>>().join(" ");
    words.say("spell", &[("text", text.into())])
}

#[cfg(test)]
mod tests {
    use crate::wording::words::words;
    use guarda_core::action::Language;

    #[test]
    fn signs_have_names_in_every_language() {
        for (language, spelled) in [
            (Language::English, "The command, sign by sign: rm, dash rf, slash tmp slash a dot b"),
            (Language::Portuguese, "O comando, sinal por sinal: rm, hífen rf, barra tmp barra a ponto b"),
            (
                Language::French,
                "La commande, signe par signe : rm, tiret rf, barre oblique tmp barre oblique a point b",
            ),
        ] {
            assert_eq!(super::spell(words(language), "rm -rf /tmp/a.b"), spelled);
            let named: std::collections::BTreeSet<String> = super::SIGNS
                .iter()
                .map(|(_, name)| {
                    words(language).say("sign", &[("sign", (*name).into()), ("code", "".into())])
                })
                .collect();
            assert_eq!(named.len(), super::SIGNS.len(), "{language}: each has a name of its own");
            assert!(super::spell(words(language), "\u{202e}").contains("202E"));
        }
    }
}
