//! The containers' sockets. Each opens and closes as its folder appears and disappears.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::devices::exchange::containers::{ContainerFolder, Containers};
use crate::doors::http::Peer;
use crate::doors::http::listen::Listener;

/// How often the folders are listed without a notification.
const ROUND: Duration = Duration::from_secs(5);

/// Serves every container's socket while the service runs.
pub async fn serve(listener: Listener, containers: Containers) {
    let heard = match containers.watch() {
        Ok(heard) => heard,
        Err(error) => return tracing::error!(%error, "containers cannot be served"),
    };
    let mut open: HashMap<String, Socket> = HashMap::new();
    loop {
        let places = containers.list();
        open.retain(|name, _| places.iter().any(|place| place.name == *name));
        for place in places {
            if open.get(&place.name).is_some_and(Socket::there) {
                continue;
            }
            // Closes the old socket first, since that deletes the file that the new one will create.
            drop(open.remove(&place.name));
            match Socket::open(&listener, &place) {
                Ok(socket) => drop(open.insert(place.name, socket)),
                Err(why) => tracing::error!(container = place.name, why, "its socket cannot be opened"),
            }
        }
        let _ = tokio::time::timeout(ROUND, heard.notified()).await;
    }
}

/// A served socket. Dropping it closes the socket and deletes its file.
struct Socket {
    place: Arc<ContainerFolder>,
    _closing: DropGuard,
}

impl Socket {
    fn open(listener: &Listener, place: &ContainerFolder) -> Result<Self, String> {
        let socket = place.socket().map_err(|error| error.to_string())?;
        let socket = tokio::net::UnixListener::from_std(socket).map_err(|error| error.to_string())?;
        let (closing, place) = (CancellationToken::new(), Arc::new(place.clone()));
        let peer = Peer::Container(Arc::clone(&place));
        let serving = listener.clone().unix(socket, move |_| Ok(peer.clone()));
        tokio::spawn(closing.clone().run_until_cancelled_owned(serving));
        Ok(Self { place, _closing: closing.drop_guard() })
    }

    /// Whether the socket is still at its path. A folder may be removed and added again between two checks.
    fn there(&self) -> bool {
        self.place.path.join("guarda.sock").symlink_metadata().is_ok()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.place.leave();
    }
}
