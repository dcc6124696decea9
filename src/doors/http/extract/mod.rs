//! What handlers take from a request: its body and its query, read strictly and within limits.

pub(super) mod body;
pub(crate) mod json;
pub(super) mod query;
