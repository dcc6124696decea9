//! Forgeries of the promises that types make: each file in `tests/architecture/forgery/` must fail to compile, with
//! exactly the errors that its first line names. Only error codes are compared, because the messages change
//! with the compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The builds of a library next to this test, newest first.
fn builds(name: &str) -> Vec<PathBuf> {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let fits = |path: &PathBuf| {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(fits).collect();
    found.sort_by_key(|path| std::cmp::Reverse(std::fs::metadata(path).unwrap().modified().unwrap()));
    found
}

/// The libraries to compile the files with.
struct Libraries {
    guarda: PathBuf,
    core: PathBuf,
    journal: PathBuf,
    serde: PathBuf,
}

impl Libraries {
    /// The error codes of compiling a file, and the compiler's output.
    fn errors(&self, file: &Path) -> (BTreeSet<String>, String) {
        // A folder of its own: as root the compiler would put its file in the place of a device such as /dev/null.
        let out = tempfile::tempdir().unwrap();
        let output = std::process::Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=json"])
            .arg("--out-dir")
            .arg(out.path())
            .arg(format!("--extern=guarda={}", self.guarda.display()))
            .arg(format!("--extern=guarda_core={}", self.core.display()))
            .arg(format!("--extern=guarda_journal={}", self.journal.display()))
            .arg(format!("--extern=serde={}", self.serde.display()))
            .arg(format!("-Ldependency={}", self.guarda.parent().unwrap().display()))
            .arg(file)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let messages: Vec<serde_json::Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let errors =
            messages.iter().filter(|message| message["level"] == "error" && message["code"].is_object());
        let mut codes: BTreeSet<String> =
            errors.map(|message| message["code"]["code"].as_str().unwrap().to_owned()).collect();
        if codes.is_empty() && !output.status.success() {
            codes.insert("no code".to_owned());
        }
        (codes, messages.iter().filter_map(|message| message["rendered"].as_str()).collect())
    }
}

/// A set of builds that fit together: with it, the file of permitted actions compiles. Some libraries exist
/// twice, for build scripts and for the program.
fn libraries() -> Libraries {
    let allowed = Path::new("tests/architecture/forgery/allowed.rs");
    // An older build of ours would test outdated promises.
    let guarda = builds("guarda").into_iter().next().unwrap();
    let mut told = String::new();
    let (cores, journals, serdes) = (builds("guarda_core"), builds("guarda_journal"), builds("serde"));
    let pairs = cores.iter().flat_map(|core| journals.iter().map(move |journal| (core, journal)));
    let all = pairs.flat_map(|(core, journal)| serdes.iter().map(move |serde| (core, journal, serde)));
    for (core, journal, serde) in all {
        let (core, journal, serde) = (core.clone(), journal.clone(), serde.clone());
        let libraries = Libraries { guarda: guarda.clone(), core, journal, serde };
        let (errors, said) = libraries.errors(allowed);
        if errors.is_empty() {
            return libraries;
        }
        told = said;
    }
    panic!("{} does not compile, so nothing here proves anything:\n{told}", allowed.display());
}

#[test]
fn no_forgery_compiles() {
    let libraries = libraries();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir("tests/architecture/forgery").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let expected = text.lines().next().unwrap().strip_prefix("//! expect: ").unwrap();
        let expected: BTreeSet<String> = match expected {
            "nothing" => BTreeSet::new(),
            codes => codes.split(' ').map(str::to_owned).collect(),
        };
        let (found, said) = libraries.errors(&file);
        assert_eq!(found, expected, "{}:\n{said}", file.display());
    }
}
