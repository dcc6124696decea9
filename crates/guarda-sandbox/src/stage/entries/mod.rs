//! Single entries of a tree: what they are, how they are copied, and how they are named in a plan.

pub(in crate::stage) mod attributes;
pub(in crate::stage) mod copy;
pub(in crate::stage) mod dress;
pub(in crate::stage) mod entry;
pub(in crate::stage) mod frame;
pub(in crate::stage) mod tree;
