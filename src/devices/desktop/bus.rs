//! D-Bus: a connection to a bus, and objects on it. Every call has a deadline.

use std::time::Duration;

use guarda_core::output::FailureKind;
use zbus::proxy::CacheProperties;
use zbus::{Connection, DBusError as _};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;

/// How long a call may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// The bus of the user's session.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none.
pub async fn of_session(session: &DesktopSession) -> Result<Connection, DeviceFault> {
    of_session_for(session, DEADLINE).await
}

/// The bus of the user's session, with another time limit for calls.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none.
pub async fn of_session_for(session: &DesktopSession, time: Duration) -> Result<Connection, DeviceFault> {
    let address = session.session_bus().ok_or_else(no_session_bus)?;
    connect_for(&address, "session", time).await
}

fn no_session_bus() -> DeviceFault {
    DeviceFault::missing(FailureKind::NoSessionBus, "no session bus: DBUS_SESSION_BUS_ADDRESS is not set")
}

/// The bus of the system.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none.
pub async fn of_system(session: &DesktopSession) -> Result<Connection, DeviceFault> {
    connect(&session.system_bus(), "system").await
}

async fn connect(address: &str, which: &str) -> Result<Connection, DeviceFault> {
    connect_for(address, which, DEADLINE).await
}

async fn connect_for(address: &str, which: &str, time: Duration) -> Result<Connection, DeviceFault> {
    let kind = if which == "system" { FailureKind::NoSystemBus } else { FailureKind::NoSessionBus };
    let building = zbus::connection::Builder::address(address).method_timeout(time).build();
    match tokio::time::timeout(time, building).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(DeviceFault::missing(kind, format!("no {which} bus: {error}"))),
        Err(_late) => Err(DeviceFault::missing(kind, format!("the {which} bus does not answer"))),
    }
}

/// One interface of one object. Properties are read again each time.
///
/// # Errors
/// If a name is invalid.
pub async fn object<'a>(
    connection: &Connection,
    destination: &'a str,
    path: &'a str,
    interface: &'a str,
) -> Result<zbus::Proxy<'a>, DeviceFault> {
    zbus::proxy::Builder::<zbus::Proxy<'_>>::new(connection)
        .destination(destination)
        .path(path)
        .interface(interface)
        .cache_properties(CacheProperties::No)
        .build()
        .await
        .map_err(|error| fault(destination, &error))
}

/// True if this name has an owner, or the bus could start one.
///
/// # Errors
/// If the bus does not answer.
pub async fn serves(connection: &Connection, name: &str) -> Result<bool, DeviceFault> {
    let bus = object(connection, BUS, "/org/freedesktop/DBus", BUS).await?;
    let owned: bool = bus.call("NameHasOwner", &name).await.map_err(|error| fault(BUS, &error))?;
    if owned {
        return Ok(true);
    }
    let startable: Vec<String> =
        bus.call("ListActivatableNames", &()).await.map_err(|error| fault(BUS, &error))?;
    Ok(startable.iter().any(|other| other == name))
}

/// The names on the bus that begin with `prefix`, each with its owner.
///
/// # Errors
/// If the bus does not answer.
pub async fn names(connection: &Connection, prefix: &str) -> Result<Vec<(String, String)>, DeviceFault> {
    let bus = object(connection, BUS, "/org/freedesktop/DBus", BUS).await?;
    let names: Vec<String> = bus.call("ListNames", &()).await.map_err(|error| fault(BUS, &error))?;
    let mut owned = Vec::new();
    for name in names.into_iter().filter(|name| name.starts_with(prefix)) {
        if let Ok(owner) = bus.call::<_, _, String>("GetNameOwner", &name).await {
            owned.push((name, owner));
        }
    }
    Ok(owned)
}

const BUS: &str = "org.freedesktop.DBus";

/// Translates an error of the bus for a call to `whom`.
#[must_use]
pub fn fault(whom: &str, error: &zbus::Error) -> DeviceFault {
    let name = match error {
        zbus::Error::MethodError(name, ..) => name.to_string(),
        zbus::Error::FDO(error) => error.name().to_string(),
        _ => String::new(),
    };
    let text = error.to_string();
    let is = |names: &[&str]| name.rsplit('.').next().is_some_and(|last| names.contains(&last));
    if is(&["ServiceUnknown", "NameHasNoOwner", "UnknownObject", "UnknownInterface", "UnknownMethod"])
        || name.contains(".Spawn.")
    {
        DeviceFault::missing(FailureKind::NoService, format!("{whom} is not there"))
    } else if is(&["AccessDenied", "NotAuthorized"]) {
        DeviceFault::broken(FailureKind::NotAllowed, format!("{whom}: {text}"))
    } else {
        DeviceFault::failed(format!("{whom}: {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_known_by_its_name_and_not_by_its_text() {
        let call = zbus::Message::method_call("/", "Call").build(&()).unwrap();
        let told = |name: &str, text: &str| {
            let reply = zbus::Message::error(&call.header(), name).build(&text).unwrap();
            fault("a service", &zbus::Error::from(reply))
        };
        let missing = DeviceFault::missing(FailureKind::NoService, "a service is not there");
        for name in ["ServiceUnknown", "NameHasNoOwner", "Spawn.ServiceNotFound", "UnknownMethod"] {
            assert_eq!(told(&format!("org.freedesktop.DBus.Error.{name}"), "x"), missing, "{name}");
        }
        for name in ["org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.login1.NotAuthorized"] {
            let DeviceFault::Failed(failure) = told(name, "x") else { panic!("{name} is not missing") };
            assert_eq!(failure.kind, FailureKind::NotAllowed, "{name}");
        }
        let DeviceFault::Failed(failure) =
            told("org.example.Busy", "AccessDenied, NotAuthorized, UnknownObject")
        else {
            panic!("its text does not decide")
        };
        assert_eq!(failure.kind, FailureKind::Other);
    }
}
