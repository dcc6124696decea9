//! The user's folders for downloads, pictures and so on, as the desktop configures them (xdg-user-dirs).

use std::path::PathBuf;

use crate::devices::desktop::session::DesktopSession;

/// One of the user's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserDir {
    /// The content of the desktop.
    Desktop,
    /// Downloads.
    Downloads,
    /// Documents.
    Documents,
    /// Music.
    Music,
    /// Pictures.
    Pictures,
    /// Videos.
    Videos,
    /// Templates of new files.
    Templates,
    /// Files that others may read.
    Public,
}

impl UserDir {
    /// Its key in `user-dirs.dirs`, and its usual names in English, Portuguese and French.
    fn known(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Desktop => {
                ("XDG_DESKTOP_DIR", &["Desktop", "Área de Trabalho", "Área de trabalho", "Bureau"])
            }
            Self::Downloads => ("XDG_DOWNLOAD_DIR", &["Downloads", "Transferências", "Téléchargements"]),
            Self::Documents => ("XDG_DOCUMENTS_DIR", &["Documents", "Documentos"]),
            Self::Music => ("XDG_MUSIC_DIR", &["Music", "Músicas", "Música", "Musique"]),
            Self::Pictures => ("XDG_PICTURES_DIR", &["Pictures", "Imagens", "Images"]),
            Self::Videos => ("XDG_VIDEOS_DIR", &["Videos", "Vídeos", "Vidéos"]),
            Self::Templates => ("XDG_TEMPLATES_DIR", &["Templates", "Modelos", "Modèles"]),
            Self::Public => ("XDG_PUBLICSHARE_DIR", &["Public", "Público"]),
        }
    }
}

/// The path of this folder: from the desktop's configuration, or else by its usual name in the home folder.
#[must_use]
pub fn user_dir(session: &DesktopSession, dir: UserDir) -> Option<PathBuf> {
    let (key, usual) = dir.known();
    let home = session.home();
    let config = session.get("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let text = std::fs::read_to_string(config.join("user-dirs.dirs")).unwrap_or_default();
    let named = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix(key)?.strip_prefix('=')?.trim_matches('"');
        Some(match value.strip_prefix("$HOME") {
            Some(below) => home.join(below.trim_start_matches('/')),
            None => PathBuf::from(value),
        })
    });
    // A disabled folder is set to the home folder itself.
    let named = named.filter(|folder| *folder != home);
    let mut folders = named.into_iter().chain(usual.iter().map(|name| home.join(name)));
    folders.find(|folder| folder.is_absolute() && folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_where_the_desktop_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let session = DesktopSession::new([("HOME".to_owned(), home.to_str().unwrap().to_owned())]);
        let pictures = || user_dir(&session, UserDir::Pictures);
        assert_eq!(pictures(), None);
        std::fs::create_dir(home.join("Imagens")).unwrap();
        assert_eq!(pictures(), Some(home.join("Imagens")));
        std::fs::create_dir_all(home.join(".config")).unwrap();
        std::fs::create_dir_all(home.join("Fotos/Tela")).unwrap();
        let text = "# a comment\nXDG_MUSIC_DIR=\"$HOME/M\"\nXDG_PICTURES_DIR=\"$HOME/Fotos/Tela\"\nXDG_VIDEOS_DIR=\"$HOME/\"\n";
        std::fs::write(home.join(".config/user-dirs.dirs"), text).unwrap();
        assert_eq!(pictures(), Some(home.join("Fotos/Tela")));
        assert_eq!(user_dir(&session, UserDir::Music), None, "it is not there");
        assert_eq!(user_dir(&session, UserDir::Videos), None, "it was switched off");
    }
}
