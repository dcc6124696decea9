//! Key presses on a private display: as a keyboard makes them, and as a program fakes them.

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::xinput::{self, ConnectionExt as _};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// A keyboard that X attributes to a slave device, as it does for a real one.
pub struct Keyboard {
    connection: RustConnection,
    device: u8,
    first_event: u8,
}

impl Keyboard {
    /// The keyboard of Xvfb.
    pub fn of(display: &str) -> Self {
        let (connection, _) = RustConnection::connect(Some(display)).unwrap();
        connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let first_event =
            connection.extension_information(xinput::X11_EXTENSION_NAME).unwrap().unwrap().first_event;
        let devices = connection.xinput_xi_query_device(xinput::Device::ALL).unwrap().reply().unwrap();
        let keyboard = devices.infos.iter().find(|device| {
            device.type_ == xinput::DeviceType::SLAVE_KEYBOARD && !String::from_utf8_lossy(&device.name).contains("XTEST")
        });
        let device = u8::try_from(keyboard.unwrap().deviceid).unwrap();
        Self { connection, device, first_event }
    }

    /// Presses and releases the key that makes this letter in the current layout.
    pub fn press(&self, letter: char) {
        let code = self.code(letter);
        for event in [self.first_event + 1, self.first_event + 2] {
            self.connection.xtest_fake_input(event, code, 0, x11rb::NONE, 0, 0, self.device).unwrap();
            self.connection.flush().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // A round trip: the server has seen both.
        self.connection.get_input_focus().unwrap().reply().unwrap();
    }

    fn code(&self, letter: char) -> u8 {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
        let per = usize::from(map.keysyms_per_keycode);
        let wanted = if letter == '\u{1b}' { 0xff1b } else { u32::from(letter) };
        let place = map.keysyms.chunks(per).position(|keysyms| keysyms[0] == wanted);
        first + u8::try_from(place.unwrap()).unwrap()
    }
}
