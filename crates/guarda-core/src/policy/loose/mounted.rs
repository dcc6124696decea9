//! Folders of this machine that a container is given: the floor protects them under their names inside as well.

use crate::catalogue::AWAY;
use crate::places::{self, Kinds};
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::{Finding, Policy, Verdict};
use guarda_shell::script::{Piece, Run, Word};

/// A folder of this machine, and its path in a container.
struct Mount {
    here: String,
    inside: String,
}

impl Policy {
    /// What the floor forbids in a run inside a container, applied to the folders given to it.
    pub(crate) fn judge_mounted(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        run: &Run,
        findings: &mut Vec<Finding>,
    ) {
        let mut above = run.parent;
        while let Some((at, starter)) = above.and_then(|at| Some((at, context.run(at)?))) {
            above = starter.parent.filter(|next| *next < at && context.budget.spend(1));
            if !starter.program().is_some_and(|name| AWAY.contains(&base_name(name))) {
                continue;
            }
            let mounts = mounts(context, at, starter);
            let moved = |word: &Word| {
                let (Piece::Text(path), rest) = word.pieces.split_first()? else { return None };
                let mount = mounts.iter().filter(|mount| mount.inside.len() > 1).find(|mount| {
                    path.strip_prefix(&mount.inside)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })?;
                let here = format!("{}{}", mount.here, path.get(mount.inside.len()..)?);
                let here = Piece::Text(if here.is_empty() { "/".to_owned() } else { here });
                let pieces = std::iter::once(here).chain(rest.iter().cloned()).collect();
                Some(Word { pieces, span: word.span })
            };
            let words: Vec<Word> =
                run.words.iter().map(|word| moved(word).unwrap_or_else(|| word.clone())).collect();
            if mounts.is_empty() || words == run.words || !context.budget.spend(words.len() * 16) {
                continue;
            }
            let found = self.judge_open(context, index, &Run { words, ..run.clone() });
            findings.extend(found.into_iter().find(|finding| finding.verdict == Verdict::Block));
        }
    }
}

/// True if a container is given a folder of the system, a home folder or secrets.
pub(crate) fn gives_machine(policy: &Policy, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
    let classes = ["system", "home", "device"].iter().filter_map(|class| policy.names().class(class).ok());
    let machine = classes.fold(Kinds::SECRET | Kinds::ABOVE_GUARD, |all, class| all | class);
    let given = |mount: &Mount| {
        let here = if mount.here.is_empty() { "/" } else { mount.here.as_str() };
        context.kinds_of_text(policy, index, here).any(machine)
    };
    mounts(context, index, run).iter().any(given)
}

/// The folders that `docker run` gives to a container: `-v HERE:INSIDE`, `--mount source=HERE,target=INSIDE`.
fn mounts(context: &JudgeContext<'_>, index: usize, run: &Run) -> Vec<Mount> {
    let text = |word: &Word, skip: usize| {
        places::raw(word, skip, context.cwd(index), &context.situation.home).map(std::borrow::Cow::into_owned)
    };
    let words = run.words.iter().zip(run.words.iter().skip(1)).skip(1);
    words
        .filter_map(|(word, next)| match word.prefix() {
            "-v" | "--volume" | "--mount" => text(next, 0),
            head => ["--volume=", "--mount=", "-v"]
                .iter()
                .find(|flag| head.starts_with(**flag))
                .and_then(|flag| text(word, flag.len())),
        })
        .filter_map(|text| {
            let value = |keys: [&str; 3]| {
                text.split(',')
                    .filter_map(|part| part.split_once('='))
                    .find_map(|(key, value)| keys.contains(&key).then(|| value.to_owned()))
            };
            let named = || {
                let (here, inside) =
                    (value(["source", "src", ""])?, value(["target", "destination", "dst"])?);
                Some((here, inside))
            };
            let joined = || {
                let mut parts = text.split(':');
                Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
            };
            let (here, inside) = named().or_else(joined)?;
            let here = here.trim_end_matches('/').to_owned();
            Some(Mount { here, inside: inside.trim_end_matches('/').to_owned() })
        })
        .collect()
}
