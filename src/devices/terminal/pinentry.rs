//! Asks for a password with pinentry, in the Assuan protocol: lines, answered by `OK`, `ERR` or data.
//!
//! Answers are kept only in memory that is zeroed, never in a library's buffer.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use zeroize::Zeroizing;

/// Pinentry programs for a terminal.
const TERMINAL: [&str; 3] = ["/usr/bin/pinentry-curses", "/usr/bin/pinentry-tty", "/usr/bin/pinentry"];
/// Those that open a window.
const WINDOW: [&str; 5] = [
    "/usr/bin/pinentry-gnome3",
    "/usr/bin/pinentry-qt",
    "/usr/bin/pinentry-gtk-2",
    "/usr/bin/pinentry-x11",
    "/usr/bin/pinentry",
];
/// Its time limit for an answer; shorter than that of the calling process.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(50);
/// Longest line of the protocol, in bytes.
const LONGEST: usize = 4096;

/// The first known pinentry that fits: for a terminal or with a window.
#[must_use]
pub fn find(terminal: bool) -> Option<PathBuf> {
    let known: &[&str] = if terminal { &TERMINAL } else { &WINDOW };
    known.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Asks once. The program does not inherit the variable `kept`.
///
/// # Errors
/// If it cannot be started, was cancelled, or answers something unknown.
pub fn ask(program: &Path, prompt: &str, terminal: bool, kept: &str) -> std::io::Result<Zeroizing<Vec<u8>>> {
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(program);
    command.env_remove(kept).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("it has no pipes"));
    };
    let kind = std::env::var("TERM").unwrap_or_else(|_| "xterm".to_owned());
    let asked = converse(input, output, prompt, terminal.then_some(kind.as_str()));
    // Its pipes are closed, so it ends.
    let _ = child.wait();
    asked
}

/// The conversation. `terminal` is the type of the terminal on which it asks.
fn converse(
    mut input: impl Write,
    mut output: impl Read,
    prompt: &str,
    terminal: Option<&str>,
) -> std::io::Result<Zeroizing<Vec<u8>>> {
    settled(&mut output)?;
    let mut orders = vec!["SETTITLE guarda".to_owned()];
    if let Some(kind) = terminal {
        orders.push("OPTION ttyname=/dev/tty".to_owned());
        orders.push(format!("OPTION ttytype={}", escaped(kind)));
        orders.push("OPTION lc-ctype=C.UTF-8".to_owned());
    }
    orders.push(format!("SETDESC {}", escaped(prompt)));
    orders.push("SETPROMPT :".to_owned());
    // It times out before the terminal is taken from it.
    orders.push(format!("SETTIMEOUT {}", PATIENCE.as_secs()));
    for order in orders {
        input.write_all(format!("{order}\n").as_bytes())?;
        settled(&mut output)?;
    }
    input.write_all(b"GETPIN\n")?;
    let password = settled(&mut output)?;
    let _ = input.write_all(b"BYE\n");
    Ok(password)
}

/// Reads until `OK` and returns the data before it.
fn settled(output: &mut impl Read) -> std::io::Result<Zeroizing<Vec<u8>>> {
    let mut data = Zeroizing::new(Vec::with_capacity(LONGEST));
    loop {
        let line = line(output)?;
        if line.as_slice() == b"OK" || line.starts_with(b"OK ") {
            return Ok(data);
        }
        if let Some(part) = line.strip_prefix(b"D ") {
            plain(part, &mut data)?;
        } else if line.starts_with(b"ERR ") {
            return Err(std::io::Error::other("it was called off"));
        } else if !(line.starts_with(b"S ") || line.starts_with(b"#")) {
            return Err(std::io::Error::other("pinentry says what is not understood"));
        }
    }
}

/// Reads a line byte by byte, because a buffer would not be zeroed.
fn line(output: &mut impl Read) -> std::io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut byte = Zeroizing::new([0_u8]);
    loop {
        output.read_exact(byte.as_mut_slice())?;
        match byte.first() {
            Some(b'\n') => return Ok(line),
            Some(_) if line.len() >= LONGEST => return Err(std::io::Error::other("pinentry says too much")),
            Some(byte) => line.push(*byte),
            None => {}
        }
    }
}

/// Decodes `%41`. The data never outgrows its memory, so that no copy of it is left behind.
fn plain(text: &[u8], data: &mut Vec<u8>) -> std::io::Result<()> {
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        let byte = if byte == b'%' {
            let mut digit = || bytes.next().and_then(|digit| char::from(digit).to_digit(16));
            let (high, low) = (digit(), digit());
            let whole = high.zip(low).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            whole.ok_or_else(|| std::io::Error::other("pinentry says what is not understood"))?
        } else {
            byte
        };
        if data.len() >= LONGEST || matches!(byte, b'\n' | 0) {
            return Err(std::io::Error::other("this is no password"));
        }
        data.push(byte);
    }
    Ok(())
}

/// A text in a line of the protocol.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '\n' => "%0A".to_owned(),
            c if c.is_control() => String::new(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(said: &[u8]) -> (std::io::Result<Zeroizing<Vec<u8>>>, String) {
        let mut written = Vec::new();
        let asked = converse(&mut written, said, "50% of\nthis", Some("xterm"));
        (asked, String::from_utf8(written).unwrap())
    }

    #[test]
    fn a_password_is_taken_apart_and_nothing_else_is_one() {
        let before = b"OK ready\nOK\nOK\n# a remark\nOK\nOK\nOK\nOK\nOK\n";
        let with = |end: &[u8]| asked(&[before.as_slice(), end].concat());
        let (password, written) = with(b"S PASSWORD_FROM_CACHE\nD a%25%41%C3%A7\nOK\n");
        assert_eq!(password.unwrap().as_slice(), "a%Aç".as_bytes());
        assert!(
            written.contains("SETDESC 50%25 of%0Athis\n") && written.ends_with("GETPIN\nBYE\n"),
            "{written}"
        );
        assert_eq!(with(b"OK\n").0.unwrap().as_slice(), b"", "an empty one");
        for end in [
            &b"ERR 83886179 Operation cancelled <Pinentry>\n"[..],
            b"D secret\n",
            b"D secret\nERR 1 no\n",
            b"D %4\nOK\n",
            b"D %zz\nOK\n",
            b"D a%0Ab\nOK\n",
            b"INQUIRE X\n",
            b"",
            b"\0\0\n",
        ] {
            assert!(with(end).0.is_err(), "{end:?}");
        }
        assert!(with(&[b"D ".as_slice(), &[b'x'; 5000], b"\nOK\n"].concat()).0.is_err());
        let many: Vec<u8> =
            std::iter::repeat_n(b"D xxxxxxxxxxxxxxxx\n".as_slice(), 500).flatten().copied().collect();
        assert!(with(&many).0.is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(bytes: Vec<u8>) {
            let _ = asked(&bytes);
        }
    }
}
