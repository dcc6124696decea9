//! A question about one destination that a run under way wants and no rule admits. A yes admits that destination to that run
//! and nothing else.

use crate::policy::{Origin, Tag};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Answer, Cause, Number, Question};
use crate::action::Proposal;
use crate::network::{Destination, HostPattern, HostRule, Looks, Ports, Protocol, Why};
use crate::policy::{Finding, Verdict};

/// A destination that waits for a person's answer. Not `Clone`: it is settled once.
#[derive(Debug)]
#[must_use]
pub struct PendingHost {
    subject: Arc<Proposal>,
    to: Destination,
    number: Number,
}

/// Permission for one run to reach one destination. Made only by [`PendingHost::settle`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedHost {
    to: Destination,
    channel: String,
}

/// The risk of a host that nothing is known about.
const RISK: f32 = 0.4;
/// The risk of a host whose name is unusual.
const UNUSUAL: f32 = 0.6;

impl PendingHost {
    /// The question whether the run of `subject` may reach `to`. `number` is 128 fresh random bits.
    pub fn new(subject: Arc<Proposal>, to: Destination, number: Number) -> Self {
        Self { subject, to, number }
    }

    /// The question to put to a person.
    #[must_use]
    pub fn question(&self) -> Question {
        let unusual = !Looks::of(&self.to.host).unusual.is_empty();
        let finding = Finding {
            rule: "host-unnamed".to_owned(),
            origin: Origin::Network,
            verdict: Verdict::Confirm,
            span: None,
            why: format!("it wants to connect to {}, which the command does not name", self.to),
            instead: None,
            risk: if unusual { UNUSUAL } else { RISK },
            tags: vec![Tag::Network],
            contained: false,
        };
        Question {
            number: self.number,
            digest: self.digest(),
            subject: Arc::clone(&self.subject),
            verdict: finding.verdict,
            risk: finding.risk,
            findings: [finding].into(),
            history: None,
        }
    }

    /// Takes the answer. Only a yes to this very question about this very destination approves.
    ///
    /// # Errors
    /// The cause of the refusal, for everything else.
    pub fn settle(self, answer: Answer) -> Result<ApprovedHost, Cause> {
        if answer.number != self.number || answer.digest != self.digest() {
            return Err(Cause::Mismatch);
        }
        let channel = answer.says.settle()?;
        Ok(ApprovedHost { to: self.to, channel })
    }

    fn digest(&self) -> [u8; 32] {
        let action = Sha256::new_with_prefix(self.subject.action.canonical().as_bytes());
        action.chain_update(b"\0host\0").chain_update(self.to.to_string()).finalize().into()
    }
}

impl ApprovedHost {
    /// The destination.
    #[must_use]
    pub fn destination(&self) -> &Destination {
        &self.to
    }

    /// The channel of the yes.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The rule that it adds to the run's. It reaches no private address.
    #[must_use]
    pub fn rule(&self) -> HostRule {
        HostRule {
            host: HostPattern::Exact(self.to.host.clone()),
            ports: Ports::Of(vec![self.to.port]),
            protocol: Protocol::Any,
            why: Why::Answer,
            private: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Request;
    use crate::gate::Says;

    fn pending(line: &str, to: &str, number: u8) -> PendingHost {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.to_owned().into()),
            ..Request::default()
        };
        let subject = Arc::new(Proposal::parse(request).unwrap());
        PendingHost::new(subject, Destination::authority(to, None).unwrap(), Number([number; 16]))
    }

    #[test]
    fn only_a_yes_to_this_very_question_approves() {
        let yes = || Says::Yes { channel: "keys".to_owned() };
        let ours = || pending("pip install foo", "evil.example:443", 7);
        let answer = ours().question().answer(yes());
        let approved = ours().settle(answer).unwrap();
        assert_eq!(approved.destination().to_string(), "evil.example:443");
        let rule = approved.rule();
        assert!(rule.admits(approved.destination()) && !rule.private && rule.why == Why::Answer);
        assert!(!rule.admits(&Destination::authority("evil.example:80", None).unwrap()));
        for other in [
            pending("pip install foo", "evil.example:443", 8),
            pending("pip install foo", "evil.example:80", 7),
            pending("pip install foo", "good.example:443", 7),
            pending("pip install bar", "evil.example:443", 7),
        ] {
            let answer = other.question().answer(yes());
            assert_eq!(ours().settle(answer), Err(Cause::Mismatch));
        }
        let no = [
            Says::No { channel: "keys".to_owned(), reason: None },
            Says::Change { channel: "keys".to_owned(), text: "true".to_owned() },
            Says::Silence,
            Says::WrongCodes { channel: "http".to_owned() },
            Says::Withdrawn { why: "x".to_owned() },
            Says::Unasked { why: "x".to_owned() },
        ];
        for says in no {
            let answer = ours().question().answer(says.clone());
            assert!(ours().settle(answer).is_err(), "{says:?}");
        }
    }

    #[test]
    fn an_unusual_name_weighs_more() {
        let risk = |to: &str| pending("pip install foo", to, 1).question().risk;
        assert!(risk("evil.example.com:443") < risk("xn--bcher-kva.com:443"));
    }
}
