//! Words that change nothing of what a grant is about: how an answer is shown, how long it is waited for, which branch.

use super::{WordShape, exact};
use crate::catalogue::base_name;
use crate::policy::Situation;

/// Options without a value, by program. Of `curl`, single letters may stand together.
const QUIET: &[(&str, &str)] = &[
    (
        "curl",
        "--silent --show-error --fail --fail-with-body --include --head --verbose --location --no-buffer --compressed \
         --progress-bar --ipv4 --ipv6",
    ),
    ("wget", "-q -nv -S -O- --quiet --no-verbose --server-response --spider"),
];
/// Such letters of `curl`.
const LETTERS: &str = "sSfiIvLN#46";
/// Options with a value.
const WITH_VALUE: &[(&str, &str)] = &[
    (
        "curl",
        "-m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out -o --output",
    ),
    ("wget", "-T --timeout -t --tries -O --output-document"),
];

/// The words of a program without such options.
pub(super) fn without_quiet<'a>(name: &str, words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let listed = |lists: &[(&str, &str)], word: &str| {
        lists
            .iter()
            .any(|(of, options)| *of == name && options.split_whitespace().any(|option| option == word))
    };
    let mut kept = Vec::new();
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        let letters = word.strip_prefix('-').filter(|_| name == "curl");
        let quiet = letters.is_some_and(|text| !text.is_empty() && text.chars().all(|c| LETTERS.contains(c)));
        if quiet || listed(QUIET, word) {
            continue;
        }
        kept.push(word);
        if listed(WITH_VALUE, word) {
            // A number, nowhere, or a text to print that neither comes from a file nor goes to one.
            match rest.next() {
                Some(value) if is_shown_only(word, value) => drop(kept.pop()),
                value => kept.extend(value),
            }
        }
    }
    kept.into_iter()
}

fn is_shown_only(option: &str, value: &str) -> bool {
    match option {
        "-o" | "-O" | "--output" | "--output-document" => matches!(value, "/dev/null" | "-"),
        "-w" | "--write-out" => !value.starts_with('@') && !value.contains("%output"),
        _ => !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'),
    }
}

/// What git exchanges with a remote, and the options that leave the direction and the history alone.
const EXCHANGES: &[(&str, &str)] = &[
    ("push", "-q --quiet -v --verbose -u --set-upstream --tags --follow-tags --progress"),
    ("fetch", "-q --quiet -v --verbose --tags --all -p --prune --progress"),
    ("pull", "-q --quiet -v --verbose --rebase --no-rebase --ff-only --no-edit --autostash --progress"),
];

/// The shape of an exchange with one remote by names of branches and tags: `git push origin …`; `None` for anything else.
pub(super) fn exchanging(words: &[&str], situation: &Situation) -> Option<Vec<WordShape>> {
    let [git, sub, rest @ ..] = words else { return None };
    let (_, options) = EXCHANGES.iter().find(|(known, _)| base_name(git) == "git" && sub == known)?;
    let is_option = |word: &&&str| options.split_whitespace().any(|option| option == **word);
    let mut names = rest.iter().filter(|word| !is_option(word));
    // Neither an option, nor an address, nor `from:to` and `+force`.
    let plain = |word: &&str| {
        let byte = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
        !word.starts_with(['-', '.', '/']) && !word.contains("..") && word.bytes().all(byte)
    };
    let mut remotes: Vec<&str> = situation.network.remotes.iter().map(|(name, _)| name.as_str()).collect();
    remotes.sort_unstable();
    remotes.dedup();
    let remote = match (names.next(), remotes.as_slice()) {
        (Some(named), remotes) if remotes.contains(named) => *named,
        (None, [only]) => *only,
        _ => return None,
    };
    names.all(plain).then(|| vec![exact(git), exact(sub), exact(remote), WordShape::Names])
}
