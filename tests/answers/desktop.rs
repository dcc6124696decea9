//! The safe list on a real desktop, through HTTP.

use serde_json::json;

use crate::common::machine::{Machine, text_of};
use crate::common::until;

const QUIET: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

#[test]
fn the_volume_and_a_player_obey() {
    let mut machine = Machine::new().with_bus().with_sound();
    let service = machine.serve(QUIET);
    let done = |action: serde_json::Value| {
        let reply = service.perform(&action);
        assert_eq!((&reply["status"], &reply["outcome"]), (&json!("approved"), &json!("done")), "{reply}");
    };
    let volume = || machine.ask("pactl", &["get-sink-volume", "@DEFAULT_SINK@"]);
    done(json!({ "action": "VOLUME_SET", "target": "40" }));
    assert!(volume().contains("40%"), "{}", volume());
    done(json!({ "action": "VOLUME_UP" }));
    assert!(volume().contains("45%"), "{}", volume());
    let reply = service.perform(&json!({ "action": "UNDO" }));
    assert_eq!(
        (&reply["outcome"], &reply["output"]["stdout"]),
        (&json!("done"), &json!("volume 40%\n")),
        "{reply}"
    );
    assert!(volume().contains("40%"), "{}", volume());
    done(json!({ "action": "VOLUME_UP" }));
    done(json!({ "action": "VOLUME_MUTE" }));
    assert_eq!(machine.ask("pactl", &["get-sink-mute", "@DEFAULT_SINK@"]), "Mute: yes");
    done(json!({ "action": "UNDO" }));
    assert_eq!(machine.ask("pactl", &["get-sink-mute", "@DEFAULT_SINK@"]), "Mute: no");
    // A level that was changed in the meantime stays.
    done(json!({ "action": "VOLUME_SET", "target": "60" }));
    machine.ask("pactl", &["set-sink-volume", "@DEFAULT_SINK@", "20%"]);
    let reply = service.perform(&json!({ "action": "UNDO", "language": "en" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("failed")), "{reply}");
    let message = reply["message"].as_str().unwrap();
    assert!(message.contains("It was set to something else since, and stays as it is now."), "{message}");
    assert!(volume().contains("20%"), "{}", volume());

    let reply = service.perform(&json!({ "action": "MEDIA_NEXT" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("no_player")), "{reply}");

    let mut tracks = Vec::new();
    for track in ["one.ogg", "two.ogg"] {
        let file = machine.path(track).to_str().unwrap().to_owned();
        machine.ask("sox", &["-n", &file, "synth", "30", "sine", "300", "vol", "0.1"]);
        tracks.push(file);
    }
    let mut arguments = vec!["--no-video", "--no-terminal", "--ao=pulse"];
    arguments.extend(tracks.iter().map(String::as_str));
    machine.start("mpv", &arguments);
    let player = |machine: &Machine, what: &[&str]| machine.ask("playerctl", what);
    until("the player", || player(&machine, &["status"]) == "Playing");
    let reply = service.perform(&json!({ "action": "MEDIA_NEXT" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("the next track", || player(&machine, &["metadata", "xesam:url"]).ends_with("two.ogg"));
    let reply = service.perform(&json!({ "action": "MEDIA_PLAY_PAUSE" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("the pause", || player(&machine, &["status"]) == "Paused");
}

#[test]
fn an_application_and_a_folder_open_by_their_names() {
    let machine = Machine::new().with_bus().with_display();
    let (program, words) = machine.recorder("calculator");
    machine.entry(
        "org.example.Calc",
        &format!("Name=Calculator\nName[pt_BR]=Calculadora\nExec={}", program.display()),
    );
    let service = machine.serve(QUIET);
    let reply = service.perform(&json!({ "action": "OPEN_APP", "target": "calculator" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    text_of(&words);
    let reply = service.perform(&json!({ "action": "OPEN_APP", "target": "programa_inexistente" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("not_found")), "{reply}");

    std::fs::create_dir(machine.home().join("Meus Documentos")).unwrap();
    let config = machine.path("config/mimeapps.list");
    std::fs::write(config, "[Default Applications]\ninode/directory=pcmanfm.desktop\n").unwrap();
    let reply = service.perform(&json!({ "action": "OPEN_FOLDER", "target": "~/Meus Documentos" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    machine.window("Meus Documentos");
}
