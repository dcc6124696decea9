//! What an agent starts has a place to live (feature N19): real clients start a server, test it by curl and in a real browser, edit,
//! test again, ask a database, and stop both. A person is asked about the servers, and everything that was changed is undone.

use std::path::Path;
use std::process::Command;

use super::model::Step;
use super::projects::{by_client, session};
use super::{AGENTS, Agent};
use crate::common::{Service, free_port, postgres};

/// Serves the page that is there.
const SERVER: &str = "const http = require('http'), fs = require('fs');\n\
    http.createServer((_, out) => out.end(fs.readFileSync('src/page.html'))).listen(Number(process.argv[2]));\n";

/// The steps of the agent, and what the result of each must hold.
fn steps(work: &Path, (web, data): (u16, u16)) -> Vec<(Step, String)> {
    let run = |line: String, holds: &str| (Step::Run(line), holds.to_owned());
    let browser = format!(
        "chromium --headless --no-sandbox --disable-gpu --user-data-dir=/tmp/profile-{web} --dump-dom \
         http://localhost:{web}/ 2>/dev/null; rm -rf /tmp/profile-{web}"
    );
    let programs = postgres::programs();
    let programs = programs.display();
    let psql = format!("psql -h localhost -p {data} -U person -d postgres -Atc");
    vec![
        run(format!("node server.js {web} > /tmp/server-{web}.log 2>&1 &"), ""),
        run(format!("sleep 1; curl -s localhost:{web}"), "the first page"),
        run(browser.clone(), "the first page"),
        (Step::Write(work.join("src/page.html"), "<p>the second page</p>\n".to_owned()), String::new()),
        run(format!("curl -s localhost:{web}"), "the second page"),
        run(browser, "the second page"),
        run(format!("{programs}/initdb -D data -U person -E UTF8 > /dev/null && ls data"), "PG_VERSION"),
        run(format!("{programs}/postgres -D data -p {data} -k /tmp > data.log 2>&1 &"), ""),
        run(format!("sleep 2; {psql} 'select 40 + 2'"), "42"),
        run(
            format!(
                "{psql} 'create table t as select 7 as x' && psql -h /tmp -p {data} -U person -d postgres -Atc 'select x from t'"
            ),
            "7",
        ),
        run("pkill -f [s]erver.js; pkill -f [p]ostgres; echo stopped".to_owned(), "stopped"),
    ]
}

fn works(agent: &Agent) {
    let mut setup = String::from("> server.js\n");
    SERVER.lines().for_each(|line| setup.push_str(&format!("    {line}\n")));
    setup.push_str("> src/page.html\n    <p>the first page</p>\n---\n");
    let ports = (free_port(), free_port());
    let (mut told, mut kept, mut page) = (Vec::new(), Vec::new(), String::new());
    let go = |service: &Service, work: &Path, _: &[Step]| {
        let wanted = steps(work, ports);
        let steps: Vec<Step> = wanted.iter().map(|(step, _)| step.clone()).collect();
        let results = by_client(agent, service, work, &steps);
        told = wanted.into_iter().map(|(_, holds)| holds).collect();
        // Everything that was changed goes back.
        let held = service.get("/v1/undo").send().json();
        let ids = held["deeds"].as_array().unwrap().iter().filter_map(|deed| deed["id"].as_str());
        for id in ids {
            let mut undo = Command::new(env!("CARGO_BIN_EXE_guarda"));
            undo.env("GUARDA_STATE_DIR", service.state(""));
            undo.env("GUARDA_CONFIG", service.folder.path().join("config.toml"));
            let undone = undo.args(["undo", id]).output().unwrap();
            let told = [undone.stdout, undone.stderr].concat();
            kept.extend((!undone.status.success()).then(|| String::from_utf8_lossy(&told).into_owned()));
        }
        page = std::fs::read_to_string(work.join("src/page.html")).unwrap();
        results
    };
    let tally = session(("session", &setup), "", go);
    println!("{:<7} session: {} questions, {:?}", agent.name, tally.questions.len(), tally.ways);
    for asked in &tally.questions {
        let question: serde_json::Value = serde_json::from_str(asked).unwrap();
        println!("    asked: {}", question["prompt"]);
    }
    assert_eq!(tally.results.len(), told.len(), "{:?}", tally.results);
    for (result, holds) in tally.results.iter().zip(&told) {
        assert!(result.contains(holds.as_str()), "{holds}: {result}");
    }
    assert!(std::net::TcpStream::connect(("127.0.0.1", ports.0)).is_err(), "it was stopped");
    assert!(page.contains("the first page"), "{page}");
    // What the database has written to since is no longer what the agent's command made.
    assert!(kept.iter().all(|why| why.contains("data")), "{kept:?}");
    // An undo is asked about, too.
    let servers = tally.questions.iter().filter(|asked| !asked.contains("UNDO"));
    assert_eq!(servers.count(), 2, "one for each server: {:?}", tally.questions);
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn claude_starts_a_server_tests_it_and_stops_it() {
    works(&AGENTS[0]);
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn codex_starts_a_server_tests_it_and_stops_it() {
    works(&AGENTS[1]);
}

/// Everything since the person's message goes back as one, and each change is told with the client that made it.
fn goes_back(agent: &Agent) {
    let setup = "> a.txt\n    one\n> b.txt\n    three\n---\n";
    let (mut ended, mut blamed, mut looked) = (None, String::new(), String::new());
    let go = |service: &Service, work: &Path, _: &[Step]| {
        let texts = || ["a.txt", "b.txt", "made"].map(|name| std::fs::read_to_string(work.join(name)).ok());
        let before = texts();
        let steps = [
            Step::Run("echo two >> a.txt; mkdir made; mv b.txt made/c.txt".to_owned()),
            Step::Write(work.join("a.txt"), "by the tool\n".to_owned()),
            Step::Run("rm -r made && ls".to_owned()),
        ];
        let results = by_client(agent, service, work, &steps);
        let changed = texts();
        let run = |words: &[&str]| {
            let mut command = crate::common::guarda(service.folder.path());
            crate::common::told(command.args(words).current_dir(work).output().unwrap())
        };
        blamed = run(&["blame", "a.txt"]).1;
        let undone = run(&["undo", "--turn"]);
        let home = service.folder.path().to_str().unwrap();
        looked = run(&["lookback", "--json", "--home", home]).1;
        ended = Some((before, changed, undone, texts()));
        results
    };
    let tally = session(("back", setup), "[language]\ndefault = \"en\"\n", go);
    let (before, changed, undone, after) = ended.unwrap();
    assert_ne!(before, changed, "{:?}", tally.results);
    assert_eq!((undone.0, &after), (0, &before), "{undone:?} {:?}", tally.results);
    assert!(blamed.contains("echo two >> a.txt") && blamed.matches("Session").count() == 2, "{blamed}");
    let looked: serde_json::Value = serde_json::from_str(&looked).unwrap_or_default();
    // Some clients write by their shell.
    assert!(looked["sessions"] == 1 && looked["commands"].as_u64() >= Some(2), "{looked}");
    println!("{:<7} back: {blamed}", agent.name);
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn what_claude_did_since_the_message_goes_back() {
    goes_back(&AGENTS[0]);
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn what_codex_did_since_the_message_goes_back() {
    goes_back(&AGENTS[1]);
}
