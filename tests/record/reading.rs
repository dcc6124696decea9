//! Reading the record: filters, counts, exports, and lines as they are added.

use guarda_core::gate::Says;
use guarda_journal::export::{COLUMNS, Format, export};
use guarda_journal::follow::Follow;
use guarda_journal::read::{self, Filter, stats};
use guarda_journal::{Journal, RequestFate};
use serde_json::Value;

use crate::bench::*;
use crate::shelf::*;

fn exported(folder: &std::path::Path, format: Format) -> String {
    let mut out = Vec::new();
    export(folder, &Filter::default(), format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_record_goes_to_other_programs_in_three_forms() {
    let place = record();
    let json: Value = serde_json::from_str(&exported(place.path(), Format::Json)).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 24);
    let lines = exported(place.path(), Format::Lines);
    assert_eq!(lines.lines().count(), 24);
    let csv = exported(place.path(), Format::Csv);
    assert_eq!(csv.lines().next().unwrap(), COLUMNS.join(","));
    // A cell may hold line feeds; a row begins with a time.
    assert_eq!(csv.lines().filter(|line| line.starts_with("20")).count(), 24);
    // Every field that a line can have has a column.
    let known =
        ["line", "version", "program", "part", "last_sequence", "damage", "open", "cut_bytes", "cut_hash"];
    for field in json.as_array().unwrap().iter().flat_map(|line| line.as_object().unwrap().keys()) {
        assert!(COLUMNS.contains(&field.as_str()) || known.contains(&field.as_str()), "{field}");
    }
}

#[test]
fn a_cell_cannot_become_a_formula() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    for line in ["=cmd|' /C calc'!A0", "-x", "a \"b\", c"] {
        now(journal.advise(&judgement(command("s", line)), &caller())).unwrap();
    }
    journal.shut();
    let csv = exported(place.path(), Format::Csv);
    for cell in ["\"'=cmd|' /C calc'!A0\"", "\"'-x\"", "\"a \"\"b\"\", c\""] {
        assert!(csv.contains(cell), "{cell} in {csv}");
    }
}

#[test]
fn lines_are_chosen_and_counted() {
    let place = record();
    let count = |filter: Filter| read::tail(place.path(), &filter, usize::MAX).unwrap().len();
    assert_eq!(count(Filter::default()), 24);
    assert_eq!(count(Filter { status: Some("denied".to_owned()), ..Filter::default() }), 3);
    assert_eq!(count(Filter { fate: Some(RequestFate::Expired), ..Filter::default() }), 3);
    assert_eq!(count(Filter { session: Some("t".to_owned()), ..Filter::default() }), 0);
    assert_eq!(count(Filter { text: Some("notes".to_owned()), ..Filter::default() }), 18);
    let now = jiff::Timestamp::now();
    assert_eq!(count(Filter { since: Some(now), ..Filter::default() }), 0);
    assert_eq!(count(Filter { until: Some(now), ..Filter::default() }), 24);
    assert_eq!(read::show(place.path(), "s_002").unwrap().len(), 2);
    let stats = stats(place.path(), &Filter::default()).unwrap();
    assert_eq!((stats.requests, stats.sessions), (12, 1));
    assert_eq!(stats.ends["completed"], 9);
    assert_eq!(stats.ends["denied"], 3);
    assert_eq!((stats.fates["done_approved"], stats.fates["expired"], stats.fates.len()), (9, 3, 2));
    assert_eq!(stats.answers["approve"], 9);
    assert_eq!(stats.kinds["RUN_COMMAND"], 12);
    // A status selects the last line of a request alone, which counts it all the same.
    let filter = Filter { status: Some("completed".to_owned()), ..Filter::default() };
    let done = read::stats(place.path(), &filter).unwrap();
    assert_eq!((done.requests, done.kinds["RUN_COMMAND"], done.fates["done_approved"]), (9, 9, 9));
}

#[test]
fn what_is_added_is_followed_across_files() {
    let place = tempfile::tempdir().unwrap();
    let journal = Journal::open(small(place.path(), 4_000)).unwrap();
    let advise = |session: &str| {
        now(journal.advise(&judgement(command(session, "rm x")), &caller())).unwrap().audit_id
    };
    advise("s");
    let mut follow = Follow::begin(place.path(), Filter::default()).unwrap();
    assert_eq!(follow.added().unwrap(), []);
    for round in [1, 2, 7, 1] {
        let mut written: Vec<String> = (0..round).map(|_| advise("s")).collect();
        written.push(advise("t"));
        let mut read: Vec<String> = follow.added().unwrap().into_iter().map(|l| l.place.audit_id).collect();
        read.retain(|id| !id.is_empty());
        assert_eq!(read, written);
    }
    now(journal.refuse(&refusal(command("s", "rm x"), Says::Silence), &caller())).unwrap();
    assert_eq!(follow.added().unwrap().last().unwrap().facts.status.as_deref(), Some("denied"));
}
