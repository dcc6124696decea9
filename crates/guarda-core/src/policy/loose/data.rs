//! Whether a client of a database is told to delete data.

use crate::policy::Policy;
use crate::policy::line::context::{JudgeContext, base_name};
use guarda_shell::script::{RedirectKind, Run, Word};
use regex::Regex;
use std::sync::LazyLock;

/// What takes data away, in the languages of databases.
static DESTROYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let sql = r"\b(?:drop|truncate|purge)\b|\bdelete\s+from\b|\bdelete\s*$|\bundrop\b";
    let others = r"\bflush(?:all|db)\b|dropDatabase|\.drop(?:Index(?:es)?)?\s*\(|\b(?:deleteMany|deleteOne|remove)\s*\(|^(?:del|unlink)\b|\bshutdown\b";
    Regex::new(&format!("(?i){sql}|{others}")).ok()
});

/// True if a word, a text that is put in, or a text that is piped in says so.
pub(crate) fn destroys(policy: &Policy, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
    if run.program().is_some_and(|program| policy.listed("droppers", base_name(program))) {
        return true;
    }
    let Some(destroys) = DESTROYS.as_ref() else { return true };
    let says = |word: &Word| {
        destroys.is_match(word.prefix()) || word.literal().is_some_and(|text| destroys.is_match(text))
    };
    let sources = || context.sources(index).into_iter().filter_map(|source| context.run(source));
    run.words.iter().skip(1).any(says)
        || run.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Text && says(&redirect.target))
        || sources().any(|source| source.words.iter().skip(1).any(says))
}
