//! The names of what findings are about, for people. Programs read the names of the wire.

use guarda_core::policy::Tag;

use crate::wording::plain::visible;
use crate::wording::words::Words;

/// The name of a tag. A tag of the user's own keeps its name.
#[must_use]
pub fn tag(words: &Words, tag: &Tag) -> String {
    match tag {
        Tag::Own(name) => visible(name),
        known => words.say(&format!("tag-{}", known.name()), &[]),
    }
}

/// The names of these tags, in order, with commas.
#[must_use]
pub fn tags(words: &Words, tags: &[Tag]) -> String {
    tags.iter().map(|one| tag(words, one)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use strum::IntoEnumIterator as _;

    #[test]
    fn every_tag_has_a_name_in_every_language() {
        for language in Language::ALL {
            let words = crate::wording::words(language);
            let known = Tag::iter().filter(|one| !matches!(one, Tag::Own(_)));
            let names: Vec<String> = known.map(|one| tag(words, &one)).collect();
            assert!(names.iter().all(|name| !name.starts_with("tag-")), "{language}: {names:?}");
            let different: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(different.len(), names.len(), "{language}: two tags have one name");
        }
        let words = crate::wording::words(Language::French);
        let some = [Tag::Destructive, Tag::Privilege, Tag::Own("azure".to_owned())];
        assert_eq!(tags(words, &some), "suppression, droits d'administrateur, azure");
    }
}
