//! The socket in the state folder. It serves the same API to processes of the same user, which the system identifies.

pub mod containers;

use std::io;

use crate::doors::http::Peer;

/// Identifies the process at the other end. Other users are refused, including root, which needs no permission here.
///
/// # Errors
/// If the system cannot identify the process, or it belongs to another user.
pub fn peer(stream: &tokio::net::UnixStream) -> io::Result<Peer> {
    let credentials = stream.peer_cred()?;
    let own = crate::devices::filesystem::own::own_uid();
    if credentials.uid() != own {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("user {} is not user {own}", credentials.uid()),
        ));
    }
    Ok(Peer::Socket { pid: credentials.pid() })
}
