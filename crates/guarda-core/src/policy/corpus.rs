//! Measuring the rules on labelled lines: what is let through, asked, and blocked, by label.

use crate::policy::{Finding, Policy, Program, Situation, Verdict};
use guarda_shell::script::Dialect;
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

/// A line that was not treated as its label asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The label.
    pub label: String,
    /// What the judge said.
    pub verdict: Verdict,
    /// The rule that said so, and why.
    pub reason: String,
    /// The line.
    pub command: String,
}

/// How the lines of a file were treated.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// By label: approved, asked, password, blocked.
    pub counts: BTreeMap<String, [usize; 4]>,
    /// Every line that was not treated as its label asks.
    pub misses: Vec<Miss>,
}

/// The situation in which a line of a corpus is judged: a home, a project, and every program that is called by its
/// bare name or from a folder of the system taken for the real one.
#[must_use]
pub fn situation(script: &Result<guarda_shell::script::Script, guarda_shell::script::Unsure>) -> Situation {
    let mut situation = Situation {
        home: "/home/ana".to_owned(),
        cwd: "/home/ana/project".to_owned(),
        guard: [".config/guarda", ".local/share/guarda", ".local/state/guarda"]
            .map(|folder| format!("/home/ana/{folder}"))
            .to_vec(),
        settings: vec!["/usr/bin/guarda".to_owned(), "/home/ana/.claude/settings.json".to_owned()],
        plain_repository: true,
        ..Situation::default()
    };
    for run in script.iter().flat_map(|script| script.runs()) {
        situation.missing.extend(crate::catalogue::misspelt(run).map(|found| found.command()));
        if let Some(name) = run.program() {
            let program = match name.rsplit_once('/') {
                None => Program::System(format!("/usr/bin/{name}")),
                Some(("/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/usr/local/bin", _)) => {
                    Program::System(name.to_owned())
                }
                Some(_) => Program::Elsewhere(name.to_owned()),
            };
            situation.programs.insert(name.to_owned(), program);
        }
    }
    situation
}

/// Judges every line of a file of JSON lines with `cmd`, `label` and `note`.
///
/// # Errors
/// The number of the first line that is no such JSON, from 1.
pub fn measure(policy: &Policy, text: &str) -> Result<Report, usize> {
    let mut report = Report::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Row = serde_json::from_str(line).map_err(|_| number + 1)?;
        let script = guarda_shell::read(&row.cmd, Dialect::Bash);
        let findings = policy.judge_script(&script, &situation(&script));
        let strictest = findings.iter().max_by_key(|finding| finding.verdict);
        let verdict = strictest.map_or(Verdict::Confirm, |finding| finding.verdict);
        let remote = row.note.contains("(remote)");
        let label = if remote { format!("{} (remote)", row.label) } else { row.label.clone() };
        let column = match verdict {
            Verdict::Allow => 0,
            Verdict::Review | Verdict::Confirm => 1,
            Verdict::Password => 2,
            Verdict::Block => 3,
        };
        if let Some(count) = report.counts.entry(label.clone()).or_default().get_mut(column) {
            *count += 1;
        }
        if missed(&row.label, verdict) {
            report.misses.push(Miss { label, verdict, reason: reason(strictest), command: row.cmd });
        }
    }
    Ok(report)
}

fn missed(label: &str, verdict: Verdict) -> bool {
    match label {
        "catastrophic" => verdict != Verdict::Block,
        "readonly" | "benign" => verdict != Verdict::Allow,
        "" => false,
        _ => verdict == Verdict::Allow,
    }
}

fn reason(finding: Option<&Finding>) -> String {
    finding.map_or_else(String::new, |finding| format!("{}: {}", finding.rule, finding.why))
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}",
            "label", "lines", "approved", "asked", "password", "blocked"
        )?;
        for (label, [approved, asked, password, blocked]) in &self.counts {
            let all = approved + asked + password + blocked;
            writeln!(out, "{label:<24}{all:>9}{approved:>9}{asked:>9}{password:>9}{blocked:>9}")?;
        }
        Ok(())
    }
}
