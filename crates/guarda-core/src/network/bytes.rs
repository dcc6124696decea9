//! A reader of bytes that cannot leave their bounds.

/// The result of reading from the bytes that have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<T> {
    /// More bytes are needed.
    More,
    /// The value, and the number of bytes that it took.
    Done(T, usize),
}

/// A position in a byte slice. A read past the end returns `None`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, length: bytes.len() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The number of bytes read.
    pub(super) fn used(&self) -> usize {
        self.length - self.rest.len()
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u24(&mut self) -> Option<usize> {
        let [high, middle, low] = self.array()?;
        usize::try_from(u32::from_be_bytes([0, high, middle, low])).ok()
    }

    /// Reads a length of one byte and that many bytes.
    pub(super) fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(length.into())
    }

    /// Reads a length of two bytes and that many bytes.
    pub(super) fn long(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(length.into())
    }
}
