//! Every command in the documents exists. Those that can run are run as written, by bash, next to a real
//! service in a home of its own.

mod reading;
mod table;
mod trying;

use std::collections::BTreeSet;

use clap::error::ErrorKind;
use reading::Document;

/// The fault in a command line of one of our programs, or of `make`; `None` for other programs. A
/// `part` may lack required arguments: `guarda check` as a command's name.
pub(crate) fn fault(words: &[String], part: bool) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let at = match first.rsplit('/').next()? {
        "guarda" => words.to_vec(),
        "guarda-hook" => [&["guarda".to_owned(), "hook".to_owned()], rest].concat(),
        "make" => {
            let makefile = std::fs::read_to_string(reading::root().join("Makefile")).unwrap();
            let known = |target: &str| makefile.lines().any(|line| line.starts_with(&format!("{target}: ")));
            let mut targets = rest.iter().filter(|word| !word.contains('='));
            return targets.find(|target| !known(target)).map(|target| format!("make has no {target}"));
        }
        _ => return None,
    };
    let error = match guarda::cli::command_line().try_get_matches_from(&at) {
        Err(error) => error,
        Ok(_) => {
            // A client and its options are read by the hook itself; clap takes any word for one.
            let [_, hook, client @ ..] = at.as_slice() else { return None };
            let known = ["install", "remove", "doctor"];
            let client = client.iter().all(|word| !known.contains(&word.as_str())).then_some(client)?;
            return match guarda::doors::hook::relay::RelayArgs::of(client) {
                _ if hook != "hook" => None,
                Some(launch) => launch.err().map(|usage| usage.to_string()),
                None => Some("there is no such client".to_owned()),
            };
        }
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            if part =>
        {
            None
        }
        _ => Some(error.to_string()),
    }
}

/// The runs of a line of a script, each as its words; `None` if the line cannot be read alone.
pub(crate) fn runs(line: &str) -> Option<Vec<Vec<String>>> {
    guarda_shell::read(line, guarda_shell::script::Dialect::Bash).is_ok().then(|| reading::runs(line))
}

fn faults(place: &str, line: &str, part: bool) -> Vec<String> {
    let found = reading::runs(line).into_iter().filter_map(|words| fault(&words, part));
    found.map(|fault| format!("{place}: {line}\n  {fault}")).collect()
}

/// The commands that a code span stands for: `guarda plugin list|try` is two. Words in capitals are
/// placeholders.
fn meant(span: &str) -> Vec<String> {
    let span = span.replace("CLIENTE", "claude").replace("CLIENT", "claude").replace('…', "x");
    match span.split(' ').find(|word| word.contains('|') && !word.starts_with(['\'', '|'])) {
        Some(choice) => choice.split('|').map(|word| span.replace(choice, word)).collect(),
        None => vec![span],
    }
}

fn is_ours(span: &str) -> bool {
    let first = span.split(' ').next().unwrap_or_default();
    ["guarda", "guarda-hook", "make"].contains(&first) && span.contains(' ')
}

#[test]
fn each_command_that_a_document_names_exists() {
    let mut wrong = Vec::new();
    let (mut shown, mut named) = (0, 0);
    for document in Document::all() {
        for statement in
            document.blocks().iter().filter(|block| block.is_shell()).flat_map(|b| b.statements())
        {
            wrong.extend(faults(&format!("{}:{}", document.name, statement.line), &statement.text, false));
            shown += 1;
        }
    }
    let others = ["CHANGELOG.md", "config.toml"].map(Document::read);
    for document in Document::all().into_iter().chain(others) {
        for (line, span) in document.spans().into_iter().filter(|(_, span)| is_ours(span)) {
            for command in meant(&span) {
                wrong.extend(faults(&format!("{}:{line}", document.name), &command, true));
                named += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(shown > 30 && named > 80, "{shown} commands are shown, {named} named: the documents are read");
}

/// Options that documents mention without their command.
#[test]
fn each_option_that_a_document_names_exists() {
    fn add(command: &clap::Command, options: &mut BTreeSet<String>) {
        let mine = command.get_arguments().flat_map(|argument| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long().into_iter().chain(aliases).map(|name| format!("--{name}")).collect::<Vec<_>>()
        });
        options.extend(mine);
        command.get_subcommands().for_each(|command| add(command, options));
    }
    let mut options = BTreeSet::from(["--help".to_owned(), "--version".to_owned(), "--deadline".to_owned()]);
    add(&guarda::cli::command_line(), &mut options);
    let mut foreign: BTreeSet<&str> = table::FOREIGN.iter().copied().collect();
    let mut wrong = Vec::new();
    for document in Document::all().into_iter().chain([Document::read("config.toml")]) {
        for (line, span) in document.spans() {
            let Some(option) = span.split([' ', '=']).next().filter(|word| word.starts_with("--")) else {
                continue;
            };
            if !options.contains(option) && !table::FOREIGN.contains(&span.as_str()) {
                wrong.push(format!("{}:{line}: {span}", document.name));
            }
            foreign.remove(span.as_str());
        }
    }
    assert!(wrong.is_empty(), "no command of ours has\n{}", wrong.join("\n"));
    assert!(foreign.is_empty(), "no document names {foreign:?}");
}

/// The examples of the help texts.
#[test]
fn each_command_of_the_help_exists() {
    fn walk(command: &clap::Command, wrong: &mut Vec<String>, count: &mut usize) {
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  ") && line.contains("guarda ")) {
            // An example's purpose follows it, further to the right.
            let line = line.trim().split("  ").next().unwrap();
            wrong.extend(faults(command.get_name(), line, false));
            *count += 1;
        }
        command.get_subcommands().for_each(|command| walk(command, wrong, count));
    }
    let (mut wrong, mut count) = (Vec::new(), 0);
    walk(&guarda::cli::command_line(), &mut wrong, &mut count);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "only {count} examples");
}

/// The tests above can fail.
#[test]
fn what_there_is_not_is_found_out() {
    for line in [
        "guarda check --colour always 'ls'",
        "guarda chek 'ls'",
        "sudo guarda keys enrol --user ana",
        "echo hi | guarda approve x --ever",
        "guarda registry list --daring",
        "X=$(guarda audit tail --backwards)",
        "guarda-hook clod",
        "guarda-hook claude --dead-line 5",
        "make tea",
        "NO_INSTALL=1 make test tea",
    ] {
        for part in [false, true] {
            assert_eq!(faults("here", line, part).len(), 1, "{line}");
        }
    }
    assert_eq!(faults("here", "guarda check", false).len(), 1);
    assert_eq!(faults("here", "guarda check", true).len(), 0);
    assert_eq!(faults("here", "guarda check 'rm --no-such-option x'", false).len(), 0);
    assert_eq!(meant("guarda plugin list|try"), ["guarda plugin list", "guarda plugin try"]);
}

/// Requests in the form `GET /v1/status` are in the service's description.
#[test]
fn each_request_that_a_document_names_exists() {
    let described: serde_json::Value =
        serde_json::from_str(&Document::read("docs/openapi.json").text).unwrap();
    let paths = described["paths"].as_object().unwrap();
    let same = |template: &str, path: &str| {
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (template.split('/').collect(), path.split('/').collect());
        ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(ours, theirs)| ours.starts_with('{') || ours == theirs)
    };
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in Document::all().into_iter().chain([Document::read("CHANGELOG.md")]) {
        for (line, span) in document.spans() {
            let Some((method, path)) = span.split_once(' ').filter(|(method, path)| {
                !method.is_empty()
                    && method.bytes().all(|byte| byte.is_ascii_uppercase())
                    && path.starts_with('/')
            }) else {
                continue;
            };
            let path = path.split(['?', ' ']).next().unwrap();
            let method = method.to_lowercase();
            let known = paths.iter().any(|(template, methods)| {
                same(template, path) && methods.as_object().unwrap().contains_key(&method)
            });
            if !known && path != "/mcp" {
                wrong.push(format!("{}:{line}: {span}", document.name));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "docs/openapi.json lacks\n{}", wrong.join("\n"));
    assert!(count > 30, "only {count} requests");
}

#[test]
fn what_the_documents_show_is_run() {
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    // A few at a time: they wait for each other's services more than for the processor.
    for documents in Document::all().chunks(4) {
        std::thread::scope(|scope| {
            let running: Vec<_> =
                documents.iter().map(|document| scope.spawn(|| trying::run(document))).collect();
            for (faults, rows) in running.into_iter().map(|thread| thread.join().unwrap()) {
                wrong.extend(faults);
                used.extend(rows);
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let unused: Vec<&str> =
        table::TABLE.iter().map(|(start, _)| *start).filter(|start| !used.contains(start)).collect();
    assert!(unused.is_empty(), "no document shows {unused:?}");
}
