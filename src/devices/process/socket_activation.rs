//! Sockets that a service manager opened before it started the guard: systemd's socket activation (sd_listen_fds(3)).

use std::net::TcpListener;
use std::os::unix::net::UnixListener;

/// The sockets that were passed in.
#[derive(Debug, Default)]
pub struct SocketActivation {
    /// The TCP socket of the API.
    pub address: Option<TcpListener>,
    /// The Unix socket of the state folder.
    pub socket: Option<UnixListener>,
}

/// Why the sockets of a service manager cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NotActivated {
    /// The socket with this number, from 1, is of another kind.
    #[error(
        "socket {0} of LISTEN_FDS is neither a TCP address nor a Unix socket: see ListenStream= in guarda.socket"
    )]
    Unknown(usize),
    /// Two sockets of one kind.
    #[error(
        "LISTEN_FDS hands over two sockets of one kind: the guard has one TCP address and one Unix socket; see \
         ListenStream= in guarda.socket"
    )]
    Twice,
    /// A socket cannot be made non-blocking.
    #[error("a socket of LISTEN_FDS cannot be used: {0}")]
    System(#[from] std::io::Error),
}

impl SocketActivation {
    /// Takes the sockets that were passed to this process, once. Child processes inherit none of them. Call this
    /// first, while there is only one thread.
    ///
    /// # Errors
    /// [`NotActivated`], if anything but one TCP socket and one Unix socket was passed in.
    pub fn take() -> Result<Self, NotActivated> {
        Self::from(listenfd::ListenFd::from_env())
    }

    fn from(mut given: listenfd::ListenFd) -> Result<Self, NotActivated> {
        let mut socket_activation = Self::default();
        for number in 0..given.len() {
            let twice = if let Ok(Some(socket)) = given.take_unix_listener(number) {
                socket.set_nonblocking(true)?;
                socket_activation.socket.replace(socket).is_some()
            } else if let Ok(Some(address)) = given.take_tcp_listener(number) {
                address.set_nonblocking(true)?;
                socket_activation.address.replace(address).is_some()
            } else {
                return Err(NotActivated::Unknown(number + 1));
            };
            if twice {
                return Err(NotActivated::Twice);
            }
        }
        Ok(socket_activation)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_handed_over_is_nothing() {
        let socket_activation = super::SocketActivation::from(listenfd::ListenFd::empty()).unwrap();
        assert!(socket_activation.address.is_none() && socket_activation.socket.is_none());
    }
}
