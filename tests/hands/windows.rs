//! Keys that reach a real window, and notifications that reach a real daemon.

use guarda::output::Ended;
use serde_json::json;

use crate::act::{act, why};
use crate::machine::{Machine, text_of, until};

/// An xterm that writes down what is typed into it, one line; it has the focus.
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
    machine.start("dunst", &["-conf", settings.to_str().unwrap()]);
    let owned = [
        "call",
        "--session",
        "-d",
        "org.freedesktop.DBus",
        "-o",
        "/org/freedesktop/DBus",
        "-m",
        "org.freedesktop.DBus.NameHasOwner",
        "org.freedesktop.Notifications",
    ];
    until("dunst", || machine.ask("gdbus", &owned).contains("true"));
    let action = json!({"action": "NOTIFY", "target": "Aviso", "params": {"body": "<b>1 < 2 & $(id)</b>"}});
    let output = act(&machine, action).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    // dunst gives its script: application, summary, body, icon, urgency.
    let shown = text_of(&words);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..2], ["guarda-costas", "Aviso"]);
    assert!(lines[2].contains("1 < 2 & $(id)") || lines[2].contains("1 &lt; 2 &amp; $(id)"), "{shown}");
}
