//! The profiles: which built-in lists are in force.

/// A named choice of lists. The floor is the same in each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Profile {
    /// A person's desktop with a voice assistant (feature M5): reads run, the rest is asked.
    #[default]
    Desktop,
    /// A coding agent in a project folder: its changes are held back, and only the floor is blocked.
    Workspace,
    /// Network forensics (feature S3): programs that look at the network are known, power and disk tools are forbidden.
    Forensics,
    /// An agent in a container (feature P2): whole groups of programs are banned (feature D1).
    Container,
}

impl Profile {
    /// Every profile, in the order of the documents.
    pub const ALL: [Self; 4] = [Self::Desktop, Self::Workspace, Self::Forensics, Self::Container];

    /// The name in configuration and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl std::fmt::Display for Profile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// A name that is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile {0:?}: write desktop, workspace, forensics or container")]
pub struct UnknownProfile(pub String);

impl std::str::FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}
