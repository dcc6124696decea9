//! How strictly a command is confined.

use serde::{Deserialize, Serialize};

/// How strictly a command is confined. The configuration sets the level, and a caller can raise it. Ordered
/// from lax to strict.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "kebab-case")]
pub enum SandboxLevel {
    /// Not confined, but its processes still end with it.
    None,
    /// Landlock, seccomp, resource limits and no new privileges; no namespaces.
    #[default]
    Confined,
    /// `Confined`, in namespaces of its own that bubblewrap makes.
    Isolated,
}

impl SandboxLevel {
    /// Every level, the loosest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Confined, Self::Isolated];

    /// The name on the wire and in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl std::fmt::Display for SandboxLevel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// A name that no sandbox level has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no sandbox; write \"none\", \"confined\" or \"isolated\"")]
pub struct UnknownSandbox(pub String);

impl std::str::FromStr for SandboxLevel {
    type Err = UnknownSandbox;

    fn from_str(text: &str) -> Result<Self, UnknownSandbox> {
        let named = Self::ALL.into_iter().find(|level| level.name() == text);
        named.ok_or_else(|| UnknownSandbox(text.to_owned()))
    }
}
