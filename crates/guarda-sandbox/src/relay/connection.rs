//! One connection of a run: its destination, whether it is admitted, and the error for the client otherwise.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use guarda_core::gate::HostRefusal;
use guarda_core::network::http::{Head, RequestPart, RequestTarget, Requests};
use guarda_core::network::{Destination, Host, Step, Why, socks};
use guarda_core::output::traffic::{Path, Spoken};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::client::{Client, LAST_WORDS, PATIENCE, Wanted};
use super::forward;
use super::shared::Shared;

/// How a refusal is reported to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// By the status of a tunnel, which fails.
    Tunnel,
    Socks,
    /// A request to the proxy: an HTTP error says that it is not allowed. Where the connection itself fails, it is reset, since an
    /// answer would count as one of the server.
    Http,
    /// The client does not know about the guard: as for a request if it speaks HTTP, otherwise a reset.
    Unaware,
}

/// Serves one connection with this intended address until its end.
pub(super) async fn serve(stream: TcpStream, meant: SocketAddr, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let client = Client { stream, held: Vec::new() };
    let served = match meant.ip().is_loopback() && meant.port() == shared.port {
        true => by_proxy(client, &shared).await,
        false => {
            redirected(client, meant, &shared).await;
            Ok(())
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a client of the proxy was not understood");
    }
}

/// A client that connected to some address and was redirected.
async fn redirected(mut client: Client, meant: SocketAddr, shared: &Shared) {
    // A server of the run itself comes before one of this machine on the same port.
    if meant.ip().to_canonical().is_loopback()
        && let Some(mut server) = shared.inside.connect(meant.port()).await
    {
        if let Ok(to) = Destination::new(Host::Address(meant.ip().to_canonical()), meant.port()) {
            shared.tally.reached(&to);
        }
        // How it ends concerns both ends alone.
        return drop(tokio::io::copy_bidirectional(&mut client.stream, &mut server.stream).await);
    }
    let fake = match meant {
        SocketAddr::V4(meant) => shared.names.name(*meant.ip()),
        SocketAddr::V6(_) => None,
    };
    let (host, path) = match fake {
        Some(name) => (Host::Name(name), Path::Name),
        None => (Host::Address(meant.ip().to_canonical()), Path::Address),
    };
    match Destination::new(host, meant.port()) {
        Ok(to) => connect(client, Wanted { to, path }, Manner::Unaware, b"", shared).await,
        Err(_port_zero) => client.reset(),
    }
}

/// A client that uses the guard as a proxy.
async fn by_proxy(mut client: Client, shared: &Shared) -> io::Result<()> {
    tokio::time::timeout(PATIENCE, client.more()).await??;
    if client.held.first() == Some(&socks::VERSION) {
        return by_socks(client, shared).await;
    }
    let (head, used) = match client.until(Head::read).await {
        Ok(read) => read,
        Err(error) => {
            client.close_with(&answer("400 Bad Request", &error.to_string())).await;
            return Err(error);
        }
    };
    match head.target.clone() {
        RequestTarget::Tunnel(to) => {
            client.held.drain(..used);
            let wanted = Wanted { to, path: Path::Tunnel };
            connect(client, wanted, Manner::Tunnel, b"HTTP/1.1 200 Connection established\r\n\r\n", shared)
                .await;
        }
        RequestTarget::Absolute(to) => fetch(client, Wanted { to, path: Path::Proxy }, shared).await,
        RequestTarget::Origin => client.close_with(&answer("400 Bad Request", "this is a proxy")).await,
    }
    Ok(())
}

async fn by_socks(mut client: Client, shared: &Shared) -> io::Result<()> {
    let (plain, used) = client.until(socks::greeting).await?;
    client.held.drain(..used);
    if !plain {
        client.close_with(&socks::NO_METHOD).await;
        return Ok(());
    }
    client.stream.write_all(&socks::NO_AUTHENTICATION).await?;
    let mut fault = None;
    let read = client.until(|bytes| socks::request(bytes).inspect_err(|error| fault = Some(*error))).await;
    let (to, used) = match (read, fault) {
        (Ok(read), _) => read,
        (Err(error), None) => return Err(error),
        (Err(error), Some(fault)) => {
            client.close_with(&fault.answer().bytes()).await;
            return Err(error);
        }
    };
    client.held.drain(..used);
    let connected = socks::Reply::Connected.bytes();
    connect(client, Wanted { to, path: Path::Socks }, Manner::Socks, &connected, shared).await;
    Ok(())
}

/// Connects a client to its destination if that is admitted, and forwards in both directions.
async fn connect(mut client: Client, wanted: Wanted, manner: Manner, connected: &[u8], shared: &Shared) {
    let (admitted, server) = match reach(&client, &wanted, shared).await {
        Ok(reached) => reached,
        Err(refused) => return refuse(client, &wanted, manner, &refused).await,
    };
    let Ok(address) = server.peer_addr() else { return };
    let bytes = shared.tally.connected(&wanted.to, wanted.path, address.ip(), &admitted.rule.why);
    if client.stream.write_all(connected).await.is_err() {
        return;
    }
    let check = forward::Check { wanted: &wanted, protocol: admitted.rule.protocol, tally: &shared.tally };
    if let Err(refused) = forward::both(&mut client, server, Some(check), &bytes).await {
        shared.refused(&wanted, &refused).await;
        client.reset();
    }
}

type Reached = (super::admission::Admitted, TcpStream);

/// Admits and connects.
async fn reach(client: &Client, wanted: &Wanted, shared: &Shared) -> Result<Reached, HostRefusal> {
    let reached = async {
        let admitted = shared.admission.admit(&wanted.to, &*shared.outside).await?;
        if admitted.rule.why == Why::Answer && client.has_ended().await {
            shared.tally.abandoned(&wanted.to, wanted.path);
        }
        let server = admitted.connect().await?;
        Ok((admitted, server))
    };
    let reached: Result<_, HostRefusal> = reached.await;
    if let Err(refused) = &reached {
        shared.refused(wanted, refused).await;
    }
    reached
}

/// Forwards one request for an absolute address. Each has its own connection, so that a second one cannot go
/// to another host.
async fn fetch(mut client: Client, wanted: Wanted, shared: &Shared) {
    let (admitted, mut server) = match reach(&client, &wanted, shared).await {
        Ok(reached) => reached,
        Err(refused) => return refuse(client, &wanted, Manner::Http, &refused).await,
    };
    let Ok(address) = server.peer_addr() else { return };
    let bytes = shared.tally.connected(&wanted.to, wanted.path, address.ip(), &admitted.rule.why);
    shared.tally.spoke(&wanted.to, wanted.path, Spoken::Http, true);
    let mut requests = Requests::default();
    let Ok(Step::Done(RequestPart::Head(head), used)) = requests.next(&client.held) else { return };
    let Ok(origin) = Head::for_origin(client.held.get(..used).unwrap_or_default()) else { return };
    let origin = if head.upgrade { origin } else { closing(&origin) };
    client.held.drain(..used);
    if server.write_all(&origin).await.is_err() {
        return client.reset();
    }
    if let Err(refused) = forward::request(&mut client, server, requests, head.upgrade, &bytes).await {
        shared.refused(&wanted, &refused).await;
        client.reset();
    }
}

/// A head that asks the server to close the connection after its answer.
fn closing(head: &[u8]) -> Vec<u8> {
    let mut lines = head.split_inclusive(|byte| *byte == b'\n');
    let mut closing = lines.next().unwrap_or_default().to_vec();
    closing.extend(b"Connection: close\r\n");
    let is_connection = |line: &[u8]| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        [&b"connection"[..], b"keep-alive"].iter().any(|other| name.eq_ignore_ascii_case(other))
    };
    closing.extend(lines.filter(|line| !is_connection(line)).flatten());
    closing
}

async fn refuse(mut client: Client, wanted: &Wanted, manner: Manner, refused: &HostRefusal) {
    let text = format!("{}: {refused}", wanted.to);
    let status = if refused.is_outage() { "502 Bad Gateway" } else { "403 Forbidden" };
    match manner {
        Manner::Http | Manner::Unaware if refused.is_outage() => client.reset(),
        Manner::Tunnel => client.close_with(&answer(status, &text)).await,
        Manner::Socks => {
            let code = match refused {
                HostRefusal::Unresolved { .. } => socks::Reply::Unreachable,
                HostRefusal::Unreachable { .. } => socks::Reply::Refused,
                _ => socks::Reply::NotAllowed,
            };
            client.close_with(&code.bytes()).await;
        }
        Manner::Http => client.close_with(&answer(status, &text)).await,
        Manner::Unaware => {
            let http = async {
                while client.more().await? {
                    match Head::read(&client.held) {
                        Ok(Step::More) => {}
                        Ok(Step::Done(..)) => return Ok(true),
                        Err(_) => return Ok(false),
                    }
                }
                io::Result::Ok(false)
            };
            match tokio::time::timeout(LAST_WORDS, http).await {
                Ok(Ok(true)) => client.close_with(&answer(status, &text)).await,
                _ => client.reset(),
            }
        }
    }
}

fn answer(status: &str, text: &str) -> Vec<u8> {
    let text = format!("guarda: refused: {text}\n");
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    (head + &text).into_bytes()
}

#[cfg(test)]
mod tests {
    use guarda_core::network::AddressClass;

    use super::*;

    #[test]
    fn a_fetched_head_asks_for_one_answer() {
        let head = b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: keep-alive\r\nkeep-alive: 3\r\nX-Connection: y\r\n\r\n";
        let closed = b"GET / HTTP/1.1\r\nConnection: close\r\nHost: a.example\r\nX-Connection: y\r\n\r\n";
        assert_eq!(closing(head), closed);
    }

    #[test]
    fn addresses_given_out_for_names_are_never_connected_to() {
        for address in ["198.18.0.1", "198.18.255.255", "198.19.0.0"] {
            assert_eq!(AddressClass::of(address.parse().unwrap()), AddressClass::Reserved);
        }
    }
}
