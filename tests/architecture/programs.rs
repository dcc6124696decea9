//! Programs are listed once, in the catalogue. Elsewhere, code names a program only if it interprets that
//! program's own arguments.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, sources};
use crate::{CORE, PROGRAM};

/// Where the tables lie.
const CATALOGUE: &str = "crates/guarda-core/src/catalogue";
/// Lists of words that are not programs.
const OTHERS: [&str; 11] = [
    "searches",
    "harmless-variables",
    "commanding-variables",
    "commanding-heads",
    "doing-words",
    "fetching",
    "hidden",
    "getopt",
    "given",
    "given-beside",
    "given-modules",
];
/// Programs whose names are also words of this program's own.
const WORDS: &str = "at batch break builtin column command continue deploy dir edit exec exit export fetch fg file find free fly go host \
    id info install label less link list local log logger logout look mail mark match more name open op pass play pods print ps read \
    render restart return run say script service set sh show shift split sort source start state stop sum swift sync tag talk task \
    test time times top touch type units update users view w wait wall watch which who write yes true false : . [ [[ test pr ed es s3 mc \
    hub orb tart exo particle auth0 sentry stripe http https cancel caller kind vault code groups size links security GET la next \
    reboot shutdown sleep az timeout dash cut comm init last man";

/// The files that may name programs, and why.
const MAY: &[(&str, &str)] = &[
    ("crates/guarda-core/src/action/calls.rs", "the tool of a model that is called bash"),
    ("crates/guarda-core/src/judge/desktop.rs", "the commands that work on files is judged as"),
    ("crates/guarda-core/src/output/redact/named/name.rs", "an encoding"),
    ("crates/guarda-core/src/output/redact/value.rs", "the name of a file"),
    ("crates/guarda-core/src/policy/command.rs", "which builtins read fields"),
    ("crates/guarda-core/src/policy/line/context.rs", "which options of which wrappers name a folder"),
    ("crates/guarda-core/src/policy/rules/grammar.rs", "kinds of operands"),
    ("crates/guarda-core/src/policy/search/hidden.rs", "which programs look a name up"),
    ("crates/guarda-core/src/hosts/table.rs", "the names of registries of packages"),
    ("crates/guarda-core/src/hosts/words.rs", "how programs name hosts"),
    ("crates/guarda-core/src/policy/search/opaque.rs", "what texts in other languages have in them"),
    ("crates/guarda-core/src/policy/loose/open.rs", "what the words of a wrapper's source become"),
    ("crates/guarda-core/src/policy/loose/own.rs", "how programs name processes"),
    ("crates/guarda-core/src/places.rs", "a folder of /proc"),
    ("src/doors/wyoming.rs", "an event of the protocol"),
    ("crates/guarda-core/src/policy/variable.rs", "a pager that only passes its input on"),
    ("crates/guarda-core/src/policy/tracked.rs", "which commands of git print what its objects hold"),
    (
        "crates/guarda-core/src/policy/line/values.rs",
        "which builtins give texts to variables, what echo and printf print, and what decoders make of it",
    ),
    ("src/devices/process/holder.rs", "files of /proc"),
    ("src/devices/terminal/pinentry.rs", "the kind of terminal that a helper is told of"),
    ("src/cli/setup/trusted_keyboard.rs", "commands that a person is shown"),
    ("src/cli/audit/client_rules.rs", "the tools of clients"),
    ("src/doors/hook/read.rs", "the tools of clients"),
    ("src/doors/hook/settings/mod.rs", "the tools of clients"),
    ("src/doors/hook/known.rs", "the tools of clients"),
    ("src/doors/hook/tools.rs", "the tools of clients"),
    ("src/guard/client/line.rs", "what a client's shell does itself"),
    ("src/hands/desktop/apps.rs", "how each terminal is told what to start"),
    ("src/hands/commands/command.rs", "what the guard itself starts"),
    ("src/hands/facts/freeze/scripts.rs", "what find and ls list"),
    ("src/hands/facts/look.rs", "the commands that work on files is judged as"),
    ("src/hands/desktop/names.rs", "articles in other languages"),
    ("src/hands/facts/network_facts.rs", "where git keeps its remotes"),
    ("src/hands/commands/plan.rs", "what the guard does in the place of a shell"),
    ("src/hands/facts/preview/mod.rs", "what each operand becomes"),
    ("src/hands/desktop/status.rs", "what the guard itself starts"),
    ("src/wording/describe/command.rs", "what a person is told of each program"),
];

/// The words of a table of the catalogue.
fn table(name: &str) -> toml::Table {
    std::fs::read_to_string(format!("{CATALOGUE}/{name}.toml")).unwrap().parse().unwrap()
}

/// Every program in the catalogue, except those that are also words.
fn programs() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, words) in table("programs")["lists"].as_table().unwrap() {
        if !OTHERS.contains(&name.as_str()) {
            found.extend(words.as_str().unwrap().split_ascii_whitespace().map(str::to_owned));
        }
    }
    let rows = |table: toml::Table, rows: &str, names: &str| -> Vec<String> {
        let rows = table[rows].as_array().unwrap().iter();
        let names = rows.flat_map(|row| row[names].as_array().unwrap().clone());
        names.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    found.extend(rows(table("subcommands"), "programs", "names"));
    found.extend(rows(table("folders"), "readers", "programs"));
    found.extend(guarda_shell::wrappers().filter(|name| !name.contains(' ')));
    found.retain(|name| !name.starts_with('@') && !WORDS.split_ascii_whitespace().any(|word| word == name));
    found
}

/// The programs that a file names.
fn named<'a>(source: &'a Source, programs: &BTreeSet<String>) -> BTreeSet<&'a str> {
    let texts = source.strings.iter().map(|(_, text)| text.as_str());
    texts.filter(|text| programs.contains(*text)).collect()
}

#[test]
fn programs_are_named_in_the_catalogue() {
    let programs = programs();
    assert!(programs.len() > 900, "{}", programs.len());
    let mut found = BTreeMap::new();
    for source in [PROGRAM, CORE].into_iter().flat_map(sources) {
        if source.room() == "catalogue" {
            continue;
        }
        let named = named(&source, &programs).into_iter().map(str::to_owned).collect::<Vec<_>>();
        if !named.is_empty() {
            found.insert(source.file.display().to_string(), named);
        }
    }
    let unexpected: Vec<String> = found
        .iter()
        .filter(|(file, _)| !MAY.iter().any(|(known, _)| known == file))
        .map(|(file, names)| format!("{file}: {}", names.join(" ")))
        .collect();
    assert!(unexpected.is_empty(), "put these into {CATALOGUE}:\n{}", unexpected.join("\n"));
    let needless: Vec<_> = MAY.iter().filter(|(file, _)| !found.contains_key(*file)).collect();
    assert!(needless.is_empty(), "these name no program any more: {needless:?}");
}
