//! Names that a run resolves. Each gets an address that leads only to the guard. No upstream server is
//! queried.

use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use guarda_core::network::dns::Query;
use guarda_core::network::{DomainName, Host};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};

use super::source::PAUSE;

/// The first of the assigned addresses (198.18.0.0/15, for benchmarks; RFC 2544), and their number.
const FIRST: u32 = Ipv4Addr::new(198, 18, 0, 1).to_bits();
const MOST: usize = 65_536;
/// The idle limit of a connection for queries.
const PATIENCE: Duration = Duration::from_secs(10);

/// The names that were resolved. An address means the same name for the whole run.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    numbers: HashMap<DomainName, u32>,
    names: Vec<DomainName>,
}

impl Names {
    /// The address of a name; `None` if all are assigned.
    fn address(&self, name: &DomainName) -> Option<Ipv4Addr> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match known.numbers.get(name) {
            Some(number) => *number,
            None if known.names.len() < MOST => {
                let number = u32::try_from(known.names.len()).ok()?;
                known.numbers.insert(name.clone(), number);
                known.names.push(name.clone());
                number
            }
            None => return None,
        };
        Some(Ipv4Addr::from_bits(FIRST.checked_add(number)?))
    }

    /// The name that an address is assigned to.
    pub(super) fn name(&self, address: Ipv4Addr) -> Option<DomainName> {
        let number = usize::try_from(address.to_bits().checked_sub(FIRST)?).ok()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).names.get(number).cloned()
    }

    /// The answer to a query, if it gets one.
    fn reply(&self, message: &[u8]) -> Option<Vec<u8>> {
        match Query::read(message) {
            Ok(query) => {
                let address =
                    query.wants_address().and_then(|name| match Host::Name(name.clone()).is_local() {
                        true => Some(Ipv4Addr::LOCALHOST),
                        false => self.address(name),
                    });
                Some(query.answer(address))
            }
            Err(answer) => answer,
        }
    }
}

/// Answers queries by datagram, for ever.
pub(super) async fn answer(socket: &UdpSocket, names: &Names) {
    let mut message = [0; 1500];
    loop {
        match socket.recv_from(&mut message).await {
            Ok((got, from)) => {
                if let Some(reply) = message.get(..got).and_then(|message| names.reply(message)) {
                    // A client that cannot receive now will ask again.
                    let _ = socket.send_to(&reply, from).await;
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a question of a run was not heard");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Answers the queries of one connection (RFC 7766).
pub(super) async fn serve(mut stream: TcpStream, names: &Names) {
    let one = async |stream: &mut TcpStream| -> io::Result<bool> {
        let length = stream.read_u16().await?;
        let mut message = vec![0; length.into()];
        stream.read_exact(&mut message).await?;
        let Some(reply) = names.reply(&message) else { return Ok(false) };
        let length = u16::try_from(reply.len()).map_err(io::Error::other)?;
        stream.write_all(&[&length.to_be_bytes()[..], &reply].concat()).await?;
        Ok(true)
    };
    while let Ok(Ok(true)) = tokio::time::timeout(PATIENCE, one(&mut stream)).await {}
}
