//! Disguises of single words, and of a command as a list of words.

use super::chance::Chance;
use super::{Disguise, Sight};

type Mutator = (&'static str, fn(&mut Disguise, &mut Chance) -> bool);

/// Each says whether it could be applied.
const MUTATORS: &[Mutator] = &[
    ("single quotes", |disguise, chance| bend(disguise, chance, |word, _| format!("'{word}'"))),
    ("double quotes", |disguise, chance| bend(disguise, chance, |word, _| format!("\"{word}\""))),
    ("empty quotes", |disguise, chance| {
        bend(disguise, chance, |word, at| format!("{}''{}", &word[..at], &word[at..]))
    }),
    ("escape", |disguise, chance| {
        bend(disguise, chance, |word, at| format!("{}\\{}", &word[..at], &word[at..]))
    }),
    ("hexadecimal", |disguise, chance| {
        bend(disguise, chance, |word, _| {
            format!("$'{}'", word.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>())
        })
    }),
    ("octal", |disguise, chance| {
        bend(disguise, chance, |word, at| {
            let byte = word.as_bytes()[at];
            format!("{}$'\\{byte:03o}'{}", &word[..at], &word[at + 1..])
        })
    }),
    ("unicode escape", |disguise, chance| {
        bend(disguise, chance, |word, at| {
            let byte = word.as_bytes()[at];
            format!("{}$'\\u{byte:04x}'{}", &word[..at], &word[at + 1..])
        })
    }),
    ("variable", |disguise, chance| {
        let name = format!("{}{}", chance.pick(&["x", "cmd", "_a", "P"]), disguise.steps.len());
        let before = disguise.words.clone();
        let changed = bend(disguise, chance, |_, _| format!("${{{name}}}"));
        let value = before.iter().zip(&disguise.words).find(|(old, new)| old != new);
        let value = value.map(|(old, _)| old.clone()).unwrap_or_default();
        disguise.before.push_str(&if changed { format!("{name}={value}; ") } else { String::new() });
        changed
    }),
    ("two variables", |disguise, chance| {
        let step = disguise.steps.len();
        let before = disguise.words.clone();
        let mut cut = 0;
        let changed = bend(disguise, chance, |_, at| {
            cut = at;
            format!("$q{step}$w{step}")
        });
        if let Some((old, _)) = before.iter().zip(&disguise.words).find(|(old, new)| old != new) {
            disguise.before.push_str(&format!("q{step}={} w{step}={}; ", &old[..cut], &old[cut..]));
        }
        changed
    }),
    ("default value", |disguise, chance| {
        bend(disguise, chance, |word, _| format!("${{none_such_{:03}:-{word}}}", word.len()))
    }),
    ("line continuation", |disguise, chance| {
        bend(disguise, chance, |word, at| format!("{}\\\n{}", &word[..at], &word[at..]))
    }),
    ("absolute path", |disguise, chance| {
        let folder = chance.pick(&["/bin/", "/usr/bin/", "/usr/sbin/", "/sbin/"]);
        plain_program(disguise) && {
            disguise.words[0].insert_str(0, folder);
            true
        }
    }),
    ("crooked path", |disguise, chance| {
        let folder = chance.pick(&["/usr/../bin/", "//bin/", "/usr/./bin/", "/bin/../usr/bin/"]);
        plain_program(disguise) && {
            disguise.sight = Sight::Hidden;
            disguise.words[0].insert_str(0, folder);
            true
        }
    }),
    ("own file", |disguise, _| {
        plain_program(disguise) && {
            disguise.sight = Sight::Hidden;
            disguise.words[0].insert_str(0, "./");
            true
        }
    }),
    ("look-alike", |disguise, chance| {
        const PAIRS: [(char, char); 8] = [
            ('a', 'а'),
            ('c', 'с'),
            ('e', 'е'),
            ('o', 'о'),
            ('p', 'р'),
            ('m', 'ｍ'),
            ('d', 'ｄ'),
            ('s', 'ｓ'),
        ];
        let _ = chance;
        let word = &disguise.words[0];
        let Some(pair) = PAIRS.iter().find(|(plain, _)| word.contains(*plain)) else { return false };
        plain_program(disguise) && {
            disguise.sight = Sight::Hidden;
            disguise.words[0] = disguise.words[0].replacen(pair.0, &pair.1.to_string(), 1);
            true
        }
    }),
    ("invisible", |disguise, chance| {
        let hidden = chance.pick(&["\u{200b}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{ad}", "\u{202e}"]);
        disguise.sight = Sight::Hidden;
        bend(disguise, chance, |word, at| format!("{}{hidden}{}", &word[..at], &word[at..]))
    }),
    ("foreign blank", |disguise, chance| {
        let blank = chance.pick(&["\u{a0}", "\u{2003}", "\u{3000}", "\r", "\u{b}"]);
        disguise.words.len() > 1 && {
            disguise.sight = Sight::Hidden;
            let second = disguise.words.remove(1);
            disguise.words[0] = format!("{}{blank}{second}", disguise.words[0]);
            true
        }
    }),
    ("braces", |disguise, _| {
        disguise.words.len() > 1 && all_plain(disguise) && {
            disguise.words = vec![format!("{{{}}}", disguise.words.join(","))];
            true
        }
    }),
    ("IFS", |disguise, _| {
        disguise.words.len() > 1 && all_plain(disguise) && {
            disguise.words = vec![disguise.words.join("${IFS}")];
            true
        }
    }),
    ("split variable", |disguise, _| {
        disguise.words.len() > 1 && all_plain(disguise) && {
            disguise.before.push_str(&format!("all='{}'; ", disguise.words.join(" ")));
            disguise.words = vec!["$all".to_owned()];
            true
        }
    }),
    ("array", |disguise, _| {
        all_plain(disguise) && {
            disguise.before.push_str(&format!("arr=({}); ", disguise.words.join(" ")));
            disguise.words = vec!["\"${arr[@]}\"".to_owned()];
            true
        }
    }),
    ("positional", |disguise, _| {
        all_plain(disguise) && {
            disguise.sight = Sight::Hidden;
            disguise.before.push_str(&format!("set -- {}; ", disguise.words.join(" ")));
            disguise.words = vec!["\"$@\"".to_owned()];
            true
        }
    }),
    ("printed name", |disguise, chance| {
        let how = chance.below(3);
        disguise.sight = Sight::Hidden;
        bend(disguise, chance, |word, _| match how {
            0 => format!("$(printf %s {word})"),
            1 => format!("`echo {word}`"),
            _ => format!("$(rev <<< {})", word.chars().rev().collect::<String>()),
        })
    }),
    ("lower case", |disguise, chance| {
        let before = disguise.words.clone();
        disguise.sight = Sight::Hidden;
        let changed = bend(disguise, chance, |_, _| "${up,,}".to_owned());
        if let Some((old, _)) = before.iter().zip(&disguise.words).find(|(old, new)| old != new) {
            disguise.before.push_str(&format!("up={}; ", old.to_uppercase()));
        }
        changed
    }),
    ("tilde path", |disguise, chance| {
        let _ = chance;
        let home = "/home/ana";
        let Some(word) = disguise.words.iter_mut().find(|word| word.starts_with(home)) else { return false };
        *word = format!("~{}", &word[home.len()..]);
        true
    }),
    ("redirection first", |disguise, chance| {
        let target = chance.pick(&["</dev/null", ">/dev/null", "2>&1", "2>/dev/null"]);
        disguise.words.insert(0, target.to_owned());
        true
    }),
    ("assignment first", |disguise, _| {
        disguise.words.insert(0, "LC_ALL=C".to_owned());
        true
    }),
];

pub fn apply(disguise: &mut Disguise, chance: &mut Chance) {
    for _ in 0..4 {
        let (name, mutate) = MUTATORS[chance.below(MUTATORS.len())];
        let mut tried = disguise.clone();
        if mutate(&mut tried, chance) {
            *disguise = tried;
            disguise.steps.push(name);
            return;
        }
    }
}

/// Rewrites one plain word, most often the program's; the rewriting gets a place inside the word.
fn bend(disguise: &mut Disguise, chance: &mut Chance, with: impl FnOnce(&str, usize) -> String) -> bool {
    let index = if chance.once_in(2) { 0 } else { chance.below(disguise.words.len()) };
    let word = &disguise.words[index];
    // A word that is an assignment only as long as it is not quoted stays as it is.
    if !plain(word) || word.len() < 2 || index == 0 && word.contains('=') {
        return false;
    }
    let at = 1 + chance.below(word.len() - 1);
    disguise.words[index] = with(word, at);
    true
}

fn plain_program(disguise: &Disguise) -> bool {
    plain(&disguise.words[0]) && !disguise.words[0].contains(['/', '='])
}

/// A command of plain words, the first of which is the program's.
fn all_plain(disguise: &Disguise) -> bool {
    disguise.words.iter().all(|word| plain(word)) && !disguise.words[0].contains('=')
}

fn plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=+@".contains(&byte))
}
