//! Work on files.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use guarda::hands::HandsConfig;
use guarda_core::output::Ended;
use serde_json::json;

use super::act::{act, act_with, stdout, why};
use crate::common::machine::Machine;

fn operation(operation: &str, target: &str, destination: Option<&str>) -> serde_json::Value {
    json!({"action": "file_op", "target": target, "params": {"operation": operation, "destination": destination}})
}

#[tokio::test]
async fn a_life_of_files() {
    let machine = Machine::new();
    let home = machine.home();
    std::fs::write(home.join("a"), "one").unwrap();
    std::fs::set_permissions(home.join("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
    for (step, done) in [
        (operation("mkdir", "Pasta", None), true),
        (operation("mkdir", "Pasta", None), false),
        (operation("mkdir", "no/such/parent", None), false),
        (operation("copy", "~/a", Some("Pasta")), true),
        (operation("copy", "a", Some("Pasta/b")), true),
        (operation("copy", "a", Some("Pasta/b")), false),
        (operation("copy", "Pasta", Some("Cópia")), true),
        (operation("copy", "Pasta", Some("Pasta/inside")), false),
        (operation("move", "Cópia/b", Some("c")), true),
        (operation("move", "c", Some("a")), false),
        (operation("move", "Cópia", Some("Pasta")), true),
        (operation("move", "Pasta", Some("Pasta/Cópia")), false),
        (operation("delete", "c", None), true),
        (operation("delete", "c", None), false),
        (operation("copy", "gone", Some("x")), false),
        (operation("move", "gone", Some("x")), false),
    ] {
        let output = act(&machine, step.clone()).await;
        assert_eq!(output.ended == Ended::Finished, done, "{step}: {:?}", output.ended);
        assert!(done || !why(&output).is_empty());
    }
    let output = act(&machine, operation("list", "~/Pasta", None)).await;
    assert_eq!(stdout(&output), "Cópia/\na\nb\n");
    assert_eq!(std::fs::read_to_string(home.join("Pasta/Cópia/a")).unwrap(), "one");
    assert_eq!(std::fs::metadata(home.join("Pasta/b")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(act(&machine, operation("delete", "Pasta", None)).await.ended, Ended::Finished);
    assert!(!home.join("Pasta").exists() && home.join("a").exists());
}

#[tokio::test]
async fn links_are_not_followed_out() {
    let machine = Machine::new();
    let home = machine.home();
    let outside = machine.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("keep"), "kept").unwrap();
    std::fs::create_dir(home.join("tree")).unwrap();
    symlink(&outside, home.join("tree/link")).unwrap();
    symlink(&outside, home.join("direct")).unwrap();
    symlink("/no/such/goal", home.join("dangling")).unwrap();
    // Copied as a link, not as what it leads to.
    assert_eq!(act(&machine, operation("copy", "tree", Some("copy"))).await.ended, Ended::Finished);
    assert!(home.join("copy/link").is_symlink());
    for target in ["tree", "copy", "direct", "dangling"] {
        let output = act(&machine, operation("delete", target, None)).await;
        assert_eq!(output.ended, Ended::Finished, "{target}: {}", why(&output));
        assert!(!home.join(target).is_symlink());
    }
    assert_eq!(std::fs::read_to_string(outside.join("keep")).unwrap(), "kept");
}

#[tokio::test]
async fn a_folder_that_became_a_link_since_is_left_alone() {
    let machine = Machine::new();
    let home = machine.home();
    let outside = machine.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("keep"), "kept").unwrap();
    for step in [
        operation("delete", "work/keep", None),
        operation("copy", "work/keep", Some("stolen")),
        operation("move", "work/keep", Some("stolen")),
        operation("copy", "own", Some("work/keep2")),
        operation("mkdir", "work/new", None),
    ] {
        std::fs::create_dir(home.join("work")).unwrap();
        std::fs::write(home.join("work/keep"), "mine").unwrap();
        std::fs::write(home.join("own"), "mine").unwrap();
        let config = HandsConfig::of_session(machine.session());
        let output = act_with(&config, &machine, step.clone(), |_| {
            std::fs::remove_dir_all(home.join("work")).unwrap();
            symlink(&outside, home.join("work")).unwrap();
        })
        .await;
        assert!(matches!(output.ended, Ended::Changed(_)), "{step}: {:?}", output.ended);
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "{step}");
        assert!(!home.join("stolen").exists());
        std::fs::remove_file(home.join("work")).unwrap();
    }
    assert_eq!(std::fs::read_to_string(outside.join("keep")).unwrap(), "kept");
}
