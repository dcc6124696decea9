//! MEDIA_SHUFFLE, MEDIA_REPEAT, MEDIA_SEEK: player controls without a key on a keyboard. Each is read back afterwards.

use std::time::Duration;

use tokio::time::Instant;
use zbus::Connection;

use crate::devices::desktop::mpris::{self, Player};
use crate::devices::fault::DeviceFault;
use guarda_core::action::{Repeat, Switch};
use guarda_core::output::FailureKind;

/// How long a player may take to obey.
pub(in crate::hands) const REACTION: Duration = Duration::from_millis(1500);
/// The interval at which a player's state is read until it has reacted.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(25);
/// The greatest distance from the requested position, in microseconds: a player may seek to a key frame, and it plays on.
const NEAR: i64 = 5_000_000;

/// MEDIA_SHUFFLE.
pub(in crate::hands) async fn shuffle(
    to: &Connection,
    player: &Player,
    switch: Switch,
) -> Result<String, DeviceFault> {
    let now: bool = mpris::setting(to, &player.bus_name, "Shuffle").await?;
    let goal = match switch {
        Switch::On => true,
        Switch::Off => false,
        Switch::Toggle => !now,
    };
    mpris::set(to, &player.bus_name, "Shuffle", goal).await?;
    let until = Instant::now() + REACTION;
    while mpris::setting::<bool>(to, &player.bus_name, "Shuffle").await? != goal {
        wait(player, until).await?;
    }
    Ok(format!("{}: shuffle {}", player.name, if goal { "on" } else { "off" }))
}

/// MEDIA_REPEAT.
pub(in crate::hands) async fn repeat(
    to: &Connection,
    player: &Player,
    what: Repeat,
) -> Result<String, DeviceFault> {
    let goal = match what {
        Repeat::Off => "None",
        Repeat::Track => "Track",
        Repeat::All => "Playlist",
    };
    mpris::set(to, &player.bus_name, "LoopStatus", goal).await?;
    let until = Instant::now() + REACTION;
    while mpris::setting::<String>(to, &player.bus_name, "LoopStatus").await? != goal {
        wait(player, until).await?;
    }
    Ok(format!("{}: repeat {what}", player.name))
}

/// MEDIA_SEEK. A position before the beginning means the beginning.
pub(in crate::hands) async fn seek(
    to: &Connection,
    player: &Player,
    seconds: i16,
) -> Result<String, DeviceFault> {
    if !mpris::can(to, &player.bus_name, "CanSeek").await.unwrap_or(true) {
        return Err(DeviceFault::broken(
            FailureKind::PlayerCannot,
            format!("{} cannot do that now", player.name),
        ));
    }
    let by = i64::from(seconds).saturating_mul(1_000_000);
    let goal = player.track.position.saturating_add(by).max(0);
    mpris::seek(to, &player.bus_name, by).await?;
    let until = Instant::now() + REACTION;
    loop {
        let (_, track) = mpris::state(to, &player.bus_name).await?;
        // A position beyond the end is in the next track.
        if track.id != player.track.id || (track.position - goal).abs() <= NEAR {
            break;
        }
        wait(player, until).await?;
    }
    Ok(format!("{}: {seconds:+} s", player.name))
}

/// Waits a little for a player that has not reacted yet.
async fn wait(player: &Player, until: Instant) -> Result<(), DeviceFault> {
    if Instant::now() >= until {
        return Err(DeviceFault::broken(FailureKind::PlayerSilent, format!("{} did not react", player.name)));
    }
    tokio::time::sleep(PAUSE).await;
    Ok(())
}
