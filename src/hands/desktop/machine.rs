//! The screen, the power and the radios.

use std::path::Path;

use crate::devices::desktop::backlight::{self, Screen};
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::{desktop::bus, desktop::login, desktop::radio};
use guarda_core::action::{Level, Power, Radio, Setting, Switch};
use guarda_core::output::{FailureKind, Now, RawOutput};

use crate::hands::deeds::Deed;

/// The least brightness: a dark screen would hide questions.
const DARKEST: u32 = 1;

/// The name of the screen's part of the machine, for `/v1/status`.
pub(in crate::hands) const BACKLIGHT: &str = "brightness";

/// BRIGHTNESS: sets the built-in screen's brightness and reads it back.
pub(in crate::hands) async fn brightness(deed: &Deed<'_>, level: Level) -> RawOutput {
    let was = bright(deed);
    let set = set_brightness(&deed.config.session, &deed.config.backlight, level).await;
    if let (Ok(was), Ok(_), Ok(is)) = (was, &set, bright(deed)) {
        deed.note_setting(was, is, false);
    }
    match set {
        Ok(percent) => deed.showed(&format!("{percent}%"), Now::Set(Setting::Brightness(percent))),
        Err(fault) => deed.faulted(fault),
    }
}

/// The current brightness.
pub(in crate::hands) fn bright(deed: &Deed<'_>) -> Result<Setting, DeviceFault> {
    Ok(Setting::Brightness(percent(&backlight::screen(&deed.config.backlight)?)))
}

/// Restores the brightness.
pub(in crate::hands) async fn set_back(deed: &Deed<'_>, percent: u32) -> Result<Setting, DeviceFault> {
    let level = Level::Set(u8::try_from(percent).unwrap_or(100));
    set_brightness(&deed.config.session, &deed.config.backlight, level).await?;
    bright(deed)
}

async fn set_brightness(session: &DesktopSession, folder: &Path, level: Level) -> Result<u32, DeviceFault> {
    let screen = backlight::screen(folder)?;
    let value = goal(&screen, level)?;
    if let Err(refused) = backlight::write(&screen, value) {
        // Most users may write there only through the login manager.
        let set = async { login::set_brightness(&bus::of_system(session).await?, &screen.name, value).await };
        set.await.map_err(|fault| match fault {
            DeviceFault::Absent(why) => {
                DeviceFault::missing(why.kind, format!("{}: {refused}, and {why}", screen.name))
            }
            failed @ DeviceFault::Failed(_) => failed,
        })?;
    }
    let now = backlight::screen(folder)?;
    if now.value == value {
        Ok(percent(&now))
    } else {
        Err(DeviceFault::broken(
            FailureKind::Unchanged,
            format!("the brightness stayed at {}%", percent(&now)),
        ))
    }
}

fn percent(screen: &Screen) -> u32 {
    let most = u64::from(screen.most.max(1));
    u32::try_from((u64::from(screen.value) * 100 + most / 2) / most).unwrap_or(100)
}

/// The requested brightness in the kernel's units.
fn goal(screen: &Screen, level: Level) -> Result<u32, DeviceFault> {
    let now = percent(screen);
    let wanted = match level {
        Level::Up(step) => now.saturating_add(u32::from(step)),
        Level::Down(step) => now.saturating_sub(u32::from(step)),
        Level::Set(percent) => u32::from(percent),
        Level::Mute | Level::Unmute | Level::ToggleMute => {
            return Err(DeviceFault::failed("a screen cannot be muted"));
        }
    };
    let wanted = u64::from(wanted.clamp(DARKEST, 100));
    let value = (wanted * u64::from(screen.most)).div_ceil(100);
    Ok(u32::try_from(value).unwrap_or(screen.most))
}

/// LOCK: by the desktop's own locker, otherwise by the login manager.
pub(in crate::hands) async fn lock(deed: &Deed<'_>) -> RawOutput {
    let session = &deed.config.session;
    let desktop = async { login::lock_by_desktop(&bus::of_session(session).await?).await };
    let done = match desktop.await {
        Err(DeviceFault::Absent(here)) => {
            let system = async { login::lock(&bus::of_system(session).await?).await };
            system.await.map_err(|fault| match fault {
                DeviceFault::Absent(there) => DeviceFault::missing(there.kind, format!("{here}; {there}")),
                failed @ DeviceFault::Failed(_) => failed,
            })
        }
        done => done,
    };
    deed.answer(done.map(|()| String::new()))
}

/// SUSPEND, REBOOT, SHUTDOWN: the login manager.
pub(in crate::hands) async fn power(deed: &Deed<'_>, power: Power) -> RawOutput {
    let done = async {
        can(&deed.config.session, power).await?;
        login::power(&bus::of_system(&deed.config.session).await?, method(power)).await
    };
    deed.answer(done.await.map(|()| String::new()))
}

/// The login manager's name for it.
fn method(power: Power) -> &'static str {
    match power {
        Power::Suspend => "Suspend",
        Power::Reboot => "Reboot",
        Power::Shutdown => "PowerOff",
    }
}

/// Whether the login manager would permit this user to do it without a password.
pub(in crate::hands) async fn can(session: &DesktopSession, power: Power) -> Result<(), DeviceFault> {
    let connection = bus::of_system(session).await?;
    match login::can(&connection, method(power)).await?.as_str() {
        "yes" => Ok(()),
        "na" => Err(DeviceFault::missing(FailureKind::NotPossible, "this computer cannot do that")),
        "challenge" => Err(DeviceFault::broken(
            FailureKind::NeedsAdministrator,
            "the system wants an administrator's password for that",
        )),
        _ => Err(DeviceFault::broken(FailureKind::NotAllowed, "the system does not let this user do that")),
    }
}

/// WIFI and BLUETOOTH, read back afterwards.
pub(in crate::hands) async fn switch(deed: &Deed<'_>, radio: Radio, switch: Switch) -> RawOutput {
    let done = match radio {
        Radio::Wifi => wifi(&deed.config.session, switch).await,
        Radio::Bluetooth => bluetooth(&deed.config.session, switch).await,
    };
    deed.answer(done.map(|on| if on { "on" } else { "off" }.to_owned()))
}

fn wanted(switch: Switch, now: bool) -> bool {
    match switch {
        Switch::On => true,
        Switch::Off => false,
        Switch::Toggle => !now,
    }
}

async fn wifi(session: &DesktopSession, switch: Switch) -> Result<bool, DeviceFault> {
    let connection = bus::of_system(session).await?;
    let goal = wanted(switch, radio::wifi(&connection).await?);
    radio::set_wifi(&connection, goal).await?;
    let now = radio::wifi(&connection).await?;
    if now == goal {
        Ok(now)
    } else {
        Err(DeviceFault::broken(
            FailureKind::Unchanged,
            "the wireless network did not switch; is it blocked by a key?",
        ))
    }
}

async fn bluetooth(session: &DesktopSession, switch: Switch) -> Result<bool, DeviceFault> {
    let connection = bus::of_system(session).await?;
    let adapters = radio::bluetooth(&connection).await?;
    let goal = wanted(switch, adapters.iter().any(|(_, on)| *on));
    for (adapter, on) in &adapters {
        if *on != goal {
            radio::set_bluetooth(&connection, adapter, goal).await?;
        }
    }
    let now = radio::bluetooth(&connection).await?.iter().any(|(_, on)| *on);
    if now == goal {
        Ok(now)
    } else {
        Err(DeviceFault::broken(FailureKind::Unchanged, "Bluetooth did not switch; is it blocked by a key?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_never_goes_quite_dark() {
        let screen = |value, most| Screen { name: "s".into(), folder: "/s".into(), value, most };
        for (level, value, most, goal) in [
            (Level::Set(0), 500, 1000, 10),
            (Level::Set(50), 0, 1000, 500),
            (Level::Up(10), 950, 1000, 1000),
            (Level::Down(10), 500, 1000, 400),
            (Level::Set(1), 0, 7, 1),
        ] {
            assert_eq!(super::goal(&screen(value, most), level).unwrap(), goal, "{level:?}");
        }
    }

    #[tokio::test]
    async fn brightness_is_written_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let session = DesktopSession::default();
        let set = |level| set_brightness(&session, folder.path(), level);
        assert!(matches!(set(Level::Up(10)).await, Err(DeviceFault::Absent(_))));
        let screen = folder.path().join("panel");
        std::fs::create_dir(&screen).unwrap();
        std::fs::write(screen.join("max_brightness"), "400\n").unwrap();
        std::fs::write(screen.join("brightness"), "200\n").unwrap();
        assert_eq!(set(Level::Up(10)).await.unwrap(), 60);
        assert_eq!(std::fs::read_to_string(screen.join("brightness")).unwrap(), "240");
    }
}
