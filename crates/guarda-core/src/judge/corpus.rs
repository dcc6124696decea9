//! Measures the rules on labelled lines: counts by label which are approved, run in a cell unasked, asked about or
//! blocked.

use super::Judgement;
use crate::action::{Action, Proposal, Request, Way};
use crate::catalogue::STAYS;
use crate::catalogue::entry::names_one;
use crate::hosts::{REGISTRIES, needs_network, only_fetches};
use crate::policy::{Finding, Policy, Profile, Verdict, corpus};
use guarda_shell::script::Script;
use std::collections::BTreeMap;
use std::fmt;

/// One labelled line.
#[derive(Debug, Clone, serde::Deserialize)]
struct Row {
    cmd: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    note: String,
}

/// A line whose verdict does not fit its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The label.
    pub label: String,
    /// The status for a caller who would run the line.
    pub verdict: Verdict,
    /// The deciding rule, and its reason.
    pub reason: String,
    /// The line.
    pub command: String,
}

/// The verdicts on the lines of one label, as numbers of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Approved by their words: a caller may run them.
    pub approved: usize,
    /// Asked about where a caller would run them; the guard runs them without a question in a cell that cannot write.
    pub looked: usize,
    /// The same, with their changes held back; a question follows where they change something that is asked about.
    pub staged: usize,
    /// Not asked about either, since they only ask a service of the system.
    pub served: usize,
    /// Asked about at every door.
    pub asked: usize,
    /// Asked for with a password.
    pub password: usize,
    /// Blocked.
    pub blocked: usize,
}

impl VerdictCounts {
    /// The lines that the guard runs without a question before.
    #[must_use]
    pub fn unasked(&self) -> usize {
        self.approved + self.looked + self.staged + self.served
    }

    /// All lines of the label.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.unasked() + self.asked + self.password + self.blocked
    }
}

/// The verdicts on the lines of a file.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// By label.
    pub counts: BTreeMap<String, VerdictCounts>,
    /// Every line whose verdict does not fit its label.
    pub misses: Vec<Miss>,
}

/// Judges every line of a file of JSON lines with `cmd`, `label` and `note`, on a machine that can make cells and hold changes
/// back.
///
/// # Errors
/// The number of the first line that is no such JSON, from 1.
pub fn measure(policy: &Policy, text: &str) -> Result<Report, usize> {
    let mut report = Report::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Row = serde_json::from_str(line).map_err(|_| number + 1)?;
        let remote = row.note.contains("(remote)");
        let label = if remote { format!("{} (remote)", row.label) } else { row.label.clone() };
        let count = report.counts.entry(label.clone()).or_default();
        let Some(judgement) = judged(policy, &row.cmd) else {
            count.blocked += 1;
            continue;
        };
        let (verdict, run) = (judgement.verdict(), judgement.run());
        let unasked = run.verdict == Verdict::Allow;
        *match (verdict, run.way) {
            (Verdict::Allow, _) => &mut count.approved,
            (_, Some(Way::Look)) if unasked => &mut count.looked,
            (_, Some(Way::Stage)) if unasked => &mut count.staged,
            (_, _) if unasked => &mut count.served,
            (Verdict::Review | Verdict::Confirm, _) => &mut count.asked,
            (Verdict::Password, _) => &mut count.password,
            (Verdict::Block, _) => &mut count.blocked,
        } += 1;
        if missed(&row.label, verdict, unasked) {
            let reason = reason(judgement.findings().first());
            report.misses.push(Miss { label, verdict, reason, command: row.cmd });
        }
    }
    Ok(report)
}

/// The judgement of a line; none where it is no request at all, such as one with a NUL.
fn judged(policy: &Policy, line: &str) -> Option<Judgement> {
    let request =
        Request { action: Some("RUN_COMMAND".to_owned()), target: Some(line.into()), ..Request::default() };
    let proposal = Proposal::parse(request).ok()?;
    let Action::RunCommand { script, .. } = &proposal.action else { return None };
    let mut situation = corpus::situation(script);
    situation.cells = true;
    situation.network.packages = REGISTRIES.map(str::to_owned).to_vec();
    situation.network.remotes = vec![("origin".to_owned(), "https://github.com/ana/project.git".to_owned())];
    let stays =
        |script: &Script| script.leaves_running() || script.runs().iter().any(|run| names_one(STAYS, run));
    if let Ok(script) = script {
        let fetches = policy.profile() == Profile::Workspace && only_fetches(policy, script, &situation);
        situation.network.fetches = fetches;
        if !stays(script) && (fetches || !needs_network(script, &situation)) {
            situation.stage = vec![situation.cwd.clone().into()];
        }
    }
    Some(super::judge(policy, proposal, &situation))
}

fn missed(label: &str, verdict: Verdict, unasked: bool) -> bool {
    match label {
        "catastrophic" => verdict != Verdict::Block,
        "readonly" | "benign" => verdict != Verdict::Allow && !unasked,
        "" => false,
        _ => verdict == Verdict::Allow,
    }
}

fn reason(finding: Option<&Finding>) -> String {
    finding.map_or_else(String::new, |finding| format!("{}: {}", finding.rule, finding.why))
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |out: &mut fmt::Formatter<'_>, label: &str, columns: [String; 8]| {
            write!(out, "{label:<24}")?;
            columns.iter().try_for_each(|column| write!(out, "{column:>9}"))?;
            writeln!(out)
        };
        let titles = ["lines", "approved", "look", "stage", "service", "asked", "password", "blocked"];
        row(out, "label", titles.map(str::to_owned))?;
        for (label, count) in &self.counts {
            let VerdictCounts { approved, looked, staged, served, asked, password, blocked } = *count;
            let columns = [count.lines(), approved, looked, staged, served, asked, password, blocked];
            row(out, label, columns.map(|number| number.to_string()))?;
        }
        if let Some(count) = self.counts.get("readonly") {
            let disturbed = count.lines() - count.unasked();
            let share = 100.0 * disturbed as f64 / count.lines() as f64;
            writeln!(out, "read-only lines that the guard asks about or blocks: {disturbed} ({share:.1} %)")?;
        }
        Ok(())
    }
}
