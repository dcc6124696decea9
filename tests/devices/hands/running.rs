//! How a command is run: its words, its environment, its end, and its remains.

use std::time::Duration;

use guarda::hands::HandsConfig;
use guarda_core::output::{Ended, RawOutput};
use serde_json::json;

use super::act::{act, act_until, act_with, stdout};
use crate::common::machine::Machine;
use crate::common::until_async;

async fn run(machine: &Machine, text: &str) -> RawOutput {
    act(machine, json!({"action": "RUN_COMMAND", "target": text, "requires_confirmation": true})).await
}

#[tokio::test]
async fn words_reach_the_program_as_they_are() {
    let machine = Machine::new();
    let output = run(&machine, "printf '%s|' 'a b' '$(id)' '*' '' ç").await;
    assert_eq!(stdout(&output), "a b|$(id)|*||ç|");
    assert_eq!((output.ended, output.exit_code), (Ended::Finished, Some(0)));
}

#[tokio::test]
async fn the_true_end_is_told() {
    let machine = Machine::new();
    let output = run(&machine, "ls /there/is/no/such/path").await;
    assert_eq!((&output.ended, output.exit_code), (&Ended::Finished, Some(2)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/there/is/no/such/path"));
    let output = run(&machine, "no-such-program-here").await;
    assert_eq!(output.ended, Ended::NotFound("no-such-program-here".to_owned()));
    assert_eq!(output.exit_code, Some(127));
    let output = run(&machine, "/etc/hostname").await;
    assert_eq!(output.exit_code, Some(126));
    let output = run(&machine, "for i in 1; do kill -9 $$; done").await;
    assert_eq!((output.ended, output.exit_code), (Ended::Signalled(9), None));
}

#[tokio::test]
async fn the_environment_is_made_anew() {
    let mut machine = Machine::new();
    machine.set("AWS_SECRET_ACCESS_KEY", "k");
    machine.set("LD_PRELOAD", "/tmp/x.so");
    machine.set("LANG", "pt_BR.UTF-8");
    let output = run(&machine, "env").await;
    let text = stdout(&output);
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    // What git is told of hidden files.
    names.retain(|name| !name.starts_with("GIT_CONFIG_"));
    assert_eq!(names, ["HOME", "LANG", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER"]);
}

#[tokio::test]
async fn the_text_of_a_shell_is_no_option_of_it() {
    let machine = Machine::new();
    assert_eq!(stdout(&run(&machine, "for i in 1 2; do echo $i; done").await), "1\n2\n");
}

/// Processes whose arguments carry the mark.
fn left(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    lines.filter(|line| line.contains(mark) && line.starts_with("sleep")).collect()
}

/// A script that tries hard to leave processes behind: it ignores signals, starts its own sessions, and works in the background.
fn clinging(mark: &str) -> String {
    format!(
        "for i in 1; do (trap '' TERM HUP; sleep {mark}1 & sleep {mark}2 | sleep {mark}3) & \
         setsid sleep {mark}4 & setsid setsid nohup sleep {mark}5 & echo begun; done"
    )
}

#[tokio::test]
async fn a_time_out_leaves_no_process() {
    let machine = Machine::new();
    let config =
        HandsConfig { command_timeout: Duration::from_secs(2), ..HandsConfig::of_session(machine.session()) };
    let text = format!("{}; sleep 4711.9", clinging("4711."));
    let output = act_with(&config, &machine, json!({"action": "RUN_COMMAND", "target": text}), |_| ()).await;
    assert_eq!(output.ended, Ended::TimedOut);
    assert_eq!(stdout(&output), "begun\n");
    assert!(left("4711.").is_empty(), "{:?}", left("4711."));
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    let machine = Machine::new();
    let output = run(&machine, &clinging("4712.")).await;
    assert_eq!((&output.ended, stdout(&output).as_str()), (&Ended::Finished, "begun\n"));
    assert!(left("4712.").is_empty(), "{:?}", left("4712."));
}

#[tokio::test]
async fn calling_off_ends_it() {
    let machine = Machine::new();
    let config = HandsConfig::of_session(machine.session());
    let text = format!("{}; sleep 4713.9", clinging("4713."));
    let action = json!({"action": "RUN_COMMAND", "target": text});
    let cancel = until_async("it runs", || !left("4713.9").is_empty());
    let output = act_until(&config, &machine, action, |_| (), cancel).await;
    assert_eq!(output.ended, Ended::Cancelled);
    assert!(left("4713.").is_empty(), "{:?}", left("4713."));
}

#[tokio::test]
async fn a_flood_of_output_is_counted_not_kept() {
    let machine = Machine::new();
    let output = run(&machine, "head -c 104857600 /dev/zero").await;
    assert_eq!(output.ended, Ended::Finished);
    assert_eq!(output.stdout_total, 104_857_600);
    assert!(output.stdout.len() <= 1024 * 1024);
}

#[tokio::test]
async fn sudo_is_not_run_unless_everything_about_it_is_right() {
    let machine = Machine::new();
    let config = HandsConfig::of_session(machine.session());
    let advanced = HandsConfig { advanced_mode: true, askpass: Some("/bin/false".into()), ..config };
    for text in ["sudo -u nobody id", "sudo A=b id", "sudo -- id", "sudo id | cat"] {
        let action = json!({"action": "RUN_COMMAND", "target": text});
        let output = act_with(&advanced, &machine, action, |_| ()).await;
        assert!(matches!(output.ended, Ended::Unavailable(_)), "{text} {:?}", output.ended);
    }
}

#[tokio::test]
async fn a_command_is_kept_in_as_it_is_configured_and_asked() {
    let machine = Machine::new();
    for (text, profile, network) in [
        ("uname", "confined", "none"),
        ("git ls-remote .", "confined", "hosts"),
        ("timeout 5 git push", "confined", "hosts"),
        ("kill -0 4194300", "none", "all"),
        ("for i in 1; do echo $i; done", "isolated", "none"),
    ] {
        let asked = text.starts_with("for");
        let action = json!({"action": "RUN_COMMAND", "target": text, "requires_confirmation": asked});
        let output = act(&machine, action).await;
        let held = output.sandbox.unwrap();
        let network = match network {
            "all" => guarda_core::output::Network::All,
            "hosts" => guarda_core::output::Network::Hosts,
            _ => guarda_core::output::Network::None,
        };
        assert_eq!(held.network, network, "{text}: {held}");
        // Directly in the home folder, an approved command gets its own namespaces if they are available.
        let fits = held.profile.name() == profile
            || (profile == "isolated" && held.profile.name() == "confined")
            || (text.contains("git") && held.profile.name() == "isolated");
        assert!(fits, "{text}: {held}");
    }
    let config = HandsConfig::of_session(machine.session());
    for (asked, profile) in [("isolated", "isolated"), ("none", "confined")] {
        let action = json!({"action": "RUN_COMMAND", "target": "uname", "sandbox": asked});
        let output = act_with(&config, &machine, action, |_| ()).await;
        assert_eq!(output.sandbox.unwrap().profile.name(), profile, "asked for {asked}");
    }
}

#[tokio::test]
async fn what_a_person_named_is_changed_and_what_lies_beside_it_is_not() {
    let machine = Machine::new();
    let home = machine.home();
    std::fs::create_dir_all(home.join("other")).unwrap();
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".ssh/id"), "SECRET").unwrap();
    let beside = tempfile::tempdir().unwrap();
    let beside = beside.path().canonicalize().unwrap();
    std::fs::write(beside.join("a"), "a").unwrap();
    for (text, made) in [
        ("touch new", home.join("new")),
        ("mkdir made", home.join("made")),
        ("cp new other/copy", home.join("other/copy")),
        ("mv other/copy moved", home.join("moved")),
        (&format!("cp {0}/a {0}/b", beside.display()), beside.join("b")),
    ] {
        let output = run(&machine, text).await;
        assert!(made.exists(), "{text}: {:?} {}", output.ended, String::from_utf8_lossy(&output.stderr));
    }
    let _ = run(&machine, "rm new").await;
    assert!(!home.join("new").exists());
    // A yes to words that name a secret of the home folder lets the line read it, and opens no other.
    for (line, shown) in [
        ("for i in 1; do cat .ssh/id; done", "SECRET"),
        ("python3 -c 'import os; print(open(os.path.join(\".s\" \"sh\", \"id\")).read())'", ""),
    ] {
        assert_eq!(stdout(&run(&machine, line).await), shown, "{line}");
    }
}
