//! Folders and files that somebody else owns, or that are of a group of which the user is only a member.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use guarda_sandbox::stage::{Budget, NotCommitted, Stages};
use uuid::Uuid;

use crate::ground::{config, run};

/// An ordinary user who is a member of one more group.
const USER: &str = "54321";
const GROUP: &str = "54322";

/// A folder that everybody may enter, as the administrator or somebody else prepared it, with a state folder.
struct Place {
    folder: PathBuf,
    state: tempfile::TempDir,
}

/// Prepares a folder as root by this script, and runs the calling test again as an ordinary user. Without root, only what an
/// ordinary user can prepare is tried.
fn place(name: &str, script: &str) -> Option<Place> {
    if let Some(folder) = std::env::var_os("OWNERS_PLACE") {
        return Some(Place { folder: folder.into(), state: state() });
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can prepare folders of others");
        return None;
    }
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let place = folder.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let script = format!("set -e; umask 022; {script}");
    let made = Command::new("bash").args(["-c", &script]).current_dir(&place).status().unwrap();
    assert!(made.success());
    let status = Command::new("setpriv")
        .args(["--reuid", USER, "--regid", USER, "--groups", GROUP, "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("OWNERS_PLACE", &place)
        .env("HOME", "/nonexistent")
        .status()
        .unwrap();
    assert!(status.success(), "{name}");
    None
}

fn state() -> tempfile::TempDir {
    let state = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(state.path(), PermissionsExt::from_mode(0o700)).unwrap();
    state
}

/// The names, owners, groups and modes of a folder, with the texts of its files.
fn listed(folder: &Path) -> Vec<String> {
    let script = "find . -printf '%p %U:%G %m %n ' \\( -type f -exec sh -c 'cat \"$1\" 2>&1 | tr \"\\n\" \" \"' x {} \\; -o -true \\) -printf '\\n' | sort";
    let output = Command::new("bash").args(["-c", script]).current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

impl Place {
    fn stages(&self) -> Stages {
        Stages::open(config(self.state.path())).unwrap()
    }

    /// Runs a script in the stage, and compares with what it must leave; then undoes it. Returns what was refused.
    fn tried(&self, script: &str, wanted: &[&str]) -> Vec<String> {
        let stages = self.stages();
        let before = listed(&self.folder);
        let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&self.folder)).unwrap();
        run(&stage, script);
        let effects = stage.effects(Budget::default()).unwrap();
        let id = stage.id();
        let committed = stage.commit().unwrap_or_else(|error| panic!("{script}: {error}"));
        let after = listed(&self.folder);
        for line in wanted {
            assert!(after.iter().any(|one| one.starts_with(line)), "{script}: {line}\n{}", after.join("\n"));
        }
        assert_eq!(stages.recover(), [], "{script}");
        if committed.names > 0 {
            stages.undo(id).unwrap_or_else(|error| panic!("{script}: {error}"));
        }
        assert_eq!(before, listed(&self.folder), "undone: {script}");
        effects
            .refused
            .iter()
            .map(|path| path.strip_prefix(&self.folder).unwrap().display().to_string())
            .collect()
    }

    /// What a run left of itself.
    fn is_clean(&self) {
        let stages = self.stages();
        stages.sweep(u64::MAX).unwrap();
        let left: Vec<_> = std::fs::read_dir(self.state.path().join("stages")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn in_a_sticky_folder_of_somebody_else_everybody_has_his_own_files() {
    let script = "echo theirs > theirs; mkdir -m 755 room; mkdir -m 700 shut; echo x > shut/x; chmod 1777 .; echo mine > mine; chown 54321:54321 mine";
    let name = "owners::in_a_sticky_folder_of_somebody_else_everybody_has_his_own_files";
    let Some(place) = place(name, script) else { return };
    let no: [String; 0] = [];
    assert_eq!(place.tried("echo hi > a", &["./a 54321:54321 644 1 hi", ". 0:0 1777"]), no);
    assert_eq!(
        place.tried("touch x; mkdir d; echo y > d/y; ln -s d l", &["./d/y 54321", "./l 54321", "./x "]),
        no
    );
    assert_eq!(place.tried("echo more >> mine", &["./mine 54321:54321 644 1 mine more"]), no);
    assert_eq!(place.tried("mv mine other; rm -f gone", &["./other 54321:54321 644 1 mine"]), no);
    assert_eq!(place.tried("f=$(mktemp -p .); echo x > $f; rm $f", &[]), no);
    // Also beside a folder of somebody else that is closed to us.
    assert_eq!(
        place.tried("touch x; ls shut || touch y", &["./shut 0:0 700", "./x 54321:54321", "./y "]),
        no
    );
    let kept = ["./theirs 0:0 644 1 theirs", "./mine 54321:54321 644 1 other"];
    assert_eq!(place.tried("rm -f theirs; echo other > mine", &kept), ["theirs"]);
    assert_eq!(
        place.tried("rmdir room; rm theirs; touch new", &["./room 0:0 755", "./new "]),
        ["room", "theirs"]
    );
    let kept = ["./theirs 0:0 644 1 theirs", "./mine 54321:54321 644 1 mine"];
    assert_eq!(place.tried("mv -f mine theirs || true; echo mine > mine", &kept), ["theirs"]);
    assert_eq!(place.tried("chmod 700 .; touch z", &["./z ", ". 0:0 1777"]), [""]);
    place.is_clean();
}

#[test]
fn a_folder_of_a_group_keeps_its_group() {
    let script = "chgrp 54322 .; chmod 2775 .; echo ours > ours; chmod 664 ours; mkdir -m 2775 in; echo deep > in/deep; \
                  chmod 664 in/deep; mkdir own; echo x > own/f; echo y > own/g; chmod 664 own/g; \
                  chown 54321:54321 own own/f; chown 54321:54322 own/g ours; echo z > theirs; chmod 664 theirs";
    let Some(place) = place("owners::a_folder_of_a_group_keeps_its_group", script) else { return };
    let no: [String; 0] = [];
    assert_eq!(
        place.tried(
            "echo hi > a; mkdir d; echo x > d/x",
            &["./a 54321:54322 644 1 hi", "./d/x 54321:54322", ". 0:54322 2775"]
        ),
        no
    );
    assert_eq!(place.tried("echo more >> ours", &["./ours 54321:54322 664 1 ours more"]), no);
    assert_eq!(
        place.tried(
            "echo x > in/new; echo y > own/new",
            &["./in/new 54321:54322", "./own/new 54321:54321", "./in 0:54322 2775"]
        ),
        no
    );
    assert_eq!(place.tried("echo more >> own/g; rm own/f", &["./own/g 54321:54322 664 1 y more"]), no);
    assert_eq!(place.tried("rm theirs in/deep; rmdir in 2>/dev/null || true", &[]), no);
    assert_eq!(place.tried("rm ours; echo again > ours", &["./ours 54321:54322 644 1 again"]), no);
    assert_eq!(place.tried("true", &[]), no);
    place.is_clean();
}

#[test]
fn a_folder_that_cannot_be_written_to_cannot_be_written_to_in_a_stage() {
    let script = "echo a > a; mkdir own; chown 54321:54321 own";
    let name = "owners::a_folder_that_cannot_be_written_to_cannot_be_written_to_in_a_stage";
    let Some(place) = place(name, script) else { return };
    let no: [String; 0] = [];
    assert_eq!(place.tried("touch own/c", &["./own/c 54321:54321"]), no);
    // The namespace of these tests has every capability.
    let kept = ["./a 0:0 644 1 a", "./own/c 54321:54321"];
    assert_eq!(place.tried("touch b own/c; rm -f a", &kept), ["a", "b"]);
    place.is_clean();
}

#[test]
fn a_home_of_a_group_that_is_not_the_users() {
    let script =
        "chown 54321:0 .; chmod 750 .; echo a > a; chown 54321:0 a; mkdir own; chown 54321:54321 own";
    let Some(place) = place("owners::a_home_of_a_group_that_is_not_the_users", script) else { return };
    let no: [String; 0] = [];
    assert_eq!(place.tried("echo b > b; mkdir c; touch own/c", &["./b 54321:54321", ". 54321:0 750"]), no);
    assert_eq!(place.tried("chmod 700 .; rm a", &[". 54321:0 700"]), no);
    place.is_clean();
}

#[test]
fn a_commit_that_cannot_end_is_taken_back_and_not_tried_again() {
    let name = "owners::a_commit_that_cannot_end_is_taken_back_and_not_tried_again";
    let Some(place) = place(name, "chgrp 54322 .; chmod 2775 .; mkdir a; chown 54321:54322 a; echo x > a/x")
    else {
        return;
    };
    let stages = place.stages();
    let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&place.folder)).unwrap();
    run(&stage, "echo b > b; echo y > a/y; mkdir -m 000 closed");
    let mut moves = 0;
    // In the middle of it, the folder is closed to us.
    let ended = stage.commit_watched(&mut |step| {
        moves += usize::from(step == "move");
        if moves == 2 {
            std::fs::set_permissions(place.folder.join("a"), PermissionsExt::from_mode(0o500)).unwrap();
        }
    });
    drop(ended.map_err(|error| assert!(!matches!(error, NotCommitted::Unfinished(_)), "{error}")));
    assert_eq!(stages.recover(), []);
    assert_eq!(std::fs::metadata(&place.folder).unwrap().uid(), 0);
}
