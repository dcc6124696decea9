//! Parts that cannot be real here: the login manager, NetworkManager, BlueZ, a screen locker, and a player
//! with a random order (whose answer by Debian's mpv-mpris 0.7 varies) are doubles on private buses. They
//! answer as the real ones are documented to, and write down their calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use guarda::hands::{Hands, HandsConfig};
use guarda_core::output::{Ended, FailureKind};
use serde_json::json;

use super::act::{act, act_with, stdout, why};
use crate::common::machine::Machine;

type Told = Arc<Mutex<Vec<String>>>;

struct Manager {
    told: Told,
    can: &'static str,
}

#[zbus::interface(name = "org.freedesktop.login1.Manager")]
impl Manager {
    fn can_suspend(&self) -> String {
        self.can.to_owned()
    }
    fn can_reboot(&self) -> String {
        self.can.to_owned()
    }
    fn can_power_off(&self) -> String {
        self.can.to_owned()
    }
    fn suspend(&self, interactive: bool) {
        self.told.lock().unwrap().push(format!("suspend {interactive}"));
    }
    fn reboot(&self, interactive: bool) {
        self.told.lock().unwrap().push(format!("reboot {interactive}"));
    }
    fn power_off(&self, interactive: bool) {
        self.told.lock().unwrap().push(format!("power off {interactive}"));
    }
}

struct Login {
    told: Told,
    locks: bool,
    locked: bool,
    screen: std::path::PathBuf,
}

#[zbus::interface(name = "org.freedesktop.login1.Session")]
impl Login {
    fn lock(&mut self) {
        self.told.lock().unwrap().push("lock".to_owned());
        self.locked = self.locks;
    }
    #[zbus(property)]
    fn locked_hint(&self) -> bool {
        self.locked
    }
    fn set_brightness(&self, subsystem: &str, name: &str, value: u32) {
        self.told.lock().unwrap().push(format!("{subsystem} {name} {value}"));
        let file = self.screen.join(name).join("brightness");
        std::fs::remove_file(&file).unwrap();
        std::fs::write(file, value.to_string()).unwrap();
    }
}

async fn login(machine: &Machine, can: &'static str, locks: bool) -> (Told, zbus::Connection) {
    let told = Told::default();
    let manager = Manager { told: Arc::clone(&told), can };
    let session = Login { told: Arc::clone(&told), locks, locked: false, screen: machine.path("backlight") };
    let connection = serve(machine.session().system_bus().as_str())
        .name("org.freedesktop.login1")
        .serve_at("/org/freedesktop/login1", manager)
        .serve_at("/org/freedesktop/login1/session/auto", session)
        .build()
        .await
        .unwrap();
    (told, connection)
}

fn serve(address: &str) -> zbus::connection::Builder<'_> {
    zbus::connection::Builder::address(address)
}

#[tokio::test]
async fn power_goes_through_the_login_manager() {
    let machine = Machine::new().with_system_bus();
    let output = act(&machine, json!({"action": "SUSPEND"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    let (told, _connection) = login(&machine, "yes", true).await;
    for action in [json!({"action": "SUSPEND"}), json!({"action": "REBOOT"}), json!({"action": "SHUTDOWN"})] {
        assert_eq!(act(&machine, action).await.ended, Ended::Finished);
    }
    assert_eq!(*told.lock().unwrap(), ["suspend false", "reboot false", "power off false"]);
}

#[tokio::test]
async fn what_the_login_manager_refuses_is_no_success() {
    for (can, expected) in [("na", "cannot do that"), ("challenge", "password"), ("no", "does not let")] {
        let machine = Machine::new().with_system_bus();
        let (told, _connection) = login(&machine, can, true).await;
        let output = act(&machine, json!({"action": "SHUTDOWN"})).await;
        assert!(why(&output).contains(expected), "{:?}", output.ended);
        assert!(told.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_screen_is_locked_or_it_is_told() {
    let machine = Machine::new();
    let output = act(&machine, json!({"action": "LOCK"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    for (locks, expected) in [(true, None), (false, Some("nothing says that it is locked"))] {
        let machine = Machine::new().with_bus().with_system_bus();
        let (told, _connection) = login(&machine, "yes", locks).await;
        let output = act(&machine, json!({"action": "LOCK"})).await;
        assert_eq!(*told.lock().unwrap(), ["lock"]);
        match expected {
            None => assert_eq!(output.ended, Ended::Finished),
            Some(words) => assert!(why(&output).contains(words), "{:?}", output.ended),
        }
    }
}

struct Locker(Told);

#[zbus::interface(name = "org.freedesktop.ScreenSaver")]
impl Locker {
    fn lock(&self) {
        self.0.lock().unwrap().push("locked".to_owned());
    }
}

#[tokio::test]
async fn the_desktops_own_locker_comes_first() {
    let machine = Machine::new().with_bus().with_system_bus();
    let (told, _login) = login(&machine, "yes", true).await;
    let _locker = serve(machine.session().session_bus().unwrap().as_str())
        .name("org.freedesktop.ScreenSaver")
        .serve_at("/ScreenSaver", Locker(Arc::clone(&told)))
        .build()
        .await
        .unwrap();
    assert_eq!(
        act(&machine, json!({"action": "system_op", "target": "bloquear"})).await.ended,
        Ended::Finished
    );
    assert_eq!(*told.lock().unwrap(), ["locked"]);
}

#[tokio::test]
async fn brightness_is_set_by_the_login_manager_where_the_file_is_closed() {
    let machine = Machine::new().with_system_bus();
    let (told, _connection) = login(&machine, "yes", true).await;
    let screen = machine.path("backlight/panel");
    std::fs::create_dir_all(&screen).unwrap();
    std::fs::write(screen.join("max_brightness"), "131072").unwrap();
    // A number that is read-only even for the administrator.
    std::os::unix::fs::symlink("/proc/sys/kernel/ngroups_max", screen.join("brightness")).unwrap();
    let config =
        HandsConfig { backlight: machine.path("backlight"), ..HandsConfig::of_session(machine.session()) };
    for (action, expected) in [("BRIGHTNESS_UP", "60%\n"), ("BRIGHTNESS_DOWN", "50%\n")] {
        let output = act_with(&config, &machine, json!({"action": action}), |_| ()).await;
        assert_eq!(stdout(&output), expected, "{:?}", output.ended);
    }
    // The second time, the double's own file was there and open: the login manager was not called.
    assert_eq!(*told.lock().unwrap(), ["backlight panel 78644"]);
}

struct Network {
    on: bool,
    blocked: bool,
}

#[zbus::interface(name = "org.freedesktop.NetworkManager")]
impl Network {
    #[zbus(property)]
    fn wireless_enabled(&self) -> bool {
        self.on
    }
    #[zbus(property)]
    fn set_wireless_enabled(&mut self, on: bool) {
        self.on = on && !self.blocked;
    }
}

#[tokio::test]
async fn the_wireless_network_is_switched_and_read_back() {
    for blocked in [false, true] {
        let machine = Machine::new().with_system_bus();
        let output = act(&machine, json!({"action": "WIFI", "target": "on"})).await;
        assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
        let _connection = serve(machine.session().system_bus().as_str())
            .name("org.freedesktop.NetworkManager")
            .serve_at("/org/freedesktop/NetworkManager", Network { on: false, blocked })
            .build()
            .await
            .unwrap();
        let output = act(&machine, json!({"action": "WIFI", "target": "on"})).await;
        assert_eq!(output.ended == Ended::Finished, !blocked, "{:?}", output.ended);
        let output = act(&machine, json!({"action": "WIFI", "target": "toggle"})).await;
        assert_eq!(stdout(&output), if blocked { "" } else { "off\n" });
    }
}

struct Adapter(bool);

#[zbus::interface(name = "org.bluez.Adapter1")]
impl Adapter {
    #[zbus(property)]
    fn powered(&self) -> bool {
        self.0
    }
    #[zbus(property)]
    fn set_powered(&mut self, on: bool) {
        self.0 = on;
    }
}

#[tokio::test]
async fn bluetooth_is_switched_and_read_back() {
    let machine = Machine::new().with_system_bus();
    let _connection = serve(machine.session().system_bus().as_str())
        .name("org.bluez")
        .serve_at("/", zbus::fdo::ObjectManager)
        .serve_at("/org/bluez/hci0", Adapter(false))
        .build()
        .await
        .unwrap();
    for (target, expected) in [("on", "on\n"), ("on", "on\n"), ("toggle", "off\n"), ("ligar", "on\n")] {
        let output = act(&machine, json!({"action": "BLUETOOTH", "target": target})).await;
        assert_eq!(stdout(&output), expected, "{target} {:?}", output.ended);
    }
}

struct Activated(Told);

#[zbus::interface(name = "org.freedesktop.Application")]
impl Activated {
    fn activate(&self, _data: HashMap<String, zbus::OwnedVariant>) {
        self.0.lock().unwrap().push("activated".to_owned());
    }
    fn open(&self, uris: Vec<String>, _data: HashMap<String, zbus::OwnedVariant>) {
        self.0.lock().unwrap().extend(uris);
    }
}

#[tokio::test]
async fn an_application_of_the_bus_is_started_by_the_bus() {
    let machine = Machine::new().with_named_display().with_bus();
    let told = Told::default();
    let text = "Name=Bus App\nExec=false\nDBusActivatable=true\nMimeType=inode/directory;";
    machine.entry("org.guard.Bus-App", text);
    let list = "[Default Applications]\ninode/directory=org.guard.Bus-App.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let _connection = serve(machine.session().session_bus().unwrap().as_str())
        .name("org.guard.Bus-App")
        .serve_at("/org/guard/Bus_App", Activated(Arc::clone(&told)))
        .build()
        .await
        .unwrap();
    assert_eq!(
        act(&machine, json!({"action": "OPEN_APP", "target": "bus app"})).await.ended,
        Ended::Finished
    );
    let folder = machine.home().join("a b");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(act(&machine, json!({"action": "OPEN_FOLDER", "target": "a b"})).await.ended, Ended::Finished);
    let uri = url::Url::from_file_path(folder.canonicalize().unwrap()).unwrap().to_string();
    assert_eq!(*told.lock().unwrap(), ["activated".to_owned(), uri]);
}

struct Shuffler {
    on: bool,
    stubborn: bool,
}

#[zbus::interface(name = "org.mpris.MediaPlayer2.Player")]
impl Shuffler {
    #[zbus(property)]
    fn playback_status(&self) -> String {
        "Playing".to_owned()
    }
    #[zbus(property)]
    fn shuffle(&self) -> bool {
        self.on
    }
    #[zbus(property)]
    fn set_shuffle(&mut self, on: bool) {
        self.on = on && !self.stubborn;
    }
}

#[tokio::test]
async fn random_order_is_switched_and_read_back() {
    for stubborn in [false, true] {
        let machine = Machine::new().with_bus();
        let _connection = serve(machine.session().session_bus().unwrap().as_str())
            .name("org.mpris.MediaPlayer2.double")
            .serve_at("/org/mpris/MediaPlayer2", Shuffler { on: false, stubborn })
            .build()
            .await
            .unwrap();
        let output = act(&machine, json!({"action": "MEDIA_SHUFFLE", "target": "on"})).await;
        if stubborn {
            assert!(why(&output).contains("did not react"), "{:?}", output.ended);
            continue;
        }
        assert_eq!(stdout(&output), "double: shuffle on\n", "{:?}", output.ended);
        let output = act(&machine, json!({"action": "MEDIA_SHUFFLE", "target": "toggle"})).await;
        assert_eq!(stdout(&output), "double: shuffle off\n", "{:?}", output.ended);
        // A setting that the player does not support is reported.
        let output = act(&machine, json!({"action": "MEDIA_REPEAT", "target": "all"})).await;
        assert!(why(&output).contains("double cannot do that"), "{:?}", output.ended);
    }
}

struct Pictures;

#[zbus::interface(name = "org.freedesktop.portal.Screenshot")]
impl Pictures {
    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        2
    }
}

/// A portal answers in this way where it may not look at `/proc/PID/root` of its caller, as across groups or containers.
struct Monitor;

#[zbus::interface(name = "org.freedesktop.portal.NetworkMonitor")]
impl Monitor {
    fn get_available(&self) -> zbus::fdo::Result<bool> {
        Err(zbus::fdo::Error::AccessDenied("Portal operation not allowed".to_owned()))
    }
}

#[tokio::test]
async fn a_portal_that_refuses_this_program_is_known_before_anybody_is_asked() {
    let mut machine = Machine::new().with_bus();
    machine.set("XDG_SESSION_TYPE", "wayland");
    let session = machine.session();
    let path = "/org/freedesktop/portal/desktop";
    let _portal = serve(&session.session_bus().unwrap())
        .name("org.freedesktop.portal.Desktop")
        .serve_at(path, Pictures)
        .serve_at(path, Monitor)
        .build()
        .await
        .unwrap();
    let hands = Hands::new(HandsConfig::of_session(session));
    let request = serde_json::from_value(json!({"action": "SCREENSHOT"})).unwrap();
    let proposal = guarda_core::action::Proposal::parse(request).unwrap();
    let situation = hands.look(&proposal, false).unwrap();
    let ended = hands.impossible(&proposal, &situation).await;
    let Some(Ended::Failed(why)) = ended else { panic!("{ended:?}") };
    assert_eq!(why.kind, FailureKind::NotAllowed, "{}", why.detail);
}
