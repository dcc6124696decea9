//! Late answers: a yes to a host after the run that wanted it was refused the host, or had ended. It is kept for a while, for
//! the next run of the same command. Nothing runs by itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::action::Proposal;
use guarda_core::gate::{ApprovedHosts, Number};
use guarda_core::network::Destination;

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
    open: Mutex<Vec<(CommandKey, Vec<Destination>)>>,
}

/// A kept yes.
#[derive(Debug, Clone)]
pub(super) struct KeptYes {
    of: CommandKey,
    /// The late question.
    pub(super) number: Number,
    /// The answer.
    pub(super) approved: ApprovedHosts,
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
    of: (CommandKey, Vec<Destination>),
}

impl Drop for LateSlot {
    fn drop(&mut self) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| *other != self.of);
    }
}

impl LateAnswers {
    /// A slot for a late question; `None` if the same one is open, or too many are.
    pub(super) fn place(all: &Arc<Self>, of: CommandKey, to: Vec<Destination>) -> Option<LateSlot> {
        let of = (of, to);
        let mut open = all.open.lock().unwrap_or_else(PoisonError::into_inner);
        let free = open.len() < MOST_OPEN && !open.contains(&of);
        free.then(|| {
            open.push(of.clone());
            LateSlot { all: Arc::clone(all), of }
        })
    }

    /// Keeps a yes.
    pub(super) fn keep(&self, of: CommandKey, number: Number, approved: ApprovedHosts, now: Instant) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push((now, KeptYes { of, number, approved }));
    }

    /// Takes the kept yes of a command for these destinations. It is removed: one yes, one run.
    pub(super) fn take(&self, of: &CommandKey, to: &[Destination], now: Instant) -> Option<KeptYes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(since, _)| now.duration_since(*since) < LIFE);
        let at = kept.iter().position(|(_, kept)| kept.of == *of && kept.approved.covers(to).is_some())?;
        Some(kept.remove(at).1)
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
        late.keep(of.clone(), Number([2; 16]), yes.clone(), now);
        for (other, host) in [
            (subject("pip install bar", "/a", Some("s")), "a.example:443"),
            (subject("pip install foo", "/b", Some("s")), "a.example:443"),
            (subject("pip install foo", "/a", None), "a.example:443"),
            (subject("pip install foo", "/a", Some("s")), "a.example:80"),
            (subject("pip install foo", "/a", Some("s")), "c.example:443"),
        ] {
            assert!(late.take(&CommandKey::of(&other), &[to(host)], now).is_none(), "{other:?} {host}");
        }
        let kept = late.take(&of, &[to("b.example:443")], now).unwrap();
        assert_eq!(
            kept.approved.covers(&[to("a.example:443")]).unwrap().destinations(),
            [to("a.example:443")]
        );
        assert!(late.take(&of, &[to("b.example:443")], now).is_none(), "it was taken");
        late.keep(of.clone(), Number([3; 16]), yes, now);
        assert!(late.take(&of, &[to("a.example:443")], now + LIFE).is_none(), "it is old");
    }

    #[test]
    fn late_questions_are_few_and_none_stands_twice() {
        let all = Arc::new(LateAnswers::default());
        let place = |line: &str| {
            LateAnswers::place(&all, CommandKey::of(&subject(line, "/", None)), vec![to("a.example:1")])
        };
        let mut places: Vec<LateSlot> =
            (0..MOST_OPEN).map(|number| place(&format!("curl {number}")).unwrap()).collect();
        assert!(place("curl x").is_none());
        places.pop();
        assert!(place("curl 0").is_none() && place("curl x").is_some());
    }
}
