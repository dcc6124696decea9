//! What a finding is about.

/// The subject of a finding: for filters, statistics, and to limit overrides. Rules name tags as text; an unknown one
/// is kept unchanged.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, strum::EnumString, strum::AsRefStr, strum::EnumIter,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Tag {
    /// A second opinion of a language model.
    Advice,
    /// What the configuration forbids by name.
    Banned,
    /// What the caller claims of its own request.
    Caller,
    /// Loss that cannot be repaired: a disk, a home folder, a system.
    Catastrophic,
    /// Programs in containers, and access to the container service.
    Container,
    /// The desktop: sound, windows, messages.
    Desktop,
    /// Something is deleted or overwritten.
    Destructive,
    /// Disks and partitions.
    Disk,
    /// Disguised commands.
    Evasion,
    /// Text that is not known beforehand is executed.
    Exec,
    /// Something seen in this session can leave the machine.
    Exfiltration,
    /// Files change.
    Files,
    /// The history of a repository.
    Git,
    /// The guard itself: its program, configuration, record or keys.
    Guard,
    /// Keys are pressed in place of a person.
    Keys,
    /// Another machine is contacted.
    Network,
    /// A program or a file is opened on the desktop.
    Open,
    /// A place outside the folders that the configuration allows.
    Outside,
    /// Packages are installed or removed.
    Packages,
    /// Something stays active after this command, or starts by itself later.
    Persistence,
    /// A reason that a plugin gave.
    Plugin,
    /// The machine is switched off or restarted.
    Power,
    /// Rights beyond those of the user.
    Privilege,
    /// Other processes.
    Process,
    /// A folder that the configuration protects.
    Protected,
    /// Wireless networks and Bluetooth.
    Radio,
    /// What earlier runs or a person's override say.
    Registry,
    /// A service elsewhere is asked to act.
    Remote,
    /// Modes and owners of files.
    Rights,
    /// The screen's content.
    Screen,
    /// Secrets: keys, passwords, tokens.
    #[strum(to_string = "secrets", serialize = "secret")]
    Secrets,
    /// The guard's own questions are answered.
    SelfApproval,
    /// The machine is put to sleep.
    Suspend,
    /// The system's settings and services.
    System,
    /// The session has seen secrets or text from outside.
    Taint,
    /// A tool of an agent, which runs it by itself.
    Tool,
    /// Programs and actions unknown to the guard.
    Unknown,
    /// An address that is opened.
    Url,
    /// Files are written.
    Writes,
    /// A tag of a rule or plugin of the user's own.
    #[strum(default, transparent)]
    Own(String),
}

impl Tag {
    /// The tag of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        name.parse().unwrap_or_else(|_impossible| Self::Own(name.to_owned()))
    }

    /// Its name, on the wire and in the record.
    #[must_use]
    pub fn name(&self) -> &str {
        self.as_ref()
    }
}

impl serde::Serialize for Tag {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["destructive", "self-approval", "secrets", "own", "azure", ""] {
            assert_eq!(Tag::named(name).name(), name);
        }
        assert_eq!(Tag::named("secret"), Tag::Secrets);
        assert_eq!(Tag::named("azure"), Tag::Own("azure".to_owned()));
    }
}
