//! Dispatches an action to its hand.

use std::collections::BTreeSet;

use crate::devices::desktop::bus;
use guarda_core::action::Action;
use guarda_core::output::{Ended, RawOutput};

use super::deeds::Deed;
use crate::hands::{
    commands::command, desktop::apps, desktop::keys, desktop::machine, desktop::open, desktop::screen,
    desktop::sound, files, staging::keeping, staging::undo,
};

/// Runs one action within its time limit.
pub(super) async fn perform(
    deed: &Deed<'_>,
    action: &Action,
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    if let Some(file) = deed.changed(&BTreeSet::new()) {
        return deed.quiet(Ended::Changed(file));
    }
    if let Action::RunCommand { text, script } = action {
        let kept = keeping::of_command(deed, action).await;
        // On the heap, as everything large that waits: the stack of a worker holds all of a request's frames.
        let output = Box::pin(command::run(deed, text, script, cancel)).await;
        if let Some(kept) = kept {
            kept.end(deed).await;
        }
        return output;
    }
    // Copying has no time limit.
    let long = matches!(action, Action::File(_) | Action::Undo { .. });
    let time = if long { deed.config.command_timeout } else { deed.config.desktop_timeout };
    tokio::select! {
        output = Box::pin(desktop(deed, action)) => output,
        () = tokio::time::sleep(time) => deed.quiet(Ended::TimedOut),
        () = cancel => deed.quiet(Ended::Cancelled),
    }
}

async fn desktop(deed: &Deed<'_>, action: &Action) -> RawOutput {
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
        // The prompter speaks it.
        Action::Reply { text } => deed.told(text),
        Action::File(operation) => files::operate(deed, operation).await,
        Action::Undo { .. } => undo::perform(deed, &action.object()).await,
        // The judge never allows these.
        Action::OpenStrangeUrl { .. } => {
            deed.quiet(Ended::Unavailable("only http and https addresses are opened".into()))
        }
        Action::Unknown { said } => {
            deed.quiet(Ended::Unavailable(format!("there is no action {said}").into()))
        }
        Action::RunCommand { .. } => deed.quiet(Ended::Failed("a command is not run here".into())),
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
