//! What was looked up lately: most commands are asked for again and again, and a file of a million of them takes longer to
//! search than one of ten.

use std::collections::HashMap;

use crate::record::registry::identity::Identity;
use crate::record::registry::store::Known;

/// Most answers that are kept; each takes some hundred bytes.
const MOST: usize = 2048;

/// Answers that still hold. Every change of the file, by whomever, is to be told before the next question.
#[derive(Debug, Default)]
pub(super) struct Lately {
    /// SQLite's `data_version` at which they were read: it is another one when another connection has written.
    version: i64,
    /// By the command's hash: that of its words, and what is known.
    answers: HashMap<Box<str>, (Box<str>, Known)>,
}

impl Lately {
    /// What was found of this command, if nobody has written since.
    pub fn get(&mut self, version: i64, identity: &Identity) -> Option<Known> {
        if version != self.version {
            self.clear();
            self.version = version;
        }
        let (argv, known) = self.answers.get(identity.command_hash.as_str())?;
        (**argv == *identity.argv_hash).then(|| known.clone())
    }

    /// Keeps what was found after [`Lately::get`] had nothing.
    pub fn put(&mut self, identity: &Identity, known: &Known) {
        if self.answers.len() >= MOST {
            self.clear();
        }
        let answer = (identity.argv_hash.as_str().into(), known.clone());
        self.answers.insert(identity.command_hash.as_str().into(), answer);
    }

    /// This command is about to change, and it alone.
    pub fn forget(&mut self, command_hash: &str) {
        self.answers.remove(command_hash);
    }

    /// Anything may be about to change.
    pub fn clear(&mut self) {
        self.answers.clear();
    }
}
