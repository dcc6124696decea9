//! A cache of look-ups: most commands are repeated, and a file of a million commands takes longer to search
//! than one of ten.

use std::collections::HashMap;

use super::identity::Identity;
use super::rows::KnownCommand;

/// Most answers in the cache; each takes some hundred bytes.
const MOST: usize = 2048;

/// Answers that are still valid. The store reports its own changes; the version shows those of other
/// connections.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    /// The driver's version at which they were read.
    version: i64,
    /// By the command's hash: the hash of its words, and its entry.
    answers: HashMap<Box<str>, (Box<str>, KnownCommand)>,
}

impl Lookups {
    /// The cached answer for this command, if nobody has written since.
    pub fn get(&mut self, version: i64, identity: &Identity) -> Option<KnownCommand> {
        if version != self.version {
            self.clear();
            self.version = version;
        }
        let (argv, known) = self.answers.get(identity.command_hash.as_str())?;
        (**argv == *identity.argv_hash).then(|| known.clone())
    }

    /// Adds an answer to the cache.
    pub fn put(&mut self, identity: &Identity, known: &KnownCommand) {
        if self.answers.len() >= MOST {
            self.clear();
        }
        let answer = (identity.argv_hash.as_str().into(), known.clone());
        self.answers.insert(identity.command_hash.as_str().into(), answer);
    }

    /// Must be called before a change of this command alone.
    pub fn forget(&mut self, command_hash: &str) {
        self.answers.remove(command_hash);
    }

    /// Must be called before any other change.
    pub fn clear(&mut self) {
        self.answers.clear();
    }
}
