//! The grammar: from bytes to the shape of a script. It knows nothing of values.

pub(super) mod scan;
pub(super) mod tree;

mod grammar;
mod compound;
pub(super) mod redirect;
pub(super) mod words;
mod dollar;
mod ansi;
mod arithmetic;
pub(super) mod sums;
mod parameter;
mod simple;
mod condition;
mod quotes;
