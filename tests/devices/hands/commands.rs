//! A planned command does the same as in bash.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use guarda::hands::HandsConfig;
use guarda_core::action::{Action, Proposal, Request};
use guarda_core::output::Ended;
use serde_json::json;

use super::act::{act, act_with, stdout, why};
use crate::common::machine::Machine;

/// Harmless literal scripts. We run each without a shell, and bash runs it, in two identical folders.
const SCRIPTS: &[&str] = &[
    "echo a b  c",
    "echo 'a  b' \"c d\" e\\ f",
    "printf '%s|' '$(id)' '*' \"\" 'it'\\''s'",
    "true",
    "false",
    "false && echo no",
    "false || echo yes",
    "true || echo no; echo after",
    "false && echo no || echo yes",
    "true && false || echo yes",
    "! true",
    "! false && echo yes",
    "! grep -q nothing file || echo no",
    "seq 20 | head -3",
    "seq 100000 | head -1",
    "yes | head -2",
    "cat file | sort -r | head -2",
    "cat < file",
    "sort < file > sorted; cat sorted",
    "echo one > new; echo two >> new; cat new",
    "echo x > a > b; cat b; wc -c a",
    "> empty",
    "cat no-such-file",
    "cat no-such-file 2>/dev/null",
    "cat no-such-file 2>&1 | wc -l",
    "cat file no-such-file > all 2>&1; wc -l all",
    "cat file no-such-file 2>&1 > out; cat out",
    "cat < no-such-file; echo status",
    "cat < no-such-file || echo failed",
    "echo lost > no-such-folder/x; echo status",
    "cat <<END\na $HOME is not here\nEND",
    "cat <<'END'\na $(id) `id`\nEND",
    "cat <<-END\n\ttabs\n\tEND",
    "cat <<<'here string'",
    "cat <<END | tr a-z A-Z\nabc\nEND",
    "echo out; echo err >&2",
    "(echo group)",
    "{ echo one; echo two; }",
    "{ echo one; echo two; } > both; cat both",
    "no-such-program-at-all",
    "no-such-program-at-all || echo missing",
    "no-such-program-at-all | cat",
    "echo a | no-such-program-at-all",
    "no-such-program-at-all 2>/dev/null; echo on",
    "./file",
    "./no-such-file",
    "sh -c 'exit 7'",
    "sh -c 'exit 7'; echo on",
    "sh -c 'kill -9 $$'",
    "sh -c 'kill -15 $$' || echo ended",
    "sh -c 'echo to-err >&2; echo to-out' 2>/dev/null",
    "LC_ALL=C sort file",
    "NAME=value env | grep ^NAME",
    "mkdir -p d/e && touch d/e/f && ls d/e",
    "echo ~ > home; wc -l home",
    "test -f file && echo there",
    "[ -d file ] || echo no folder",
    "echo -n x; echo -e 'a\\tb'",
    "env -i FOO=bar env",
    "xargs -n1 echo < file",
    "cat 0<file 1>copy; cmp file copy && echo same",
    "echo a >&2 2>/dev/null",
    "ls 3>&1 1>&2 2>&3 3>&-",
    "echo hi 1>&2 2>&1 | cat",
    "cat <> file",
    "tee t1 t2 < file > /dev/null; cat t1 t2",
    "echo é ç | cat",
    "false; true",
    "true; false",
    "wc -l < file && echo ok || echo bad",
    "touch b.txt a.txt .c.txt -- -d.txt; printf '<%s>' *.txt",
    "mkdir d e; touch d/x e/y; echo */* ./*/x no*match '*' \"*\"",
    "touch 'a b'; printf '<%s>' ?\\ b a* '?'",
    "mkdir d; cd d && touch here; cd .. && ls",
    "mkdir d; cd d; pwd | sed s,.*/,,; echo x > in; cd ..; cat d/in",
    "cd no-such-folder; echo status",
    "cd no-such-folder || echo failed",
    "cd file || echo no folder",
    "mkdir d && cd d | cat; ls",
    "cd; pwd",
    "cd ~ && pwd",
    "mkdir -p d; cd d && ls ../f* && echo *",
];

fn fill(folder: &Path) {
    std::fs::write(folder.join("file"), "bravo\nalpha\ncharlie\n").unwrap();
}

/// Every file below the folder, with its text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn planned(script: &str) -> bool {
    let request: Request =
        serde_json::from_value(json!({"action": "RUN_COMMAND", "target": script})).unwrap();
    let action = Proposal::parse(request).unwrap().action;
    matches!(action, Action::RunCommand { script: Ok(script), .. } if script.plan().is_some())
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_do_what_bash_does() {
    let mut machine = Machine::new();
    machine.set("LANG", "C.UTF-8");
    let mut unplanned = Vec::new();
    for (number, script) in SCRIPTS.iter().enumerate() {
        let (ours, theirs) = (machine.path(&format!("ours{number}")), machine.path(&format!("bash{number}")));
        for folder in [&ours, &theirs] {
            std::fs::create_dir(folder).unwrap();
            fill(folder);
        }
        if !planned(script) {
            unplanned.push(*script);
        }
        // A shell runs a line that needs one only after a person's yes.
        let ask = !planned(script);
        let folder = ours.to_str().unwrap();
        let action =
            json!({"action": "RUN_COMMAND", "target": script, "cwd": folder, "requires_confirmation": ask});
        let output = act(&machine, action).await;
        let bash = Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "-c", script])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin")
            .env("HOME", machine.home())
            .env("LANG", "C.UTF-8")
            .current_dir(&theirs)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert_eq!(stdout(&output), String::from_utf8_lossy(&bash.stdout), "{script}");
        assert_eq!(files(&ours), files(&theirs), "{script}");
        let code = match (&output.ended, output.exit_code) {
            (Ended::Signalled(signal), None) => 128 + signal,
            (_, Some(code)) => code,
            (ended, None) => panic!("{script}: {ended:?}"),
        };
        let expected = bash.status.code().unwrap_or_else(|| {
            use std::os::unix::process::ExitStatusExt as _;
            128 + bash.status.signal().unwrap()
        });
        assert_eq!(code, expected, "{script}");
        // Bash's own messages differ in wording. It also reports programs that a signal ended.
        let (our, their) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&bash.stderr));
        let of_bash = their.contains("bash:");
        if of_bash || their.starts_with("Terminated") || their.starts_with("Killed") {
            assert_eq!(our.is_empty(), !of_bash, "{script}: {their}");
        } else {
            assert_eq!(our, their, "{script}");
        }
    }
    println!("these need a shell: {unplanned:?}");
    // Most of these must not need a shell, or the comparison compares bash with itself.
    assert!(unplanned.len() <= SCRIPTS.len() / 4, "these need a shell: {unplanned:#?}");
}

#[tokio::test]
async fn a_link_that_came_since_is_not_written_through() {
    let machine = Machine::new();
    let (home, victim) = (machine.home(), machine.path("victim"));
    std::fs::write(&victim, "kept").unwrap();
    let config = HandsConfig::of_session(machine.session());
    for text in ["echo spoiled > out", "echo spoiled >> out"] {
        let action = json!({"action": "RUN_COMMAND", "target": text});
        let output = act_with(&config, &machine, action, |_| {
            let _ = std::fs::remove_file(home.join("out"));
            symlink(&victim, home.join("out")).unwrap();
        })
        .await;
        assert_eq!(output.ended, Ended::Changed("out".to_owned()), "{text}");
        std::fs::remove_file(home.join("out")).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "kept");
    // A link that existed when the line was judged is followed: the judge knew its target.
    symlink(&victim, home.join("known")).unwrap();
    let output = act(&machine, json!({"action": "RUN_COMMAND", "target": "echo changed > known"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "changed\n");
}

#[tokio::test]
async fn a_program_that_was_exchanged_since_is_not_run() {
    let machine = Machine::new();
    let (tool, _) = machine.recorder("home/tool");
    let (evil, evil_words) = machine.recorder("evil");
    let config = HandsConfig::of_session(machine.session());
    let action = json!({"action": "RUN_COMMAND", "target": "./tool x"});
    let output = act_with(&config, &machine, action, |_| {
        std::fs::remove_file(&tool).unwrap();
        symlink(&evil, &tool).unwrap();
    })
    .await;
    assert!(matches!(output.ended, Ended::Changed(_)), "{:?}", output.ended);
    assert!(!evil_words.exists());
}

#[tokio::test]
async fn a_script_whose_text_changed_since_is_not_run() {
    let machine = Machine::new();
    let script = machine.home().join("job.sh");
    let config = HandsConfig::of_session(machine.session());
    for text in ["sh job.sh", "sh < job.sh", "/bin/sh ./job.sh", "echo first; cd . && sh job.sh", "./job.sh"]
    {
        std::fs::write(&script, "echo judged\n").unwrap();
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let action = json!({"action": "RUN_COMMAND", "target": text});
        let output =
            act_with(&config, &machine, action, |_| std::fs::write(&script, "echo spoilt\n").unwrap()).await;
        assert!(matches!(output.ended, Ended::Changed(_)), "{text}: {:?}", output.ended);
        assert_eq!(stdout(&output), "", "nothing at all is run");
    }
    // The script's own changes do not count as changes since the judgement.
    let text = "echo 'echo new' > made.sh; sh made.sh";
    let output = act(&machine, json!({"action": "RUN_COMMAND", "target": text})).await;
    assert_eq!(stdout(&output), "new\n", "{}", why(&output));
}

#[tokio::test]
async fn a_pipe_of_the_users_does_not_hold_us_up() {
    let machine = Machine::new();
    machine.ask("mkfifo", &["fifo"]);
    // A shell waits for a writer, within its cell and its time.
    let second = std::time::Duration::from_secs(1);
    let config = HandsConfig { command_timeout: second, ..HandsConfig::of_session(machine.session()) };
    let action = json!({"action": "RUN_COMMAND", "target": "cat < fifo"});
    let output = act_with(&config, &machine, action, |_| {}).await;
    assert_eq!(output.ended, Ended::TimedOut);
    // After a yes, the guard opens the pipe for writing without waiting for a reader.
    let output = act(&machine, json!({"action": "RUN_COMMAND", "target": "echo x > fifo"})).await;
    assert_eq!(output.exit_code, Some(1), "{:?}", output.ended);
}
