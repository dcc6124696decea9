//! The frames in which a command's output is sent to `guarda run`: one letter, the length in four bytes, and the payload.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::guard::Outcome;

/// The content type.
pub const CONTENT_TYPE: &str = "application/vnd.guarda.frames";

/// The longest payload of a frame, in bytes.
const LONGEST: usize = 64 * 1024;
/// The length of a frame's head: letter and length.
const HEAD: usize = 5;

/// The frames for bytes of standard output.
#[must_use]
pub fn out(bytes: &[u8]) -> Vec<Vec<u8>> {
    encoded(b'o', bytes)
}

/// The frames for bytes of standard error.
#[must_use]
pub fn err(bytes: &[u8]) -> Vec<Vec<u8>> {
    encoded(b'e', bytes)
}

/// The last frame.
#[must_use]
pub fn end<R: Serialize>(end: &EndFrame<R>) -> Vec<Vec<u8>> {
    encoded(b'x', &serde_json::to_vec(end).unwrap_or_default())
}

fn encoded(letter: u8, bytes: &[u8]) -> Vec<Vec<u8>> {
    let frame = |part: &[u8]| {
        let length = u32::try_from(part.len()).unwrap_or(0).to_be_bytes();
        [&[letter], length.as_slice(), part].concat()
    };
    bytes.chunks(LONGEST).map(frame).collect()
}

/// A received frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Bytes for standard output.
    Out(Vec<u8>),
    /// Bytes for standard error.
    Err(Vec<u8>),
    /// The end. No frame follows.
    End(EndFrame),
}

/// How the command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndFrame<R = serde_json::Value> {
    /// The status of the program.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default)]
    pub signal: Option<i32>,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// Why it was not done, in one sentence; otherwise empty.
    #[serde(default)]
    pub message: String,
    /// A refusal in full: who, why, what would have been done, and what to do instead.
    #[serde(default)]
    pub refusal: Option<R>,
    /// The folder in which it ended, if that is another one.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// It may have ended in another folder, which is not known or is gone.
    #[serde(default)]
    pub folder_unknown: bool,
}

/// Bytes that do not form frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the guard's answer is not understood: {0}")]
pub struct Garbage(&'static str);

/// Splits a stream into frames, in whatever pieces it arrives.
#[derive(Debug, Default)]
pub struct Frames {
    held: Vec<u8>,
    ended: bool,
}

impl Frames {
    /// Adds received bytes.
    ///
    /// # Errors
    /// [`Garbage`] if something came after the end.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Garbage> {
        if self.ended && !bytes.is_empty() {
            return Err(Garbage("it goes on behind its end"));
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes the next complete frame; `None` until more bytes have arrived.
    ///
    /// # Errors
    /// [`Garbage`]
    pub fn take(&mut self) -> Result<Option<Frame>, Garbage> {
        let Some((&[letter, a, b, c, d], rest)) = self.held.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        if !matches!(letter, b'o' | b'e' | b'x') {
            return Err(Garbage("a frame is of no known kind"));
        }
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(Garbage("a frame is too long"));
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let payload = payload.to_vec();
        self.held.drain(..HEAD + length);
        Ok(Some(match letter {
            b'o' => Frame::Out(payload),
            b'e' => Frame::Err(payload),
            _ => {
                let end = serde_json::from_slice(&payload).map_err(|_| Garbage("its end cannot be read"))?;
                self.ended = true;
                if !self.held.is_empty() {
                    return Err(Garbage("it goes on behind its end"));
                }
                Frame::End(end)
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frame as the format describes it, whatever is in it.
    fn frame(letter: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&[letter], length.as_slice(), payload].concat()
    }

    /// Decodes a stream that arrives in these pieces: all its frames, and the error at its end.
    fn all<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Frame>, Option<Garbage>) {
        let (mut frames, mut found) = (Frames::default(), Vec::new());
        for piece in pieces {
            if let Err(garbage) = frames.add(piece) {
                return (found, Some(garbage));
            }
            loop {
                match frames.take() {
                    Ok(Some(frame)) => found.push(frame),
                    Ok(None) => break,
                    Err(garbage) => return (found, Some(garbage)),
                }
            }
        }
        (found, None)
    }

    #[test]
    fn ends_are_read() {
        for (text, end) in [
            (
                r#"{"exit_code":7,"signal":null,"outcome":"done","message":""}"#,
                Some(EndFrame {
                    exit_code: Some(7),
                    signal: None,
                    outcome: Outcome::Done,
                    message: String::new(),
                    refusal: None,
                    folder: None,
                    folder_unknown: false,
                }),
            ),
            (
                r#"{"exit_code":null,"signal":15,"outcome":"failed","message":"m","folder":"/a","folder_unknown":true,"more":1}"#,
                Some(EndFrame {
                    exit_code: None,
                    signal: Some(15),
                    outcome: Outcome::Failed,
                    message: "m".to_owned(),
                    refusal: None,
                    folder: Some("/a".into()),
                    folder_unknown: true,
                }),
            ),
            (r#"{"exit_code":0}"#, None),
            (r#"{"exit_code":0,"outcome":"perhaps"}"#, None),
            (r#"{"exit_code":"0","outcome":"done"}"#, None),
            ("", None),
            ("[]", None),
        ] {
            let (found, garbage) = all(std::iter::once(frame(b'x', text.as_bytes()).as_slice()));
            assert_eq!(found, end.map(Frame::End).into_iter().collect::<Vec<_>>(), "{text}");
            assert_eq!(garbage.is_some(), found.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_sent_is_what_arrives() {
        let end = EndFrame {
            exit_code: Some(7),
            signal: None,
            outcome: Outcome::Done,
            message: "m".to_owned(),
            refusal: None,
            folder: Some("/a".into()),
            folder_unknown: false,
        };
        let long = vec![b'a'; LONGEST + 1];
        let sent = [out(&long), err(b"e"), out(b""), super::end(&end)].concat();
        let (found, garbage) = all(sent.iter().map(Vec::as_slice));
        let [first, rest] = [&long[..LONGEST], &long[LONGEST..]].map(|part| Frame::Out(part.to_vec()));
        assert_eq!(found, [first, rest, Frame::Err(b"e".to_vec()), Frame::End(end)]);
        assert_eq!(garbage, None);
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        let end = || frame(b'x', br#"{"exit_code":0,"outcome":"done"}"#);
        for bytes in [
            b"HTTP/1.1".to_vec(),
            frame(b'O', b""),
            [b"o".as_slice(), &[0xff; 4]].concat(),
            [b"o".as_slice(), &[0, 1, 0, 1]].concat(),
            [end(), b"o".to_vec()].concat(),
            [end(), end()].concat(),
        ] {
            assert!(all(std::iter::once(bytes.as_slice())).1.is_some(), "{bytes:?}");
            assert!(all(bytes.chunks(1)).1.is_some(), "{bytes:?}");
        }
        let longest = frame(b'e', &[0; LONGEST]);
        assert_eq!(all(longest.chunks(1000)), (vec![Frame::Err(vec![0; LONGEST])], None));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(
            parts in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..300)), 0..12),
            cuts in prop::collection::vec(1_usize..400, 1..30),
            ends in any::<bool>(),
        ) {
            let mut stream: Vec<u8> =
                parts.iter().flat_map(|(out, bytes)| frame(if *out { b'o' } else { b'e' }, bytes)).collect();
            let mut expected: Vec<Frame> =
                parts.into_iter().map(|(out, bytes)| if out { Frame::Out(bytes) } else { Frame::Err(bytes) }).collect();
            if ends {
                stream.extend(frame(b'x', br#"{"signal":9,"outcome":"done"}"#));
                let end = EndFrame { exit_code: None, signal: Some(9), outcome: Outcome::Done, message: String::new(), refusal: None, folder: None, folder_unknown: false };
                expected.push(Frame::End(end));
            }
            let (mut rest, mut pieces) = (stream.as_slice(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (piece, after) = rest.split_at(rest.len().min(*cut));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(all(pieces.into_iter()), (expected, None));
        }

        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(prop_oneof![Just(b'o'), Just(b'x'), Just(0), any::<u8>()], 0..200),
            cut in 1_usize..50) {
            let whole = all(std::iter::once(bytes.as_slice()));
            let cut = all(bytes.chunks(cut));
            prop_assert_eq!(whole, cut);
        }
    }
}
