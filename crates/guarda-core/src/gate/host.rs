//! A question about destinations that a running command wants and no rule admits: one, or the remaining ones
//! of a run that wants too many. A yes admits these destinations to that run and nothing else.

use crate::policy::{Origin, Tag};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Answer, Cause, Number, Question, Span};
use crate::action::Proposal;
use crate::network::{Destination, HostPattern, HostRule, Looks, Ports, Protocol, Why};
use crate::policy::{Finding, Verdict};

/// Destinations that wait for a person's answer. Not `Clone`: they are settled once.
#[derive(Debug)]
#[must_use]
pub struct PendingHosts {
    subject: Arc<Proposal>,
    to: Vec<Destination>,
    number: Number,
}

/// Permission for one run to reach these destinations. Only [`PendingHosts::settle`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedHosts {
    to: Vec<Destination>,
    channel: String,
    all: bool,
}

/// The risk of a host without anything unusual.
const RISK: f32 = 0.4;
/// The risk of a host with an unusual name.
const UNUSUAL: f32 = 0.6;

impl PendingHosts {
    /// Asks whether the run of `subject` may reach `to`. `number` is 128 fresh random bits.
    pub fn new(subject: Arc<Proposal>, to: Vec<Destination>, number: Number) -> Self {
        Self { subject, to, number }
    }

    /// The question to put to a person.
    #[must_use]
    pub fn question(&self) -> Question {
        let unusual = self.to.iter().any(|to| !Looks::of(&to.host).unusual.is_empty());
        let names: Vec<String> = self.to.iter().map(Destination::to_string).collect();
        let why = format!("it wants to connect to {}, which nothing admits", names.join(", "));
        let risk = if unusual { UNUSUAL } else { RISK };
        let finding = Finding::new("host-unnamed", Origin::Network, Verdict::Confirm, risk, why);
        let finding = Finding { tags: vec![Tag::Network], ..finding };
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

    /// Takes the answer. Only a yes to this very question about these very destinations approves.
    ///
    /// # Errors
    /// The cause of the refusal, for everything else.
    pub fn settle(self, answer: Answer) -> Result<ApprovedHosts, Cause> {
        if answer.number != self.number || answer.digest != self.digest() {
            return Err(Cause::Mismatch);
        }
        // Here, *always* means every host until this run ends.
        let all = matches!(answer.lasting(), Some((_, Span::Always)));
        let channel = answer.says.settle()?;
        Ok(ApprovedHosts { to: self.to, channel, all })
    }

    fn digest(&self) -> [u8; 32] {
        let action = Sha256::new_with_prefix(self.subject.action.canonical().as_bytes());
        let named =
            |hash: Sha256, to: &Destination| hash.chain_update(b"\0host\0").chain_update(to.to_string());
        self.to.iter().fold(action, named).finalize().into()
    }
}

impl ApprovedHosts {
    /// The destinations.
    #[must_use]
    pub fn destinations(&self) -> &[Destination] {
        &self.to
    }

    /// The channel of the yes.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// True if the person approved every other host of the run, too.
    #[must_use]
    pub fn all(&self) -> bool {
        self.all
    }

    /// This permission, if it includes the destinations or is for all hosts.
    #[must_use]
    pub fn covers(&self, to: &[Destination]) -> Option<Self> {
        let within = self.all || to.iter().all(|to| self.to.contains(to));
        within.then(|| Self { to: to.to_vec(), ..self.clone() })
    }

    /// The rules to add to the run's. They admit no private address.
    pub fn rules(&self) -> impl Iterator<Item = HostRule> {
        self.to.iter().map(|to| HostRule {
            host: HostPattern::Exact(to.host.clone()),
            ports: Ports::Of(vec![to.port]),
            protocol: Protocol::Any,
            why: if self.all { Why::All } else { Why::Answer },
            private: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Request;
    use crate::gate::{NoAnswer, Says};

    fn pending(line: &str, to: &str, number: u8) -> PendingHosts {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.to_owned().into()),
            ..Request::default()
        };
        let subject = Arc::new(Proposal::parse(request).unwrap());
        let to = to.split(' ').map(|to| Destination::authority(to, None).unwrap()).collect();
        PendingHosts::new(subject, to, Number([number; 16]))
    }

    #[test]
    fn only_a_yes_to_this_very_question_approves() {
        let yes = || Says::Yes { channel: "keys".to_owned() };
        let ours = || pending("pip install foo", "evil.example:443", 7);
        let answer = ours().question().answer(yes());
        let approved = ours().settle(answer).unwrap();
        let (to, rule) = (&approved.destinations()[0], approved.rules().next().unwrap());
        assert_eq!(to.to_string(), "evil.example:443");
        assert!(rule.admits(to) && !rule.private && rule.why == Why::Answer);
        assert!(!rule.admits(&Destination::authority("evil.example:80", None).unwrap()));
        for other in [
            pending("pip install foo", "evil.example:443", 8),
            pending("pip install foo", "evil.example:80", 7),
            pending("pip install foo", "evil.example:443 good.example:443", 7),
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
            Says::Withdrawn { why: NoAnswer::Gone },
            Says::Unasked { why: NoAnswer::Closing },
        ];
        for says in no {
            let answer = ours().question().answer(says.clone());
            assert!(ours().settle(answer).is_err(), "{says:?}");
        }
    }

    #[test]
    fn a_yes_is_narrowed_and_reaches_all_hosts_only_if_it_says_so() {
        let settled = |says: fn(String) -> Says| {
            let ours = pending("pip install foo", "a.example:443 b.example:443", 7);
            let answer = ours.question().answer(says("terminal".to_owned()));
            ours.settle(answer).unwrap()
        };
        let to = |to: &str| Destination::authority(to, None).unwrap();
        let (yes, all) = (
            settled(|channel| Says::Yes { channel }),
            settled(|channel| Says::Lasting { channel, span: Span::Always }),
        );
        let narrowed = yes.covers(&[to("b.example:443")]).unwrap();
        assert_eq!(narrowed.destinations(), [to("b.example:443")]);
        assert_eq!(yes.covers(&[to("a.example:443"), to("c.example:443")]), None);
        assert_eq!(yes.covers(&[to("a.example:80")]), None);
        assert_eq!((yes.all(), all.all()), (false, true));
        let wider = all.covers(&[to("c.example:443")]).unwrap();
        let rule = wider.rules().next().unwrap();
        assert!(rule.admits(&to("c.example:443")) && !rule.admits(&to("c.example:80")));
        assert_eq!((rule.why, rule.private), (Why::All, false));
    }

    #[test]
    fn an_unusual_name_weighs_more() {
        let risk = |to: &str| pending("pip install foo", to, 1).question().risk;
        assert!(risk("evil.example.com:443") < risk("xn--bcher-kva.com:443"));
    }
}
