//! What is known before the judgement.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use guarda::hands::{Hands, HandsConfig, LookError};
use guarda_core::action::{Proposal, Request};
use guarda_core::policy::{Program, Situation};
use serde_json::json;

use crate::machine::Machine;

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
