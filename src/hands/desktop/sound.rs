//! The volume, and the media players.

use std::time::Duration;

use zbus::Connection;

use crate::devices::desktop::bus;
use crate::devices::desktop::mpris::{self, Player, Playing};
use crate::devices::fault::DeviceFault;
use crate::devices::sound::sink::{OutputChange, Sink};
use guarda_core::action::{Level, MediaKey, Setting};
use guarda_core::output::{Ended, FailureKind, Now, PlayerState, RawOutput};

use crate::hands::deeds::Deed;
use crate::hands::desktop::{playing, playing::REACTION};

/// VOLUME_*: the default output, read back afterwards.
pub(in crate::hands) async fn volume(deed: &Deed<'_>, level: Level) -> RawOutput {
    let sound = deed.config.sound();
    let changed = tokio::task::spawn_blocking(move || {
        let mut was = None;
        let is = sound.change(|sink| {
            was = Some(setting(sink));
            changes(level, sink)
        });
        is.map(|is| (was, is))
    });
    let changed = changed.await.map(|changed| {
        changed.map(|(was, is)| {
            if let Some(was) = was {
                deed.note_setting(was, setting(&is), false);
            }
            is
        })
    });
    match changed {
        Ok(Ok(sink)) if reached(level, &sink) => deed.showed(&describe(&sink), Now::Set(setting(&sink))),
        Ok(Ok(sink)) => deed.quiet(Ended::Failed(
            (FailureKind::Unchanged, format!("the volume stayed at {}", describe(&sink))).into(),
        )),
        Ok(Err(fault)) => deed.faulted(fault),
        Err(_panic) => deed.quiet(Ended::Failed((FailureKind::NoSound, "the sound server went away").into())),
    }
}

fn setting(sink: &Sink) -> Setting {
    Setting::Volume { percent: sink.percent, muted: sink.muted }
}

/// The current state of the output.
pub(in crate::hands) async fn now(deed: &Deed<'_>) -> Result<Setting, DeviceFault> {
    let sound = deed.config.sound();
    let sink = tokio::task::spawn_blocking(move || sound.sink()).await;
    sink.unwrap_or_else(|_panic| Err(DeviceFault::broken(FailureKind::NoSound, "the sound server went away")))
        .map(|sink| setting(&sink))
}

/// Restores the state of the output.
pub(in crate::hands) async fn set_back(
    deed: &Deed<'_>,
    percent: u32,
    muted: bool,
) -> Result<Setting, DeviceFault> {
    let sound = deed.config.sound();
    let changes = vec![OutputChange::Percent(percent), OutputChange::Muted(muted)];
    let sink = tokio::task::spawn_blocking(move || sound.change(|_| changes)).await;
    sink.unwrap_or_else(|_panic| Err(DeviceFault::broken(FailureKind::NoSound, "the sound server went away")))
        .map(|sink| setting(&sink))
}

/// The new level and mute state. Louder also unmutes, as the volume keys do.
fn changes(level: Level, sink: &Sink) -> Vec<OutputChange> {
    let set = |percent: u32| OutputChange::Percent(percent.min(100));
    match level {
        Level::Up(step) => {
            // An output above 100 percent stays there.
            let louder = (sink.percent < 100).then(|| set(sink.percent + u32::from(step)));
            louder.into_iter().chain(sink.muted.then_some(OutputChange::Muted(false))).collect()
        }
        Level::Down(step) => vec![set(sink.percent.saturating_sub(u32::from(step)))],
        Level::Set(percent) => vec![set(u32::from(percent))],
        Level::Mute => vec![OutputChange::Muted(true)],
        Level::Unmute => vec![OutputChange::Muted(false)],
        Level::ToggleMute => vec![OutputChange::Muted(!sink.muted)],
    }
}

/// Whether the level that was read back is the requested one. The server rounds.
fn reached(level: Level, sink: &Sink) -> bool {
    match level {
        Level::Set(percent) => sink.percent.abs_diff(u32::from(percent)) <= 1,
        Level::Mute => sink.muted,
        Level::Unmute | Level::Up(_) => !sink.muted,
        Level::Down(_) | Level::ToggleMute => true,
    }
}

fn describe(sink: &Sink) -> String {
    format!("{}%{}", sink.percent, if sink.muted { ", muted" } else { "" })
}

/// How long a player may take to announce its new track.
const NAMING: Duration = Duration::from_millis(400);

/// MEDIA_*: controls the player that plays, otherwise a paused one, otherwise any.
pub(in crate::hands) async fn media(deed: &Deed<'_>, key: MediaKey) -> RawOutput {
    match tell(deed, key).await {
        Ok(Some(Told::State(player))) => deed.showed(&told(&player), now_of(&player)),
        Ok(Some(Told::Text(text))) => deed.message(&text),
        Ok(None) => deed.quiet(Ended::NoPlayer),
        Err(fault) => deed.faulted(fault),
    }
}

/// A player's state for the reply.
enum Told {
    /// Its playback status.
    State(Player),
    /// Another property.
    Text(String),
}

async fn tell(deed: &Deed<'_>, key: MediaKey) -> Result<Option<Told>, DeviceFault> {
    let connection = bus::of_session(&deed.config.session).await?;
    let players = mpris::players(&connection).await?;
    let Some(player) = players.first() else { return Ok(None) };
    let told_otherwise = match key {
        MediaKey::Tell => return Ok(Some(Told::State(player.clone()))),
        MediaKey::Shuffle(switch) => Some(playing::shuffle(&connection, player, switch).await),
        MediaKey::Repeat(what) => Some(playing::repeat(&connection, player, what).await),
        MediaKey::Seek(seconds) => Some(playing::seek(&connection, player, seconds).await),
        MediaKey::PlayPause
        | MediaKey::Play
        | MediaKey::Pause
        | MediaKey::Stop
        | MediaKey::Next
        | MediaKey::Previous => None,
    };
    if let Some(told) = told_otherwise {
        return told.map(|text| Some(Told::Text(text)));
    }
    let (method, ability, goal) = match (key, player.state) {
        (MediaKey::PlayPause, Playing::Playing) => ("PlayPause", "CanPause", Some(Playing::Paused)),
        (MediaKey::PlayPause, Playing::Paused | Playing::Stopped) => {
            ("PlayPause", "CanPlay", Some(Playing::Playing))
        }
        (MediaKey::Play, _) => ("Play", "CanPlay", Some(Playing::Playing)),
        // Pausing a stopped player leaves it stopped.
        (MediaKey::Pause, Playing::Stopped) => ("Pause", "CanPause", Some(Playing::Stopped)),
        (MediaKey::Pause, Playing::Playing | Playing::Paused) => ("Pause", "CanPause", Some(Playing::Paused)),
        (MediaKey::Stop, _) => ("Stop", "CanControl", Some(Playing::Stopped)),
        (MediaKey::Next, _) => ("Next", "CanGoNext", None),
        // The last four are handled above.
        (
            MediaKey::Previous
            | MediaKey::Shuffle(_)
            | MediaKey::Repeat(_)
            | MediaKey::Seek(_)
            | MediaKey::Tell,
            _,
        ) => ("Previous", "CanGoPrevious", None),
    };
    if !mpris::can(&connection, &player.bus_name, ability).await.unwrap_or(true) {
        return Err(DeviceFault::broken(
            FailureKind::PlayerCannot,
            format!("{} cannot do that now", player.name),
        ));
    }
    mpris::tell(&connection, &player.bus_name, method).await?;
    let now = settle(&connection, player, goal).await?;
    if goal.is_some_and(|goal| now.state != goal) {
        return Err(DeviceFault::broken(FailureKind::PlayerSilent, format!("{} did not react", player.name)));
    }
    if goal.is_none() && !moved(player, &now) {
        return Err(DeviceFault::broken(
            FailureKind::NoOtherTrack,
            format!("{} stayed where it is; perhaps there is no other track", player.name),
        ));
    }
    Ok(Some(Told::State(now)))
}

/// Waits until the player has obeyed, and returns its state.
async fn settle(
    connection: &Connection,
    before: &Player,
    goal: Option<Playing>,
) -> Result<Player, DeviceFault> {
    let until = tokio::time::Instant::now() + REACTION;
    let mut now = before.clone();
    let mut since = None;
    loop {
        if let Ok((state, track)) = mpris::state(connection, &before.bus_name).await {
            now.state = state;
            now.track = track;
        } else if goal == Some(Playing::Stopped) {
            // Some players exit on `Stop`.
            now.state = Playing::Stopped;
        }
        let done = match goal {
            Some(goal) => now.state == goal,
            None => moved(before, &now),
        };
        // A player may announce the new track with a delay.
        let named =
            goal.is_some() || now.track.id == before.track.id || now.track.title != before.track.title;
        let moved_at = *since.get_or_insert_with(tokio::time::Instant::now);
        if !done {
            since = None;
        } else if named || moved_at.elapsed() >= NAMING {
            return Ok(now);
        }
        if tokio::time::Instant::now() >= until {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// Whether it plays another track, or the same one from its beginning.
fn moved(before: &Player, now: &Player) -> bool {
    now.track.id != before.track.id || now.track.position < before.track.position
}

fn now_of(player: &Player) -> Now {
    let state = match player.state {
        Playing::Playing => PlayerState::Playing,
        Playing::Paused => PlayerState::Paused,
        Playing::Stopped => PlayerState::Stopped,
    };
    Now::Player { state, title: player.track.title.clone(), artist: player.track.artist.clone() }
}

fn told(player: &Player) -> String {
    let state = match player.state {
        Playing::Playing => "playing",
        Playing::Paused => "paused",
        Playing::Stopped => "stopped",
    };
    match (player.track.title.as_str(), player.track.artist.as_str()) {
        ("", _) => format!("{}: {state}", player.name),
        (title, "") => format!("{}: {state}: {title}", player.name),
        (title, artist) => format!("{}: {state}: {title}, {artist}", player.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stay_within_bounds() {
        let sink = |percent, muted| Sink { name: String::new(), description: String::new(), percent, muted };
        for (level, before, after) in [
            (Level::Up(5), sink(50, false), vec![OutputChange::Percent(55)]),
            (Level::Up(5), sink(98, true), vec![OutputChange::Percent(100), OutputChange::Muted(false)]),
            (Level::Up(5), sink(130, false), vec![]),
            (Level::Down(5), sink(3, false), vec![OutputChange::Percent(0)]),
            (Level::Down(5), sink(130, true), vec![OutputChange::Percent(100)]),
            (Level::Set(30), sink(0, true), vec![OutputChange::Percent(30)]),
            (Level::ToggleMute, sink(9, true), vec![OutputChange::Muted(false)]),
            (Level::Mute, sink(9, true), vec![OutputChange::Muted(true)]),
        ] {
            assert_eq!(changes(level, &before), after, "{level:?} {before:?}");
        }
    }
}
