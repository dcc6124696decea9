//! A disk that is full at any moment: a commit or an undo is complete, or does nothing and says so.

use std::path::PathBuf;
use std::process::Command;

use guarda_sandbox::stage::{NotCommitted, NotUndone, Stages};
use uuid::Uuid;

use crate::ground::{config, look, plain, run, same};

const HOME: &str = "mkdir -p d/e; for i in $(seq 200); do echo $i > d/$i; done; touch -d 2020-01-01 d/*; touch -d 2021-01-01 d .";
const SCRIPT: &str =
    "for i in $(seq 100); do echo new > d/$i; done; rm -r d/e; mkdir n; echo x > n/x; rm d/150";

#[test]
fn a_full_disk_leaves_nothing_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=3m,mode=700 tmpfs \"$1\" || exit 77; shift; exec \"$@\"";
    let status = Command::new("unshare")
        .args(["-Urm", "bash", "-c", mount, "bash"])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::within", "--ignored", "--nocapture"])
        .env("FULL_FOLDER", folder.path())
        .status()
        .unwrap();
    if status.code() == Some(77) {
        eprintln!("SKIPPED: no tmpfs can be mounted here");
        return;
    }
    assert!(status.success());
}

/// Not a test: runs where a small disk is mounted.
#[test]
#[ignore = "started by others"]
fn within() {
    let Some(folder) = std::env::var_os("FULL_FOLDER").map(PathBuf::from) else { return };
    let state = folder.join("state");
    std::fs::create_dir(&state).unwrap();
    let stages = Stages::open(config(&state)).unwrap();
    let (mut refused, mut kept, mut done) = (0, 0, 0);
    for pages in 0..14_usize {
        let home = folder.join(format!("home{pages}"));
        std::fs::create_dir(&home).unwrap();
        plain(&home, HOME);
        let before = look(&home, true);
        let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&home)).unwrap();
        run(&stage, SCRIPT);
        let id = stage.id();
        fill(&folder, pages);
        match stage.commit() {
            Ok(committed) => {
                assert_eq!(committed.names, 103);
                std::fs::remove_file(folder.join("filler")).unwrap();
                let after = look(&home, true);
                fill(&folder, pages.saturating_sub(6));
                match stages.undo(id) {
                    Ok(_) => {
                        same(&before, &look(&home, true), "undone");
                        done += 1;
                    }
                    Err(NotUndone::Fault(fault)) => {
                        assert_eq!(fault.errno, rustix::io::Errno::NOSPC.raw_os_error());
                        same(&after, &look(&home, true), "not undone");
                        kept += 1;
                        std::fs::remove_file(folder.join("filler")).unwrap();
                        stages.undo(id).unwrap();
                        same(&before, &look(&home, true), "undone with room");
                    }
                    Err(other) => panic!("{pages}: {other}"),
                }
            }
            Err(NotCommitted::Fault(fault)) => {
                assert_eq!(fault.errno, rustix::io::Errno::NOSPC.raw_os_error());
                same(&before, &look(&home, true), "not committed");
                refused += 1;
            }
            Err(other) => panic!("{pages}: {other}"),
        }
        let _ = std::fs::remove_file(folder.join("filler"));
        std::fs::remove_dir_all(&home).unwrap();
        assert_eq!(stages.recover(), []);
        stages.sweep(u64::MAX).unwrap();
    }
    assert!(refused >= 3 && kept >= 1 && done >= 1, "{refused} {kept} {done}");
}

/// Leaves room for this many pages.
fn fill(folder: &std::path::Path, pages: usize) {
    let reserve = folder.join("reserve");
    std::fs::write(&reserve, vec![b'x'; pages * 4096]).unwrap();
    let mut filler = std::fs::File::create(folder.join("filler")).unwrap();
    while std::io::Write::write(&mut filler, &[b'x'; 4096]).is_ok_and(|written| written > 0) {}
    drop(filler);
    std::fs::remove_file(reserve).unwrap();
}
