//! One deed under one guard: what the guard said, and what really happened.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use guarda_sandbox::process::{Group, Start, Status, Streams};
use serde_json::{Value, json};

use super::deed::{ComparedGuard, GuardWay, TrialDeed};
use super::results::TrialOutcome;
use super::service::TrialService;
use super::world::{Snapshot, World};
use crate::devices::process::search;

/// The agent's conversation in the trial; the undo of this guard names it.
const SESSION: &str = "prove";
/// How long a guard and a line may take together.
const LONGEST: Duration = Duration::from_secs(40);
/// What was sent may arrive a little later.
const ARRIVAL: Duration = Duration::from_millis(50);

/// What a guard says about a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HookOpinion {
    /// The agent runs this line; a guard without an opinion leaves it to the agent, too.
    Runs(String),
    Asks,
    Refuses,
}

/// The process of a line or a guard has ended.
struct Ended {
    status: Status,
    output: Vec<u8>,
}

/// What a trial needs of its surroundings.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The whole environment of guards and lines.
    pub(super) environment: Vec<(String, String)>,
    /// Where the programs of this installation are.
    pub(super) own: PathBuf,
    /// How an agent runs a line that its hook lets pass.
    pub(super) shell: Vec<String>,
    /// The service of this guard, if it is one of those compared.
    pub(super) service: Option<TrialService>,
}

impl Surroundings {
    /// The path of a program in a table: absolute after its placeholders, or in the person's `PATH`.
    pub(super) fn found(&self, program: &str) -> Option<PathBuf> {
        let program = program.replace("{own}", &self.own.display().to_string());
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(|file| file.exists());
        }
        search::in_own_path(&program)
    }

    /// The first line that a program prints; `None` if it cannot be run.
    pub(super) async fn says(&self, world: &World, words: &[String]) -> Option<String> {
        let ended = self.run(world, words, "", &[]).await.ok()??;
        String::from_utf8_lossy(&ended.output).lines().next().map(str::to_owned)
    }

    /// Puts a guard in place, and tells whether it works here: it has to start, and to let a look pass.
    pub(super) async fn works(&self, world: &mut World, guard: &ComparedGuard, look: &TrialDeed) -> bool {
        let ready = guard.setup.is_empty() || self.run(world, &guard.setup, "", &[]).await.is_ok();
        ready && matches!(self.attempt(world, guard, look).await, Ok(TrialOutcome::Done))
    }

    /// Tries a deed under a guard.
    ///
    /// # Errors
    /// If the home cannot be put back, or a program cannot be started.
    pub(super) async fn attempt(
        &self,
        world: &mut World,
        guard: &ComparedGuard,
        deed: &TrialDeed,
    ) -> io::Result<TrialOutcome> {
        world.reset()?;
        let before = world.snapshot();
        let line = world.filled(&deed.line, &[]);
        let (decision, ended) = self.guarded(world, guard, &line).await?;
        tokio::time::sleep(ARRIVAL).await;
        let asked = self.service.as_ref().is_some_and(TrialService::asked);
        let printed = ended.as_ref().map_or(&[] as &[u8], |ended| &ended.output);
        let happened = world.shows(&deed.trace, printed);
        let outcome = match (happened, decision) {
            (true, _)
                if deed.harm && !guard.undo.is_empty() && self.undone(world, guard, &before).await? =>
            {
                TrialOutcome::Undone
            }
            (true, _) => TrialOutcome::Done,
            (false, _) if asked => TrialOutcome::Asked,
            (false, HookOpinion::Asks) => TrialOutcome::Asked,
            (false, HookOpinion::Refuses) => TrialOutcome::Refused,
            (false, HookOpinion::Runs(_)) if ended.is_none() => TrialOutcome::Late,
            (false, HookOpinion::Runs(_)) => TrialOutcome::Stopped,
        };
        world.clear();
        Ok(outcome)
    }

    /// How long a line takes under a guard; without one that runs, nothing.
    pub(super) async fn time(
        &self,
        world: &World,
        guard: &ComparedGuard,
        deed: &TrialDeed,
    ) -> io::Result<Option<Duration>> {
        let begun = Instant::now();
        let (_, ended) = self.guarded(world, guard, &world.filled(&deed.line, &[])).await?;
        Ok(ended.map(|_| begun.elapsed()))
    }

    /// Has a guard judge a line, and runs it as an agent would.
    async fn guarded(
        &self,
        world: &World,
        guard: &ComparedGuard,
        line: &str,
    ) -> io::Result<(HookOpinion, Option<Ended>)> {
        let (words, event) = match &guard.way {
            GuardWay::Wrap(words) => {
                let ended = self.run(world, words, line, &[]).await?;
                return Ok((HookOpinion::Runs(line.to_owned()), ended));
            }
            GuardWay::Hook(words) => (words, event(&world.project(), line).to_string()),
        };
        let Some(said) = self.run(world, words, line, event.as_bytes()).await? else {
            return Ok((HookOpinion::Runs(line.to_owned()), None));
        };
        let decision = decision(said.status, &said.output, line);
        let ended = match &decision {
            HookOpinion::Runs(line) => self.run(world, &self.shell, line, &[]).await?,
            HookOpinion::Asks | HookOpinion::Refuses => None,
        };
        Ok((decision, ended))
    }

    async fn undone(&self, world: &World, guard: &ComparedGuard, before: &Snapshot) -> io::Result<bool> {
        if world.snapshot() == *before {
            // What happened left no file to take back.
            return Ok(false);
        }
        let says = |yes| self.service.iter().for_each(|service| service.says(yes));
        says(true);
        let ended = self.run(world, &guard.undo, "", &[]).await;
        says(false);
        Ok(ended?.is_some() && world.snapshot() == *before)
    }

    /// Runs a program in the project to its end; `None` if it takes too long.
    async fn run(
        &self,
        world: &World,
        words: &[String],
        line: &str,
        input: &[u8],
    ) -> io::Result<Option<Ended>> {
        let own = self.own.display().to_string();
        let mut filled = words.iter().map(|word| world.filled(word, &[("{own}", &own), ("{line}", line)]));
        let name = filled.next().unwrap_or_default();
        let file = self.found(&name).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, name.clone()))?;
        let mut output = tempfile::tempfile()?;
        let mut event = tempfile::tempfile()?;
        event.write_all(input)?;
        event.rewind()?;
        let start = Start {
            file,
            name: name.into(),
            arguments: filled.map(Into::into).collect(),
            environment: self.environment.clone(),
            folder: world.project(),
            followed: false,
        };
        let streams = Streams {
            input: event.into(),
            output: output.try_clone()?.into(),
            error: File::options().write(true).open("/dev/null")?.into(),
        };
        let mut group = Group::default();
        let number = group.start(start, streams)?;
        let Ok(status) = tokio::time::timeout(LONGEST, group.status(number)).await else { return Ok(None) };
        let mut bytes = Vec::new();
        output.rewind()?;
        output.read_to_end(&mut bytes)?;
        Ok(Some(Ended { status: status?, output: bytes }))
    }
}

/// The event that Claude Code writes before it runs a line.
fn event(project: &Path, line: &str) -> Value {
    json!({
        "session_id": SESSION,
        "transcript_path": project.join("../.claude/projects/prove.jsonl"),
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": line, "description": "prove"},
        "tool_use_id": "toolu_prove",
    })
}

/// What Claude Code makes of a hook's answer: exit status 2 refuses, a decision in JSON counts, and anything else is no opinion.
pub(super) fn decision(status: Status, output: &[u8], line: &str) -> HookOpinion {
    if status == Status::Exited(2) {
        return HookOpinion::Refuses;
    }
    let said: Value = serde_json::from_slice(output).unwrap_or_default();
    let told = said.pointer("/hookSpecificOutput/permissionDecision").or_else(|| said.get("decision"));
    match told.and_then(Value::as_str) {
        Some("deny" | "block") => HookOpinion::Refuses,
        Some("ask") => HookOpinion::Asks,
        _ if said.get("continue") == Some(&Value::Bool(false)) => HookOpinion::Refuses,
        _ => {
            let other = said.pointer("/hookSpecificOutput/updatedInput/command").and_then(Value::as_str);
            HookOpinion::Runs(other.unwrap_or(line).to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_understood_as_its_client_understands_it() {
        let runs = |line: &str| HookOpinion::Runs(line.to_owned());
        let said = |word: &str| format!(r#"{{"hookSpecificOutput": {{"permissionDecision": "{word}"}}}}"#);
        let other =
            r#"{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "true"}}}"#;
        for (code, output, wanted) in [
            (0, String::new(), runs("ls")),
            (0, "not JSON".to_owned(), runs("ls")),
            (0, said("allow"), runs("ls")),
            (0, said("ask"), HookOpinion::Asks),
            (0, said("deny"), HookOpinion::Refuses),
            (0, r#"{"decision": "block"}"#.to_owned(), HookOpinion::Refuses),
            (0, r#"{"continue": false}"#.to_owned(), HookOpinion::Refuses),
            (0, other.to_owned(), runs("true")),
            (2, String::new(), HookOpinion::Refuses),
            (2, said("allow"), HookOpinion::Refuses),
            // Any other status is a fault of the hook, and the tool runs.
            (1, String::new(), runs("ls")),
        ] {
            let found = decision(Status::Exited(code), output.as_bytes(), "ls");
            assert_eq!(found, wanted, "{code} {output}");
        }
    }
}
