//! The same on file systems of their own, as images: ext4 and Btrfs. Only root can mount them; the tests go on as an ordinary user.

use std::process::Command;

/// Mounts an image of the named file system in a mount namespace, and runs a command with its temporary folders there.
const WITHIN: &str = r#"
set -e
kind=$1 folder=$2; shift 2
truncate -s 8G "$folder/image"
"mkfs.$kind" -q "$folder/image"
mkdir "$folder/disk"
mount -t "$kind" -o loop "$folder/image" "$folder/disk" || exit 77
chmod 1777 "$folder/disk"
TMPDIR="$folder/disk" exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
"#;

/// Runs other tests on a disk of their own.
fn on_disk(kind: &str, variables: &[(&str, &str)], tests: &[&str]) {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can mount an image");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let status = Command::new("unshare")
        .args(["-m", "bash", "-c", WITHIN, "bash", kind])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args(tests)
        .envs(variables.iter().copied())
        .status()
        .unwrap();
    if status.code() == Some(77) {
        eprintln!("SKIPPED: no {kind} image can be mounted here");
        return;
    }
    assert!(status.success(), "{kind}");
}

#[test]
fn ext4() {
    on_disk("ext4", &[("GUARDA_STAGE_SCRIPTS", "40")], &["generated::", "operations::", "kills::", "held::"]);
}

#[test]
fn btrfs() {
    on_disk(
        "btrfs",
        &[("GUARDA_STAGE_SCRIPTS", "40")],
        &["generated::", "operations::", "kills::", "held::"],
    );
}
