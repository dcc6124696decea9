//! Whether something on which a yes rests has changed since.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::tree;
use crate::devices::filesystem::paths;
use crate::devices::filesystem::patterns::{self, Part};
use crate::hands::facts::words::parts;
use guarda_core::policy::{Listing, ListingQuery, Situation};

/// The most directory entries that are read to expand patterns.
pub(super) const MOST_NAMES: usize = 20_000;

/// The path of a changed object, if there is one. Files that the action itself has opened (`own`) do not count.
pub(in crate::hands) fn changed(situation: &Situation, own: &BTreeSet<PathBuf>) -> Option<String> {
    let others = |path: &Path| own.is_empty() || !own.contains(path);
    let mut stamps = situation.stamps.iter().map(|(file, stamp)| (Path::new(file), stamp));
    let file = stamps.find(|(file, stamp)| others(file) && paths::stamp(file).as_ref() != Some(*stamp));
    if let Some((file, _)) = file {
        return Some(shown(file));
    }
    let frozen = situation.frozen.as_ref()?;
    let mut places = situation.places.iter().map(|(path, found)| (Path::new(path), found));
    let place = places.find(|(path, found)| others(path) && paths::found(path) != **found);
    if let Some((path, _)) = place {
        return Some(shown(path));
    }
    let names = frozen.listings.iter().flat_map(|listing| differences(listing, &situation.home));
    names.into_iter().find(|name| others(&paths::plain(name))).map(|name| shown(&name))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The names that appeared or disappeared.
fn differences(listing: &Listing, home: &str) -> Vec<PathBuf> {
    let mut budget = MOST_NAMES;
    let mut none = OsString::new();
    let now = match &listing.of {
        ListingQuery::Word(pieces) => parts(pieces, home, &listing.folder).and_then(|parts| {
            none = patterns::written(&parts);
            expand(&listing.folder, &parts, &mut budget)
        }),
        ListingQuery::Tree(names) => tree::below(&listing.folder, names),
    };
    // More names than could be read before also mean a changed list.
    let Some(now) = now else { return vec![listing.folder.clone()] };
    // The pattern itself, which remains if nothing matches, is not a name.
    let names =
        |names: &[OsString]| names.iter().filter(|name| **name != none).cloned().collect::<BTreeSet<_>>();
    let (now, then) = (names(&now), names(&listing.names));
    now.symmetric_difference(&then).map(|name| listing.folder.join(name)).collect()
}

pub(super) fn expand(folder: &Path, parts: &[Part], budget: &mut usize) -> Option<Vec<OsString>> {
    patterns::expand_within(folder, parts, budget).ok()
}
