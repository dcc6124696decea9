//! Whether an action can be done on this machine. Checked before the question, so that nobody is asked in vain.

use std::path::Path;
use std::time::Duration;

use crate::devices::filesystem::paths::{self, Is, Walk};
use crate::devices::{
    desktop::bus, desktop::display, desktop::input, desktop::notify, desktop::portal, desktop::radio,
};
use guarda_core::action::{Action, FileOperation, Radio};
use guarda_core::output::{Ended, FailureKind};
use guarda_core::policy::{Program, Situation};

use crate::hands::deeds::ended;
use crate::hands::{HandsConfig, desktop::machine, desktop::screen};

/// How long the check may take. After that the person is asked, and a failure is reported afterwards.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why the action cannot be done here, as far as that is known in advance.
pub(in crate::hands) async fn impossible(
    config: &HandsConfig,
    action: &Action,
    situation: &Situation,
) -> Option<Ended> {
    tokio::time::timeout(PATIENCE, look(config, action, situation)).await.ok()?.err()
}

async fn look(config: &HandsConfig, action: &Action, situation: &Situation) -> Result<(), Ended> {
    let session = &config.session;
    match action {
        Action::OpenApp { name } if situation.programs.get(name) == Some(&Program::Missing) => {
            Err(Ended::NotFound(name.clone()))
        }
        Action::CloseApp { name } => {
            let (own, names) = (session.clone(), screen::names(session, name).1);
            match screen::on_display(move || display::has_window(&own, &names)).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(Ended::NotFound(name.clone())),
                Err(fault) => Err(ended(fault)),
            }
        }
        Action::Screenshot if portal::is_wayland(session) => {
            portal::can_take_pictures(session).await.map(|_version| ()).map_err(ended)
        }
        Action::Screenshot => {
            let own = session.clone();
            screen::on_display(move || display::answers(&own)).await.map_err(ended)
        }
        Action::KeyPress { .. } => input::display(session).map(|_display| ()).map_err(ended),
        Action::DoNotDisturb(_) => {
            let bus = bus::of_session(session).await.map_err(ended)?;
            notify::held_back(&bus).await.map(|_paused| ()).map_err(ended)
        }
        Action::Power(power) => machine::can(session, *power).await.map_err(ended),
        Action::Radio(Radio::Wifi, _) => {
            let bus = bus::of_system(session).await.map_err(ended)?;
            radio::wifi(&bus).await.map(|_on| ()).map_err(ended)
        }
        Action::Radio(Radio::Bluetooth, _) => {
            let bus = bus::of_system(session).await.map_err(ended)?;
            radio::bluetooth(&bus).await.map(|_adapters| ()).map_err(ended)
        }
        Action::File(operation) => file(operation, situation),
        Action::Undo { .. } if !situation.undoes_setting => {
            let Some(stages) = config.stages.clone() else { return Ok(()) };
            let (ids, within) = (situation.undoes.clone(), situation.undoes_within.clone());
            let looked =
                tokio::task::spawn_blocking(move || stages.in_the_way_of_all(&ids, within.as_deref())).await;
            match looked.unwrap_or_default().first() {
                Some(path) => Err(Ended::Changed(path.display().to_string())),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn file(operation: &FileOperation, situation: &Situation) -> Result<(), Ended> {
    let home = Path::new(&situation.home);
    let is = |path: &str| Walk::default().follow(&paths::of_person(path, home, home)).is;
    match operation {
        FileOperation::Open(path)
        | FileOperation::Delete(path)
        | FileOperation::Copy { from: path, .. }
        | FileOperation::Move { from: path, .. }
            if is(path) == Is::Nothing && !is_link(path, home) =>
        {
            Err(Ended::NotFound(path.clone()))
        }
        FileOperation::MakeFolder(path) if is(path) != Is::Nothing => {
            Err(Ended::Failed((FailureKind::Exists, format!("{path} is already there")).into()))
        }
        FileOperation::Copy { from, to } | FileOperation::Move { from, to } => {
            let goal = paths::of_person(to, home, home);
            let name = Path::new(from).file_name().filter(|_| goal.is_dir());
            let goal = name.map_or(goal.clone(), |name| goal.join(name));
            match goal.symlink_metadata() {
                Ok(_) => {
                    let why = format!("{} is already there and is not written over", goal.display());
                    Err(Ended::Failed((FailureKind::Exists, why).into()))
                }
                Err(_) => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// A dangling link can still be deleted.
fn is_link(path: &str, home: &Path) -> bool {
    paths::of_person(path, home, home).symlink_metadata().is_ok()
}
