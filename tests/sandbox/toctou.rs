//! Objects that are exchanged while a question is open: at the time of the yes, the approved thing is another
//! one, and nothing is done. Without the exchange, the same lines run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::common::{Answer, Service, wait};
use serde_json::{Value, json};

/// The files in every line's working folder.
const FILES: &[(&str, &str)] = &[
    ("sub/f", "named"),
    ("sub/Makefile", "all:\n\techo judged > proof\n"),
    ("elsewhere/f", "precious"),
    ("elsewhere/Makefile", "all:\n\techo exchanged > hit\n"),
    ("out.txt", "old"),
    ("data", "old"),
    ("run.sh", "echo judged > proof\n"),
    ("list", "run.sh\n"),
    ("Makefile", "all:\n\techo judged > proof\n"),
    ("my.mk", "all:\n\techo judged > proof\n"),
    ("package.json", r#"{"scripts": {"test": "echo judged"}}"#),
    ("main.py", "import other, deep.one\nopen('proof', 'w').write(other.word)\n"),
    ("other.py", "word = 'judged'\n"),
    ("deep/one.py", ""),
    ("a.log", "old"),
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
    (".git/objects/none", ""),
    (".git/refs/none", ""),
];

/// A change while the question is open.
#[derive(Debug, Clone, Copy)]
enum Swap {
    /// `sub` becomes a link to `elsewhere`.
    FolderForLink,
    /// `elsewhere` replaces `sub`.
    FolderForFolder,
    /// This file becomes a link to `elsewhere/f`.
    FileForLink(&'static str),
    /// This file becomes `elsewhere/f` under a second name.
    FileForName(&'static str),
    /// The link `target` leads to `elsewhere/f`.
    Turn,
    /// This file gets another text, or is created.
    Text(&'static str),
    /// This file is replaced by another one.
    File(&'static str),
    /// This file is gone.
    Gone(&'static str),
}

/// The line, whether it succeeds without a swap, and the swap.
const LINES: &[(&str, bool, Swap)] = &[
    ("rm -rf sub/f", true, Swap::FolderForLink),
    ("rm -rf sub/f", true, Swap::FolderForFolder),
    ("rm -rf ./sub/../sub/f", true, Swap::FolderForLink),
    ("cd sub && rm -rf f", true, Swap::FolderForLink),
    ("cd sub && rm -rf f", true, Swap::FolderForFolder),
    ("for x in f; do rm -rf sub/f; done", true, Swap::FolderForLink),
    ("rm -rf sub/*", true, Swap::FolderForFolder),
    ("mv data sub/f", true, Swap::FolderForLink),
    ("echo x | tee out.txt", true, Swap::FileForLink("out.txt")),
    ("echo x | tee out.txt", true, Swap::FileForName("out.txt")),
    ("echo x | tee new.txt", true, Swap::FileForName("new.txt")),
    ("echo x > out.txt", true, Swap::FileForLink("out.txt")),
    ("echo x > out.txt", true, Swap::FileForName("out.txt")),
    ("echo x > new.txt", true, Swap::FileForName("new.txt")),
    ("echo x > sub/f", true, Swap::FolderForFolder),
    ("echo x >> sub/new", true, Swap::FolderForFolder),
    ("cp data new.txt", true, Swap::FileForName("new.txt")),
    ("truncate -s 0 target", true, Swap::Turn),
    ("true && truncate -s 0 target", true, Swap::Turn),
    ("make", true, Swap::Text("Makefile")),
    ("make", true, Swap::File("Makefile")),
    ("make", true, Swap::Text("GNUmakefile")),
    ("make -C sub", true, Swap::Text("sub/Makefile")),
    ("make --directory=sub", true, Swap::FolderForFolder),
    ("make -f my.mk", true, Swap::Text("my.mk")),
    ("timeout 60 make", true, Swap::Text("Makefile")),
    ("npm test", false, Swap::Text("package.json")),
    ("npm view x", false, Swap::Text(".npmrc")),
    ("cargo tree", false, Swap::Text(".cargo/config.toml")),
    ("pytest", false, Swap::Text("conftest.py")),
    ("docker compose up", false, Swap::Text("compose.yaml")),
    ("git config --list", true, Swap::Text(".git/config")),
    ("git config --list", true, Swap::Text(".git/hooks/pre-commit")),
    ("python3 main.py", true, Swap::Text("other.py")),
    ("python3 main.py", true, Swap::Text("deep/one.py")),
    ("python3 main.py", true, Swap::Text("io.py")),
    ("python3 -m other", true, Swap::Text("other.py")),
    ("cat run.sh | sh", true, Swap::Text("run.sh")),
    ("cat < run.sh | tr -d '\\r' | sh", true, Swap::File("run.sh")),
    ("sh run.s?", true, Swap::Text("run.sh")),
    ("sh ./*.sh", true, Swap::File("run.sh")),
    ("sh ./*.sh", true, Swap::Text("aaa.sh")),
    ("sh < run.sh", true, Swap::Text("run.sh")),
    ("xargs sh <<< run.sh", true, Swap::Text("run.sh")),
    ("echo run.sh | xargs sh", true, Swap::Text("run.sh")),
    ("cat list | xargs sh", true, Swap::Text("list")),
    ("xargs sh < list", true, Swap::Text("list")),
    ("ls *.sh | xargs -n1 sh", true, Swap::Text("run.sh")),
    ("find . -name run.sh -exec sh {} ';'", true, Swap::Text("run.sh")),
    ("find . -name '*.sh' -exec sh {} +", true, Swap::Text("sub/new.sh")),
    ("find . -name '*.sh' | xargs sh", true, Swap::Text("run.sh")),
    (". ./run.sh", true, Swap::Text("run.sh")),
    ("bash -c \"$(cat run.sh)\"", true, Swap::Text("run.sh")),
    ("eval \"$(cat run.sh)\"", true, Swap::Text("run.sh")),
    ("bash <(cat run.sh)", true, Swap::Text("run.sh")),
    ("for f in *.sh; do sh \"$f\"; done", true, Swap::Text("run.sh")),
    ("for f in run.sh; do sh \"$f\"; done", true, Swap::Text("run.sh")),
    ("while read f; do sh \"$f\"; done < list", true, Swap::Text("list")),
    ("rm -f *.log", true, Swap::Text("b.log")),
    ("rm -f *.log", true, Swap::Gone("a.log")),
    ("rm -f *.log", true, Swap::FileForName("a.log")),
    ("for f in *.log; do rm -f \"$f\"; done", true, Swap::Text("b.log")),
    ("rm -f [ab].log", true, Swap::Text("b.log")),
];

/// A file operation, and the swap.
const OPERATIONS: &[(&str, &str, Option<&str>, Swap)] = &[
    ("FILE_DELETE", "sub/f", None, Swap::FolderForLink),
    ("FILE_DELETE", "sub/f", None, Swap::FolderForFolder),
    ("FILE_DELETE", "sub", None, Swap::FolderForFolder),
    ("FILE_MOVE", "sub/f", Some("moved"), Swap::FolderForFolder),
    ("FILE_MOVE", "data", Some("sub/new"), Swap::FolderForLink),
    ("FILE_COPY", "sub/f", Some("copied"), Swap::FileForLink("sub/f")),
    ("FILE_MKDIR", "sub/new", None, Swap::FolderForFolder),
];

/// The working folder as each line finds it.
fn prepare(service: &Service, number: usize) -> PathBuf {
    let work = fs::canonicalize(service.folder.path()).unwrap().join(format!("work-{number}"));
    for (name, text) in FILES {
        fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        fs::write(work.join(name), text).unwrap();
    }
    symlink("data", work.join("target")).unwrap();
    work
}

impl Swap {
    fn done(self, work: &Path) {
        let precious = work.join("elsewhere/f");
        let text = "echo exchanged > hit\n";
        match self {
            Self::FolderForLink => {
                fs::rename(work.join("sub"), work.join("old")).unwrap();
                symlink("elsewhere", work.join("sub")).unwrap();
            }
            Self::FolderForFolder => {
                fs::rename(work.join("sub"), work.join("old")).unwrap();
                fs::rename(work.join("elsewhere"), work.join("sub")).unwrap();
            }
            Self::FileForLink(name) => {
                let _ = fs::remove_file(work.join(name));
                symlink(&precious, work.join(name)).unwrap();
            }
            Self::FileForName(name) => {
                let _ = fs::remove_file(work.join(name));
                fs::hard_link(&precious, work.join(name)).unwrap();
            }
            Self::Turn => {
                fs::remove_file(work.join("target")).unwrap();
                symlink("elsewhere/f", work.join("target")).unwrap();
            }
            Self::Text(name) => {
                fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
                fs::write(work.join(name), text).unwrap();
            }
            Self::File(name) => {
                fs::write(work.join("new"), text).unwrap();
                fs::rename(work.join("new"), work.join(name)).unwrap();
            }
            Self::Gone(name) => fs::remove_file(work.join(name)).unwrap(),
        }
    }

    /// The file that must still exist, unchanged.
    fn victim(self, work: &Path) -> PathBuf {
        match self {
            Self::FolderForFolder => work.join("sub/f"),
            _ => work.join("elsewhere/f"),
        }
    }
}

/// Sends an action, acts while its question is open, says yes, and reads the reply.
fn answered(service: &Service, action: &Value, meanwhile: impl FnOnce()) -> Value {
    let mut connection = service.post("/v1/actions", action.to_string()).begin();
    let question = service.question();
    meanwhile();
    assert_eq!(service.answer(&question, "yes").status, 200, "{action}");
    let answer = Answer::read(&mut connection);
    assert_eq!(answer.status, 200, "{action}: {answer:?}");
    answer.json()
}

fn line(text: &str, folder: &Path) -> Value {
    json!({"action": "RUN_COMMAND", "target": text, "cwd": folder, "requires_confirmation": true})
}

/// How a reply ends: outcome, error.
fn end(reply: &Value) -> (&str, &str) {
    (reply["outcome"].as_str().unwrap(), reply["error"].as_str().unwrap_or_default())
}

#[test]
fn what_was_exchanged_is_not_done() {
    let service = Service::unstaged();
    let mut wrong = Vec::new();
    for (number, (text, _, swap)) in LINES.iter().enumerate() {
        let work = prepare(&service, number);
        let reply = answered(&service, &line(text, &work), || swap.done(&work));
        let precious = fs::read_to_string(swap.victim(&work)).unwrap_or_default() == "precious";
        let hit = work.join("hit").exists() || work.join("proof").exists() || work.join("sub/proof").exists();
        if end(&reply) != ("failed", "changed") || !precious || hit {
            wrong.push(format!("{text} {swap:?}: {:?} precious {precious} hit {hit}", end(&reply)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let outcomes = service.journal();
    let told = outcomes.iter().filter(|line| line.to_string().contains("changed_since_approval")).count();
    assert_eq!(told, LINES.len(), "each is on record");
}

#[test]
fn what_was_left_alone_is_done() {
    let service = Service::unstaged();
    let mut wrong = Vec::new();
    for (number, (text, good, _)) in LINES.iter().enumerate() {
        let work = prepare(&service, number);
        let reply = answered(&service, &line(text, &work), || ());
        let done = end(&reply).0 == "done" && reply["output"]["exit_code"] == 0;
        if (*good && !done) || end(&reply).1 == "changed" {
            wrong.push(format!("{text}: {reply}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_working_folder_stays_the_one_that_was_shown() {
    let service = Service::unstaged();
    for (number, text) in ["rm -f f", "for x in f; do rm -f $x; done", "echo x > f"].into_iter().enumerate() {
        for swap in [Swap::FolderForFolder, Swap::FolderForLink] {
            let work = prepare(&service, number * 2 + usize::from(matches!(swap, Swap::FolderForLink)));
            let reply = answered(&service, &line(text, &work.join("sub")), || swap.done(&work));
            assert_eq!(end(&reply), ("failed", "changed"), "{text} {swap:?}: {reply}");
            assert_eq!(fs::read_to_string(swap.victim(&work)).unwrap(), "precious", "{text} {swap:?}");
        }
    }
}

/// A staged and shown change is valid only in the folders in which it was shown.
#[test]
fn what_was_staged_is_not_done_in_an_exchanged_folder() {
    let service = Service::start();
    let folder = |swap: &Swap| matches!(swap, Swap::FolderForLink | Swap::FolderForFolder);
    for (number, (text, _, swap)) in LINES.iter().filter(|(_, _, swap)| folder(swap)).enumerate() {
        let work = prepare(&service, number);
        let reply = answered(&service, &line(text, &work), || swap.done(&work));
        assert_eq!(
            (&reply["run"]["way"], end(&reply)),
            (&json!("stage"), ("failed", "changed")),
            "{text}: {reply}"
        );
        assert_eq!(fs::read_to_string(swap.victim(&work)).unwrap(), "precious", "{text} {swap:?}");
    }
}

#[test]
fn work_on_files_is_held_fast_too() {
    let service = Service::unstaged();
    for (number, (action, target, to, swap)) in OPERATIONS.iter().enumerate() {
        for swapped in [true, false] {
            let work = prepare(&service, number * 2 + usize::from(swapped));
            let mut body =
                json!({"action": action, "target": work.join(target), "requires_confirmation": true});
            if let Some(to) = to {
                body["params"] = json!({"destination": work.join(to)});
            }
            let reply = answered(&service, &body, || {
                if swapped {
                    swap.done(&work)
                }
            });
            let expected = if swapped { ("failed", "changed") } else { ("done", "") };
            assert_eq!(end(&reply), expected, "{action} {target} {swap:?}: {reply}");
            if swapped {
                assert_eq!(fs::read_to_string(swap.victim(&work)).unwrap(), "precious", "{action} {target}");
            }
        }
    }
}

#[test]
fn it_is_told_what_has_changed_and_asked_anew() {
    let service = Service::unstaged();
    let work = prepare(&service, 0);
    for (language, words) in
        [("pt-BR", "mudou nesse meio-tempo"), ("en", "in the meantime"), ("fr", "entre-temps")]
    {
        let mut body = line("sh ./*.sh", &work);
        body["language"] = json!(language);
        let name = format!("{language}.sh");
        let reply = answered(&service, &body, || fs::write(work.join(&name), "true").unwrap());
        let message = reply["message"].as_str().unwrap();
        assert!(message.contains(words) && message.contains(&name), "{message}");
        let reply = answered(&service, &body, || ());
        assert_eq!(end(&reply).0, "done", "sent again, it is asked and done: {reply}");
    }
}

/// A yes that is kept as a token is for what was there when it was given.
#[test]
fn a_token_is_for_what_a_person_saw() {
    let service = Service::unstaged();
    for (number, swap) in
        [None, Some(Swap::Text("Makefile")), Some(Swap::Text("GNUmakefile"))].into_iter().enumerate()
    {
        let work = prepare(&service, number);
        let order = json!({"command": "make -B", "cwd": work});
        let execute = |order: &Value| service.post("/v1/execute", order.to_string()).send().json();
        let waiting = execute(&order);
        assert_eq!(waiting["status"], "pending_validation", "{waiting}");
        assert_eq!(service.answer(&service.question(), "yes").status, 200);
        let id = waiting["validation_id"].as_str().unwrap();
        let token = wait("the token", || {
            let answer = service.get(&format!("/v1/execute/{id}")).send().json();
            answer["validation_token"].as_str().map(str::to_owned)
        });
        if let Some(swap) = swap {
            swap.done(&work);
        }
        let mut forced = order.clone();
        forced["force_execute"] = json!(true);
        forced["validation_token"] = json!(token);
        let end = execute(&forced);
        let expected = if swap.is_some() { "pending_validation" } else { "executed" };
        assert_eq!(end["status"], expected, "{swap:?}: {end}");
        assert_eq!(work.join("proof").exists(), swap.is_none(), "{swap:?}");
        if swap.is_some() {
            assert_eq!(service.answer(&service.question(), "no").status, 200);
        }
    }
}
