//! A text as it reads once it is decoded, with the way back to where it stands.

pub(crate) mod view;
pub(crate) mod decode;
pub(crate) mod dump;
