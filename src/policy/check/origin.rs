//! Where the value of a variable comes from, as far as the line shows it: assignments, loops, arrays, lines that are read,
//! arguments. A variable that the line never sets has no origin.

use crate::action::script::{Input, Piece, RedirectKind, Run, Why, Word};
use crate::policy::Policy;
use crate::policy::scene::Scene;

/// Files in which nobody writes names.
pub(super) const NOBODYS: &[&str] =
    &["/dev/urandom", "/dev/random", "/dev/zero", "/dev/null", "/dev/stdin", "/dev/tty", "-"];

/// What a variable is given.
#[derive(Default)]
pub(super) struct Origin<'a> {
    /// It is read from a file.
    pub file: bool,
    /// It is read from what these runs print.
    pub runs: Vec<usize>,
    /// It is one of these words, or a part of one.
    pub words: Vec<&'a Word>,
}

/// All that the line may give to a variable.
pub(super) fn of<'a>(policy: &Policy, scene: &Scene<'a>, name: &str) -> Origin<'a> {
    let mut origin = Origin::default();
    let argument = matches!(name, "@" | "*") || name.bytes().all(|byte| byte.is_ascii_digit());
    for (at, run) in scene.own_runs() {
        let program = run.program().unwrap_or_default();
        for assign in &run.assigns {
            if assign.name.split('[').next() == Some(name) {
                origin.words.push(&assign.value);
            }
        }
        let words = run.words.get(1..).unwrap_or_default();
        match program {
            "read" if name == "REPLY" || takes(words, name) => origin.read(policy, scene, at, run),
            "mapfile" | "readarray" if name == "MAPFILE" || takes(words, name) => {
                origin.read(policy, scene, at, run);
            }
            "declare" | "local" | "export" | "typeset" | "readonly" => {
                let given = |word: &&Word| word.prefix().split(['=', '+']).next() == Some(name);
                origin.words.extend(words.iter().filter(given));
            }
            "printf" if takes(words, name) => origin.words.extend(words),
            "set" if argument => origin.words.extend(words),
            _ if argument && is_function(policy, run) => origin.words.extend(words),
            _ => {}
        }
    }
    let items = scene.script.items().iter().take_while(|_| scene.fuel.spend(2));
    origin.words.extend(items.filter(|item| item.of == name).map(|item| &item.word));
    origin
}

impl<'a> Origin<'a> {
    /// What `read` and its like find on their standard input, or on another descriptor that is open.
    fn read(&mut self, policy: &Policy, scene: &Scene<'a>, at: usize, run: &'a Run) {
        self.input(scene, at, run);
        if !matches!(run.input, Input::Pipe(_)) {
            for (at, other) in scene.own_runs() {
                if other.program() == Some("exec") || is_function(policy, other) {
                    self.input(scene, at, other);
                }
            }
        }
    }

    fn input(&mut self, scene: &Scene<'a>, at: usize, run: &'a Run) {
        if matches!(run.input, Input::Pipe(_)) {
            self.runs.extend(scene.sources(at));
        }
        for redirect in &run.redirects {
            match redirect.kind {
                RedirectKind::Read | RedirectKind::ReadWrite if is_pipe(&redirect.target) => {
                    self.words.push(&redirect.target);
                }
                RedirectKind::Read | RedirectKind::ReadWrite => {
                    self.file |= !NOBODYS.contains(&redirect.target.prefix());
                }
                RedirectKind::Text => self.words.push(&redirect.target),
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::Duplicate
                | RedirectKind::Close => {}
            }
        }
    }
}

/// True if the name stands among the words, by itself or behind its option (`-aname`).
fn takes(words: &[Word], name: &str) -> bool {
    words.iter().any(|word| {
        let text = word.prefix();
        text == name || text.starts_with('-') && text.strip_suffix(name).is_some_and(|head| head.len() > 1)
    })
}

/// True for a call of a function that the line defines.
fn is_function(policy: &Policy, run: &Run) -> bool {
    run.builtin && run.program().is_some_and(|name| !policy.is_builtin(name))
}

fn is_pipe(word: &Word) -> bool {
    matches!(word.pieces.as_slice(), [Piece::Unknown(Why::PipeName)])
}
