//! Finds the application for a spoken name. The same name and applications always give the same answer.

use unicode_normalization::UnicodeNormalization as _;

use crate::devices::desktop::apps::Application;
use crate::devices::desktop::user_dirs::UserDir;

/// How a name matches an application; earlier variants are better matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It is the application's name in any language, or its identifier.
    Name,
    /// It is the last part of the identifier, or the program's name.
    Program,
    /// It is the generic name: `Web Browser`.
    Generic,
    /// It is one of its keywords.
    Keyword,
    /// Each of its words begins a word of the name.
    Part,
}

/// The best match among the applications that menus show, if there is one.
pub(in crate::hands) fn best<'a>(applications: &'a [Application], name: &str) -> Option<&'a Application> {
    let wanted = folded(name);
    // Paths and options are not names, whatever remains of them without punctuation.
    if wanted.is_empty() || name.starts_with(['-', '.']) || name.contains('/') {
        return None;
    }
    let shown = || applications.iter().filter(|application| application.shown);
    let search = |wanted: &str| {
        shown()
            .filter_map(|application| fit(application, wanted).map(|fit| (fit, application)))
            .min_by_key(|(fit, application)| (*fit, application.name().len(), application.id.clone()))
            .map(|(_, application)| application)
    };
    search(&wanted).or_else(|| search(without_article(&wanted)?))
}

fn fit(application: &Application, wanted: &str) -> Option<Fit> {
    let is = |text: &String| folded(text) == wanted;
    let last = application.id.rsplit('.').next().unwrap_or_default();
    if application.names.iter().any(is) || folded(&application.id) == wanted {
        Some(Fit::Name)
    } else if folded(last) == wanted
        || application.program().is_some_and(|program| folded(&program) == wanted)
    {
        Some(Fit::Program)
    } else if application.generic.iter().any(is) {
        Some(Fit::Generic)
    } else if application.keywords.iter().any(is) {
        Some(Fit::Keyword)
    } else if application.names.iter().any(|name| begins(&folded(name), wanted)) {
        Some(Fit::Part)
    } else {
        None
    }
}

/// True if every wanted word begins a word of the name: `chrome` matches `Google Chrome`, `libre writer` matches
/// `LibreOffice Writer`. A single letter matches nothing.
fn begins(name: &str, wanted: &str) -> bool {
    wanted.len() > 1 && wanted.split(' ').all(|word| name.split(' ').any(|other| other.starts_with(word)))
}

/// Text without accents, capitals and punctuation: letters, digits and single spaces.
pub(in crate::hands) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !unicode_normalization::char::is_combining_mark(c)) {
        if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The words after an article: `a calculadora`, `the browser`, `le navigateur`.
fn without_article(folded: &str) -> Option<&str> {
    let (first, rest) = folded.split_once(' ')?;
    let articles = ["o", "a", "os", "as", "um", "uma", "the", "an", "le", "la", "les", "l", "un", "une"];
    articles.contains(&first).then_some(rest)
}

/// A kind of application that people name by its purpose.
#[derive(Debug, Clone, Copy)]
pub(in crate::hands) struct Role {
    /// The media type whose default application it is, if there is such a type.
    pub(in crate::hands) kind: Option<&'static str>,
    /// The registered category it belongs to (desktop menu specification).
    pub(in crate::hands) category: &'static str,
}

const fn role_of(kind: Option<&'static str>, category: &'static str) -> Role {
    Role { kind, category }
}

/// Names of roles, folded, in the three languages of the guard.
const ROLES: &[(&[&str], Role)] = &[
    (
        &[
            "navegador",
            "navegador web",
            "navegador de internet",
            "internet",
            "browser",
            "web browser",
            "navigateur",
        ],
        role_of(Some("x-scheme-handler/https"), "WebBrowser"),
    ),
    (&["calculadora", "calculator", "calculatrice"], role_of(None, "Calculator")),
    (&["terminal", "console", "linha de comando", "command line"], role_of(None, "TerminalEmulator")),
    (
        &[
            "arquivos",
            "gerenciador de arquivos",
            "files",
            "file manager",
            "fichiers",
            "gestionnaire de fichiers",
        ],
        role_of(Some("inode/directory"), "FileManager"),
    ),
    (
        &["editor de texto", "bloco de notas", "text editor", "notepad", "editeur de texte", "bloc notes"],
        role_of(Some("text/plain"), "TextEditor"),
    ),
    (
        &["email", "e mail", "correio", "cliente de email", "mail", "courriel", "messagerie"],
        role_of(Some("x-scheme-handler/mailto"), "Email"),
    ),
    (
        &[
            "musica",
            "tocador de musica",
            "player de musica",
            "music",
            "music player",
            "musique",
            "lecteur de musique",
        ],
        role_of(Some("audio/mpeg"), "Music"),
    ),
    (
        &["video", "videos", "player de video", "video player", "lecteur video"],
        role_of(Some("video/mp4"), "Video"),
    ),
    (&["fotos", "imagens", "photos", "images", "pictures"], role_of(Some("image/jpeg"), "Viewer")),
    (&["calendario", "agenda", "calendar", "calendrier"], role_of(Some("text/calendar"), "Calendar")),
    (
        &["configuracoes", "ajustes", "preferencias", "settings", "preferences", "parametres", "reglages"],
        role_of(None, "Settings"),
    ),
    (
        &[
            "monitor do sistema",
            "gerenciador de tarefas",
            "system monitor",
            "task manager",
            "moniteur systeme",
        ],
        role_of(None, "Monitor"),
    ),
];

/// The role that a name means.
pub(in crate::hands) fn role(name: &str) -> Option<Role> {
    let folded = folded(name);
    let find = |wanted: &str| ROLES.iter().find(|(names, _)| names.contains(&wanted)).map(|(_, role)| *role);
    find(&folded).or_else(|| find(without_article(&folded)?))
}

/// Names of the user's folders, folded, in the three languages of the guard.
const FOLDERS: &[(&[&str], UserDir)] = &[
    (&["desktop", "area de trabalho", "bureau"], UserDir::Desktop),
    (
        &["downloads", "download", "baixados", "transferencias", "telechargements", "telechargement"],
        UserDir::Downloads,
    ),
    (&["documents", "documentos"], UserDir::Documents),
    (&["music", "musica", "musicas", "musique", "musiques"], UserDir::Music),
    (&["pictures", "photos", "images", "imagens", "fotos"], UserDir::Pictures),
    (&["videos", "video", "filmes", "movies", "films"], UserDir::Videos),
    (&["templates", "modelos", "modeles"], UserDir::Templates),
    (&["public", "publico", "publica"], UserDir::Public),
];

/// Words that may surround the name of a folder: "a pasta de downloads", "my music folder", "mes images".
const AROUND: &[&str] = &[
    "o",
    "a",
    "os",
    "as",
    "meu",
    "minha",
    "meus",
    "minhas",
    "pasta",
    "de",
    "do",
    "da",
    "dos",
    "das",
    "the",
    "my",
    "folder",
    "directory",
    "le",
    "la",
    "les",
    "l",
    "mon",
    "ma",
    "mes",
    "dossier",
    "des",
    "du",
    "d",
];

/// The user's folder for a name; a path is not a name.
pub(in crate::hands) fn folder(name: &str) -> Option<UserDir> {
    if name.contains('/') || name.starts_with(['~', '.', '-']) {
        return None;
    }
    let folded = folded(name);
    let find = |wanted: &str| FOLDERS.iter().find(|(names, _)| names.contains(&wanted)).map(|(_, dir)| *dir);
    let words: Vec<&str> = folded.split(' ').collect();
    let first = words.iter().position(|word| !AROUND.contains(word)).unwrap_or(words.len());
    let last = words.iter().rposition(|word| !AROUND.contains(word)).map_or(0, |last| last + 1);
    let core = words.get(first..last).unwrap_or_default().join(" ");
    find(&folded).or_else(|| find(&core))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_capitals_and_signs_do_not_matter() {
        for (text, expected) in [
            ("Calculadora do Guardião", "calculadora do guardiao"),
            ("  GIMP—2.10 ", "gimp 2 10"),
            ("Éditeur", "editeur"),
            ("--help", "help"),
            ("", ""),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn every_role_is_written_folded() {
        for (names, _) in ROLES {
            for name in *names {
                assert_eq!(folded(name), *name);
            }
        }
        assert_eq!(role("o Navegador").map(|role| role.category), Some("WebBrowser"));
        assert_eq!(role("Éditeur de texte").map(|role| role.category), Some("TextEditor"));
        assert!(role("firefox").is_none());
    }

    #[test]
    fn folders_have_their_names_in_three_languages() {
        for (names, _) in FOLDERS {
            for name in *names {
                assert_eq!(folded(name), *name);
            }
        }
        for (name, dir) in [
            ("downloads", Some(UserDir::Downloads)),
            ("os Downloads", Some(UserDir::Downloads)),
            ("a pasta de downloads", Some(UserDir::Downloads)),
            ("Área de Trabalho", Some(UserDir::Desktop)),
            ("my pictures", Some(UserDir::Pictures)),
            ("the music folder", Some(UserDir::Music)),
            ("mes images", Some(UserDir::Pictures)),
            ("le dossier des téléchargements", Some(UserDir::Downloads)),
            ("minhas imagens", Some(UserDir::Pictures)),
            ("~/downloads", None),
            ("a/downloads", None),
            ("a pasta", None),
            ("downloads antigos", None),
        ] {
            assert_eq!(folder(name), dir, "{name}");
        }
    }
}
