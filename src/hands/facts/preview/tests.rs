use crate::hands::facts::preview::*;
use guarda_shell::script::Dialect;
use std::os::unix::fs::symlink;

/// The paths that a command would touch, as short lines: `deleted 3f 2d 60 a,b`.
fn told(root: &Path, line: &str) -> Vec<String> {
    let script = guarda_shell::read(line, Dialect::Bash);
    let action = Action::RunCommand { text: line.to_owned(), script };
    let preview = preview(&action, &root.join("home"), root);
    let short = |path: &str| path.replace(&format!("{}/", root.display()), "");
    let mut lines: Vec<String> = preview
        .groups
        .iter()
        .map(|group| {
            let census = &group.census;
            let items: Vec<String> = group.items.iter().map(|item| short(&item.path)).collect();
            format!(
                "{} {}f {}d {}b {}",
                group.fate.name(),
                census.files,
                census.folders,
                census.bytes,
                items.join(",")
            )
        })
        .collect();
    lines.extend(preview.missing.iter().map(|path| format!("missing {}", short(path))));
    lines.extend(preview.open.then(|| "open".to_owned()));
    lines
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("build/deep")).unwrap();
    std::fs::create_dir_all(root.join("home")).unwrap();
    for (name, size) in
        [("a.txt", 1), ("b.txt", 2), ("build/o1", 10), ("build/deep/o2", 20), ("home/note", 100)]
    {
        std::fs::write(root.join(name), vec![b'x'; size]).unwrap();
    }
    symlink("build", root.join("link")).unwrap();
    (folder, root)
}

#[test]
fn what_a_command_touches_is_found() {
    let (_folder, root) = tree();
    for (line, lines) in [
        ("rm a.txt", vec!["deleted 1f 0d 1b a.txt"]),
        ("rm -rf build", vec!["deleted 2f 2d 30b build"]),
        // Without -r, a folder is not touched.
        ("rm build a.txt", vec!["deleted 1f 0d 1b a.txt"]),
        ("rm *.txt", vec!["deleted 2f 0d 3b a.txt,b.txt"]),
        ("rm -- *.txt a.txt", vec!["deleted 2f 0d 3b a.txt,b.txt"]),
        ("rm ~/note", vec!["deleted 1f 0d 100b home/note"]),
        ("rm nothing", vec!["missing nothing"]),
        // A deletion removes the link, not its target.
        ("rm -r link", vec!["deleted 0f 0d 0b link"]),
        ("chmod -R go-w link", vec!["attributes 2f 2d 30b link"]),
        ("chmod 600 a.txt", vec!["attributes 1f 0d 1b a.txt"]),
        ("chmod -x a.txt", vec!["attributes 1f 0d 1b a.txt"]),
        ("cd build && rm *", vec!["deleted 1f 0d 10b build/o1"]),
        ("cd build; rm -r deep", vec!["deleted 1f 1d 20b build/deep"]),
        ("cd $X; rm a.txt", vec!["open"]),
        ("sudo rm -r build/deep", vec!["deleted 1f 1d 20b build/deep"]),
        ("mv a.txt b.txt", vec!["overwritten 1f 0d 2b b.txt", "moved 1f 0d 1b a.txt"]),
        ("mv a.txt new.txt", vec!["moved 1f 0d 1b a.txt", "made 0f 0d 0b new.txt"]),
        ("cp a.txt build", vec!["made 0f 0d 0b build/a.txt", "read 1f 0d 1b a.txt"]),
        ("cp -r build home", vec!["made 0f 0d 0b home/build", "read 2f 2d 30b build"]),
        ("echo x > a.txt", vec!["overwritten 1f 0d 1b a.txt"]),
        ("echo x >> a.txt 2> /dev/null", vec!["changed 1f 0d 1b a.txt"]),
        ("echo x > new.txt", vec!["made 0f 0d 0b new.txt"]),
        ("cat a.txt | tee b.txt", vec!["overwritten 1f 0d 2b b.txt", "read 1f 0d 1b a.txt"]),
        ("grep -r x build", vec!["read 2f 2d 30b build"]),
        ("dd if=a.txt of=b.txt", vec!["overwritten 1f 0d 2b b.txt", "read 1f 0d 1b a.txt"]),
        ("find build -name o1 -delete", vec!["deleted 2f 2d 30b build", "open"]),
        ("mkdir new build", vec!["made 0f 0d 0b new", "named 0f 1d 0b build"]),
        ("frobnicate --all build word", vec!["named 2f 2d 30b build", "open"]),
        ("rm $X", vec!["open"]),
        ("ls | xargs rm", vec!["open"]),
        ("rm [ab].txt", vec!["open"]),
        ("ssh host rm a.txt", vec!["open"]),
        ("if then", vec!["open"]),
        ("echo hello", vec![]),
    ] {
        assert_eq!(told(&root, line), lines, "{line}");
    }
}

#[test]
fn files_are_told_as_the_command_for_them() {
    let (_folder, root) = tree();
    let act = |operation| preview(&Action::File(operation), &root, &root);
    let gone = act(FileOperation::Delete("~/build".to_owned()));
    assert_eq!((gone.groups[0].fate, gone.groups[0].census.files), (Fate::Deleted, 2));
    let moved = act(FileOperation::Move { from: "a.txt".to_owned(), to: "b.txt".to_owned() });
    assert_eq!(
        moved.groups.iter().map(|group| group.fate).collect::<Vec<_>>(),
        [Fate::Overwritten, Fate::Moved]
    );
    assert!(preview(&Action::Lock, &root, &root).is_empty());
}

#[test]
fn no_command_takes_more_than_its_fuel() {
    let (_folder, root) = tree();
    let many = root.join("many");
    for outer in 0..60 {
        let inner = many.join(format!("d{outer}"));
        std::fs::create_dir_all(&inner).unwrap();
        for file in 0..60 {
            std::fs::write(inner.join(format!("f{file}")), "").unwrap();
        }
    }
    let script = guarda_shell::read("rm -r many many/*/* $(x)", Dialect::Bash).unwrap();
    let mut gathering = Gathering { fuel: Fuel(500), ..Gathering::new(&root) };
    gathering.script(&script, &root);
    assert_eq!(gathering.fuel, Fuel(0));
    let told = gathering.told();
    assert!(told.open && told.groups[0].census.unfinished, "{told:?}");
    assert!(told.groups[0].items.len() <= TOLD);
}

proptest::proptest! {
    #[test]
    fn any_command_can_be_looked_at(line in "[a-z$*?~/ .'|&;<>(){}-]{0,60}") {
        let folder = tempfile::tempdir().unwrap();
        let script = guarda_shell::read(&line, Dialect::Bash);
        let action = Action::RunCommand { text: line, script };
        // A separate folder: `/` and `~` may be named, and are only counted.
        let mut gathering = Gathering { fuel: Fuel(200), ..Gathering::new(folder.path()) };
        if let Action::RunCommand { script: Ok(script), .. } = &action {
            gathering.script(script, folder.path());
        }
        proptest::prop_assert!(gathering.told().groups.iter().all(|group| group.items.len() <= TOLD));
    }
}
