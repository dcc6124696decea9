//! Whole sessions of agents on small projects (`projects/*.txt`): some lines run without a question, some are
//! asked about, and all of them can be undone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::model::{Model, Step};
use super::{AGENTS, Agent, clients};
use crate::common::Service;

/// The longest time of a session, in seconds.
const PATIENCE: Duration = Duration::from_secs(420);

const PROJECTS: [(&str, &str); 6] = [
    ("rust", include_str!("projects/rust.txt")),
    ("python", include_str!("projects/python.txt")),
    ("node", include_str!("projects/node.txt")),
    ("c", include_str!("projects/c.txt")),
    ("documents", include_str!("projects/documents.txt")),
    ("data", include_str!("projects/data.txt")),
];

/// The steps that make the project, and those of the agent.
fn steps(text: &str, work: &Path) -> (Vec<Step>, Vec<Step>) {
    let (mut steps, mut setup) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.get(..2), line.strip_prefix("    "), steps.last_mut()) {
            _ if line == "---" => setup = std::mem::take(&mut steps),
            (Some("$ "), ..) => steps.push(Step::Run(line[2..].to_owned())),
            (Some("> "), ..) => steps.push(Step::Write(work.join(&line[2..]), String::new())),
            (_, rest, Some(Step::Write(_, text))) => text.push_str(&format!("{}\n", rest.unwrap_or(""))),
            (_, rest, Some(Step::Run(text))) => text.push_str(&format!("\n{}", rest.unwrap_or(""))),
            _ => panic!("{line}"),
        }
    }
    (setup, steps)
}

/// A Rust developer's search path, below a home folder.
fn path(home: &Path) -> String {
    let rust = home.join(".rustup/toolchains/here/bin");
    format!("{}:/usr/local/bin:/usr/bin:/bin:{}", rust.display(), clients().display())
}

/// Puts the active toolchain where rustup would have put it for this home folder.
fn toolchain(home: &Path) {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let from = String::from_utf8(output.stdout).unwrap();
    let to = home.join(".rustup/toolchains");
    std::fs::create_dir_all(&to).unwrap();
    let copied = ["-al", "-a"].iter().any(|how| {
        let copy = Command::new("cp").args([how, from.trim()]).arg(to.join("here")).output().unwrap();
        copy.status.success()
    });
    assert!(copied, "{from}");
}

/// A service set up by a person who lets an agent work in a project.
fn service(name: &str, more: &str) -> Service {
    let folder = crate::common::folder_in(
        Path::new(env!("CARGO_TARGET_TMPDIR")),
        "",
        "confirmation_timeout_seconds = 30\nprofile = \"workspace\"",
    );
    if name == "rust" {
        toolchain(folder.path());
    }
    let config = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let run = format!("\n[run]\npath = \"{}\"\n{more}", path(folder.path()));
    std::fs::write(config, text + &run).unwrap();
    Service::on(folder)
}

/// The result of a session.
#[derive(Default)]
pub struct Tally {
    pub questions: Vec<String>,
    pub ways: BTreeMap<String, usize>,
    /// Committed without a question, and not undoable.
    lasting: Vec<String>,
    pub results: Vec<String>,
}

/// One session. Every question is answered with yes, and noted.
pub fn session(
    (name, text): (&str, &str),
    more: &str,
    go: impl FnOnce(&Service, &Path, &[Step]) -> Vec<String>,
) -> Tally {
    let service = service(name, more);
    let work = service.folder.path().join(name);
    std::fs::create_dir(&work).unwrap();
    service.trust(&work);
    let (setup, steps) = steps(text, &work);
    for step in setup {
        make(&step, &work);
    }
    let over = AtomicBool::new(false);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let mut asked = Vec::new();
            while !over.load(Ordering::Relaxed) {
                for number in service.questions() {
                    let shown =
                        service.get(&format!("/v1/questions/{number}")).token(&service.approve).send();
                    let shown = if shown.status == 200 { shown.json() } else { Value::Null };
                    if service.answer(&number, "yes").status == 200 {
                        asked.push(shown.to_string());
                    }
                }
                crate::common::pause();
            }
            asked
        });
        tally.results = go(&service, &work, &steps);
        over.store(true, Ordering::Relaxed);
        tally.questions = answering.join().unwrap();
    });
    let begun = |line: &&Value| line["event"] == "intent" && line["phase"] != "commit";
    for line in service.journal().iter().filter(begun) {
        let way = line["way"].as_str().unwrap_or("file tool").to_owned();
        *tally.ways.entry(way).or_default() += 1;
    }
    let held = service.get("/v1/undo").send().json();
    let held: Vec<&str> =
        held["deeds"].as_array().unwrap().iter().filter_map(|deed| deed["audit_id"].as_str()).collect();
    for line in service.journal() {
        let (commit, policy) = (line["phase"] == "commit", line["answered_by"] == "policy");
        let id = line["audit_id"].as_str().unwrap_or_default();
        if line["event"] == "outcome" && commit && policy && !held.contains(&id) {
            tally.lasting.push(line["command"].to_string());
        }
    }
    tally
}

fn make(step: &Step, work: &Path) {
    match step {
        Step::Write(path, text) => {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Step::Run(line) => {
            let mut bash = Command::new("bash");
            let done = bash.args(["-c", line]).current_dir(work).env("HOME", work).status().unwrap();
            assert!(done.success(), "{line}");
        }
    }
}

/// A client that follows its model's steps.
pub fn by_client(agent: &Agent, service: &Service, work: &Path, steps: &[Step]) -> Vec<String> {
    let home = service.folder.path();
    let built = PathBuf::from(env!("CARGO_BIN_EXE_guarda"));
    let settle = |command: &mut Command| {
        command.env_clear().env("HOME", home).env("TERM", "dumb").stdin(Stdio::null());
        command
            .env("PATH", path(home))
            .env("GUARDA_STATE_DIR", service.state(""))
            .env("GUARDA_CONFIG", home.join("config.toml"));
    };
    let mut install = Command::new(built);
    settle(&mut install);
    let installed = install.args(["hook", "install", agent.name]).output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
    let model = Model::with(steps);
    let mut command = Command::new(clients().join(agent.name));
    settle(&mut command);
    command.current_dir(work);
    (agent.start)(&mut command, home, model.port);
    let log = std::fs::File::create(home.join("client.log")).unwrap();
    command.stdout(log.try_clone().unwrap()).stderr(log);
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            eprintln!("ended after {PATIENCE:?}");
            break;
        }
        crate::common::pause();
    }
    model.results()
}

/// The same through `POST /v1/actions`.
fn by_actions(service: &Service, work: &Path, steps: &[Step]) -> Vec<String> {
    let one = |step: &Step| {
        let line = match step {
            Step::Run(line) => line.clone(),
            Step::Write(path, text) => {
                let (path, folder) = (path.display(), path.parent().unwrap().display());
                format!("mkdir -p {folder} && cat > {path} <<'EOF'\n{text}EOF")
            }
        };
        let body = json!({ "action": "RUN_COMMAND", "target": line, "cwd": work, "session": "project" });
        let reply = service.post("/v1/actions", body.to_string()).send().json();
        let (code, output) = (&reply["output"]["exit_code"], &reply["output"]);
        if reply["outcome"] != "done" || code.as_i64().is_some_and(|code| code != 0) {
            println!(
                "    {line}\n    {} {code}: {} {}",
                reply["outcome"], output["stdout"], output["stderr"]
            );
        }
        reply.to_string()
    };
    steps.iter().map(one).collect()
}

fn all(who: &str, more: &str, most: usize, go: impl Fn(&Service, &Path, &[Step]) -> Vec<String>) {
    let only = std::env::var("GUARDA_PROJECT").ok();
    let mut too_many = Vec::new();
    for (name, text) in PROJECTS.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let begun = Instant::now();
        let steps = steps(text, Path::new("/")).1.len();
        let tally = session((name, text), more, &go);
        let Tally { questions, ways, lasting, results } = tally;
        println!(
            "{who:<7} {name:<10} {steps} steps, {} done, {} questions, {ways:?}, {:.0?}",
            results.len(),
            questions.len(),
            begun.elapsed()
        );
        for question in &questions {
            println!("    asked: {question}");
        }
        assert_eq!(results.len(), steps, "{who} {name}");
        assert!(lasting.is_empty(), "{who} {name}: not asked, and cannot be undone: {lasting:?}");
        if questions.len() > most {
            too_many.push(*name);
        }
    }
    assert!(too_many.is_empty(), "{who}: more than {most} questions in {too_many:?}");
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn claude_works_on_six_projects() {
    all("claude", "", 2, |service, work, steps| by_client(&AGENTS[0], service, work, steps));
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn codex_works_on_six_projects() {
    all("codex", "", 2, |service, work, steps| by_client(&AGENTS[1], service, work, steps));
}

#[test]
#[ignore = "takes minutes; make test-clients runs it"]
fn actions_work_on_six_projects() {
    all("actions", "", 2, by_actions);
}

/// For comparison: the questions if nothing can be held back.
#[test]
#[ignore = "takes minutes; make test-clients runs it"]
fn words_alone_ask_more() {
    all("words", crate::common::UNSTAGED, usize::MAX, by_actions);
}
