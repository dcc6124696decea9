//! Folders that the guard shares with other processes: its state folder, the IPC folder, and those of containers.

pub mod state_folder;
pub mod inbox;
pub mod containers;
