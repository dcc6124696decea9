//! An invented home below a temporary folder, scripts in it, and its state.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use guarda_core::effects::{Change, ChangeKind};
use guarda_sandbox::stage::{Stage, Stages, StagesConfig};

pub struct Ground {
    pub folder: tempfile::TempDir,
    pub home: PathBuf,
    pub stages: Stages,
}

pub fn config(state: &Path) -> StagesConfig {
    StagesConfig {
        state: state.to_owned(),
        keep: Duration::from_secs(7 * 86400),
        most_bytes: 8 << 30,
        extra: None,
        supervisor: Some(env!("CARGO_BIN_EXE_guarda-keeper").into()),
    }
}

impl Ground {
    /// A home in which this script was run.
    pub fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (home, state) = (folder.path().join("home"), folder.path().join("state"));
        std::fs::create_dir(&home).unwrap();
        std::fs::create_dir(&state).unwrap();
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o700)).unwrap();
        plain(&home, script);
        let stages = Stages::open(config(&state)).unwrap();
        Self { folder, home, stages }
    }

    /// A stage in which this script was run.
    pub fn staged(&self, script: &str) -> Stage {
        let stage = self.stages.begin(uuid::Uuid::new_v4(), std::slice::from_ref(&self.home)).unwrap();
        run(&stage, script);
        stage
    }

    /// Another home with the same contents.
    pub fn clone_home(&self, name: &str) -> PathBuf {
        let clone = self.folder.path().join(name);
        let status =
            Command::new("unshare").args(["-Ur", "cp", "-a"]).arg(&self.home).arg(&clone).status().unwrap();
        assert!(status.success());
        clone
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // Modes that keep the owner out would keep the temporary folder.
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(self.folder.path()).output();
    }
}

/// A helper for scripts: sets an extended attribute.
const TOOLS: &str = r#"attr() { python3 -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())' "$@"; }
set -e
"#;

/// Runs a script in a folder, in a user namespace like that of a staged one.
pub fn plain(home: &Path, script: &str) {
    let output = Command::new("unshare")
        .args(["-Ur", "bash", "-c", &format!("{TOOLS}{script}")])
        .current_dir(home)
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a script in the overlays of a stage; the folder is its first root.
pub fn run(stage: &Stage, script: &str) {
    let script = format!("{TOOLS}{script}");
    let mut mounts = String::from("set -e\n");
    let shown = |path: &Path| path.display().to_string();
    for root in stage.roots() {
        let (root, up, wk) = (shown(&root.root), shown(&root.upper), shown(&root.work));
        mounts.push_str(&format!(
            "mount -t overlay overlay -o lowerdir={root},upperdir={up},workdir={wk},userxattr,volatile,noatime {root}\n"
        ));
    }
    let first = shown(&stage.roots()[0].root);
    mounts.push_str(&format!("cd /; cd {first}; exec bash -c \"$1\"\n"));
    let output =
        Command::new("unshare").args(["-Urm", "bash", "-c", &mounts, "bash", &script]).output().unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The attributes of an entry that are compared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Look {
    pub kind: u32,
    pub mode: u32,
    pub owner: (u32, u32),
    pub links: u64,
    pub modified: Option<(i64, i64)>,
    pub content: Vec<u8>,
    pub extended: Vec<(Vec<u8>, Vec<u8>)>,
    /// The first path with the same inode.
    pub first: OsString,
}

/// Everything below a folder. If modes exclude its owner, it is read in a user namespace: nothing is changed.
pub fn look(home: &Path, times: bool) -> BTreeMap<PathBuf, Look> {
    let mut found = BTreeMap::new();
    if gather(home, Path::new(""), times, &mut found, &mut BTreeMap::new()) {
        return found;
    }
    let to = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new("unshare")
        .args(["--user", "--map-current-user", "--keep-caps", "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "ground::looks_from_within", "--ignored"])
        .env("LOOK_HOME", home)
        .env("LOOK_TIMES", if times { "yes" } else { "" })
        .env("LOOK_TO", to.path())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let list: Vec<(OsString, Look)> = postcard::from_bytes(&std::fs::read(to.path()).unwrap()).unwrap();
    list.into_iter().map(|(path, look)| (path.into(), look)).collect()
}

/// Not a test: started by [`look`].
#[test]
#[ignore = "started by others"]
fn looks_from_within() {
    let Some(home) = std::env::var_os("LOOK_HOME") else { return };
    let times = std::env::var_os("LOOK_TIMES").is_some_and(|times| !times.is_empty());
    let mut found = BTreeMap::new();
    assert!(gather(Path::new(&home), Path::new(""), times, &mut found, &mut BTreeMap::new()));
    let list: Vec<(OsString, Look)> =
        found.into_iter().map(|(path, look)| (path.into_os_string(), look)).collect();
    std::fs::write(std::env::var_os("LOOK_TO").unwrap(), postcard::to_stdvec(&list).unwrap()).unwrap();
}

/// False if something may not be read.
fn gather(
    home: &Path,
    below: &Path,
    times: bool,
    found: &mut BTreeMap<PathBuf, Look>,
    inodes: &mut BTreeMap<u64, PathBuf>,
) -> bool {
    let path = home.join(below);
    let about = std::fs::symlink_metadata(&path).unwrap();
    if about.is_dir() {
        let inside = std::fs::read_dir(&path).map(|_| std::fs::symlink_metadata(path.join("..")));
        if !matches!(inside, Ok(Ok(_))) {
            return false;
        }
    } else if about.is_file() && std::fs::File::open(&path).is_err() {
        return false;
    }
    let content = if about.is_symlink() {
        std::fs::read_link(&path).unwrap().into_os_string().as_bytes().to_vec()
    } else if about.is_file() && about.len() < 1 << 24 {
        std::fs::read(&path).unwrap()
    } else {
        about.len().to_le_bytes().to_vec().into_iter().filter(|_| about.is_file()).collect()
    };
    let mut extended = Vec::new();
    if about.is_file() || about.is_dir() {
        let mut list = vec![0_u8; 4096];
        let length = rustix::fs::llistxattr(&path, &mut list[..]).unwrap();
        for name in list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let mut value = vec![0_u8; 4096];
            let length = rustix::fs::lgetxattr(&path, name, &mut value[..]).unwrap();
            extended.push((name.to_vec(), value[..length].to_vec()));
        }
    }
    extended.sort();
    let first = inodes.entry(about.ino()).or_insert_with(|| below.to_owned()).clone().into_os_string();
    let look = Look {
        kind: about.mode() & 0o170_000,
        mode: about.mode() & 0o7777,
        owner: (about.uid(), about.gid()),
        links: if about.is_dir() { 0 } else { about.nlink() },
        modified: times.then(|| (about.mtime(), about.mtime_nsec())),
        content,
        extended,
        first,
    };
    found.insert(below.to_owned(), look);
    if about.is_dir() {
        let mut names: Vec<OsString> =
            std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        for name in names {
            if !gather(home, &below.join(name), times, found, inodes) {
                return false;
            }
        }
    }
    true
}

/// The differences between two states, for messages.
pub fn same(one: &BTreeMap<PathBuf, Look>, other: &BTreeMap<PathBuf, Look>, what: &str) {
    let mut differs = Vec::new();
    for path in one.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>() {
        if one.get(path) != other.get(path) {
            differs.push(format!("{path:?}\n  {:?}\n  {:?}", one.get(path), other.get(path)));
        }
    }
    assert!(differs.is_empty(), "{what}\n{}", differs.join("\n"));
}

/// A change as a word and a path.
pub fn told(change: &Change, home: &Path) -> String {
    let kind = match change.kind() {
        ChangeKind::Created => "created",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Changed => "changed",
        ChangeKind::Attributes => "attributes",
        ChangeKind::Replaced => "replaced",
    };
    let path = change.path.strip_prefix(home).unwrap();
    match &change.from {
        Some(from) => format!("{kind} {} <- {}", path.display(), from.strip_prefix(home).unwrap().display()),
        None => format!("{kind} {}", path.display()),
    }
}
