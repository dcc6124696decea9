//! KEY_PRESS: names of keys, and their X keysyms.

use crate::devices::desktop::input;
use guarda_core::output::{Ended, FailureKind, RawOutput};

use crate::hands::deeds::Deed;

/// KEY_PRESS: presses all keys of the chord in order, then releases them in the opposite order.
pub(in crate::hands) async fn press(deed: &Deed<'_>, chord: &[String]) -> RawOutput {
    let Some(keysyms) = chord.iter().map(|name| keysym(name)).collect::<Option<Vec<u32>>>() else {
        return deed.quiet(Ended::Failed(
            (FailureKind::NoKey, format!("there is no key {}", chord.join("+"))).into(),
        ));
    };
    let session = deed.config.session.clone();
    match tokio::task::spawn_blocking(move || input::press(&session, &keysyms)).await {
        Ok(done) => deed.answer(done.map(|()| String::new())),
        Err(_panic) => deed.quiet(Ended::Failed((FailureKind::NoDisplay, "the display went away").into())),
    }
}

/// The X keysym for a name of the vocabulary (`X11/keysymdef.h`).
fn keysym(name: &str) -> Option<u32> {
    Some(match name {
        "ctrl" => 0xffe3,
        "shift" => input::SHIFT,
        "alt" => 0xffe9,
        "super" => 0xffeb,
        "enter" | "return" => 0xff0d,
        "space" => 0x20,
        "tab" => 0xff09,
        "esc" | "escape" => 0xff1b,
        "backspace" => 0xff08,
        "delete" => 0xffff,
        "insert" => 0xff63,
        "home" => 0xff50,
        "end" => 0xff57,
        "pageup" => 0xff55,
        "pagedown" => 0xff56,
        "up" => 0xff52,
        "down" => 0xff54,
        "left" => 0xff51,
        "right" => 0xff53,
        "print" => 0xff61,
        "plus" => 0x2b,
        "minus" => 0x2d,
        _ => {
            let mut chars = name.chars();
            match (chars.next()?, chars.next()) {
                (one, None) => character(one),
                ('f', Some(_)) => {
                    let number: u32 =
                        name.get(1..)?.parse().ok().filter(|number| (1..=24).contains(number))?;
                    0xffbd + number
                }
                _ => return None,
            }
        }
    })
}

/// Latin-1 characters are their own keysyms; all others start at 0x1000000.
fn character(c: char) -> u32 {
    let code = u32::from(c);
    if (0x20..=0x7e).contains(&code) || (0xa0..=0xff).contains(&code) { code } else { 0x0100_0000 + code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_vocabulary() {
        for (name, code) in [
            ("y", Some(0x79)),
            ("ç", Some(0xe7)),
            ("f1", Some(0xffbe)),
            ("f24", Some(0xffd5)),
            ("f", Some(0x66)),
            ("f25", None),
            ("ж", Some(0x0100_0436)),
            ("nokey", None),
        ] {
            assert_eq!(keysym(name), code, "{name}");
        }
    }
}
