//! When and where a supervisor was started.

/// When and where a supervisor was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Started {
    /// For one sandbox, now.
    Now,
    /// The same, in mounts of its own if this machine permits them.
    Mounted,
    /// For a cell that can do no harm, in mounts of its own if this machine permits them. `waits`: in advance; it
    /// applies the restrictions that are the same in each of them.
    Look { waits: bool },
    /// As the first process of its own namespaces, for a staged run. `waits`: in advance.
    Within { waits: bool },
    /// For one sandbox with a network of its own, which this process has already entered.
    Networked,
}

impl Started {
    pub(super) fn is_within(self) -> bool {
        matches!(self, Self::Within { .. })
    }
}
