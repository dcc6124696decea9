//! Requests for actions: they are begun as jobs, and answered with a reply, as a stream or later.

pub(super) mod actions;
pub(super) mod execute;
pub(super) mod execution;
pub(super) mod jobs;
pub(super) mod stream;
pub(super) mod tickets;
pub(super) mod tools;
pub(super) mod undo;
