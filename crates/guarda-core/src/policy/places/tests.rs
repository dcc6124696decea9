use super::*;
use guarda_shell::script::Span;

fn word(pieces: &[Piece]) -> Word {
    Word { pieces: pieces.to_vec(), span: Span::default() }
}

fn place(text: &str) -> Place {
    Place::from_text(text, Some("/home/ana/p"), "/home/ana").unwrap()
}

#[test]
fn paths_are_made_plain() {
    for (text, path) in [
        ("/", "/"),
        ("/.", "/"),
        ("//etc/../usr/./bin/", "/usr/bin"),
        ("..", "/home/ana"),
        ("../../..", "/"),
        ("../../../../..", "/"),
        ("x/y", "/home/ana/p/x/y"),
        ("~/a", "/home/ana/a"),
    ] {
        assert_eq!(place(text).exact(), Some(path), "{text}");
    }
}

#[test]
fn patterns_find_what_the_shell_would() {
    let secret = Class::read("/etc/shadow ~/.ssh/** **/.env **/.env.* !**/.env.example **/*.pem");
    let has = |pieces: &[Piece]| {
        Place::of(&word(pieces), 0, Some("/home/ana/p"), "/home/ana")
            .is_some_and(|place| secret.has(&place, "/home/ana"))
    };
    let text = |text: &str| Piece::Text(text.to_owned());
    let glob = |text: &str| Piece::Glob(text.to_owned());
    assert!(has(&[text("/etc/sh"), glob("*"), text("w")]));
    assert!(has(&[text("/e"), glob("?"), text("c/shad"), glob("[a-z]"), text("w")]));
    assert!(has(&[Piece::Home, text("/.ssh/"), glob("*")]));
    assert!(has(&[text(".e"), glob("*")]));
    assert!(has(&[text("a/"), glob("*"), text(".pem")]));
    assert!(!has(&[glob("*")]));
    assert!(!has(&[text(".env.example")]));
    assert!(!has(&[glob("*"), text(".txt")]));
    assert!(!has(&[Piece::Unknown(guarda_shell::script::UnknownCause::Arithmetic)]));
}

#[test]
fn a_whole_folder_is_the_folder_or_all_in_it() {
    let system = Class::read("/ /etc /usr /home ~");
    for (pieces, whole) in [
        (vec![Piece::Text("/".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Text("/e".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Text("/etc/".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Home], true),
        (vec![Piece::Text("/tmp/".into()), Piece::Glob("*".into())], false),
        (vec![Piece::Text("/usr/x".into())], false),
    ] {
        let place = Place::of(&word(&pieces), 0, Some("/home/ana/p"), "/home/ana").unwrap();
        assert_eq!(system.has_whole(&place, "/home/ana"), whole, "{place:?}");
    }
}

#[test]
fn the_home_of_another_is_not_ones_own() {
    let secret = Class::read("^/root/** **/.ssh/**");
    for (path, home, is_secret) in [
        ("/root/notes.txt", "/home/ana", true),
        ("/root/notes.txt", "", true),
        ("/root/notes.txt", "/root", false),
        ("/root/.ssh/id", "/root", true),
        ("/root/other/notes.txt", "/root/ana", true),
        ("/root/ana/notes.txt", "/root/ana", false),
    ] {
        let place = Place::from_text(path, None, home).unwrap();
        assert_eq!(secret.has(&place, home), is_secret, "{path}, {home}");
    }
}
