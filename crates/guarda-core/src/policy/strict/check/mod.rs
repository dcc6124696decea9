//! Checks of single arguments, and of programs whose arguments are a language of their own.

mod fault;
mod texts;

pub(crate) use fault::Fault;

use crate::policy::Policy;
use crate::policy::line::context::JudgeContext;
use crate::policy::rules::grammar::{ArgumentKind, RuleCheck, Use};
use crate::policy::strict::daemon;
use crate::policy::variable::shows_secret;
use guarda_shell::script::{Piece, Run, Word};

/// Reads a run that a rule would let through; the other checks are conditions of the loose reading.
pub(crate) fn run(
    check: RuleCheck,
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    run: &Run,
) -> Result<(), Fault> {
    match check {
        RuleCheck::Git => git(policy, context, index, run),
        RuleCheck::WorkTree => work_tree(policy, context, index, run),
        RuleCheck::Given if run.words.len() > 1 => Ok(()),
        RuleCheck::Given => {
            Err(Fault::secret("alone, it prints every variable, secrets among them", run.span))
        }
        RuleCheck::AsksService if daemon::reads(run, context.situation) => Ok(()),
        _ => Err(Fault::new("this does more than ask a service for what anybody may know", run.span)),
    }
}

/// `git show HEAD:.env` reads a file as `cat` does.
fn git(policy: &Policy, context: &JudgeContext<'_>, index: usize, run: &Run) -> Result<(), Fault> {
    for word in run.words.iter().skip(1) {
        if let Some((head, _)) = word.prefix().split_once(':')
            && !head.starts_with('-')
        {
            path(policy, context, index, word, head.len() + 1)?;
        }
    }
    Ok(())
}

/// git executes what the configuration of a repository says, and a folder from elsewhere may be a repository.
fn work_tree(policy: &Policy, context: &JudgeContext<'_>, index: usize, run: &Run) -> Result<(), Fault> {
    if !context.situation.plain_repository || context.cwd(index) != Some(&context.situation.cwd) {
        return Err(Fault::new("git may start what this folder says", run.span));
    }
    if crate::policy::tracked::prints_secret(run, context.situation) {
        return Err(Fault::secret("this prints what was committed, a secret among it", run.span));
    }
    git(policy, context, index, run)
}

/// Checks one argument of a run that a rule would otherwise admit.
pub(crate) fn used(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    used: Use<'_>,
) -> Result<(), Fault> {
    let span = used.word.span;
    let fail = |why: &str| Err(Fault::new(why, span));
    match used.kind {
        ArgumentKind::Word => Ok(()),
        ArgumentKind::Text => {
            let text = used.word.prefix().get(used.skip..).unwrap_or_default();
            let path_like = text.starts_with(['/', '~', '.'])
                || text.starts_with("file:")
                || matches!(used.word.pieces.first(), Some(Piece::Home | Piece::Cwd));
            if path_like { path(policy, context, index, used.word, used.skip) } else { Ok(()) }
        }
        ArgumentKind::Path => path(policy, context, index, used.word, used.skip),
        ArgumentKind::Plain => match used.literal() {
            Some(text) if !text.contains('=') => path(policy, context, index, used.word, used.skip),
            Some(_) => fail("this would set something"),
            None => fail("what stands here is not known before it runs"),
        },
        ArgumentKind::Format => {
            if used.word.prefix().starts_with('+') {
                Ok(())
            } else {
                fail("this would set something")
            }
        }
        ArgumentKind::Command => fail("this starts a program"),
        ArgumentKind::Assignment => assignment(policy, used.word),
        ArgumentKind::Variable => match used.literal() {
            Some(name) if harmless_name(policy, name) => Ok(()),
            _ => fail("this variable changes what other commands do"),
        },
        ArgumentKind::Shown => match used.literal() {
            Some(name) if !shows_secret(name) => Ok(()),
            _ => Err(Fault::secret("this variable may hold a secret", span)),
        },
        ArgumentKind::Awk => texts::awk(policy, context, used.word),
        ArgumentKind::Sed => texts::sed(policy, context, used.word),
    }
}

/// A path whose contents are read.
pub(crate) fn path(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    word: &Word,
    skip: usize,
) -> Result<(), Fault> {
    let text = word.prefix().get(skip..).unwrap_or_default();
    if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
        return Err(Fault::new("this opens a network connection", word.span));
    }
    if policy.may_touch_guard(context, index, word, skip) {
        return Err(Fault::new("this is one of the guard's own files", word.span));
    }
    // Many programs read further options from `@FILE` and quote them in error messages.
    let behind = if text.starts_with('@') { skip + 1 } else { skip };
    if policy.secret_word(context, index, word, behind) {
        return Err(Fault::secret("this file may hold a secret", word.span));
    }
    Ok(())
}

/// `NAME=value` in front of a command, or as an argument of `export` and the like.
pub(crate) fn assignment(policy: &Policy, word: &Word) -> Result<(), Fault> {
    let head = word.prefix();
    let name = head.split(['=', '+', '[']).next().unwrap_or(head);
    if harmless_name(policy, name) {
        Ok(())
    } else {
        Err(Fault::new(format!("setting {name:?} may change what other commands do"), word.span))
    }
}

/// True for a variable that does not control what programs do.
pub(crate) fn harmless_name(policy: &Policy, name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !policy.commanding_variable(name)
}
