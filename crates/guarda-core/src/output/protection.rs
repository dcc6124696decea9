//! The confinement that a sandbox achieved: reported by the supervisor for each command, never assumed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::action::custody::SandboxLevel;

/// The network that a command may use, ordered: a later one reaches more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No socket of any kind.
    #[default]
    None,
    /// A network of its own that contains only the guard, which connects to approved hosts.
    Hosts,
    /// Internet sockets without restriction, including this machine's own services.
    All,
}

/// One measure of confinement.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Files: only those in the specification can be opened (Landlock).
    Files,
    /// No signals and no abstract sockets to processes outside (Landlock ABI 6).
    Scopes,
    /// The network, as specified.
    Network,
    /// No sockets of this machine: not the guard's, D-Bus's, the display's (seccomp).
    Sockets,
    /// No system calls that debug others, mount, load code into the kernel, or bypass the other measures
    /// (seccomp).
    Calls,
    /// No new privileges and no capabilities of the system's administrator.
    Privileges,
    /// A session of its own, without a terminal.
    Session,
    /// Limits on resources; no core dumps.
    Limits,
    /// Namespaces of its own (bubblewrap).
    Namespaces,
}

impl Measure {
    /// The name on the wire and in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The measures that a profile promises.
    #[must_use]
    pub fn of(profile: SandboxLevel) -> &'static [Self] {
        const ALL: [Measure; 9] = [
            Measure::Session,
            Measure::Limits,
            Measure::Privileges,
            Measure::Files,
            Measure::Scopes,
            Measure::Network,
            Measure::Sockets,
            Measure::Calls,
            Measure::Namespaces,
        ];
        match profile {
            SandboxLevel::None => &[],
            SandboxLevel::Confined => ALL.split_last().map_or(&[], |(_namespaces, rest)| rest),
            SandboxLevel::Isolated => const { &ALL },
        }
    }
}

/// A measure that a profile promises but this machine cannot provide, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Lack {
    /// The missing measure.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub measure: Measure,
    /// The cause, in English.
    pub why: String,
}

/// The confinement of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The requested profile.
    pub profile: SandboxLevel,
    /// The measures in force.
    pub in_force: Vec<Measure>,
    /// The missing measures.
    pub lacking: Vec<Lack>,
    /// The permitted network.
    pub network: Network,
    /// The kernel's Landlock ABI as used here; 0: none.
    pub landlock: u32,
    /// Notices for a person, for example about a writable folder that had to be left out.
    pub notes: Vec<String>,
    /// The hidden files and folders that the command met, as its folder names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// Why a measure does not hold on this machine, and what would make it hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error("{0}")]
#[serde(transparent)]
pub struct NotHeld(pub String);

impl Protection {
    /// The state before any measure is in force.
    #[must_use]
    pub fn new(profile: SandboxLevel, network: Network) -> Self {
        let (in_force, lacking) = (Vec::new(), Vec::new());
        Self { profile, in_force, lacking, network, landlock: 0, notes: Vec::new(), hidden: Vec::new() }
    }

    /// Records the result of a measure; a later success does not cancel an earlier failure.
    pub fn enter(&mut self, measure: Measure, outcome: Result<(), NotHeld>) {
        if !Measure::of(self.profile).contains(&measure) {
            return;
        }
        match outcome {
            Ok(()) if !self.in_force.contains(&measure) => self.in_force.push(measure),
            Ok(()) => {}
            Err(NotHeld(why)) => {
                self.in_force.retain(|held| *held != measure);
                self.lacking.push(Lack { measure, why });
            }
        }
    }

    /// Combines two sandboxes of one command line: in every respect, the weaker one counts.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        self.profile = self.profile.min(other.profile);
        self.in_force.retain(|measure| other.holds(*measure));
        for lack in &other.lacking {
            if !self.lacking.contains(lack) {
                self.lacking.push(lack.clone());
            }
        }
        for note in &other.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        self.hidden.extend(other.hidden.iter().cloned());
        self.network = self.network.max(other.network);
        self.landlock = self.landlock.min(other.landlock);
        self
    }

    /// True if everything that the profile promises was in force.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        Measure::of(self.profile).iter().all(|measure| self.in_force.contains(measure))
    }

    /// True if a measure was in force.
    #[must_use]
    pub fn holds(&self, measure: Measure) -> bool {
        self.in_force.contains(&measure)
    }

    /// The network that the sandbox really leaves open: all of it unless the measure is in force.
    #[must_use]
    pub fn open_network(&self) -> Network {
        if self.holds(Measure::Network) { self.network } else { Network::All }
    }

    /// The missing measures with their causes, as one line of English; empty if there are none.
    #[must_use]
    pub fn lacks(&self) -> String {
        let each = self.lacking.iter().map(|lack| format!("{} ({})", lack.measure.name(), lack.why));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// One line: `confined, network: none`, or `confined, network: none, lacking: files (…)`.
impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.profile.name())?;
        if self.profile != SandboxLevel::None {
            match (&self.network, self.holds(Measure::Network)) {
                (Network::None, true) => f.write_str(", network: none")?,
                (Network::Hosts, true) => f.write_str(", network: approved hosts")?,
                (Network::All, _) | (_, false) => f.write_str(", network: open")?,
            }
        }
        if !self.lacking.is_empty() {
            write!(f, ", lacking: {}", self.lacks())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_not_undone_by_a_later_success() {
        let mut protection = Protection::new(SandboxLevel::Confined, Network::None);
        protection.enter(Measure::Files, Ok(()));
        protection.enter(Measure::Files, Err(NotHeld("no Landlock".into())));
        assert!(!protection.holds(Measure::Files));
        assert!(!protection.is_whole());
        assert_eq!(protection.to_string(), "confined, network: open, lacking: files (no Landlock)");
    }

    #[test]
    fn whole_means_all_that_the_profile_promises() {
        let mut protection = Protection::new(SandboxLevel::Confined, Network::None);
        for measure in Measure::of(SandboxLevel::Confined) {
            assert!(!protection.is_whole());
            protection.enter(*measure, Ok(()));
        }
        assert!(protection.is_whole());
        assert_eq!(protection.to_string(), "confined, network: none");
        assert!(Protection::new(SandboxLevel::None, Network::All).is_whole());
        assert_eq!(Measure::of(SandboxLevel::Isolated).len(), 9);
    }
}
