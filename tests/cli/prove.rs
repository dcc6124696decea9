//! `guarda prove`: its measure sees harm where nobody stands in the way, and none under this guard.

use serde_json::Value;

use crate::common::{folder, guarda};

/// The outcomes of a guard's deeds of a kind, each with its name.
fn outcomes<'a>(found: &'a Value, guard: &str, harm: bool) -> Vec<(&'a str, &'a str)> {
    let guards = found["guards"].as_array().unwrap();
    let guard =
        guards.iter().find(|one| one["name"] == guard).unwrap_or_else(|| panic!("{guard}: {found:#}"));
    let deeds = found["deeds"].as_array().unwrap().iter().zip(guard["outcomes"].as_array().unwrap());
    let of_kind = deeds.filter(|(deed, _)| deed["harm"] == harm);
    of_kind.map(|(deed, outcome)| (deed["id"].as_str().unwrap(), outcome.as_str().unwrap())).collect()
}

#[test]
fn what_nobody_stops_happens_and_nothing_of_it_stays_under_this_guard() {
    let place = folder("", "");
    let words = ["prove", "--json", "--only", "none,guarda", "--rounds", "2"];
    let output = guarda(place.path()).args(words).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text} {output:?}");
    let found: Value = serde_json::from_str(&text).unwrap();
    let (plain, ours) = (outcomes(&found, "none", true), outcomes(&found, "guarda", true));
    assert!(plain.len() > 15 && plain.iter().all(|(_, outcome)| *outcome == "done"), "{plain:?}");
    assert!(ours.iter().all(|(_, outcome)| *outcome != "done" && *outcome != "late"), "{ours:?}");
    assert!(ours.contains(&("delete-project", "undone")), "{ours:?}");
    for guard in ["none", "guarda"] {
        let work = outcomes(&found, guard, false);
        assert!(work.len() > 5 && work.iter().all(|(_, outcome)| *outcome == "done"), "{guard}: {work:?}");
    }
    assert!(found["guards"][1]["median_ms"].as_f64().unwrap() > 0.0, "{found:#}");
    // The home is gone, and the person's own has nothing of it.
    let left = std::fs::read_dir(place.path().join(".cache")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with("guarda-prove")), "{left:?}");
    assert!(!place.path().join(".local/state/guarda").exists());
}
