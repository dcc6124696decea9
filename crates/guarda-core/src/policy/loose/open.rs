//! The loose reading: do a rule's conditions hold anywhere in a run? A rule that asks or blocks is met however its
//! flags are spelt and wherever its words stand.

use crate::places::Kinds;
use crate::policy::Policy;
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::loose::{data, find, given, mounted, own};
use crate::policy::rules::grammar::{Flags, RuleCheck, Takes};
use crate::policy::rules::rule::{ReadyRule, Rule};
use guarda_shell::script::{Piece, RedirectKind, Run, Span, UnknownCause, Word};
use std::cell::OnceCell;

/// The span that a rule is about, if its conditions hold.
pub(crate) fn meets(rule: &Rule, ready: &ReadyRule, target: &Target<'_>) -> Option<Span> {
    let Target { policy, context, index, run, .. } = *target;
    let mut span = run.span;
    let words = target.words();
    if let Some(when) = rule.text.when.as_deref() {
        let holds = match when {
            "question-open" => context.situation.question_open,
            "corrupted" => context.situation.corrupted,
            "secret" => context.situation.secret,
            "keeps" => context.situation.network.session.is_some(),
            "elsewhere" => !context.situation.network.here.contains(&index),
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
    let carries = |flags: &Flags| {
        words
            .iter()
            .take_while(|word| word.literal() != Some("--"))
            .find(|word| word.prefix().starts_with('-') && flags.carried_by(word.prefix()))
    };
    if !ready.flags.is_empty() {
        span = carries(&ready.flags)?.span;
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
    let span = checked(ready, target, span).and_then(|span| aimed(ready, target, span))?;
    // A run that a built-in `allow` rule admits word for word is exempt. This comes last, since the strict reading costs more
    // than everything above.
    let excused = match ready.check {
        Some(RuleCheck::UnlessRead | RuleCheck::Output) => policy.only_reads(context, index, run),
        Some(RuleCheck::UnlessOffline) => {
            context.situation.is_beside_kept() && crate::catalogue::tools::asks_database(run)
                || crate::catalogue::tools::works_offline(run)
                || policy.only_reads(context, index, run)
        }
        Some(RuleCheck::UnlessOwn) => {
            // What the session keeps running lives in a cell, and so does this line, if one can hold it: it signals nothing else.
            context.situation.is_beside_kept()
                || crate::catalogue::ends_own_jobs(context.script, run)
                || policy.only_reads(context, index, run)
        }
        Some(RuleCheck::UnlessKept) => policy.keeps_settings(context, index, run),
        _ => false,
    };
    (!excused).then_some(span)
}

/// The span, if the rule's check in code holds.
fn checked(ready: &ReadyRule, target: &Target<'_>, span: Span) -> Option<Span> {
    let Target { policy, context, index, run, .. } = *target;
    match ready.check {
        Some(RuleCheck::FindUnnarrowed) if !find::unnarrowed(run) => return None,
        Some(RuleCheck::Covers) if !covers(target.words()) => return None,
        Some(RuleCheck::DestroysData) if !data::destroys(policy, context, index, run) => return None,
        Some(RuleCheck::UnlessHere)
            if context.situation.network.fetches || crate::catalogue::tools::is_local(run) =>
        {
            return None;
        }
        Some(RuleCheck::UnlessGiven) if given::is_given(policy, run) => return None,
        Some(RuleCheck::NamesGuard) if !own::aims_at_guard(run) => return None,
        Some(RuleCheck::SearchesOutside) if !own::searches_outside(context, index, run) => return None,
        Some(RuleCheck::SearchesGuard) if !policy.searches_guard(context, index, run) => return None,
        Some(RuleCheck::PicksAll) if !own::picks_all(run) => return None,
        Some(RuleCheck::MountsMachine) if !mounted::gives_machine(policy, context, index, run) => {
            return None;
        }
        Some(RuleCheck::KillEverything) => return kills_everything(target.words()),
        Some(RuleCheck::FeedsGuard) => {
            context
                .sources(index)
                .into_iter()
                .find(|source| context.run(*source).is_some_and(own::aims_at_guard))?;
        }
        _ => {}
    }
    Some(span)
}

/// The span of the word that names a place of the rule's classes, if it has any.
fn aimed(ready: &ReadyRule, target: &Target<'_>, mut span: Span) -> Option<Span> {
    let Target { policy, context, index, run, .. } = *target;
    let words = target.words();
    if let Some(class) = ready.at {
        let here = || {
            let here = matches!(ready.check, Some(RuleCheck::OrHere | RuleCheck::Here));
            let cwd = context.cwd(index).filter(|_| here)?;
            context.kinds_of_text(policy, index, cwd).any(class).then_some(run.span)
        };
        let named = match ready.check {
            Some(RuleCheck::Here) => None,
            Some(RuleCheck::Output) => {
                target.outputs().find(|(kinds, _)| kinds.any(class)).map(|(_, span)| span)
            }
            _ => target.first(class),
        };
        span = named.or_else(here)?;
    }
    if let Some(class) = ready.at_last {
        span = target.spans(&target.last()).find(|(kinds, _)| kinds.any(class))?.1;
    }
    if let Some(class) = ready.at_sources {
        // Words that come from one word of the line (`{mv,/,x}`) share its span.
        let last = target.last();
        if !context.budget.spend(words.len() / 8 * last.len()) {
            return None;
        }
        let source = |at: &usize| {
            words.get(*at).is_some_and(|word| !word.prefix().starts_with('-')) && !last.contains(at)
        };
        let sources: Vec<usize> = (0..words.len()).filter(source).collect();
        span = target.spans(&sources).find(|(kinds, _)| kinds.any(class))?.1;
    }
    if let Some(class) = ready.writes_to {
        span = target.redirected(class, true)?;
    }
    if let Some(class) = ready.reads_from {
        span = target.redirected(class, false)?;
    }
    Some(span)
}

/// True for `$NAME/` and `$NAME/*` if the line does not set the variable: unset, it names the root folder.
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

/// True for a mount with a source and a target that is no remount.
fn covers(words: &[Word]) -> bool {
    let operands = words.iter().filter(|word| !word.prefix().starts_with('-')).count();
    operands >= 2 && !words.iter().any(|word| word.prefix().split(',').any(|part| part == "remount"))
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

/// The position of a sub-command of the rule, if there is one: after flags, with or without values.
fn sub_command(subs: &[Vec<Box<str>>], ready: &ReadyRule, words: &[Word]) -> Option<Span> {
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
            // The next word may or may not be its value: both readings count.
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

/// A run that rules are compared with. The places that its words name are looked up once for all rules.
pub(crate) struct Target<'a> {
    policy: &'a Policy,
    context: &'a JudgeContext<'a>,
    index: usize,
    run: &'a Run,
    named: OnceCell<Named>,
}

/// The classes of the places that the words of a run name, for each word and for all of them.
struct Named {
    each: Vec<Kinds>,
    any: Kinds,
}

impl<'a> Target<'a> {
    pub(crate) fn new(policy: &'a Policy, context: &'a JudgeContext<'a>, index: usize, run: &'a Run) -> Self {
        Self { policy, context, index, run, named: OnceCell::new() }
    }

    /// The words after the program's name.
    fn words(&self) -> &'a [Word] {
        self.run.words.get(1..).unwrap_or_default()
    }

    fn all(&self) -> &Named {
        self.named.get_or_init(|| {
            let each: Vec<Kinds> = self.words().iter().map(|word| self.named(word)).collect();
            let any = each.iter().fold(Kinds::NONE, |any, kinds| any | *kinds);
            Named { each, any }
        })
    }

    /// The classes of each word, with its span.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Kinds, Span)> {
        self.words().iter().zip(&self.all().each).map(|(word, kinds)| (*kinds, word.span))
    }

    /// The span of the first word that names a place of the class.
    fn first(&self, class: Kinds) -> Option<Span> {
        let named = self.all();
        if !named.any.any(class) {
            return None;
        }
        let at = named.each.iter().position(|kinds| kinds.any(class))?;
        self.words().get(at).map(|word| word.span)
    }

    /// The classes of the words at these positions, with their spans.
    fn spans(&self, at: &[usize]) -> impl Iterator<Item = (Kinds, Span)> {
        let named = self.all();
        at.iter().filter_map(|at| Some((*named.each.get(*at)?, self.words().get(*at)?.span)))
    }

    /// The classes of the place that a word, or the value in it, names.
    fn named(&self, word: &Word) -> Kinds {
        let Self { policy, context, index, run, .. } = *self;
        let mut kinds = Kinds::NONE;
        if policy.reaches_guard(context, index, run, word) {
            kinds |= Kinds::GUARD | Kinds::ABOVE_GUARD;
        }
        if policy.reaches_settings(context, index, word) {
            kinds |= Kinds::SETTINGS;
        }
        let mut filled = context.filled_in(word);
        if unset(context, word, &filled) {
            return kinds | context.kinds_of_text(policy, index, "/");
        }
        filled.extend(context.given_in(word));
        filled.iter().fold(kinds | self.named_as(word), |kinds, word| kinds | self.named_as(word))
    }

    fn named_as(&self, word: &Word) -> Kinds {
        if let [Piece::Unknown(UnknownCause::Items)] = word.pieces.as_slice() {
            return self.items();
        }
        let head = word.prefix();
        let skip = match head.find('=') {
            Some(at) => at + 1,
            None if head.starts_with('-') && !head.starts_with("--") && head.len() > 2 => 2,
            None if head.starts_with('-') => return Kinds::NONE,
            None => 0,
        };
        let place = |skip: usize| self.context.kinds(self.policy, self.index, word, skip);
        let whole = if head.starts_with('-') { Kinds::NONE } else { place(0) };
        if skip > 0 { whole | place(skip) } else { whole }
    }

    /// The classes of the items that a wrapper inserts, such as everything below `find /`.
    fn items(&self) -> Kinds {
        let Some(parent) = self.context.run(self.index).and_then(|run| run.parent) else {
            return Kinds::NONE;
        };
        self.context.items_of(parent, || self.put_in(parent))
    }

    fn put_in(&self, parent: usize) -> Kinds {
        let (policy, context) = (self.policy, self.context);
        let Some(wrapper) = context.run(parent) else { return Kinds::NONE };
        if !context.budget.spend(wrapper.words.len()) {
            return Kinds::NONE;
        }
        let places = |at: usize, words: &mut dyn Iterator<Item = &Word>| {
            words.fold(Kinds::NONE, |kinds, word| kinds | context.kinds(policy, at, word, 0))
        };
        let texts = |at: usize, texts: &mut dyn Iterator<Item = &str>| {
            texts.fold(Kinds::NONE, |kinds, text| kinds | context.kinds_of_text(policy, at, text))
        };
        let from = |run: &Run, at: usize| match run.program().map(base_name) {
            Some("find") if find::unnarrowed(run) => places(at, &mut find::roots(run)),
            Some("fd" | "fdfind") => places(at, &mut find::searched_by_fd(run)),
            Some("echo" | "printf" | "ls") => {
                let printed = crate::policy::line::values::said(run);
                let mut printed = printed.iter().flat_map(|text| text.split(['\n', ' ', '\0']));
                places(at, &mut run.words.iter().skip(1)) | texts(at, &mut printed)
            }
            _ => Kinds::NONE,
        };
        // A text that is given in place: `xargs rm -r <<< /`.
        let given = || {
            let redirects = wrapper.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Text);
            let mut given = redirects.filter_map(|redirect| redirect.target.literal());
            texts(parent, &mut given.by_ref().flat_map(str::split_ascii_whitespace))
        };
        let sources = || {
            let runs =
                context.sources(parent).into_iter().filter_map(|source| Some((context.run(source)?, source)));
            runs.fold(Kinds::NONE, |kinds, (run, source)| kinds | from(run, source))
        };
        match wrapper.program().map(base_name) {
            Some("find" | "fd" | "fdfind") => from(wrapper, parent),
            Some("parallel") => {
                let listed = |word: &&Word| !matches!(word.literal(), Some(":::" | ":::+"));
                places(parent, &mut wrapper.words.iter().skip_while(listed).skip(1)) | given() | sources()
            }
            _ => given() | sources(),
        }
    }

    /// The positions of the words that name a target: the value of `-t` or `of=`, otherwise the last operand.
    fn last(&self) -> Vec<usize> {
        let words = self.words();
        let mut found = Vec::new();
        // For `mount`, `-t` is the type of the file system.
        let mounts = self.context.run(self.index).and_then(Run::program).map(base_name) == Some("mount");
        for (at, word) in words.iter().enumerate().filter(|_| !mounts) {
            let head = word.prefix();
            if head == "-t" || head == "--target-directory" {
                found.push(at + 1);
            } else if head.starts_with("--target-directory=")
                || head.starts_with("of=")
                || head.starts_with("-t/")
            {
                found.push(at);
            }
        }
        found.retain(|at| *at < words.len());
        if found.is_empty() {
            // `dd` writes to its output where it is not told otherwise.
            let operand = |word: &Word| !word.prefix().starts_with('-') && !word.prefix().starts_with("if=");
            found.extend(words.iter().rposition(operand));
        }
        found
    }

    /// The classes and spans of the values of output options: `-o FILE`, `-xo FILE`, `--output=FILE`. Letters may be bundled, except in
    /// programs of the list `whole-options`.
    fn outputs(&self) -> impl Iterator<Item = (Kinds, Span)> {
        const LONG: &[&str] = &["--output", "--out", "-out", "--outfile"];
        let joins =
            !self.run.program().is_some_and(|name| self.policy.listed("whole-options", base_name(name)));
        let at = move |(at, word): (usize, &Word)| {
            let head = word.prefix();
            let letters = head.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let short = letters.is_some_and(|letters| letters == "o" || joins && letters.ends_with('o'));
            if short || LONG.contains(&head) {
                // `-o NAME=VALUE` sets something.
                return self
                    .words()
                    .get(at + 1)
                    .filter(|value| !value.prefix().contains('='))
                    .map(|_| at + 1);
            }
            let joined = head.split_once('=').is_some_and(|(name, _)| LONG.contains(&name));
            (joined || head.starts_with("-o/")).then_some(at)
        };
        let named = self.all();
        let places = self.words().iter().enumerate().filter_map(at);
        places.filter_map(|at| Some((*named.each.get(at)?, self.words().get(at)?.span)))
    }

    /// The files that redirections open: their classes, their spans, and whether they are written.
    pub(crate) fn redirects(&self) -> impl Iterator<Item = (Kinds, Span, bool)> {
        self.run.redirects.iter().filter(|redirect| redirect.kind.opens()).map(|redirect| {
            let kinds = |word: &Word| self.context.kinds(self.policy, self.index, word, 0);
            let filled = self.context.filled_in(&redirect.target);
            let kinds = filled.iter().fold(kinds(&redirect.target), |all, word| all | kinds(word));
            (kinds, redirect.target.span, redirect.kind != RedirectKind::Read)
        })
    }

    fn redirected(&self, class: Kinds, writes: bool) -> Option<Span> {
        let opened = self.redirects().filter(|(_, _, written)| *written == writes);
        opened.map(|(kinds, span, _)| (kinds, span)).find(|(kinds, _)| kinds.any(class)).map(|(_, span)| span)
    }
}
