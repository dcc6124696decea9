//! Ends this process so that its parent sees the true cause.

use rustix::process::{Resource, Rlimit};

/// Ends this process with a signal, as if it were not caught. If the signal does not end a process, returns
/// the status with which a shell reports such an end.
#[must_use]
pub fn by_signal(signal: i32) -> u8 {
    // Another program crashed. A core dump of this one would be useless.
    let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    u8::try_from(signal).map_or(u8::MAX, |signal| signal.saturating_add(128))
}

/// True if this process was started with the signal ignored, as by `nohup`. It then stays ignored.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    in_mask(&status, signal)
}

fn in_mask(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    let bit = u32::try_from(signal - 1).ok().and_then(|place| 1_u64.checked_shl(place));
    bit.is_some_and(|bit| mask & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::in_mask;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status =
            "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        for (signal, ignored) in
            [(1, true), (2, false), (13, true), (15, false), (0, false), (65, false), (-1, false)]
        {
            assert_eq!(in_mask(status, signal), ignored, "{signal}");
        }
        assert!(!in_mask("", 1) && !in_mask("SigIgn: x", 1));
    }
}
