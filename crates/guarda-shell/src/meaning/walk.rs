//! Turns the shape of a script into its runs: what starts, in which scope.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::script::{Input, Step, When};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{AndOr, Body, Command, Link, List, Pipeline};

impl Evaluator<'_> {
    pub fn list(&mut self, list: List, scope: &Scope) -> Result<(), Stop> {
        for item in list.items {
            self.work.spend(1)?;
            self.item(item, scope)?;
        }
        Ok(())
    }

    fn item(&mut self, item: AndOr, scope: &Scope) -> Result<(), Stop> {
        if item.background {
            self.steps = None;
            let mark = self.vars.mark();
            let inner = Scope { beside: true, ..scope.perhaps() };
            self.chain(item, &inner)?;
            let _ = self.vars.undo(mark);
            return Ok(());
        }
        self.chain(item, scope)
    }

    fn chain(&mut self, item: AndOr, scope: &Scope) -> Result<(), Stop> {
        self.step(When::Always, item.first, scope)?;
        let start = self.vars.mark();
        let mut flows = true;
        for (link, pipeline) in item.rest {
            let when = match link {
                Link::And => When::Success,
                Link::Or => When::Failure,
            };
            flows &= link == Link::And;
            if !flows {
                self.vars.blur(start);
            }
            if scope.top {
                let inner = Scope { certain: false, ..scope.clone() };
                self.step(when, pipeline, &inner)?;
            } else {
                let inner = scope.perhaps();
                self.step(when, pipeline, &inner)?;
            }
        }
        self.vars.blur(start);
        Ok(())
    }

    fn step(&mut self, when: When, pipeline: Pipeline, scope: &Scope) -> Result<(), Stop> {
        let negated = pipeline.negated;
        let plannable = scope.top && self.steps.is_some() && !pipeline.timed;
        let runs = self.pipeline(pipeline, scope)?;
        if scope.top {
            match (&mut self.steps, runs) {
                (Some(steps), Some(runs)) if plannable => steps.push(Step { when, negated, runs }),
                _ => self.steps = None,
            }
        }
        Ok(())
    }

    /// Evaluates a pipeline. Returns the runs of its commands if all of them are simple.
    fn pipeline(&mut self, pipeline: Pipeline, scope: &Scope) -> Result<Option<Vec<usize>>, Stop> {
        if pipeline.commands.len() == 1 {
            let mut ids = None;
            for command in pipeline.commands {
                ids = self.command(command, scope)?.map(|id| vec![id]);
            }
            return Ok(ids);
        }
        let mut ids = Some(Vec::new());
        let mut input = scope.input.clone();
        let count = pipeline.commands.len();
        for (index, command) in pipeline.commands.into_iter().enumerate() {
            let last = index + 1 == count;
            let pipe = if last {
                scope.pipe
            } else {
                self.next_pipe += 1;
                self.next_pipe
            };
            let weight = match &input {
                Input::Pipe(from) => from.len(),
                Input::Inherited | Input::Redirected => 0,
            };
            self.work.spend(weight + scope.redirects.len() + 1)?;
            let inner = Scope { input, pipe, certain: false, beside: true, ..scope.clone() };
            let first = self.runs.len();
            let mark = self.vars.mark();
            match (self.command(command, &inner)?, &mut ids) {
                (Some(id), Some(ids)) => ids.push(id),
                _ => ids = None,
            }
            let _ = self.vars.undo(mark);
            let pipes = self.pipes.get(first..).unwrap_or(&[]);
            self.work.spend(pipes.len())?;
            input = Input::Pipe(
                pipes.iter().enumerate().filter(|(_, to)| **to == pipe).map(|(at, _)| first + at).collect(),
            );
        }
        Ok(ids)
    }

    /// Evaluates one command. Returns the run's index if it is a simple one.
    pub fn command(&mut self, command: Command, scope: &Scope) -> Result<Option<usize>, Stop> {
        match command.body {
            Body::Simple(simple) => self.simple(simple, command.errors, scope).map(Some),
            Body::Compound(compound) => {
                self.compound(*compound, command.errors, scope)?;
                Ok(None)
            }
        }
    }
}
