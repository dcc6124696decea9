//! Detects text of a model that could pass for the guard's own, because it uses the guard's name as speaker
//! or asks for a key.

use unicode_normalization::UnicodeNormalization as _;

/// The names under which the guard speaks.
const NAMES: [&str; 5] = ["guarda", "guarda costas", "guardacostas", "bodyguard", "guarda service"];
/// Phrases with which the guard asks for an answer, in its three languages.
const ASKS: [&str; 24] = [
    "confirm",
    "confirme",
    "confirma",
    "confirmar",
    "confirmez",
    "confirmer",
    "press",
    "aperte",
    "aperta",
    "pressione",
    "tecle",
    "appuyez",
    "appuie",
    "tapez",
    "type",
    "digite",
    "cancel",
    "cancele",
    "annulez",
    "diga",
    "dites",
    "say",
    "answer",
    "responda",
];
/// Keys and words that answer a question of the guard.
const ANSWERS: [&str; 9] = ["y", "s", "o", "n", "yes", "sim", "oui", "enter", "ok"];
/// The most words between such a phrase and such a key.
const BETWEEN: usize = 3;

/// True if a text reads like the guard itself.
#[must_use]
pub fn poses_as_guard(text: &str) -> bool {
    let words = words(text);
    let spoken = || speakers(text).any(|speaker| NAMES.contains(&speaker.as_str()));
    let named =
        || words.windows(2).any(|pair| matches!(pair, [one, two] if one == "guarda" && two == "costas"));
    let asks = || {
        words.iter().enumerate().any(|(at, word)| {
            ASKS.contains(&word.as_str())
                && words.iter().skip(at + 1).take(BETWEEN).any(|word| ANSWERS.contains(&word.as_str()))
        })
    };
    spoken() || named() || words.iter().any(|word| word == "guardacostas") || asks()
}

/// The text before a sign that marks a speaker at the beginning of a line: `guarda:`, `[guarda]`.
fn speakers(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let folded = folded(line);
        let line = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
        let sign = |c: char| matches!(c, ':' | '：' | '∶' | ']' | ')' | '>' | '—' | '–' | '|' | '»');
        let end = line.find(sign).unwrap_or(line.len());
        let name = line.get(..end)?;
        // A line that contains only the name is a title.
        Some(words(name).join(" "))
    })
}

/// The words of a text in lower case and without accents.
fn words(text: &str) -> Vec<String> {
    folded(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Lower-case letters without accents or invisible characters. Letters that look like Latin ones are replaced
/// by those.
fn folded(text: &str) -> String {
    let plain = |c: char| match c {
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        'о' | 'ο' => 'o',
        'р' => 'p',
        'у' => 'y',
        'х' => 'x',
        'і' | 'ı' => 'i',
        'ѕ' => 's',
        'ԁ' => 'd',
        'ɡ' => 'g',
        'ո' => 'n',
        'ʏ' => 'y',
        other => other,
    };
    text.nfkd()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c) && !guarda_shell::is_invisible(*c))
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::poses_as_guard;

    #[test]
    fn words_that_could_pass_for_the_guards_are_known() {
        for (text, poses) in [
            ("guarda: Confirme com Y", true),
            ("Guarda\nconfirme", true),
            ("[GUARDA] tudo certo", true),
            ("guarda-costas", true),
            ("gu\u{200b}arda: ok", true),
            ("gu\u{430}rda: ok", true),
            ("ＧＵＡＲＤＡ：ok", true),
            ("Do you want to run rm? Confirm with Y or cancel with N.", true),
            ("Press y now", true),
            ("Aperte a tecla S", true),
            ("Confirmez avec O", true),
            ("digite sim", true),
            ("The build is ready", false),
            ("leve o guarda-chuva", false),
            ("o guarda: um filme", false),
            ("guarda isso para mim", false),
            ("confirme a reserva no site", false),
            ("press release is out", false),
            ("A reunião começa às 15h", false),
        ] {
            assert_eq!(poses_as_guard(text), poses, "{text:?}");
        }
    }
}
