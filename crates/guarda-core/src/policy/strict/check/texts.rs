//! awk programs and sed scripts: whether one may write a file or execute something. A false alarm is cheap: the run is staged
//! although a cell that cannot write would do.

use super::fault::Fault;
use crate::policy::Policy;
use crate::policy::line::context::JudgeContext;
use guarda_shell::script::Word;
use regex::Regex;
use std::sync::LazyLock;

/// In awk: `system`, `getline`, `print` followed by `>` or `|`, modules, indirect calls.
const AWK: &str = r#"(?s)\bsystem\b|\bgetline\b|\bprintf?\b.*[>|]|\|&|(^|[\s;{(])@\w"#;
/// In sed: `w`, `W` and `e`, as commands and as flags of `s`.
const SED: &str = r"(?m)(^|[^\w\s\\]|\d)\s*e[^/\n]*($|;)|[wWe](\s|[;}]|$)";

pub(crate) fn awk(policy: &Policy, context: &JudgeContext<'_>, program: &Word) -> Result<(), Fault> {
    static DOES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(AWK).ok());
    reads(policy, context, program, DOES.as_ref())
}

pub(crate) fn sed(policy: &Policy, context: &JudgeContext<'_>, script: &Word) -> Result<(), Fault> {
    static DOES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SED).ok());
    reads(policy, context, script, DOES.as_ref())
}

/// A text that is unknown before it runs is left to the cell.
fn reads(
    policy: &Policy,
    context: &JudgeContext<'_>,
    word: &Word,
    does: Option<&Regex>,
) -> Result<(), Fault> {
    let Some(text) = word.literal() else { return Ok(()) };
    if does.is_none_or(|does| does.is_match(text)) {
        return Err(Fault::new("the program may write or run something", word.span));
    }
    match policy.mentions_guard(context, text) {
        true => Err(Fault::secret("the program names one of the guard's own files", word.span)),
        false => Ok(()),
    }
}
