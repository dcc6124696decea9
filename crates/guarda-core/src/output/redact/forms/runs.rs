//! Runs of letters and digits that are secrets by their form, without a name or a known prefix.

use super::literal::Stretch;
use crate::output::redact::value::{Shape, is_random};

/// Finds runs in one pass. `public` are ranges without secrets, in order.
pub(crate) fn find(text: &str, public: &[Stretch], mut found: impl FnMut(Stretch, &'static str)) {
    let mut open = public.iter().peekable();
    for (start, end) in long(text.as_bytes(), 20, in_run) {
        while open.next_if(|(_, to)| *to <= start).is_some() {}
        if open.peek().is_some_and(|(from, _)| *from <= start) {
            continue;
        }
        let Some(run) = text.get(start..end) else { continue };
        if let Some((from, to, kind)) = judge(run, is_set(text, start)) {
            found((start + from, start + to), kind);
        }
    }
}

/// The runs of at least `least` bytes that all fit. Looks at every `least`-th byte first, since most texts have few.
pub(crate) fn long(bytes: &[u8], least: usize, fits: fn(u8) -> bool) -> impl Iterator<Item = Stretch> {
    let (mut from, mut probe) = (0, least - 1);
    std::iter::from_fn(move || {
        loop {
            if !fits(*bytes.get(probe)?) {
                probe += least;
                continue;
            }
            let back = bytes.get(from..probe)?.iter().rposition(|byte| !fits(*byte));
            let on = bytes.get(probe..)?.iter().position(|byte| !fits(*byte));
            let (start, end) =
                (back.map_or(from, |at| from + at + 1), on.map_or(bytes.len(), |at| probe + at));
            (from, probe) = (end, end + least);
            if end - start >= least {
                return Some((start, end));
            }
        }
    })
}

fn in_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
}

fn judge(run: &str, set: bool) -> Option<(usize, usize, &'static str)> {
    let whole = |kind| Some((0, run.len(), kind));
    if !set && is_key_line(run) {
        return whole("private_key");
    }
    if run.len() > 32
        && let Some((digest, place)) = run.split_once("-us")
        && digest.len() >= 32
        && digest.get(digest.len() - 32..).is_some_and(|tail| tail.bytes().all(|b| b.is_ascii_hexdigit()))
        && (1..=2).contains(&place.len())
        && place.bytes().all(|byte| byte.is_ascii_digit())
    {
        return whole("api_key");
    }
    if let Some(at) = prefixed(run) {
        return Some((at, run.len(), "token"));
    }
    if is_in_three(run) {
        return whole("token");
    }
    is_ended(run).then_some((0, run.len(), "api_key"))
}

/// Keys with a known suffix: those of New Relic and MaxMind.
fn is_ended(run: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    run.len() == 40 && run.strip_suffix("NRAL").is_some_and(|head| head.get(..32).is_some_and(hex))
        || run.len() == 40
            && run.strip_suffix("_mmk").is_some_and(|head| head.as_bytes().get(6) == Some(&b'_'))
        || run.strip_suffix("-NRMA").is_some_and(|head| head.len() == 42 && head.get(6..).is_some_and(hex))
}

/// True if it is assigned to a name: `x = '…`, `x: "…`, `x=…`.
fn is_set(text: &str, start: usize) -> bool {
    let before = text.as_bytes().get(start.saturating_sub(4)..start).unwrap_or_default();
    let lead = before.iter().rev().find(|byte| !matches!(byte, b'"' | b'\'' | b' ' | b'`'));
    matches!(lead, Some(b'=' | b':' | b'(' | b','))
}

/// A line of a private key outside its block: 64 (PEM) or 70 (OpenSSH) characters.
fn is_key_line(run: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if !matches!(run.len(), 64 | 70) || !run.bytes().all(base64) {
        return false;
    }
    let shape = Shape::of(run);
    shape.upper >= 8 && shape.lower >= 8 && shape.distinct >= 26 && shape.turns >= 20
}

/// `abc_` or `abc-live_`, then random text.
fn prefixed(run: &str) -> Option<usize> {
    let cut = run.rfind('_')?;
    let (head, tail) = (run.get(..cut)?, run.get(cut + 1..)?);
    let name = head.rsplit(['=', '/', '.', '+']).next()?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    if tail.len() < 24 || !(2..=16).contains(&name.len()) || !name.bytes().all(plain) {
        return None;
    }
    let shape = Shape::of(tail);
    let drawn = shape.other == 0 && shape.upper >= 4 && shape.lower >= 4 && shape.digit >= 2;
    (drawn && is_random(tail, 24)).then_some(head.len() - name.len())
}

/// Three parts separated by dots, as in tokens of Discord bots.
fn is_in_three(run: &str) -> bool {
    let mut parts = run.split('.');
    let (Some(first), Some(middle), Some(last), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    (23..=28).contains(&first.len())
        && first.starts_with(['M', 'N', 'O'])
        && middle.len() == 6
        && last.len() >= 25
        && is_random(first, 20)
        && is_random(last, 25)
}
