//! Circles between files: groups of files of which each names something of the others, so that they cannot be
//! read in order. A name that a `mod.rs` only passes on with `pub use` leads to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

/// The files of a crate by their modules.
struct Files<'a> {
    sources: &'a [Source],
    at: BTreeMap<&'a [String], usize>,
}

impl<'a> Files<'a> {
    fn of(sources: &'a [Source]) -> Self {
        let modules = sources.iter().enumerate().filter(|(_, source)| !source.file.ends_with("src/main.rs"));
        Self { sources, at: modules.map(|(at, source)| (source.module.as_slice(), at)).collect() }
    }

    /// The file that defines what `names` means in the file `from`; `None` if it is outside of the crate, or a module as such.
    fn definer(&self, from: usize, names: &[String], steps: usize) -> Option<usize> {
        let source = &self.sources[from];
        let (first, rest) = names.split_first()?;
        let child = || source.module.iter().chain([first]).cloned().collect::<Vec<_>>();
        let whole: Vec<String> = if first == "crate" {
            rest.to_vec()
        } else if self.at.contains_key(child().as_slice()) {
            child().into_iter().chain(rest.iter().cloned()).collect()
        } else {
            return self.imported(from, first, rest, steps);
        };
        let (length, file) =
            (0..=whole.len()).rev().find_map(|length| Some((length, *self.at.get(&whole[..length])?)))?;
        let (name, rest) = whole[length..].split_first()?;
        // Defined there, unless it is passed on.
        let passed = self.sources[file].imports.iter().any(|import| import.name == *name);
        if passed && file != from { self.imported(file, name, rest, steps) } else { Some(file) }
    }

    /// Like [`Self::definer`], for a name that the file may have imported.
    fn imported(&self, from: usize, name: &String, rest: &[String], steps: usize) -> Option<usize> {
        let source = &self.sources[from];
        let import = source.imports.iter().find(|import| import.name == *name)?;
        let path = source.paths[import.path].1.iter().chain(rest).cloned().collect::<Vec<_>>();
        // `use x::x` names itself.
        let names_itself = path.first() == Some(name)
            && !self.at.contains_key([source.module.as_slice(), &path[..1]].concat().as_slice());
        if names_itself { None } else { self.definer(from, &path, steps.checked_sub(1)?) }
    }
}

/// Which files a file names, by index, and one line of each.
type Arrows = BTreeMap<usize, String>;

fn arrows(sources: &[Source]) -> Vec<Arrows> {
    let files = Files::of(sources);
    let of = |(at, source): (usize, &Source)| {
        let passed_on: BTreeSet<usize> =
            source.imports.iter().filter(|import| import.public).map(|import| import.path).collect();
        let paths = source.paths.iter().enumerate().filter(|(path, _)| !passed_on.contains(path));
        let named = paths.filter_map(|(_, (line, names))| {
            Some((files.definer(at, names, 8)?, format!("{line}: {}", names.join("::"))))
        });
        named.filter(|(other, _)| *other != at).collect()
    };
    sources.iter().enumerate().map(of).collect()
}

/// The files that can be reached from each.
fn reached(arrows: &[Arrows]) -> Vec<BTreeSet<usize>> {
    let from = |start: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(at) = open.pop() {
            open.extend(arrows[at].keys().copied().filter(|next| seen.insert(*next)));
        }
        seen
    };
    (0..arrows.len()).map(from).collect()
}

/// The files of a circle, and the arrows between them, for a person.
pub struct Circle {
    pub files: Vec<String>,
    pub arrows: Vec<String>,
}

/// The circles of a crate, the largest first.
pub fn circles(sources: &[Source]) -> Vec<Circle> {
    let arrows = arrows(sources);
    let reached = reached(&arrows);
    let mut circles: BTreeSet<Vec<usize>> = BTreeSet::new();
    for at in 0..sources.len() {
        let circle: Vec<usize> = (0..sources.len())
            .filter(|other| reached[at].contains(other) && reached[*other].contains(&at))
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let file = |at: &usize| sources[*at].file.display().to_string();
    let shown = |circle: Vec<usize>| {
        let inside =
            |at: usize| arrows[at].iter().filter(|(to, _)| circle.contains(to)).map(move |to| (at, to));
        let lines = circle.iter().flat_map(|at| inside(*at));
        Circle {
            files: circle.iter().map(file).collect(),
            arrows: lines
                .map(|(from, (to, line))| format!("{}:{line} -> {}", file(&from), file(to)))
                .collect(),
        }
    };
    let mut circles: Vec<Circle> = circles.into_iter().map(shown).collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    circles
}
