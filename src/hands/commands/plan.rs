//! Runs a plan without a shell: pipelines, conditions and redirections, with argument vectors throughout.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use crate::devices::filesystem::files;
use crate::devices::filesystem::paths::{self, Is, Walk};
use crate::devices::filesystem::patterns;
use guarda_core::action::Way;
use guarda_core::policy::Program;
use guarda_core::policy::variable::leads_nowhere;
use guarda_sandbox::process::{Start, Status, Streams};
use guarda_shell::script::{Plan, Run, Script, Step, When, Word};

use crate::hands::commands::cells::{Cells, NoStart, Number};
use crate::hands::commands::sandbox_plan::SandboxNeed;
use crate::hands::commands::{streams, streams::Descriptors, streams::RedirectionError};
use crate::hands::deeds::Deed;

/// Builtins that this runner implements.
const OWN: &[&str] = &["cd", "true", "false", ":"];
/// Builtins that also exist as programs with the same behaviour.
const PROGRAMS_TOO: &[&str] = &["echo", "printf", "test", "[", "pwd", "kill"];

/// A shell's exit status for a missing program.
pub(in crate::hands) const NOT_FOUND: i32 = 127;
/// A shell's exit status for a file that cannot be run.
const NOT_RUNNABLE: i32 = 126;

/// Why a plan stopped.
#[derive(Debug)]
pub(in crate::hands) enum Stopped {
    /// A file differs from the one that was judged.
    Changed(String),
    /// The machine failed.
    Broken(String),
    /// The required sandbox cannot be made.
    Unkept(String),
}

/// How the last command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hands) enum Last {
    /// A program ended with this status.
    Ran(Status),
    /// There was no such program.
    Missing(String),
}

impl Last {
    pub(in crate::hands) fn code(&self) -> i32 {
        match self {
            Self::Ran(status) => status.code(),
            Self::Missing(_) => NOT_FOUND,
        }
    }
}

/// True if the plan can be run exactly without a shell. This process opens the files of redirections; in a cell that can do
/// no harm (`look`), the shell inside opens them.
pub(in crate::hands) fn runnable(script: &Script, plan: &Plan, look: bool) -> bool {
    plan.steps.iter().flat_map(|step| &step.runs).all(|&index| {
        script.runs().get(index).is_some_and(|run| {
            streams::known(&run.redirects)
                && known_builtin(run)
                && !(look && run.redirects.iter().any(streams::opens))
        })
    })
}

fn known_builtin(run: &Run) -> bool {
    if !run.builtin {
        return true;
    }
    let mut words = run.words.iter().map(|word| word.literal());
    let name = words.next().flatten().unwrap_or_default();
    let first = words.next().flatten().unwrap_or_default();
    match name {
        // The shell's builtin differs from the program of the same name.
        "echo" => run.words.len() != 2 || !first.starts_with("--"),
        "printf" => !first.starts_with('-') && !first.contains("%("),
        "cd" => !first.starts_with('-'),
        _ => OWN.contains(&name) || PROGRAMS_TOO.contains(&name),
    }
}

/// A plan that is being run.
pub(in crate::hands) struct RunningPlan<'a, 'b> {
    pub(in crate::hands) deed: &'a Deed<'a>,
    pub(in crate::hands) script: &'a Script,
    pub(in crate::hands) cells: &'b mut Cells<'a>,
    pub(in crate::hands) output: OwnedFd,
    pub(in crate::hands) error: OwnedFd,
    pub(in crate::hands) folder: PathBuf,
    /// True once a pipeline has ended, which may have changed any judged object.
    pub(in crate::hands) later: bool,
}

/// A command of a pipeline after it was started.
enum Started {
    /// It runs, under this number.
    Program(Number),
    /// It has already ended.
    Over(Last),
}

impl RunningPlan<'_, '_> {
    /// Runs every step whose condition holds, and returns the last status.
    pub(in crate::hands) async fn all(&mut self, plan: &Plan) -> Result<Last, Stopped> {
        let mut last = Last::Ran(Status::Exited(0));
        for step in &plan.steps {
            let due = match step.when {
                When::Always => true,
                When::Success => last.code() == 0,
                When::Failure => last.code() != 0,
            };
            if due {
                last = self.pipeline(step).await?;
                if step.negated {
                    last = Last::Ran(Status::Exited(i32::from(last.code() == 0)));
                }
            }
        }
        Ok(last)
    }

    async fn pipeline(&mut self, step: &Step) -> Result<Last, Stopped> {
        let of = |&index: &usize| Some((index, self.script.runs().get(index)?));
        let runs: Vec<(usize, &Run)> = step.runs.iter().filter_map(of).collect();
        if runs.len() > 1 && !self.later {
            // All sandboxes of the first pipeline are ready before the check that everything is as judged.
            for (index, _) in runs.iter().filter(|(_, run)| !run.words.is_empty() && !does(run)) {
                self.cells
                    .cell_for(&self.need(*index))
                    .await
                    .map_err(|error| Stopped::Unkept(error.to_string()))?;
            }
        }
        let mut input = files::nothing().map_err(broken)?;
        let mut started = Vec::with_capacity(runs.len());
        for (place, (index, run)) in runs.iter().enumerate() {
            let alone = runs.len() == 1;
            let (output, next) = if place + 1 < runs.len() {
                let (reader, writer) = std::io::pipe().map_err(broken)?;
                (writer.into(), reader.into())
            } else {
                (self.output.try_clone().map_err(broken)?, files::nothing().map_err(broken)?)
            };
            let error = self.error.try_clone().map_err(broken)?;
            let streams = Streams { input: std::mem::replace(&mut input, next), output, error };
            started.push(self.start(*index, run, streams, alone).await?);
        }
        drop(input);
        self.later |= started.iter().any(|one| matches!(one, Started::Program(_)));
        let mut last = Last::Ran(Status::Exited(0));
        for one in started {
            last = match one {
                Started::Program(number) => Last::Ran(self.cells.status(number).await.map_err(broken)?),
                Started::Over(last) => last,
            };
        }
        Ok(last)
    }

    async fn start(
        &mut self,
        index: usize,
        run: &Run,
        streams: Streams,
        alone: bool,
    ) -> Result<Started, Stopped> {
        let mut descriptors = Descriptors::new(streams);
        for redirect in &run.redirects {
            let text = self.text(&redirect.target)?;
            let real = self.deed.judged(&self.folder.join(&text));
            // In a later step, the plan itself may have changed the file.
            let new = redirect.kind.opens() && self.cells.opened.insert(real.clone());
            let held = if new && !self.later { self.deed.held(&real) } else { files::Held::default() };
            match descriptors.apply(redirect, &text, &real, held) {
                Ok(()) => {}
                Err(RedirectionError::Changed(what)) => return Err(Stopped::Changed(what)),
                Err(RedirectionError::Command(message)) => {
                    descriptors.complain(&message);
                    return Ok(exited(1));
                }
            }
        }
        let Some((name, rest)) = run.words.split_first() else { return Ok(exited(0)) };
        let name = self.text(name)?;
        if run.builtin && OWN.contains(&name.as_str()) {
            let arguments = rest.iter().map(|word| self.text(word)).collect::<Result<Vec<_>, _>>()?;
            return self.builtin(&name, &arguments, &descriptors, alone);
        }
        let mut arguments = Vec::new();
        for word in rest {
            arguments.extend(self.expanded(word)?);
        }
        self.program((index, run), &name, arguments, descriptors).await
    }

    fn builtin(
        &mut self,
        name: &str,
        arguments: &[String],
        descriptors: &Descriptors,
        alone: bool,
    ) -> Result<Started, Stopped> {
        match name {
            "cd" => {
                let [goal] = arguments else {
                    if arguments.is_empty() {
                        return self.change_folder(&self.deed.situation.home.clone(), descriptors, alone);
                    }
                    descriptors.complain("cd: too many arguments");
                    return Ok(exited(1));
                };
                self.change_folder(goal, descriptors, alone)
            }
            "false" => Ok(exited(1)),
            _ => Ok(exited(0)),
        }
    }

    fn change_folder(
        &mut self,
        goal: &str,
        descriptors: &Descriptors,
        alone: bool,
    ) -> Result<Started, Stopped> {
        let written = self.folder.join(goal);
        let target = Walk::default().follow(&written);
        if self.deed.situation.frozen.is_some() && !self.later && self.deed.judged(&written) != target.real {
            return Err(Stopped::Changed(goal.to_owned()));
        }
        if target.is != Is::Folder {
            let why = if target.is == Is::Nothing { "No such file or directory" } else { "Not a directory" };
            descriptors.complain(&format!("cd: {goal}: {why}"));
            return Ok(exited(1));
        }
        // In a pipeline, `cd` changes the folder of that command only.
        if alone {
            self.folder = target.real;
        }
        Ok(exited(0))
    }

    fn need(&self, index: usize) -> SandboxNeed {
        SandboxNeed::of_run(self.deed.terms(), self.script, index, self.deed.named)
    }

    async fn program(
        &mut self,
        (index, run): (usize, &Run),
        name: &str,
        arguments: Vec<OsString>,
        descriptors: Descriptors,
    ) -> Result<Started, Stopped> {
        let file = match self.resolved(name)? {
            Ok(file) => file,
            Err(message) => {
                descriptors.complain(&message);
                return Ok(Started::Over(Last::Missing(name.to_owned())));
            }
        };
        let mut environment = self.deed.environment();
        for assign in &run.assigns {
            let value = self.text(&assign.value)?;
            let harmless = leads_nowhere(&assign.name, &value) || self.deed.way == Way::Look;
            if !self.deed.by_person && !harmless {
                return Err(Stopped::Broken(format!("{}=… is set only after a person's yes", assign.name)));
            }
            environment.retain(|(name, _)| *name != assign.name);
            environment.push((assign.name.clone(), value));
        }
        let complaint = descriptors.streams();
        let Some(streams) = complaint else {
            return Err(Stopped::Broken("a standard stream is closed".to_owned()));
        };
        let error = streams.error.try_clone().map_err(broken)?;
        let folder = self.folder.clone();
        let start = Start { file, name: name.into(), arguments, environment, folder, followed: false };
        match self.cells.start(&self.need(index), start, streams).await {
            Ok(number) => Ok(Started::Program(number)),
            Err(NoStart::NoSandbox(error)) => Err(Stopped::Unkept(error.to_string())),
            Err(NoStart::Changed(what)) => Err(Stopped::Changed(what)),
            Err(NoStart::Refused(problem)) => {
                use std::io::Write as _;
                let _ = writeln!(std::fs::File::from(error), "{name}: {problem}");
                Ok(exited(if problem.kind() == std::io::ErrorKind::NotFound {
                    NOT_FOUND
                } else {
                    NOT_RUNNABLE
                }))
            }
        }
    }

    /// The judged file for this name, if it is still the same file.
    fn resolved(&self, name: &str) -> Result<Result<PathBuf, String>, Stopped> {
        let whole;
        let key = if name.contains('/') && !name.starts_with('/') {
            whole = paths::plain(&self.folder.join(name)).to_string_lossy().into_owned();
            whole.as_str()
        } else {
            name
        };
        let (file, system) = match self.deed.situation.programs.get(key) {
            Some(Program::System(file)) => (file, true),
            Some(Program::Elsewhere(file)) => (file, false),
            Some(Program::Missing) if name.contains('/') => {
                return Ok(Err(format!("{name}: No such file or directory")));
            }
            Some(Program::Missing) => return Ok(Err(format!("{name}: command not found"))),
            None => return Err(Stopped::Changed(name.to_owned())),
        };
        let mut walk = Walk::default();
        let now = walk.follow(Path::new(file));
        if now.real != Path::new(file) || now.is == Is::Nothing || (system && !now.system) {
            return Err(Stopped::Changed(name.to_owned()));
        }
        // A script sees the path by which it was started, and does under one name what it does not under another (`psql`).
        let folders = system.then(|| self.deed.search_path()).into_iter().flatten();
        let same = folders.map(|folder| folder.join(name)).find(|file| {
            let target = walk.follow(file);
            target.system && target.real == now.real
        });
        Ok(Ok(same.unwrap_or(now.real)))
    }

    /// Expands a word: to itself, or to the names that its pattern matches.
    fn expanded(&self, word: &Word) -> Result<Vec<OsString>, Stopped> {
        if !word.glob() {
            return Ok(vec![self.text(word)?.into()]);
        }
        // The first step uses the names that the person was shown; later steps use what the plan itself has made.
        let frozen = self.deed.situation.frozen.as_ref().filter(|_| !self.later);
        if let Some(names) = frozen.and_then(|frozen| frozen.word(&self.folder, &word.pieces)) {
            return Ok(names.to_vec());
        }
        let parts = crate::hands::facts::words::parts(&word.pieces, &self.deed.situation.home, &self.folder);
        let parts = parts.ok_or_else(|| Stopped::Broken("a word is not known".to_owned()))?;
        patterns::expand(&self.folder, &parts).map_err(|error| Stopped::Broken(error.to_string()))
    }

    fn text(&self, word: &Word) -> Result<String, Stopped> {
        let text = word.known(&self.deed.situation.home, &self.folder.to_string_lossy());
        text.ok_or_else(|| Stopped::Broken("a word is not known".to_owned()))
    }
}

/// Whether this runner implements the command.
fn does(run: &Run) -> bool {
    run.builtin && run.program().is_some_and(|name| OWN.contains(&name))
}

fn exited(code: i32) -> Started {
    Started::Over(Last::Ran(Status::Exited(code)))
}

pub(in crate::hands) fn broken(error: std::io::Error) -> Stopped {
    Stopped::Broken(error.to_string())
}
