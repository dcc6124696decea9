//! Finds the hand of each action of the desktop, and of each setting that UNDO restores.

use guarda_core::action::{Action, Setting};
use guarda_core::output::{Ended, RawOutput};

use super::{apps, keys, machine, open, screen, sound};
use crate::devices::desktop::bus;
use crate::devices::fault::DeviceFault;
use crate::hands::deeds::Deed;

/// Runs an action of the desktop.
pub(in crate::hands) async fn act(deed: &Deed<'_>, action: &Action) -> RawOutput {
    match action {
        Action::OpenApp { name } => apps::open(deed, name).await,
        Action::CloseApp { name } => screen::close(deed, name).await,
        Action::OpenUrl { url } => open::address(deed, url).await,
        Action::OpenFolder { path } => open::folder(deed, path).await,
        Action::Volume(level) => sound::volume(deed, *level).await,
        Action::Brightness(level) => machine::brightness(deed, *level).await,
        Action::Media(key) => sound::media(deed, *key).await,
        Action::KeyPress { chord } => keys::press(deed, chord).await,
        Action::Lock => machine::lock(deed).await,
        Action::ScreenOff => screen::darken(deed).await,
        Action::Screenshot => screen::picture(deed).await,
        Action::DoNotDisturb(switch) => screen::quiet(deed, *switch).await,
        Action::Power(power) => machine::power(deed, *power).await,
        Action::Radio(radio, switch) => machine::switch(deed, *radio, *switch).await,
        Action::Notify { title, body } => notify(deed, title, body).await,
        // The guard has ended them.
        Action::EndGrants => deed.message(""),
        // The prompter speaks it.
        Action::Reply { text } => deed.message(text),
        // The judge never allows these.
        Action::OpenStrangeUrl { .. } => {
            deed.quiet(Ended::Unavailable("only http and https addresses are opened".into()))
        }
        Action::Unknown { said } => {
            deed.quiet(Ended::Unavailable(format!("there is no action {said}").into()))
        }
        Action::RunCommand { .. } | Action::File(_) | Action::Undo { .. } => {
            deed.quiet(Ended::Failed("this is not done on the desktop".into()))
        }
    }
}

/// A setting as it is now.
pub(in crate::hands) async fn now(deed: &Deed<'_>, setting: Setting) -> Result<Setting, DeviceFault> {
    match setting {
        Setting::Volume { .. } => sound::now(deed).await,
        Setting::Brightness(_) => machine::bright(deed),
        Setting::DoNotDisturb(_) => screen::is_quiet(deed).await,
    }
}

/// Restores a setting, and reads it back.
pub(in crate::hands) async fn restore(deed: &Deed<'_>, was: Setting) -> Result<Setting, DeviceFault> {
    match was {
        Setting::Volume { percent, muted } => sound::set_back(deed, percent, muted).await,
        Setting::Brightness(percent) => machine::set_back(deed, percent).await,
        Setting::DoNotDisturb(on) => screen::set_back(deed, on).await,
    }
}

async fn notify(deed: &Deed<'_>, title: &str, body: &str) -> RawOutput {
    // A person must see that these are not the guard's words.
    let words = crate::wording::words(deed.config.language);
    let sender = words.say("assistant", &[]);
    let title = words.say("assistant-says", &[("name", crate::wording::plain::audible(title).into())]);
    let shown = async {
        let connection = bus::of_session(&deed.config.session).await?;
        crate::devices::desktop::notify::show(&connection, &sender, &title, body).await
    };
    deed.answer(shown.await.map(|_number| String::new()))
}
