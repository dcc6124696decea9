//! `execute_bash` of feature B3: the caller does not wait for a person, but returns with a one-time token.
//!
//! The token comes from a person's yes to exactly this command. `force_execute` without a token asks like any other
//! request.

pub(super) mod validation;

use std::sync::Arc;

use crate::registry::Bound;
use crate::wording::Message;
use guarda_core::action::Request;
use guarda_core::gate::{Pending, Says};
use guarda_core::judge::Judgement;
use guarda_core::policy::history::{Duplicate, Learned, OverrideKind};
use guarda_core::policy::{Finding, History, Situation, Verdict};
use guarda_journal::Caller;

use super::memory::Expected;
use super::scope::{Admitted, Edits, PipelineEnd, Purpose, QuestionContext, RequestScope, Unanswered};
use super::{Fault, Guard, Memory, Reply, RequestContext};
pub use validation::Validation;
use validation::ValidationSlot;

/// A command to run.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The command line, at most 4096 bytes (feature B8).
    pub command: String,
    /// The token of an earlier yes, for `force_execute`.
    pub token: Option<String>,
    /// The working folder; default: the home folder.
    pub cwd: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The model's reason.
    pub reasoning: Option<String>,
    /// The language of prompts and messages.
    pub language: Option<String>,
}

/// The result.
#[derive(Debug)]
pub enum ExecuteResult {
    /// The command was run, or refused for good.
    Ended {
        /// The reply.
        reply: Box<Reply>,
        /// The policy that decided: `auto_approve`, `ask`, `always_allow` …, or `blocked` by the rules.
        policy: &'static str,
    },
    /// Nothing was done yet: a person is asked.
    Waiting(WaitingCommand),
}

/// A command that waits for a person's answer.
#[derive(Debug, Clone)]
pub struct WaitingCommand {
    /// The id for [`Guard::validation`].
    pub id: uuid::Uuid,
    /// The command line.
    pub command: String,
    /// `ask`, `ask_warning` or `always_ask`.
    pub policy: &'static str,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// The reasons, strictest first.
    pub findings: Vec<Finding>,
    /// Set if the same command ran a short time ago.
    pub duplicate: Option<Duplicate>,
    /// The reason for the question, as one sentence in the request's language.
    pub message: String,
    /// Why the request's token was rejected; `None` if there was none.
    pub rejected: Option<String>,
}

/// The longest command line, in bytes (feature B8).
const LONGEST: usize = 4096;

impl Guard {
    /// Runs a command that needs no question, or whose token is valid. For any other command, a person is asked while
    /// the caller goes on, and nothing is done.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, except for [`Fault::Unrecorded`].
    pub async fn execute(
        self: &Arc<Self>,
        id: uuid::Uuid,
        order: Order,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<ExecuteResult, Fault> {
        if self.memory().is_none() {
            return Err(Fault::NoRegistry);
        }
        let Order { command, token, cwd, session, reasoning, language } = order;
        if command.len() > LONGEST {
            let hint = guarda_core::action::Hint::ShorterCommand;
            let misread =
                guarda_core::action::Misread::Value { field: "command", value: String::new(), hint };
            return Err(misread.into());
        }
        let action = Some("RUN_COMMAND".to_owned());
        let target = Some(command.clone().into());
        let request = Request { action, target, cwd, session, reasoning, language, ..Request::default() };
        let spent = token.is_some();
        let scope = self.scope(id, Purpose::Token(token), caller, context);
        match self.pipeline(request, &scope).await? {
            PipelineEnd::Replied(reply) => {
                let policy = policy(reply.verdict, reply.history.as_ref());
                Ok(ExecuteResult::Ended { reply, policy })
            }
            PipelineEnd::Unanswered(unanswered) => {
                let judgement = unanswered.pending.judgement();
                if !spent {
                    self.recorder.advise(judgement, caller).await?;
                }
                let waiting = self.waiting(judgement, command);
                let rejected = unanswered.rejected.clone();
                let id = self.validate(*unanswered, &scope)?;
                Ok(ExecuteResult::Waiting(WaitingCommand { id, rejected, ..waiting }))
            }
            PipelineEnd::Answered(_) => Err(Fault::Astray),
        }
    }

    /// Accepts a token as the answer, if it is valid for exactly this question.
    ///
    /// # Errors
    /// [`Fault::NoRegistry`], if there is no store of tokens.
    pub(super) async fn admit_by_token(
        &self,
        pending: Pending,
        token: Option<&str>,
        expected: Option<Expected>,
        situation: Situation,
        edits: Edits,
    ) -> Result<Admitted, Fault> {
        let (Some(memory), Some(expected)) = (self.memory(), expected) else { return Err(Fault::NoRegistry) };
        let bound = Bound::to(&expected.identity, &situation, pending.judgement());
        let rejected = match token {
            None => None,
            Some(token) => match spend(memory, token, &bound) {
                Ok(channel) => {
                    self.validations.used(&bound);
                    let answer = pending.question().answer(Says::Yes { channel });
                    return Ok(Admitted::of(pending.settle(answer), situation, Some(expected), edits));
                }
                Err(why) => Some(why),
            },
        };
        let unanswered = Unanswered { pending, expected, situation, bound, rejected };
        Ok(Admitted::Ended(PipelineEnd::Unanswered(Box::new(unanswered))))
    }

    /// The person's answer to a waiting command; `None` if this id is unknown.
    #[must_use]
    pub fn validation(&self, id: uuid::Uuid) -> Option<Validation> {
        self.validations.find(id)
    }

    /// Puts the question while its caller goes on.
    fn validate(
        self: &Arc<Self>,
        unanswered: Unanswered,
        scope: &RequestScope<'_>,
    ) -> Result<uuid::Uuid, Fault> {
        let Unanswered { pending, expected, situation, bound, .. } = unanswered;
        let (number, container) = (pending.question().number, scope.caller.container.as_deref());
        let id = match self.validations.enter(&bound, number, container, jiff::Timestamp::now()) {
            ValidationSlot::Known(id) => return Ok(id),
            ValidationSlot::Full => return Err(Fault::Busy),
            ValidationSlot::New(id) => id,
        };
        let (guard, policy, caller) = (Arc::clone(self), Arc::clone(&scope.policy), scope.caller.clone());
        tokio::spawn(async move {
            // Its own task, so that a panic does not leave the question open for ever.
            let asker = Arc::clone(&guard);
            let asking = tokio::spawn(async move {
                let (purpose, context) = (Purpose::Token(None), &RequestContext::default());
                let scope = RequestScope { id, purpose, policy, caller: &caller, context };
                asker.answered(pending, &expected, &situation, &scope).await
            });
            let state = asking.await.unwrap_or_else(|error| refused("failed", error.to_string(), None));
            guard.validations.settle(id, state);
        });
        Ok(id)
    }

    async fn answered(
        &self,
        pending: Pending,
        expected: &Expected,
        situation: &Situation,
        scope: &RequestScope<'_>,
    ) -> Validation {
        let Some(memory) = self.memory() else {
            return refused("failed", Fault::NoRegistry.to_string(), None);
        };
        let asking = QuestionContext {
            expected: Some(expected),
            situation,
            changeable: false,
            told_first: false,
            ours: true,
            trust: None,
        };
        match self.ask(pending, asking, scope).await {
            Ok(approved) => {
                if let Err(error) = self.recorder.granted(&approved, scope.caller).await {
                    return refused("failed", format!("the yes could not be recorded: {error}"), None);
                }
                let now = jiff::Timestamp::now();
                let seconds = memory.registry().thresholds().token_seconds;
                match memory.registry().tokens().issue(approved, &expected.identity, situation, seconds, now)
                {
                    Ok((token, until)) => Validation::Granted { token, until },
                    Err(error) => refused("failed", format!("the yes could not be kept: {error}"), None),
                }
            }
            Err(refusal) => match self.refuse(&refusal, scope).await {
                Ok(reply) => refused(reply.outcome.name(), reply.message, reply.reason),
                Err(fault) => refused("denied", fault.to_string(), None),
            },
        }
    }

    fn waiting(&self, judgement: &Judgement, command: String) -> WaitingCommand {
        let duplicate = judgement.history().and_then(|history| history.duplicate);
        let message = match duplicate {
            Some(duplicate) => Message::Duplicate(duplicate.since),
            None => Message::Validate,
        };
        let language = self.prompter().language(judgement.subject().claims.language.as_deref());
        WaitingCommand {
            id: uuid::Uuid::nil(),
            command,
            policy: policy(judgement.run().verdict, judgement.history()),
            risk: judgement.risk(),
            findings: judgement.findings().to_vec(),
            duplicate,
            message: message.text(crate::wording::words(language)),
            rejected: None,
        }
    }
}

/// Uses a token up. Returns the channel of the person's yes, or why the token is invalid.
fn spend(memory: &Memory, token: &str, bound: &Bound) -> Result<String, String> {
    let spent = memory.registry().tokens().spend(token, bound, jiff::Timestamp::now());
    spent.map(|spent| spent.by().to_owned()).ok_or_else(|| {
        "this token is not valid for this command as it is judged now, has expired, or was used".to_owned()
    })
}

fn refused(outcome: &'static str, message: String, reason: Option<String>) -> Validation {
    Validation::Refused { outcome, message, reason }
}

/// The policy of feature B5 that led to a verdict.
fn policy(verdict: Verdict, history: Option<&History>) -> &'static str {
    let word = history.and_then(|history| history.user_override.as_ref()).map(|word| word.kind);
    match (verdict, word) {
        (Verdict::Allow, Some(OverrideKind::AlwaysAllow)) => OverrideKind::AlwaysAllow.name(),
        (Verdict::Allow, _) => Learned::AutoApprove.name(),
        (_, Some(word @ (OverrideKind::Never | OverrideKind::AlwaysAsk))) => word.name(),
        (Verdict::Block, _) => "blocked",
        (Verdict::Review | Verdict::Confirm | Verdict::Password, _) => {
            let learned = history.map_or(Learned::Ask, |history| history.learned);
            learned.max(Learned::Ask).name()
        }
    }
}
