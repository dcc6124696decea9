//! The radios: NetworkManager for the wireless network, BlueZ for Bluetooth; both on the system bus.

use std::collections::HashMap;

use zbus::Connection;

use crate::devices::desktop::bus;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

const NETWORK: &str = "org.freedesktop.NetworkManager";
const NETWORK_PATH: &str = "/org/freedesktop/NetworkManager";
const BLUEZ: &str = "org.bluez";
const ADAPTER: &str = "org.bluez.Adapter1";

/// True if the wireless network is switched on.
///
/// # Errors
/// [`DeviceFault::Absent`] without NetworkManager.
pub async fn wifi(connection: &Connection) -> Result<bool, DeviceFault> {
    let manager = bus::object(connection, NETWORK, NETWORK_PATH, NETWORK).await?;
    manager.get_property("WirelessEnabled").await.map_err(|error| bus::fault("NetworkManager", &error))
}

/// Switches the wireless network.
///
/// # Errors
/// [`DeviceFault::Absent`] without NetworkManager; [`DeviceFault::Failed`] if it refuses.
pub async fn set_wifi(connection: &Connection, on: bool) -> Result<(), DeviceFault> {
    let manager = bus::object(connection, NETWORK, NETWORK_PATH, NETWORK).await?;
    let done = manager.set_property("WirelessEnabled", on).await;
    done.map_err(|error| bus::fault("NetworkManager", &error.into()))
}

/// The objects of a service: path → interface → property → value.
type Objects = HashMap<zbus::OwnedObjectPath, HashMap<String, HashMap<String, zbus::OwnedVariant>>>;

/// The Bluetooth adapters, sorted by path, each with whether it is switched on.
///
/// # Errors
/// [`DeviceFault::Absent`] without BlueZ, or without an adapter.
pub async fn bluetooth(connection: &Connection) -> Result<Vec<(String, bool)>, DeviceFault> {
    let told = |error: zbus::Error| bus::fault("BlueZ", &error);
    let manager = bus::object(connection, BLUEZ, "/", "org.freedesktop.DBus.ObjectManager").await?;
    let objects: Objects = manager.call("GetManagedObjects", &()).await.map_err(told)?;
    let mut adapters: Vec<(String, bool)> = objects
        .into_iter()
        .filter_map(|(path, interfaces)| {
            let on = matches!(**interfaces.get(ADAPTER)?.get("Powered")?, zbus::Variant::Bool(true));
            Some((path.as_str().to_owned(), on))
        })
        .collect();
    adapters.sort();
    if adapters.is_empty() {
        return Err(DeviceFault::missing(FailureKind::NoBluetooth, "no Bluetooth adapter"));
    }
    Ok(adapters)
}

/// Switches one Bluetooth adapter.
///
/// # Errors
/// [`DeviceFault::Failed`] if it refuses, for example because a switch blocks it.
pub async fn set_bluetooth(connection: &Connection, adapter: &str, on: bool) -> Result<(), DeviceFault> {
    let object = bus::object(connection, BLUEZ, adapter, ADAPTER).await?;
    object.set_property("Powered", on).await.map_err(|error| bus::fault("BlueZ", &error.into()))
}
