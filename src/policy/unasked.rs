//! What may be done unasked: a run that a rule lets through, that only asks for help, or that only lists.

use crate::action::script::{Run, Script};
use crate::policy::closed::{self, Departure};
use crate::policy::command::plain;
use crate::policy::fuel::Fuel;
use crate::policy::scene::{Scene, base_name};
use crate::policy::{Finding, Policy, Program, Situation, Verdict};

impl Policy {
    /// The rules that let through: the first that fits, or the reason why none does.
    pub(super) fn judge_closed(
        &self,
        scene: &Scene<'_>,
        index: usize,
        run: &Run,
    ) -> Result<Option<Finding>, Departure> {
        let Some(program) = run.program() else { return Ok(None) };
        let name = base_name(program);
        if run.builtin && !self.is_builtin(name) {
            // A function of the line: what it does is judged where it is defined.
            return Ok(Some(plain(
                "function",
                Verdict::Allow,
                run.span,
                "calls a function of the line".to_owned(),
            )));
        }
        let mut furthest: Option<Departure> = None;
        for rule in self.rules_for(Some(name)).filter(|rule| rule.verdict == Verdict::Allow) {
            let Ok(ready) = rule.ready(self.names()) else { continue };
            match closed::read(self, rule, ready, scene, index, run) {
                Ok(()) => {
                    self.trusted(scene, run, program)?;
                    return Ok(Some(rule.finding(run.span)));
                }
                Err(departure) => {
                    if furthest.as_ref().is_none_or(|known| known.depth <= departure.depth) {
                        furthest = Some(departure);
                    }
                }
            }
        }
        if self.asks_for_help(run) {
            self.trusted(scene, run, program)?;
            return Ok(Some(plain(
                "help",
                Verdict::Allow,
                run.span,
                "only shows its help or version".to_owned(),
            )));
        }
        if self.only_lists(scene, index, run, furthest.is_some()) {
            return Ok(Some(plain(
                "listing",
                Verdict::Allow,
                run.span,
                "only lists or shows what there is".to_owned(),
            )));
        }
        furthest.map_or(Ok(None), Err)
    }

    /// True if a rule itself lets one of the runs through.
    pub(super) fn lets_through(
        &self,
        rule: &crate::policy::Rule,
        script: &Script,
        situation: &Situation,
    ) -> bool {
        let fuel = Fuel::for_line(script.source().len());
        let scene = Scene::new(script, situation, &fuel);
        let Ok(ready) = rule.ready(self.names()) else { return false };
        script.runs().iter().enumerate().any(|(index, run)| {
            self.rules_for(run.program().map(base_name)).any(|known| known.id == rule.id)
                && closed::read(self, rule, ready, &scene, index, run).is_ok()
        })
    }

    /// True if one of our own rules lets the run through; what a person's layers have added or changed does not count.
    pub(super) fn only_reads(&self, scene: &Scene<'_>, index: usize, run: &Run) -> bool {
        self.judge_closed(scene, index, run)
            .is_ok_and(|found| found.is_some_and(|finding| finding.layer == "built-in"))
    }

    /// `prog --help`, `prog --version`, `prog sub --help`: nothing else is read from the line.
    fn asks_for_help(&self, run: &Run) -> bool {
        let Some((last, before)) = run.words.split_last() else { return false };
        let Some((program, sub)) = before.split_first() else { return false };
        let asks = match last.literal() {
            Some("--help") => sub.len() <= 3,
            Some("--version" | "-h" | "-V" | "-v" | "-help" | "-version" | "help" | "version") => {
                sub.is_empty()
            }
            _ => false,
        };
        let name = program.literal().map(base_name).unwrap_or_default();
        asks && sub.iter().all(|word| word.literal().is_some_and(closed::plain_name))
            && !sub.iter().any(|word| word.literal().is_some_and(|text| text.contains('.')))
            && (sub.is_empty()
                || !self.listed("launchers", name)
                || self.listed("managers", name)
                    && !sub
                        .iter()
                        .any(|word| word.literal().is_none_or(|text| self.listed("doing-words", text))))
            && (last.literal().is_some_and(|text| text.starts_with("--")) || self.listed("short-help", name))
    }

    /// Whether the program is the one that the rules speak of, and not another of the same name.
    pub(super) fn trusted(&self, scene: &Scene<'_>, run: &Run, program: &str) -> Result<(), Departure> {
        let fail = |why: String| {
            let span = run.words.first().map_or(run.span, |word| word.span);
            Err(Departure { why, span, depth: 2000 })
        };
        if run.builtin && !program.contains('/') {
            return Ok(());
        }
        match scene.situation.programs.get(program) {
            Some(Program::System(_)) => Ok(()),
            Some(Program::Missing) if !program.contains('/') => Ok(()),
            Some(Program::Missing) => fail(format!("there is no program {program:?}")),
            Some(Program::Elsewhere(path)) => fail(format!("{path:?} is not in a folder of the system")),
            None => fail(format!("{program:?} was not looked up")),
        }
    }
}
