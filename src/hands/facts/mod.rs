//! What is looked at before the judgement, and held until the deed.

pub(in crate::hands) mod freeze;
pub(in crate::hands) mod guarded;
pub(in crate::hands) mod hidden;
pub(in crate::hands) mod look;
pub(in crate::hands) mod network_facts;
pub(in crate::hands) mod possible;
pub(in crate::hands) mod preview;
pub(in crate::hands) mod sub_commands;
pub(in crate::hands) mod tracked;
pub(in crate::hands) mod words;
pub(in crate::hands) mod view;
