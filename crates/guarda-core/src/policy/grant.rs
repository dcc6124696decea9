//! Which lines have a shape that a person may grant, and which lines grants cover.

use std::collections::{BTreeMap, BTreeSet};

use guarda_shell::script::{Input, Reach, Redirect, Run, Script, Word};
use uuid::Uuid;

use crate::catalogue::{LIMITS, STATELESS, base_name, exchange, fetches, without_quiet};
use crate::policy::history::{LASTING_RISK, Yields, is_asked_each_time, yields};
use crate::policy::line::budget::Budget;
use crate::policy::line::context::JudgeContext;
use crate::policy::shape::{CommandShape, RunShape, StandingGrant, WordShape, exact, origin};
use crate::policy::strict::closed;
use crate::policy::{Finding, Hindrance, Policy, Program, Situation, Verdict};

/// A grant that covers a line, and whether it does so only while the line's changes are held back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Covered<T> {
    pub(crate) by: T,
    /// The places of the reasons that it covers, among all of them.
    pub(crate) reasons: Vec<usize>,
    /// What one of its programs does is decided by files.
    pub(crate) staged: bool,
}

/// A command whose words are all literal.
struct LiteralRun<'a> {
    program: &'a str,
    words: Vec<&'a str>,
    folder: Option<&'a str>,
    launches: bool,
}

impl LiteralRun<'_> {
    /// The widest shape that a grant for it has.
    fn shape(&self, rules: BTreeSet<String>, situation: &Situation) -> RunShape {
        let remotes: BTreeSet<&str> =
            situation.network.remotes.iter().map(|(name, _)| name.as_str()).collect();
        let remotes: Vec<&str> = remotes.into_iter().collect();
        let fetches = fetches(&self.words);
        let words = match exchange(&self.words, &remotes) {
            Some(words) => words.map(exact).into_iter().chain([WordShape::Names]).collect(),
            None => {
                let name = self.words.first().map(|name| base_name(name)).unwrap_or_default();
                let of = |word: &str| match origin(word).filter(|_| fetches) {
                    Some(origin) => WordShape::Origin(origin),
                    None => exact(word),
                };
                without_quiet(name, &self.words).map(of).collect::<Vec<_>>()
            }
        };
        let anywhere = |word: &WordShape| match word {
            WordShape::Exact(text) => text.starts_with('-'),
            WordShape::Origin(_) => true,
            WordShape::Names => false,
        };
        let anywhere = fetches && words.iter().skip(1).all(anywhere);
        let folder = if anywhere { None } else { self.folder.map(str::to_owned) };
        RunShape { program: self.program.to_owned(), words, folder, rules }
    }
}

/// A line whose commands can have a shape.
struct LiteralLine<'a> {
    policy: &'a Policy,
    context: JudgeContext<'a>,
}

impl Policy {
    /// The shape that a grant for a line would have, by the reasons for asking about it.
    ///
    /// # Errors
    /// Why no grant can cover it.
    pub(crate) fn shape(
        &self,
        script: &Script,
        situation: &Situation,
        findings: &[Finding],
    ) -> Result<Covered<CommandShape>, Hindrance> {
        let budget = Budget::for_line(script.length());
        let line = LiteralLine::new(self, script, situation, &budget)?;
        let mut asked: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut reasons = Vec::new();
        for (place, finding) in asking(findings) {
            if let Some((at, rule)) = line.run_of(finding)? {
                asked.entry(at).or_default().insert(rule.to_owned());
                reasons.push(place);
            }
        }
        let mut staged = false;
        let mut shape = |(at, rules)| {
            let run = line.literal(at)?;
            staged |= run.launches;
            Ok(run.shape(rules, situation))
        };
        let runs = asked.into_iter().map(&mut shape).collect::<Result<Vec<_>, _>>()?;
        if runs.is_empty() {
            Err(Hindrance::Strict)
        } else {
            Ok(Covered { by: CommandShape { runs }, reasons, staged })
        }
    }

    /// The grants that cover every reason for asking about a line; `None` if one is not covered, or there is none.
    pub(crate) fn grants_for(
        &self,
        script: &Script,
        situation: &Situation,
        findings: &[Finding],
    ) -> Option<Covered<BTreeSet<Uuid>>> {
        if situation.grants.is_empty() {
            return None;
        }
        let budget = Budget::for_line(script.length());
        let line = LiteralLine::new(self, script, situation, &budget).ok()?;
        let (mut by, mut reasons, mut staged) = (BTreeSet::new(), Vec::new(), false);
        for (place, finding) in asking(findings) {
            let Some((at, rule)) = line.run_of(finding).ok()? else { continue };
            let run = line.literal(at).ok()?;
            staged |= run.launches;
            let run = run.shape(BTreeSet::new(), situation);
            let covers =
                |grant: &&StandingGrant| grant.shape.runs.iter().any(|known| known.covers(&run, rule));
            by.insert(situation.grants.iter().find(covers)?.id);
            reasons.push(place);
        }
        (!by.is_empty()).then_some(Covered { by, reasons, staged })
    }
}

impl<'a> LiteralLine<'a> {
    /// # Errors
    /// Why no command of the line can have a shape.
    fn new(
        policy: &'a Policy,
        script: &'a Script,
        situation: &'a Situation,
        budget: &'a Budget,
    ) -> Result<Self, Hindrance> {
        if script.plan().is_none() || !script.doubts().is_empty() || !script.disguises().is_empty() {
            return Err(Hindrance::Unknown);
        }
        for run in script.runs() {
            // What the shell keeps from one command to the next could change what the next one does.
            let quiet = !run.builtin || run.program().is_some_and(|name| STATELESS.contains(&name));
            if !run.assigns.is_empty() || !quiet {
                return Err(Hindrance::Variables);
            }
        }
        Ok(Self { policy, context: JudgeContext::new(script, situation, budget) })
    }

    /// The command that a reason for asking is about, and the rule of a grant that covers it; `None` if the reason is void where
    /// the line's changes are held back.
    fn run_of<'f>(&self, finding: &'f Finding) -> Result<Option<(usize, &'f str)>, Hindrance> {
        let span = finding.span.ok_or(Hindrance::EachTime)?;
        let runs = self.context.script.runs().iter().enumerate();
        let around = runs.filter(|(_, run)| run.span.start <= span.start && span.end <= run.span.end);
        let (at, run) =
            around.min_by_key(|(_, run)| run.span.end - run.span.start).ok_or(Hindrance::Unknown)?;
        let held = !self.context.situation.stage.is_empty();
        let connects = run.redirects.iter().any(is_device);
        let void = finding.contained || held && is_about_changes(finding) && !connects;
        if void && !self.policy.is_sender(run) {
            // What takes its work from files would have the network of the others.
            let launches = !limits(run) && self.program(run)?.1;
            return if launches { Err(Hindrance::Launcher) } else { Ok(None) };
        }
        // It is written where it is held back. That the program is not known to only read goes without saying beside it.
        let rule = if held && !connects && finding.rule == WRITES { UNKNOWN } else { &finding.rule };
        if rule == finding.rule && (is_asked_each_time(finding) || yields(finding) < Yields::ToOverride) {
            return Err(Hindrance::EachTime);
        }
        if finding.risk >= LASTING_RISK {
            return Err(Hindrance::Risky);
        }
        // What it is given to send or to read could differ each time.
        if run.input == Input::Inherited { Ok(Some((at, rule))) } else { Err(Hindrance::Unknown) }
    }

    /// A command by its words.
    ///
    /// # Errors
    /// Why they do not say all that it does.
    fn literal(&self, at: usize) -> Result<LiteralRun<'_>, Hindrance> {
        let run: &Run = self.context.run(at).ok_or(Hindrance::NoProgram)?;
        let started = match &run.reach {
            Reach::Plain => run.parent.is_none(),
            Reach::Wrapper(name) => LIMITS.contains(&name.as_str()),
            Reach::Substitution | Reach::Text(_) => false,
        };
        if !started || !limits(run) && self.context.children(at).next().is_some() {
            return Err(Hindrance::Starts);
        }
        if run.redirects.iter().any(|redirect| !closed::harmless(redirect) && is_device(redirect)) {
            return Err(Hindrance::Unknown);
        }
        let words = run.words.iter().map(Word::literal).collect::<Option<Vec<&str>>>();
        let words = words.ok_or(Hindrance::Unknown)?;
        let (program, launches) = self.program(run)?;
        Ok(LiteralRun { program, words, folder: self.context.cwd(at), launches })
    }

    /// The real path of a run's program, or the name of a builtin, and whether it takes its work from files.
    fn program(&self, run: &'a Run) -> Result<(&'a str, bool), Hindrance> {
        let name = run.program().ok_or(Hindrance::NoProgram)?;
        let path = match self.context.situation.programs.get(name) {
            // No line with a function has a plan, so this is the shell's own.
            _ if run.builtin => name,
            Some(Program::System(path)) => path,
            Some(Program::Elsewhere(_)) => return Err(Hindrance::Elsewhere),
            Some(Program::Missing) => return Err(Hindrance::Missing),
            None => return Err(Hindrance::Unseen),
        };
        Ok((path, self.policy.listed("launchers", base_name(name))))
    }
}

/// The rule about what a redirection writes.
const WRITES: &str = "write-file";
/// The rule about programs that no other rule speaks of.
const UNKNOWN: &str = "default";

/// Whether a redirection opens a device or an unknown target. Bash connects to another machine for `/dev/tcp`.
fn is_device(redirect: &Redirect) -> bool {
    redirect.kind.opens()
        && redirect.target.literal().is_none_or(|path| path.starts_with("/dev/"))
        && !closed::harmless(redirect)
}

/// Whether a reason for asking is only about what changes here, which is judged by itself where it is held back.
fn is_about_changes(finding: &Finding) -> bool {
    finding.verdict <= Verdict::Confirm && finding.origin.judges_words() && finding.is_about_changes()
}

fn limits(run: &Run) -> bool {
    run.program().is_some_and(|name| LIMITS.contains(&name))
}

/// The reasons for asking, each with its place among all findings.
fn asking(findings: &[Finding]) -> impl Iterator<Item = (usize, &Finding)> {
    findings.iter().enumerate().filter(|(_, finding)| finding.asks())
}

#[cfg(test)]
mod tests;
