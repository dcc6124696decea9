//! `guarda check`: judges without a service. It runs and records nothing, and starts no async runtime.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

use crate::app::{CliError, ExitStatus, Loaded, load, paths, settings, terminal};
use crate::doors::http::wire;
use crate::hands::{Hands, View};
use guarda_core::judge::Judgement;
use guarda_core::policy::{CommandShape, Policy, Profile, Situation, StandingGrant, Verdict};

use crate::cli::args::CheckArgs;
use crate::cli::judge::{command, diagnosis, lines, view};

/// Judges lines by the rules of several profiles. Each is loaded when it is first needed.
pub(in crate::cli) struct Bench {
    loaded: Loaded,
    hands: Hands,
    policies: BTreeMap<Profile, Policy>,
}

/// An input line of `--jsonl`.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "command")]
    cmd: String,
    profile: Option<String>,
    cwd: Option<String>,
    #[serde(flatten)]
    others: BTreeMap<String, serde::de::IgnoredAny>,
}

/// The answer to a line.
#[derive(Serialize)]
struct Answer<'a> {
    /// What would happen if the guard runs it.
    would: &'static str,
    /// The verdict for a caller that would run the text itself.
    status: &'static str,
    /// How the guard would run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<wire::Run>,
    rule: &'a str,
    risk: f32,
    runs: Vec<Vec<String>>,
    /// Fields of the line that mean nothing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<String>,
    /// Why the line could not be judged. Such a line is not approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The whole judgement, for `--json`.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    answer: Answer<'a>,
    command: &'a str,
    profile: &'static str,
    findings: Vec<guarda_core::policy::Finding>,
    tree: Vec<wire::Branch>,
    /// What a cell would open of the home folder, with `--view`.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<View>,
}

pub(in crate::cli) fn check(args: &CheckArgs) -> Result<ExitStatus, CliError> {
    let mut bench = Bench::new(load::load(args.config.as_deref())?);
    let profile = args.profile.unwrap_or(bench.loaded.config.security.profile);
    let here = load::current_folder();
    let cwd = args.cwd.as_deref().or(here.as_deref());
    if args.jsonl {
        bench.lines(profile, cwd, std::io::stdin().lock(), std::io::stdout().lock())?;
        return Ok(ExitStatus::Good);
    }
    let cmd = args.cmd.as_deref().unwrap_or_default();
    let (judgement, situation) = bench
        .judge(cmd, profile, cwd, &[])
        .map_err(|error| CliError::text(error.told(bench.loaded.words())))?;
    let policy = bench.policies.get(&profile).filter(|_| args.view);
    let seen = policy.map(|policy| bench.hands.view(policy, &situation));
    if args.json {
        let whole = Whole {
            answer: answer(&judgement),
            command: cmd,
            profile: profile.name(),
            findings: judgement.findings().to_vec(),
            tree: wire::branches(&judgement.subject().action),
            view: seen,
        };
        terminal::out(&format!("{}\n", serde_json::to_string_pretty(&whole)?));
    } else {
        let language = args.language.unwrap_or(bench.loaded.config.language.chosen());
        terminal::out(&diagnosis::page(&judgement, language, args.rules));
        if let Some(seen) = seen {
            terminal::out(&view::page(&seen, &judgement, language));
        }
    }
    Ok(match judgement.verdict().status() {
        "approved" => ExitStatus::Good,
        "blocked" => ExitStatus::Blocked,
        _ => ExitStatus::Asked,
    })
}

/// Answers these lines with the built-in configuration.
pub(in crate::cli) fn answer_lines(input: &[u8], output: impl Write) -> Result<(), CliError> {
    let loaded = Loaded { config: crate::config::Config::default(), file: None };
    Bench::new(loaded).lines(Profile::Desktop, None, input, output)
}

impl Bench {
    pub(in crate::cli) fn new(loaded: Loaded) -> Self {
        // Protects the same files as a service with this configuration would.
        let own = load::state().map(|state| paths::own_files(&loaded, &state)).unwrap_or_default();
        let hands = Hands::new(settings::hands_config(&loaded, own));
        Self { loaded, hands, policies: BTreeMap::new() }
    }

    fn judge(
        &mut self,
        cmd: &str,
        profile: Profile,
        cwd: Option<&str>,
        grants: &[StandingGrant],
    ) -> Result<(Judgement, Situation), CliError> {
        let proposal = command::proposal(cmd, cwd.map(str::to_owned))?;
        let mut situation = self.hands.survey(&proposal)?;
        situation.grants = grants.to_vec();
        let policy = policy(&mut self.policies, &self.loaded, profile)?;
        self.hands.weigh(policy, &proposal, &mut situation, true);
        Ok((guarda_core::judge::judge(policy, proposal, &situation), situation))
    }

    /// The judgement of a line that was asked for earlier, by the rules for agents' hooks or for everybody else, with these grants; and
    /// the shape that a person could grant. A folder that is gone counts as the home folder.
    pub(in crate::cli) fn tried(
        &mut self,
        cmd: &str,
        cwd: Option<&str>,
        hook: bool,
        grants: &[StandingGrant],
    ) -> Result<(Judgement, Option<CommandShape>), CliError> {
        let common = self.loaded.config.security.profile;
        let profile = if hook { self.loaded.config.hooks.profile(common) } else { common };
        let cwd = cwd.filter(|folder| std::path::Path::new(folder).is_dir());
        let (judgement, situation) = self.judge(cmd, profile, cwd, grants)?;
        let policy = policy(&mut self.policies, &self.loaded, profile)?;
        let shape = judgement.shape(policy, &situation).ok();
        Ok((judgement, shape))
    }

    fn lines(
        &mut self,
        profile: Profile,
        cwd: Option<&str>,
        input: impl Read,
        output: impl Write,
    ) -> Result<(), CliError> {
        // Loads the policy early, so that an error in the configuration is reported once and not for every line.
        let words = self.loaded.words();
        policy(&mut self.policies, &self.loaded, profile)
            .map_err(|error| CliError::text(error.told(words)))?;
        lines::each(input, output, |line, out| self.line(line, profile, cwd, out))
    }

    fn line(
        &mut self,
        line: &[u8],
        profile: Profile,
        cwd: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let judged =
            serde_json::from_slice::<Line>(line).map_err(|error| error.to_string()).and_then(|line| {
                let profile = match &line.profile {
                    Some(name) => name
                        .parse()
                        .map_err(|error: guarda_core::policy::profile::UnknownProfile| error.to_string())?,
                    None => profile,
                };
                let cwd = line.cwd.as_deref().or(cwd);
                let (judgement, _) =
                    self.judge(&line.cmd, profile, cwd, &[]).map_err(|error| error.to_string())?;
                Ok((judgement, line.others.into_keys().collect()))
            });
        match judged {
            Ok((judgement, ignored)) => lines::write(out, &Answer { ignored, ..answer(&judgement) }),
            Err(error) => lines::write(
                out,
                &Answer {
                    // No door would accept this line.
                    would: Verdict::Block.status(),
                    status: Verdict::Block.status(),
                    run: None,
                    rule: "unreadable",
                    risk: 1.0,
                    runs: Vec::new(),
                    ignored: Vec::new(),
                    error: Some(error),
                },
            ),
        }
    }
}

/// The rules of a profile, loaded when they are first needed.
fn policy<'a>(
    policies: &'a mut BTreeMap<Profile, Policy>,
    loaded: &Loaded,
    profile: Profile,
) -> Result<&'a Policy, CliError> {
    match policies.entry(profile) {
        Entry::Occupied(policy) => Ok(policy.into_mut()),
        Entry::Vacant(place) => Ok(place.insert(loaded.policy_for(profile)?)),
    }
}

fn answer(judgement: &Judgement) -> Answer<'_> {
    Answer {
        would: judgement.run().verdict.status(),
        status: judgement.verdict().status(),
        run: Some(wire::Run::decided(judgement)),
        rule: judgement.findings().first().map_or("default", |finding| finding.rule.as_str()),
        risk: judgement.risk(),
        runs: wire::runs(&judgement.subject().action),
        ignored: Vec::new(),
        error: None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// Fragments for generating almost valid lines.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(br#"{"cmd": "rm -rf /"}"#.to_vec()),
            Just(br#"{"cmd": "ls \u2028", "profile": "workspace", "cwd": "/tmp"}"#.to_vec()),
            Just(br#"{"cmd": ""#.to_vec()),
            Just(br#"", "profile": "none"}"#.to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            prop::collection::vec(any::<u8>(), 0..12),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_line_of_any_bytes_has_one_answer(bytes in pieces()) {
            let mut answers = Vec::new();
            super::answer_lines(&bytes, &mut answers).unwrap();
            let asked = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
            let answers = String::from_utf8(answers).unwrap();
            prop_assert_eq!(answers.lines().count(), asked);
            for answer in answers.lines() {
                let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
                let status = answer.get("status").and_then(serde_json::Value::as_str).unwrap();
                prop_assert!(["approved", "requires_confirmation", "requires_password", "blocked"].contains(&status));
            }
        }
    }
}
