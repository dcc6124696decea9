//! Reading bytes without ever stepping out of them.

/// How far a reader came with the bytes that have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<T> {
    /// More bytes are needed.
    More,
    /// The whole thing, and how many bytes it took.
    Done(T, usize),
}

/// A position in bytes. Every read that goes beyond the end gives `None`.
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

    /// How many bytes were taken.
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

    /// What a length of one byte announces.
    pub(super) fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(length.into())
    }

    /// What a length of two bytes announces.
    pub(super) fn long(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(length.into())
    }
}
