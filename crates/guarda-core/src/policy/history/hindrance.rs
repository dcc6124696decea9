//! Why no permission given beforehand covers a command.

use strum::{Display, EnumString, VariantArray};

/// Why a command can neither earn a promotion nor be allowed for good. As text it is an English clause, which the
/// registry stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Display, EnumString, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Hindrance {
    /// The action is not a command line.
    #[strum(serialize = "it is no command line")]
    NoCommand,
    /// The reader cannot be certain of it.
    #[strum(serialize = "it cannot be read with certainty")]
    Unread,
    /// A word, a program or a doubt depends on what happens before it.
    #[strum(serialize = "a part of it is not known before it runs")]
    Unknown,
    /// It is a wrapper around other programs.
    #[strum(serialize = "it starts further programs")]
    Starts,
    /// It sets variables for its program.
    #[strum(serialize = "it sets variables")]
    Variables,
    /// It has no program.
    #[strum(serialize = "it starts no program")]
    NoProgram,
    /// Its program is an interpreter or the like.
    #[strum(serialize = "what its program runs is decided by its arguments or by files")]
    Launcher,
    /// Its program transfers data.
    #[strum(serialize = "it may send something elsewhere")]
    Sends,
    /// Its risk is too high.
    #[strum(serialize = "its risk is too high")]
    Risky,
    /// Its program could be replaced without administrator rights.
    #[strum(serialize = "its program is not in a folder of the system")]
    Elsewhere,
    /// Its program does not exist.
    #[strum(serialize = "its program is not there")]
    Missing,
    /// The situation does not say where its program is.
    #[strum(serialize = "its program was not looked at")]
    Unseen,
    /// A finding blocks it or wants a password.
    #[strum(serialize = "the rules forbid it or want a password for it")]
    Strict,
    /// A finding is asked about every time.
    #[strum(serialize = "the rules want it asked each time")]
    EachTime,
    /// A finding blocks it, whatever a person says.
    #[strum(serialize = "the rules forbid it, and no word of a person changes that")]
    Forbidden,
    /// The session was marked when it ran.
    #[strum(serialize = "the session had taken in text from outside, or secrets")]
    Tainted,
}

#[cfg(test)]
mod tests {
    use super::Hindrance;
    use strum::VariantArray as _;

    #[test]
    fn what_the_registry_stores_is_read_back() {
        for one in Hindrance::VARIANTS {
            assert_eq!(one.to_string().parse(), Ok(*one));
        }
    }
}
