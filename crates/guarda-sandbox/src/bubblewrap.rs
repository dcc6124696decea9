//! bubblewrap: namespaces around a supervisor, with a file system that contains only what the sandbox opens.

use std::ffi::OsString;
use std::path::Path;

use super::folders::{self, Access};
use super::spec::{Network, Spec};

/// The path of the supervisor's program inside.
pub(super) const KEEPER: &str = "/.guarda";
/// The private temporary folder inside. The machine's own `/tmp` is not there.
pub(super) const TEMPORARY: &str = "/tmp";

/// bubblewrap's arguments, without its own name and the program to run.
pub(super) fn arguments(spec: &Spec, supervisor: &Path, root: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["--unshare-all", "--cap-drop", "ALL"].map(Into::into).into();
    if spec.network != Network::None {
        words.push("--share-net".into());
    }
    let mut put = |parts: &[&std::ffi::OsStr]| words.extend(parts.iter().map(Into::into));
    for empty in ["/tmp", "/var/tmp", "/run", "/home", "/root"] {
        put(&["--tmpfs".as_ref(), empty.as_ref()]);
    }
    // Deeper paths come later and cover shallower ones: a writable folder inside a readable one, a secret
    // inside both.
    let wishes = folders::wishes(spec, None, root);
    let mut layers: Vec<(&Path, Layer)> = wishes
        .opened
        .iter()
        .map(|(path, access)| (path.as_path(), *access))
        .chain(folders::System::paths().map(|(path, access)| (Path::new(path), access)))
        .filter(|(path, access)| *access != Access::List && !path.starts_with("/dev") && !wishes.hides(path))
        .map(|(path, access)| {
            (path, if matches!(access, Access::Write | Access::Change) { Layer::Write } else { Layer::Read })
        })
        .filter(|(path, _)| !path.starts_with("/proc"))
        .collect();
    layers.extend(wishes.kept.iter().filter(|path| path.exists()).map(|path| (path, Layer::Read)));
    layers.extend(wishes.hidden.iter().filter(|path| path.exists()).map(|path| (path, Layer::Nothing)));
    let named = wishes.secret_names();
    layers.extend(named.iter().map(|path| (path.as_path(), Layer::Nothing)));
    layers.sort();
    let links = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
    for (path, layer) in layers {
        let text = path.as_os_str();
        match layer {
            Layer::Read if links.iter().any(|link| path == Path::new(link)) => match std::fs::read_link(path)
            {
                Ok(target) => put(&["--symlink".as_ref(), target.as_os_str(), text]),
                Err(_a_folder) => put(&["--ro-bind-try".as_ref(), text, text]),
            },
            Layer::Read => put(&["--ro-bind-try".as_ref(), text, text]),
            Layer::Write => put(&["--bind-try".as_ref(), text, text]),
            // An empty place in which nothing can be created.
            Layer::Nothing if path.is_dir() => {
                put(&["--tmpfs".as_ref(), text, "--remount-ro".as_ref(), text]);
            }
            Layer::Nothing => put(&["--ro-bind".as_ref(), "/dev/null".as_ref(), text]),
        }
    }
    put(&["--proc".as_ref(), "/proc".as_ref(), "--dev".as_ref(), "/dev".as_ref()]);
    put(&["--ro-bind".as_ref(), supervisor.as_os_str(), KEEPER.as_ref()]);
    put(&["--".as_ref(), KEEPER.as_ref()]);
    words
}

/// A mount at a path. For the same path, the later one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Read,
    Write,
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SandboxLevel;

    #[test]
    fn secrets_cover_what_they_lie_in_and_projects_do_too() {
        let home = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(home.path()).unwrap();
        for folder in [".ssh", "work"] {
            std::fs::create_dir(home.join(folder)).unwrap();
        }
        let spec = Spec::new(SandboxLevel::Isolated, Some(home.clone()), home.join("work"));
        let words = arguments(&spec, Path::new("/usr/bin/guarda"), false);
        let place = |option: &str, path: std::path::PathBuf| {
            words.windows(2).position(|pair| pair[0] == option && Path::new(&pair[1]) == path).unwrap()
        };
        let whole = place("--ro-bind-try", home.clone());
        assert!(whole < place("--tmpfs", home.join(".ssh")));
        assert!(whole < place("--bind-try", home.join("work")));
        assert!(words.contains(&"--unshare-all".into()) && !words.contains(&"--share-net".into()));
    }
}
