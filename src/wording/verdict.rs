//! The names of verdicts and of what they come from, for people. Programs read the names of the wire.

use guarda_core::policy::Origin;

use crate::wording::words::Words;

/// The name of a verdict, given by its name on the wire (`requires_confirmation`). A name from a newer service stays as
/// it is.
#[must_use]
pub fn verdict(words: &Words, wire: &str) -> String {
    let id = format!("verdict-{}", wire.replace('_', "-"));
    words.find(&id, &[]).unwrap_or_else(|| wire.to_owned())
}

/// The name of what a finding or a rule comes from. The user's own files and plugins keep their names.
#[must_use]
pub fn origin(words: &Words, origin: &Origin) -> String {
    let own = matches!(origin, Origin::Own(_));
    let found = if own { None } else { words.find(&format!("origin-{}", origin.name()), &[]) };
    found.unwrap_or_else(|| origin.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use guarda_core::policy::Verdict;

    #[test]
    fn every_verdict_and_origin_has_a_name_in_every_language() {
        use Origin::{
            Advice, BuiltIn, Caller, Config, Default, Effects, Floor, Hands, Network, Profile, Reader,
            Registry,
        };
        for language in Language::ALL {
            let words = crate::wording::words(language);
            for one in [Verdict::Allow, Verdict::Review, Verdict::Confirm, Verdict::Password, Verdict::Block]
            {
                let told = verdict(words, one.status());
                assert!(!told.is_empty() && !told.contains('_'), "{language}: {told}");
            }
            for one in [
                Floor, BuiltIn, Profile, Default, Reader, Config, Caller, Registry, Effects, Network, Hands,
                Advice,
            ] {
                assert!(words.find(&format!("origin-{}", one.name()), &[]).is_some(), "{language}: {one}");
            }
        }
        let words = crate::wording::words(Language::Portuguese);
        assert_eq!(verdict(words, "postponed"), "postponed");
        assert_eq!(origin(words, &Origin::Own("floor".into())), "floor");
    }
}
