//! The namespaces of a run, and what is mounted in them.

pub(crate) mod alone;
pub(crate) mod hide;
pub(crate) mod home;
pub(crate) mod mounts;
pub(crate) mod namespaces;
pub(crate) mod pinned;
pub(crate) mod session_sockets;
pub(crate) mod stand_ins;
pub(crate) mod user_namespace;
