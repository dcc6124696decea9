//! What the user's rights are without those of an administrator.

use guarda_core::output::NotHeld;
use rustix::thread::{CapabilitySet, CapabilitySets};

/// What a command run as root keeps: to read and write the files of others, within what the sandbox opens. A project
/// that lies in a container usually belongs to another user.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE;

/// Takes from the calling thread, and all that it starts, what would let them gain rights.
///
/// # Errors
/// [`NotHeld`]: what could not be taken.
pub(super) fn drop() -> Result<(), NotHeld> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: rustix::io::Errno| NotHeld(format!("{what}: {error}"))
    };
    rustix::thread::set_no_new_privs(true).map_err(failed("no_new_privs"))?;
    let sets = rustix::thread::capabilities(None).map_err(failed("capabilities"))?;
    // What a program started by root gets is what is inheritable and what the bounding set leaves.
    let mut left = None;
    for number in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << number);
        match rustix::thread::capability_is_in_bounding_set(one) {
            // The kernel knows no more.
            Err(_) => break,
            Ok(true) if !KEPT.contains(one) => {
                left = rustix::thread::remove_capability_from_bounding_set(one).err().or(left);
            }
            Ok(_) => {}
        }
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySets { inheritable: CapabilitySet::empty(), ..sets };
    rustix::thread::set_capabilities(None, none).map_err(failed("capabilities"))?;
    // Without the right to change the bounding set there is nothing in it that could come back, unless this is root.
    match left {
        Some(error) if rustix::process::geteuid().is_root() => {
            Err(NotHeld(format!("the bounding set: {error}")))
        }
        _ => Ok(()),
    }
}
