//! The context of a run: the folder it starts in, the runs that feed it, and the runs that it starts.

pub(crate) use crate::catalogue::base_name;
use crate::places::{self, Kinds, Place};
use crate::policy::line::budget::Budget;
use crate::policy::line::values::LineValues;
use crate::policy::{Finding, Policy, Situation};
use foldhash::{HashMap, HashMapExt, HashSet};
use guarda_shell::script::{Input, Piece, Reach, Run, Script, Span, UnknownCause, Word};
use std::cell::{OnceCell, RefCell};

/// The longest path that the kernel takes, in bytes (`PATH_MAX`).
const LONGEST: usize = 4096;

/// A script and the facts by which it is judged, with look-ups that are computed once.
pub(crate) struct JudgeContext<'a> {
    pub script: &'a Script,
    pub situation: &'a Situation,
    /// The remaining budget.
    pub budget: &'a Budget,
    /// `(index of the cd, folder it leads to)`, in order; `None` where that is not known.
    moves: Vec<(usize, Option<String>)>,
    /// `(index of a run, folder that its wrapper starts it in)`, in order.
    placed: Vec<(usize, Option<String>)>,
    /// `(parent, child)`, sorted.
    families: Vec<(usize, usize)>,
    /// The runs of the shell itself and those that only assign; computed on first use, like the four below.
    own: OnceCell<Vec<usize>>,
    /// The runs inside substitutions, in the order of their positions.
    substituted: OnceCell<Vec<usize>>,
    /// For each run, whether the output of a substitution may reach it.
    substituting: OnceCell<Vec<bool>>,
    /// The values that the line gives to variables and names.
    values: OnceCell<LineValues>,
    /// The bindings of each variable.
    bound: OnceCell<HashMap<Box<str>, Vec<Bound>>>,
    /// The classes of the items that each wrapper inserts.
    put_in: RefCell<HashMap<usize, Kinds>>,
    /// True if `hash` may give a name another program.
    renames: bool,
    /// The classes of texts, by the folder that they are relative to: many rules ask about the same word.
    known: RefCell<HashMap<Folder, HashMap<Box<str>, Kinds>>>,
    /// What the floor forbids in texts: many commands may be given the same one.
    searched: RefCell<Searched>,
}

/// What each search found in a text.
type Searched = HashMap<(Search, Box<str>), Option<Finding>>;

/// How a text is searched for what the floor forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Search {
    /// As commands of a shell.
    Commands,
    /// In each part that may be a command.
    Parts,
}

/// Where a script binds a variable.
#[derive(Debug, Clone, Copy)]
enum Bound {
    /// One of its items.
    Item(usize),
    /// An assignment of a run.
    Assign(usize, usize),
}

/// The folder that a relative path begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Folder {
    /// The working folder of the line.
    First,
    /// Where this `cd` of the line leads to.
    Moved(usize),
    /// Where this wrapper starts what it starts.
    Placed(usize),
    /// It is not known.
    Unknown,
}

impl<'a> JudgeContext<'a> {
    /// What a search of this kind finds in a text; each text is searched once.
    pub(crate) fn cached(
        &self,
        search: Search,
        text: &str,
        find: impl FnOnce() -> Option<Finding>,
    ) -> Option<Finding> {
        let key = (search, Box::from(text));
        let known = self.searched.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let found = find();
            self.searched.borrow_mut().insert(key, found.clone());
            found
        })
    }

    pub(crate) fn new(script: &'a Script, situation: &'a Situation, budget: &'a Budget) -> Self {
        let mut families: Vec<(usize, usize)> = script
            .runs()
            .iter()
            .enumerate()
            .filter_map(|(child, run)| run.parent.map(|parent| (parent, child)))
            .collect();
        families.sort_unstable();
        let mut context = Self {
            script,
            situation,
            budget,
            moves: Vec::new(),
            placed: Vec::new(),
            families,
            own: OnceCell::new(),
            substituted: OnceCell::new(),
            substituting: OnceCell::new(),
            values: OnceCell::new(),
            bound: OnceCell::new(),
            put_in: RefCell::new(HashMap::new()),
            renames: false,
            known: RefCell::new(HashMap::new()),
            searched: RefCell::new(HashMap::new()),
        };
        for (index, run) in script.runs().iter().enumerate() {
            context.renames |= run.program() == Some("hash");
            if matches!(run.program(), Some("cd" | "pushd")) {
                let target = run.words.iter().skip(1).find(|word| !word.prefix().starts_with('-'));
                let cwd = context.cwd(index).map(str::to_owned);
                let folder = match target {
                    None => Some(situation.home.clone()),
                    Some(word) => Place::of(word, 0, cwd.as_deref(), &situation.home)
                        .and_then(|place| place.exact().map(str::to_owned)),
                };
                // No path is longer.
                context.moves.push((index, folder.filter(|folder| folder.len() <= LONGEST)));
            }
            if let Some(word) = wrapped_in(script, run) {
                let (word, skip) = word;
                let cwd = context.cwd(index).map(str::to_owned);
                let folder = Place::of(word, skip, cwd.as_deref(), &situation.home)
                    .and_then(|place| place.exact().map(str::to_owned));
                context.placed.push((index, folder));
            }
        }
        context
    }

    pub(crate) fn run(&self, index: usize) -> Option<&'a Run> {
        self.script.runs().get(index)
    }

    /// The folder in which a run starts, if it is known.
    pub(crate) fn cwd(&self, index: usize) -> Option<&str> {
        self.folder(index).1
    }

    fn folder(&self, index: usize) -> (Folder, Option<&str>) {
        if let Ok(at) = self.placed.binary_search_by_key(&index, |(at, _)| *at) {
            return (Folder::Placed(at), self.placed.get(at).and_then(|(_, folder)| folder.as_deref()));
        }
        match self.moves.partition_point(|(at, _)| *at < index).checked_sub(1) {
            Some(at) => (Folder::Moved(at), self.moves.get(at).and_then(|(_, folder)| folder.as_deref())),
            None if self.situation.cwd.is_empty() => (Folder::First, None),
            None => (Folder::First, Some(&self.situation.cwd)),
        }
    }

    /// The classes of the place that a word of a run names; [`Kinds::NOWHERE`] if it names none, or once the budget is spent.
    pub(crate) fn kinds(&self, policy: &Policy, index: usize, word: &Word, skip: usize) -> Kinds {
        let (folder, cwd) = self.folder(index);
        let raw = places::raw(word, skip, cwd, &self.situation.home);
        raw.map_or(Kinds::NOWHERE, |raw| {
            self.look_up(policy, (folder, cwd), &raw, || Place::from_raw(&raw, cwd))
        })
    }

    /// The same if the folder is unknown: by the rest of the path.
    pub(crate) fn kinds_somewhere(&self, policy: &Policy, word: &Word, skip: usize) -> Kinds {
        let raw = places::raw_below(word, skip, &self.situation.home);
        raw.map_or(Kinds::NOWHERE, |raw| {
            self.look_up(policy, (Folder::Unknown, None), &raw, || Place::below_unknown(&raw))
        })
    }

    /// By the known folder; if that gives no place, as below an unknown one.
    pub(crate) fn kinds_or_somewhere(
        &self,
        policy: &Policy,
        index: usize,
        word: &Word,
        skip: usize,
    ) -> Kinds {
        let kinds = self.kinds(policy, index, word, skip);
        if kinds.any(Kinds::NOWHERE) { self.kinds_somewhere(policy, word, skip) } else { kinds }
    }

    /// The classes of the place that a plain text names.
    pub(crate) fn kinds_of_text(&self, policy: &Policy, index: usize, text: &str) -> Kinds {
        let (folder, cwd) = self.folder(index);
        if text.starts_with('~') {
            return Place::from_text(text, cwd, &self.situation.home)
                .map_or(Kinds::NOWHERE, |place| policy.kinds_of(&place, self.situation));
        }
        self.look_up(policy, (folder, cwd), text, || Place::from_raw(text, cwd))
    }

    /// The same below an unknown folder.
    pub(crate) fn kinds_of_text_somewhere(&self, policy: &Policy, text: &str) -> Kinds {
        self.look_up(policy, (Folder::Unknown, None), text, || Place::below_unknown(text))
    }

    /// The classes of a place, computed once for each text and folder.
    fn look_up(
        &self,
        policy: &Policy,
        (folder, cwd): (Folder, Option<&str>),
        raw: &str,
        place: impl FnOnce() -> Option<Place>,
    ) -> Kinds {
        let known = self.known.borrow().get(&folder).and_then(|texts| texts.get(raw)).copied();
        if let Some(kinds) = known {
            return if self.budget.spend(8 + raw.len() / 8) { kinds } else { Kinds::NOWHERE };
        }
        if !self.budget.spend(64 + raw.len() + cwd.map_or(0, str::len)) {
            return Kinds::NOWHERE;
        }
        let kinds = place().map_or(Kinds::NOWHERE, |place| policy.kinds_of(&place, self.situation));
        let mut known = self.known.borrow_mut();
        known.entry(folder).or_insert_with(|| HashMap::with_capacity(14)).insert(raw.into(), kinds);
        kinds
    }

    /// The place that a word of a run names; nothing once the budget is spent.
    pub(crate) fn place(&self, index: usize, word: &Word, skip: usize) -> Option<Place> {
        if !self
            .budget
            .spend(48 + word.pieces.len() * 8 + word.prefix().len() + self.cwd(index).map_or(0, str::len))
        {
            return None;
        }
        Place::of(word, skip, self.cwd(index), &self.situation.home)
    }

    /// The values that the line gives to variables and names.
    fn values(&self) -> &LineValues {
        self.values.get_or_init(|| LineValues::of(self.script, |word| self.inside(word)))
    }

    /// Other programs that the name of a run's program may stand for: the value of a variable, or the path given by `hash -p`.
    pub(crate) fn meant_by<'r>(&'r self, run: &'r Run) -> Box<dyn Iterator<Item = &'r str> + 'r> {
        // For nearly all runs the program is known.
        if run.program().is_some() && !self.renames {
            return Box::new(std::iter::empty());
        }
        self.values().meant_by(run)
    }

    /// The words that a word with one or two variables may become, by the loops, arrays and assignments of the line.
    pub(crate) fn filled_in(&self, word: &Word) -> Vec<Word> {
        let once = self.filled_once(word);
        let twice: Vec<Word> = once.iter().flat_map(|word| self.filled_once(word)).collect();
        once.into_iter().chain(twice).collect()
    }

    /// The same for the first variable that the line binds.
    fn filled_once(&self, word: &Word) -> Vec<Word> {
        let bound = word.pieces.iter().enumerate().find_map(|(at, piece)| match piece {
            Piece::Unknown(UnknownCause::Variable(name)) if self.bound_to(name).next().is_some() => {
                Some((at, name))
            }
            _ => None,
        });
        let Some((at, name)) = bound else { return Vec::new() };
        let (before, rest) = word.pieces.split_at(at);
        let given = self.bound_to(name).take_while(|_| self.budget.spend(16 + word.pieces.len()));
        given
            .map(|value| joined(before.iter().chain(&value.pieces).chain(rest.iter().skip(1)), word.span))
            .collect()
    }

    /// The values that loops, arrays and assignments of the line give to a variable.
    fn bound_to(&self, name: &str) -> impl Iterator<Item = &'a Word> {
        let bound = self.bound.get_or_init(|| {
            let mut bound: HashMap<Box<str>, Vec<Bound>> = HashMap::new();
            // What a name is given again is one value.
            let mut seen = HashSet::default();
            let items = self.script.items().iter().enumerate();
            let items = items.map(|(at, item)| (item.of.as_str(), Bound::Item(at)));
            let assigns = self.script.runs().iter().enumerate().flat_map(|(run, of)| {
                of.assigns
                    .iter()
                    .enumerate()
                    .map(move |(at, assign)| (assign.name.as_str(), Bound::Assign(run, at)))
            });
            for (name, at) in items.chain(assigns) {
                if bound_word(self.script, at).is_some_and(|word| seen.insert((name, word.pieces.as_slice())))
                {
                    bound.entry(name.into()).or_default().push(at);
                }
            }
            bound
        });
        let script = self.script;
        bound.get(name).into_iter().flatten().filter_map(move |at| bound_word(script, *at))
    }

    /// The words that such a word may become by the builtins of the line (`read x <<< TEXT`).
    pub(crate) fn given_in(&self, word: &Word) -> Vec<Word> {
        let Some((Piece::Unknown(UnknownCause::Variable(name)), rest)) = word.pieces.split_first() else {
            return Vec::new();
        };
        if !self.budget.spend(16) {
            return Vec::new();
        }
        let whole = |text: &String| {
            let pieces = std::iter::once(Piece::Text(text.clone())).chain(rest.iter().cloned()).collect();
            Word { pieces, span: word.span }
        };
        let bound = self.bound_to(name).next().is_some();
        self.values().given_to(name, bound).iter().map(whole).collect()
    }

    /// The classes of the items that a wrapper inserts, computed once for each wrapper.
    pub(crate) fn items_of(&self, wrapper: usize, find: impl FnOnce() -> Kinds) -> Kinds {
        let known = self.put_in.borrow().get(&wrapper).copied();
        known.unwrap_or_else(|| {
            let kinds = find();
            self.put_in.borrow_mut().insert(wrapper, kinds);
            kinds
        })
    }

    /// The runs that this one starts or holds.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = (usize, &'a Run)> {
        let first = self.families.partition_point(|(parent, _)| *parent < index);
        self.families
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(move |(parent, _)| *parent == index && self.budget.spend(1))
            .filter_map(|(_, child)| self.run(*child).map(|run| (*child, run)))
    }

    /// The runs that may set a variable: builtins, functions of the line, and assignments.
    pub(crate) fn own_runs(&self) -> impl Iterator<Item = (usize, &'a Run)> {
        let own = self.own.get_or_init(|| self.chosen(|run| run.builtin || !run.assigns.is_empty()));
        own.iter().take_while(|_| self.budget.spend(4)).filter_map(|at| self.run(*at).map(|run| (*at, run)))
    }

    /// The runs of the substitutions that stand in a word.
    pub(crate) fn inside(&self, word: &Word) -> impl Iterator<Item = usize> {
        let begins = |at: usize| self.run(at).map_or(0, |run| run.span.start);
        let all = self.substituted.get_or_init(|| {
            let mut all = self.chosen(|run| run.reach == Reach::Substitution);
            all.sort_by_key(|at| begins(*at));
            all
        });
        let (start, end) = (word.span.start, word.span.end);
        let first = all.partition_point(|at| begins(*at) < start);
        let behind = all.get(first..).unwrap_or_default().iter().copied();
        behind
            .take_while(move |at| self.budget.spend(2) && begins(*at) <= end)
            .filter(move |at| self.run(*at).is_some_and(|run| run.span.end <= end))
    }

    fn chosen(&self, choose: impl Fn(&Run) -> bool) -> Vec<usize> {
        let runs = self.script.runs().iter().enumerate();
        runs.filter(|(_, run)| choose(run)).map(|(index, _)| index).collect()
    }

    /// True if the run starts another one as a wrapper or as a shell.
    pub(crate) fn starts_something(&self, index: usize) -> bool {
        self.children(index).any(|(_, run)| matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_)))
    }

    /// The runs whose output reaches this one through pipes and substitutions, nearest first.
    pub(crate) fn sources(&self, index: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open = vec![index];
        while let Some(at) = open.pop() {
            if !self.budget.spend(8 + found.len() / 8) {
                break;
            }
            let Some(run) = self.run(at) else { continue };
            let mut next: Vec<usize> = match &run.input {
                Input::Pipe(from) => from.clone(),
                Input::Inherited | Input::Redirected => Vec::new(),
            };
            if self.might_substitute(at) {
                next.extend(
                    self.children(at)
                        .filter(|(_, run)| run.reach == Reach::Substitution)
                        .map(|(child, _)| child),
                );
            }
            if matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_)) {
                // A wrapper passes its input on to the program that it starts.
                next.extend(run.parent);
            }
            for source in next {
                if source != index && !found.contains(&source) {
                    found.push(source);
                    open.push(source);
                }
            }
        }
        found
    }

    /// Computed once, since a wrapper is queried for each run that it starts.
    fn might_substitute(&self, index: usize) -> bool {
        let all = self
            .substituting
            .get_or_init(|| self.script.runs().iter().map(takes_from_substitution).collect());
        all.get(index).copied().unwrap_or(true)
    }
}

impl Policy {
    /// True if a word of a run names a file that may hold a secret, wherever it lies.
    pub(in crate::policy) fn secret_word(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        word: &Word,
        skip: usize,
    ) -> bool {
        context.kinds_or_somewhere(self, index, word, skip).any(Kinds::SECRET)
    }
}

/// True if a word or redirection of a run contains the output of a substitution.
fn takes_from_substitution(run: &Run) -> bool {
    let unknown = |word: &Word| {
        word.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(UnknownCause::Substitution | UnknownCause::PipeName)))
    };
    // `BASH_ENV=<(…) bash` executes it as well.
    let named = |word: &Word| word.pieces.contains(&Piece::Unknown(UnknownCause::PipeName));
    run.words.iter().any(unknown)
        || run.redirects.iter().any(|redirect| unknown(&redirect.target))
        || run.assigns.iter().any(|assign| named(&assign.value))
}

/// The folder in which a wrapper starts a run (`env -C FOLDER`, `sudo -D FOLDER`): the word, and the offset of the folder
/// in it.
fn wrapped_in<'a>(script: &'a Script, run: &Run) -> Option<(&'a Word, usize)> {
    let Reach::Wrapper(name) = &run.reach else { return None };
    let (short, long) = match name.as_str() {
        "env" | "genv" => ("-C", "--chdir"),
        "sudo" => ("-D", "--chdir"),
        _ => return None,
    };
    let words = &script.runs().get(run.parent?)?.words;
    words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let head = word.prefix();
        if head == short || head == long {
            return words.get(at + 1).map(|word| (word, 0));
        }
        let joined = head.strip_prefix(long).is_some_and(|rest| rest.starts_with('='));
        match (joined, head.starts_with(short)) {
            (true, _) => Some((word, long.len() + 1)),
            (false, true) => Some((word, short.len())),
            (false, false) => None,
        }
    })
}

/// The value that a script binds there.
fn bound_word(script: &Script, bound: Bound) -> Option<&Word> {
    match bound {
        Bound::Item(at) => script.items().get(at).map(|item| &item.word),
        Bound::Assign(run, at) => script.runs().get(run)?.assigns.get(at).map(|assign| &assign.value),
    }
}

/// A word of these pieces, in which each text is as long as it can be.
fn joined<'a>(pieces: impl Iterator<Item = &'a Piece>, span: Span) -> Word {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(text)), Piece::Text(more)) => text.push_str(more),
            _ => joined.push(piece.clone()),
        }
    }
    Word { pieces: joined, span }
}
