//! Checks a client's first bytes against the host that it was admitted for.

use super::hello::{self, Hello, HelloError};
use super::http::{Head, HttpError};
use super::{Destination, Host, Protocol, Step, http};

/// The protocol of a client's first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flight {
    /// TLS.
    Tls(Hello),
    /// HTTP/1.1. The head must be read again by [`http::Requests`], which also follows later requests.
    Http(Box<Head>),
    /// SSH.
    Ssh,
    /// Another protocol, without a host name.
    Other,
}

/// Why a connection is closed after its first bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The client names another host than the one it was admitted for.
    #[error("it names {0}")]
    Named(Host),
    /// The rule admits another protocol.
    #[error("it does not speak {}", .0.spoken())]
    Protocol(Protocol),
    /// It is invalid HTTP.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// It is TLS, and not valid.
    #[error(transparent)]
    Tls(#[from] HelloError),
}

/// Checks the first bytes of an admitted connection.
///
/// # Errors
/// If they name another host, or the rule does not admit their protocol.
pub fn check(to: &Destination, protocol: Protocol, bytes: &[u8]) -> Result<Step<Flight>, Mismatch> {
    let flight = match flight(bytes)? {
        Step::Done(flight, used) => Step::Done(flight, used),
        Step::More => return Ok(Step::More),
    };
    let Step::Done(seen, _) = &flight else { return Ok(flight) };
    match (seen, protocol) {
        (Flight::Tls(hello), Protocol::Any | Protocol::Web) => match &hello.sni {
            Some(name) if *name != to.host => Err(Mismatch::Named(name.clone())),
            _ => Ok(flight),
        },
        (Flight::Http(head), Protocol::Any | Protocol::Web) => names(to, head).map(|()| flight),
        (Flight::Ssh, Protocol::Any | Protocol::Ssh) | (Flight::Other, Protocol::Any) => Ok(flight),
        (Flight::Tls(_) | Flight::Http(_) | Flight::Ssh | Flight::Other, protocol) => {
            Err(Mismatch::Protocol(protocol))
        }
    }
}

/// Checks that a request names the host that its connection leads to. The port is not compared: behind a forwarded port, a
/// client does not know it.
///
/// # Errors
/// If it names another host.
pub fn names(to: &Destination, head: &Head) -> Result<(), Mismatch> {
    match head.destination() {
        Some(named) if named.host != to.host => Err(Mismatch::Named(named.host.clone())),
        _ => Ok(()),
    }
}

fn flight(bytes: &[u8]) -> Result<Step<Flight>, Mismatch> {
    const SSH: &[u8] = b"SSH-";
    // HTTP servers skip empty lines before a request (RFC 9112, section 2.2), and some skip other white
    // space.
    let begun = bytes.trim_ascii_start();
    match bytes {
        _ if begun.is_empty() && bytes.len() < http::LONGEST_HEAD => Ok(Step::More),
        [hello::HANDSHAKE, ..] => match hello::read(bytes) {
            Ok(Step::Done(hello, used)) => Ok(Step::Done(Flight::Tls(hello), used)),
            Ok(Step::More) => Ok(Step::More),
            Err(HelloError::NotTls) => Ok(Step::Done(Flight::Other, 0)),
            Err(fault) => Err(fault.into()),
        },
        _ if bytes.starts_with(SSH) => Ok(Step::Done(Flight::Ssh, 0)),
        _ if SSH.starts_with(bytes) => Ok(Step::More),
        _ if could_be_http(begun) => match Head::read(bytes) {
            Ok(Step::Done(head, used)) => Ok(Step::Done(Flight::Http(Box::new(head)), used)),
            Ok(Step::More) => Ok(Step::More),
            Err(HttpError::NotHttp) if !is_http(begun) => Ok(Step::Done(Flight::Other, 0)),
            Err(fault) => Err(fault.into()),
        },
        _ => Ok(Step::Done(Flight::Other, 0)),
    }
}

/// True if some lenient server might take the bytes for a request: a word, then white space.
fn could_be_http(bytes: &[u8]) -> bool {
    const LONGEST_METHOD: usize = 64;
    let in_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let word = bytes.iter().take_while(in_word).count();
    word > 0 && word <= LONGEST_METHOD && bytes.get(word).is_none_or(|byte| is_space(*byte))
}

/// White space between the parts of a request line, as the most lenient reader sees it.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// True if the first line claims to be HTTP.
fn is_http(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.len() >= http::LONGEST_HEAD
        || line
            .trim_ascii_end()
            .rsplit(|byte| is_space(*byte))
            .next()
            .is_some_and(|last| last.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"HTTP/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A minimal hello that names this host: one record, one extension.
    fn hello(name: &str) -> Vec<u8> {
        let n = name.len() as u8;
        let mut body = vec![3, 3];
        body.extend([7; 32]);
        body.extend([0, 0, 2, 0x13, 1, 1, 0]);
        body.extend([0, n + 9, 0, 0, 0, n + 5, 0, n + 3, 0, 0, n]);
        body.extend(name.bytes());
        let length = body.len() as u8;
        [&[22, 3, 1, 0, length + 4, 1, 0, 0, length][..], &body].concat()
    }

    #[test]
    fn first_bytes_against_the_host() {
        use Protocol::{Any, Ssh, Web};
        let to = Destination::authority("good.example:443", None).unwrap();
        let http = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes();
        let other = |host: &str| Some(format!("it names {host}"));
        let not_web = || Some("it does not speak TLS or HTTP/1.1".to_owned());
        let not_ssh = || Some("it does not speak SSH".to_owned());
        for (bytes, any, web, ssh) in [
            (hello("good.example"), None, None, not_ssh()),
            (hello("evil.example"), other("evil.example"), other("evil.example"), not_ssh()),
            (http("Good.example."), None, None, not_ssh()),
            (http("good.example:8080"), None, None, not_ssh()),
            (http("evil.example"), other("evil.example"), other("evil.example"), not_ssh()),
            (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), None, not_web(), None),
            (b"EHLO good.example\r\n".to_vec(), None, not_web(), not_ssh()),
            (b"0033git-upload-pack /x\0host=y\0".to_vec(), None, not_web(), not_ssh()),
            (vec![0, 0, 0, 8, 4, 210, 22, 47], None, not_web(), not_ssh()),
            (b"SSTP".to_vec(), None, None, None),
            (b"SS".to_vec(), None, None, None),
            (b"get key\r\n".to_vec(), None, not_web(), not_ssh()),
            (b"GET / HTTP/1.1\r\n".to_vec(), None, None, None),
        ] {
            let said =
                [Any, Web, Ssh].map(|protocol| check(&to, protocol, &bytes).err().map(|why| why.to_string()));
            assert_eq!(said, [any, web, ssh], "{:?}", String::from_utf8_lossy(&bytes));
        }
        // Malformed, but some server would accept it.
        for line in [
            "\r\nGET / HTTP/1.1",
            "\n\r\n GET / HTTP/1.1",
            "get / HTTP/1.1",
            "Get / http/1.1",
            "GET\t/\tHTTP/1.1",
            "GET\x0b/ HTTP/1.1",
            "A-METHOD-THAT-NOBODY-KNOWS-AND-THAT-IS-LONG / HTTP/1.1",
            "x_y / HTTP/1.1",
        ] {
            let bytes = format!("{line}\r\nHost: evil.example\r\n\r\n");
            assert!(check(&to, Any, bytes.as_bytes()).is_err(), "{line:?}");
        }
        assert_eq!(check(&to, Any, b"\r\n"), Ok(Step::More));
        let bad = b"GET / HTTP/1.1\r\nHost: good.example\r\nHost: evil.example\r\n\r\n";
        assert_eq!(check(&to, Any, bad), Err(Mismatch::Http(HttpError::Ambiguous)));
        assert_eq!(check(&to, Any, b"PRI * HTTP/2.0\r\n\r\n"), Err(Mismatch::Http(HttpError::NotHttp)));
        assert_eq!(check(&to, Web, b""), Ok(Step::More));
    }

    #[test]
    fn an_address_is_named_by_itself() {
        let to = Destination::authority("127.0.0.1:3000", None).unwrap();
        for (host, fits) in [("127.0.0.1:3000", true), ("127.1", true), ("localhost:3000", false)] {
            let bytes = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert_eq!(check(&to, Protocol::Web, bytes.as_bytes()).is_ok(), fits, "{host}");
        }
    }
}
