//! Media players, through the MPRIS interface on the session bus.

use std::time::Duration;

use zbus::Connection;

use crate::devices::desktop::bus;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

const PREFIX: &str = "org.mpris.MediaPlayer2.";
const PATH: &str = "/org/mpris/MediaPlayer2";
const PLAYER: &str = "org.mpris.MediaPlayer2.Player";
/// How long one player may take to answer.
const DEADLINE: Duration = Duration::from_millis(500);

/// A player's state. Ordered by how likely a request means this player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Playing {
    /// It plays.
    Playing,
    /// It is paused.
    Paused,
    /// It is stopped.
    Stopped,
}

/// A media player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// Its name on the bus.
    pub bus_name: String,
    /// The last part of that name: `mpv`, `vlc`, `firefox.instance_1`.
    pub name: String,
    /// What it is doing.
    pub state: Playing,
    /// What it plays.
    pub track: Track,
}

/// What a player plays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Track {
    /// Its identifier among the player's tracks.
    pub id: String,
    /// Its title, if the player reports one.
    pub title: String,
    /// Its artist, if the player reports one.
    pub artist: String,
    /// The playback position in microseconds.
    pub position: i64,
}

/// The players that answer, likeliest first. A player with two names counts once; `playerctld` only forwards commands
/// and does not count.
///
/// # Errors
/// If the bus does not answer.
pub async fn players(connection: &Connection) -> Result<Vec<Player>, DeviceFault> {
    let mut owners: Vec<String> = Vec::new();
    let mut players = Vec::new();
    let mut names = bus::names(connection, PREFIX).await?;
    names.sort();
    for (bus_name, owner) in names {
        let name = bus_name.strip_prefix(PREFIX).unwrap_or_default().to_owned();
        if name == "playerctld" || owners.contains(&owner) {
            continue;
        }
        owners.push(owner);
        if let Ok(Ok((state, track))) = tokio::time::timeout(DEADLINE, state(connection, &bus_name)).await {
            players.push(Player { bus_name, name, state, track });
        }
    }
    players.sort_by(|a, b| (a.state, &a.name).cmp(&(b.state, &b.name)));
    Ok(players)
}

/// A player's state and its track.
///
/// # Errors
/// If it does not answer.
pub async fn state(connection: &Connection, bus_name: &str) -> Result<(Playing, Track), DeviceFault> {
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    let told = |error: zbus::Error| bus::fault(bus_name, &error);
    let status: String = player.get_property("PlaybackStatus").await.map_err(told)?;
    let playing = match status.as_str() {
        "Playing" => Playing::Playing,
        "Paused" => Playing::Paused,
        _ => Playing::Stopped,
    };
    let data: std::collections::HashMap<String, zbus::OwnedVariant> =
        player.get_property("Metadata").await.unwrap_or_default();
    let told = |key: &str| data.get(key).map(text).unwrap_or_default();
    let (id, url, title) = (told("mpris:trackid"), told("xesam:url"), told("xesam:title"));
    let artist = data.get("xesam:artist").map(texts).unwrap_or_default();
    let position = player.get_property("Position").await.unwrap_or_default();
    Ok((playing, Track { id: format!("{id} {url}"), title, artist, position }))
}

/// Players differ on whether a track's identifier is a text or an object's path.
fn text(value: &zbus::OwnedVariant) -> String {
    if let zbus::Variant::Str(text) = &**value {
        text.as_str().to_owned()
    } else if let zbus::Variant::ObjectPath(path) = &**value {
        path.as_str().to_owned()
    } else {
        String::new()
    }
}

/// A list of texts as one.
fn texts(value: &zbus::OwnedVariant) -> String {
    let list = value.try_clone().ok().and_then(|value| Vec::<String>::try_from(value).ok());
    list.map(|list| list.join(", ")).unwrap_or_default()
}

/// A setting of a player: `Shuffle`, or `LoopStatus`, which is `None`, `Track` or `Playlist`.
///
/// # Errors
/// [`DeviceFault::Failed`] if it does not answer or has no such setting.
pub async fn setting<T>(connection: &Connection, bus_name: &str, what: &str) -> Result<T, DeviceFault>
where
    T: serde::de::DeserializeOwned + zbus::Type,
{
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    in_time(bus_name, player.get_property(what)).await?.map_err(|_| unable(bus_name))
}

/// Changes a setting.
///
/// # Errors
/// As for [`setting`].
pub async fn set(
    connection: &Connection,
    bus_name: &str,
    what: &str,
    value: impl serde::Serialize + zbus::Type,
) -> Result<(), DeviceFault> {
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    in_time(bus_name, player.set_property(what, value)).await?.map_err(|_| unable(bus_name))
}

/// Skips this many microseconds forward in the track, or back.
///
/// # Errors
/// If it does not answer in time, or refuses.
pub async fn seek(connection: &Connection, bus_name: &str, by: i64) -> Result<(), DeviceFault> {
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    let told = in_time(bus_name, player.call::<_, _, ()>("Seek", &(by,))).await?;
    told.map_err(|error| bus::fault(bus_name, &error))
}

/// What a player answers within its time.
async fn in_time<T>(bus_name: &str, asked: impl Future<Output = T>) -> Result<T, DeviceFault> {
    let late = || DeviceFault::broken(FailureKind::PlayerSilent, format!("{bus_name} does not answer"));
    tokio::time::timeout(DEADLINE, asked).await.map_err(|_late| late())
}

fn unable(bus_name: &str) -> DeviceFault {
    DeviceFault::broken(
        FailureKind::PlayerCannot,
        format!("{} cannot do that", bus_name.strip_prefix(PREFIX).unwrap_or(bus_name)),
    )
}

/// True if a player supports something: `CanGoNext`, `CanGoPrevious`, `CanPlay`, `CanPause`.
///
/// # Errors
/// If it does not answer.
pub async fn can(connection: &Connection, bus_name: &str, what: &str) -> Result<bool, DeviceFault> {
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    let answer = in_time(bus_name, player.get_property(what)).await?;
    answer.map_err(|error| bus::fault(bus_name, &error))
}

/// Sends a player a command: `PlayPause`, `Play`, `Pause`, `Stop`, `Next`, `Previous`.
///
/// # Errors
/// If it does not answer in time, or refuses.
pub async fn tell(connection: &Connection, bus_name: &str, what: &str) -> Result<(), DeviceFault> {
    let player = bus::object(connection, bus_name, PATH, PLAYER).await?;
    let answer = in_time(bus_name, player.call::<_, _, ()>(what, &())).await?;
    answer.map_err(|error| bus::fault(bus_name, &error))
}
