//! Machines that cannot confine fully: their lacks are reported, and refused if confinement is required. The
//! lack is real: a filter makes the supervisor's calls fail as on a kernel without the feature.

use std::collections::BTreeMap;

use guarda_sandbox::process::Status;
use guarda_sandbox::{Measure, Protection, SandboxError, SandboxLevel, Spec};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::jail::{Done, Jail, binary, block_on, program, run_in, sandbox};
use crate::stage::staged;

/// Opens a cell as if these system calls did not exist, and runs a script in it.
pub fn without(calls: &[i64], spec: Spec, jail: &Jail, text: &str) -> Result<Done, SandboxError> {
    let rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>> =
        calls.iter().map(|call| (*call, Vec::new())).collect();
    let absent = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, absent, arch).unwrap();
    let filter: BpfProgram = filter.try_into().unwrap();
    let prepare = move || {
        if filter.len() > 8 {
            seccompiler::apply_filter(&filter).unwrap();
        }
    };
    after(prepare, spec, jail, text)
}

/// Opens a cell after a change to this thread, which its supervisor inherits, and runs a script in it.
fn after(
    prepare: impl FnOnce() + Send + 'static,
    spec: Spec,
    jail: &Jail,
    text: &str,
) -> Result<Done, SandboxError> {
    let script = jail.script(text, &[]);
    std::thread::spawn(move || {
        prepare();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut cell = sandbox().open(&spec).await?;
            Ok(run_in(&mut cell, script).await)
        })
    })
    .join()
    .unwrap()
}

pub const LANDLOCK: &[i64] = &[libc::SYS_landlock_create_ruleset, libc::SYS_landlock_restrict_self];
pub const SECCOMP: &[i64] = &[libc::SYS_seccomp];

#[test]
fn a_lack_is_told_and_the_rest_holds() {
    let jail = Jail::new();
    let spec = || jail.spec(SandboxLevel::Confined);
    let socket = "exec 9<> /dev/udp/127.0.0.1/9 && exit 4; exit 5";

    let done = without(LANDLOCK, spec(), &jail, socket).unwrap();
    assert!(!done.protection.holds(Measure::Files) && !done.protection.holds(Measure::Scopes), "{done:?}");
    assert!(done.protection.to_string().contains("lacking: files (this kernel has no Landlock"), "{done:?}");
    assert!(done.protection.holds(Measure::Network), "{done:?}");
    assert_eq!(done.status, Status::Exited(5));
    // The filter protects the supervisor from signals, as Landlock's scopes would.
    let done =
        without(LANDLOCK, spec(), &jail, "kill -0 $PPID && exit 4; kill -KILL $PPID && exit 4; exit 5")
            .unwrap();
    assert_eq!(done.status, Status::Exited(5));

    let done = without(SECCOMP, spec(), &jail, socket).unwrap();
    for lacking in [Measure::Network, Measure::Sockets, Measure::Calls] {
        assert!(!done.protection.holds(lacking), "{lacking:?}: {done:?}");
    }
    assert!(done.protection.to_string().contains("network: open"), "{done:?}");
    assert!(done.protection.holds(Measure::Files), "{done:?}");
    assert_eq!(done.status, Status::Exited(4), "the lack is a real one");
}

#[test]
fn what_is_required_and_lacking_is_refused_and_nothing_runs() {
    for calls in [LANDLOCK, SECCOMP] {
        let jail = Jail::new();
        let mut spec = jail.spec(SandboxLevel::Confined);
        spec.require = true;
        let refused = without(calls, spec.clone(), &jail, "echo ran > ran").unwrap_err();
        assert!(matches!(&refused, SandboxError::Lacking(why) if !why.is_empty()), "{refused:?}");
        assert!(!jail.at("work/ran").exists());
        without(&[], spec, &jail, "echo ran > ran").unwrap();
        assert!(jail.at("work/ran").exists());
    }
}

#[test]
fn a_machine_that_cannot_hold_back_what_is_written_says_why() {
    for (calls, why) in [
        (&[libc::SYS_unshare][..], "no user namespace can be made: Function not implemented"),
        (&[libc::SYS_mount], "/ cannot be mounted: Function not implemented"),
    ] {
        let jail = Jail::new();
        let refused = without(calls, staged(&jail, "work", ""), &jail, "echo ran > ran").unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

/// The mounts, the home folder and a script: the file system of the temporary folders must not matter.
#[test]
fn changes_are_held_back_whatever_the_temporary_folders_are() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let jail = Jail::new();
    let disk = jail.at("Documents/disk");
    std::fs::create_dir(&disk).unwrap();
    let there = disk.join("there").display().to_string();
    let script = format!("echo x > new && cat {there} && echo y > \"$TMPDIR/y\" && ! echo z > {there}");
    for (number, (mounted, home)) in [
        (vec![disk.clone()], jail.at("")),
        (vec![disk.clone()], "/tmp".into()),
        (vec![disk.clone()], "/var/tmp".into()),
        (vec![disk.clone(), "/var".into()], jail.at("")),
    ]
    .into_iter()
    .enumerate()
    {
        let what = format!("{mounted:?} {home:?}");
        let mut spec = staged(&jail, "work", &number.to_string());
        spec.home = Some(home);
        spec.readable.push(jail.at(""));
        let disk = disk.clone();
        let prepare = move || {
            nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS).unwrap();
            mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
            for place in mounted {
                mount("tmpfs", place, "tmpfs", MountFlags::empty(), None).unwrap();
            }
            std::fs::write(disk.join("there"), "there").unwrap();
        };
        let done = after(prepare, spec, &jail, &script).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((done.status, done.out.as_str()), (Status::Exited(0), "there"), "{what}: {done:#?}");
        assert!(!jail.at("work/new").exists(), "{what}");
    }
}

#[test]
fn a_helper_that_is_no_helper_runs_nothing() {
    let jail = Jail::new();
    for helper in ["/bin/true", "/bin/false", "/nonexistent"] {
        let opened = block_on(async {
            let sandbox = guarda_sandbox::Sandbox::with_supervisor(helper);
            sandbox.open(&jail.spec(SandboxLevel::Confined)).await
        });
        assert!(
            matches!(opened, Err(SandboxError::Gone | SandboxError::Supervisor(_))),
            "{helper}: {opened:?}"
        );
    }
}

#[test]
fn guarda_is_its_own_keeper_where_there_is_no_other() {
    let jail = Jail::new();
    let done = block_on(async {
        let sandbox = guarda_sandbox::Sandbox::with_supervisor(binary("guarda"));
        let mut cell = sandbox.open(&jail.spec(SandboxLevel::Confined)).await.unwrap();
        run_in(&mut cell, jail.script("cat $home/guard/token; exit 3", &[])).await
    });
    assert_eq!((done.status, done.out.as_str()), (Status::Exited(3), ""));
    assert!(done.protection.is_whole(), "{done:?}");
}

#[test]
fn what_cannot_be_made_says_why() {
    let jail = Jail::new();
    let mut spec = jail.spec(SandboxLevel::Confined);
    spec.temporary = "/nonexistent/folder".into();
    let error = block_on(async { sandbox().open(&spec).await }).unwrap_err().to_string();
    assert!(error.contains("could not be made") && error.contains("No such file"), "{error}");
}

#[test]
fn keepers_are_not_for_people() {
    for name in ["guarda", "guarda-keeper"] {
        let output = program(binary(name).to_str().unwrap())
            .args(["__confine", "touch", "/tmp/never"])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("not started by hand"), "{output:?}");
    }
}

#[test]
fn what_is_told_can_be_written_down_and_read_back() {
    let jail = Jail::new();
    let done = jail.run(&jail.spec(SandboxLevel::Confined), "true");
    let text = serde_json::to_string(&done.protection).unwrap();
    assert_eq!(serde_json::from_str::<Protection>(&text).unwrap(), done.protection);
    assert_eq!(done.protection.to_string(), "confined, network: none");
}
