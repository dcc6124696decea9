//! Presses on the keyboard of a private display, as a person's keyboard makes them and as a program fakes
//! them.

use std::time::Duration;

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::xinput::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{self, ConnectionExt as _};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Key positions on an American keyboard.
pub const A: u8 = 38;
pub const Y: u8 = 29;
pub const Z: u8 = 52;
pub const S: u8 = 39;
pub const O: u8 = 32;
pub const N: u8 = 57;
pub const X: u8 = 53;
pub const ESCAPE: u8 = 9;
pub const CONTROL: u8 = 37;
pub const SHIFT: u8 = 50;
pub const ALT: u8 = 64;
pub const SUPER: u8 = 133;
pub const CAPS_LOCK: u8 = 66;

/// A hand on one display.
pub struct Fingers {
    connection: RustConnection,
    root: u32,
    device: u8,
    first_event: u8,
}

impl Fingers {
    pub fn on(display: &str) -> Self {
        let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = connection.setup().roots[screen].root;
        connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let first_event =
            connection.extension_information(xinput::X11_EXTENSION_NAME).unwrap().unwrap().first_event;
        let devices = connection.xinput_xi_query_device(xinput::Device::ALL).unwrap().reply().unwrap();
        let own = devices.infos.iter().find(|device| {
            device.type_ == xinput::DeviceType::SLAVE_KEYBOARD
                && !String::from_utf8_lossy(&device.name).contains("XTEST")
        });
        let device = u8::try_from(own.unwrap().deviceid).unwrap();
        Self { connection, root, device, first_event }
    }

    fn device_event(&self, kind: u8, key: u8) {
        let event = self.first_event + kind;
        self.connection.xtest_fake_input(event, key, 0, x11rb::NONE, 0, 0, self.device).unwrap();
        self.settle();
    }

    /// A round trip, after which the server has seen everything.
    fn settle(&self) {
        self.connection.get_input_focus().unwrap().reply().unwrap();
    }

    /// Presses a key of the real keyboard.
    pub fn down(&self, key: u8) {
        self.device_event(1, key);
    }

    /// And up again.
    pub fn up(&self, key: u8) {
        self.device_event(2, key);
    }

    pub fn press(&self, key: u8) {
        self.down(key);
        self.up(key);
    }

    /// Held for more than a second, as a person answers.
    pub fn hold(&self, key: u8) {
        self.down(key);
        std::thread::sleep(Duration::from_millis(1300));
        self.up(key);
    }

    /// Two keys together.
    pub fn chord(&self, modifier: u8, key: u8) {
        self.down(modifier);
        self.press(key);
        self.up(modifier);
    }

    /// A program holds a key, as `xdotool` does.
    pub fn fake(&self, key: u8, long: Duration) {
        for kind in [xproto::KEY_PRESS_EVENT, xproto::KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(kind, key, 0, x11rb::NONE, 0, 0, 0).unwrap();
            self.settle();
            std::thread::sleep(if kind == xproto::KEY_PRESS_EVENT { long } else { Duration::ZERO });
        }
    }

    /// A program sends a key event to the root window, as `xdotool key --window` does.
    pub fn send(&self, key: u8) {
        let event = xproto::KeyPressEvent {
            response_type: xproto::KEY_PRESS_EVENT,
            detail: key,
            sequence: 0,
            time: x11rb::CURRENT_TIME,
            root: self.root,
            event: self.root,
            child: x11rb::NONE,
            root_x: 0,
            root_y: 0,
            event_x: 0,
            event_y: 0,
            state: xproto::KeyButMask::default(),
            same_screen: true,
        };
        self.connection.send_event(true, self.root, xproto::EventMask::KEY_PRESS, event).unwrap();
        self.settle();
    }

    /// Another program grabs the keyboard, as a lock screen does; true if it succeeds.
    pub fn grab(&self) -> bool {
        let mode = xproto::GrabMode::ASYNC;
        let grab = self.connection.grab_keyboard(true, self.root, x11rb::CURRENT_TIME, mode, mode).unwrap();
        grab.reply().unwrap().status == xproto::GrabStatus::SUCCESS
    }

    pub fn ungrab(&self) {
        self.connection.ungrab_keyboard(x11rb::CURRENT_TIME).unwrap();
        self.settle();
    }
}
