//! Circles between files: groups of files of which each names something of the others, so that they cannot be
//! read in order. A module that declares its own submodules makes no circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

/// Which file names which others, by index.
fn arrows(sources: &[Source]) -> Vec<BTreeSet<usize>> {
    let files: BTreeMap<&[String], usize> =
        sources.iter().enumerate().map(|(at, source)| (source.module.as_slice(), at)).collect();
    let leads_to = |source: &Source, names: &[String]| {
        // A path begins at the crate's root, or at a module that this file declares.
        let whole: Vec<String> = match names.first()?.as_str() {
            "crate" => names.get(1..)?.to_vec(),
            _ => source.module.iter().chain(names).cloned().collect(),
        };
        let shortest = if names.first()? == "crate" { 0 } else { source.module.len() + 1 };
        (shortest..=whole.len()).rev().find_map(|length| files.get(whole.get(..length)?).copied())
    };
    sources
        .iter()
        .map(|source| {
            let named = source.paths.iter().filter_map(|(_, names)| leads_to(source, names));
            // A folder's `mod.rs` gathers what lies below it; that alone makes no circle.
            let below = |other: &usize| sources[*other].module.starts_with(&source.module);
            named.filter(|other| !below(other)).collect()
        })
        .collect()
}

/// The files that can be reached from each.
fn reached(arrows: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let from = |start: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(at) = open.pop() {
            open.extend(arrows[at].iter().copied().filter(|next| seen.insert(*next)));
        }
        seen
    };
    (0..arrows.len()).map(from).collect()
}

/// The circles of a crate: the modules of each, the largest first.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let reached = reached(&arrows(sources));
    let mut circles: BTreeSet<Vec<usize>> = BTreeSet::new();
    for at in 0..sources.len() {
        let circle: Vec<usize> = (0..sources.len())
            .filter(|other| reached[at].contains(other) && reached[*other].contains(&at))
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<Vec<String>> = circles
        .into_iter()
        .map(|circle| circle.into_iter().map(|at| sources[at].module.join("::")).collect())
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// The pairs of files that name each other.
pub fn pairs(sources: &[Source]) -> Vec<String> {
    let arrows = arrows(sources);
    let each = arrows.iter().enumerate();
    let both = each.flat_map(|(at, named)| named.iter().map(move |other| (at, *other)));
    let both = both.filter(|(at, other)| at < other && arrows[*other].contains(at));
    both.map(|(one, other)| {
        format!("{} {}", sources[one].module.join("::"), sources[other].module.join("::"))
    })
    .collect()
}
