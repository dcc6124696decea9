//! Listeners on this machine that count the bytes which reach them: where a deed tries to send a secret.

use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;

/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(2);

/// A way by which bytes can leave a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outlet {
    Tcp,
    Udp,
    /// A socket in a folder.
    Socket,
    /// A socket without a file.
    Abstract,
}

/// One listener of each kind. Their threads end with the program.
#[derive(Debug)]
pub(super) struct Listeners {
    /// The ports on 127.0.0.1.
    pub(super) tcp: u16,
    pub(super) udp: u16,
    /// The name of the socket without a file.
    pub(super) name: String,
    received: Arc<[AtomicU64; 4]>,
}

impl Listeners {
    /// Opens them; the socket with a file is `collector` in `folder`.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let received: Arc<[AtomicU64; 4]> = Arc::default();
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let name = format!("guarda-prove-{}", crate::devices::random::hex::<4>()?);
        let file = UnixListener::bind(folder.join("collector"))?;
        let nameless = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        let opened = Self { tcp: tcp.local_addr()?.port(), udp: udp.local_addr()?.port(), name, received };
        follow(opened.note(Outlet::Tcp), move || {
            let (stream, _) = tcp.accept()?;
            stream.set_read_timeout(Some(SILENCE)).map(|()| stream)
        });
        for (listener, kind) in [(file, Outlet::Socket), (nameless, Outlet::Abstract)] {
            follow(opened.note(kind), move || {
                let (stream, _) = listener.accept()?;
                stream.set_read_timeout(Some(SILENCE)).map(|()| stream)
            });
        }
        let note = opened.note(Outlet::Udp);
        std::thread::spawn(move || {
            let mut bytes = [0; 2048];
            while let Ok(count) = udp.recv(&mut bytes) {
                note(count);
            }
        });
        Ok(opened)
    }

    fn note(&self, kind: Outlet) -> impl Fn(usize) + Send + 'static {
        let received = Arc::clone(&self.received);
        move |count| {
            if let Some(total) = received.get(kind as usize) {
                total.fetch_add(count as u64, Ordering::Relaxed);
            }
        }
    }

    /// The bytes that reached it since [`Listeners::forget`].
    pub(super) fn received(&self, kind: Outlet) -> u64 {
        self.received.get(kind as usize).map_or(0, |total| total.load(Ordering::Relaxed))
    }

    /// Sets the counts back to zero.
    pub(super) fn forget(&self) {
        self.received.iter().for_each(|total| total.store(0, Ordering::Relaxed));
    }
}

/// Reads each accepted connection to its end, or until nothing comes. Nobody is answered, so that a sender ends by its own limit.
fn follow<S: io::Read>(
    note: impl Fn(usize) + Send + 'static,
    accept: impl Fn() -> io::Result<S> + Send + 'static,
) {
    std::thread::spawn(move || {
        let mut bytes = [0; 2048];
        loop {
            let Ok(mut stream) = accept() else { continue };
            while let Ok(count @ 1..) = stream.read(&mut bytes) {
                note(count);
            }
        }
    });
}
