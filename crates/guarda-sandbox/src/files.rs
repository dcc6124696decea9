//! Landlock: files, TCP, and signals and abstract sockets to outside processes.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope,
};

use super::folders::{Access, Grant, System, Wishes};
use super::spec::Sockets;
use guarda_core::output::{Measure, NotHeld, Protection};

/// The newest ABI with rights that are handled here. Rights that the kernel does not know are left out and
/// reported.
const NEWEST: ABI = ABI::V9;

/// True if this kernel has Landlock in any version. Only queries the kernel.
pub(super) fn there() -> bool {
    let asked = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1));
    asked.is_ok_and(|ruleset| ruleset.create().is_ok())
}

/// True if this kernel's Landlock has scopes, which separate inside from outside processes. Only queries the
/// kernel.
pub(super) fn scoped() -> bool {
    let asked =
        Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::from_all(ABI::V6));
    asked.is_ok_and(|ruleset| ruleset.create().is_ok())
}

/// Rules under construction; not yet in force.
#[derive(Debug)]
pub(super) struct Rules {
    made: Result<RulesetCreated, RulesetError>,
    /// Sockets may be made and spoken to where files may be written.
    local: bool,
}

impl Rules {
    /// Rules that open only the permitted part of the network.
    pub(super) fn new(sockets: Sockets) -> Self {
        let local = matches!(sockets, Sockets::Own { local: true } | Sockets::All { local: true });
        Self { made: closed(sockets), local }
    }

    /// Opens these files as well. Errors are reported when the rules are put in force.
    pub(super) fn open<'a>(mut self, grants: impl IntoIterator<Item = &'a Grant>) -> Self {
        grants.into_iter().for_each(|grant| self.add(grant));
        self
    }

    /// Opens what a run may reach.
    pub(super) fn open_all(mut self, wishes: &mut Wishes, system: System) -> Self {
        wishes.grants(system, |grant| self.add(&grant));
        self
    }

    fn add(&mut self, grant: &Grant) {
        let own = self.local && grant.access == Access::Write;
        let own = if own {
            AccessFs::MakeSock | AccessFs::IoctlDev | AccessFs::ResolveUnix
        } else {
            BitFlags::EMPTY
        };
        let rights = match grant.folder {
            true => rights(grant.access) | own,
            false => (rights(grant.access) | own) & AccessFs::from_file(NEWEST),
        };
        let added = match &mut self.made {
            Ok(made) if !rights.is_empty() => made.add_rule(PathBeneath::new(&grant.file, rights)).map(drop),
            _ => Ok(()),
        };
        if let Err(error) = added {
            self.made = Err(error);
        }
    }
}

/// Restricts the calling thread and everything that it starts from now on.
///
/// `look`: Landlock's first version is enough, since the system call filter refuses what later versions added
/// (truncation).
pub(super) fn restrict(rules: Rules, look: bool, protection: &mut Protection) {
    let status = match rules.made.and_then(RulesetCreated::restrict_self) {
        Ok(status) => status,
        Err(error) => {
            let why = NotHeld(format!("Landlock refused the rules: {error}"));
            protection.enter(Measure::Files, Err(why.clone()));
            protection.enter(Measure::Scopes, Err(why));
            return;
        }
    };
    let abi = match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _)
        | (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => ABI::Unsupported,
        (_, LandlockStatus::Available { effective_abi, .. }) => effective_abi,
    };
    protection.landlock = abi as u32;
    let since = |needed: ABI, linux: &str| match abi >= needed {
        true => Ok(()),
        false if abi == ABI::Unsupported => {
            Err(NotHeld("this kernel has no Landlock, or it is not enabled (lsm=landlock)".to_owned()))
        }
        false => Err(NotHeld(format!("Linux {linux} or later is needed"))),
    };
    // Before that ABI, a file without write access can still be truncated.
    let files = if look { since(ABI::V1, "5.13") } else { since(ABI::V3, "6.2") };
    protection.enter(Measure::Files, files);
    protection.enter(Measure::Scopes, since(ABI::V6, "6.12"));
}

fn closed(sockets: Sockets) -> Result<RulesetCreated, RulesetError> {
    let scopes =
        if sockets.share_processes() { Scope::AbstractUnixSocket.into() } else { Scope::from_all(NEWEST) };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(scopes)?;
    // Programs need no permission for connections that the supervisor makes.
    if matches!(sockets, Sockets::None | Sockets::Notified) {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    ruleset.create()
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    let read = AccessFs::from_read(NEWEST);
    match access {
        Access::List => AccessFs::ReadDir.into(),
        Access::Read => read,
        // No devices and sockets are created, and no existing ones are spoken to.
        Access::Write => {
            AccessFs::from_all(NEWEST)
                & !(AccessFs::MakeChar
                    | AccessFs::MakeBlock
                    | AccessFs::MakeSock
                    | AccessFs::IoctlDev
                    | AccessFs::ResolveUnix)
        }
        Access::Change => rights(Access::Write) & !(AccessFs::ReadFile | AccessFs::Execute),
        Access::Device => AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev,
    }
}
