use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;

use super::*;

#[test]
fn neither_the_home_nor_where_programs_live_can_be_trusted() {
    let made = tempfile::tempdir().unwrap();
    let home = made.path().canonicalize().unwrap();
    for folder in ["app/src", ".config/app", "go/bin", "go/src/x", "team", "own-group"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    std::fs::write(home.join("file"), "").unwrap();
    std::os::unix::fs::symlink(home.join(".config"), home.join("link")).unwrap();
    let mode = |folder: &str, mode: u32| {
        std::fs::set_permissions(home.join(folder), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("team", 0o777);
    let programs = ["/usr/bin", "relative"].map(PathBuf::from).into_iter().chain([home.join("go/bin")]);
    let above = home.parent().unwrap().to_owned();
    for (folder, expected) in [
        (home.join("app"), None),
        (home.join("app/src"), None),
        (home.join("app/.."), Some(NotTrustable::Home)),
        (above, Some(NotTrustable::Home)),
        (PathBuf::from("/"), Some(NotTrustable::Home)),
        (home.join(".config"), Some(NotTrustable::Hidden)),
        (home.join(".config/app"), Some(NotTrustable::Hidden)),
        (home.join("link/app"), Some(NotTrustable::Hidden)),
        (home.join("go"), Some(NotTrustable::OnPath)),
        (home.join("go/bin"), Some(NotTrustable::OnPath)),
        (home.join("go/src/x"), None),
        (PathBuf::from("/usr/share"), Some(NotTrustable::Shared)),
        (PathBuf::from("/usr"), Some(NotTrustable::OnPath)),
        (home.join("team"), Some(NotTrustable::Shared)),
        (home.join("file"), Some(NotTrustable::Missing)),
        (home.join("none"), Some(NotTrustable::Missing)),
    ] {
        let checked = check(&home, programs.clone(), &folder);
        assert_eq!(checked.as_ref().err().copied(), expected, "{folder:?}");
        if let Ok(found) = checked {
            assert_eq!(Path::new(&found.path), folder);
        }
    }
}

#[test]
fn another_folder_in_its_place_is_not_trusted() {
    let made = tempfile::tempdir().unwrap();
    let home = made.path().canonicalize().unwrap();
    let app = home.join("app");
    std::fs::create_dir(&app).unwrap();
    let Trustable { digest, .. } = check(&home, std::iter::empty(), &app).unwrap();
    let trust = Trust::default();
    let folder = TrustedFolder { digest, since: jiff::Timestamp::UNIX_EPOCH, channel: None };
    trust.add(app.clone(), folder);
    let standing = || trust.standing(None);
    assert_eq!(standing(), std::slice::from_ref(&app));
    // What changes in it makes no other folder of it.
    std::fs::write(app.join("a"), "").unwrap();
    assert_eq!(standing(), std::slice::from_ref(&app));
    let aside = home.join("aside");
    std::fs::rename(&app, &aside).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "gone");
    std::fs::create_dir(&app).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "another one");
    std::fs::remove_dir(&app).unwrap();
    std::os::unix::fs::symlink(&aside, &app).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "a link to it");
    std::fs::remove_file(&app).unwrap();
    std::fs::rename(&aside, &app).unwrap();
    assert_eq!(standing(), std::slice::from_ref(&app), "it came back");
    assert!(trust.remove(&app).is_some());
    assert_eq!(standing(), [] as [PathBuf; 0]);
}

#[test]
fn trust_for_a_session_is_of_that_session_and_ends() {
    let made = tempfile::tempdir().unwrap();
    let app = made.path().canonicalize().unwrap().join("app");
    std::fs::create_dir(&app).unwrap();
    let Trustable { digest, .. } = check(made.path(), std::iter::empty(), &app).unwrap();
    let trust = Trust::default();
    let give = |since| {
        let folder = TrustedFolder { digest: digest.clone(), since, channel: None };
        trust.add_for(Some("one"), app.clone(), folder);
    };
    let stands = |session| trust.standing(session) == std::slice::from_ref(&app);
    give(jiff::Timestamp::now());
    for (session, expected) in
        [(Some("one"), true), (Some("two"), false), (None, false), (Some("../one"), false)]
    {
        assert_eq!(stands(session), expected, "{session:?}");
    }
    let sessions: Vec<_> = trust.list().into_iter().map(|entry| entry.session).collect();
    assert_eq!(sessions, [Some("one".to_owned())], "it is not one of those that last");
    assert!(trust.remove(&app).is_some());
    assert!(!stands(Some("one")), "taken back");
    give(jiff::Timestamp::now() - LONGEST_SESSION);
    assert!(!stands(Some("one")), "an old session that is named again");
}

/// Folders of a home: a project, folders in it and beside it, hidden ones, one for programs, and one that others can write to.
const PLACES: [&str; 10] = [
    "app",
    "app/src",
    "app/src/deep",
    "apple",
    "work",
    "work/app",
    ".config",
    ".config/app",
    "go/bin",
    "team",
];

/// Sessions of callers.
const SESSIONS: [&str; 2] = ["one", "two"];

#[derive(Debug, Clone)]
enum Step {
    /// A person trusts a folder, for good or in one of these sessions, or says so no longer.
    Trust(usize, Option<usize>),
    Remove(usize),
    /// Somebody puts another folder in its place.
    Replace(usize),
    /// Two folders change places.
    Swap(usize, usize),
    /// A link to the other folder takes its place.
    Link(usize, usize),
    /// A file in it is written.
    Write(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES.len();
    prop_oneof![
        3 => (place(), prop::option::of(0..SESSIONS.len())).prop_map(|(place, session)| Step::Trust(place, session)),
        1 => place().prop_map(Step::Remove),
        2 => place().prop_map(Step::Replace),
        2 => (place(), place()).prop_map(|(one, other)| Step::Swap(one, other)),
        1 => (place(), place()).prop_map(|(one, other)| Step::Link(one, other)),
        1 => place().prop_map(Step::Write),
    ]
}

/// A home whose folders know which they are: each holds its number in a file, which goes where it goes.
struct Numbered {
    home: PathBuf,
    next: u32,
}

impl Numbered {
    fn make(&mut self, folder: &Path) {
        if let Some(above) = folder.parent().filter(|above| !above.exists()) {
            self.make(above);
        }
        if std::fs::create_dir(folder).is_ok() {
            self.next += 1;
            std::fs::write(folder.join("number"), self.next.to_string()).unwrap();
        }
    }

    /// The number of the folder at this path, if no link is on the way.
    fn number(&self, folder: &Path) -> Option<u32> {
        let linked = folder.ancestors().take_while(|above| *above != self.home).any(Path::is_symlink);
        let text = std::fs::read_to_string(folder.join("number")).ok().filter(|_| !linked)?;
        text.parse().ok()
    }

    fn step(&mut self, step: &Step) {
        let at = |place: &usize| self.home.join(PLACES[*place]);
        match step {
            Step::Replace(place) => {
                let place = at(place);
                drop(std::fs::remove_dir_all(&place).or_else(|_| std::fs::remove_file(&place)));
                self.make(&place);
            }
            Step::Swap(one, other) => {
                let (one, other, aside) = (at(one), at(other), self.home.join("aside"));
                if !one.starts_with(&other) && !other.starts_with(&one) && one.exists() && other.exists() {
                    std::fs::rename(&one, &aside).unwrap();
                    // A link on the way may lead into the one that went.
                    drop(std::fs::rename(&other, &one));
                    drop(std::fs::rename(&aside, &other).or_else(|_| std::fs::rename(&aside, &one)));
                    drop(std::fs::remove_dir_all(&aside));
                }
            }
            Step::Link(place, goal) => {
                let (place, goal) = (at(place), at(goal));
                if !goal.starts_with(&place) && !place.starts_with(&goal) {
                    drop(std::fs::remove_dir_all(&place).or_else(|_| std::fs::remove_file(&place)));
                    drop(std::os::unix::fs::symlink(goal, place));
                }
            }
            Step::Write(place) => drop(std::fs::write(at(place).join("file"), "x")),
            Step::Trust(..) | Step::Remove(_) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn only_the_very_folders_that_a_person_trusted_stand(steps in prop::collection::vec(step(), 1..40)) {
        let made = tempfile::tempdir().unwrap();
        let mut home = Numbered { home: made.path().canonicalize().unwrap(), next: 0 };
        for place in PLACES {
            let place = home.home.join(place);
            home.make(&place);
        }
        std::fs::set_permissions(home.home.join("team"), std::fs::Permissions::from_mode(0o777)).unwrap();
        let shared = home.number(&home.home.join("team"));
        let (trust, mut oracle) = (Trust::default(), BTreeMap::new());
        for step in steps {
            home.step(&step);
            match step {
                Step::Trust(place, session) => {
                    let named = home.home.join(PLACES[place]);
                    let programs = [home.home.join("go/bin")];
                    let Ok(Trustable { path, digest }) = check(&home.home, programs.into_iter(), &named) else {
                        // Nothing is refused that is a folder of its own, beside what is never trusted.
                        let started = home.home.join("go/bin").canonicalize().unwrap_or_default();
                        let meets = named.starts_with(&started) || started.starts_with(&named);
                        let never = PLACES[place].starts_with('.') || meets;
                        let own = home.number(&named).is_some_and(|number| Some(number) != shared);
                        prop_assert!(never || !own, "{:?}", named);
                        continue;
                    };
                    let path = PathBuf::from(path);
                    let below = path.strip_prefix(&home.home).unwrap().to_owned();
                    prop_assert!(!below.to_string_lossy().starts_with('.') && !below.starts_with("go/bin"), "{:?}", below);
                    let number = home.number(&path);
                    prop_assert!(number.is_some() && number != shared, "{:?}", below);
                    let since = jiff::Timestamp::now();
                    let folder = TrustedFolder { digest, since, channel: None };
                    oracle.insert((session, path.clone()), number);
                    match session {
                        Some(session) => trust.add_for(Some(SESSIONS[session]), path, folder),
                        None => drop(trust.add(path, folder)),
                    }
                }
                Step::Remove(place) => {
                    let path = home.home.join(PLACES[place]);
                    let known = oracle.keys().any(|(_, other)| *other == path);
                    prop_assert_eq!(trust.remove(&path).is_some(), known);
                    oracle.retain(|(_, other), _| *other != path);
                }
                _ => {}
            }
            for session in [None, Some(0), Some(1)] {
                let mine = |given: &Option<usize>| given.is_none() || *given == session;
                let standing: BTreeSet<PathBuf> = oracle
                    .iter()
                    .filter(|((given, path), number)| mine(given) && home.number(path) == **number)
                    .map(|((_, path), _)| path.clone())
                    .collect();
                let stands = trust.standing(session.map(|session| SESSIONS[session]));
                prop_assert_eq!(stands.into_iter().collect::<BTreeSet<_>>(), standing, "in {:?}", session);
            }
        }
    }
}
