//! Sub-commands that a program does not have, for programs whose sub-commands are listed completely.

use guarda_shell::script::{Run, Word};

use super::{SUB_COMMANDS, SubCommands};
use crate::action::slip::is_slip;

/// A word in place of a sub-command that is one edit away from one.
#[derive(Debug, Clone)]
pub struct Misspelt<'a> {
    /// The program, as it was written.
    pub program: &'a str,
    /// The word.
    pub word: &'a Word,
    /// Its text.
    pub written: &'a str,
    /// The sub-commands that may have been meant; at least one.
    pub meant: Vec<&'static str>,
    /// The program's sub-commands.
    pub known: &'static SubCommands,
}

impl Misspelt<'_> {
    /// The program with the word, as [`Situation::missing`](crate::policy::Situation::missing) lists them.
    #[must_use]
    pub fn command(&self) -> String {
        format!("{} {}", self.program, self.written)
    }
}

/// The misspelt sub-command of a run. A plugin or an alias may still have that name; only a look-up can tell.
///
/// ```
/// use guarda_core::catalogue::misspelt;
/// use guarda_shell::script::Dialect;
///
/// let script = guarda_shell::read("cargo biuld", Dialect::Bash)?;
/// assert!(misspelt(&script.runs()[0]).is_some_and(|found| found.meant == ["build"]));
/// # Ok::<(), guarda_shell::script::Unsure>(())
/// ```
#[must_use]
pub fn misspelt(run: &Run) -> Option<Misspelt<'_>> {
    // A function of the line or another program of that name may have other sub-commands; a variable may define some.
    let program = run.program().filter(|name| !run.builtin && !name.contains('/'))?;
    if !run.assigns.is_empty() {
        return None;
    }
    let known = SUB_COMMANDS.iter().find(|row| row.names.contains(&program))?;
    let before = |word: &&Word| word.literal().is_some_and(|text| known.before.contains(&text));
    let word = run.words.iter().skip(1).find(|word| !before(word))?;
    let written = word.literal().filter(|text| is_name(text) && !known.known.contains(text))?;
    let near = known.known.iter().copied().filter(|name| name.len() > 1 && is_slip(written, name));
    let meant: Vec<_> = near.collect();
    (!meant.is_empty()).then_some(Misspelt { program, word, written, meant, known })
}

/// True for a word that could be a sub-command: letters with dashes between them.
fn is_name(text: &str) -> bool {
    text.len() > 2
        && text.starts_with(|letter: char| letter.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_shell::script::Dialect;

    #[test]
    fn one_slip_from_a_listed_word_is_misspelt() {
        for (line, meant) in [
            ("cargo biuld", Some("build")),
            ("cargo -q biuld --release", Some("build")),
            ("npm intsall left-pad", Some("install")),
            ("apt-get instal -y jq", Some("install")),
            ("docker pss", Some("pass ps")),
            ("systemctl statsu nginx", Some("status")),
            ("systemctl --user strat x", Some("start")),
            ("kubectl gte pods", Some("get")),
            ("pip instal x", Some("install")),
            ("go biuld", Some("build")),
            ("cargo build", None),
            ("npm isntall x", None),
            ("npm instal x", None),
            // Like none of them: it may be new.
            ("cargo xtask", None),
            ("docker dev-shell", None),
            // The word in that position may be something other than a sub-command.
            ("cargo +nightly biuld", None),
            ("docker --context prod pss", None),
            ("cargo $X", None),
            ("cargo ./biuld", None),
            ("./cargo biuld", None),
            ("cargo() { rm x; }; cargo biuld", None),
            ("CARGO_ALIAS_BIULD=x cargo biuld", None),
            // Their words are tasks, scripts, or whatever a configuration says.
            ("git statsu", None),
            ("make biuld", None),
            ("yarn biuld", None),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            let run = script.runs().last().unwrap();
            assert_eq!(misspelt(run).map(|found| found.meant.join(" ")).as_deref(), meant, "{line}");
        }
    }

    #[test]
    fn the_table_is_well_formed() {
        for row in SUB_COMMANDS {
            assert!(row.known.is_sorted(), "{:?}", row.names);
            assert!(row.known.iter().all(|name| is_name(name) || name.len() < 3), "{:?}", row.names);
            assert!(row.before.iter().all(|option| option.starts_with('-')), "{:?}", row.names);
            assert_eq!(row.aliases.is_empty(), row.alias_key.is_empty(), "{:?}", row.names);
        }
    }
}
