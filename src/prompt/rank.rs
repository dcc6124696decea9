//! What each channel may approve. Every channel may say no.

use std::collections::BTreeMap;

use guarda_core::policy::Verdict;

/// What a channel may approve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    /// Risks below this limit. Above 1, every risk.
    pub below: f32,
    /// Whether this includes actions that need a password.
    pub password: bool,
}

/// The ranks by channel name. A channel without an entry may approve everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks(pub BTreeMap<String, Rank>);

impl Default for Ranks {
    fn default() -> Self {
        let low = |below| Rank { below, password: false };
        let ranks = [("notification", 0.7), ("spoken", 0.7), ("mcp", 0.6)];
        Self(ranks.map(|(name, below)| (name.to_owned(), low(below))).into())
    }
}

impl Ranks {
    /// Whether a yes through this channel counts for a question with this risk and verdict.
    #[must_use]
    pub fn admit(&self, channel: &str, risk: f32, verdict: Verdict) -> bool {
        let Some(rank) = self.0.get(channel) else { return true };
        (risk < rank.below || rank.below > 1.0) && (rank.password || verdict < Verdict::Password)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_way_approves_what_is_below_it_and_no_password() {
        let ranks = Ranks::default();
        for (channel, risk, verdict, admitted) in [
            ("notification", 0.3, Verdict::Confirm, true),
            ("notification", 0.3, Verdict::Review, true),
            ("notification", 0.7, Verdict::Confirm, false),
            ("notification", 0.3, Verdict::Password, false),
            ("notification", f32::NAN, Verdict::Confirm, false),
            ("keys", 1.0, Verdict::Password, true),
        ] {
            assert_eq!(ranks.admit(channel, risk, verdict), admitted, "{channel} {risk} {verdict:?}");
        }
        let none = Ranks([("http".to_owned(), Rank { below: 0.0, password: true })].into());
        assert!(!none.admit("http", 0.0, Verdict::Confirm) && none.admit("keys", 0.0, Verdict::Confirm));
    }
}
