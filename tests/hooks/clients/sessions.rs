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
