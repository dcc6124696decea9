//! The socket in the state folder: the same API, for processes of the same user, which the system identifies.

pub mod containers;

use std::io;

use crate::doors::http::Peer;

/// The process at the other end. Other users are refused, including root, which needs no permission here.
///
/// # Errors
/// If the system does not identify it, or it has another user.
pub fn peer(stream: &tokio::net::UnixStream) -> io::Result<Peer> {
    let credentials = stream.peer_cred()?;
    let own = crate::devices::own::own_uid();
    if credentials.uid() != own {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("user {} is not user {own}", credentials.uid()),
        ));
    }
    Ok(Peer::Socket { pid: credentials.pid() })
}
