//! The files of the record: their names, what was written into them, the signed heads, and the thread that writes.

pub(super) mod folder;
pub(super) mod scan;
pub mod checkpoint;
pub mod checkpoints;
pub(super) mod log_file;
pub mod keeping;
pub(super) mod segment_store;
pub(super) mod writer;
pub(super) mod queue;
