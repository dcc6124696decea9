//! The proofs that the record hands out. Made only here.

use crate::gate::Approved;
use crate::judge::Judgement;

/// Who asked, through which door.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The door: `http`, `socket`, `cli`, `mcp`, `hook`, `ipc`.
    pub door: String,
    /// The caller as the door knows it: a uid and pid, a client's name; empty where it knows nothing.
    pub name: String,
}

/// An approved action whose intent is on disk. Hands take nothing else. Not `Clone`: one deed each.
#[derive(Debug)]
#[must_use]
pub struct Warrant {
    pub(super) approved: Approved,
    pub(super) entry: Entry,
}

/// A deed that was begun and whose outcome is not yet written.
#[derive(Debug)]
#[must_use]
pub struct Open {
    pub(super) approved: Approved,
    pub(super) entry: Entry,
}

/// Where an intent stands in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) session: String,
    pub(super) sequence: u64,
}

/// The proof that a decision is on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// `{session}_{sequence}` with at least three digits (seed 003, `audit_id`).
    pub audit_id: String,
    /// The hash of the last line written for it, in hexadecimal.
    pub hash: String,
}

impl Warrant {
    /// The judgement that was approved.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        self.approved.judgement()
    }

    /// True where a person approved it, not the rules alone.
    #[must_use]
    pub fn by_person(&self) -> bool {
        matches!(self.approved.by(), crate::gate::Decider::Person { .. })
    }

    /// Begins the deed: uses the warrant up.
    pub fn begin(self) -> Open {
        Open { approved: self.approved, entry: self.entry }
    }
}

impl Open {
    /// The judgement that was approved.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        self.approved.judgement()
    }

    /// Who approved it.
    #[must_use]
    pub fn by(&self) -> &crate::gate::Decider {
        self.approved.by()
    }
}
