//! Keys that reach a real window, and notifications that reach a real daemon.

use guarda_core::output::Ended;
use serde_json::json;

use super::act::{act, why};
use crate::common::machine::{Machine, text_of};
use crate::common::until;

/// A focused xterm that writes one typed line to a file.
fn typist(machine: &mut Machine) -> std::path::PathBuf {
    let (ready, file) = (machine.path("ready"), machine.path("typed"));
    let read = format!("stty -icanon -echo; touch {}; cat > {}", ready.display(), file.display());
    machine.start("xterm", &["-u8", "-title", "Typist", "-e", "sh", "-c", &read]);
    let window = machine.window("Typist");
    until("the focus", || {
        machine.ask("xdotool", &["windowfocus", "--sync", &window]);
        machine.ask("xdotool", &["getwindowfocus"]) == window && ready.exists()
    });
    file
}

#[tokio::test]
async fn keys_reach_the_window_in_front() {
    let mut machine = Machine::new().with_display();
    machine.set("LANG", "C.UTF-8");
    let typed = typist(&mut machine);
    let mut expected = String::new();
    for (chord, text) in
        [("y", "y"), ("shift+a", "A"), ("plus", "+"), ("7", "7"), ("space", " "), ("ctrl+b", "\u{2}")]
    {
        let output = act(&machine, json!({"action": "KEY_PRESS", "target": chord})).await;
        assert_eq!(output.ended, Ended::Finished, "{chord}: {}", why(&output));
        expected.push_str(text);
        until(chord, || text_of(&typed) == expected);
    }
    // No modifier stays down.
    let output = act(&machine, json!({"action": "KEY_PRESS", "target": "b"})).await;
    assert_eq!(output.ended, Ended::Finished);
    expected.push('b');
    until("b", || text_of(&typed) == expected);
    // The layout in force says where a letter is.
    machine.ask("setxkbmap", &["de"]);
    for (chord, text) in [("y", "y"), ("z", "z"), ("ö", "ö")] {
        let output = act(&machine, json!({"action": "KEY_PRESS", "target": chord})).await;
        assert_eq!(output.ended, Ended::Finished, "{chord}: {}", why(&output));
        expected.push_str(text);
    }
    until("the German letters", || text_of(&typed) == expected);
    let output = act(&machine, json!({"action": "KEY_PRESS", "target": "ж"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
}

#[tokio::test]
async fn without_a_display_no_key_is_pressed() {
    let mut machine = Machine::new();
    let output = act(&machine, json!({"action": "KEY_PRESS", "target": "y"})).await;
    assert!(why(&output).contains("DISPLAY"), "{:?}", output.ended);
    machine.set("DISPLAY", ":9");
    machine.set("WAYLAND_DISPLAY", "wayland-0");
    let output = act(&machine, json!({"action": "KEY_PRESS", "target": "y"})).await;
    assert!(why(&output).contains("Wayland"), "{:?}", output.ended);
}

#[tokio::test]
async fn a_notification_is_shown_as_text() {
    let output = act(&Machine::new(), json!({"action": "NOTIFY", "target": "Aviso"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    let mut machine = Machine::new().with_bus().with_display();
    let (script, words) = machine.recorder("shown");
    let settings = machine.path("config/dunstrc");
    let rule = format!("[all]\nsummary = *\nscript = {}\n", script.display());
    std::fs::write(&settings, format!("[global]\nmarkup = full\n{rule}")).unwrap();
    machine.start_dunst(settings.to_str().unwrap());
    let action = json!({"action": "NOTIFY", "target": "Aviso", "params": {"body": "<b>1 < 2 & $(id)</b>"}});
    let output = act(&machine, action).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    // dunst gives its script: application, summary, body, icon, urgency.
    let shown = text_of(&words);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..2], ["Assistente", "O assistente: Aviso"], "a person sees that it is not the guard's");
    assert!(lines[2].contains("1 < 2 & $(id)") || lines[2].contains("1 &lt; 2 &amp; $(id)"), "{shown}");
}

#[tokio::test]
async fn the_windows_of_an_application_are_closed() {
    let mut machine = Machine::new().with_display();
    machine.entry("org.guard.Notes", "Name=Notas\nExec=xterm\nStartupWMClass=GuardNotes");
    let output = act(&machine, json!({"action": "CLOSE_APP", "target": "notas"})).await;
    assert_eq!(output.ended, Ended::NotFound("notas".into()));
    for class in ["GuardNotes", "GuardNotes", "Other"] {
        machine.start("xterm", &["-class", class, "-title", class, "-e", "sleep", "600"]);
    }
    let open = |machine: &Machine, class: &str| {
        machine.ask("xdotool", &["search", "--onlyvisible", "--class", class]).lines().count()
    };
    until("the windows", || open(&machine, "GuardNotes") == 2 && open(&machine, "Other") == 1);
    until("the window manager's list", || {
        machine.ask("xprop", &["-root", "_NET_CLIENT_LIST"]).matches("0x").count() >= 3
    });
    let output = act(&machine, json!({"action": "CLOSE_APP", "target": "as notas"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    assert_eq!((open(&machine, "GuardNotes"), open(&machine, "Other")), (0, 1));
    // By the class alone, where no entry has the name.
    assert_eq!(act(&machine, json!({"action": "CLOSE_APP", "target": "other"})).await.ended, Ended::Finished);
    assert_eq!(open(&machine, "Other"), 0);
}

#[tokio::test]
async fn the_screen_is_pictured_and_darkened() {
    use std::os::unix::fs::PermissionsExt as _;
    for action in ["SCREENSHOT", "SCREEN_OFF", "CLOSE_APP"] {
        let mut machine = Machine::new();
        let mut asked = json!({"action": action});
        if action == "CLOSE_APP" {
            asked["target"] = json!("x");
        }
        let output = act(&machine, asked.clone()).await;
        assert!(why(&output).contains("DISPLAY"), "{action} {:?}", output.ended);
        machine.set("WAYLAND_DISPLAY", "wayland-0");
        assert!(why(&act(&machine, asked).await).contains("Wayland"), "{action}");
    }
    let machine = Machine::new().with_display();
    std::fs::create_dir(machine.home().join("Imagens")).unwrap();
    machine.ask("xsetroot", &["-solid", "#123456"]);
    let output = act(&machine, json!({"action": "SCREENSHOT"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    let file = std::path::PathBuf::from(super::act::stdout(&output).trim());
    assert_eq!(file.parent().unwrap(), machine.home().join("Imagens"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&file).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, &pixels[..3]), (1024, 768, &[0x12, 0x34, 0x56][..]));
    let output = act(&machine, json!({"action": "SCREEN_OFF"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    assert!(matches!(super::act::stdout(&output).trim(), "off" | "blank"));
}

#[tokio::test]
async fn notifications_are_held_back_and_shown_again() {
    let machine = Machine::new().with_bus();
    let output = act(&machine, json!({"action": "DO_NOT_DISTURB", "target": "on"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    let mut machine = machine.with_display();
    machine.start_dunst("/dev/null");
    let paused = |machine: &Machine| {
        let get = "org.freedesktop.DBus.Properties.Get";
        let of = [
            "call",
            "--session",
            "-d",
            "org.freedesktop.Notifications",
            "-o",
            "/org/freedesktop/Notifications",
        ];
        machine.ask("gdbus", &[&of[..], &["-m", get, "org.dunstproject.cmd0", "paused"]].concat())
    };
    assert!(paused(&machine).contains("false"));
    for (target, told, is) in [
        ("on", "on\n", "true"),
        ("on", "on\n", "true"),
        ("toggle", "off\n", "false"),
        ("desligar", "off\n", "false"),
    ] {
        let output = act(&machine, json!({"action": "DO_NOT_DISTURB", "target": target})).await;
        assert_eq!(super::act::stdout(&output), told, "{target} {:?}", output.ended);
        assert!(paused(&machine).contains(is), "{target}: {}", paused(&machine));
    }
}
