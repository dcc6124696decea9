//! The volume of a real PulseAudio, and real mpv players.

use guarda_core::output::Ended;
use serde_json::json;

use super::act::{act, stdout, why};
use crate::common::machine::Machine;
use crate::common::until;

#[tokio::test]
async fn the_volume_is_changed_and_read_back() {
    let machine = Machine::new().with_sound();
    let volume = || machine.ask("pactl", &["get-sink-volume", "@DEFAULT_SINK@"]);
    let muted = || machine.ask("pactl", &["get-sink-mute", "@DEFAULT_SINK@"]);
    for (action, heard, silent) in [
        (json!({"action": "VOLUME_SET", "target": 30}), "30%", "no"),
        (json!({"action": "VOLUME_UP"}), "35%", "no"),
        (json!({"action": "VOLUME_DOWN", "args": "10"}), "25%", "no"),
        (json!({"action": "VOLUME_MUTE"}), "25%", "yes"),
        (json!({"action": "volume_up"}), "30%", "no"),
        (json!({"action": "VOLUME_SET", "target": "100%"}), "100%", "no"),
        (json!({"action": "VOLUME_UP"}), "100%", "no"),
        (
            json!({"action": "system_op", "target": "volume", "params": {"action": "set", "value": 0}}),
            "0%",
            "no",
        ),
        (json!({"action": "VOLUME_DOWN"}), "0%", "no"),
    ] {
        let output = act(&machine, action.clone()).await;
        assert_eq!(output.ended, Ended::Finished, "{action}");
        assert!(volume().contains(&format!(" {heard}")), "{action}: {}", volume());
        assert!(muted().contains(silent), "{action}: {}", muted());
        assert!(stdout(&output).starts_with(heard), "{action}: {}", stdout(&output));
    }
}

#[tokio::test]
async fn no_sound_server_is_told_as_such() {
    let machine = Machine::new();
    let output = act(&machine, json!({"action": "VOLUME_UP"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    assert!(why(&output).contains("PulseAudio"), "{}", why(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_server_that_says_nothing_does_not_hold_us_up() {
    let mut machine = Machine::new();
    let socket = machine.path("run/silent");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    machine.set("PULSE_SERVER", &format!("unix:{}", socket.display()));
    let output = act(&machine, json!({"action": "VOLUME_UP"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_server_that_dies_takes_nobody_with_it() {
    let mut machine = Machine::new().with_sound();
    for _ in 0..3 {
        assert_eq!(act(&machine, json!({"action": "VOLUME_UP"})).await.ended, Ended::Finished);
    }
    let server = machine.ask("pactl", &["info"]);
    assert!(server.contains("Server Name"), "{server}");
    machine.stop_last();
    let output = act(&machine, json!({"action": "VOLUME_UP"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
}

fn tracks(machine: &Machine) -> Vec<String> {
    (1..=3)
        .map(|number| {
            let file = machine.path(&format!("track{number}.ogg")).display().to_string();
            let tone = format!("{}", 200 * number);
            machine.ask("sox", &["-n", &file, "synth", "120", "sine", &tone, "vol", "0.1"]);
            file
        })
        .collect()
}

fn play(machine: &mut Machine, tracks: &[String], paused: bool) {
    let fixed =
        ["--no-video", "--no-terminal", "--no-config", "--script=/etc/mpv/scripts/mpris.so", "--ao=null"];
    let pause = ["--pause"];
    let pause = if paused { &pause[..] } else { &[] };
    let tracks: Vec<&str> = tracks.iter().map(String::as_str).collect();
    machine.start("mpv", &[&fixed[..], pause, &tracks[..]].concat());
}

#[tokio::test]
async fn a_player_is_told_more_than_keys_say() {
    let mut machine = Machine::new().with_bus();
    for action in [json!({"action": "MEDIA_STATUS"}), json!({"action": "MEDIA_SEEK", "target": 5})] {
        assert_eq!(act(&machine, action).await.ended, Ended::NoPlayer);
    }
    let tracks = tracks(&machine);
    play(&mut machine, &tracks, false);
    let told = |machine: &Machine, word: &str| machine.ask("playerctl", &["--player=mpv", word]);
    // It plays before it has said what.
    let title = |machine: &Machine| machine.ask("playerctl", &["--player=mpv", "metadata", "xesam:title"]);
    until("mpv", || told(&machine, "status") == "Playing" && title(&machine).starts_with("track1"));
    let output = act(&machine, json!({"action": "MEDIA_STATUS"})).await;
    assert!(stdout(&output).starts_with("mpv: playing: track1"), "{}", stdout(&output));
    for (action, word, expected) in [
        // Two commands with a single meaning each, whatever the player is doing.
        (json!({"action": "MEDIA_PAUSE"}), "status", "Paused"),
        (json!({"action": "MEDIA_PAUSE"}), "status", "Paused"),
        (json!({"action": "MEDIA_PLAY"}), "status", "Playing"),
        (json!({"action": "MEDIA_PLAY"}), "status", "Playing"),
        (json!({"action": "MEDIA_REPEAT", "target": "track"}), "loop", "Track"),
        (json!({"action": "MEDIA_REPEAT", "target": "all"}), "loop", "Playlist"),
        (json!({"action": "MEDIA_REPEAT", "target": "off"}), "loop", "None"),
    ] {
        let output = act(&machine, action.clone()).await;
        assert_eq!(output.ended, Ended::Finished, "{action} {}", why(&output));
        assert_eq!(told(&machine, word), expected, "{action}");
    }
    let place = || told(&machine, "position").parse::<f64>().unwrap();
    for (seconds, least, most) in [(60, 55.0, 110.0), (-40, 0.0, 70.0)] {
        let output = act(&machine, json!({"action": "MEDIA_SEEK", "target": seconds})).await;
        assert_eq!(output.ended, Ended::Finished, "{seconds} {}", why(&output));
        assert!((least..most).contains(&place()), "{seconds}: {}", place());
    }
}

#[tokio::test]
async fn a_player_obeys() {
    let mut machine = Machine::new().with_bus();
    assert_eq!(act(&machine, json!({"action": "MEDIA_NEXT"})).await.ended, Ended::NoPlayer);
    let tracks = tracks(&machine);
    play(&mut machine, &tracks, false);
    let status = |machine: &Machine| machine.ask("playerctl", &["--player=mpv", "status"]);
    let track = |machine: &Machine| machine.ask("playerctl", &["--player=mpv", "metadata", "xesam:url"]);
    until("mpv", || status(&machine) == "Playing" && track(&machine).ends_with("track1.ogg"));
    for (action, state, place) in [
        (json!({"action": "MEDIA_NEXT"}), "Playing", "track2.ogg"),
        (json!({"action": "MEDIA_PLAY_PAUSE"}), "Paused", "track2.ogg"),
        (json!({"action": "MEDIA_PLAY_PAUSE"}), "Playing", "track2.ogg"),
        (json!({"action": "MEDIA_PREV"}), "Playing", "track1.ogg"),
        (json!({"action": "media_control", "target": "pausa"}), "Paused", "track1.ogg"),
        (json!({"action": "media_control", "target": "play"}), "Playing", "track1.ogg"),
    ] {
        let output = act(&machine, action.clone()).await;
        assert_eq!(output.ended, Ended::Finished, "{action}");
        assert_eq!(status(&machine), state, "{action}");
        assert!(track(&machine).ends_with(place), "{action}: {}", track(&machine));
    }
    // No track follows the last one: mpv reports that, and the guard passes it on.
    for _ in 0..2 {
        let _moved = act(&machine, json!({"action": "MEDIA_NEXT"})).await;
    }
    let output = act(&machine, json!({"action": "MEDIA_NEXT"})).await;
    assert_ne!(output.ended, Ended::Finished, "{}", stdout(&output));
}

#[tokio::test]
async fn the_player_that_plays_is_meant() {
    let mut machine = Machine::new().with_bus();
    let tracks = tracks(&machine);
    play(&mut machine, &tracks[..1], true);
    until("the first", || machine.ask("playerctl", &["--list-all"]).lines().count() == 1);
    let first = machine.ask("playerctl", &["--list-all"]);
    play(&mut machine, &tracks[1..2], false);
    until("the second", || machine.ask("playerctl", &["--list-all"]).lines().count() == 2);
    let all = machine.ask("playerctl", &["--list-all"]);
    let second = all.lines().find(|name| *name != first).unwrap().to_owned();
    let status = |name: &str| machine.ask("playerctl", &[&format!("--player={name}"), "status"]);
    until("it plays", || status(&second) == "Playing");
    assert_eq!(act(&machine, json!({"action": "MEDIA_PLAY_PAUSE"})).await.ended, Ended::Finished);
    assert_eq!((status(&first).as_str(), status(&second).as_str()), ("Paused", "Paused"));
}
