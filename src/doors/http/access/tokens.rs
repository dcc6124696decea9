//! The tokens. The submit token requests actions, and the approve token answers questions. Neither can do the other's
//! part, so a caller that requests an action cannot approve it.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The tokens, stored as hashes.
#[derive(Clone)]
pub struct Tokens {
    submit: [u8; 32],
    approve: [u8; 32],
    /// Present only if spoken answers are enabled.
    spoken: Option<[u8; 32]>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Tokens")
    }
}

/// A caller's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// Request actions and judgements.
    Submit,
    /// Read and answer questions.
    Approve,
    /// Read questions and pass on a person's spoken answers: for a listening front-end.
    Spoken,
    /// Everything that the console does, from a browser that was let in: read and answer questions.
    Console,
}

impl Tokens {
    /// Hashes the tokens. `spoken` is present only if spoken answers are enabled.
    #[must_use]
    pub fn new(submit: &str, approve: &str, spoken: Option<&str>) -> Self {
        let hash = |token: &str| -> [u8; 32] { Sha256::digest(token).into() };
        Self { submit: hash(submit), approve: hash(approve), spoken: spoken.map(hash) }
    }

    /// The scope of a token. Every token is compared in constant time, whether or not an earlier one matched.
    pub(super) fn scope(&self, token: &str) -> Option<Scope> {
        let given: [u8; 32] = Sha256::digest(token).into();
        let submit: bool = given.ct_eq(&self.submit).into();
        let approve: bool = given.ct_eq(&self.approve).into();
        let spoken: bool = self.spoken.is_some_and(|spoken| given.ct_eq(&spoken).into());
        match (submit, approve, spoken) {
            (true, false, false) => Some(Scope::Submit),
            (false, true, false) => Some(Scope::Approve),
            (false, false, true) => Some(Scope::Spoken),
            _ => None,
        }
    }
}
