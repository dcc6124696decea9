use super::*;

fn edit(old: &str, new: &str, all: bool) -> Edit {
    Edit { old: old.to_owned(), new: new.to_owned(), all }
}

#[test]
fn what_fits_exactly_is_known_and_nothing_else() {
    for (old, content, new) in [
        ("a b a", Content::Edits(vec![edit("b", "c", false)]), Some("a c a")),
        ("a b a", Content::Edits(vec![edit("a", "c", false)]), None),
        ("a b a", Content::Edits(vec![edit("a", "c", true)]), Some("c b c")),
        ("a", Content::Edits(vec![edit("a", "b", false), edit("b", "c", false)]), Some("c")),
        ("a", Content::Edits(vec![edit("x", "y", true)]), None),
        ("", Content::Edits(vec![edit("", "new", false)]), Some("new")),
        ("a", Content::Edits(vec![edit("", "new", false)]), None),
        ("one\ntwo\n", Content::Patch("@@\n one\n-two\n+2\n".to_owned()), Some("one\n2\n")),
        ("one\ntwo", Content::Patch("-two\n+2".to_owned()), Some("one\n2\n")),
        ("x\na\nx\nb\n", Content::Patch("@@ a\n-x\n+y\n".to_owned()), Some("x\na\ny\nb\n")),
        ("x\nx\n", Content::Patch("@@\n-x\n+y\n*** End of File\n".to_owned()), Some("x\ny\n")),
        ("a\nb\nc\n", Content::Patch("@@\n-a\n+1\n@@\n-c\n+3\n".to_owned()), Some("1\nb\n3\n")),
        ("a\n", Content::Patch("@@\n+b\n".to_owned()), Some("a\nb\n")),
        // Hunks in another order do not fit.
        ("a\nb\n", Content::Patch("@@\n-b\n+2\n@@\n-a\n+1\n".to_owned()), None),
        ("a\n", Content::Patch("@@\n-b\n+2\n".to_owned()), None),
        ("a\n", Content::Patch("@@ nowhere\n-a\n+2\n".to_owned()), None),
        ("a\n", Content::Patch("?\n".to_owned()), None),
        ("a\n", Content::Unknown, None),
    ] {
        assert_eq!(content.applied(old).as_deref(), new, "{old:?} {content:?}");
    }
}

/// A tool's changes, as short lines.
fn told(root: &Path, planned: &[Planned]) -> Vec<String> {
    let effects = effects(&spots(planned, &root.join("home"), root));
    let lines = effects.changes.iter().map(|change| {
        let path = change.path.strip_prefix(root).unwrap().display().to_string();
        let size =
            |entry: &Option<Entry>| entry.as_ref().map_or("-".to_owned(), |entry| entry.size.to_string());
        let from = change.from.as_ref().map(|from| format!(" from {}", from.file_name().unwrap().display()));
        let (was, is) = (size(&change.was), size(&change.is));
        format!("{} {path} {was} {is}{}", change.kind().name(), from.unwrap_or_default())
    });
    lines.collect()
}

#[test]
fn what_a_tool_would_change_is_worked_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("home")).unwrap();
    std::fs::write(root.join("a"), "one\n").unwrap();
    std::fs::write(root.join("home/h"), "h").unwrap();
    std::os::unix::fs::symlink("a", root.join("link")).unwrap();
    let whole = |path: &str, text: &str| Planned::new(path, Content::Whole(text.to_owned()));
    let moved = |content| Planned { from: Some("a".to_owned()), ..Planned::new("b", content) };
    let long = "x".repeat(2 << 20);
    for (planned, lines) in [
        (vec![whole("a", "two")], vec!["changed a 4 3"]),
        (vec![whole("a", "one\n")], vec![]),
        (vec![whole("n/e/w", "two")], vec!["created n/e/w - 3"]),
        (vec![whole("~/h", "")], vec!["changed home/h 1 0"]),
        // A write through a link changes its target; a deletion removes the link.
        (vec![whole("link", "two")], vec!["changed a 4 3"]),
        (vec![Planned::new("link", Content::Gone)], vec!["deleted link 1 -"]),
        (vec![Planned::new("a", Content::Gone)], vec!["deleted a 4 -"]),
        (vec![Planned::new("none", Content::Gone)], vec![]),
        (vec![Planned::new("a", Content::Unknown)], vec!["changed a 4 4"]),
        (vec![moved(Content::Patch(String::new()))], vec!["deleted a 4 -", "renamed b - 4 from a"]),
        (vec![moved(Content::Patch("-one\n+two\nx".to_owned()))], vec!["deleted a 4 -", "created b - 0"]),
        (vec![moved(Content::Patch("-one\n+three\n".to_owned()))], vec!["deleted a 4 -", "created b - 6"]),
        (vec![whole("a", "1"), whole("a", "one\n")], vec![]),
        (vec![whole("a", &long)], vec!["changed a 4 2097152"]),
        (vec![whole("home", "x")], vec!["replaced home 0 0"]),
    ] {
        assert_eq!(told(&root, &planned), lines, "{:?}", planned.first().map(|one| &one.path));
    }
}

#[test]
fn what_changes_is_shown_by_lines() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a"), "one\ntwo\n").unwrap();
    let diff = |content| {
        let spots = spots(&[Planned::new("a", content)], &root, &root);
        effects(&spots).changes.pop().unwrap().diff.unwrap()
    };
    assert_eq!(diff(Content::Edits(vec![edit("one", "1", false)])), "@@ -1,2 +1,2 @@\n-one\n+1\n two\n");
    // All of a new file is shown.
    let new = spots(&[Planned::new("b", Content::Whole("new\n".to_owned()))], &root, &root);
    assert_eq!(effects(&new).changes[0].diff.as_deref(), Some("@@ -0,0 +1 @@\n+new\n"));
    // An edit that does not fit is shown as announced.
    assert_eq!(diff(Content::Edits(vec![edit("three", "3", false)])), "-three\n+3\n");
    assert_eq!(diff(Content::Patch("@@\n-three\n+3\n".to_owned())), "@@\n-three\n+3\n");
}
