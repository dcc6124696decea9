//! The guard's own files, and the settings that decide whether clients ask it: which words of a run reach them, in any
//! spelling.

use crate::catalogue::{LANGUAGES, SEARCHING_IF_TOLD, SERVICE_MANAGERS};
use crate::places::{Kinds, Place};
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::{Found, Policy, Situation};
use guarda_shell::script::{Piece, Run, UnknownCause, Word};
use std::path::{Path, PathBuf};

/// The port that the guard's service listens on where nothing else is configured.
const PORT: &str = "4827";
/// The names of the guard's processes.
const PROCESSES: &[&str] = &[
    "guarda",
    "guarda serve",
    "guarda-hook",
    "guarda-keys",
    "guarda-desktop",
    "guarda-askpass",
    "guarda-service",
    "guarda-keeper",
    "/usr/bin/guarda serve",
    "/usr/bin/guarda-service",
];
/// How a program is told which processes to end.
struct Picker {
    program: &'static str,
    /// The letters of options that name an owner, and those of the other options with a value.
    letters: [&'static str; 2],
    /// The same as long options.
    long: [&'static [&'static str]; 2],
}
const PICKERS: &[Picker] = &[
    Picker {
        program: "pkill",
        letters: ["uUG", "gstPFrO"],
        long: [
            &["euid", "uid", "group"],
            &[
                "pgroup",
                "session",
                "terminal",
                "parent",
                "pidfile",
                "runstates",
                "older",
                "signal",
                "ns",
                "nslist",
                "cgroup",
                "env",
            ],
        ],
    },
    Picker {
        program: "killall",
        letters: ["u", "sonyZ"],
        long: [&["user"], &["signal", "older-than", "younger-than", "context", "ns"]],
    },
    Picker {
        program: "skill",
        letters: ["u", "ptc"],
        long: [&["user"], &["pid", "tty", "command", "ns", "nslist"]],
    },
];
/// The guard's units of systemd.
const UNITS: &[&str] = &["guarda", "guarda.service", "guarda.socket", "guarda-keys.service"];

impl Policy {
    /// All classes of a place: those of [`Atlas::has_whole`], of the place that it links to, and of the configuration's lists.
    pub(crate) fn kinds_of(&self, place: &Place, situation: &Situation) -> Kinds {
        let (names, home) = (self.names(), &situation.home);
        let (has, whole) = names.atlas().has_both(place, home);
        let real = leads_to(place, situation);
        let (real_has, real_whole) =
            real.as_ref().map_or((Kinds::NONE, Kinds::NONE), |real| names.atlas().has_both(real, home));
        let own = || situation.guard.iter().filter(|own| own.starts_with('/'));
        let mut kinds = whole | real_whole;
        // `$x/*` may be any file; a cell keeps it from the guard's own.
        let aimed = !place.is_vague();
        let guard = has.any(names.own.guard_names)
            || has.any(names.own.guard_files) && !place.is_listing()
            || aimed && own().any(|own| place.may_be_inside(own))
            || real.as_ref().is_some_and(|real| own().any(|own| real.inside(own)));
        if guard {
            kinds |= Kinds::GUARD | Kinds::ABOVE_GUARD | Kinds::SECRET;
        } else if own().any(|own| place.holds(own)) {
            kinds |= Kinds::ABOVE_GUARD;
        }
        let kept = |place: &Place| situation.settings.iter().any(|file| place.may_be_inside(file));
        if (has | real_has).any(names.own.client_settings)
            || aimed && kept(place)
            || real.as_ref().is_some_and(kept)
        {
            kinds |= Kinds::SETTINGS;
        }
        let listed = situation.listed.get(place.marked()).filter(|_| place.exact().is_none());
        // The program has already opened the target of `/dev/stdin`.
        let secret = has.any(names.own.secret) || real_has.any(names.own.secret) && !place.is_stream();
        match listed {
            // What a pattern stands for is known better than what it could stand for.
            Some(paths) => kinds = kinds & !names.own.secret | self.kinds_of_all(paths, situation),
            None if secret => kinds |= Kinds::SECRET,
            None => {}
        }
        if situation.guard.iter().any(|own| place.may_lead_to(own, home)) {
            kinds |= Kinds::TOWARDS_GUARD;
        }
        let listed = |place: &Place| self.lists.kinds_of(place, home);
        kinds | listed(place) | real.as_ref().map_or(Kinds::NONE, listed)
    }

    /// All classes of the files that a pattern stands for: each by its own path, and by the one that it links to.
    fn kinds_of_all(&self, paths: &[String], situation: &Situation) -> Kinds {
        let kinds = |path: &String| match Place::from_raw(path, None) {
            Some(place) if place.exact().is_some() => self.kinds_of(&place, situation),
            // A name that reads like a pattern.
            _ => Kinds::GUARD | Kinds::ABOVE_GUARD | Kinds::SECRET,
        };
        paths.iter().fold(Kinds::NONE, |all, path| all | kinds(path))
    }

    /// True if a word names, or may name once it is expanded, one of the guard's own files.
    pub(crate) fn may_touch_guard(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        word: &Word,
        skip: usize,
    ) -> bool {
        self.touches_guard(context, index, word, skip)
            || context.kinds(self, index, word, skip).any(Kinds::TOWARDS_GUARD)
    }

    /// True if a word names one of the guard's own files: by its path, through a variable, or as one of the items from
    /// another run.
    pub(crate) fn touches_guard(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        word: &Word,
        skip: usize,
    ) -> bool {
        if word
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(UnknownCause::Variable(name)) if name.starts_with("GUARDA_")))
            || context.kinds_or_somewhere(self, index, word, skip).any(Kinds::GUARD)
        {
            return true;
        }
        if word.pieces.contains(&Piece::Unknown(UnknownCause::Items)) && self.given_guard(context, index) {
            return true;
        }
        context.filled_in(word).iter().any(|word| context.kinds(self, index, word, 0).any(Kinds::GUARD))
    }

    /// True if the items of a wrapper come from the guard's folders, or by the name of one of its files.
    fn given_guard(&self, context: &JudgeContext<'_>, index: usize) -> bool {
        let Some(parent) = context.run(index).and_then(|run| run.parent) else { return false };
        let mut givers = context.sources(parent);
        givers.push(parent);
        givers.into_iter().any(|at| {
            let Some(run) = context.run(at) else { return false };
            let words = run.words.iter().skip(1).take_while(|word| word.literal() != Some("-exec"));
            words.chain(run.redirects.iter().map(|redirect| &redirect.target)).any(|word| {
                let named = |text: &str| {
                    if !is_telling(text) {
                        return false;
                    }
                    let name = Word::text(text.trim_matches(['*', '^', '$', '/']), word.span);
                    context.kinds_somewhere(self, &name, 0).any(Kinds::GUARD)
                };
                context.kinds(self, at, word, 0).any(Kinds::GUARD)
                    || word.literal().is_some_and(named)
                    || self.near_guard(context, at, word)
            })
        })
    }

    /// True if the word names the parent of one of the guard's folders, and that parent holds little else.
    fn near_guard(&self, context: &JudgeContext<'_>, index: usize, word: &Word) -> bool {
        context.place(index, word, 0).is_some_and(|place| self.is_near(&place, context.situation))
    }

    fn is_near(&self, place: &Place, situation: &Situation) -> bool {
        let wide = || self.names().atlas().has_whole(place, &situation.home).any(self.names().own.trove);
        let parent = |own: &String| own.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        situation.guard.iter().filter_map(parent).any(|folder| place.exact() == Some(folder.as_str()))
            && !wide()
    }

    /// True if a word of a run reaches the guard's own files in any of the ways in which programs take a path: alone, as
    /// the value of an option, behind an `@`, or inside a program text.
    pub(crate) fn reaches_guard(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        run: &Run,
        word: &Word,
    ) -> bool {
        if !context.budget.spend(64) {
            return false;
        }
        if far_from_guard(context, index, word) {
            return false;
        }
        if beginnings(word).any(|skip| self.touches_guard(context, index, word, skip)) {
            return true;
        }
        let Some(text) = word.literal() else { return false };
        let name = run.program().map(base_name).unwrap_or_default();
        let code = name != "git"
            && (["carriers", "interpreters", "runners"].iter().any(|list| self.listed(list, name))
                || LANGUAGES.contains(&name));
        (code || !text.contains(char::is_whitespace)) && self.mentions_guard(context, text)
    }

    /// True if a word of a run reaches a file that only a person changes.
    pub(crate) fn reaches_settings(&self, context: &JudgeContext<'_>, index: usize, word: &Word) -> bool {
        beginnings(word).any(|skip| context.kinds_or_somewhere(self, index, word, skip).any(Kinds::SETTINGS))
            || context
                .filled_in(word)
                .iter()
                .any(|word| context.kinds(self, index, word, 0).any(Kinds::SETTINGS))
    }

    /// True if a text contains the path of one of the guard's own files, or the name of one of its secrets.
    pub(crate) fn mentions_guard(&self, context: &JudgeContext<'_>, text: &str) -> bool {
        let situation = context.situation;
        if !text.contains('/')
            && !text.contains("token")
            && !text.contains("journal")
            && !text.contains("guarda")
        {
            return false;
        }
        let border =
            |letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | '/' | '~'));
        let home = &situation.home;
        text.split(border).filter(|part| part.len() > 4).any(|part| {
            let kinds = if part.starts_with(['/', '~']) {
                context.kinds_of_text(self, 0, part)
            } else {
                // Whatever folder precedes it.
                context.kinds_of_text_somewhere(self, part)
            };
            let below_home = |own: &String| {
                own.strip_prefix(home.as_str()).is_some_and(|rest| rest.len() > 3 && part.contains(rest))
            };
            kinds.any(Kinds::GUARD) || situation.guard.iter().any(below_home)
        })
    }

    /// True for a recursive search in one of the guard's folders, or in a folder that holds little else.
    pub(crate) fn searches_guard(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        let own = |place: Place| {
            self.kinds_of(&place, context.situation).any(Kinds::GUARD)
                || self.is_near(&place, context.situation)
        };
        let here = || {
            let cwd = context.cwd(index)?;
            Place::from_text(cwd, None, &context.situation.home)
        };
        searches(run)
            && (here().is_some_and(own)
                || run.words.iter().skip(1).any(|word| {
                    beginnings(word).any(|skip| context.place(index, word, skip).is_some_and(own))
                }))
    }

    /// True for a command that reads a client's settings, copies them elsewhere or puts them under version control.
    pub(crate) fn keeps_settings(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        const KEEP: &[&str] =
            &["add", "commit", "stage", "diff", "log", "show", "status", "blame", "ls-files"];
        let git = || {
            run.program().map(base_name) == Some("git")
                && run.words.get(1).and_then(Word::literal).is_some_and(|sub| KEEP.contains(&sub))
        };
        // The sources of a copy are only read; the target comes last.
        let copied = || {
            let (Some("cp" | "scp" | "rsync" | "install"), Some(last)) =
                (run.program().map(base_name), run.words.last())
            else {
                return false;
            };
            let options = run.words.iter().skip(1).filter(|word| word.prefix().starts_with('-'));
            !options.chain([last]).any(|word| self.reaches_settings(context, index, word))
                && !run.words.iter().any(|word| matches!(word.prefix(), "-t" | "--target-directory"))
        };
        self.only_reads(context, index, run) || git() || copied()
    }
}

/// True if a run searches everything below a folder.
fn searches(run: &Run) -> bool {
    let name = run.program().map(base_name).unwrap_or_default();
    let flagged = || {
        run.words.iter().skip(1).any(|word| {
            let head = word.prefix();
            head.strip_prefix("--").is_some_and(|long| long.contains("recurs"))
                || head.starts_with('-') && !head.starts_with("--") && head.contains(['r', 'R', 'd', 'a'])
        })
    };
    match name {
        name if SEARCHING_IF_TOLD.contains(&name) => flagged(),
        "git" => run.words.iter().any(|word| matches!(word.literal(), Some("grep" | "--no-index"))),
        _ => true,
    }
}

/// True if a run searches a folder in a home, outside the working tree and the working folder. Without a cell, it would read the keys
/// there.
pub(crate) fn searches_outside(context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
    let situation = context.situation;
    let home = Path::new(&situation.home);
    let cwd = Path::new(&situation.cwd);
    let own = situation.project.as_deref().into_iter().chain([cwd]).filter(|own| !home.starts_with(own));
    let own: Vec<&Path> = own.collect();
    let outside = |folder: &Path| {
        let of_home = folder.starts_with(home) || home.starts_with(folder);
        of_home && !own.iter().any(|own| folder.starts_with(own))
    };
    // A folder that only the administrator can change is not among the places.
    let named = |word: &Word| {
        let place = context.place(index, word, 0)?;
        let path = place.exact()?;
        let real = situation.links.get(path).map_or(path, String::as_str);
        let folder = matches!(situation.places.get(std::ffi::OsStr::new(real)), Some(Found::Folder(_)));
        (folder || word.prefix().starts_with('/')).then(|| PathBuf::from(real))
    };
    let given =
        run.words.iter().any(|word| matches!(word.prefix(), "-e" | "-f" | "--regexp" | "--file" | "--files"));
    let words = run.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    // The first operand is the pattern.
    let folders: Vec<PathBuf> = words.skip(usize::from(!given)).filter_map(named).collect();
    let here = || context.cwd(index).is_none_or(|cwd| outside(Path::new(cwd)));
    searches(run) && if folders.is_empty() { here() } else { folders.iter().any(|folder| outside(folder)) }
}

/// True if the run is aimed at the guard's own processes or units, by a name, a pattern or the port it listens on.
pub(crate) fn aims_at_guard(run: &Run) -> bool {
    let words = || run.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let whole = |word: &Word| word.written().trim_matches(['\'', '"']).to_owned();
    match run.program().map(base_name).unwrap_or_default() {
        name if SERVICE_MANAGERS.contains(&name) => {
            words().skip(1).any(|word| UNITS.iter().any(|unit| fits(unit, &whole(word))))
        }
        "killall" if !run.words.iter().any(|word| matches!(word.prefix(), "-r" | "--regexp")) => {
            words().any(|word| PROCESSES.contains(&whole(word).as_str()))
        }
        "pkill" | "pgrep" | "killall" | "skill" | "snice" => words().any(|word| {
            let pattern = whole(word);
            let finds = |pattern: &regex::Regex| PROCESSES.iter().any(|name| pattern.is_match(name));
            pattern.contains("guarda")
                || pattern.len() < 512 && regex::Regex::new(&pattern).is_ok_and(|pattern| finds(&pattern))
        }),
        "pidof" | "ps" => words().any(|word| whole(word).contains("guarda")),
        "lsof" | "fuser" | "ss" | "netstat" => {
            run.words.iter().skip(1).any(|word| whole(word).contains(PORT))
        }
        _ => run.words.iter().skip(1).any(|word| word.prefix().contains("guarda")),
    }
}

/// True if a run ends all processes of an owner, or all but those that it names. The guard is among them.
pub(crate) fn picks_all(run: &Run) -> bool {
    let name = run.program().map(base_name).unwrap_or_default();
    let picker = PICKERS.iter().find(|picker| picker.program == name);
    let Some(Picker { letters: [owner, valued], long: [owners, values], .. }) = picker else { return false };
    let (mut by_owner, mut named) = (false, false);
    let mut words = run.words.iter().skip(1);
    while let Some(word) = words.next() {
        let head = word.prefix();
        if let Some(long) = head.strip_prefix("--").filter(|long| !long.is_empty()) {
            let given = long.split('=').next().unwrap_or(long);
            let is = |options: &[&str]| options.contains(&given);
            if given == "inverse" {
                return true;
            }
            by_owner |= is(owners);
            if (is(owners) || is(values)) && given == long {
                words.next();
            }
        } else if let Some(letters) = head.strip_prefix('-').filter(|letters| *letters != "-") {
            // `-9`, `-KILL`; one letter alone is an option.
            if letters.len() > 1
                && letters.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
                && !letters.starts_with(['U', 'G'])
                || letters.parse::<u8>().is_ok()
            {
                continue;
            }
            if let Some(at) = letters.find(|letter| owner.contains(letter) || valued.contains(letter)) {
                by_owner |=
                    letters.get(at..).is_some_and(|rest| rest.starts_with(|letter| owner.contains(letter)));
                // Its value is the rest of the word, or the next word.
                if at + 1 == letters.len() && word.pieces.len() <= 1 {
                    words.next();
                }
            }
        } else {
            named = true;
        }
    }
    by_owner && !named
}

/// True if a shell pattern matches a name./// True if a shell pattern matches a name.
pub(crate) fn fits(name: &str, pattern: &str) -> bool {
    Place::of_pattern(&format!("/{pattern}"), None, "")
        .is_some_and(|place| place.may_be_inside(&format!("/{name}")))
}

/// A quick test that rules out most words: a plain name or option that cannot be one of the guard's files.
fn far_from_guard(context: &JudgeContext<'_>, index: usize, word: &Word) -> bool {
    let Some(text) = word.literal() else { return false };
    let near = || {
        context.cwd(index).is_none_or(|cwd| {
            context.situation.guard.iter().any(|own| own.starts_with(cwd) || cwd.starts_with(own))
        })
    };
    !text.bytes().any(|byte| matches!(byte, b'/' | b'~')) && !is_telling(text) && !near()
}

/// True if a text contains part of a file name of the classes `guard-names` and `guard-files`.
fn is_telling(text: &str) -> bool {
    text.len() > 4 && ["token", "journal", "guarda", "security"].iter().any(|part| text.contains(part))
}

/// The place that a link leads to.
fn leads_to(place: &Place, situation: &Situation) -> Option<Place> {
    let real = place.exact().and_then(|path| situation.links.get(path))?;
    Place::from_text(real, None, &situation.home)
}

/// The offsets in a word at which a path may begin: at its start unless that is a dash (no name in the tables begins with one), after
/// `=`, `@`, `:` or `,` (from the ninth on, only before `/` or `~`), and after the letter of an option.
pub(crate) fn beginnings(word: &Word) -> impl Iterator<Item = usize> {
    let text = word.prefix();
    let marks = text.bytes().enumerate().filter(|(_, byte)| b"=@:,".contains(byte)).map(|(at, _)| at + 1);
    let rooted = |at: &usize| text.as_bytes().get(*at).is_some_and(|byte| b"/~".contains(byte));
    let (some, more) = (marks.clone().take(8), marks.skip(8).filter(move |at| rooted(at)));
    let head = if text.starts_with('-') { text.is_char_boundary(2).then_some(2) } else { Some(0) };
    // The first `=` and the first `@` count even behind many other marks.
    let first = ['=', '@'].into_iter().filter_map(move |mark| text.find(mark)).map(|at| at + 1);
    head.into_iter().chain(first).chain(some).chain(more)
}
