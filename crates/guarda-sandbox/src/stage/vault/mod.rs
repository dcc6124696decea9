//! Old versions: put away, exchanged with new ones, brought back, and removed.

pub(in crate::stage) mod announced;
pub(in crate::stage) mod apply;
pub(in crate::stage) mod commit;
pub(in crate::stage) mod keep;
pub(in crate::stage) mod plan;
pub(in crate::stage) mod recover;
pub(in crate::stage) mod recovered;
pub(in crate::stage) mod restore;
pub(in crate::stage) mod room;
pub(in crate::stage) mod spots;
pub(in crate::stage) mod undo;
pub(in crate::stage) mod wipe;
