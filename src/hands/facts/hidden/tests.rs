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

    /// The secrets for a line in this folder that names these ones.
    fn secrets(&mut self, cwd: &str, named: &[&str]) -> Vec<String> {
        let named = named.iter().map(|below| self.at(below)).collect();
        let (place, home) = (self.place(), self.folder.path().to_owned());
        let hidden = self.known.hidden(&place, (vec![self.at(cwd)], named, &home));
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
        "work/node_modules/a/.env",
        ".config/tool/credentials.json",
        "other/sub/deeper/and/deeper/.env",
    ]);
    let all = [
        ".config/tool/credentials.json",
        "other/sub/deeper/and/deeper/.env",
        "work/.env",
        "work/src/deep/id_ed25519",
    ];
    for (cwd, named) in
        [("work", vec![]), ("", vec![]), ("other", vec!["work"]), ("work/src", vec!["", "other", "work"])]
    {
        assert_eq!(home.secrets(cwd, &named), all, "{cwd} {named:?}");
    }
    home.put("work/src/deep/.netrc");
    assert!(home.secrets("work", &[]).contains(&"work/src/deep/.netrc".to_owned()));
    std::fs::remove_file(home.at("work/.env")).unwrap();
    assert!(!home.secrets("work", &[]).contains(&"work/.env".to_owned()));
    // Another folder in its place, with the old one's time.
    std::fs::create_dir(home.at("new")).unwrap();
    std::fs::write(home.at("new/.env"), "x").unwrap();
    std::fs::rename(home.at("work/src"), home.at("away")).unwrap();
    std::fs::rename(home.at("new"), home.at("work/src")).unwrap();
    assert!(home.secrets("work", &[]).contains(&"work/src/.env".to_owned()));
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
