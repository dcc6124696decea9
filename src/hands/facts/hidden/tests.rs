use proptest::prelude::*;

use crate::hands::facts::hidden::*;
use guarda_core::policy::Profile;

struct Home {
    folder: tempfile::TempDir,
    known: Known,
}

impl Home {
    fn with(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = Arc::new(Policy::builtin(Profile::Workspace).unwrap());
        let home = Self { folder, known: Known { policy, folders: HashMap::new() } };
        files.iter().for_each(|file| home.put(file));
        home
    }

    fn at(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn put(&self, file: &str) {
        std::fs::create_dir_all(self.at(file).parent().unwrap()).unwrap();
        std::fs::write(self.at(file), "x").unwrap();
    }

    fn place(&self) -> Situation {
        Situation { home: self.folder.path().to_string_lossy().into_owned(), ..Situation::default() }
    }

    /// The secrets where these folders are open, or the whole home folder.
    fn secrets(&mut self, open: &[&str], whole: bool) -> Vec<String> {
        let roots = open.iter().map(|below| self.at(below)).collect();
        let (place, home) = (self.place(), self.folder.path().to_owned());
        let hidden = self.known.hidden(&place, roots, whole.then(|| (home.clone(), Why::Named)));
        assert_eq!(hidden.closed, [] as [PathBuf; 0]);
        hidden
            .secrets
            .iter()
            .map(|path| path.strip_prefix(&home).unwrap().to_str().unwrap().to_owned())
            .collect()
    }

    /// What a search of so many folders finds and closes, after a folder that was searched for its own sake.
    fn within(&mut self, mut left: usize, done: &[&str]) -> [Vec<String>; 2] {
        let done: Vec<PathBuf> = done.iter().map(|below| self.at(below)).collect();
        let (place, home, mut hidden) = (self.place(), self.folder.path().to_owned(), Hidden::default());
        self.known.search(&home, &place, &done, &mut left, &mut hidden);
        let Hidden { mut secrets, mut closed } = hidden;
        [&mut secrets, &mut closed].map(|paths| {
            paths.sort_unstable();
            paths.iter().map(|path| path.strip_prefix(&home).unwrap().to_str().unwrap().to_owned()).collect()
        })
    }
}

#[test]
fn secrets_are_found_at_any_depth_when_they_come_and_forgotten_when_they_go() {
    let mut home = Home::with(&[
        "work/.env",
        "work/README",
        "work/src/deep/id_ed25519",
        ".config/tool/credentials.json",
        "other/sub/deeper/and/deeper/.env",
    ]);
    let of_work = ["work/.env", "work/src/deep/id_ed25519"];
    let of_other = ["other/sub/deeper/and/deeper/.env"];
    let all = [&[".config/tool/credentials.json"][..], &of_other, &of_work].concat();
    for (open, whole, expected) in [
        (&["work"][..], false, of_work.to_vec()),
        (&["work", "other"], false, [&of_other[..], &of_work].concat()),
        (&["work/src"], false, vec!["work/src/deep/id_ed25519"]),
        (&[], false, vec![]),
        (&[], true, all.clone()),
        (&["work/src", "other"], true, all.clone()),
    ] {
        assert_eq!(home.secrets(open, whole), expected, "{open:?} {whole}");
    }
    home.put("work/src/deep/.netrc");
    assert!(home.secrets(&["work"], false).contains(&"work/src/deep/.netrc".to_owned()));
    std::fs::remove_file(home.at("work/.env")).unwrap();
    assert!(!home.secrets(&["work"], false).contains(&"work/.env".to_owned()));
    // Another folder in its place, with the old one's time.
    std::fs::create_dir(home.at("new")).unwrap();
    std::fs::write(home.at("new/.env"), "x").unwrap();
    std::fs::rename(home.at("work/src"), home.at("away")).unwrap();
    std::fs::rename(home.at("new"), home.at("work/src")).unwrap();
    assert!(home.secrets(&["work"], false).contains(&"work/src/.env".to_owned()));
}

#[test]
fn what_lies_beside_is_not_looked_at() {
    let files: Vec<String> = (0..200).map(|number| format!("beside{number}/deep/.env")).collect();
    let mut home = Home::with(&files.iter().map(String::as_str).chain(["work/a/.env"]).collect::<Vec<_>>());
    assert_eq!(home.secrets(&["work"], false), ["work/a/.env"]);
    let mut looked: Vec<&PathBuf> = home.known.folders.keys().collect();
    looked.sort_unstable();
    assert_eq!(looked, [&home.at("work"), &home.at("work/a")]);
}

#[test]
fn no_folder_is_skipped_and_packages_keep_their_sources() {
    for folder in GENERATED {
        for depth in 0..=5 {
            let deep = format!("work/{folder}{}", "/d".repeat(depth));
            let keys =
                [".env", ".npmrc", "id_rsa", "credentials.json", "token", "server.key", ".aws/credentials"];
            let mut home =
                Home::with(&keys.map(|key| format!("{deep}/{key}")).each_ref().map(String::as_str));
            let found = home.secrets(&["work"], false);
            for key in keys {
                let path = format!("{deep}/{key}");
                let hidden = found.iter().any(|found| Path::new(&path).starts_with(found));
                assert!(hidden, "{path}: {found:?}");
            }
        }
        let names = [
            "identity/index.js",
            "a/access_token.py",
            "a/api-key.d.ts",
            "secrets/mod.rs",
            "certifi/cacert.pem",
        ];
        let mut home =
            Home::with(&names.map(|name| format!("work/{folder}/{name}")).each_ref().map(String::as_str));
        assert_eq!(home.secrets(&["work"], false), [] as [&str; 0], "{folder}");
    }
    let mut home = Home::with(&["work/.git/refs/heads/fix/token", "work/.git/logs/refs/heads/x.key"]);
    assert_eq!(home.secrets(&["work"], false), [] as [&str; 0], "branches");
}

#[test]
fn what_was_not_searched_is_closed() {
    let mut home = Home::with(&["a/.env", "a/b/.env", "a/b/c/.env", "d/e/.env", "d/f/g"]);
    for left in 0..=7 {
        let [secrets, closed] = home.within(left, &[]);
        for secret in ["a/.env", "a/b/.env", "a/b/c/.env", "d/e/.env"] {
            let held = closed.iter().any(|folder| Path::new(secret).starts_with(folder));
            assert!(held != secrets.contains(&secret.to_owned()), "{left}: {secret} {secrets:?} {closed:?}");
        }
    }
    assert_eq!(home.within(7, &[])[1], [] as [&str; 0]);
    // The way to a folder that was searched for its own sake stays open, whatever else is closed.
    let [secrets, closed] = home.within(0, &["a/b/c"]);
    assert_eq!(
        (secrets.as_slice(), closed.as_slice()),
        (&["a/.env".into(), "a/b/.env".into()][..], &["d".into()][..])
    );
}

#[test]
fn many_folders_are_closed_from_above() {
    let files: Vec<String> = (0..300).map(|number| format!("big/{}/{number}/x", number / 100)).collect();
    let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
    files.push("small/.env");
    let mut home = Home::with(&files);
    let [secrets, closed] = home.within(10, &["big/2/250"]);
    assert_eq!(secrets, ["small/.env"]);
    assert!(
        closed.len() < 103
            && closed.contains(&"big/0".to_owned())
            && closed.contains(&"big/2/299".to_owned()),
        "{closed:?}"
    );
    assert!(!closed.iter().any(|folder| Path::new("big/2/250").starts_with(folder)), "{closed:?}");
}

/// A path of names that folders share: of projects, of packages and caches, and of keys.
fn path() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec![
        "app",
        "app",
        "other",
        "src",
        "node_modules",
        "target",
        ".cache",
        ".git",
        "vendor",
        ".venv",
        "d",
        "packages",
    ]);
    let name =
        prop::sample::select([&KEYS[..], &["notes.txt", "main.rs", "index.js", "env", "key.txt"]].concat());
    (prop::collection::vec(folder, 0..6), name)
        .prop_map(|(folders, name)| [&folders[..], &[name]].concat().join("/"))
}

/// File names that mark a file as secret wherever it lies.
const KEYS: [&str; 10] = [
    ".env",
    ".env.production",
    "id_rsa",
    "id_ed25519",
    ".npmrc",
    ".netrc",
    "server.key",
    "credentials.json",
    "token",
    ".git-credentials",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// Every file with keys in what is open is hidden or closed, nothing else of it is, and what lies beside changes nothing.
    #[test]
    fn no_key_in_what_is_open_can_be_read_whatever_lies_beside(
        files in prop::collection::vec(path(), 1..40),
        open in prop::collection::vec(prop::sample::select(vec!["app", "app/src", "other", "packages", "app/node_modules"]), 0..3),
        whole in any::<bool>(),
        beside in prop_oneof![4 => 0..4, 1 => Just(300)],
    ) {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        // No file can lie in a file.
        let inside = |file: &str| files.iter().any(|other| *other != file && Path::new(file).starts_with(other));
        let files: Vec<&str> = files.iter().copied().filter(|file| !inside(file)).collect();
        let mut home = Home::with(&files);
        let found = home.secrets(&open, whole);
        for number in 0..beside {
            home.put(&format!("beside{number}/.env"));
        }
        let again: Vec<String> = home.secrets(&open, whole);
        let again: Vec<String> = again.into_iter().filter(|path| !path.starts_with("beside")).collect();
        prop_assert_eq!(&found, &again);
        for file in files {
            let shown = whole || open.iter().any(|open| Path::new(file).starts_with(open));
            let key = KEYS.iter().any(|key| Path::new(file).ends_with(key));
            let hidden = found.iter().any(|path| Path::new(file).starts_with(path));
            prop_assert_eq!(hidden, shown && key, "{} {:?} {:?} {}", file, found, open, whole);
        }
    }
}
