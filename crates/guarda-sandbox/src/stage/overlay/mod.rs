//! What a run wrote: read from the upper layer of its overlays, compared, and bounded.

pub(in crate::stage) mod compare;
pub(in crate::stage) mod links;
pub(in crate::stage) mod marked;
pub(in crate::stage) mod preview;
pub(in crate::stage) mod report;
pub(in crate::stage) mod scratch;
pub(in crate::stage) mod touches;
pub(in crate::stage) mod upper;
pub(in crate::stage) mod watch;
