//! The user's rights without administrator rights.

use guarda_core::output::NotHeld;
use rustix::thread::{CapabilitySet, CapabilitySets};

/// The capabilities of a command run as root: to read and write other users' files, within the sandbox. A
/// project in a container usually belongs to another user.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE;

/// Removes every right from the calling thread and its children that would let them gain more.
///
/// # Errors
/// [`NotHeld`] with the right that could not be removed.
pub(super) fn drop() -> Result<(), NotHeld> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: rustix::io::Errno| NotHeld(format!("{what}: {error}"))
    };
    rustix::thread::set_no_new_privs(true).map_err(failed("no_new_privs"))?;
    let sets = rustix::thread::capabilities(None).map_err(failed("capabilities"))?;
    // A program started by root gets the inheritable capabilities and those in the bounding set.
    let mut left = None;
    for number in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << number);
        match rustix::thread::capability_is_in_bounding_set(one) {
            // The kernel has no more capabilities.
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
    // Unless this is root, a bounding set that cannot be changed gives no capability back.
    match left {
        Some(error) if rustix::process::geteuid().is_root() => {
            Err(NotHeld(format!("the bounding set: {error}")))
        }
        _ => Ok(()),
    }
}
