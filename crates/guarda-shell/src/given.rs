//! The words of a run after its program, as most programs take them: options and operands.

use crate::script::{Run, Word};

/// The words after the program: options and operands.
#[derive(Debug, Clone)]
pub struct Given<'a> {
    /// The options, dashes included.
    pub flags: Vec<&'a str>,
    /// Everything else.
    pub operands: Vec<&'a Word>,
}

impl<'a> Given<'a> {
    /// Sorts the words of a run; after `--` there are only operands.
    ///
    /// ```
    /// use guarda_shell::{given::Given, script::Dialect};
    ///
    /// let script = guarda_shell::read("rm -rf -- build", Dialect::Bash)?;
    /// let given = Given::of(&script.runs()[0]);
    /// assert!(given.has('f', "force") && given.recursive());
    /// assert_eq!(given.texts(), Some(vec!["build"]));
    /// # Ok::<(), guarda_shell::script::Unsure>(())
    /// ```
    pub fn of(run: &'a Run) -> Self {
        Self::taking(run, &[])
    }

    /// Like [`Given::of`], for a program whose options of these names (`-s`, `--size`) take the next word as their value.
    pub fn taking(run: &'a Run, valued: &[&str]) -> Self {
        let mut given = Self { flags: Vec::new(), operands: Vec::new() };
        let (mut only_operands, mut taken) = (false, false);
        for word in run.words.iter().skip(1) {
            if std::mem::take(&mut taken) {
                continue;
            }
            match word.literal() {
                Some("--") if !only_operands => only_operands = true,
                Some(flag) if !only_operands && flag.len() > 1 && flag.starts_with('-') => {
                    given.flags.push(flag);
                    taken = valued.iter().any(|name| takes_next(flag, name));
                }
                _ => given.operands.push(word),
            }
        }
        given
    }

    /// True for an option by its letter, bundled or not, or by its long name.
    pub fn has(&self, short: char, long: &str) -> bool {
        self.flags.iter().any(|flag| match flag.strip_prefix("--") {
            Some(name) => name == long,
            None => flag.contains(short),
        })
    }

    /// True for a long option with this prefix.
    pub fn long(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag.strip_prefix("--").is_some_and(|flag| flag.starts_with(name)))
    }

    /// True for `-r` and its spellings.
    pub fn recursive(&self) -> bool {
        self.has('r', "recursive") || self.has('R', "recursive")
    }

    /// True for `-t` and its spellings.
    pub fn target(&self) -> bool {
        self.has('t', "target-directory") || self.long("target-directory")
    }

    /// True for a mode of `chmod` that looks like an option (`-w`).
    pub fn mode_flag(&self) -> bool {
        let mode = |flag: &&&str| flag.chars().skip(1).all(|c| "rwxXst".contains(c));
        self.flags.iter().any(|flag| mode(&flag))
    }

    /// The operands, if all of them are known.
    pub fn texts(&self) -> Option<Vec<&'a str>> {
        self.operands.iter().map(|word| word.literal()).collect()
    }
}

/// Whether the value of this option is the next word. Letters may be bundled (`-cs 0`); one with its value is `-s0`.
fn takes_next(flag: &str, name: &str) -> bool {
    if name.starts_with("--") {
        return flag == name;
    }
    let letters = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    letters.zip(name.strip_prefix('-')).is_some_and(|(letters, letter)| {
        letters.ends_with(letter) && letters.chars().all(|c| c.is_ascii_alphabetic())
    })
}
