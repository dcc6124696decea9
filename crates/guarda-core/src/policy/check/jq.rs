//! Filters of jq: they read their input; only the environment and modules reach further.

use super::{Ask, Fault};
use crate::policy::Policy;
use crate::policy::context::JudgeContext;
use guarda_shell::script::Run;

/// Looks at the options of jq that take two words: `--arg name value`, `--slurpfile name file`.
pub(in crate::policy) fn arguments(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    run: &Run,
) -> Result<(), Fault> {
    for (at, word) in run.words.iter().enumerate() {
        if matches!(word.literal(), Some("--slurpfile" | "--rawfile" | "--argfile"))
            && let Some(file) = run.words.get(at + 2)
        {
            super::path(policy, context, index, file, 0)?;
        }
    }
    Ok(())
}

/// Reads a filter.
pub(in crate::policy) fn read(filter: &str, _secret: &Ask<'_>) -> Result<(), &'static str> {
    let words =
        filter.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '$'));
    let mut before = ' ';
    let mut at = 0usize;
    for word in words {
        let field = before == '.' || before == '"';
        if !field && matches!(word, "env" | "$ENV") {
            return Err("the filter reads the environment, which may hold secrets");
        }
        if !field && matches!(word, "import" | "include") {
            return Err("the filter loads a module");
        }
        at += word.len();
        before = filter.get(at..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        at += before.len_utf8();
    }
    Ok(())
}
