//! Facts that are known before the judgement.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use guarda::hands::{Hands, HandsConfig, LookError};
use guarda_core::action::{Proposal, Request};
use guarda_core::judge::judge;
use guarda_core::policy::{Policy, Profile, Program, Situation, Verdict};
use serde_json::json;

use crate::common::machine::Machine;

fn look(machine: &Machine, action: serde_json::Value) -> Result<Situation, LookError> {
    let request: Request = serde_json::from_value(action).unwrap();
    let guard = vec![machine.path("state")];
    let config = HandsConfig { guard, ..HandsConfig::of_session(machine.session()) };
    Hands::new(config).look(&Proposal::parse(request).unwrap(), true)
}

fn command(text: &str) -> serde_json::Value {
    json!({"action": "RUN_COMMAND", "target": text})
}

#[test]
fn programs_and_paths_are_looked_up() {
    let machine = Machine::new();
    let home = machine.home().canonicalize().unwrap();
    let own = home.join("ls");
    std::fs::write(&own, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/etc", home.join("link")).unwrap();
    symlink("/usr/bin/env", home.join("tool")).unwrap();
    let text =
        "ls --file=link/passwd of=link/group -Ilink/x ~/link a && ./ls | no-such-program > link/out; ./tool";
    let seen = look(&machine, command(text)).unwrap();
    let home = home.to_str().unwrap();
    assert_eq!(seen.cwd, home);
    assert!(seen.question_open);
    assert_eq!(seen.guard, [machine.path("state").to_str().unwrap()]);
    assert!(
        matches!(&seen.programs["ls"], Program::System(path) if path.ends_with("/ls") && !path.starts_with(home))
    );
    assert_eq!(seen.programs["./ls"], Program::Elsewhere(format!("{home}/ls")));
    assert!(matches!(seen.programs["./tool"], Program::Elsewhere(_)), "a link that anybody could have made");
    assert_eq!(seen.programs["no-such-program"], Program::Missing);
    for (path, real) in [
        ("link/passwd", "/etc/passwd"),
        ("link/group", "/etc/group"),
        ("link/x", "/etc/x"),
        ("link", "/etc"),
        ("link/out", "/etc/out"),
    ] {
        assert_eq!(seen.links[&format!("{home}/{path}")], real, "{path}");
    }
    assert!(!seen.links.contains_key(&format!("{home}/a")));
}

#[test]
fn paths_before_a_pattern_and_behind_cd_are_looked_up() {
    let machine = Machine::new();
    let home = machine.home().canonicalize().unwrap();
    std::fs::create_dir(home.join("sub")).unwrap();
    symlink("/etc", home.join("sub/link")).unwrap();
    symlink("/usr", home.join("usr")).unwrap();
    let seen = look(&machine, command("cd sub && cat link/passwd; ls ~/usr/*")).unwrap();
    assert_eq!(seen.links[&format!("{}/sub/link/passwd", home.display())], "/etc/passwd");
    assert_eq!(seen.links[&format!("{}/usr", home.display())], "/usr");
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let machine = Machine::new();
    let look = |cwd: &str| look(&machine, json!({"action": "RUN_COMMAND", "target": "ls", "cwd": cwd}));
    assert_eq!(look("/etc").unwrap().cwd, "/etc");
    assert_eq!(look("~").unwrap().cwd, machine.home().canonicalize().unwrap().to_str().unwrap());
    assert!(matches!(look("/no/such/folder"), Err(LookError::NoFolder(_))));
    assert!(matches!(look("/etc/passwd"), Err(LookError::NoFolder(_))));
}

#[test]
fn too_many_paths_are_an_error() {
    let machine = Machine::new();
    let seen = look(&machine, command(&format!("ls{}", " x".repeat(1500))));
    assert!(matches!(seen, Err(LookError::TooManyPaths)), "{seen:?}");
}

/// The verdict where the caller runs the line by himself, in this folder.
fn as_text(machine: &Machine, cwd: &std::path::Path, line: &str) -> Verdict {
    let action = json!({"action": "RUN_COMMAND", "target": line, "cwd": cwd});
    let situation = look(machine, action.clone()).unwrap();
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let request: Request = serde_json::from_value(action).unwrap();
    judge(&policy, Proposal::parse(request).unwrap(), &situation).verdict()
}

#[test]
fn a_link_that_leaves_the_folder_is_asked_about() {
    let machine = Machine::new();
    let folder = machine.home().canonicalize().unwrap().join("project");
    for name in ["project/src", "other"] {
        std::fs::create_dir_all(machine.home().join(name)).unwrap();
        std::fs::write(machine.home().join(name).join("notes"), "x").unwrap();
    }
    for (target, link) in [
        ("../other/notes", "out"),
        ("../other", "folder"),
        ("folder", "twice"),
        ("../../other", "src/up"),
        ("src/notes", "file"),
        ("src", "inside"),
    ] {
        symlink(target, folder.join(link)).unwrap();
    }
    for (line, verdict) in [
        ("cat src/notes", Verdict::Allow),
        ("cat file", Verdict::Allow),
        ("ls inside/", Verdict::Allow),
        ("rg x inside/notes", Verdict::Allow),
        ("cat inside/../file", Verdict::Allow),
        ("cat out", Verdict::Confirm),
        ("cat -n src/notes out", Verdict::Confirm),
        ("head -n1 ./src/../out", Verdict::Confirm),
        ("ls folder/", Verdict::Confirm),
        ("ls twice/", Verdict::Confirm),
        ("cat inside/up/notes", Verdict::Confirm),
        ("rg x folder", Verdict::Confirm),
        ("grep -r x twice", Verdict::Confirm),
        ("cd src && cat up/notes", Verdict::Confirm),
    ] {
        assert_eq!(as_text(&machine, &folder, line), verdict, "{line}");
    }
}

#[test]
fn git_is_asked_about_where_the_folder_can_run_code() {
    let machine = Machine::new();
    let home = machine.home().canonicalize().unwrap();
    let plain = "[core]\n\tbare = false\n";
    for (folder, config, verdict) in [
        ("own", plain, Verdict::Allow),
        ("watched", "[core]\n\tfsmonitor = ./x\n", Verdict::Confirm),
        ("compared", "[diff]\n\texternal = ./x\n", Verdict::Confirm),
        ("paged", "[core]\n\tpager = ./x\n", Verdict::Confirm),
        ("included", "[include]\n\tpath = ../x\n", Verdict::Confirm),
    ] {
        let folder = home.join(folder);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        std::fs::write(folder.join(".git/config"), config).unwrap();
        for line in ["git status", "git log --oneline", "git diff"] {
            assert_eq!(as_text(&machine, &folder, line), verdict, "{folder:?}: {line}");
        }
    }
    // A bare repository among the files of another, and one whose `.git` is a file (a work tree, a submodule).
    let own = home.join("own");
    std::fs::create_dir_all(own.join("bare/objects")).unwrap();
    std::fs::write(own.join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(own.join("bare/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
    std::fs::create_dir_all(own.join("module")).unwrap();
    std::fs::write(own.join("module/.git"), "gitdir: ../bare\n").unwrap();
    std::fs::create_dir_all(home.join("none")).unwrap();
    for folder in ["own/bare", "own/module", "none"] {
        assert_eq!(as_text(&machine, &home.join(folder), "git status"), Verdict::Confirm, "{folder}");
    }
}
