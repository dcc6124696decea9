//! The hands' reports about the machine.

use guarda::devices::DeviceState;
use guarda::hands::{BackendStatus, Hands, HandsConfig};

use crate::common::machine::Machine;

async fn status(machine: &Machine) -> Vec<BackendStatus> {
    let sandbox = super::act::supervisor();
    Hands::new(HandsConfig {
        sandbox,
        desktop: super::act::desktop(),
        ..HandsConfig::of_session(machine.session())
    })
    .status()
    .await
}

fn of<'a>(all: &'a [BackendStatus], name: &str) -> &'a DeviceState {
    &all.iter().find(|backend| backend.name == name).unwrap_or_else(|| panic!("{name}: {all:?}")).state
}

#[tokio::test]
async fn a_bare_machine_says_that_it_has_nothing() {
    let mut machine = Machine::new();
    machine.set("XDG_DATA_DIRS", "/there/is/nothing");
    machine.set("PATH", "/there/is/nothing");
    let all = status(&machine).await;
    for backend in &all {
        assert!(
            matches!(&backend.state, DeviceState::Absent { why } if !why.detail.is_empty())
                || matches!(backend.name, "brightness" | "sandbox" | "network"),
            "{backend:?}"
        );
    }
    for name in [
        "applications",
        "browser",
        "file-manager",
        "terminal",
        "volume",
        "media",
        "keys",
        "power",
        "wifi",
        "bluetooth",
        "notifications",
        "password",
    ] {
        of(&all, name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desktop_says_what_it_has() {
    let machine = Machine::new().with_bus().with_display().with_sound();
    let list =
        "[Default Applications]\nx-scheme-handler/https=dillo.desktop\ninode/directory=pcmanfm.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let all = status(&machine).await;
    for name in ["applications", "browser", "file-manager", "terminal", "volume", "media", "keys"] {
        assert!(of(&all, name).ready(), "{name}: {}", of(&all, name));
    }
    assert!(of(&all, "media").to_string().contains("none"));
    machine.ask("pactl", &["set-sink-mute", "@DEFAULT_SINK@", "1"]);
    let all = status(&machine).await;
    assert!(
        of(&all, "volume").trouble().is_some_and(|why| why.detail.contains("nothing would be heard")),
        "{all:?}"
    );
}
