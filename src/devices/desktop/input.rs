//! Presses keys on an X display through its XTEST extension.

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::devices::desktop::display::SessionDisplay;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

/// A key in the active layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    code: u8,
    /// The layout requires Shift.
    shifted: bool,
}

/// Presses the keys in order and always releases them in reverse order. The keys are X keysyms, which the active layout
/// maps to keys of the keyboard.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display that permits it, or if the layout has no such key.
pub fn press(session: &DesktopSession, keysyms: &[u32]) -> Result<(), DeviceFault> {
    display(session)?;
    let SessionDisplay { connection, root, .. } = SessionDisplay::open(session)?;
    connection
        .xtest_get_version(2, 2)?
        .reply()
        .map_err(|_| DeviceFault::absent("the display does not let programs press keys (no XTEST)"))?;
    let setup = connection.setup();
    let (first, last) = (setup.min_keycode, setup.max_keycode);
    let pointer = connection.query_pointer(root)?;
    let map = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
    // Bits 13 and 14 of the state give the layout's active group (X Keyboard Extension).
    let group = pointer.reply().map_or(0, |state| usize::from(u16::from(state.mask) >> 13 & 3));
    let find = |keysym| find(&map.keysyms, usize::from(map.keysyms_per_keycode), group, first, keysym);
    let mut codes: Vec<u8> = Vec::new();
    for &keysym in keysyms {
        let key = find(keysym)
            .ok_or_else(|| DeviceFault::missing(FailureKind::NoKey, "the keyboard layout has no such key"))?;
        if key.shifted {
            let shift = find(SHIFT).ok_or_else(|| {
                DeviceFault::missing(FailureKind::NoKey, "the keyboard layout has no Shift")
            })?;
            if !codes.contains(&shift.code) {
                codes.push(shift.code);
            }
        }
        codes.push(key.code);
    }
    let send = |kind: u8, code: u8| {
        connection.xtest_fake_input(kind, code, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0).map(drop)
    };
    let pressed = codes.iter().try_for_each(|&code| send(KEY_PRESS_EVENT, code));
    for &code in codes.iter().rev() {
        let _ = send(KEY_RELEASE_EVENT, code);
    }
    pressed?;
    // A reply comes only after all earlier requests were processed.
    connection.get_input_focus()?.reply()?;
    Ok(())
}

/// The keysym of the left Shift key.
pub const SHIFT: u32 = 0xffe1;

/// Checks that keys can be pressed here, and returns the display's name.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display. Under Wayland, keys would reach only some windows.
pub fn display(session: &DesktopSession) -> Result<&str, DeviceFault> {
    if session.get("WAYLAND_DISPLAY").is_some() {
        return Err(DeviceFault::missing(
            FailureKind::OnlyX11,
            "keys can be pressed under X11 only; this is a Wayland session",
        ));
    }
    session
        .get("DISPLAY")
        .ok_or_else(|| DeviceFault::missing(FailureKind::NoDisplay, "no display: DISPLAY is not set"))
}

/// True if an X server answers at the session's display.
#[must_use]
pub fn answers(session: &DesktopSession) -> bool {
    session.get("DISPLAY").is_some_and(|display| RustConnection::connect(Some(display)).is_ok())
}

/// Finds a keysym in the layout's active group: plain first, then with Shift.
fn find(keysyms: &[u32], width: usize, group: usize, first: u8, wanted: u32) -> Option<Key> {
    // The core protocol's columns: group 1 plain and shifted, group 2 plain and shifted.
    let offset = if group == 1 && width >= 4 { 2 } else { 0 };
    let rows = || keysyms.chunks(width.max(1)).zip(first..=u8::MAX);
    let at = |column: usize| rows().find(|(row, _)| row.get(column) == Some(&wanted)).map(|(_, code)| code);
    let plain = at(offset).or_else(|| at(0)).map(|code| Key { code, shifted: false });
    plain.or_else(|| at(offset + 1).map(|code| Key { code, shifted: true }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_the_layout_in_force() {
        // Two keys; a Latin group and a Cyrillic one.
        let map = [0x79, 0x59, 0x6cd, 0x6ed, 0x31, 0x21, 0x31, 0x21];
        let find = |group, wanted| super::find(&map, 4, group, 8, wanted);
        assert_eq!(find(0, 0x79), Some(Key { code: 8, shifted: false }));
        assert_eq!(find(0, 0x21), Some(Key { code: 9, shifted: true }));
        assert_eq!(find(1, 0x6cd), Some(Key { code: 8, shifted: false }));
        assert_eq!(find(0, 0x7a), None);
    }
}
