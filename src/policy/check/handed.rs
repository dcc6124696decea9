//! Names of files that other programs find out and hand on: by `xargs`, by `find -exec`, by a substitution, by a variable
//! that is read or looped through.

use super::origin::{self, NOBODYS};
use crate::action::script::{Piece, Reach, Redirect, RedirectKind, Run, Why, Word};
use crate::policy::Policy;
use crate::policy::detour;
use crate::policy::places::Place;
use crate::policy::scene::{Scene, base_name};

/// Programs that name what lies in folders, and print what they are given.
const LISTS: &[&str] = &["find", "gfind", "fd", "fdfind", "ls", "echo", "printf", "locate", "rg", "git"];

/// Programs that print a name that they are given, or a part of it.
const NAMES: &[&str] = &["basename", "dirname", "realpath", "readlink", "cygpath", "wslpath"];

/// Programs that print what stands in their operands, or something made of it: how many operands stand before the
/// files, and the options with a value behind them.
const PRINTS: &[(&str, usize, &str)] = &[
    ("cat", 0, ""),
    ("tac", 0, "-s"),
    ("rev", 0, ""),
    ("nl", 0, ""),
    ("zcat", 0, ""),
    ("gzcat", 0, ""),
    ("bzcat", 0, ""),
    ("xzcat", 0, ""),
    ("head", 0, "-n -c"),
    ("tail", 0, "-n -c"),
    ("strings", 0, "-n"),
    ("sort", 0, "-t -k -S -T"),
    ("uniq", 0, "-f -s -w"),
    ("shuf", 0, "-n -i"),
    ("cut", 0, "-d -f -b -c"),
    ("base64", 0, "-w"),
    ("base32", 0, "-w"),
    ("xxd", 0, "-l -s -c"),
    ("openssl", 0, ""),
    ("curl", 0, ""),
    ("wget", 0, ""),
    ("grep", 1, "-m -A -B -C"),
    ("egrep", 1, "-m -A -B -C"),
    ("fgrep", 1, "-m -A -B -C"),
    ("zgrep", 1, "-m -A -B -C"),
    ("sed", 1, ""),
    ("awk", 1, "-v -F"),
    ("gawk", 1, "-v -F"),
    ("mawk", 1, "-v -F"),
    ("jq", 1, ""),
    ("yq", 1, ""),
];

/// Options that give the pattern or the program, which is no operand then.
const GIVES: &[&str] = &["-e", "-f"];

/// Letters of grep that have no value behind them.
const GREP_LETTERS: &str = "rRinHhIswvxEFGPzZolLcq";

/// Tests of `find` that choose files by their names.
const BY_NAME: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-g", "--glob"];

/// How many variables, and how many runs, are looked at for one name. Nobody writes more.
const MOST: usize = 64;

/// Endings of files that are no secrets: `*txt` chooses by its ending, as `*.txt` does.
const ENDINGS: &[&str] = &[
    "txt", "log", "md", "c", "h", "cpp", "hpp", "py", "js", "ts", "rb", "rs", "go", "java", "php", "pl",
    "css", "html", "htm", "xml", "csv", "tsv", "tex", "pdf", "jpg", "jpeg", "png", "gif", "svg", "mp3",
    "mp4", "avi", "mkv", "gz", "bz2", "xz", "zip", "tar", "tgz", "jar", "deb", "rpm", "iso", "so", "o",
    "out", "diff", "patch",
];

/// Why a name is not followed any further.
const A_LONG_WAY: &str = "it is a long way to where this name comes from";

/// Why names that stand in a file are not followed.
const IN_A_FILE: &str = "the names of the files stand in a file, and are not known before";

/// Why a file must not be read unasked whose name other programs find out. Nothing where they only list, and what they
/// list is not aimed at secrets.
pub(super) fn why_not(policy: &Policy, scene: &Scene<'_>, index: usize, word: &Word) -> Option<&'static str> {
    if !detour::later(word) {
        return None;
    }
    let reader = scene.run(index)?;
    let mut trail =
        Trail { policy, scene, counts: shows_no_contents(reader), seen: Vec::new(), met: Vec::new() };
    let has =
        |why: &Why| word.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(known) if known == why));
    let mut givers = Vec::new();
    if has(&Why::Items) {
        let parent = reader.parent?;
        givers.push(parent);
        givers.extend(scene.sources(parent));
        if !trail.counts && givers.iter().any(|at| scene.run(*at).is_some_and(takes_from_a_file)) {
            return Some(IN_A_FILE);
        }
    }
    if has(&Why::Substitution) {
        givers.extend(scene.sources(index));
    }
    givers.into_iter().find_map(|at| trail.printed(at)).or_else(|| trail.word(word))
}

/// A way back from a name to where it comes from.
struct Trail<'a> {
    policy: &'a Policy,
    scene: &'a Scene<'a>,
    /// What reads the file of that name only counts, or names what it has read.
    counts: bool,
    /// The variables that were looked at.
    seen: Vec<&'a str>,
    /// The runs that were looked at.
    met: Vec<usize>,
}

impl<'a> Trail<'a> {
    /// What is wrong with a word that is put in somewhere.
    fn word(&mut self, word: &'a Word) -> Option<&'static str> {
        for piece in &word.pieces {
            let Piece::Unknown(Why::Variable(name)) = piece else { continue };
            if self.seen.contains(&name.as_str()) {
                continue;
            }
            if self.seen.len() >= MOST {
                return Some(A_LONG_WAY);
            }
            self.seen.push(name);
            let origin = origin::of(self.policy, self.scene, name);
            if origin.file && !self.counts {
                return Some(IN_A_FILE);
            }
            let why = origin.runs.into_iter().find_map(|at| self.printed(at));
            if let Some(why) = why.or_else(|| origin.words.into_iter().find_map(|word| self.word(word))) {
                return Some(why);
            }
        }
        if !word.unknown() {
            return None;
        }
        let inside: Vec<usize> = self.scene.inside(word).collect();
        inside.into_iter().find_map(|at| self.printed_below(at))
    }

    /// What is wrong with names that a run prints.
    fn printed(&mut self, at: usize) -> Option<&'static str> {
        let (policy, scene) = (self.policy, self.scene);
        let run = scene.run(at)?;
        if self.met.contains(&at) {
            return None;
        }
        if self.met.len() >= MOST || !scene.fuel.spend(run.words.len() + self.met.len() + 1) {
            return Some(A_LONG_WAY);
        }
        self.met.push(at);
        let Some(name) = run.program().map(base_name) else {
            // `$(< list)`
            let reads = |redirect: &Redirect| redirect.kind == RedirectKind::Read;
            let file = run.words.is_empty() && run.redirects.iter().any(reads);
            return (file && !self.counts).then_some(IN_A_FILE);
        };
        let lists = LISTS.contains(&name);
        if lists && aimed(policy, scene, at, run) {
            return Some("the files that are put in may hold a secret");
        }
        if matches!(name, "find" | "gfind") && !self.counts && gathers(policy, scene, at, run) {
            return Some("this reads everything below a folder that holds keys and passwords too");
        }
        if lists || NAMES.contains(&name) {
            return run.words.iter().skip(1).find_map(|word| self.word(word));
        }
        (!self.counts && prints_a_file(run, name)).then_some(IN_A_FILE)
    }

    /// The same of a run and of what it starts.
    fn printed_below(&mut self, at: usize) -> Option<&'static str> {
        let scene = self.scene;
        let started = |run: &Run| matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_));
        self.printed(at).or_else(|| {
            let below = scene.children(at).filter(|(_, child)| started(child));
            below.map(|(child, _)| child).find_map(|child| self.printed_below(child))
        })
    }
}

/// True if what is listed is aimed at secret files: `find ~/.ssh -type f`, `find / -name id_rsa`, `find . -name '*env'`.
fn aimed(policy: &Policy, scene: &Scene<'_>, index: usize, run: &Run) -> bool {
    let secret =
        |place: Option<Place>| place.is_some_and(|place| policy.secret_place(&place, scene.situation));
    let mut named = false;
    run.words.iter().skip(1).any(|word| {
        let pattern = std::mem::replace(&mut named, BY_NAME.contains(&word.prefix()));
        if pattern {
            word.literal().is_some_and(|text| {
                if text.strip_prefix('*').is_some_and(|end| ENDINGS.contains(&end)) {
                    return false;
                }
                let of = |text: &str| Place::of_pattern(text, scene.cwd(index), &scene.situation.home);
                let small = text.to_lowercase();
                // Here a pattern finds names that begin with a dot, too.
                let hidden = small.strip_prefix('*').filter(|rest| !rest.starts_with('.'));
                secret(of(text))
                    || small != text && secret(of(&small))
                    || hidden.is_some_and(|rest| secret(of(&format!(".{rest}"))))
            })
        } else {
            !word.prefix().starts_with('-') && secret(scene.place(index, word, 0))
        }
    })
}

/// True for a `find` that hands on whatever lies below a folder with secrets in it.
fn gathers(policy: &Policy, scene: &Scene<'_>, index: usize, run: &Run) -> bool {
    !super::find::chooses(run, BY_NAME)
        && super::find::roots(run).any(|root| {
            scene.place(index, root, 0).is_some_and(|place| {
                policy.book.place("trove").is_none_or(|trove| trove.has_whole(&place, &scene.situation.home))
            })
        })
}

/// True for an `xargs` that reads the names from a file.
fn takes_from_a_file(run: &Run) -> bool {
    let option = |word: &Word| {
        let text = word.prefix();
        text.starts_with("-a") || text.starts_with("--arg-file") || text == "::::"
    };
    matches!(run.program().map(base_name), Some("xargs" | "gxargs" | "parallel"))
        && (run.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read)
            || run.words.iter().skip(1).any(option))
}

/// True if a program only counts or names the files that it reads.
fn shows_no_contents(run: &Run) -> bool {
    match run.program().map(base_name) {
        Some("wc" | "gwc") => true,
        Some(name) => greps_with(run, name, &['l', 'L', 'c', 'q']),
        None => false,
    }
}

/// True for a grep with one of these letters among its options.
fn greps_with(run: &Run, name: &str, letters: &[char]) -> bool {
    let flag = |word: &Word| {
        let flags = word.prefix().strip_prefix('-').unwrap_or_default();
        flags.contains(letters) && flags.chars().all(|letter| GREP_LETTERS.contains(letter))
    };
    matches!(name, "grep" | "egrep" | "fgrep" | "zgrep") && run.words.iter().skip(1).any(flag)
}

/// True if a program prints what stands in a file.
fn prints_a_file(run: &Run, name: &str) -> bool {
    let Some((_, before, valued)) = PRINTS.iter().find(|(known, ..)| *known == name) else { return false };
    let file = |word: &Word| {
        !NOBODYS.contains(&word.prefix())
            && !matches!(word.pieces.as_slice(), [Piece::Unknown(Why::PipeName | Why::Arithmetic)])
    };
    let reads = |redirect: &Redirect| redirect.kind == RedirectKind::Read && file(&redirect.target);
    let echoes = name == "shuf"
        && run.words.iter().any(|word| word.prefix().starts_with("-") && word.prefix().contains('e'));
    if echoes || greps_with(run, name, &['l', 'L']) {
        return false;
    }
    let mut files = 0usize;
    let mut before = *before;
    let mut words = run.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.prefix();
        if before > 0 && GIVES.contains(&text) {
            before = 0;
            words.next();
        } else if text.len() > 1 && text.starts_with('-') {
            if valued.split(' ').any(|flag| flag == text) {
                words.next();
            }
        } else if before > 0 {
            before -= 1;
        } else if file(word) {
            files += 1;
        }
    }
    files > 0 || run.redirects.iter().any(reads)
}
