//! Whether an interpreter is given its program by its words, so that what it reads from a pipe is data.

use crate::policy::Policy;
use crate::policy::line::context::base_name;
use guarda_shell::script::{Run, Word};

/// True if the program is known before it runs: a text in the words, a module that reads data, or a file. An interpreter that goes
/// on with its input after that (`-i`) is given nothing.
pub(crate) fn is_given(policy: &Policy, run: &Run) -> bool {
    let Some(name) = run.program().map(base_name) else { return false };
    let name = name.strip_suffix(|c: char| c.is_ascii_digit()).map_or(name, |_| {
        let bare = name.split('.').next().unwrap_or(name);
        if bare.ends_with(|c: char| c.is_ascii_digit()) || name.contains('.') { bare } else { name }
    });
    let words = run.words.get(1..).unwrap_or_default();
    let interactive = |word: &Word| word.literal().is_none_or(|text| matches!(text, "-i" | "--interactive"));
    if !run.assigns.is_empty() || words.iter().any(interactive) || policy.listed("shells", name) {
        return false;
    }
    let mut sure = true;
    let mut words = words.iter().filter_map(Word::literal);
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            let input = word == "-" || word.starts_with("/dev/") || word.starts_with("/proc/");
            return sure && !input && policy.listed("interpreters", name);
        }
        let bundled = !word.starts_with("--") && word.contains('i');
        let last = word.chars().next_back().map(|letter| format!("{name}:-{letter}")).unwrap_or_default();
        if policy.listed("given", &format!("{name}:{word}"))
            || !word.starts_with("--") && policy.listed("given", &last)
        {
            return !bundled && words.next().is_some();
        }
        if word == "-m" {
            return words.next().is_some_and(|module| policy.listed("given-modules", module));
        }
        // The next word may be the value of an unknown option.
        sure &= policy.listed("given-beside", word);
    }
    false
}
