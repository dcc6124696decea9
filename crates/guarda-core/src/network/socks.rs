//! As much SOCKS5 as clients need here: no authentication, CONNECT, a name or an address (RFC 1928).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::bytes::Bytes;
use super::{BadHost, Destination, Host, Step};

/// The first byte of a SOCKS5 client.
pub const VERSION: u8 = 5;
/// The answer to a greeting that offers no authentication.
pub const NO_AUTHENTICATION: [u8; 2] = [VERSION, 0];
/// The answer to a greeting that requires authentication.
pub const NO_METHOD: [u8; 2] = [VERSION, 0xff];

/// The reply code to a request (RFC 1928, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reply {
    /// The connection is established.
    Connected = 0,
    /// Something else failed.
    Failed = 1,
    /// The rules do not admit it.
    NotAllowed = 2,
    /// No address was found, or none answered.
    Unreachable = 4,
    /// The host refused.
    Refused = 5,
    /// Not CONNECT.
    Command = 7,
    /// The address type does not exist.
    AddressKind = 8,
}

impl Reply {
    /// The reply's bytes. The bound address stays empty: clients do not need it for CONNECT and have no claim
    /// to it.
    #[must_use]
    pub fn bytes(self) -> [u8; 10] {
        [VERSION, self as u8, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

/// Why a request is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SocksError {
    /// Not SOCKS5, or a reserved byte is set.
    #[error("not SOCKS5")]
    Version,
    /// BIND or UDP ASSOCIATE.
    #[error("only CONNECT is served")]
    Command,
    /// The address type is unknown.
    #[error("an unknown kind of address")]
    AddressKind,
    /// The destination is not valid.
    #[error(transparent)]
    Host(#[from] BadHost),
}

impl SocksError {
    /// The reply to the client.
    #[must_use]
    pub fn answer(self) -> Reply {
        match self {
            Self::Version => Reply::Failed,
            Self::Command => Reply::Command,
            Self::AddressKind => Reply::AddressKind,
            Self::Host(_) => Reply::NotAllowed,
        }
    }
}

/// Reads a client's greeting. True if it offers no authentication.
///
/// # Errors
/// If it is not SOCKS5.
pub fn greeting(bytes: &[u8]) -> Result<Step<bool>, SocksError> {
    let mut bytes = Bytes::new(bytes);
    match bytes.u8() {
        Some(VERSION) => {}
        Some(_) => return Err(SocksError::Version),
        None => return Ok(Step::More),
    }
    let Some(methods) = bytes.short() else { return Ok(Step::More) };
    Ok(Step::Done(methods.contains(&0), bytes.used()))
}

/// Reads a request.
///
/// # Errors
/// If it is anything but CONNECT to a valid destination.
pub fn request(bytes: &[u8]) -> Result<Step<Destination>, SocksError> {
    let mut bytes = Bytes::new(bytes);
    let Some([version, command, reserved, kind]) = bytes.array() else { return Ok(Step::More) };
    if version != VERSION || reserved != 0 {
        return Err(SocksError::Version);
    }
    if command != 1 {
        return Err(SocksError::Command);
    }
    let host = match kind {
        1 => bytes.array().map(|octets: [u8; 4]| Ok(Host::Address(Ipv4Addr::from(octets).into()))),
        3 => bytes.short().map(Host::from_wire),
        4 => bytes
            .array()
            .map(|octets: [u8; 16]| Ok(Host::Address(IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()))),
        _ => return Err(SocksError::AddressKind),
    };
    let (Some(host), Some(port)) = (host, bytes.u16()) else { return Ok(Step::More) };
    Ok(Step::Done(Destination::new(host?, port)?, bytes.used()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &[u8]) -> Vec<u8> {
        [&[5, 1, 0, 3, name.len() as u8], name, &[1, 187]].concat()
    }

    #[test]
    fn requests() {
        let v6 = |address: &str| {
            [&[5, 1, 0, 4][..], &address.parse::<Ipv6Addr>().unwrap().octets(), &[0, 80]].concat()
        };
        for (bytes, wanted) in [
            (named(b"Example.ORG."), Ok("example.org:443")),
            (named(b"127.1"), Ok("127.0.0.1:443")),
            (named(b"::1"), Ok("[::1]:443")),
            (vec![5, 1, 0, 1, 10, 0, 0, 1, 0, 22], Ok("10.0.0.1:22")),
            (v6("::1"), Ok("[::1]:80")),
            (v6("::ffff:127.0.0.1"), Ok("127.0.0.1:80")),
            (named(b"evil\0.google.com"), Err(SocksError::Host(BadHost::Character))),
            (named(b"evil.com#.google.com"), Err(SocksError::Host(BadHost::Character))),
            (named(b"a@b.com"), Err(SocksError::Host(BadHost::Character))),
            (named(b""), Err(SocksError::Host(BadHost::Empty))),
            (vec![5, 1, 0, 1, 10, 0, 0, 1, 0, 0], Err(SocksError::Host(BadHost::Port))),
            (vec![5, 2, 0, 1, 10, 0, 0, 1, 0, 22], Err(SocksError::Command)),
            (vec![5, 3, 0, 1, 10, 0, 0, 1, 0, 22], Err(SocksError::Command)),
            (vec![5, 1, 0, 2, 10, 0, 0, 1, 0, 22], Err(SocksError::AddressKind)),
            (vec![5, 1, 7, 1, 10, 0, 0, 1, 0, 22], Err(SocksError::Version)),
            (vec![4, 1, 0, 80, 10, 0, 0, 1, 0], Err(SocksError::Version)),
        ] {
            let step = request(&bytes);
            let found = step.map(|step| match step {
                Step::Done(to, used) => {
                    assert_eq!(used, bytes.len());
                    to.to_string()
                }
                Step::More => "more".to_owned(),
            });
            assert_eq!(found.as_deref(), wanted.as_ref().map(|text| *text), "{bytes:?}");
            // No prefix of it is taken for anything else.
            for short in 0..bytes.len() {
                let early = request(&bytes[..short]);
                assert!(early == Ok(Step::More) || early.is_err() && wanted.is_err(), "{short} of {bytes:?}");
            }
        }
    }

    #[test]
    fn greetings() {
        assert_eq!(greeting(&[5, 1, 0, 9]), Ok(Step::Done(true, 3)));
        assert_eq!(greeting(&[5, 2, 2, 1]), Ok(Step::Done(false, 4)));
        assert_eq!(greeting(&[5, 0]), Ok(Step::Done(false, 2)));
        assert_eq!(greeting(&[5, 3, 0]), Ok(Step::More));
        assert_eq!(greeting(&[]), Ok(Step::More));
        assert_eq!(greeting(b"GET / HTTP/1.1"), Err(SocksError::Version));
        assert_eq!(Reply::NotAllowed.bytes()[..2], [5, 2]);
    }
}
