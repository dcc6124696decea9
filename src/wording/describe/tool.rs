//! Describes the tools of coding agents' clients. The client runs the tool itself. The guard judges an equivalent
//! command, which is never run and never shown.

use crate::wording::describe::command;
use crate::wording::describe::names::{listed, place, spoken};
use crate::wording::plain::visible;
use crate::wording::words::Words;

/// A tool that a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The client's name for the tool.
    pub name: String,
    /// The kinds of work with their paths or addresses; empty if the tool is unknown.
    pub work: Vec<(ToolWork, Vec<String>)>,
}

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolWork {
    /// It reads files, or lists folders.
    Read,
    /// It searches through the files of folders.
    Searched,
    /// It looks for files by patterns of their names.
    Matched,
    /// It makes or changes files.
    Written,
    /// It deletes files.
    Deleted,
    /// It fetches a web address.
    Fetched,
}

impl ToolWork {
    /// The message that describes this work.
    fn effect(self) -> &'static str {
        match self {
            Self::Read => "effect-tool-read",
            Self::Searched => "effect-tool-search",
            Self::Matched => "effect-tool-match",
            Self::Written => "effect-write-file",
            Self::Deleted => "effect-delete",
            Self::Fetched => "effect-download",
        }
    }
}

impl ToolUse {
    /// What a yes allows the tool to do, as an infinitive: "write the file .bashrc in your home folder".
    #[must_use]
    pub fn effect(&self, words: &Words, home: &str, cwd: &str) -> String {
        let parts = self.work.iter().map(|(work, paths)| {
            let short: Vec<String> = paths.iter().map(|path| below(path, home, cwd)).collect();
            match work {
                ToolWork::Fetched => {
                    let hosts = short.iter().map(|address| spoken(&host(address)));
                    let hosts: Vec<String> = hosts.collect();
                    words.say(work.effect(), &[("name", listed(words, &hosts).into())])
                }
                // A pattern is not a path that could be split.
                ToolWork::Matched | ToolWork::Searched => {
                    let names: Vec<String> = short.iter().map(|path| place(words, path)).collect();
                    words.say(work.effect(), &[("name", listed(words, &names).into())])
                }
                ToolWork::Read | ToolWork::Written | ToolWork::Deleted => {
                    command::named(words, work.effect(), &short)
                }
            }
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            return words.say("effect-tool", &[("name", spoken(&self.name).into())]);
        }
        listed(words, &parts)
    }

    /// The paths or addresses in full, one per line; `None` if they are unknown.
    #[must_use]
    pub fn object(&self, home: &str, cwd: &str) -> Option<String> {
        let all = self.work.iter().flat_map(|(_, paths)| paths);
        let lines: Vec<String> = all.map(|path| visible(&below(path, home, cwd))).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// A path as a person writes it: starting with `~` below the home folder, or `.` for the working folder.
pub(crate) fn below(path: &str, home: &str, cwd: &str) -> String {
    let path = if path == "." && !cwd.is_empty() { cwd } else { path };
    if home.is_empty() || home == "/" {
        return path.to_owned();
    }
    match path.strip_prefix(home) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// The host of a web address, or the address if it has none.
fn host(address: &str) -> String {
    let parsed = url::Url::parse(address).ok();
    parsed.as_ref().and_then(|url| url.host_str()).unwrap_or(address).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::words;
    use guarda_core::action::Language;

    #[test]
    fn a_tool_is_told_by_what_it_does_and_not_as_a_command() {
        let paths = |list: &[&str]| list.iter().map(|&path| path.to_owned()).collect::<Vec<String>>();
        let many = paths(&["/home/ana/a", "/home/ana/b", "/home/ana/c", "/home/ana/d"]);
        for (work, pt, en, fr) in [
            (
                vec![(ToolWork::Written, paths(&["/home/ana/.bashrc"]))],
                "gravar o arquivo .bashrc na sua pasta pessoal",
                "write the file .bashrc in your home folder",
                "écrire le fichier .bashrc dans votre dossier personnel",
            ),
            (
                vec![(ToolWork::Read, paths(&["/home/ana/.ssh/id_rsa"]))],
                "ler id_rsa de .ssh",
                "read id_rsa from .ssh",
                "lire id_rsa de .ssh",
            ),
            (
                vec![(ToolWork::Read, many)],
                "ler 4 arquivos da sua pasta pessoal",
                "read 4 files from your home folder",
                "lire 4 fichiers de votre dossier personnel",
            ),
            (
                vec![(ToolWork::Searched, paths(&["."])), (ToolWork::Matched, paths(&["~/.ssh/*"]))],
                "procurar em work/web e procurar arquivos como .ssh/*",
                "search work/web and look for files like .ssh/*",
                "chercher dans work/web et chercher des fichiers comme .ssh/*",
            ),
            (
                vec![(ToolWork::Fetched, paths(&["https://example.org/a?b"]))],
                "acessar example.org pela rede",
                "reach example.org over the network",
                "accéder à example.org par le réseau",
            ),
            (vec![], "usar a ferramenta Lock", "use the tool Lock", "utiliser l'outil Lock"),
        ] {
            let tool = ToolUse { name: "Lock".to_owned(), work };
            for (language, told) in
                [(Language::Portuguese, pt), (Language::English, en), (Language::French, fr)]
            {
                assert_eq!(tool.effect(words(language), "/home/ana", "/home/ana/work/web"), told);
            }
        }
    }

    #[test]
    fn a_path_is_written_from_the_home_folder() {
        for (path, told) in [
            ("/home/ana/.bashrc", "~/.bashrc"),
            ("/home/ana", "~"),
            ("/home/anabel/x", "/home/anabel/x"),
            ("src/main.rs", "src/main.rs"),
            (".", "~/work"),
            ("/etc/passwd", "/etc/passwd"),
        ] {
            assert_eq!(below(path, "/home/ana", "/home/ana/work"), told);
        }
        assert_eq!(below("/home/ana/x", "", ""), "/home/ana/x");
        let tool = ToolUse {
            name: "Read".to_owned(),
            work: vec![(ToolWork::Read, vec!["/home/ana/a\u{202e}".to_owned(), "/b".to_owned()])],
        };
        assert_eq!(tool.object("/home/ana", "/").as_deref(), Some("~/a⟨U+202E⟩\n/b"));
    }
}
