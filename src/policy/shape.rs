//! What a value that is not known before it runs can look like: whether it may be an option, judged by what makes it.

use crate::action::script::{Input, Piece, Reach, Run, Why, Word};
use crate::policy::Policy;
use crate::policy::scene::{Scene, base_name};

/// Whether a value may begin with a dash, or have a word that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Letters and digits: nothing that could be cut out of it begins with a dash.
    Solid,
    /// Nobody on this line chooses it: a variable of the environment, a number, a date, a path that begins with `/`
    /// or `.`.
    Tame,
    /// The names of files in a folder: one of them may begin with a dash, if somebody put it there.
    Names,
    /// Anything.
    Wild,
}

/// The shape of a piece of a word of the run with this index.
pub(super) fn of(policy: &Policy, scene: &Scene<'_>, index: usize, word: &Word, why: &Why) -> Shape {
    shape(policy, scene, index, word, why, 0)
}

/// The shape of a whole word: the worst of its pieces.
pub(super) fn of_word(policy: &Policy, scene: &Scene<'_>, index: usize, word: &Word) -> Shape {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Unknown(why) => of(policy, scene, index, word, why),
            Piece::Text(_) | Piece::Glob(_) | Piece::Home | Piece::Cwd => Shape::Tame,
        })
        .max()
        .unwrap_or(Shape::Tame)
}

fn shape(policy: &Policy, scene: &Scene<'_>, index: usize, word: &Word, why: &Why, depth: usize) -> Shape {
    if depth > 4 {
        return Shape::Wild;
    }
    match why {
        Why::Arithmetic => Shape::Solid,
        Why::PipeName => Shape::Tame,
        Why::Variable(name) => variable(policy, scene, index, name, depth),
        Why::Substitution => scene
            .children(index)
            .filter(|(_, run)| {
                run.reach == Reach::Substitution
                    && !run.piped
                    && word.span.start <= run.span.start
                    && run.span.end <= word.span.end
            })
            .map(|(at, run)| output(policy, scene, at, run, depth + 1))
            .max()
            .unwrap_or(Shape::Wild),
        Why::Items => items(policy, scene, index, depth),
        Why::Foreign(_) | Why::Other(_) => Shape::Wild,
    }
}

fn variable(policy: &Policy, scene: &Scene<'_>, index: usize, name: &str, depth: usize) -> Shape {
    if matches!(
        name,
        "RANDOM"
            | "SRANDOM"
            | "#"
            | "?"
            | "$"
            | "!"
            | "SECONDS"
            | "EPOCHSECONDS"
            | "LINENO"
            | "UID"
            | "EUID"
            | "PPID"
            | "BASHPID"
    ) {
        return Shape::Tame;
    }
    let positional = matches!(name, "@" | "*") || name.bytes().all(|byte| byte.is_ascii_digit());
    if positional {
        // What a function of the line is called with, or `set --` has given.
        if !scene.fuel.spend(scene.script.runs().len() * 4) {
            return Shape::Wild;
        }
        let given = scene.script.runs().iter().any(|run| {
            run.program() == Some("set") && run.words.len() > 1
                || run.builtin
                    && run.program().is_some_and(|name| !policy.is_builtin(name))
                    && run.words.len() > 1
                || matches!(run.reach, Reach::Text(_))
        });
        return if given { Shape::Wild } else { Shape::Tame };
    }
    if !scene.fuel.spend(scene.script.runs().len() * 4) {
        return Shape::Wild;
    }
    let mut worst = Shape::Tame;
    for (at, run) in scene.script.runs().iter().enumerate() {
        let from = run.program().map(base_name).unwrap_or_default();
        let reads = matches!(from, "read" | "mapfile" | "readarray" | "getopts" | "printf")
            && run.words.iter().skip(1).any(|word| word.literal() == Some(name));
        if reads {
            worst = worst.max(input(policy, scene, at, run, depth + 1));
        }
        for assign in &run.assigns {
            if assign.name.split('[').next() == Some(name) {
                worst = worst.max(value(policy, scene, at, &assign.value, depth));
            }
        }
        if matches!(from, "declare" | "local" | "export" | "typeset" | "readonly") {
            for word in run.words.iter().skip(1) {
                if word.prefix().split('=').next() == Some(name) {
                    worst = worst.max(value(policy, scene, at, word, depth));
                }
            }
        }
    }
    worst.max(loop_values(policy, scene, index, name, depth))
}

fn value(policy: &Policy, scene: &Scene<'_>, at: usize, word: &Word, depth: usize) -> Shape {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Unknown(why) => shape(policy, scene, at, word, why, depth + 1),
            Piece::Text(_) | Piece::Glob(_) | Piece::Home | Piece::Cwd => Shape::Tame,
        })
        .max()
        .unwrap_or(Shape::Tame)
}

/// The values of `for NAME in …`, by the text of the line: words that are written out are known not to be options.
fn loop_values(policy: &Policy, scene: &Scene<'_>, _index: usize, name: &str, depth: usize) -> Shape {
    let source = scene.script.source();
    if !scene.fuel.spend(source.len() / 16) {
        return Shape::Wild;
    }
    let mut worst = Shape::Tame;
    for keyword in ["for ", "select "] {
        let mut from = 0usize;
        while let Some(at) = source.get(from..).and_then(|rest| rest.find(keyword)) {
            let start = from + at + keyword.len();
            from = start;
            if !scene.fuel.spend(at) {
                return Shape::Wild;
            }
            let rest = source.get(start..).unwrap_or_default().trim_start();
            let Some(rest) = rest.strip_prefix(name) else { continue };
            let Some(rest) =
                rest.trim_start().strip_prefix("in").filter(|rest| rest.starts_with([' ', '\t', '\n']))
            else {
                if rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_') {
                    continue;
                }
                worst = worst.max(Shape::Tame);
                continue;
            };
            let begin = source.len() - rest.len();
            let end = begin
                + rest
                    .find(" do")
                    .or_else(|| rest.find(";do"))
                    .or_else(|| rest.find("\ndo"))
                    .unwrap_or(rest.len());
            let list = source.get(begin..end).unwrap_or_default();
            if !scene.fuel.spend(list.len() + scene.script.runs().len()) {
                return Shape::Wild;
            }
            if list.split_ascii_whitespace().any(|word| word.trim_start_matches(['"', '\'']).starts_with('-'))
            {
                worst = Shape::Wild;
            }
            // Substitutions in the list: the runs that stand there.
            for (at, run) in scene.script.runs().iter().enumerate() {
                if run.reach == Reach::Substitution
                    && !run.piped
                    && begin <= run.span.start
                    && run.span.end <= end
                {
                    worst = worst.max(output(policy, scene, at, run, depth + 1));
                }
            }
            if list.starts_with(" *") || list.contains(" [") || list.contains(" ?") {
                worst = worst.max(Shape::Names);
            }
        }
    }
    worst
}

/// What a run reads from its standard input.
fn input(policy: &Policy, scene: &Scene<'_>, at: usize, run: &Run, depth: usize) -> Shape {
    if depth > 4 {
        return Shape::Wild;
    }
    match &run.input {
        Input::Pipe(from) => from
            .iter()
            .filter_map(|source| scene.run(*source).map(|run| output(policy, scene, *source, run, depth + 1)))
            .max()
            .unwrap_or(Shape::Wild),
        Input::Inherited | Input::Redirected => {
            let _ = at;
            Shape::Wild
        }
    }
}

/// What the items look like that `find`, `xargs` and their like put in.
fn items(policy: &Policy, scene: &Scene<'_>, index: usize, depth: usize) -> Shape {
    let Some(parent) = scene.run(index).and_then(|run| run.parent) else { return Shape::Wild };
    let Some(wrapper) = scene.run(parent) else { return Shape::Wild };
    match wrapper.program().map(base_name) {
        Some("find" | "gfind" | "fd" | "fdfind") => Shape::Tame,
        Some("xargs" | "gxargs" | "parallel") => input(policy, scene, parent, wrapper, depth),
        _ => Shape::Wild,
    }
}

/// What a run prints.
fn output(policy: &Policy, scene: &Scene<'_>, at: usize, run: &Run, depth: usize) -> Shape {
    if depth > 6 || !scene.fuel.spend(run.words.len() + 8) {
        return Shape::Wild;
    }
    let Some(name) = run.program().map(base_name) else { return Shape::Wild };
    let words = run.words.get(1..).unwrap_or_default();
    let text = |word: &Word| word.literal().map(str::to_owned);
    let dashes = |word: &&Word| word.prefix().starts_with('-');
    match name {
        "whoami" | "id" | "uname" | "nproc" | "wc" | "md5sum" | "sha1sum" | "sha224sum" | "sha256sum"
        | "sha384sum" | "sha512sum" | "b2sum" | "cksum" | "sum" | "pgrep" | "pidof" | "mcookie" | "od"
        | "logname" | "tty" | "arch" => Shape::Solid,
        "date"
            if words.iter().all(|word| {
                matches!(
                    word.prefix(),
                    "+%s" | "+%N" | "+%s%N" | "+%Y" | "+%d" | "+%m" | "+%H" | "+%M" | "+%S" | "+%j"
                )
            }) =>
        {
            Shape::Solid
        }
        "pwd" | "date" | "hostname" | "readlink" | "realpath" | "which" | "mktemp" | "getconf"
        | "uuidgen" | "du" | "df" | "stat" | "ps" | "who" | "w" | "uptime" | "git" | "locate" | "mdfind"
        | "type" | "users" | "groups" | "lsb_release" | "command" | "cal" | "nl" => Shape::Tame,
        "seq" | "shuf" if !words.is_empty() => {
            let listed = words.iter().any(|word| {
                word.literal().is_some_and(|text| {
                    text.starts_with('-') && text.contains('i') || text == "--input-range"
                })
            });
            let numbers = words.iter().all(|word| {
                let text = word.prefix();
                text.starts_with('-') && text.len() > 1
                    || text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            });
            if name == "seq" && numbers || name == "shuf" && listed {
                Shape::Solid
            } else if name == "shuf" {
                operands(policy, scene, at, words, depth).max(passed(policy, scene, at, run, depth))
            } else {
                Shape::Wild
            }
        }
        "find" | "gfind" => {
            if words.iter().any(|word| matches!(word.literal(), Some("-printf" | "-exec" | "-execdir"))) {
                Shape::Names
            } else {
                Shape::Tame
            }
        }
        // `ls -d */`: every name ends with a slash, so that none is an option of `find`.
        "ls" if matches!(words, [flag, folders] if flag.literal() == Some("-d")
            && matches!(folders.pieces.as_slice(), [Piece::Glob(star), Piece::Text(slash)] if star == "*" && slash == "/")) =>
        {
            Shape::Tame
        }
        // Nobody but the administrator makes files there.
        "ls" if words.iter().any(of_the_system)
            && words.iter().all(|word| dashes(&word) || of_the_system(word)) =>
        {
            Shape::Tame
        }
        "ls" | "exa" | "eza" | "compgen" | "fd" | "rg" | "grep" | "egrep" | "fgrep" | "ag" | "ack"
        | "tree" => {
            let lists_files = !matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack")
                || words
                    .iter()
                    .any(|word| word.prefix().starts_with('-') && word.prefix().contains(['l', 'r', 'R']));
            if lists_files { Shape::Names } else { passed(policy, scene, at, run, depth).max(Shape::Names) }
        }
        "echo" | "printf" | "basename" | "dirname" => {
            let first = words.iter().find(|word| !dashes(word));
            match first {
                Some(word) if word.prefix().starts_with('-') => Shape::Wild,
                _ if words.iter().any(|word| text(word).is_some_and(|text| text.contains("\\")))
                    && name == "echo" =>
                {
                    Shape::Wild
                }
                _ => operands(policy, scene, at, words, depth).max(if name == "basename" {
                    Shape::Names
                } else {
                    Shape::Tame
                }),
            }
        }
        "tr" => {
            let keeps = words.iter().any(|word| dashes(&word) && word.prefix().contains(['c', 'C']))
                && words.iter().any(|word| dashes(&word) && word.prefix().contains('d'));
            let set = words.iter().rfind(|word| !dashes(word));
            if keeps && set.and_then(text).is_some_and(|set| !keeps_dash(&set)) {
                Shape::Solid
            } else {
                passed(policy, scene, at, run, depth)
            }
        }
        "shuf" | "head" | "tail" | "sort" | "uniq" | "cut" | "fold" | "rev" | "tac" | "xargs" | "sed"
        | "awk" | "cat" | "column" | "paste" | "tee" | "gzip" | "zcat" => {
            let inner = matches!(run.input, Input::Pipe(_));
            if inner {
                let through = passed(policy, scene, at, run, depth);
                // What is cut or rewritten may begin with anything that was inside.
                let cuts = matches!(name, "sed" | "awk" | "cut" | "rev" | "xargs") && through > Shape::Solid;
                if cuts { through.max(Shape::Names) } else { through }
            } else if words.iter().any(|word| word.prefix().starts_with("/usr/share/dict")) {
                Shape::Tame
            } else {
                Shape::Wild
            }
        }
        "base64" | "openssl" | "expr" | "bc" => Shape::Names,
        _ => Shape::Wild,
    }
}

/// True for a path in a folder where only the administrator writes.
fn of_the_system(word: &Word) -> bool {
    const FOLDERS: &[&str] =
        &["/etc", "/usr", "/bin", "/sbin", "/lib", "/dev", "/proc", "/sys", "/boot", "/opt"];
    let below = |text: &str, folder: &str| {
        text.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    word.literal().is_some_and(|text| {
        !text.contains("..")
            && !text.starts_with("/dev/shm")
            && FOLDERS.iter().any(|folder| below(text, folder))
    })
}

fn operands(policy: &Policy, scene: &Scene<'_>, at: usize, words: &[Word], depth: usize) -> Shape {
    words
        .iter()
        .flat_map(|word| word.pieces.iter().map(move |piece| (word, piece)))
        .map(|(word, piece)| match piece {
            Piece::Unknown(why) => shape(policy, scene, at, word, why, depth + 1),
            Piece::Glob(_) => Shape::Names,
            Piece::Text(_) | Piece::Home | Piece::Cwd => Shape::Tame,
        })
        .max()
        .unwrap_or(Shape::Tame)
}

/// What comes through a filter: what goes in.
fn passed(policy: &Policy, scene: &Scene<'_>, at: usize, run: &Run, depth: usize) -> Shape {
    input(policy, scene, at, run, depth + 1)
}

/// True if a set of `tr` has a dash in it that is no range.
fn keeps_dash(set: &str) -> bool {
    let letters: Vec<char> = set.chars().collect();
    letters.iter().enumerate().any(|(at, letter)| {
        *letter == '-' && {
            let before = at.checked_sub(1).and_then(|at| letters.get(at));
            let after = letters.get(at + 1);
            !matches!((before, after), (Some(one), Some(other))
                if one.is_ascii_alphanumeric() && other.is_ascii_alphanumeric())
        }
    }) || set.contains("punct")
        || set.contains("graph")
        || set.contains("print")
        || set.contains('!')
}
