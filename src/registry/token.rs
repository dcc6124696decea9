//! One-time tokens: a person's yes to a command whose caller will return for it (feature B4,
//! `force_execute`).
//!
//! A token consumes a permission. It is valid for one command in its folder, for a short time, and once. Only the memory
//! of the service holds it, as a hash: any program of the user could add one to a file.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use guarda_core::action::Action;
use guarda_core::gate::{Approved, Decider};
use guarda_core::judge::Judgement;
use guarda_core::policy::{Situation, Verdict};

use super::identity::{Hasher, Identity, hex};

/// A one-time token, with no `Display` that could leak it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// What a token is bound to: one command, the current content of the scripts that it reads, and the reasons for the
/// question. The same command with another reason is another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound(String);

/// The tokens that were issued and not used up, by their hash.
#[derive(Debug, Default)]
pub struct OneTimeTokens(Mutex<HashMap<String, Kept>>);

/// A token that was issued and not used up.
#[derive(Debug)]
struct Kept {
    bound: String,
    by: String,
    issued: jiff::Timestamp,
    until: jiff::Timestamp,
}

/// The proof that a token was just used up.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Spent {
    by: String,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The rules approved the command, not a person.
    #[error("a token comes from a person's yes, and no person was asked")]
    NoPerson,
    /// The permission is for another command.
    #[error("the permission is for another command")]
    OtherCommand,
    /// The system has no random bits.
    #[error("no random bits: {0}")]
    Random(String),
}

impl OneTimeTokens {
    /// Creates a token for so many seconds from a person's yes, and consumes the yes.
    ///
    /// # Errors
    /// [`TokenError`]: there is no token, and the permission is gone.
    pub fn issue(
        &self,
        approved: Approved,
        identity: &Identity,
        situation: &Situation,
        seconds: u64,
        now: jiff::Timestamp,
    ) -> Result<(Token, jiff::Timestamp), TokenError> {
        let Decider::Person { channel } = approved.by() else { return Err(TokenError::NoPerson) };
        match &approved.judgement().subject().action {
            Action::RunCommand { text, script } if identity.is_of(text, script) => {}
            _ => return Err(TokenError::OtherCommand),
        }
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits).map_err(|error| TokenError::Random(error.to_string()))?;
        let token = Token(hex(&bits));
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let until = now.checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap_or(jiff::Timestamp::MAX);
        let kept = Kept {
            bound: Bound::to(identity, situation, approved.judgement()).0,
            by: channel.clone(),
            issued: now,
            until,
        };
        self.tokens().insert(digest(&token.0), kept);
        Ok((token, until))
    }

    /// Redeems a token for a command. `None` if it is unknown, for another command, expired or already redeemed.
    pub fn spend(&self, token: &str, bound: &Bound, now: jiff::Timestamp) -> Option<Spent> {
        let hash = digest(token.trim());
        let mut tokens = self.tokens();
        tokens.retain(|_, kept| kept.until > now);
        let fits = tokens.get(&hash).is_some_and(|kept| kept.bound == bound.0 && kept.issued <= now);
        fits.then(|| tokens.remove(&hash)).flatten().map(|kept| Spent { by: kept.by })
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bound {
    /// What a yes to this judgement is bound to.
    #[must_use]
    pub fn to(identity: &Identity, situation: &Situation, judgement: &Judgement) -> Self {
        let mut hasher = Hasher::new("guarda yes 1");
        hasher.field("command", identity.command_hash.as_bytes());
        for (path, stamp) in &situation.stamps {
            hasher.field("file", path.as_bytes());
            hasher.field("stamp", format!("{stamp:?}").as_bytes());
        }
        if let Some(frozen) = &situation.frozen {
            for (path, found) in &situation.places {
                hasher.field("place", path.as_encoded_bytes());
                hasher.field("found", format!("{found:?}").as_bytes());
            }
            for listing in &frozen.listings {
                hasher.field("listing", format!("{listing:?}").as_bytes());
            }
        }
        hasher.field("verdict", judgement.verdict().status().as_bytes());
        let rules = judgement.findings().iter().filter(|finding| finding.verdict > Verdict::Allow);
        // The time since the last run changes every second and does not make it another question.
        for rule in rules.filter(|finding| finding.rule != "duplicate").map(|finding| &finding.rule) {
            hasher.field("rule", rule.as_bytes());
        }
        Self(hasher.end())
    }
}

impl Spent {
    /// The channel of the person's yes.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }
}

impl Token {
    /// The text, for the caller that will return with it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Token(…)")
    }
}

fn digest(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Digests;
    use crate::registry::trial::at;
    use guarda_core::action::{Proposal, Request};
    use guarda_core::gate::{Number, Passage, Says};
    use guarda_core::policy::{Policy, Profile, Situation};

    fn judged(command: &str) -> Judgement {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(command.into()),
            ..Request::default()
        };
        let proposal = Proposal::parse(request).unwrap();
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let programs = [("ls".to_owned(), guarda_core::policy::Program::System("/bin/ls".to_owned()))];
        let situation = Situation {
            home: "/home/ana".to_owned(),
            cwd: "/".to_owned(),
            programs: programs.into(),
            ..Situation::default()
        };
        guarda_core::judge::judge(&policy, proposal, &situation)
    }

    fn approved(command: &str, by_person: bool) -> Approved {
        match guarda_core::gate::enter(
            judged(command),
            guarda_core::gate::Runner::Caller,
            Number([7; 16]),
            false,
        ) {
            Passage::Clear(approved) if !by_person => approved,
            Passage::Ask(pending) if by_person => {
                let answer = pending.question().answer(Says::Yes { channel: "terminal".to_owned() });
                pending.settle(answer).unwrap()
            }
            other => panic!("{other:?}"),
        }
    }

    fn identity(command: &str) -> Identity {
        let script = guarda_shell::read(command, guarda_shell::script::Dialect::Bash);
        Identity::of(command, &script, &Situation::default(), Profile::Desktop, &Digests::new())
    }

    fn bound(command: &str) -> Bound {
        Bound::to(&identity(command), &Situation::default(), &judged(command))
    }

    async fn issue(registry: &OneTimeTokens, approved: Approved, command: &str) -> Result<Token, TokenError> {
        let (now, situation) = (at(0), Situation::default());
        registry.issue(approved, &identity(command), &situation, 300, now).map(|(token, _)| token)
    }

    #[tokio::test]
    async fn a_token_is_for_one_command_one_time_and_one_use() {
        let registry = OneTimeTokens::default();
        let command = bound("frobnicate --all");
        let token = issue(&registry, approved("frobnicate --all", true), "frobnicate --all").await.unwrap();
        assert!(!format!("{token:?}").contains(token.reveal()));
        let spend = |token: String, command: Bound, ms: i64| {
            let registry = &registry;
            async move { registry.spend(&token, &command, at(ms)).is_some() }
        };
        let text = token.reveal().to_owned();
        assert!(!spend("0".repeat(64), command.clone(), 1).await);
        assert!(!spend(String::new(), command.clone(), 1).await);
        assert!(!spend(text.clone(), bound("frobnicate --most"), 1).await);
        // In another folder, with another program, with a changed script, or with another reason for the
        // question.
        let elsewhere = Identity { command_hash: "00".repeat(32), ..identity("frobnicate --all") };
        let judgement = judged("frobnicate --all");
        assert!(!spend(text.clone(), Bound::to(&elsewhere, &Situation::default(), &judgement), 1).await);
        let stamp = guarda_core::policy::situation::Stamp { file: (1, 2), size: 3, changed: (4, 5) };
        let script =
            Situation { stamps: [("/home/ana/x.sh".to_owned(), stamp)].into(), ..Situation::default() };
        let here = identity("frobnicate --all");
        assert!(!spend(text.clone(), Bound::to(&here, &script, &judgement), 1).await);
        let asked = Situation { corrupted: true, ..Situation::default() };
        let unsure = judgement.raise(guarda_core::policy::Finding {
            rule: "taint".to_owned(),
            origin: guarda_core::policy::Origin::Floor,
            verdict: Verdict::Confirm,
            span: None,
            why: String::new(),
            instead: None,
            risk: 0.5,
            tags: Vec::new(),
            contained: false,
            names: Vec::new(),
        });
        assert!(!spend(text.clone(), Bound::to(&here, &asked, &unsure), 1).await);
        assert!(spend(text.clone(), command.clone(), 299_999).await);
        assert!(!spend(text.clone(), command.clone(), 299_999).await, "used");
        let late = issue(&registry, approved("frobnicate --all", true), "frobnicate --all").await.unwrap();
        assert!(!spend(late.reveal().to_owned(), command, 300_000).await, "expired");
    }

    #[tokio::test]
    async fn of_many_who_come_with_the_same_token_one_is_let_in() {
        let registry = std::sync::Arc::new(OneTimeTokens::default());
        let command = bound("frobnicate --all");
        let token = issue(&registry, approved("frobnicate --all", true), "frobnicate --all").await.unwrap();
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let (registry, token, command) = (registry.clone(), token.clone(), command.clone());
                tokio::spawn(async move { registry.spend(token.reveal(), &command, at(5)).is_some() })
            })
            .collect();
        let mut let_in = 0;
        for task in tasks {
            let_in += usize::from(task.await.unwrap());
        }
        assert_eq!(let_in, 1);
    }

    #[tokio::test]
    async fn only_a_persons_yes_to_this_command_makes_one() {
        let registry = OneTimeTokens::default();
        let by_rules = issue(&registry, approved("ls", false), "ls").await;
        assert!(matches!(by_rules, Err(TokenError::NoPerson)));
        let other = issue(&registry, approved("frobnicate", true), "frobnicate --all").await;
        assert!(matches!(other, Err(TokenError::OtherCommand)));
    }
}
