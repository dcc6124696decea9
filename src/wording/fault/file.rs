//! Tells a person why a file or folder of the guard cannot be used, and what to do.

use crate::devices::filesystem::own::{FileError, FileFault};
use crate::wording::localize::{self, told_with};
use crate::wording::message::{lack, reason};
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_core::action::Language;
use guarda_core::output::{Failure, FailureKind};

/// The file, and why it cannot be used.
#[must_use]
pub fn told(words: &Words, error: &FileError) -> String {
    let path = visible(&error.path.display().to_string());
    match &error.fault {
        FileFault::System(failure) if failure.kind != FailureKind::Other => unusable(words, &path, failure),
        other => words.labelled(&path, &fault(words, other)),
    }
}

/// A file that the system does not give, with the reason as a sentence of its own.
#[must_use]
pub fn unusable(words: &Words, path: &str, failure: &Failure) -> String {
    let why = reason(words, failure);
    words.say("file-unusable", &[("path", path.into()), ("why", why.into())])
}

/// Why a file cannot be used.
#[must_use]
pub fn fault(words: &Words, fault: &FileFault) -> String {
    match fault {
        FileFault::System(failure)
            if failure.kind == FailureKind::Other && words.language() != Language::English =>
        {
            told_with(words, "file-fault", fault, &[("given", visible(&failure.detail))])
        }
        FileFault::System(failure) => lack(words, failure),
        FileFault::Unreadable(message) => {
            told_with(words, "file-fault", fault, &[("given", visible(message.trim()))])
        }
        other => localize::told(words, "file-fault", other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::VariantNames as _;

    use super::*;

    #[test]
    fn every_fault_has_words_in_every_language() {
        let text = || "abc".to_owned();
        let all = [
            FileFault::System((FailureKind::Other, text()).into()),
            FileFault::NotPlain,
            FileFault::Foreign(7),
            FileFault::Writable,
            FileFault::TooLong,
            FileFault::NotOwn,
            FileFault::Readable,
            FileFault::NoToken,
            FileFault::Link,
            FileFault::NotFolder,
            FileFault::OfUser(7),
            FileFault::InUse("7".to_owned()),
            FileFault::Exists,
            FileFault::ContainerName(text()),
            FileFault::Unreadable(text()),
        ];
        let names: BTreeSet<&str> = all.iter().map(<&'static str>::from).collect();
        assert_eq!(names, FileFault::VARIANTS.iter().copied().collect());
        for one in all {
            let [portuguese, english, french] =
                Language::ALL.map(|language| fault(crate::wording::words(language), &one));
            assert_eq!(english, one.to_string());
            assert!(!portuguese.is_empty() && !french.is_empty(), "{english}");
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
        }
    }

    #[test]
    fn a_file_is_named_with_its_fault() {
        let error = FileError { path: "/home/ana/c.toml".into(), fault: FileFault::Writable };
        let [portuguese, english, french] =
            Language::ALL.map(|language| told(crate::wording::words(language), &error));
        assert_eq!(
            portuguese,
            "/home/ana/c.toml: qualquer usuário pode alterá-lo: rode `chmod o-w` nesse arquivo"
        );
        assert_eq!(english, error.to_string());
        assert_eq!(
            french,
            "/home/ana/c.toml\u{a0}: tout le monde peut le modifier\u{a0}: lancez `chmod o-w` sur ce fichier"
        );
    }
}
