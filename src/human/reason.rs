//! Why something is asked or forbidden, in words: chosen by the finding's rule, then by its tags.

use crate::human::words::Words;
use crate::policy::{Finding, Verdict};

/// Rules that have words of their own.
const BY_RULE: &[(&str, &str)] = &[
    ("url-user", "reason-address"),
    ("url-lookalike", "reason-address"),
    ("url-local", "reason-local-address"),
    ("url-secret-session", "reason-secret"),
    ("keys-while-asking", "reason-keys"),
    ("model-asks", "reason-model-asks"),
    ("model-unsure", "reason-model-unsure"),
    ("unknown-action", "reason-unknown"),
];

/// Tags that have words, the gravest first: a finding with several is told by the first that matches.
const BY_TAG: &[(&str, &str)] = &[
    ("self-approval", "reason-guard"),
    ("guard", "reason-guard"),
    ("disk", "reason-device"),
    ("device", "reason-device"),
    ("download-execution", "reason-download-execution"),
    ("secret", "reason-secret"),
    ("secrets", "reason-secret"),
    ("credentials", "reason-secret"),
    ("exfiltration", "reason-secret"),
    ("destructive", "reason-destructive"),
    ("history", "reason-history"),
    ("privilege", "reason-privilege"),
    ("persistence", "reason-persistence"),
    ("power", "reason-power"),
    ("process", "reason-processes"),
    ("processes", "reason-processes"),
    ("permissions", "reason-permissions"),
    ("package", "reason-packages"),
    ("packages", "reason-packages"),
    ("opaque", "reason-opaque"),
    ("reader", "reason-opaque"),
    ("outside", "reason-outside"),
    ("network", "reason-network"),
    ("execution", "reason-execution"),
    ("keys", "reason-keys"),
    ("radio", "reason-radio"),
    ("url", "reason-address"),
    ("files", "reason-files"),
    ("unknown", "reason-unknown"),
];

/// The reason of one finding, without a full stop.
#[must_use]
pub fn reason(words: &Words, finding: &Finding) -> String {
    words.say(identify(finding), &[])
}

fn identify(finding: &Finding) -> &'static str {
    if let Some((_, id)) = BY_RULE.iter().find(|(rule, _)| *rule == finding.rule) {
        return id;
    }
    if finding.layer == "reader" {
        return "reason-opaque";
    }
    let tagged = |tag: &str| finding.tags.iter().any(|other| other == tag);
    BY_TAG.iter().find(|(tag, _)| tagged(tag)).map_or("reason-generic", |(_, id)| id)
}

/// The reasons to tell for a question, the gravest first, each once; without those that allow.
#[must_use]
pub fn reasons(words: &Words, findings: &[Finding]) -> Vec<String> {
    let mut told = Vec::new();
    for finding in findings.iter().filter(|finding| finding.verdict > Verdict::Allow) {
        let text = reason(words, finding);
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

/// The one reason worth speaking before a question: nothing where only the generic one is left.
#[must_use]
pub fn warning(words: &Words, findings: &[Finding]) -> Option<String> {
    findings
        .iter()
        .filter(|finding| finding.verdict > Verdict::Allow)
        .map(identify)
        .find(|&id| id != "reason-generic")
        .map(|id| words.say("warning", &[("reason", words.say(id, &[]).into())]))
}
