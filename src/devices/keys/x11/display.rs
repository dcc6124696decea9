//! The X server: which device was pressed, in which layout, and which program holds the keyboard.

use std::collections::BTreeSet;

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::errors::ReplyError;
use x11rb::protocol::xinput::{self, ConnectionExt as _};
use x11rb::protocol::xkb::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateWindowAux, EventMask, GrabMode, GrabStatus, WindowClass,
};
use x11rb::protocol::{Event, screensaver};
use x11rb::rust_connection::RustConnection;

use crate::devices::Key;
use crate::devices::fault::DeviceFault;
use crate::devices::keys::gesture::Modifiers;
use guarda_core::output::FailureKind;

/// A connection to the X server, shared by the thread that waits for events and the one that sends requests.
pub(super) struct Display {
    connection: RustConnection,
    root: u32,
    /// An invisible window for the grab: a client that grabs the root window receives no raw events.
    window: u32,
    /// The property of the keyboard that programs use (XTEST).
    xtest: u32,
    /// The property with the name of the kernel's device.
    node: u32,
    blanking: bool,
}

/// The display permanently lacks something.
fn absent(why: impl std::fmt::Display) -> DeviceFault {
    DeviceFault::missing(FailureKind::NoDisplay, why)
}

type Told<T> = Result<T, DeviceFault>;

/// True if the display is on this computer (`:0`), as opposed to one that is named by a host.
fn local() -> bool {
    let display = x11rb::reexports::x11rb_protocol::parse_display::parse_display(None);
    display.is_ok_and(|display| {
        display.protocol.as_deref() == Some("unix") || ["", "unix"].contains(&display.host.as_str())
    })
}

/// True if the process at the other end of the socket belongs to root or to this user. When a display ends,
/// its number is free for anyone, and another user's server could report any keyboard.
fn of_this_user(stream: &impl std::os::fd::AsFd) -> bool {
    rustix::net::sockopt::socket_peercred(stream)
        .is_ok_and(|peer| peer.uid.is_root() || peer.uid == rustix::process::geteuid())
}

impl Display {
    /// Connects and selects the presses of all keyboards.
    pub(super) fn open() -> Told<Self> {
        let (connection, screen) = x11rb::connect(None)
            .map_err(|error| DeviceFault::failed(format!("the X server cannot be reached: {error}")))?;
        if local() && !of_this_user(connection.stream()) {
            return Err(DeviceFault::failed(
                "the X server belongs to another user, who could make up what is pressed",
            ));
        }
        let root = connection.setup().roots.get(screen).map(|screen| screen.root);
        let root = root.ok_or_else(|| absent("the X server has no screen"))?;
        let lacks = |name: &'static str| {
            move |there: bool| {
                if there { Ok(()) } else { Err(absent(format!("the X server has no {name}"))) }
            }
        };
        let there = |name: &'static str| connection.extension_information(name).map(|found| found.is_some());
        there(xinput::X11_EXTENSION_NAME).map_err(DeviceFault::from).and_then(lacks("XInput2"))?;
        there(xkb::X11_EXTENSION_NAME).map_err(DeviceFault::from).and_then(lacks("XKEYBOARD"))?;
        // Required by the second listener.
        there("RECORD").map_err(DeviceFault::from).and_then(lacks("RECORD"))?;
        if there("XWAYLAND")? {
            return Err(absent("this is a Wayland session; keys of its windows cannot be seen"));
        }
        // From 2.1 on, raw events arrive even while another client has grabbed the keyboard.
        let version = connection.xinput_xi_query_version(2, 2)?.reply()?;
        if (version.major_version, version.minor_version) < (2, 1) {
            return Err(absent("the X server's XInput is older than 2.1"));
        }
        connection.xkb_use_extension(1, 0)?.reply()?;
        let blanking = there(screensaver::X11_EXTENSION_NAME)?;
        let atom = |name: &[u8]| connection.intern_atom(false, name).map_err(DeviceFault::from);
        let (xtest, node) = (atom(b"XTEST Device")?, atom(b"Device Node")?);
        let (xtest, node) = (xtest.reply()?.atom, node.reply()?.atom);
        let window =
            connection.generate_id().map_err(|error| DeviceFault::failed(format!("the display: {error}")))?;
        let own = CreateWindowAux::new().override_redirect(1).event_mask(EventMask::KEY_PRESS);
        let (nothing, class) = (x11rb::COPY_FROM_PARENT, WindowClass::INPUT_ONLY);
        connection.create_window(0, window, root, -8, -8, 1, 1, 0, class, nothing, &own)?.check()?;
        connection.map_window(window)?.check()?;
        let display = Self { connection, root, window, xtest, node, blanking };
        if display.keyboards()?.iter().any(|name| name.starts_with("xwayland-")) {
            return Err(absent("this is a Wayland session; keys of its windows cannot be seen"));
        }
        let masks = xinput::XIEventMask::RAW_KEY_PRESS | xinput::XIEventMask::RAW_KEY_RELEASE;
        let mask = xinput::EventMask { deviceid: xinput::Device::ALL_MASTER.into(), mask: vec![masks] };
        display.connection.xinput_xi_select_events(root, &[mask])?.check()?;
        Ok(display)
    }

    /// Waits for the next event.
    pub(super) fn wait(&self) -> Told<Event> {
        Ok(self.connection.wait_for_event()?)
    }

    /// The names of the keyboards.
    pub(super) fn keyboards(&self) -> Told<Vec<String>> {
        let devices = self.connection.xinput_xi_query_device(xinput::Device::ALL)?.reply()?;
        let keyboards =
            devices.infos.into_iter().filter(|info| info.type_ == xinput::DeviceType::SLAVE_KEYBOARD);
        Ok(keyboards.map(|info| String::from_utf8_lossy(&info.name).into_owned()).collect())
    }

    /// Checks that a device is a physical keyboard; otherwise returns the reason.
    pub(super) fn source(&self, device: u16) -> Told<Result<(), &'static str>> {
        let Ok(cookie) = self.connection.xinput_xi_query_device(device) else {
            return Ok(Err("its device is unknown"));
        };
        // The device may have been unplugged since: a server error about it is not an error of the display.
        let devices = match cookie.reply() {
            Ok(devices) => devices,
            Err(ReplyError::X11Error(_)) => return Ok(Err("its device is unknown")),
            Err(error) => return Err(error.into()),
        };
        let slave = |info: &xinput::XIDeviceInfo| {
            info.deviceid == device && info.enabled && info.type_ == xinput::DeviceType::SLAVE_KEYBOARD
        };
        if !devices.infos.iter().any(slave) {
            return Ok(Err("it comes from no keyboard of its own"));
        }
        if self.property(device, self.xtest)?.first().is_some_and(|&first| first != 0) {
            return Ok(Err("a program pressed it (XTEST)"));
        }
        let node = self.property(device, self.node)?;
        let node = String::from_utf8_lossy(&node).trim_end_matches('\0').to_owned();
        if made_by_a_program(&node, |link| std::fs::canonicalize(link).ok()) {
            return Ok(Err("a program made its device (uinput)"));
        }
        Ok(Ok(()))
    }

    fn property(&self, device: u16, name: u32) -> Told<Vec<u8>> {
        let reply = self.connection.xinput_xi_get_property(device, false, name, 0, 0, 64)?.reply();
        match reply.map(|reply| reply.items) {
            Ok(xinput::XIGetPropertyItems::Data8(bytes)) => Ok(bytes),
            Ok(_) | Err(ReplyError::X11Error(_)) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Grabs the keyboard, so that a held key is typed nowhere. Returns the reason if another program has it.
    pub(super) fn grab(&self) -> Told<Result<(), &'static str>> {
        let request = self.connection.grab_keyboard(
            false,
            self.window,
            x11rb::CURRENT_TIME,
            GrabMode::ASYNC,
            GrabMode::ASYNC,
        )?;
        Ok(match request.reply()?.status {
            GrabStatus::SUCCESS => Ok(()),
            GrabStatus::ALREADY_GRABBED => {
                Err("another program holds the keyboard: a lock screen, a menu, a full-screen program")
            }
            _ => Err("the keyboard cannot be grabbed now"),
        })
    }

    /// Releases the keyboard.
    pub(super) fn ungrab(&self) -> Told<()> {
        // The reply to a later request proves that it was done.
        self.connection.ungrab_keyboard(x11rb::CURRENT_TIME)?.check()?;
        Ok(())
    }

    /// The keys that are down.
    pub(super) fn down(&self) -> Told<BTreeSet<u8>> {
        let keys = self.connection.query_keymap()?.reply()?.keys;
        let bit =
            |code: u8| keys.get(usize::from(code / 8)).is_some_and(|byte| byte & (1 << (code % 8)) != 0);
        Ok((8..=u8::MAX).filter(|&code| bit(code)).collect())
    }

    /// True while the screen saver blanks or locks the screen: the question is then invisible.
    pub(super) fn blank(&self) -> Told<bool> {
        if !self.blanking {
            return Ok(false);
        }
        let info = screensaver::query_info(&self.connection, self.root)?.reply()?;
        Ok(info.state == u8::from(screensaver::State::ON))
    }

    /// The current modifiers and group (layout), as in a core key event.
    pub(super) fn state(&self) -> Told<u16> {
        let state = self.connection.xkb_get_state(xkb::ID::USE_CORE_KBD.into())?.reply()?;
        Ok(u16::from(state.mods) | u16::from(u8::from(state.group)) << 13)
    }

    /// The symbol of a key in the current layout, group and modifiers.
    pub(super) fn key(&self, keycode: u8, state: u16) -> Told<Option<Key>> {
        let symbols = self.symbols(keycode)?;
        Ok(symbols.and_then(|symbols| key_of(symbols.group_info, symbols.width, &symbols.syms, state)))
    }

    /// True for Shift and Caps Lock, which only make a letter a capital.
    pub(super) fn shifts(&self, keycode: u8) -> Told<bool> {
        const SHIFTS: [u32; 4] = [0xffe1, 0xffe2, 0xffe5, 0xffe6];
        let symbols = self.symbols(keycode)?;
        Ok(symbols
            .and_then(|symbols| symbols.syms.first().copied())
            .is_some_and(|first| SHIFTS.contains(&first)))
    }

    /// The modifier that this key is, if it may be part of a chord.
    pub(super) fn modifier(&self, keycode: u8) -> Told<Option<Modifiers>> {
        let none = Modifiers::default();
        let symbol = self.symbols(keycode)?.and_then(|symbols| symbols.syms.first().copied());
        Ok(match symbol {
            Some(0xffe3 | 0xffe4) => Some(Modifiers { control: true, ..none }),
            Some(0xffe7..=0xffea) => Some(Modifiers { alt: true, ..none }),
            Some(0xffeb | 0xffec) => Some(Modifiers { logo: true, ..none }),
            Some(_) | None => None,
        })
    }

    fn symbols(&self, keycode: u8) -> Told<Option<xkb::KeySymMap>> {
        let none = xkb::VMod::from(0_u16);
        let device = xkb::ID::USE_CORE_KBD.into();
        let part = xkb::MapPart::KEY_SYMS;
        let nothing = xkb::MapPart::from(0_u16);
        let map = self
            .connection
            .xkb_get_map(device, nothing, part, 0, 0, keycode, 1, 0, 0, 0, 0, none, 0, 0, 0, 0, 0, 0)?;
        Ok(map.reply()?.map.syms_rtrn.and_then(|keys| keys.into_iter().next()))
    }
}

/// The meaning of a key: its symbols are in groups (layouts) of `width` levels.
fn key_of(group_info: u8, width: u8, symbols: &[u32], state: u16) -> Option<Key> {
    const SHIFT: u16 = 0x01;
    const NUM_LOCK: u16 = 0x10;
    let groups = usize::from(group_info & 0x0f);
    let group = usize::from((state >> 13) & 0x03);
    // A key with fewer groups than the current layout: its own rule (wrap, clamp or fixed) is in the upper
    // bits.
    let group = match (group_info >> 6, groups) {
        (_, 0) => return None,
        _ if group < groups => group,
        (1, _) => groups - 1,
        (2, _) => usize::from((group_info >> 4) & 0x03).min(groups - 1),
        (_, _) => group % groups,
    };
    let width = usize::from(width);
    let symbol = |level: usize| {
        if level < width {
            symbols.get(group * width + level).copied().filter(|&symbol| symbol != 0)
        } else {
            None
        }
    };
    let plain = symbol(0)?;
    let keypad = (0xff80..=0xffbd).contains(&plain);
    let raised = if keypad { state & NUM_LOCK != 0 } else { state & SHIFT != 0 };
    let symbol = if raised { symbol(1).unwrap_or(plain) } else { plain };
    match symbol {
        0xff1b => Some(Key::Escape),
        // The digits of the keypad.
        0xffb0..=0xffb9 => char::from_digit(symbol - 0xffb0, 10).map(Key::Letter),
        // Latin 1, whose symbols are its characters, and other characters by their number.
        0x21..=0x7e | 0xa1..=0xff => char::from_u32(symbol).map(lower),
        0x0100_0100..=0x0110_ffff => char::from_u32(symbol - 0x0100_0000).map(lower),
        _ => None,
    }
}

fn lower(c: char) -> Key {
    Key::Letter(c.to_lowercase().next().unwrap_or(c))
}

/// True for a kernel device that a program has made (uinput: `ydotool` and similar). Bluetooth keyboards are made by
/// the Bluetooth service (uhid), which only the system may do.
fn made_by_a_program(node: &str, real: impl Fn(&str) -> Option<std::path::PathBuf>) -> bool {
    let Some(name) = node.strip_prefix("/dev/input/") else { return false };
    let Some(path) = real(&format!("/sys/class/input/{name}")) else { return false };
    let path = path.to_string_lossy();
    path.contains("/devices/virtual/") && !path.contains("/uhid/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_letter_counts_and_not_the_position() {
        let (y, z, russian) = ([0x79, 0x59], [0x7a, 0x5a], [0x79, 0x59, 0x6ce, 0x6ee]);
        for (info, width, symbols, state, key) in [
            (1, 2, &y[..], 0, Some(Key::Letter('y'))),
            (1, 2, &y[..], 1, Some(Key::Letter('y'))),
            (1, 2, &y[..], 2, Some(Key::Letter('y'))),
            (1, 2, &z[..], 0, Some(Key::Letter('z'))),
            // us,ru: the second group is Cyrillic.
            (2, 2, &russian[..], 0, Some(Key::Letter('y'))),
            (2, 2, &russian[..], 1 << 13, None),
            // Another key has one group only; the second one wraps to it.
            (1, 1, &[0xff1b][..], 1 << 13, Some(Key::Escape)),
            // French digits are raised.
            (1, 2, &[0x27, 0x34][..], 0, Some(Key::Letter('\''))),
            (1, 2, &[0x27, 0x34][..], 1, Some(Key::Letter('4'))),
            // The keypad.
            (1, 2, &[0xff96, 0xffb4][..], 0x10, Some(Key::Letter('4'))),
            (1, 2, &[0xff96, 0xffb4][..], 0, None),
            (0, 0, &[][..], 0, None),
            (1, 1, &[0xff0d][..], 0, None),
        ] {
            assert_eq!(key_of(info, width, symbols, state), key, "{symbols:x?} {state:x}");
        }
    }

    #[test]
    fn devices_that_programs_make_are_told_apart() {
        let real = |link: &str| {
            let path = match link {
                "/sys/class/input/event0" => "/sys/devices/platform/i8042/serio0/input/input0/event0",
                "/sys/class/input/event7" => "/sys/devices/virtual/input/input9/event7",
                "/sys/class/input/event8" => {
                    "/sys/devices/virtual/misc/uhid/0005:046D:B342.0004/input/input8/event8"
                }
                _ => return None,
            };
            Some(path.into())
        };
        for (node, made) in [
            ("/dev/input/event0", false),
            ("/dev/input/event7", true),
            ("/dev/input/event8", false),
            ("/dev/input/event9", false),
            ("", false),
        ] {
            assert_eq!(made_by_a_program(node, real), made, "{node}");
        }
    }
}
