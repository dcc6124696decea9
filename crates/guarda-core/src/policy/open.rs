//! The loose reading: do a rule's conditions hold anywhere in a run? A rule that asks or blocks is met however its
//! flags are spelt and wherever its words stand.

use crate::policy::check::find;
use crate::policy::context::{JudgeContext, base_name};
use crate::policy::grammar::Takes;
use crate::policy::places::{Class, Place};
use crate::policy::rule::{Ready, Rule};
use crate::policy::{Policy, own};
use guarda_shell::script::{Input, Piece, Reach, RedirectKind, Run, Span, UnknownCause, Word};

/// The span that a rule is about, if its conditions hold.
pub(super) fn meets(
    policy: &Policy,
    rule: &Rule,
    ready: &Ready,
    context: &JudgeContext<'_>,
    index: usize,
    run: &Run,
) -> Option<Span> {
    let mut span = run.span;
    let words = run.words.get(1..).unwrap_or_default();
    if let Some(when) = rule.text.when.as_deref() {
        let holds = match when {
            "question-open" => context.situation.question_open,
            "corrupted" => context.situation.corrupted,
            "secret" => context.situation.secret,
            _ => true,
        };
        if !holds {
            return None;
        }
    }
    if !ready.sub.is_empty() {
        span = sub_command(&ready.sub, ready, words)?;
    }
    if !ready.spare_sub.is_empty() && sub_command(&ready.spare_sub, ready, words).is_some() {
        return None;
    }
    let carries = |flags: &crate::policy::grammar::Flags| {
        words
            .iter()
            .take_while(|word| word.literal() != Some("--"))
            .find(|word| word.prefix().starts_with('-') && flags.carried_by(word.prefix()))
    };
    if !ready.flags.is_empty() {
        span = carries(&ready.flags)?.span;
    }
    if !ready.and_flags.is_empty() {
        carries(&ready.and_flags)?;
    }
    if !ready.without.is_empty() && carries(&ready.without).is_some() {
        return None;
    }
    if !ready.words.is_empty() {
        span = words.iter().find(|word| word.literal().is_some_and(|text| ready.words.has(text)))?.span;
    }
    if !ready.fed_by.is_empty() {
        context.sources(index).into_iter().find(|source| {
            context
                .run(*source)
                .and_then(Run::program)
                .is_some_and(|program| ready.fed_by.has(base_name(program)))
        })?;
    }
    match rule.text.check.as_deref() {
        Some("find-unnarrowed") if !find::unnarrowed(run) => return None,
        Some("covers") if !covers(words) => return None,
        Some("names-guard") if !own::aims_at_guard(run) => return None,
        Some("searches-guard") if !policy.searches_guard(context, index, run) => return None,
        Some("at-a-terminal") if !at_a_terminal(run) => return None,
        Some("alone-at-a-terminal") if run.words.len() > 1 || !at_a_terminal(run) => return None,
        Some("kill-everything") => span = kills_everything(words)?,
        Some("feeds-guard") => {
            context
                .sources(index)
                .into_iter()
                .find(|source| context.run(*source).is_some_and(own::aims_at_guard))?;
        }
        _ => {}
    }
    let target = Target { policy, ready, context, index };
    if let Some(class) = &ready.at {
        let here = || {
            let here = matches!(rule.text.check.as_deref(), Some("or-here" | "here"));
            let cwd = context.cwd(index).filter(|_| here)?;
            let place = Place::from_text(cwd, None, &context.situation.home)?;
            target.is(&place, class).then_some(run.span)
        };
        let words = if rule.text.check.as_deref() == Some("here") { &[] } else { words };
        let named = words.iter().find(|word| target.named(word, class)).map(|word| word.span);
        span = named.or_else(here)?;
    }
    if let Some(class) = &ready.at_last {
        span = target.last(words).into_iter().find(|word| target.named(word, class))?.span;
    }
    if let Some(class) = &ready.at_sources {
        // Words that come from one word of the line (`{mv,/,x}`) share its span.
        let last = target.last(words);
        if !context.budget.spend(words.len() / 8 * last.len()) {
            return None;
        }
        span = words
            .iter()
            .filter(|word| {
                !word.prefix().starts_with('-') && !last.iter().any(|other| std::ptr::eq(*other, *word))
            })
            .find(|word| target.named(word, class))?
            .span;
    }
    if let Some(class) = &ready.writes_to {
        span = target.redirected(run, class, true)?;
    }
    if let Some(class) = &ready.reads_from {
        span = target.redirected(run, class, false)?;
    }
    // What one of our own rules lets through, word for word, is not what this rule is about. It comes last: the strict
    // reading takes more effort than all of the above.
    let excused = match rule.text.check.as_deref() {
        Some("unless-read") => policy.only_reads(context, index, run),
        Some("unless-kept") => policy.keeps_settings(context, index, run),
        _ => false,
    };
    (!excused).then_some(span)
}

/// True for `$NAME/` and `$NAME/*` of a variable that the line does not set: where nobody has set it, that is the root.
fn unset(context: &JudgeContext<'_>, word: &Word, filled: &[Word]) -> bool {
    const SET: &[&str] = &["HOME", "PWD", "OLDPWD", "TMPDIR", "TMP", "TEMP", "XDG_", "CARGO_", "VIRTUAL_ENV"];
    let Some((Piece::Unknown(UnknownCause::Variable(name)), rest)) = word.pieces.split_first() else {
        return false;
    };
    let tail = match rest {
        [Piece::Text(slash)] => slash.trim_end_matches(['.']) == "/",
        [Piece::Text(slash), Piece::Glob(star)] => slash == "/" && star == "*",
        _ => false,
    };
    let given = || {
        context.own_runs().any(|(_, run)| {
            run.words.iter().skip(1).any(|word| word.prefix().split('=').next() == Some(name.as_str()))
        })
    };
    let positional = || name.bytes().all(|byte| !byte.is_ascii_alphabetic());
    tail && filled.is_empty() && !SET.iter().any(|known| name.starts_with(known)) && !positional() && !given()
}

/// True for a mount over a folder: what is mounted, and where, and no change of a mount that is there.
fn covers(words: &[Word]) -> bool {
    let operands = words.iter().filter(|word| !word.prefix().starts_with('-')).count();
    operands >= 2 && !words.iter().any(|word| word.prefix().split(',').any(|part| part == "remount"))
}

/// True if what the run prints goes neither into a pipe nor into a file, and if it is more than the end of a pipe.
fn at_a_terminal(run: &Run) -> bool {
    !run.piped
        && !matches!(run.input, Input::Pipe(_))
        && run.reach != Reach::Substitution
        && !run.redirects.iter().any(|redirect| redirect.fd == 1 && redirect.kind != RedirectKind::Close)
}

/// `kill -9 -1`, `kill -- -1`, `kill -9 1`: every process, or the first one.
fn kills_everything(words: &[Word]) -> Option<Span> {
    let mut signal = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.literal()?;
        match text {
            "--" => {}
            "-s" | "-n" | "--signal" => {
                signal = true;
                rest.next();
            }
            "-1" if signal || words.iter().any(|word| word.literal() == Some("--")) => {
                return Some(word.span);
            }
            "1" => return Some(word.span),
            _ if text.starts_with('-') => signal = true,
            _ => {}
        }
    }
    None
}

/// Where a sub-command of the rule stands, if one does: behind flags, with or without values of their own.
fn sub_command(subs: &[Vec<Box<str>>], ready: &Ready, words: &[Word]) -> Option<Span> {
    let mut starts = vec![];
    let mut at = 0usize;
    while let Some(word) = words.get(at) {
        let head = word.prefix();
        if at == 0 && head.starts_with('+') {
            // `cargo +nightly`.
            at += 1;
            continue;
        }
        if !head.starts_with('-') {
            starts.push(at);
            break;
        }
        at += 1;
        if head.contains('=') {
            continue;
        }
        match ready
            .before
            .long(head)
            .or_else(|| head.chars().nth(1).and_then(|letter| ready.before.short(letter)))
        {
            Some(flag) if matches!(flag.takes, Takes::Value(_)) => {
                if head.len() == 2 || head.starts_with("--") {
                    at += 1;
                }
            }
            Some(_) => {}
            // It is not known whether the next word is its value: both readings count.
            None => starts.push(at + 1),
        }
    }
    starts.iter().find_map(|start| {
        let rest = words.get(*start..)?;
        subs.iter().find_map(|sub| {
            let fits = sub.len() <= rest.len()
                && sub.iter().zip(rest).all(|(name, word)| word.literal() == Some(name));
            fits.then(|| rest.first().map(|word| word.span)).flatten()
        })
    })
}

struct Target<'a> {
    policy: &'a Policy,
    ready: &'a Ready,
    context: &'a JudgeContext<'a>,
    index: usize,
}

impl Target<'_> {
    /// True if the word, or the value in it, names a place of the class.
    fn named(&self, word: &Word, class: &Class) -> bool {
        let own = self.ready.guard;
        let Some(run) = self.context.run(self.index) else { return false };
        if own.inside && self.policy.reaches_guard(self.context, self.index, run, word)
            || own.settings && self.policy.reaches_settings(self.context, self.index, word)
        {
            return true;
        }
        let filled = self.context.filled_in(word);
        if unset(self.context, word, &filled) || filled.iter().any(|word| self.named_as(word, class)) {
            let root = || Place::from_text("/", None, "");
            return !filled.is_empty() || root().is_some_and(|root| self.is(&root, class));
        }
        self.named_as(word, class)
    }

    fn named_as(&self, word: &Word, class: &Class) -> bool {
        if let [Piece::Unknown(UnknownCause::Items)] = word.pieces.as_slice() {
            return self.items(class);
        }
        let head = word.prefix();
        let skip = match head.find('=') {
            Some(at) => at + 1,
            None if head.starts_with('-') && !head.starts_with("--") && head.len() > 2 => 2,
            None if head.starts_with('-') => return false,
            None => 0,
        };
        let whole = !head.starts_with('-') && self.place(word, 0).is_some_and(|place| self.is(&place, class));
        whole || skip > 0 && self.place(word, skip).is_some_and(|place| self.is(&place, class))
    }

    fn place(&self, word: &Word, skip: usize) -> Option<Place> {
        self.context.place(self.index, word, skip)
    }

    fn is(&self, place: &Place, class: &Class) -> bool {
        let home = &self.context.situation.home;
        if class.has_whole(place, home) {
            return true;
        }
        if place.exact().and_then(|path| self.context.situation.links.get(path)).is_some_and(|real| {
            Place::from_text(real, None, home).is_some_and(|place| class.has_whole(&place, home))
        }) {
            return true;
        }
        let own = self.ready.guard;
        own.inside && self.policy.guard_place(place, self.context.situation, own.above)
            || own.settings && self.policy.settings_place(place, self.context.situation)
    }

    /// True if the items that a wrapper puts in are a place of the class: everything below `find /`, say.
    fn items(&self, class: &Class) -> bool {
        let Some(parent) = self.context.run(self.index).and_then(|run| run.parent) else { return false };
        let Some(wrapper) = self.context.run(parent) else { return false };
        if !self.context.budget.spend(wrapper.words.len()) {
            return false;
        }
        let from =
            |run: &Run, at: usize| match run.program().map(base_name) {
                Some("find") => {
                    find::unnarrowed(run)
                        && find::roots(run).any(|word| {
                            self.context.place(at, word, 0).is_some_and(|place| self.is(&place, class))
                        })
                }
                Some("echo" | "printf" | "ls") => {
                    let printed = crate::policy::hidden::said(run);
                    let mut texts = printed.iter().flat_map(|text| text.split(['\n', ' ', '\0'])).take(64);
                    run.words.iter().skip(1).any(|word| {
                        self.context.place(at, word, 0).is_some_and(|place| self.is(&place, class))
                    }) || texts.any(|text| {
                        Place::from_text(text, self.context.cwd(at), &self.context.situation.home)
                            .is_some_and(|place| self.is(&place, class))
                    })
                }
                _ => false,
            };
        match wrapper.program().map(base_name) {
            Some("find") => from(wrapper, parent),
            Some("parallel")
                if wrapper
                    .words
                    .iter()
                    .skip_while(|word| !matches!(word.literal(), Some(":::" | ":::+")))
                    .skip(1)
                    .any(|word| {
                        self.context.place(parent, word, 0).is_some_and(|place| self.is(&place, class))
                    }) =>
            {
                true
            }
            _ if self.given(wrapper, parent, class) => true,
            _ => self
                .context
                .sources(parent)
                .into_iter()
                .any(|source| self.context.run(source).is_some_and(|run| from(run, source))),
        }
    }

    /// True if a text that is given in place names a place of the class (`xargs rm -r <<< /`).
    fn given(&self, run: &Run, at: usize, class: &Class) -> bool {
        run.redirects
            .iter()
            .filter(|redirect| redirect.kind == RedirectKind::Text)
            .filter_map(|redirect| redirect.target.literal())
            .flat_map(str::split_ascii_whitespace)
            .take(64)
            .any(|text| {
                Place::from_text(text, self.context.cwd(at), &self.context.situation.home)
                    .is_some_and(|place| self.is(&place, class))
            })
    }

    /// The words that say where something goes: the value of `-t`, `of=`, or else the last operand.
    fn last<'w>(&self, words: &'w [Word]) -> Vec<&'w Word> {
        let mut found = Vec::new();
        // To `mount`, `-t` says what kind of file system it is.
        let mounts = self.context.run(self.index).and_then(Run::program).map(base_name) == Some("mount");
        for (at, word) in words.iter().enumerate().filter(|_| !mounts) {
            let head = word.prefix();
            if head == "-t" || head == "--target-directory" {
                found.extend(words.get(at + 1));
            } else if head.starts_with("--target-directory=")
                || head.starts_with("of=")
                || head.starts_with("-t/")
            {
                found.push(word);
            }
        }
        if found.is_empty() {
            // `dd` writes to its output where it is not told otherwise.
            let operand = |word: &&Word| !word.prefix().starts_with('-') && !word.prefix().starts_with("if=");
            found.extend(words.iter().rev().find(operand));
        }
        found
    }

    fn redirected(&self, run: &Run, class: &Class, writes: bool) -> Option<Span> {
        run.redirects
            .iter()
            .filter(|redirect| match redirect.kind {
                RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => writes,
                RedirectKind::Read => !writes,
                RedirectKind::Text | RedirectKind::Duplicate | RedirectKind::Close => false,
            })
            .find(|redirect| self.place(&redirect.target, 0).is_some_and(|place| self.is(&place, class)))
            .map(|redirect| redirect.target.span)
    }
}
