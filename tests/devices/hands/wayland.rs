//! A Wayland session without X11, by sway and the real portals.

use guarda_core::output::{Ended, FailureKind, Now};
use serde_json::json;

use super::act::{act, stdout};
use crate::common::machine::Machine;

#[tokio::test(flavor = "multi_thread")]
async fn the_portal_takes_the_picture_and_what_cannot_be_done_says_why() {
    let machine = Machine::new().with_bus().with_wayland();
    let pictures = machine.home().join("Imagens");
    std::fs::create_dir(&pictures).unwrap();
    let output = act(&machine, json!({"action": "SCREENSHOT"})).await;
    assert_eq!(output.ended, Ended::Finished);
    let file = std::path::PathBuf::from(stdout(&output).trim());
    assert!(file.starts_with(&pictures), "{}", file.display());
    assert_eq!(output.now, Some(Now::Written(file.display().to_string())), "the person hears where it is");
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(&bytes[1..4], b"PNG");
    assert_eq!((&bytes[16..20], &bytes[20..24]), (&1280_u32.to_be_bytes()[..], &720_u32.to_be_bytes()[..]));
    assert!(!std::path::Path::new("/tmp/out.png").exists(), "the portal's own file is taken away");

    for action in [
        json!({"action": "KEY_PRESS", "target": "ctrl+tab"}),
        json!({"action": "CLOSE_APP", "target": "foot"}),
        json!({"action": "SCREEN_OFF"}),
    ] {
        let output = act(&machine, action.clone()).await;
        let Ended::Unavailable(why) = output.ended else { panic!("{action}: {:?}", output.ended) };
        assert_eq!(why.kind, FailureKind::OnlyX11, "{action}: {}", why.detail);
    }
}
