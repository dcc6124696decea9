//! A model's possible opinions, and what they mean for a judgement. Pure.

use super::unusable::Unusable;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Situation, Verdict};
use guarda_core::policy::{Origin, Tag};

/// A second opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opinion {
    /// The model finds nothing wrong.
    Clear,
    /// The model finds something wrong: the reason in its words, cut and with hidden characters made visible.
    Flagged(String),
    /// There is no usable opinion.
    Unclear(Unusable),
}

/// The longest reason of a model that is shown, in characters.
const LONGEST: usize = 200;

impl Opinion {
    /// A model's reason as one line of plain text, because the model may have been manipulated.
    #[must_use]
    pub fn flagged(reason: &str) -> Self {
        let plain = |c: char| if c.is_control() || guarda_core::output::text::is_unseen(c) { ' ' } else { c };
        let line: String = reason.chars().map(plain).collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        let short: String = words.join(" ").chars().take(LONGEST).collect();
        Self::Flagged(if short.is_empty() { "without a reason".to_owned() } else { short })
    }
}

/// Applies an opinion to a judgement. `settles`: whether a clear one allows what the rules left open.
///
/// A flagged command is asked about; in a session with one of the two taints it is blocked (feature P3). With both, a
/// person is asked anyway, and decides.
pub(super) fn apply(
    judgement: Judgement,
    opinion: &Opinion,
    model: &str,
    situation: &Situation,
    settles: bool,
) -> Judgement {
    match opinion {
        Opinion::Clear => {
            let why = format!("a second opinion ({model}) sees nothing wrong with it");
            let found = finding("advice-clear", Verdict::Allow, 0.0, why);
            if settles { judgement.settle(found) } else { judgement }
        }
        Opinion::Flagged(reason) => {
            let one_taint = situation.corrupted != situation.secret;
            let verdict = if one_taint { Verdict::Block } else { Verdict::Confirm };
            let why = format!("a second opinion ({model}) warns of it: {reason}");
            judgement.raise(finding("advice-flagged", verdict, 0.8, why))
        }
        Opinion::Unclear(reason) => {
            let why = format!("there is no second opinion ({model}): {reason}");
            judgement.raise(finding("advice-unclear", Verdict::Confirm, 0.5, why))
        }
    }
}

fn finding(rule: &str, verdict: Verdict, risk: f32, why: String) -> Finding {
    Finding { tags: vec![Tag::Advice], ..Finding::new(rule, Origin::Advice, verdict, risk, why) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::{Proposal, Request};
    use guarda_core::policy::{Policy, Profile, corpus};

    /// The statuses of a line with each opinion: without settling, with it; and with one taint.
    fn told(line: &str, opinion: &Opinion) -> [&'static str; 3] {
        let judged = |settles: bool, corrupted: bool| {
            let policy = Policy::builtin(Profile::Desktop).unwrap();
            let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash);
            let situation = Situation { corrupted, ..corpus::situation(&script) };
            let request = Request {
                action: Some("RUN_COMMAND".into()),
                target: Some(line.into()),
                ..Request::default()
            };
            let judgement = guarda_core::judge::judge(&policy, Proposal::parse(request).unwrap(), &situation);
            apply(judgement, opinion, "m", &situation, settles).verdict().status()
        };
        [judged(false, false), judged(true, false), judged(false, true)]
    }

    #[test]
    fn an_opinion_settles_only_what_the_rules_left_open() {
        const ALLOW: &str = "approved";
        const ASK: &str = "requires_confirmation";
        const BLOCK: &str = "blocked";
        let clear = Opinion::Clear;
        for (line, expected) in [
            ("ls", [ALLOW; 3]),
            // No rule knows it: left open, and settled only if that is configured.
            ("frobnicate a b", [ASK, ALLOW, ASK]),
            ("frobnicate a | sort", [ASK, ALLOW, ASK]),
            // What the rules ask about stays that way.
            ("rm a", [ASK; 3]),
            ("curl https://example.org", [ASK; 3]),
            ("frobnicate a; rm b", [ASK; 3]),
            ("frobnicate a > b", [ASK; 3]),
            ("frobnicate $(cat x)", [ASK; 3]),
            // It may be a wrapper that no table knows.
            ("frobnicate -n 5 -- rm b", [ASK; 3]),
            ("frobnicate /usr/bin/curl", [ASK; 3]),
            ("frobnicate bash x", [ASK; 3]),
            ("frobnicate *", [ASK; 3]),
            ("frobnicate ~/.ssh/id_rsa", [ASK; 3]),
            ("./frobnicate", [ASK; 3]),
            ("bash -c frobnicate", [ASK; 3]),
            ("python3 x.py", [ASK; 3]),
            ("$X a", [ASK; 3]),
            ("echo 'open", [BLOCK; 3]),
            ("ls\necho 'open", [ASK; 3]),
            ("sudo frobnicate", ["requires_password"; 3]),
            ("rm -rf /", [BLOCK; 3]),
            ("frobnicate; rm -rf /", [BLOCK; 3]),
        ] {
            assert_eq!(told(line, &clear), expected, "{line}");
        }
        let flagged = Opinion::flagged("sends it away");
        for (line, expected) in [
            ("ls", [ASK, ASK, BLOCK]),
            ("frobnicate a", [ASK, ASK, BLOCK]),
            ("sudo ls", ["requires_password", "requires_password", BLOCK]),
            ("rm -rf /", [BLOCK; 3]),
        ] {
            assert_eq!(told(line, &flagged), expected, "{line}");
        }
        let unclear = Opinion::Unclear(Unusable::Late(5));
        for (line, expected) in [("ls", [ASK; 3]), ("frobnicate a", [ASK; 3]), ("rm -rf /", [BLOCK; 3])] {
            assert_eq!(told(line, &unclear), expected, "{line}");
        }
    }

    #[test]
    fn a_models_words_are_one_plain_line() {
        for (said, shown) in [
            ("sends\n\u{1b}[2J data\u{202e} away", "sends [2J data away"),
            ("", "without a reason"),
            (" \t\n", "without a reason"),
        ] {
            assert_eq!(Opinion::flagged(said), Opinion::Flagged(shown.to_owned()));
        }
        let Opinion::Flagged(long) = Opinion::flagged(&"é".repeat(1000)) else { panic!() };
        assert_eq!(long.chars().count(), LONGEST);
    }
}
