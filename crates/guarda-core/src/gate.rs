//! The only way from a judgement to a permission. [`Approved`] has private fields and no public constructor,
//! so an action that did not pass the gate cannot run. No I/O, no clock: the caller supplies the question's
//! number and the person's answer.

mod no_answer;
mod host_refusal;
mod host;

use std::sync::Arc;

pub use host::{ApprovedHosts, PendingHosts};
pub use host_refusal::{HostRefusal, NeverAsked};
pub use no_answer::NoAnswer;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::action::{Action, Proposal, Way};
use crate::judge::Judgement;
use crate::policy::{Finding, History, Verdict};

/// The gate's decision on a judgement.
#[derive(Debug)]
pub enum Passage {
    /// The action may run.
    Clear(Approved),
    /// A person must be asked.
    Ask(Pending),
    /// The action is refused.
    Shut(Refusal),
}

/// The side that runs the action after a yes: the guard or its caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Runner {
    /// The guard, in the way that it chooses ([`Judgement::run`]).
    Guard,
    /// The caller, in its own way: only the text itself counts ([`Judgement::verdict`]).
    #[default]
    Caller,
    /// A tool of the caller that opens files itself. No shell and no program reads the words, so only the
    /// files that they name count ([`Judgement::of_tool`]).
    Tool,
}

impl Runner {
    /// The verdict that counts for this runner.
    #[must_use]
    pub fn verdict(self, judgement: &Judgement) -> Verdict {
        match self {
            Self::Guard => judgement.run().verdict,
            Self::Caller => judgement.verdict(),
            Self::Tool => judgement.of_tool(),
        }
    }
}

/// Decides on a judgement. `number` is 128 fresh random bits for a possible question; `password_possible`
/// says whether actions that need a password can run (`advanced_mode`).
///
/// ```
/// use guarda_core::action::{Proposal, Request};
/// use guarda_core::gate::{Number, Passage, Runner, Says, enter};
/// use guarda_core::judge::judge;
/// use guarda_core::policy::{Policy, Profile, Situation};
///
/// let request =
///     Request { action: Some("RUN_COMMAND".to_owned()), target: Some("rm notes".into()), ..Request::default() };
/// let policy = Policy::builtin(Profile::Desktop)?;
/// let judgement = judge(&policy, Proposal::parse(request)?, &Situation::default());
/// let Passage::Ask(pending) = enter(judgement, Runner::Caller, Number([7; 16]), false) else { panic!() };
/// let no = pending.question().answer(Says::Silence);
/// assert!(pending.settle(no).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn enter(judgement: Judgement, runner: Runner, number: Number, password_possible: bool) -> Passage {
    match runner.verdict(&judgement) {
        Verdict::Allow => {
            let grants: Vec<Uuid> = judgement.granted_by().collect();
            let by = if grants.is_empty() { Decider::Policy } else { Decider::Grant { grants } };
            Passage::Clear(Approved { judgement, by, question: None, original: None })
        }
        Verdict::Review | Verdict::Confirm | Verdict::Password | Verdict::Block => {
            ask(judgement, number, password_possible, None)
        }
    }
}

/// Enters the gate with a command that a person wrote in place of the requested one. The person is always
/// asked again, so that they see the command that will run and its findings. Consumes the refusal of the
/// first question.
#[must_use]
pub fn enter_changed(
    changed: Refusal,
    judgement: Judgement,
    number: Number,
    password_possible: bool,
) -> Passage {
    let original = changed.original.or_else(|| command(&changed.judgement).map(Arc::from));
    let written = match &changed.cause {
        Cause::Changed { text, .. } => command(&judgement) == Some(text),
        _ => false,
    };
    if !written {
        return Passage::Shut(Refusal { judgement, cause: Cause::Mismatch, question: None, original });
    }
    ask(judgement, number, password_possible, original)
}

/// Opens a question if the action may be asked about.
fn ask(judgement: Judgement, number: Number, password_possible: bool, original: Option<Arc<str>>) -> Passage {
    let cause = match judgement.verdict() {
        Verdict::Allow | Verdict::Review | Verdict::Confirm => None,
        Verdict::Password => (!password_possible).then_some(Cause::NoPassword),
        Verdict::Block => Some(Cause::Policy),
    };
    match cause {
        None => Passage::Ask(Pending { judgement, number, original }),
        Some(cause) => Passage::Shut(Refusal { judgement, cause, question: None, original }),
    }
}

/// The command line that was judged.
fn command(judgement: &Judgement) -> Option<&str> {
    match &judgement.subject().action {
        Action::RunCommand { text, .. } => Some(text),
        _ => None,
    }
}

/// A question's number: 128 random bits that cannot be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number(pub [u8; 16]);

impl std::fmt::Display for Number {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl std::str::FromStr for Number {
    type Err = ();

    /// Reads 32 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, ()> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(());
        }
        u128::from_str_radix(text, 16).map(|bits| Self(bits.to_be_bytes())).map_err(|_| ())
    }
}

/// An action that waits for a person's answer. Not `Clone`: it is settled once.
#[derive(Debug)]
#[must_use]
pub struct Pending {
    judgement: Judgement,
    number: Number,
    original: Option<Arc<str>>,
}

/// A question to a person. Several channels may show it at once.
#[derive(Debug, Clone)]
pub struct Question {
    /// Its number.
    pub number: Number,
    /// SHA-256 of the action's canonical text and, if it was staged, of its effects. An answer counts only for exactly
    /// this action and these effects.
    pub digest: [u8; 32],
    /// The requested action, with the caller's claims.
    pub subject: Arc<Proposal>,
    /// The reasons for the question.
    pub findings: Arc<[Finding]>,
    /// The judge's verdict.
    pub verdict: Verdict,
    /// The registry's entry for the command.
    pub history: Option<History>,
    /// The joint risk, 0 to 1.
    pub risk: f32,
}

/// An answer, bound to the question that created it.
#[derive(Debug, Clone)]
pub struct Answer {
    number: Number,
    digest: [u8; 32],
    says: Says,
}

/// The content of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// Yes, given in this channel (`keys`, `terminal`, `http` …).
    Yes {
        /// The channel.
        channel: String,
    },
    /// Yes, now and in future, given in this channel. For this action it counts as a yes; the gate's caller
    /// remembers it.
    Lasting {
        /// The channel.
        channel: String,
        /// For how long.
        span: Span,
    },
    /// No, given in this channel.
    No {
        /// The channel.
        channel: String,
        /// The person's reason; it is returned to the model.
        reason: Option<String>,
    },
    /// Another command in its place, given in this channel. This is not a yes: the command is judged and
    /// asked about again.
    Change {
        /// The channel.
        channel: String,
        /// The command line as the person wrote it.
        text: String,
    },
    /// No answer in time. Silence is not a yes.
    Silence,
    /// Wrong codes in this channel until no attempt was left.
    WrongCodes {
        /// The channel.
        channel: String,
    },
    /// The caller went away, or the guard is shutting down.
    Withdrawn {
        /// The reason.
        why: NoAnswer,
    },
    /// Nobody could be asked.
    Unasked {
        /// Why.
        why: NoAnswer,
    },
}

/// For how long a yes holds, beyond the action that it approves.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Span {
    /// Until the person's next message to the asker.
    Turn,
    /// For the rest of the session.
    Session,
    /// Until the end of the day, in its folder.
    Today,
    /// From now on.
    Always,
}

impl Says {
    /// The channel of a yes, or the cause of a refusal.
    fn settle(self) -> Result<String, Cause> {
        match self {
            Self::Yes { channel } | Self::Lasting { channel, .. } => Ok(channel),
            Self::No { channel, reason } => Err(Cause::Person { channel, reason }),
            Self::Change { channel, text } => Err(Cause::Changed { channel, text }),
            Self::Silence => Err(Cause::Silence),
            Self::WrongCodes { channel } => Err(Cause::WrongCodes { channel }),
            Self::Withdrawn { why } => Err(Cause::Withdrawn { why }),
            Self::Unasked { why } => Err(Cause::Unasked { why }),
        }
    }
}

impl Pending {
    /// The question to put to a person.
    #[must_use]
    pub fn question(&self) -> Question {
        Question {
            number: self.number,
            digest: digest(&self.judgement),
            subject: Arc::clone(self.judgement.subject()),
            findings: self.judgement.findings().into(),
            verdict: self.judgement.verdict(),
            history: self.judgement.history().cloned(),
            risk: self.judgement.risk(),
        }
    }

    /// The judgement that the question is about.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// The caller's original request, if a person replaced the command.
    #[must_use]
    pub fn original(&self) -> Option<&str> {
        self.original.as_deref()
    }

    /// Takes the answer. Only a yes to this very question about this very action approves.
    ///
    /// # Errors
    /// [`Refusal`] for everything else.
    #[allow(clippy::result_large_err, reason = "a refusal carries the judgement it owns, once a request")]
    pub fn settle(self, answer: Answer) -> Result<Approved, Refusal> {
        let (question, original) = (Some(self.number), self.original);
        let refuse =
            |judgement, cause| Err(Refusal { judgement, cause, question, original: original.clone() });
        if answer.number != self.number || answer.digest != digest(&self.judgement) {
            return refuse(self.judgement, Cause::Mismatch);
        }
        match answer.says.settle() {
            Ok(channel) => {
                let by = Decider::Person { channel };
                Ok(Approved { judgement: self.judgement, by, question, original })
            }
            Err(cause) => refuse(self.judgement, cause),
        }
    }
}

impl Question {
    /// An answer to this question.
    #[must_use]
    pub fn answer(&self, says: Says) -> Answer {
        Answer { number: self.number, digest: self.digest, says }
    }
}

impl Answer {
    /// The channel of a lasting yes, and how long it holds; `None` for any other answer.
    #[must_use]
    pub fn lasting(&self) -> Option<(&str, Span)> {
        match &self.says {
            Says::Lasting { channel, span } => Some((channel, *span)),
            Says::Yes { .. }
            | Says::No { .. }
            | Says::Change { .. }
            | Says::Silence
            | Says::WrongCodes { .. }
            | Says::Withdrawn { .. }
            | Says::Unasked { .. } => None,
        }
    }
}

fn digest(judgement: &Judgement) -> [u8; 32] {
    let action = Sha256::new_with_prefix(judgement.subject().action.canonical().as_bytes());
    let both = judgement.effects().map(|effects| effects.digest()).into_iter();
    both.fold(action, |hash, effects| hash.chain_update(effects)).finalize().into()
}

/// Permission for one action, once: not `Clone`, not `Deserialize`, and made only here.
#[derive(Debug)]
#[must_use]
pub struct Approved {
    judgement: Judgement,
    by: Decider,
    question: Option<Number>,
    original: Option<Arc<str>>,
}

/// Who approved the words of a run whose changes are held back. Made only from [`Approved`].
#[derive(Debug)]
#[must_use]
pub struct Consent {
    by: Decider,
    question: Option<Number>,
    original: Option<Arc<str>>,
}

/// Decides on the judgement of a run's changes. What needs no further question is approved by the yes to the words.
#[must_use]
pub fn enter_changes(
    consent: Consent,
    judgement: Judgement,
    number: Number,
    password_possible: bool,
) -> Passage {
    match Runner::Guard.verdict(&judgement) {
        Verdict::Allow => {
            let Consent { by, question, original } = consent;
            Passage::Clear(Approved { judgement, by, question, original })
        }
        _ => enter(judgement, Runner::Guard, number, password_possible),
    }
}

/// An action that is refused, and why.
#[derive(Debug)]
#[must_use]
pub struct Refusal {
    judgement: Judgement,
    cause: Cause,
    question: Option<Number>,
    original: Option<Arc<str>>,
}

/// Who approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decider {
    /// The rules.
    Policy,
    /// A person, beforehand.
    Grant {
        /// The numbers of the grants.
        grants: Vec<Uuid>,
    },
    /// A person.
    Person {
        /// Through which channel.
        channel: String,
    },
}

impl Decider {
    /// True for a person who was asked about this very action.
    #[must_use]
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Person { .. })
    }

    /// True for a person, asked now or beforehand; false for the rules.
    #[must_use]
    pub fn is_consent(&self) -> bool {
        matches!(self, Self::Person { .. } | Self::Grant { .. })
    }
}

/// Why an action is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The rules forbid it.
    Policy,
    /// It needs a password and `advanced_mode` is off.
    NoPassword,
    /// A person said no.
    Person {
        /// Through which channel.
        channel: String,
        /// The person's reason.
        reason: Option<String>,
    },
    /// A person replaced the command, and the new one is judged from the start.
    Changed {
        /// Through which channel.
        channel: String,
        /// The command line as the person wrote it.
        text: String,
    },
    /// Nobody answered in time.
    Silence,
    /// Wrong codes in this channel until no attempt was left.
    WrongCodes {
        /// Through which channel.
        channel: String,
    },
    /// The caller went away, or the guard is shutting down.
    Withdrawn {
        /// Which.
        why: NoAnswer,
    },
    /// Nobody could be asked.
    Unasked {
        /// Why.
        why: NoAnswer,
    },
    /// The answer belongs to another question or another action.
    Mismatch,
}

impl Approved {
    /// The approved judgement.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// Who approved it.
    #[must_use]
    pub fn by(&self) -> &Decider {
        &self.by
    }

    /// The yes, for the changes that are known once it has run.
    pub fn consent(&self) -> Consent {
        Consent { by: self.by.clone(), question: self.question, original: self.original.clone() }
    }

    /// How the guard runs it. A blocked action never gets here; its way would be a cell that can do no harm.
    #[must_use]
    pub fn way(&self) -> Way {
        self.judgement.run().way.unwrap_or(Way::Look)
    }

    /// The answered question, if there was one.
    #[must_use]
    pub fn question(&self) -> Option<Number> {
        self.question
    }

    /// The caller's original request, if a person replaced the command.
    #[must_use]
    pub fn original(&self) -> Option<&str> {
        self.original.as_deref()
    }
}

impl Refusal {
    /// The judgement.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// Why it is not done.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// The question that was asked, if there was one.
    #[must_use]
    pub fn question(&self) -> Option<Number> {
        self.question
    }

    /// The caller's original request, if a person replaced the command.
    #[must_use]
    pub fn original(&self) -> Option<&str> {
        self.original.as_deref()
    }
}
