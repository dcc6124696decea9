//! Files and folders: paths, what they lead to, and work on them.

pub mod paths;
pub mod files;
pub mod tree;
pub mod patterns;
pub mod census;
pub mod touch;
pub mod rewrite;
pub mod own;
