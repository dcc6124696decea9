use super::class::Alone;
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
    let secret = Atlas::read(["/etc/shadow ~/.ssh/** **/.env **/.env.* !**/.env.example **/*.pem"]).unwrap();
    let has = |pieces: &[Piece]| {
        Place::of(&word(pieces), 0, Some("/home/ana/p"), "/home/ana")
            .is_some_and(|place| !secret.has(&place, "/home/ana").is_none())
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
    let system = Atlas::read(["/ /etc /usr /home ~"]).unwrap();
    for (pieces, whole) in [
        (vec![Piece::Text("/".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Text("/e".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Text("/etc/".into()), Piece::Glob("*".into())], true),
        (vec![Piece::Home], true),
        (vec![Piece::Text("/tmp/".into()), Piece::Glob("*".into())], false),
        (vec![Piece::Text("/usr/x".into())], false),
    ] {
        let place = Place::of(&word(&pieces), 0, Some("/home/ana/p"), "/home/ana").unwrap();
        assert_eq!(!system.has_whole(&place, "/home/ana").is_none(), whole, "{place:?}");
    }
}

#[test]
fn the_home_of_another_is_not_ones_own() {
    let secret = Atlas::read(["^/root/** **/.ssh/**"]).unwrap();
    for (path, home, is_secret) in [
        ("/root/notes.txt", "/home/ana", true),
        ("/root/notes.txt", "", true),
        ("/root/notes.txt", "/root", false),
        ("/root/.ssh/id", "/root", true),
        ("/root/other/notes.txt", "/root/ana", true),
        ("/root/ana/notes.txt", "/root/ana", false),
    ] {
        let place = Place::from_text(path, None, home).unwrap();
        assert_eq!(!secret.has(&place, home).is_none(), is_secret, "{path}, {home}");
    }
}

/// A class without the index: every pattern is compared by itself.
struct Plain<'a> {
    members: Vec<Alone<'a>>,
    spared: Vec<Alone<'a>>,
}

impl<'a> Plain<'a> {
    fn read(text: &'a str) -> Self {
        let (spared, members): (Vec<&str>, Vec<&str>) =
            text.split_ascii_whitespace().partition(|pattern| pattern.starts_with('!'));
        let alone = |pattern: &&'a str| Alone::new(pattern.trim_start_matches('!'));
        Self { members: members.iter().map(alone).collect(), spared: spared.iter().map(alone).collect() }
    }

    fn has(&self, place: &Place, home: &str) -> bool {
        let mine = parts(&place.path);
        let hazy = |part: &&str| part.contains(UNKNOWN);
        if let (Some(first), Some(last)) = (mine.iter().position(hazy), mine.iter().rposition(hazy)) {
            return self.members.iter().any(|pattern| {
                pattern.fits(&mine[..first], home, false)
                    || pattern.begins("/") && pattern.fits(&mine, home, false)
                    || pattern.begins("**") && pattern.fits(&mine[last..], home, false)
            });
        }
        let any = |patterns: &[Alone<'_>]| patterns.iter().any(|pattern| pattern.fits(&mine, home, false));
        any(&self.members) && (place.exact().is_none() || !any(&self.spared))
    }

    fn has_whole(&self, place: &Place, home: &str) -> bool {
        let mine = parts(&place.path);
        let any = |mine: &[&str]| self.members.iter().any(|pattern| pattern.fits(mine, home, true));
        let inside = || mine.split_last().is_some_and(|(last, folder)| is_any_name(last) && any(folder));
        !place.has_unknown() && (any(&mine) || inside())
    }
}

#[test]
fn the_index_finds_what_each_pattern_finds_by_itself() {
    let table: crate::policy::rules::table::Table =
        crate::policy::rules::table::read(include_str!("../catalogue/places.toml")).unwrap();
    let mut layers = crate::policy::rules::packed_rules::Layers::default();
    layers.lay(table, "built-in");
    let classes = layers.places().unwrap();
    let atlas = Atlas::read(classes.values().map(String::as_str)).unwrap();
    let plain: Vec<Plain<'_>> = classes.values().map(|text| Plain::read(text)).collect();
    let mut lines: Vec<String> = [
        include_str!("../../../../benches/lines.txt"),
        include_str!("../../tests/mutations/commands.toml"),
        include_str!("../../tests/rules/redteam.toml"),
        include_str!("../../tests/rules/floor.toml"),
    ]
    .iter()
    .flat_map(|text| text.lines().map(str::to_owned))
    .collect();
    // Every pattern as a word of its own, whole and with its end cut off, so that each is met.
    for pattern in classes.values().flat_map(|text| text.split_ascii_whitespace()) {
        let path = pattern.trim_start_matches(['!', '^']).replace("**", "any");
        lines.push(format!("cat {path} {path}* \"{path}\" $x/{path}"));
    }
    if let Ok(folder) = std::env::var("GUARDA_CORPORA") {
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
            let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            lines.extend(rows.filter_map(|row| Some(row.get("cmd")?.as_str()?.to_owned())));
        }
    }
    let (mut places, mut found) = (0, 0);
    let mut seen = std::collections::HashSet::new();
    for line in &lines {
        let Ok(script) = guarda_shell::read(line, guarda_shell::script::Dialect::Bash) else { continue };
        for word in script.runs().iter().flat_map(|run| &run.words) {
            for (cwd, home) in [("/home/ana/p", "/home/ana"), ("/etc", "/root")] {
                let near = Place::of(word, 0, Some(cwd), home);
                for place in near
                    .into_iter()
                    .chain(raw_below(word, 0, home).and_then(|raw| Place::below_unknown(&raw)))
                {
                    if !seen.insert((place.path.clone(), home)) {
                        continue;
                    }
                    places += 1;
                    let both = atlas.has_both(&place, home);
                    assert_eq!(both, (atlas.has(&place, home), atlas.has_whole(&place, home)), "{place:?}");
                    for (at, (name, plain)) in classes.keys().zip(&plain).enumerate() {
                        let class = Kinds::numbered(at).unwrap();
                        let plain = (plain.has(&place, home), plain.has_whole(&place, home));
                        assert_eq!(
                            (both.0.any(class), both.1.any(class)),
                            plain,
                            "{name}: {place:?}, {home}"
                        );
                        found += usize::from(plain.0);
                    }
                }
            }
        }
    }
    assert!(places > 5_000 && found > 2_000, "{places} places, {found} in a class");
}
