//! What counts as changed, on generated trees.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::hands::HandsConfig;
use crate::hands::facts::freeze::*;
use crate::hands::facts::look;

fn frozen(folder: &Path, text: &str) -> Situation {
    let config = HandsConfig {
        home: folder.to_owned(),
        ..HandsConfig::of_session(crate::devices::desktop::session::DesktopSession::default())
    };
    let request = guarda_core::action::Request {
        action: Some("RUN_COMMAND".to_owned()),
        target: Some(text.to_owned().into()),
        cwd: folder.to_str().map(str::to_owned),
        ..guarda_core::action::Request::default()
    };
    let proposal = Proposal::parse(request).unwrap();
    let situation = look::look(&config, &proposal, false, true).unwrap();
    freeze(&proposal, situation).unwrap()
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["a/b/c/f", "a/b/g", "a/h", "other/b/c/f", "x.sh", "s/run.py", "s/mod.py"] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "text").unwrap();
    }
    (folder, root)
}

/// Every path that a name means is the same folder, file or link, or it has changed; other files, and the content of a
/// named file, do not matter.
#[test]
fn whatever_stands_on_the_way_has_to_stay() {
    let places = ["a", "a/b", "a/b/c", "a/b/c/f", "a/b/g", "a/h", "other", "other/b/c/f", "a/b/c/new"];
    type Deed = fn(&Path);
    let deeds: [(&str, Deed); 5] = [
        ("another in its place", |path| {
            let aside = path.with_extension("aside");
            let folder = path.is_dir();
            let _ = fs::rename(path, &aside);
            if folder { fs::create_dir(path).unwrap() } else { fs::write(path, "text").unwrap() }
        }),
        ("a link to the old in its place", |path| {
            let aside = path.with_extension("aside");
            let _ = fs::rename(path, &aside);
            symlink(&aside, path).unwrap();
        }),
        ("gone", |path| {
            let _ = fs::rename(path, path.with_extension("aside"));
        }),
        ("away and back", |path| {
            let aside = path.with_extension("aside");
            if fs::rename(path, &aside).is_ok() {
                fs::rename(&aside, path).unwrap();
            }
        }),
        ("written", |path| {
            if path.is_dir() {
                fs::write(path.join("more"), "").unwrap()
            } else if path.exists() {
                fs::write(path, "other").unwrap()
            }
        }),
    ];
    for named in ["a/b/c/f", "a/b/g", "a/b/c/new", "a/b/c/f a/h"] {
        for place in places {
            for (what, deed) in &deeds {
                let (_folder, root) = tree();
                let situation = frozen(&root, &format!("rm -rf {named}"));
                assert_eq!(changed(&situation, &BTreeSet::new()), None, "{named}");
                let existed = root.join(place).exists();
                deed(&root.join(place));
                let on_the_way = named.split(' ').any(|named| Path::new(named).starts_with(place));
                let exchanged = match *what {
                    "another in its place" | "a link to the old in its place" => true,
                    "gone" => existed,
                    _ => false,
                };
                let told = changed(&situation, &BTreeSet::new());
                assert_eq!(told.is_some(), on_the_way && exchanged, "{named}: {place} {what}: {told:?}");
                let own = BTreeSet::from([root.join(place)]);
                let own = changed(&situation, &own);
                assert!(own.is_none() || place != named, "{named}: {place} {what}: {own:?}");
            }
        }
    }
}

#[test]
fn what_is_watched_for_which_line() {
    let (_folder, root) = tree();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::write(root.join("wt.txt"), "").unwrap();
    for (line, watched, listings) in [
        ("rm -rf a", vec![], 0),
        ("rm -rf *", vec![], 1),
        ("cat x.sh | sh", vec!["x.sh"], 2),
        ("cat x.sh", vec![], 0),
        ("python3 s/run.py", vec!["s/mod.py", "s/run.py"], 4),
        ("python3 -c 'import x' s/run.py", vec!["s/mod.py", "s/run.py"], 8),
        ("awk -f x.sh", vec!["x.sh"], 0),
        ("echo 'x.sh other' | xargs -n1 sh", vec!["x.sh"], 2),
        ("for f in x.sh; do sh $f; done", vec!["x.sh"], 2),
        ("if then x.sh 'unclosed", vec!["x.sh"], 0),
    ] {
        let situation = frozen(&root, line);
        let stamps: Vec<_> =
            situation.stamps.keys().filter_map(|path| Path::new(path).strip_prefix(&root).ok()).collect();
        let seen = situation.frozen.as_ref().unwrap();
        let watched: Vec<_> = watched.into_iter().map(Path::new).collect();
        assert_eq!((stamps, seen.listings.len()), (watched, listings), "{line}");
    }
}

/// Folders that cannot be watched as a whole are reported; work that would take too long is refused.
#[test]
fn there_are_bounds() {
    let (_folder, root) = tree();
    for number in 0..600 {
        fs::write(root.join(format!("s/m{number}.py")), "").unwrap();
    }
    let partly = |line: &str| frozen(&root, line).frozen.unwrap().partly;
    for (line, told) in [
        ("python3 s/run.py", true),
        ("python3 x.py", true),
        ("rm s/*.py", false),
        ("rm $X/*.py", true),
        ("shopt -s globstar; rm **", true),
        ("find s -exec sh {} ';'", true),
        ("rm 'unclosed", true),
        ("rm -rf a", false),
    ] {
        assert_eq!(partly(line), told, "{line}");
    }
    let situation = frozen(&root, "rm -f a");
    let request = guarda_core::action::Request {
        action: Some("RUN_COMMAND".to_owned()),
        target: Some("sh s/*.py".to_owned().into()),
        ..guarda_core::action::Request::default()
    };
    let proposal = Proposal::parse(request).unwrap();
    assert_eq!(freeze(&proposal, situation), Err(LookError::TooMuch));
}
