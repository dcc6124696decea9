//! What of a command's words says what it is about: not how an answer is shown, how long it is waited for, or which branch.

use super::base_name;

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
pub fn without_quiet<'a>(name: &str, words: &[&'a str]) -> impl Iterator<Item = &'a str> {
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

/// What names an exchange with one remote by branches and tags: the words of the program and the sub-command, and the remote among these
/// that it is with (`git push origin` for `git push -u origin main`). `None` for anything else.
#[must_use]
pub fn exchange<'a>(words: &[&'a str], remotes: &[&'a str]) -> Option<[&'a str; 3]> {
    let [git, sub, rest @ ..] = words else { return None };
    let (_, options) = EXCHANGES.iter().find(|(known, _)| base_name(git) == "git" && sub == known)?;
    let is_option = |word: &&&str| options.split_whitespace().any(|option| option == **word);
    let mut names = rest.iter().filter(|word| !is_option(word));
    // Neither an option, nor an address, nor `from:to` and `+force`.
    let plain = |word: &&str| {
        let byte = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
        !word.starts_with(['-', '.', '/']) && !word.contains("..") && word.bytes().all(byte)
    };
    let remote = match (names.next(), remotes) {
        (Some(named), remotes) if remotes.contains(named) => *named,
        (None, [only]) => *only,
        _ => return None,
    };
    names.all(plain).then_some([*git, *sub, remote])
}

/// Whether one such exchange only looks for what the other brings in.
#[must_use]
pub fn looks_for(one: &str, other: &str) -> bool {
    (one, other) == ("fetch", "pull")
}

/// Wrappers that only limit or measure what they start.
pub const LIMITS: [&str; 4] = ["timeout", "time", "nice", "stdbuf"];
/// Builtins that change nothing for a command after them, other than its folder.
pub const STATELESS: [&str; 10] = ["cd", "echo", "printf", "true", "false", ":", "test", "[", "pwd", "kill"];
/// Programs for which a grant of one address covers the whole host.
const FETCHERS: [&str; 7] = ["curl", "wget", "wget2", "curlie", "http", "https", "xh"];
/// Ways to ask a host that replace what is there: the address then stands for itself.
const REPLACING: [&str; 2] = ["PUT", "PATCH"];

/// Whether a command fetches, so that it is about the hosts of its addresses.
#[must_use]
pub fn fetches(words: &[&str]) -> bool {
    let replaces = |word: &&str| REPLACING.iter().any(|way| word.to_ascii_uppercase().ends_with(way));
    words.first().is_some_and(|name| FETCHERS.contains(&base_name(name))) && !words.iter().any(replaces)
}
