//! Late answers: a yes after the run that wanted a host had gone on without it, or after an agent's command was refused because
//! nobody answered. It is kept for a while, for the next run of the same command. Nothing runs by itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::action::Proposal;
use guarda_core::gate::{ApprovedHosts, Number, Question};
use guarda_core::network::Destination;
use guarda_core::policy::Verdict;

/// How long a late answer is accepted, and how long it is then kept.
pub(super) const LIFE: Duration = Duration::from_secs(600);
/// The most answers that are kept; the oldest gives way.
const MOST_KEPT: usize = 64;
/// The most late questions that are open at once.
const MOST_OPEN: usize = 16;

/// The late answers, and the questions that may still get one.
#[derive(Debug, Default)]
pub(super) struct LateAnswers {
    kept: Mutex<Vec<(Instant, KeptYes)>>,
    open: Mutex<Vec<(CommandKey, LateAbout)>>,
    /// Commands whose askers were told what a cell refused.
    told: Mutex<Vec<(Instant, CommandKey, uuid::Uuid)>>,
}

/// What a late question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LateAbout {
    /// Hosts that a run of the command wanted.
    Hosts(Vec<Destination>),
    /// The command itself, or what it would change: the question's digest.
    Action([u8; 32]),
}

/// A late yes.
#[derive(Debug, Clone)]
pub(super) enum LateYes {
    /// To hosts.
    Hosts(ApprovedHosts),
    /// To the command, or to what it would change.
    Action(LateApproval),
}

/// A late yes to a command. It counts only for a question that is no graver than the one that was answered.
#[derive(Debug, Clone)]
pub(super) struct LateApproval {
    digest: [u8; 32],
    verdict: Verdict,
    risk: f32,
    channel: String,
}

impl LateApproval {
    /// A yes to this question in this channel.
    pub(super) fn of(question: &Question, channel: &str) -> Self {
        let Question { digest, verdict, risk, .. } = *question;
        Self { digest, verdict, risk, channel: channel.to_owned() }
    }

    fn covers(&self, question: &Question) -> bool {
        self.digest == question.digest && question.verdict <= self.verdict && question.risk <= self.risk
    }
}

/// A kept yes.
#[derive(Debug, Clone)]
struct KeptYes {
    of: CommandKey,
    /// The late question.
    number: Number,
    /// The answer.
    yes: LateYes,
}

/// A command as a person sees it in a question: its text, its folder and its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandKey {
    action: String,
    folder: Option<String>,
    session: Option<String>,
}

impl CommandKey {
    pub(super) fn of(subject: &Proposal) -> Self {
        Self {
            action: subject.action.canonical(),
            folder: subject.claims.cwd.clone(),
            session: subject.claims.session.clone(),
        }
    }
}

/// The slot of a late question; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct LateSlot {
    all: Arc<LateAnswers>,
    of: (CommandKey, LateAbout),
}

impl Drop for LateSlot {
    fn drop(&mut self) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| *other != self.of);
    }
}

impl LateAnswers {
    /// A slot for a late question; `None` if the same one is open, or too many are.
    pub(super) fn place(all: &Arc<Self>, of: CommandKey, about: LateAbout) -> Option<LateSlot> {
        let of = (of, about);
        let mut open = all.open.lock().unwrap_or_else(PoisonError::into_inner);
        let free = open.len() < MOST_OPEN && !open.contains(&of);
        free.then(|| {
            open.push(of.clone());
            LateSlot { all: Arc::clone(all), of }
        })
    }

    /// Whether an asker that was told by an earlier request what a cell refused has sent the same command again. Otherwise it is
    /// told in this request.
    pub(super) fn insists(&self, of: CommandKey, request: uuid::Uuid, now: Instant) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|(since, ..)| now.duration_since(*since) < LIFE);
        if let Some((.., by)) = told.iter().find(|(_, known, _)| *known == of) {
            return *by != request;
        }
        if told.len() >= MOST_KEPT {
            told.remove(0);
        }
        told.push((now, of, request));
        false
    }

    /// Keeps a yes.
    pub(super) fn keep(&self, of: CommandKey, number: Number, yes: LateYes, now: Instant) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push((now, KeptYes { of, number, yes }));
    }

    /// Takes the kept yes of a command for these destinations. It is removed: one yes, one run.
    pub(super) fn take(
        &self,
        of: &CommandKey,
        to: &[Destination],
        now: Instant,
    ) -> Option<(Number, ApprovedHosts)> {
        self.remove(of, now, |yes| match yes {
            LateYes::Hosts(approved) => approved.covers(to).is_some().then(|| approved.clone()),
            LateYes::Action(_) => None,
        })
    }

    /// Takes the kept yes of a command for this question: the channel in which it was given.
    pub(super) fn answer(&self, question: &Question, now: Instant) -> Option<String> {
        let taken = self.remove(&CommandKey::of(&question.subject), now, |yes| match yes {
            LateYes::Action(yes) => yes.covers(question).then(|| yes.channel.clone()),
            LateYes::Hosts(_) => None,
        });
        taken.map(|(_, channel)| channel)
    }

    fn remove<T>(
        &self,
        of: &CommandKey,
        now: Instant,
        wanted: impl Fn(&LateYes) -> Option<T>,
    ) -> Option<(Number, T)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(since, _)| now.duration_since(*since) < LIFE);
        let fits = |kept: &KeptYes| (kept.of == *of).then(|| wanted(&kept.yes)).flatten();
        let (at, yes) = kept.iter().enumerate().find_map(|(at, (_, kept))| Some((at, fits(kept)?)))?;
        Some((kept.remove(at).1.number, yes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Request;
    use guarda_core::gate::{PendingHosts, Says};

    fn subject(line: &str, folder: &str, session: Option<&str>) -> Arc<Proposal> {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.to_owned().into()),
            cwd: Some(folder.to_owned()),
            session: session.map(str::to_owned),
            ..Request::default()
        };
        Arc::new(Proposal::parse(request).unwrap())
    }

    fn to(host: &str) -> Destination {
        Destination::authority(host, None).unwrap()
    }

    fn approved(subject: &Arc<Proposal>, to: Vec<Destination>) -> ApprovedHosts {
        let pending = PendingHosts::new(Arc::clone(subject), to, Number([1; 16]));
        let answer = pending.question().answer(Says::Yes { channel: "http".to_owned() });
        pending.settle(answer).unwrap()
    }

    #[test]
    fn a_late_yes_is_for_one_run_of_that_command_and_not_for_long() {
        let (late, now) = (LateAnswers::default(), Instant::now());
        let asked = subject("pip install foo", "/a", Some("s"));
        let yes = approved(&asked, vec![to("a.example:443"), to("b.example:443")]);
        let of = CommandKey::of(&asked);
        late.keep(of.clone(), Number([2; 16]), LateYes::Hosts(yes.clone()), now);
        for (other, host) in [
            (subject("pip install bar", "/a", Some("s")), "a.example:443"),
            (subject("pip install foo", "/b", Some("s")), "a.example:443"),
            (subject("pip install foo", "/a", None), "a.example:443"),
            (subject("pip install foo", "/a", Some("s")), "a.example:80"),
            (subject("pip install foo", "/a", Some("s")), "c.example:443"),
        ] {
            assert!(late.take(&CommandKey::of(&other), &[to(host)], now).is_none(), "{other:?} {host}");
        }
        let (number, kept) = late.take(&of, &[to("b.example:443")], now).unwrap();
        assert_eq!(number, Number([2; 16]));
        assert_eq!(kept.covers(&[to("a.example:443")]).unwrap().destinations(), [to("a.example:443")]);
        assert!(late.take(&of, &[to("b.example:443")], now).is_none(), "it was taken");
        late.keep(of.clone(), Number([3; 16]), LateYes::Hosts(yes), now);
        assert!(late.take(&of, &[to("a.example:443")], now + LIFE).is_none(), "it is old");
    }

    #[test]
    fn a_late_yes_to_a_command_counts_for_no_graver_question() {
        let question = |line: &str, digest: u8, verdict, risk| Question {
            number: Number([1; 16]),
            digest: [digest; 32],
            subject: subject(line, "/a", Some("s")),
            findings: Arc::from([]),
            verdict,
            history: None,
            risk,
        };
        let asked = question("make install", 1, Verdict::Confirm, 0.5);
        for (again, counts) in [
            (question("make install", 1, Verdict::Confirm, 0.5), true),
            (question("make install", 1, Verdict::Review, 0.2), true),
            (question("make install", 2, Verdict::Confirm, 0.5), false),
            (question("make all", 1, Verdict::Confirm, 0.5), false),
            (question("make install", 1, Verdict::Password, 0.5), false),
            (question("make install", 1, Verdict::Confirm, 0.9), false),
        ] {
            let (late, now) = (LateAnswers::default(), Instant::now());
            let yes = LateYes::Action(LateApproval::of(&asked, "http"));
            late.keep(CommandKey::of(&asked.subject), Number([2; 16]), yes, now);
            assert_eq!(late.answer(&again, now).is_some(), counts, "{again:?}");
            assert!(late.answer(&asked, now).is_none() == counts, "one yes, one run");
        }
    }

    #[test]
    fn late_questions_are_few_and_none_stands_twice() {
        let all = Arc::new(LateAnswers::default());
        let place = |line: &str| {
            let about = LateAbout::Hosts(vec![to("a.example:1")]);
            LateAnswers::place(&all, CommandKey::of(&subject(line, "/", None)), about)
        };
        let mut places: Vec<LateSlot> =
            (0..MOST_OPEN).map(|number| place(&format!("curl {number}")).unwrap()).collect();
        assert!(place("curl x").is_none());
        places.pop();
        assert!(place("curl 0").is_none() && place("curl x").is_some());
    }
}
