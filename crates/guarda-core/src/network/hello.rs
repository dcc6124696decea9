//! The name in a TLS client's first message (RFC 8446, section 4.1.2; RFC 6066, section 3).
//!
//! Nothing is decrypted. The hello may be split over several records and packets.

use super::bytes::Bytes;
use super::{BadHost, Host, Step};

/// Maximum length of a hello in bytes. With post-quantum keys it has about 2 KiB.
pub const LONGEST: usize = 32 * 1024;
/// The first byte of every TLS client.
pub const HANDSHAKE: u8 = 22;

/// The relevant parts of a hello.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hello {
    /// The host that the client names, if any.
    pub sni: Option<Host>,
    /// The client hides a second hello inside (ECH), or pretends to. The name is that of the outer one.
    pub ech: bool,
}

/// Why bytes are not a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum HelloError {
    /// They are not TLS.
    #[error("not TLS")]
    NotTls,
    /// The bytes are TLS, but not a valid hello.
    #[error("a TLS hello that is not valid")]
    Malformed,
    /// The name in it is not valid.
    #[error(transparent)]
    Host(#[from] BadHost),
}

/// Reads the hello from a client's first bytes.
///
/// # Errors
/// If the bytes cannot become a hello, or their name is not a host.
pub fn read(bytes: &[u8]) -> Result<Step<Hello>, HelloError> {
    let mut records = Bytes::new(bytes);
    let mut message = Vec::new();
    while !records.is_empty() {
        let kind = records.u8();
        if kind.is_some_and(|kind| kind != HANDSHAKE) {
            return Err(if message.is_empty() { HelloError::NotTls } else { HelloError::Malformed });
        }
        let major = records.u8();
        if major.is_some_and(|major| major != 3) {
            return Err(HelloError::NotTls);
        }
        let Some(_minor) = records.u8() else { break };
        let Some(length) = records.u16() else { break };
        if length == 0 || length > 1 << 14 {
            return Err(HelloError::Malformed);
        }
        let whole = records.take(length.into());
        // The part of a record that has arrived can already complete the message's head.
        let Some(part) = whole else { break };
        message.extend_from_slice(part);
        if let Some(body) = handshake(&message)? {
            return Ok(Step::Done(hello(body)?, records.used()));
        }
    }
    if bytes.len() >= LONGEST { Err(HelloError::Malformed) } else { Ok(Step::More) }
}

/// The body of the client's hello, once all of it has arrived.
fn handshake(message: &[u8]) -> Result<Option<&[u8]>, HelloError> {
    let mut bytes = Bytes::new(message);
    match bytes.u8() {
        Some(1) | None => {}
        Some(_) => return Err(HelloError::Malformed),
    }
    let Some(length) = bytes.u24() else { return Ok(None) };
    if length > LONGEST {
        return Err(HelloError::Malformed);
    }
    Ok(bytes.take(length))
}

fn hello(body: &[u8]) -> Result<Hello, HelloError> {
    let mut bytes = Bytes::new(body);
    let head = |bytes: &mut Bytes<'_>| {
        bytes.u16().filter(|version| version >> 8 == 3)?;
        bytes.take(32)?;
        bytes.short().filter(|session| session.len() <= 32)?;
        bytes.long().filter(|ciphers| !ciphers.is_empty() && ciphers.len() % 2 == 0)?;
        bytes.short().filter(|compression| !compression.is_empty()).map(drop)
    };
    head(&mut bytes).ok_or(HelloError::Malformed)?;
    let mut found = Hello::default();
    if bytes.is_empty() {
        return Ok(found);
    }
    let mut extensions = Bytes::new(bytes.long().ok_or(HelloError::Malformed)?);
    if !bytes.is_empty() {
        return Err(HelloError::Malformed);
    }
    while !extensions.is_empty() {
        let (Some(kind), Some(data)) = (extensions.u16(), extensions.long()) else {
            return Err(HelloError::Malformed);
        };
        match kind {
            // The server might read the second name, and this reader the first.
            0 if found.sni.is_some() => return Err(HelloError::Malformed),
            0 => found.sni = Some(server_name(data)?),
            0xfe0d => found.ech = true,
            _ => {}
        }
    }
    Ok(found)
}

/// The one host name of a `server_name` extension.
fn server_name(data: &[u8]) -> Result<Host, HelloError> {
    let mut data = Bytes::new(data);
    let mut list = Bytes::new(data.long().ok_or(HelloError::Malformed)?);
    let (Some(0), Some(name), true, true) = (list.u8(), list.long(), list.is_empty(), data.is_empty()) else {
        return Err(HelloError::Malformed);
    };
    Ok(Host::from_wire(name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_be_bytes()[..], &(data.len() as u16).to_be_bytes(), data].concat()
    }

    fn sni(name: &[u8]) -> Vec<u8> {
        let entry = [&[0][..], &(name.len() as u16).to_be_bytes(), name].concat();
        extension(0, &[&(entry.len() as u16).to_be_bytes()[..], &entry].concat())
    }

    fn message(extensions: &[u8]) -> Vec<u8> {
        let mut body = vec![3, 3];
        body.extend([7; 32]);
        body.extend([0, 0, 2, 0x13, 1, 1, 0]);
        body.extend((extensions.len() as u16).to_be_bytes());
        body.extend(extensions);
        [&[1, 0][..], &(body.len() as u16).to_be_bytes(), &body].concat()
    }

    fn records(message: &[u8], size: usize) -> Vec<u8> {
        let record = |part: &[u8]| [&[22, 3, 1][..], &(part.len() as u16).to_be_bytes(), part].concat();
        message.chunks(size).flat_map(record).collect()
    }

    #[test]
    fn the_name_of_a_hello() {
        let [alpn, ech] = [extension(16, &[0, 3, 2, b'h', b'2']), extension(0xfe0d, &[0; 9])];
        let named = |name: &str, ech| Ok(Hello { sni: Some(Host::parse(name).unwrap()), ech });
        for (extensions, wanted) in [
            (sni(b"Example.org"), named("example.org", false)),
            ([alpn.clone(), sni(b"example.org")].concat(), named("example.org", false)),
            ([sni(b"public.example"), ech.clone()].concat(), named("public.example", true)),
            (ech, Ok(Hello { sni: None, ech: true })),
            (alpn, Ok(Hello::default())),
            (Vec::new(), Ok(Hello::default())),
            (sni(b"10.0.0.1"), named("10.0.0.1", false)),
            (sni(b"evil\0.google.com"), Err(HelloError::Host(BadHost::Character))),
            (sni(b""), Err(HelloError::Host(BadHost::Empty))),
            ([sni(b"a.example"), sni(b"b.example")].concat(), Err(HelloError::Malformed)),
            (extension(0, &[0, 9, 0, 0]), Err(HelloError::Malformed)),
            (vec![0, 0, 0], Err(HelloError::Malformed)),
        ] {
            let message = message(&extensions);
            // In one piece, split into small records, and byte by byte.
            for size in [1 << 14, 40, 1] {
                let bytes = records(&message, size);
                let found = read(&bytes).map(|step| match step {
                    Step::Done(hello, used) => {
                        assert_eq!(used, bytes.len());
                        hello
                    }
                    Step::More => panic!("more than {bytes:?}"),
                });
                assert_eq!(found, wanted, "{extensions:?} in records of {size}");
                for short in 0..bytes.len() {
                    assert_eq!(read(&bytes[..short]), Ok(Step::More), "{short} of {extensions:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_hello() {
        for (bytes, fault) in [
            (&b"GET / HTTP/1.1\r\n"[..], HelloError::NotTls),
            (b"SSH-2.0-x", HelloError::NotTls),
            (&[22, 2, 0], HelloError::NotTls),
            (&[22, 3, 1, 0, 0], HelloError::Malformed),
            (&[22, 3, 1, 0xff, 0xff], HelloError::Malformed),
            (&[22, 3, 1, 0, 1, 2], HelloError::Malformed),
            (&[22, 3, 1, 0, 4, 1, 0xff, 0, 0], HelloError::Malformed),
            (&[22, 3, 1, 0, 1, 1, 23, 3, 3], HelloError::Malformed),
        ] {
            assert_eq!(read(bytes), Err(fault), "{bytes:?}");
        }
        // One that never ends.
        let endless = records(&[&[1, 0, 0x7f, 0xff][..], &[0; LONGEST]].concat(), 1);
        assert_eq!(read(&endless[..LONGEST]), Err(HelloError::Malformed));
    }
}
