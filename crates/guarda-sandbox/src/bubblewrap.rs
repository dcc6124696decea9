//! bubblewrap: namespaces around a supervisor, with a file system that contains only what the sandbox opens.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::folders::{self, Access};
use super::spec::{Network, Spec};
use crate::isolation::hide::StubFolder;

/// The path of the supervisor's program inside.
pub(super) const KEEPER: &str = "/.guarda";
/// The private temporary folder inside. The machine's own `/tmp` is not there.
pub(super) const TEMPORARY: &str = "/tmp";

/// bubblewrap's arguments, without its own name and the program to run. What covers hidden paths is made in `stubs`.
pub(super) fn arguments(
    spec: &Spec,
    (supervisor, root): (&Path, bool),
    stubs: &mut StubFolder,
) -> io::Result<Vec<OsString>> {
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
    let system = folders::System::paths().map(|(path, access)| (Path::new(path), access));
    let opened = wishes.opened.iter().map(|(path, access)| (path.as_path(), *access)).chain(system);
    let opened = opened.filter(|(path, access)| {
        let apart = path.starts_with("/dev") || path.starts_with("/proc");
        *access != Access::List && !apart
    });
    let mut layers: Vec<(&Path, Layer)> = opened
        .map(|(path, access)| match access {
            Access::Write | Access::Change => (path, Layer::Write),
            Access::List | Access::Read | Access::Device => (path, Layer::Read),
        })
        .collect();
    layers.extend(wishes.kept.iter().filter(|path| path.exists()).map(|path| (path, Layer::Read)));
    layers.retain(|(path, _)| !wishes.hides(path));
    let named = wishes.secret_names();
    let mut hidden: Vec<&Path> = wishes.hidden.iter().chain(named.iter().map(PathBuf::as_path)).collect();
    hidden.sort_unstable();
    hidden.dedup();
    // Nothing can be mounted in what covers a folder.
    let inside = |path: &Path| path.ancestors().skip(1).any(|above| hidden.binary_search(&above).is_ok());
    layers.extend(hidden.iter().filter(|path| !inside(path)).map(|path| (*path, Layer::Nothing)));
    let home = folders::pieces(spec).map(|(home, _)| home);
    layers.extend(home.iter().map(|home| (home.as_path(), Layer::Empty)));
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
            Layer::Empty => put(&["--tmpfs".as_ref(), text]),
            Layer::Nothing => {
                if let Some(stub) = stubs.cover(path, crate::isolation::hide::is_own(spec, path))? {
                    put(&["--ro-bind".as_ref(), stub.as_os_str(), text]);
                }
            }
        }
    }
    for (link, goal) in &spec.links {
        put(&["--symlink".as_ref(), goal.as_os_str(), link.as_os_str()]);
    }
    put(&["--proc".as_ref(), "/proc".as_ref(), "--dev".as_ref(), "/dev".as_ref()]);
    put(&["--ro-bind".as_ref(), supervisor.as_os_str(), KEEPER.as_ref()]);
    put(&["--".as_ref(), KEEPER.as_ref()]);
    Ok(words)
}

/// A mount at a path. For the same path, the later one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Read,
    Write,
    Nothing,
    Empty,
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
        let mut stubs = StubFolder::new().unwrap();
        let words = arguments(&spec, (Path::new("/usr/bin/guarda"), false), &mut stubs).unwrap();
        let place = |option: &str, path: PathBuf| {
            words.windows(2).position(|pair| pair[0] == option && Path::new(&pair[1]) == path).unwrap()
        };
        let whole = place("--ro-bind-try", home.clone());
        assert!(
            words
                .windows(3)
                .skip(whole)
                .any(|three| three[0] == "--ro-bind" && Path::new(&three[2]) == home.join(".ssh"))
        );
        assert!(whole < place("--bind-try", home.join("work")));
        assert!(words.contains(&"--unshare-all".into()) && !words.contains(&"--share-net".into()));
    }
}
