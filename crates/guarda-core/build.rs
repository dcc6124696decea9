//! Lays the built-in tables of rules over each other, for each profile, and packs them (`src/policy/rules/packed_rules.rs`), so that
//! a start of the program has nothing to read. A broken table stops the build. Writes the facts about programs
//! and places as arrays, for code that has no rules: cells, previews, cards.

#[allow(dead_code)]
#[path = "src/policy/rules/packed_rules.rs"]
mod packed_rules;
#[allow(dead_code)]
#[path = "src/policy/rules/rule_error.rs"]
mod rule_error;
#[allow(dead_code)]
#[path = "src/policy/rules/table.rs"]
mod table;

use std::error::Error;
use std::path::Path;

/// The tables of every profile, in the order in which they are laid over each other.
const TABLES: [&str; 10] = [
    "policy/rules/floor",
    "catalogue/programs",
    "catalogue/places",
    "policy/rules/words",
    "policy/rules/ask",
    "policy/rules/reads",
    "policy/rules/cloud",
    "policy/rules/remote",
    "policy/rules/disks",
    "policy/rules/effects",
];

/// The lists of programs and variables that code without rules asks for.
const KINDS: [&str; 18] = [
    "script-readers",
    "evaluators",
    "tidy",
    "unread",
    "unread-builtins",
    "file-readers",
    "searchers",
    "fileless",
    "quiet",
    "administrators",
    "in-place",
    "away",
    "languages",
    "service-managers",
    "searching-if-told",
    "schedulers",
    "packagers",
    "harmless-variables",
];

/// The profiles; each has a table of its own, which is laid on top.
const PROFILES: [&str; 4] = ["desktop", "workspace", "forensics", "container"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let folder = Path::new(&root).join("src");
    println!("cargo::rerun-if-changed=src/catalogue");
    for watched in ["rules", "profiles"] {
        println!("cargo::rerun-if-changed=src/policy/{watched}");
    }
    let text = |name: &str| {
        let file = format!("{name}.toml");
        std::fs::read_to_string(folder.join(&file)).map_err(|error| format!("{file}: {error}"))
    };
    let read = |name: &str| -> Result<table::Table, Box<dyn Error>> {
        Ok(table::read(&text(name)?)
            .map_err(|error| format!("src/{name}.toml, line {}: {}", error.line, error.fault))?)
    };
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    for profile in PROFILES {
        let mut layers = packed_rules::Layers::default();
        for name in TABLES {
            layers.lay(read(name)?, "built-in");
        }
        layers.lay(read(&format!("policy/profiles/{profile}"))?, "profile");
        std::fs::write(out.join(profile).with_extension("rules"), layers.to_bytes(profile)?)?;
    }
    let mut known = packed_rules::Layers::default();
    known.lay(read("catalogue/places")?, "built-in");
    known.lay(read("catalogue/programs")?, "built-in");
    std::fs::write(out.join("secrets.rs"), secrets(&known)?)?;
    let tables = [
        kinds(&known)?,
        commands(&toml::from_str(&text("catalogue/commands")?)?),
        folders(&toml::from_str(&text("catalogue/folders")?)?),
        sub_commands(toml::from_str(&text("catalogue/subcommands")?)?),
        home_tools(&toml::from_str(&text("catalogue/home")?)?)?,
    ];
    std::fs::write(out.join("catalogue.rs"), tables.concat())?;
    std::fs::write(out.join("services.rs"), questions(&toml::from_str(&text("catalogue/services")?)?)?)?;
    std::fs::write(out.join("hosts.rs"), tools(toml::from_str(&text("catalogue/hosts")?)?)?)?;
    Ok(())
}

/// The places that cells hide or keep from being written to, as arrays: paths below the home folder, endings of names in it,
/// and paths of the system.
fn secrets(layers: &packed_rules::Layers) -> Result<String, Box<dyn Error>> {
    let places = layers.places()?;
    let class = |name: &str| {
        let text = places.get(name).ok_or_else(|| format!("there is no class of places {name:?}"))?;
        Ok::<_, String>(
            text.split_ascii_whitespace()
                .map(|path| path.trim_end_matches("/**").replace('?', " "))
                .collect::<Vec<_>>(),
        )
    };
    let home =
        |path: &String| path.strip_prefix("~/").map(str::to_owned).ok_or(format!("{path} is not below ~"));
    let below = class("home-secret")?.iter().map(home).collect::<Result<Vec<_>, _>>()?;
    let (endings, paths): (Vec<_>, Vec<_>) = below.iter().partition(|path| path.starts_with('*'));
    let endings: Vec<&str> = endings.iter().map(|ending| ending.trim_start_matches('*')).collect();
    let later = class("run-later")?.iter().map(home).collect::<Result<Vec<_>, _>>()?;
    let system = class("system-secret")?;
    if let Some(odd) = paths.iter().copied().chain(&later).chain(&system).find(|path| path.contains('*')) {
        return Err(
            format!("{odd}: a cell hides whole names, and endings directly in the home folder").into()
        );
    }
    Ok([
        array("HOME_SECRET", &paths),
        array("HOME_SECRET_ENDINGS", &endings),
        array("RUN_LATER", &later),
        array("SYSTEM_SECRET", &system),
    ]
    .concat())
}

/// An array of texts.
fn array(name: &str, values: &dyn std::fmt::Debug) -> String {
    format!("pub const {name}: &[&str] = &{values:?};\n")
}

/// The name of an array, from the name of its table.
fn constant(name: &str) -> String {
    name.replace('-', "_").to_uppercase()
}

/// The lists of [`KINDS`], and the folders that are a cache.
fn kinds(layers: &packed_rules::Layers) -> Result<String, Box<dyn Error>> {
    let mut arrays = String::new();
    for kind in KINDS {
        let list = layers.lists.get(kind).ok_or_else(|| format!("there is no list {kind:?}"))?;
        let names = packed_rules::words(list, &layers.lists, 0)?;
        arrays += &format!("/// `{kind}` of `programs.toml`.\n{}", array(&constant(kind), &names));
    }
    let places = layers.places()?;
    let below = |path: &str| {
        let path = path.strip_prefix("~/")?.strip_suffix("/**")?;
        (!path.contains('*')).then(|| path.to_owned())
    };
    let cache = places.get("cache").ok_or("there is no class of places \"cache\"")?;
    let caches: Option<Vec<String>> = cache.split_ascii_whitespace().map(below).collect();
    let caches = caches.ok_or("a cache is a folder below the home folder")?;
    Ok(arrays
        + "/// The class `cache` of `places.toml`, by paths in a home folder.\n"
        + &array("CACHE", &caches))
}

/// Entries that mean commands.
fn commands(entries: &std::collections::BTreeMap<String, Vec<String>>) -> String {
    let one = |(name, entries): (&String, &Vec<String>)| {
        format!("/// `{name}` of `commands.toml`.\n{}", array(&constant(name), entries))
    };
    entries.iter().map(one).collect()
}

/// The table of files that programs read from their working folder.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Folders {
    readers: Vec<Reader>,
    loaders: Vec<Loader>,
}

/// One kind of program that reads files of its folder.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Reader {
    programs: Vec<String>,
    names: Vec<String>,
    #[serde(default)]
    above: bool,
    #[serde(default)]
    folder: Vec<String>,
    #[serde(default)]
    file: Vec<String>,
}

/// One kind of interpreter.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Loader {
    named: Vec<String>,
    endings: Vec<String>,
    #[serde(default)]
    deep: bool,
}

/// The files that programs read from their working folders, as arrays.
fn folders(folders: &Folders) -> String {
    let mut rows =
        "/// `readers` of `folders.toml`.\npub const FOLDER_READERS: &[FolderReader] = &[\n".to_owned();
    for Reader { programs, names, above, folder, file } in &folders.readers {
        rows += &format!(
            "FolderReader {{ programs: &{programs:?}, names: &{names:?}, above: {above}, folder: &{folder:?}, \
             file: &{file:?} }},\n"
        );
    }
    rows += "];\n/// `loaders` of `folders.toml`.\npub const SCRIPT_LOADERS: &[ScriptLoader] = &[\n";
    for Loader { named, endings, deep } in &folders.loaders {
        rows += &format!("ScriptLoader {{ named: &{named:?}, endings: &{endings:?}, deep: {deep} }},\n");
    }
    rows + "];\n"
}

/// Sub-commands, as they are written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SubCommands {
    programs: Vec<SubCommand>,
}

/// Those of one program.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SubCommand {
    names: Vec<String>,
    known: String,
    #[serde(default)]
    before: Vec<String>,
    plugins: Option<Vec<String>>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    alias_key: String,
}

/// The sub-commands, as an array.
fn sub_commands(table: SubCommands) -> String {
    let mut rows = "/// `subcommands.toml`.\npub const SUB_COMMANDS: &[SubCommands] = &[\n".to_owned();
    for SubCommand { names, known, before, plugins, aliases, alias_key } in table.programs {
        let mut known: Vec<&str> = known.split_ascii_whitespace().collect();
        known.sort_unstable();
        let plugins = plugins.map_or("None".to_owned(), |folders| format!("Some(&{folders:?})"));
        rows += &format!(
            "SubCommands {{ names: &{names:?}, known: &{known:?}, before: &{before:?}, plugins: {plugins}, \
             aliases: &{aliases:?}, alias_key: {alias_key:?} }},\n"
        );
    }
    rows + "];\n"
}

/// What tools need of a home folder, as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeTools {
    generated: Vec<String>,
    sources: Vec<String>,
    rows: Vec<HomeTool>,
}

/// What some programs need.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeTool {
    programs: Vec<String>,
    #[serde(default)]
    read: Vec<String>,
    #[serde(default)]
    write: Vec<String>,
}

/// The same as an array.
fn home_tools(table: &HomeTools) -> Result<String, Box<dyn Error>> {
    let mut rows = "/// `home.toml`.\npub const HOME_TOOLS: &[HomeTool] = &[\n".to_owned();
    for HomeTool { programs, read, write } in &table.rows {
        let odd = |path: &&String| path.starts_with(['/', '~']) || path.contains(['*', '?']);
        if let Some(odd) = read.iter().chain(write).find(odd) {
            return Err(format!("home.toml: {odd} is no path below a home folder").into());
        }
        rows += &format!("HomeTool {{ programs: &{programs:?}, read: &{read:?}, write: &{write:?} }},\n");
    }
    rows += "];\n";
    for (name, list) in [("GENERATED", &table.generated), ("SOURCES", &table.sources)] {
        rows += &format!("/// `{}` of `home.toml`.\n{}", name.to_lowercase(), array(name, list));
    }
    Ok(rows)
}

/// The table of questions to services, as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Services {
    options: std::collections::BTreeMap<String, Vec<String>>,
    questions: Vec<Question>,
}

/// One of them.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    program: String,
    ask: String,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    names: usize,
}

/// The questions to services, as an array of `Read`.
fn questions(services: &Services) -> Result<String, String> {
    let named = |options: &[String]| -> Result<Vec<String>, String> {
        let lists = options.iter().map(|option| match option.strip_prefix('@') {
            Some(list) => services.options.get(list).cloned().ok_or(format!("no options {list:?}")),
            None => Ok(vec![option.clone()]),
        });
        Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
    };
    let mut rows = String::from("&[\n");
    for Question { program, ask, flags, values, names } in &services.questions {
        let (flags, values) = (named(flags)?, named(values)?);
        for words in ask.split('|') {
            let behind = words.split_ascii_whitespace().filter(|word| *word != ".");
            let words: Vec<&str> = std::iter::once(program.as_str()).chain(behind).collect();
            rows += &format!(
                "Read {{ words: &{words:?}, flags: &{flags:?}, values: &{values:?}, names: {names} }},\n"
            );
        }
    }
    Ok(rows + "]")
}

/// The table of tools and their hosts, as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosts {
    tools: Vec<Tool>,
}

/// One of them.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tool {
    name: String,
    runs: Vec<String>,
    hosts: Vec<String>,
    ports: Vec<u16>,
    fetches: Vec<String>,
    scripts: Vec<String>,
    asked: Vec<String>,
    operands: String,
    default: Vec<u16>,
    speaks: String,
    host: Vec<String>,
    port: Vec<String>,
    values: Vec<String>,
    moves: Vec<String>,
    variables: Vec<String>,
    files: Vec<String>,
    keys: Vec<String>,
    whole: String,
}

impl Default for Tool {
    fn default() -> Self {
        Self {
            name: String::new(),
            runs: Vec::new(),
            hosts: Vec::new(),
            ports: vec![443],
            fetches: Vec::new(),
            scripts: Vec::new(),
            asked: Vec::new(),
            operands: String::new(),
            default: Vec::new(),
            speaks: "web".to_owned(),
            host: Vec::new(),
            port: Vec::new(),
            values: Vec::new(),
            moves: Vec::new(),
            variables: Vec::new(),
            files: Vec::new(),
            keys: Vec::new(),
            whole: String::new(),
        }
    }
}

/// The tools and their hosts, as an array of `Tool`.
fn tools(hosts: Hosts) -> Result<String, String> {
    let mut rows = String::from("&[\n");
    for tool in hosts.tools {
        let Tool { name, runs, hosts, ports, fetches, asked, default, host, port, values, moves, .. } = &tool;
        let Tool { variables, files, keys, whole, scripts, .. } = &tool;
        let operands = match tool.operands.as_str() {
            "" => "Urls",
            "address" => "Address",
            "first" => "First",
            "port" => "Port",
            "remote" => "Remote",
            "paths" => "Paths",
            other => return Err(format!("{name}: no operands {other:?}")),
        };
        let speaks = match tool.speaks.as_str() {
            "web" => "Web",
            "ssh" => "Ssh",
            "any" => "Any",
            other => return Err(format!("{name}: nothing speaks {other:?}")),
        };
        rows += &format!(
            "Tool {{ name: {name:?}, runs: &{runs:?}, hosts: &{hosts:?}, ports: &{ports:?}, fetches: &{fetches:?}, scripts: &{scripts:?}, asked: &{asked:?}, \
             operands: Operands::{operands}, default: &{default:?}, speaks: Protocol::{speaks}, host: &{host:?}, \
             port: &{port:?}, values: &{values:?}, moves: &{moves:?}, variables: &{variables:?}, files: &{files:?}, \
             keys: &{keys:?}, whole: {whole:?} }},\n"
        );
    }
    Ok(rows + "]")
}
