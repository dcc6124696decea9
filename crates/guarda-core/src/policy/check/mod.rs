//! Readings of single arguments and of the programs whose arguments are a language of their own.

pub(super) mod awk;
pub(super) mod find;
pub(super) mod jq;
pub(super) mod sed;

use crate::policy::Policy;
use crate::policy::closed::{Use, nowhere};
use crate::policy::command::shows_secret;
use crate::policy::context::JudgeContext;
use crate::policy::grammar::Kind;
use crate::policy::places::Kinds;
use guarda_shell::script::{Piece, RedirectKind, Run, Span, Word};

/// Why an argument does not pass, and where it stands.
pub(super) type Fault = (String, Span);

/// Reads a run by the code that a rule names.
pub(super) fn read(
    name: &str,
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    run: &Run,
) -> Result<(), Fault> {
    match name {
        "find" => find::read(policy, context, index, run),
        "jq-args" => jq::arguments(policy, context, index, run),
        "no-dc-command" => no_dc_command(context, index, run),
        "git" => git(policy, context, index, run),
        "work-tree" => work_tree(policy, context, index, run),
        "aws" => aws(run),
        "web-address" => web_address(run),
        "capture" => capture(run),
        "asks-by-get" => asks_by_get(run),
        "parted" => parted(run),
        "asks-service" => match crate::policy::daemon::reads(run) {
            true => Ok(()),
            false => {
                Err(("this does more than ask a service for what anybody may know".to_owned(), run.span))
            }
        },
        "to-output" => {
            let names = |word: &Word| matches!(word.literal(), Some("-" | "/dev/stdout"));
            if run.words.iter().skip(1).any(names) {
                Ok(())
            } else {
                Err(("this writes a file, unless it is told to print".to_owned(), run.span))
            }
        }
        "no-response-file" => none(run, |text| text.starts_with('@'), "this names a file of further options"),
        "no-assignment" => {
            // `ephemeral:FILE` is an image that is deleted once it was read; `msl:FILE` is a program; `|COMMAND` was once an
            // image to ImageMagick, and `@FILE` names others.
            let bad = |text: &str| {
                text.starts_with(['|', '@'])
                    || text.starts_with('-') && text.contains('=')
                    || ["ephemeral:", "msl:"].iter().any(|head| text.to_ascii_lowercase().starts_with(head))
            };
            none(run, bad, "this may write a tag, or do more than read")
        }
        "pager-command" => {
            none(run, pager_command, "a pager does what stands behind the +, and can start programs so")
        }
        "bundle-first" => Ok(()),
        _ => Err((format!("there is no reading {name:?}"), run.span)),
    }
}

/// True if [`read`] knows the name.
pub(super) fn known(name: &str) -> bool {
    matches!(
        name,
        "find"
            | "git"
            | "work-tree"
            | "aws"
            | "web-address"
            | "capture"
            | "no-response-file"
            | "no-assignment"
            | "find-unnarrowed"
            | "jq-args"
            | "no-dc-command"
            | "pager-command"
            | "bundle-first"
            | "kill-everything"
            | "feeds-guard"
            | "at-a-terminal"
            | "alone-at-a-terminal"
            | "unless-read"
            | "unless-kept"
            | "or-here"
            | "here"
            | "covers"
            | "names-guard"
            | "searches-guard"
            | "asks-by-get"
            | "asks-service"
            | "parted"
            | "to-output"
    )
}

/// No word may be of this kind.
fn none(run: &Run, bad: impl Fn(&str) -> bool, why: &str) -> Result<(), Fault> {
    match run.words.iter().skip(1).find(|word| bad(word.prefix())) {
        Some(word) => Err((why.to_owned(), word.span)),
        None => Ok(()),
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

/// git starts what the configuration of a repository says, and a folder that somebody brought may be one.
fn work_tree(policy: &Policy, context: &JudgeContext<'_>, index: usize, run: &Run) -> Result<(), Fault> {
    if !context.situation.plain_repository || context.cwd(index) != Some(&context.situation.cwd) {
        return Err(("git may start what this folder says".to_owned(), run.span));
    }
    git(policy, context, index, run)
}

/// Operations that fetch something take a file to write as their last word.
fn aws(run: &Run) -> Result<(), Fault> {
    let Some((last, before)) = run.words.split_last() else { return Ok(()) };
    let fetches = before.iter().any(|word| word.prefix().starts_with("get-"));
    let value = before.last().is_some_and(|word| word.prefix().starts_with("--"));
    if fetches && !value && !last.prefix().starts_with('-') {
        return Err(("this writes a file".to_owned(), last.span));
    }
    Ok(())
}

/// Only addresses of the web, and no header or value that is read from a file.
fn web_address(run: &Run) -> Result<(), Fault> {
    let strange = |text: &str| {
        let scheme = text.split("://").next().unwrap_or(text);
        text.starts_with('@')
            || text.contains("://") && !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https")
            || text.to_ascii_lowercase().starts_with("file:")
    };
    for (at, word) in run.words.iter().enumerate().skip(1) {
        let previous =
            at.checked_sub(1).and_then(|at| run.words.get(at)).map(Word::prefix).unwrap_or_default();
        let method = matches!(previous, "-X" | "--request");
        let text = word.literal().unwrap_or_else(|| word.prefix());
        let given =
            text.strip_prefix("-X").or_else(|| text.strip_prefix("--request=")).or(method.then_some(text));
        if given.is_some_and(|method| !matches!(method, "" | "GET" | "HEAD" | "OPTIONS")) {
            return Err(("this changes something on the server".to_owned(), word.span));
        }
        if strange(text) || text.starts_with("-H@") || text.starts_with("-w@") {
            return Err(("this may send or read a file".to_owned(), word.span));
        }
        if word.unknown() {
            return Err(("what is sent is not known before it runs".to_owned(), word.span));
        }
    }
    Ok(())
}

/// `-X GET`, without which a field makes a request that changes something.
fn asks_by_get(run: &Run) -> Result<(), Fault> {
    let words: Vec<&str> = run.words.iter().skip(1).map(Word::prefix).collect();
    let apart = words.windows(2).any(|pair| matches!(pair, ["-X" | "--method", "GET"]));
    if apart || words.iter().any(|word| matches!(*word, "-XGET" | "--method=GET")) {
        Ok(())
    } else {
        Err(("this may change something on the server".to_owned(), run.span))
    }
}

/// `parted DEVICE unit MiB print free`: of its commands, those that print.
fn parted(run: &Run) -> Result<(), Fault> {
    const SHOWS: &[&str] = &[
        "print",
        "p",
        "free",
        "list",
        "devices",
        "all",
        "align-check",
        "minimal",
        "optimal",
        "help",
        "version",
        "quit",
    ];
    const UNITS: &[&str] =
        &["s", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "compact", "cyl", "chs", "%", "unit"];
    let known = |text: &str| {
        SHOWS.contains(&text) || UNITS.contains(&text) || text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let operands = run.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    match operands.skip(1).find(|word| word.literal().is_none_or(|text| !known(text))) {
        Some(word) => Err(("this may change the partitions".to_owned(), word.span)),
        None => Ok(()),
    }
}

/// Statistics of tshark are harmless; a program after a capture (`-z` of tcpdump) is not.
fn capture(run: &Run) -> Result<(), Fault> {
    let tcpdump = run.program().map(crate::policy::context::base_name) == Some("tcpdump");
    none(run, |text| tcpdump && text.starts_with("-z"), "this starts a program")
}

/// True for `+COMMAND`, but for the ways to a place: `+G`, `+F`, `+12`, `+/words`.
fn pager_command(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|command| {
        !(matches!(command, "G" | "F" | "g")
            || command.bytes().all(|byte| byte.is_ascii_digit())
            || command.starts_with('/') && !command.contains(char::is_control))
    })
}

/// `!` in dc starts a program.
fn no_dc_command(context: &JudgeContext<'_>, index: usize, run: &Run) -> Result<(), Fault> {
    if run.program().map(crate::policy::context::base_name) != Some("dc") {
        return Ok(());
    }
    let fault = || ("dc runs what stands behind `!`".to_owned(), run.span);
    // A file is a program, and what is in it is not known.
    let expression = |at: usize| {
        at.checked_sub(1)
            .and_then(|at| run.words.get(at))
            .is_some_and(|word| matches!(word.prefix(), "-e" | "--expression"))
    };
    let file = |(at, word): (usize, &Word)| {
        let text = word.prefix();
        text.starts_with("-f") || text.starts_with("--file") || !text.starts_with('-') && !expression(at)
    };
    if run.words.iter().enumerate().skip(1).any(file)
        || run.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read)
    {
        return Err(fault());
    }
    let shouts = |run: &Run| {
        run.words
            .iter()
            .skip(1)
            .chain(run.redirects.iter().map(|redirect| &redirect.target))
            .any(|word| word.unknown() || word.literal().is_some_and(|text| text.contains('!')))
    };
    let sources = context.sources(index);
    let known = sources.iter().all(|source| {
        context.run(*source).is_some_and(|run| {
            matches!(run.program(), Some("echo" | "printf" | "seq" | "tr")) && !shouts(run)
        })
    });
    if shouts(run) || !known { Err(fault()) } else { Ok(()) }
}

/// Looks at one argument of a run that would otherwise be let through.
pub(super) fn used(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    used: Use<'_>,
) -> Result<(), Fault> {
    let span = used.word.span;
    let fail = |why: &str| Err((why.to_owned(), span));
    match used.kind {
        Kind::Word | Kind::Name | Kind::Number => Ok(()),
        Kind::Text => {
            let text = used.word.prefix().get(used.skip..).unwrap_or_default();
            let path_like = text.starts_with(['/', '~', '.'])
                || text.starts_with("file:")
                || matches!(used.word.pieces.first(), Some(Piece::Home | Piece::Cwd));
            if path_like { path(policy, context, index, used.word, used.skip) } else { Ok(()) }
        }
        Kind::Path => path(policy, context, index, used.word, used.skip),
        Kind::Local => {
            let text = used.word.prefix().get(used.skip..).unwrap_or_default();
            if text.split('/').next().is_some_and(|head| head.contains(':')) {
                return fail("this may lie on another machine");
            }
            path(policy, context, index, used.word, used.skip)
        }
        Kind::Plain => match used.literal() {
            Some(text) if !text.contains('=') => path(policy, context, index, used.word, used.skip),
            Some(_) => fail("this would set something"),
            None => fail("what stands here is not known before it runs"),
        },
        Kind::Format => {
            if used.word.prefix().starts_with('+') {
                Ok(())
            } else {
                fail("this would set something")
            }
        }
        Kind::Out => match used.literal() {
            Some(text) if text == "-" || nowhere(text) => Ok(()),
            _ => fail("this writes a file"),
        },
        Kind::Command => fail("this starts a program"),
        Kind::Assignment => assignment(policy, used.word),
        Kind::Variable => match used.literal() {
            Some(name) if harmless_name(policy, name) => Ok(()),
            _ => fail("this variable changes what other commands do"),
        },
        Kind::Shown => match used.literal() {
            Some(name) if !shows_secret(name) => Ok(()),
            _ => fail("this variable may hold a secret"),
        },
        Kind::Awk => language(policy, context, index, used, awk::read),
        Kind::Sed => language(policy, context, index, used, sed::read),
        Kind::Jq => language(policy, context, index, used, jq::read),
    }
}

/// What a language's reader asks about a file that the program text names.
pub(super) type Ask<'a> = dyn Fn(&str) -> bool + 'a;

fn scene_strings<'a>(
    context: &'a JudgeContext<'a>,
    policy: &'a Policy,
    index: usize,
) -> impl Fn(&str) -> bool + 'a {
    move |text: &str| {
        context.kinds_of_text(policy, index, text).any(Kinds::SECRET) || policy.mentions_guard(context, text)
    }
}

/// Reads a program in another language, where all of it is known.
fn language(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    used: Use<'_>,
    read: fn(&str, &Ask<'_>) -> Result<(), &'static str>,
) -> Result<(), Fault> {
    let mut text = String::new();
    for (place, piece) in used.word.pieces.iter().enumerate() {
        match piece {
            Piece::Text(part) => {
                text.push_str(if place == 0 { part.get(used.skip..).unwrap_or_default() } else { part });
            }
            Piece::Glob(pattern) => text.push_str(pattern),
            Piece::Home | Piece::Cwd => text.push_str("/x"),
            // What it will be is not known, and what it does then happens in a cell.
            Piece::Unknown(_) => return Ok(()),
        }
    }
    read(&text, &scene_strings(context, policy, index)).map_err(|why| (why.to_owned(), used.word.span))
}

/// A path whose contents are read.
pub(super) fn path(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    word: &Word,
    skip: usize,
) -> Result<(), Fault> {
    let text = word.prefix().get(skip..).unwrap_or_default();
    if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
        return Err(("this opens a network connection".to_owned(), word.span));
    }
    let remote = text.split('/').next().is_some_and(|head| head.len() > 1 && head.ends_with(':'));
    if remote && !text.starts_with("file:") && text.contains("//") {
        return Err(("this is an address, not a file".to_owned(), word.span));
    }
    if policy.may_touch_guard(context, index, word, skip) {
        return Err(("this is one of the guard's own files".to_owned(), word.span));
    }
    // Of many programs `@FILE` names a file of further options, which they tell about.
    let behind = if text.starts_with('@') { skip + 1 } else { skip };
    if policy.secret_word(context, index, word, behind) {
        return Err(("this file may hold a secret".to_owned(), word.span));
    }
    Ok(())
}

/// `NAME=value` in front of a command, or as an argument of `export` and the like.
pub(super) fn assignment(policy: &Policy, word: &Word) -> Result<(), Fault> {
    let head = word.prefix();
    let name = head.split(['=', '+', '[']).next().unwrap_or(head);
    if harmless_name(policy, name) {
        Ok(())
    } else {
        Err((format!("setting {name:?} may change what other commands do"), word.span))
    }
}

/// True for a variable that no program takes orders from.
pub(super) fn harmless_name(policy: &Policy, name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !policy.commanding_variable(name)
}
