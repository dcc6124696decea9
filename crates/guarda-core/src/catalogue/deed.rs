//! The effects of programs on the files that their operands name, for the texts and the counts of a card.

use guarda_shell::given::Given;
use guarda_shell::script::{Run, Word};

/// An effect on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// They are deleted.
    Delete,
    /// Folders are deleted if they are empty.
    RemoveFolder,
    /// They are moved to the trash.
    Trash,
    /// They are moved or renamed.
    Move,
    /// They are copied.
    Copy,
    /// Their content is replaced.
    Overwrite,
    /// Their content is changed, and a part of it stays.
    Change,
    /// Their times are changed; missing files are created.
    Touch,
    /// Whatever is not in the source is deleted from the destination.
    Mirror,
    /// Folders are created.
    MakeFolder,
    /// Their modes are changed.
    Mode,
    /// Their owners or groups are changed.
    Owner,
}

/// A deed of one run.
#[derive(Debug, Clone, Copy)]
pub struct Done<'a> {
    /// The effect.
    pub deed: Deed,
    /// The affected files.
    pub files: &'a [&'a Word],
    /// The destination of a move or copy.
    pub to: Option<&'a Word>,
    /// Whether it includes everything in folders.
    pub below: bool,
}

/// Options whose value is the next word, so that this word is no file.
const VALUED: &[(&str, &[&str])] = &[
    ("chown", &["--from"]),
    ("cp", &["-S", "--suffix"]),
    ("mkdir", &["-m", "--mode"]),
    ("mv", &["-S", "--suffix"]),
    ("shred", &["-n", "--iterations", "-s", "--size", "--random-source"]),
    ("touch", &["-d", "--date", "-r", "--reference", "-t", "--time"]),
    ("truncate", &["-r", "--reference", "-s", "--size"]),
];

/// The arguments of a run, split as its program (named without a folder) splits them.
#[must_use]
pub fn given<'a>(program: &str, run: &'a Run) -> Given<'a> {
    let valued = VALUED.iter().find_map(|(name, options)| (*name == program).then_some(*options));
    Given::taking(run, valued.unwrap_or_default())
}

/// The effect of a program (named without a folder) on its operands; `None` for other programs, and if options name some of
/// the files.
#[must_use]
pub fn deed<'a>(program: &str, given: &'a Given<'a>) -> Option<Done<'a>> {
    let all = given.operands.as_slice();
    let (deed, files, below) = match program {
        "rm" => (Deed::Delete, all, given.recursive()),
        "unlink" => (Deed::Delete, all, false),
        "shred" if given.has('u', "remove") => (Deed::Delete, all, false),
        "rmdir" => (Deed::RemoveFolder, all, false),
        "trash" | "trash-put" => (Deed::Trash, all, true),
        "mv" | "cp" if !given.has('t', "target-directory") && !given.long("target") => {
            let (to, files) = all.split_last()?;
            let (deed, below) = match program {
                "mv" => (Deed::Move, true),
                _ => (Deed::Copy, given.recursive() || given.has('a', "archive")),
            };
            return Some(Done { deed, files, to: Some(to), below });
        }
        "rsync" if given.long("del") => {
            let (to, files) = all.split_last()?;
            return Some(Done { deed: Deed::Mirror, files, to: Some(to), below: true });
        }
        "tee" if given.has('a', "append") => (Deed::Change, all, false),
        "tee" | "shred" => (Deed::Overwrite, all, false),
        "truncate" => (Deed::Change, all, false),
        "touch" => (Deed::Touch, all, false),
        "mkdir" => (Deed::MakeFolder, all, false),
        "chmod" | "chown" | "chgrp" if !given.long("reference") => {
            // `chmod -x file`: the mode looks like an option.
            let first = usize::from(program != "chmod" || !given.mode_flag());
            let deed = if program == "chmod" { Deed::Mode } else { Deed::Owner };
            (deed, all.get(first..)?, given.has('R', "recursive"))
        }
        _ => return None,
    };
    Some(Done { deed, files, to: None, below })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_shell::script::Dialect;

    #[test]
    fn what_is_done_to_which_files() {
        for (line, wanted) in [
            ("rm a b", Some((Deed::Delete, "a b", None, false))),
            ("rm -rf a", Some((Deed::Delete, "a", None, true))),
            ("shred a", Some((Deed::Overwrite, "a", None, false))),
            ("shred -u a", Some((Deed::Delete, "a", None, false))),
            ("mv a b c", Some((Deed::Move, "a b", Some("c"), true))),
            ("cp a b", Some((Deed::Copy, "a", Some("b"), false))),
            ("cp -a a b", Some((Deed::Copy, "a", Some("b"), true))),
            ("cp -t c a b", None),
            ("mv --target-directory=c a b", None),
            ("tee -a x", Some((Deed::Change, "x", None, false))),
            ("chmod 644 a", Some((Deed::Mode, "a", None, false))),
            ("chmod -x a", Some((Deed::Mode, "a", None, false))),
            ("chown -R ana a b", Some((Deed::Owner, "a b", None, true))),
            ("chmod --reference x a", None),
            ("frobnicate a", None),
            ("truncate -s 0 a", Some((Deed::Change, "a", None, false))),
            ("truncate -cs 0 -- a -s", Some((Deed::Change, "a -s", None, false))),
            ("truncate -s0 a", Some((Deed::Change, "a", None, false))),
            ("truncate --size 0 a", Some((Deed::Change, "a", None, false))),
            ("truncate --size=0 a", Some((Deed::Change, "a", None, false))),
            ("touch -d yesterday a", Some((Deed::Touch, "a", None, false))),
            ("mkdir -pm 700 a", Some((Deed::MakeFolder, "a", None, false))),
            ("cp -S .old a b", Some((Deed::Copy, "a", Some("b"), false))),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            let run = script.runs().first().unwrap();
            let given = given(run.program().unwrap(), run);
            let names = |words: &[&Word]| {
                words.iter().filter_map(|word| word.literal()).collect::<Vec<_>>().join(" ")
            };
            let done = deed(run.program().unwrap(), &given);
            let done =
                done.map(|done| (done.deed, names(done.files), done.to.and_then(Word::literal), done.below));
            let wanted = wanted.map(|(deed, files, to, below)| (deed, files.to_owned(), to, below));
            assert_eq!(done, wanted, "{line}");
        }
    }
}
