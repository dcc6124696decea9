use std::collections::BTreeMap;

use guarda_core::policy::Profile;
use proptest::prelude::*;

use super::*;

const HOME: &str = "/home/ana";

/// A home folder that exists in memory only: the paths that are there.
struct Made(BTreeSet<PathBuf>);

impl Made {
    fn of(below: &[&str]) -> Self {
        let paths = below.iter().map(|below| Path::new(HOME).join(below));
        Self(paths.flat_map(|path| path.ancestors().map(Path::to_owned).collect::<Vec<_>>()).collect())
    }

    fn view(&self, situation: &Situation, tree: &[&str], search_path: &[PathBuf]) -> View {
        let policy = Policy::builtin(Profile::Workspace).unwrap();
        let tree = tree.iter().map(|below| Path::new(HOME).join(below)).collect();
        let ground = Ground {
            home: HOME.into(),
            tree,
            kept: Vec::new(),
            search_path,
            claimed: vec![Path::new(HOME).join("mine/bin"), Path::new(HOME).join("w/bin")],
        };
        View::of(&policy, situation, &ground, &|path| self.0.contains(path).then(|| path.to_owned()))
    }
}

fn situation(cwd: &str, named: &[&str]) -> Situation {
    let named = named.iter().map(|below| Path::new(HOME).join(below).to_string_lossy().into_owned());
    let cwd = Path::new(HOME).join(cwd).to_string_lossy().trim_end_matches('/').to_owned();
    Situation { home: HOME.to_owned(), cwd, named: named.collect(), ..Situation::default() }
}

fn shown(view: &View) -> Vec<(String, Why)> {
    let below = |path: &Path| path.strip_prefix(HOME).unwrap().to_string_lossy().into_owned();
    view.opened.iter().map(|opened| (below(&opened.path), opened.why)).collect()
}

#[test]
fn a_line_sees_its_tree_what_it_names_and_what_tools_need() {
    let home = Made::of(&[
        "app/src/x",
        "app/.env",
        "other/.env",
        "notes.txt",
        ".ssh/id_rsa",
        ".cargo/registry/a",
        ".cargo/credentials.toml",
        ".gitconfig",
        ".cache/huggingface/token",
        ".local/bin/tool",
        "docs/a/b",
        "mine/bin/run",
        "v/bin/python",
        "v/lib/a",
        "v/.env",
        "w/bin/python",
        "w/pyvenv.cfg",
        "v/pyvenv.cfg",
        ".npmrc",
    ]);
    let tools = [
        (".cargo/registry", Why::Tool),
        (".gitconfig", Why::Tool),
        (".local/bin", Why::Tool),
        ("w/bin", Why::Program),
        ("w/pyvenv.cfg", Why::Program),
    ];
    for (cwd, named, more) in [
        ("app", &[][..], &[][..]),
        ("app/src", &["notes.txt"], &[("notes.txt", Why::Named)][..]),
        ("app", &["docs", "docs/a", "docs/none"], &[("docs", Why::Named)]),
        // Secrets are asked about.
        ("app", &[".ssh/id_rsa", ".ssh", ".npmrc", "other/.env", ".cargo/credentials.toml"], &[]),
    ] {
        let mut expected: Vec<(String, Why)> =
            tools.iter().chain(more).map(|(path, why)| ((*path).to_owned(), *why)).collect();
        expected.push(("app".to_owned(), Why::Folder));
        expected.sort();
        let mut seen = shown(&home.view(&situation(cwd, named), &["app"], &[]));
        seen.sort();
        assert_eq!(seen, expected, "{cwd} {named:?}");
    }
    let whole = |cwd, named: &[&str]| home.view(&situation(cwd, named), &[], &[]).whole;
    assert_eq!(whole("app", &[""]), Some(Why::Named));
    assert_eq!(whole("app", &["/home", "/"]), None);
    assert_eq!(whole("", &[]), Some(Why::Folder));
    assert_eq!(whole("app", &["other"]), None);
    let mut started = situation("app", &[]);
    started.programs =
        BTreeMap::from([("python".to_owned(), Program::Elsewhere(format!("{HOME}/v/bin/python")))]);
    let seen = shown(&home.view(&started, &["app"], &[Path::new(HOME).join("mine/bin")]));
    for (path, why) in [("v/bin", Why::Program), ("v/lib", Why::Program), ("mine/bin", Why::Path)] {
        assert!(seen.contains(&(path.to_owned(), why)), "{path}: {seen:?}");
    }
    assert!(!seen.iter().any(|(path, _)| path == "v" || path == "v/.env"), "{seen:?}");
}

#[test]
fn no_row_of_the_table_is_a_secret_or_holds_a_known_one() {
    let policy = Policy::builtin(Profile::Workspace).unwrap();
    let place = situation("", &[]);
    let kept: Vec<&Path> = guarda_core::policy::secrets::of_home().collect();
    for (_, path, _) in home_rows() {
        assert!(!policy.secret(&Path::new(HOME).join(path).to_string_lossy(), &place), "{path}");
        let holds = kept.iter().find(|secret| secret.starts_with(path) && secret.as_os_str() != "");
        assert_eq!(holds, None, "{path}");
    }
}

/// A path of a few known names, so that folders meet.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "app",
        "other",
        "src",
        "docs",
        ".env",
        ".ssh",
        "id_rsa",
        ".cargo",
        "registry",
        ".config",
        "notes.txt",
        ".cache",
        "token",
        ".npm",
        "_cacache",
        "node_modules",
        "bin",
        ".gnupg",
    ]);
    prop::collection::vec(name, 1..6).prop_map(|names| names.join("/"))
}

proptest! {
    #[test]
    fn nothing_is_open_that_is_neither_trusted_nor_named_nor_a_tools(
        there in prop::collection::vec(path(), 0..30),
        cwd in path(),
        tree in prop::option::of(path()),
        named in prop::collection::vec(path(), 0..4),
        roots in prop::collection::vec(path(), 0..2),
    ) {
        let there: Vec<&str> = there.iter().map(String::as_str).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let tree: Vec<&str> = tree.iter().map(String::as_str).collect();
        let policy = Policy::builtin(Profile::Workspace).unwrap();
        let mut situation = situation(&cwd, &named);
        situation.roots = roots.iter().map(|root| Path::new(HOME).join(root)).collect();
        let view = Made::of(&there).view(&situation, &tree, &[]);
        prop_assert_eq!(view.whole, None);
        let sources: Vec<PathBuf> = [&tree[..], &named, &[&cwd]].concat().iter().map(|below| Path::new(HOME).join(below))
            .chain(situation.roots.clone())
            .chain(home_rows().map(|(_, path, _)| Path::new(HOME).join(path)))
            .collect();
        // What is named and missing is made in the nearest folder that is there.
        let home = Path::new(HOME);
        let exists = |path: &Path| there.iter().any(|file| home.join(file).starts_with(path));
        let near = |path: PathBuf| path.ancestors().find(|above| exists(above)).map(Path::to_owned);
        let sources: Vec<PathBuf> = named.iter().filter_map(|name| near(home.join(name))).filter(|near| near != home)
            .chain(sources).collect();
        for file in &there {
            let path = home.join(file);
            let allowed = sources.iter().any(|source| path.starts_with(source));
            prop_assert!(allowed || !view.shows(&path), "{:?} {:?}", path, view);
        }
        for opened in &view.opened {
            prop_assert!(!policy.secret(&opened.path.to_string_lossy(), &situation), "{:?}", opened);
            prop_assert!(opened.path != Path::new(HOME));
        }
    }
}
