//! The proofs that the record issues. Only this room makes them.

use guarda_core::gate::{Approved, ApprovedHosts, Cause, HostRefusal, Number};
use guarda_core::judge::Judgement;

use super::files::writer::Write;
use super::line::{Facts, RecordEvent};

/// Who made a request, and through which door.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The door: `http`, `socket`, `cli`, `mcp`, `hook`, `ipc`.
    pub door: String,
    /// The caller as the door knows it: a uid and pid, or a client's name; empty if unknown.
    pub name: String,
    /// The container in which the caller is, if it is in one. Not recorded.
    pub container: Option<String>,
}

impl Caller {
    /// The caller as a person sees it: the client of a hook, the program at a socket or behind a connection,
    /// a container; otherwise its door. An address is not a name.
    #[must_use]
    pub fn shown(&self) -> &str {
        let name = self.name.split(" (").next().unwrap_or_default();
        if name.is_empty() || name.parse::<std::net::SocketAddr>().is_ok() { &self.door } else { name }
    }
}

/// How the start ended a commit or an undo that a crash had interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending<'a> {
    /// The session of the deed; `None` if it is not known.
    pub session: Option<&'a str>,
    /// The deed; empty if it is not known.
    pub command: &'a str,
    /// `commit`, `discard` or `undo`: what is in force now.
    pub phase: &'static str,
    /// `taken_back` or `unfinished`; `None` if it was completed.
    pub trouble: Option<&'static str>,
    /// The ending, as one sentence.
    pub how: String,
}

/// An approved action whose intent is recorded. The hands accept nothing else. Not `Clone`: one warrant, one deed. If
/// it is dropped without [`Warrant::begin`], it is recorded as *not begun*.
#[derive(Debug)]
#[must_use]
pub struct Warrant {
    pub(super) approved: Approved,
    pub(super) entry: IntentPosition,
}

/// A deed that has begun and whose outcome is not yet written. If it is dropped without being closed, it is recorded
/// as *unknown*.
#[derive(Debug)]
#[must_use]
pub struct Open {
    pub(super) approved: Approved,
    pub(super) entry: IntentPosition,
}

/// The position of the lines about a run's hosts: beside its intent.
#[derive(Debug, Clone)]
pub struct RunLines {
    pub(super) session: String,
    /// The number of the intent; `None` if it is not recorded.
    pub(super) sequence: Option<u64>,
    /// The facts of the intent.
    pub(super) facts: Facts,
}

/// A step concerning hosts that a run requests and no rule admits.
#[derive(Debug)]
pub enum HostStep<'a> {
    /// A person is asked.
    Asked(Number),
    /// The question was answered.
    Answered(Number, Result<&'a ApprovedHosts, &'a Cause>),
    /// A yes to this question came too late for an earlier run of the command, and holds for this one.
    Kept(Number, &'a ApprovedHosts),
    /// A person granted it beforehand, under this number.
    Granted(uuid::Uuid, &'a ApprovedHosts),
    /// It is refused without a question, for this reason.
    Refused(&'a HostRefusal),
}

/// The position of an intent in the record.
#[derive(Debug)]
pub(super) struct IntentPosition {
    pub session: String,
    pub sequence: u64,
    pub facts: Facts,
    /// Whether the line must be on disk before success is reported.
    pub durable: bool,
    /// Whether the deed has begun.
    pub begun: bool,
    /// Where to write the outcome; taken when it is written.
    pub shared: Option<super::files::queue::Queue>,
}

impl Drop for IntentPosition {
    fn drop(&mut self) {
        let Some(shared) = self.shared.take() else { return };
        let mut facts = std::mem::take(&mut self.facts);
        facts.status = Some("error".to_owned());
        facts.error = Some(if self.begun { "unknown" } else { "not_begun" }.to_owned());
        let Ok(facts) = serde_json::to_string(&facts) else {
            return;
        };
        let write = Write {
            session: std::mem::take(&mut self.session),
            event: RecordEvent::Outcome,
            sequence: Some(self.sequence),
            facts,
            durable: false,
            reply: None,
        };
        // If the journal is already closed, the next start finds the open intent and closes it.
        let _ = shared.write(write);
    }
}

/// The proof that a decision is recorded: its position in the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct Receipt {
    /// `{session}_{sequence}` with at least three digits (feature S11, `audit_id`).
    pub audit_id: String,
    /// The hash of the last line written for it, in hexadecimal; empty if nothing was written because
    /// `log_all_commands` is off and the action is on the safe list.
    pub hash: String,
}

impl Warrant {
    /// Who approved it.
    #[must_use]
    pub fn by(&self) -> &guarda_core::gate::Decider {
        self.approved.by()
    }

    /// The judgement that was approved.
    pub fn judgement(&self) -> &Judgement {
        self.approved.judgement()
    }

    /// The position of the lines about the run's hosts.
    #[must_use]
    pub fn lines(&self) -> RunLines {
        let IntentPosition { session, sequence, facts, shared, .. } = &self.entry;
        let sequence = shared.is_some().then_some(*sequence);
        RunLines { session: session.clone(), sequence, facts: facts.clone() }
    }

    /// Begins the deed and consumes the warrant.
    pub fn begin(self) -> Open {
        let Self { approved, mut entry } = self;
        entry.begun = true;
        Open { approved, entry }
    }

    /// The number of the entry in the record.
    #[must_use]
    pub fn audit_id(&self) -> String {
        super::line::audit_id(&self.entry.session, self.entry.sequence)
    }
}

impl RunLines {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The command that is run, secrets hidden.
    #[must_use]
    pub fn command(&self) -> &str {
        self.facts.modified_command.as_deref().unwrap_or(&self.facts.command)
    }

    /// The caller as the door knows it.
    #[must_use]
    pub fn caller(&self) -> &str {
        &self.facts.caller
    }

    /// The number of the intent in the record; empty if it is not recorded.
    #[must_use]
    pub fn audit_id(&self) -> String {
        super::line::audit_id(&self.session, self.sequence.unwrap_or(0))
    }
}

impl Open {
    /// True if a person approved it, not the rules alone.
    #[must_use]
    pub fn by_person(&self) -> bool {
        self.approved.by().is_person()
    }

    /// True if a person approved it, now or beforehand.
    #[must_use]
    pub fn by_consent(&self) -> bool {
        self.approved.by().is_consent()
    }

    /// How it is run, if it is a command.
    #[must_use]
    pub fn way(&self) -> guarda_core::action::Way {
        self.approved.way()
    }

    /// The judgement that was approved.
    pub fn judgement(&self) -> &Judgement {
        self.approved.judgement()
    }

    /// Who approved it.
    #[must_use]
    pub fn by(&self) -> &guarda_core::gate::Decider {
        self.approved.by()
    }

    /// The command that the caller requested, if a person replaced it.
    #[must_use]
    pub fn original(&self) -> Option<&str> {
        self.approved.original()
    }

    /// The number of the entry in the record.
    #[must_use]
    pub fn audit_id(&self) -> String {
        super::line::audit_id(&self.entry.session, self.entry.sequence)
    }
}
