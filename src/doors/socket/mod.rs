//! The socket in the state folder: the same API, for processes of the same user, whom the system vouches for.

pub mod containers;

use std::io;

use crate::doors::http::Peer;

/// Who is at the other end. Another user is refused, root too: what root wants done, root can do.
///
/// # Errors
/// If the system does not tell, or tells of another user.
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
