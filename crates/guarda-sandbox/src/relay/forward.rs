//! Forwards between a client and a host. Only a client's first bytes and the heads of plain HTTP are read.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use guarda_core::gate::HostRefusal;
use guarda_core::network::flight::{self, Flight, Mismatch};
use guarda_core::network::http::{RequestPart, Requests};
use guarda_core::network::{Protocol, Step};
use guarda_core::output::traffic::Spoken;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::watch;

use super::client::{Client, PIECE, Wanted};
use super::splice::Pipe;
use super::tally::{Bytes, Tally};

/// A connection that was idle for this long is closed.
const IDLE: Duration = Duration::from_secs(900);

/// From this many bytes in one direction on, a pipe is worth its cost.
const BULK: usize = 256 * 1024;

/// Requirements for a client's first bytes.
pub(super) struct Check<'a> {
    pub(super) wanted: &'a Wanted,
    pub(super) protocol: Protocol,
    pub(super) tally: &'a Tally,
}

/// Why forwarding ended.
enum End {
    /// One side failed or timed out; the other notices when its connection ends.
    Broken,
    Refused(HostRefusal),
}

impl From<io::Error> for End {
    fn from(_error: io::Error) -> Self {
        Self::Broken
    }
}

/// Forwards in both directions until both have ended.
///
/// # Errors
/// If the client's first bytes, or a later plain HTTP request, name another host than the one it was admitted for.
pub(super) async fn both(
    client: &mut Client,
    mut server: TcpStream,
    check: Option<Check<'_>>,
    bytes: &Bytes,
) -> Result<(), HostRefusal> {
    let held = std::mem::take(&mut client.held);
    let (from_client, mut to_client) = client.stream.split();
    let (mut from_server, to_server) = server.split();
    let mut up = Up { from: from_client, to: to_server, held, count: &bytes.sent };
    // On this computer, no name can lead anywhere else.
    let check = check.filter(|check| !check.wanted.to.host.is_local());
    let first = FirstAnswer::default();
    let up = async {
        let requests = match check {
            Some(check) => up.first_flight(&check).await?.map(|requests| (requests, check.wanted)),
            None => None,
        };
        match requests {
            Some((requests, wanted)) => up.requests(requests, Some(wanted), &first).await,
            None => up.rest().await,
        }
    };
    let down = copy(&mut from_server, &mut to_client, Some(&first), &bytes.received);
    settle(up, down, bytes).await
}

/// Forwards the rest of one request and its answer. `upgrade`: the client asks to switch protocols.
///
/// # Errors
/// If the client sends another request.
pub(super) async fn request(
    client: &mut Client,
    mut server: TcpStream,
    mut requests: Requests,
    upgrade: bool,
    bytes: &Bytes,
) -> Result<(), HostRefusal> {
    let held = std::mem::take(&mut client.held);
    let (from_client, mut to_client) = client.stream.split();
    let (mut from_server, to_server) = server.split();
    let mut up = Up { from: from_client, to: to_server, held, count: &bytes.sent };
    let first = FirstAnswer::default();
    let down = async {
        copy(&mut from_server, &mut to_client, Some(&first), &bytes.received).await?;
        // The answer is complete. A client that keeps its side open cannot send anything more here.
        Err(End::Broken)
    };
    let up = async {
        if upgrade && first.agrees().await {
            requests.opened();
        }
        up.requests(requests, None, &first).await
    };
    settle(up, down, bytes).await
}

async fn settle(
    up: impl Future<Output = Result<(), End>>,
    down: impl Future<Output = Result<(), End>>,
    bytes: &Bytes,
) -> Result<(), HostRefusal> {
    let ended = tokio::select! {
        ended = async { tokio::try_join!(up, down).map(|_both| ()) } => ended,
        () = idle(bytes) => Ok(()),
    };
    match ended {
        Ok(()) | Err(End::Broken) => Ok(()),
        Err(End::Refused(refused)) => Err(refused),
    }
}

/// Waits until nothing has been forwarded for [`IDLE`].
async fn idle(bytes: &Bytes) {
    let passed = || (bytes.sent.load(Ordering::Relaxed), bytes.received.load(Ordering::Relaxed));
    let mut before = passed();
    loop {
        tokio::time::sleep(IDLE).await;
        let now = passed();
        if now == before {
            return;
        }
        before = now;
    }
}

/// Whether the host's first answer agrees to switch protocols. A host that does not agree may take later
/// bytes for another request, to another host.
#[derive(Debug, Default)]
struct FirstAnswer(watch::Sender<(Vec<u8>, Option<bool>)>);

impl FirstAnswer {
    const AGREES: &[u8] = b"HTTP/1.1 101 ";

    /// Takes bytes from the host; none at its end.
    fn see(&self, bytes: &[u8]) {
        self.0.send_if_modified(|(begun, agrees)| {
            if agrees.is_some() {
                return false;
            }
            begun.extend(bytes.iter().take(Self::AGREES.len().saturating_sub(begun.len())));
            let over = bytes.is_empty() || begun.len() >= Self::AGREES.len();
            *agrees = over.then(|| begun == Self::AGREES);
            over
        });
    }

    /// Waits for the answer.
    async fn agrees(&self) -> bool {
        let mut seen = self.0.subscribe();
        seen.wait_for(|(_, agrees)| agrees.is_some()).await.is_ok_and(|seen| seen.1 == Some(true))
    }
}

/// Copies until the end, then closes the other direction, too.
async fn copy(
    from: &mut ReadHalf<'_>,
    to: &mut WriteHalf<'_>,
    first: Option<&FirstAnswer>,
    count: &AtomicU64,
) -> Result<(), End> {
    let mut piece = vec![0; PIECE];
    let mut passed = 0_usize;
    loop {
        if passed > BULK
            && let Some(pipe) = Pipe::new()
        {
            pipe.pass(from.as_ref(), to.as_ref(), count).await?;
            to.shutdown().await?;
            return Ok(());
        }
        let got = from.read(&mut piece).await?;
        if let Some(first) = first {
            first.see(piece.get(..got).unwrap_or_default());
        }
        let Some(got) = piece.get(..got).filter(|got| !got.is_empty()) else {
            to.shutdown().await?;
            return Ok(());
        };
        to.write_all(got).await?;
        passed = passed.saturating_add(got.len());
        count.fetch_add(got.len() as u64, Ordering::Relaxed);
    }
}

/// The direction from the client to the host.
struct Up<'a> {
    from: ReadHalf<'a>,
    to: WriteHalf<'a>,
    held: Vec<u8>,
    count: &'a AtomicU64,
}

impl Up<'_> {
    async fn more(&mut self) -> Result<bool, End> {
        self.held.reserve(PIECE);
        Ok(self.from.read_buf(&mut self.held).await? > 0)
    }

    /// Sends this many of the held bytes.
    async fn send(&mut self, length: usize) -> Result<(), End> {
        self.to.write_all(self.held.get(..length).unwrap_or_default()).await?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        self.held.drain(..length);
        Ok(())
    }

    /// Holds the client's first bytes until they are checked; returns the requests to watch if it is plain
    /// HTTP. Bytes from the host pass meanwhile: if the server speaks first, the client would wait for ever.
    async fn first_flight(&mut self, check: &Check<'_>) -> Result<Option<Requests>, End> {
        let Wanted { to, path } = check.wanted;
        loop {
            match flight::check(to, check.protocol, &self.held) {
                Err(mismatch) => return Err(End::Refused(mismatch.into())),
                Ok(Step::Done(flight, _used)) => {
                    let (spoken, named) = match &flight {
                        Flight::Tls(hello) => (Spoken::Tls, hello.sni.is_some()),
                        Flight::Http(_) => (Spoken::Http, true),
                        Flight::Ssh => (Spoken::Ssh, false),
                        Flight::Other => (Spoken::Other, false),
                    };
                    check.tally.spoke(to, *path, spoken, named);
                    return Ok(matches!(flight, Flight::Http(_)).then(Requests::default));
                }
                Ok(Step::More) if self.more().await? => {}
                Ok(Step::More) if self.held.is_empty() || check.protocol == Protocol::Any => return Ok(None),
                Ok(Step::More) => return Err(End::Broken),
            }
        }
    }

    /// Forwards requests. With `wanted`, each has to name that host; without, no further one may begin.
    async fn requests(
        &mut self,
        mut requests: Requests,
        wanted: Option<&Wanted>,
        first: &FirstAnswer,
    ) -> Result<(), End> {
        let mut is_first = true;
        loop {
            let next = requests.next(&self.held);
            match next.map_err(|fault| End::Refused(Mismatch::from(fault).into()))? {
                Step::Done(RequestPart::Body, used) => self.send(used).await?,
                Step::Done(RequestPart::Head(head), used) => {
                    let Some(wanted) = wanted else {
                        return Err(End::Refused(HostRefusal::SecondRequest));
                    };
                    flight::names(&wanted.to, &head).map_err(|mismatch| End::Refused(mismatch.into()))?;
                    self.send(used).await?;
                    if std::mem::take(&mut is_first) && head.upgrade && first.agrees().await {
                        requests.opened();
                    }
                }
                Step::More if self.more().await? => {}
                Step::More => {
                    self.to.shutdown().await?;
                    return Ok(());
                }
            }
        }
    }

    /// Passes on everything.
    async fn rest(&mut self) -> Result<(), End> {
        self.send(self.held.len()).await?;
        self.held = Vec::new();
        copy(&mut self.from, &mut self.to, None, self.count).await
    }
}
