//! CLOSE_APP, SCREEN_OFF, SCREENSHOT and DO_NOT_DISTURB.

use crate::devices::desktop::session::DesktopSession;
use crate::devices::desktop::user_dirs::{UserDir, user_dir};
use crate::devices::fault::DeviceFault;
use crate::devices::{desktop::apps, desktop::bus, desktop::display, desktop::notify, desktop::portal};
use guarda_core::action::{Setting, Switch};
use guarda_core::output::{Ended, FailureKind, Now, RawOutput};

use crate::hands::deeds::Deed;

/// CLOSE_APP: closes the windows of the application that the name means, or of the class with this name.
pub(in crate::hands) async fn close(deed: &Deed<'_>, name: &str) -> RawOutput {
    let session = deed.config.session.clone();
    let (shown, names) = names(&session, name);
    match on_display(move || display::close(&session, &names)).await {
        Ok(_) => deed.message(&shown),
        Err(DeviceFault::Absent(why)) if why.kind == FailureKind::NotOpen => {
            deed.quiet(Ended::NotFound(name.to_owned()))
        }
        Err(fault) => deed.faulted(fault),
    }
}

/// The application's name for a person, and the classes that its windows may have, in lower case.
pub(in crate::hands) fn names(session: &DesktopSession, name: &str) -> (String, Vec<String>) {
    let installed = apps::installed(session);
    let mut names = vec![name.trim().to_lowercase()];
    let mut shown = name.to_owned();
    if let Some(application) = crate::hands::desktop::apps::find(session, &installed, name) {
        application.name().clone_into(&mut shown);
        // If the entry names the class of its windows, only that counts: several applications may share a program.
        let known = match application.window_class() {
            Some(class) => vec![class.to_owned()],
            None => {
                let last = application.id.rsplit('.').next().unwrap_or_default();
                let program = application.program().unwrap_or_default();
                let base = program.rsplit('/').next().unwrap_or_default();
                [application.id.as_str(), last, base].map(str::to_owned).to_vec()
            }
        };
        names.extend(known.into_iter().filter(|name| !name.is_empty()).map(|name| name.to_lowercase()));
    }
    (shown, names)
}

/// SCREEN_OFF.
pub(in crate::hands) async fn darken(deed: &Deed<'_>) -> RawOutput {
    let session = deed.config.session.clone();
    deed.answer(on_display(move || display::darken(&session)).await.map(str::to_owned))
}

/// SCREENSHOT: saves a picture as a new file in the folder for pictures, and returns its path.
pub(in crate::hands) async fn picture(deed: &Deed<'_>) -> RawOutput {
    let session = deed.config.session.clone();
    let folder = user_dir(&session, UserDir::Pictures).unwrap_or_else(|| session.home());
    let now = jiff::Timestamp::now().to_string();
    let at: String = now.chars().take(19).map(|c| if c == 'T' || c == ':' { '-' } else { c }).collect();
    let name = format!("screen-{at}");
    let taken = if portal::is_wayland(&session) {
        match portal::picture(&session).await {
            Ok(taken) => on_display(move || display::keep_picture(&taken, &folder, &name)).await,
            Err(fault) => Err(fault),
        }
    } else {
        on_display(move || display::picture(&session, &folder, &name)).await
    };
    match taken.map(|path| path.display().to_string()) {
        Ok(path) => deed.showed(&path, Now::Written(path.clone())),
        Err(fault) => deed.faulted(fault),
    }
}

/// DO_NOT_DISTURB, read back afterwards.
pub(in crate::hands) async fn quiet(deed: &Deed<'_>, switch: Switch) -> RawOutput {
    let done = async {
        let connection = bus::of_session(&deed.config.session).await?;
        let was = notify::held_back(&connection).await?;
        let goal = match switch {
            Switch::On => true,
            Switch::Off => false,
            Switch::Toggle => !was,
        };
        notify::hold_back(&connection, goal).await?;
        if notify::held_back(&connection).await? == goal {
            deed.note_setting(Setting::DoNotDisturb(was), Setting::DoNotDisturb(goal), false);
            Ok(if goal { "on" } else { "off" }.to_owned())
        } else {
            Err(DeviceFault::broken(FailureKind::Unchanged, "the notifications did not switch"))
        }
    };
    deed.answer(done.await)
}

/// Whether notifications are held back.
pub(in crate::hands) async fn is_quiet(deed: &Deed<'_>) -> Result<Setting, DeviceFault> {
    let connection = bus::of_session(&deed.config.session).await?;
    Ok(Setting::DoNotDisturb(notify::held_back(&connection).await?))
}

/// Restores whether notifications are held back.
pub(in crate::hands) async fn set_back(deed: &Deed<'_>, on: bool) -> Result<Setting, DeviceFault> {
    let connection = bus::of_session(&deed.config.session).await?;
    notify::hold_back(&connection, on).await?;
    is_quiet(deed).await
}

/// X calls wait for the server.
pub(in crate::hands) async fn on_display<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, DeviceFault> + Send + 'static,
) -> Result<T, DeviceFault> {
    let called = tokio::task::spawn_blocking(call).await;
    called.unwrap_or_else(|_panic| Err(DeviceFault::broken(FailureKind::NoDisplay, "the display went away")))
}
