//! Reads from HTTP/1.1 request heads where they go (RFC 9110, RFC 9112).
//!
//! A request that two readers could understand differently is an error: two hosts, two lengths, a length
//! beside chunks, bare line feeds.

use super::bytes::Bytes;
use super::{BadHost, Destination, Step};

/// Maximum length of a head in bytes.
pub const LONGEST_HEAD: usize = 32 * 1024;
/// Maximum number of header fields in a head.
const MOST_FIELDS: usize = 128;
/// Maximum length of a chunk's size line in bytes.
const LONGEST_CHUNK_LINE: usize = 256;

/// The head of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The method: `GET`.
    pub method: String,
    /// The target of the request line.
    pub target: RequestTarget,
    /// The `Host` field; port 80 if it has none. HTTP/1.0 may omit it.
    pub host: Option<Destination>,
    /// The length of the body.
    pub body: Body,
    /// The client asks to switch protocols (`Upgrade`: WebSocket), which the host may accept. Never HTTP/2,
    /// whose requests could name other hosts.
    pub upgrade: bool,
}

/// The target of a request line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestTarget {
    /// `CONNECT host:port`: a tunnel.
    Tunnel(Destination),
    /// An absolute address, as a proxy gets it.
    Absolute(Destination),
    /// A path, or `*`: the host is in `Host`.
    Origin,
}

/// The length of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// So many bytes.
    Length(u64),
    /// In chunks.
    Chunked,
}

/// Why a request is not forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum HttpError {
    /// Not a request, or not HTTP/1.0 or 1.1.
    #[error("not an HTTP/1.1 request")]
    NotHttp,
    /// The head exceeds the limit.
    #[error("the head of the request is too long")]
    Long,
    /// There are two hosts or two lengths, or none where one is required.
    #[error("the head of the request can be read in two ways")]
    Ambiguous,
    /// A proxy request has a scheme other than http.
    #[error("only http addresses are fetched; https needs CONNECT")]
    Scheme,
    /// The host is not valid.
    #[error(transparent)]
    Host(#[from] BadHost),
}

impl Head {
    /// Reads the head of a request.
    ///
    /// # Errors
    /// If the bytes cannot become the head of exactly one request.
    pub fn read(bytes: &[u8]) -> Result<Step<Self>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        let used = match request.parse(bytes) {
            Ok(httparse::Status::Complete(used)) if used <= LONGEST_HEAD => used,
            Ok(httparse::Status::Partial) if bytes.len() < LONGEST_HEAD => return Ok(Step::More),
            Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(HttpError::Long),
            Err(_) => return Err(HttpError::NotHttp),
        };
        if has_bare_ends(bytes.get(..used).unwrap_or_default()) {
            return Err(HttpError::NotHttp);
        }
        let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version)
        else {
            return Err(HttpError::NotHttp);
        };
        let all = |name: &str| {
            let name = name.to_owned();
            request
                .headers
                .iter()
                .filter(move |field| field.name.eq_ignore_ascii_case(&name))
                .map(|field| field.value)
        };
        let target = RequestTarget::read(method, target)?;
        let host = match only(all("host"))? {
            Some(host) => Some(authority(host)?),
            None if version == 0 => None,
            None => return Err(HttpError::Ambiguous),
        };
        let body = body(only(all("content-length"))?, only(all("transfer-encoding"))?)?;
        let protocols: Vec<&[u8]> =
            all("upgrade").flat_map(|value| value.split(|byte| *byte == b',')).collect();
        let http2 = |name: &&[u8]| name.trim_ascii().to_ascii_lowercase().starts_with(b"h2");
        let upgrade = !protocols.is_empty() && !protocols.iter().any(http2) && body == Body::Length(0);
        let head = Self { method: method.to_owned(), target, host, body, upgrade };
        match (&head.target, &head.host) {
            (RequestTarget::Absolute(to), Some(host)) if to != host => Err(HttpError::Ambiguous),
            (RequestTarget::Origin, None) => Err(HttpError::Ambiguous),
            _ => Ok(Step::Done(head, used)),
        }
    }

    /// The request's destination: the target's host, or that of `Host`.
    #[must_use]
    pub fn destination(&self) -> Option<&Destination> {
        match &self.target {
            RequestTarget::Tunnel(to) | RequestTarget::Absolute(to) => Some(to),
            RequestTarget::Origin => self.host.as_ref(),
        }
    }

    /// The head to forward to the host itself: the path alone, without the fields that are for a proxy.
    ///
    /// # Errors
    /// If `bytes` does not begin with a head.
    pub fn for_origin(bytes: &[u8]) -> Result<Vec<u8>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        if !request.parse(bytes).is_ok_and(|status| status.is_complete()) {
            return Err(HttpError::NotHttp);
        }
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let path = match target.split_once("://") {
            Some((_, rest)) => rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or_default(),
            None => target,
        };
        let slash = if path.starts_with('/') || path == "*" { "" } else { "/" };
        let version = request.version.unwrap_or(1);
        let mut head = format!("{method} {slash}{path} HTTP/1.{version}\r\n").into_bytes();
        for field in request.headers.iter() {
            if !["proxy-connection", "proxy-authorization"]
                .iter()
                .any(|name| field.name.eq_ignore_ascii_case(name))
            {
                head.extend(field.name.bytes().chain(*b": "));
                head.extend(field.value.iter().chain(b"\r\n"));
            }
        }
        head.extend(b"\r\n");
        Ok(head)
    }
}

impl RequestTarget {
    fn read(method: &str, target: &str) -> Result<Self, HttpError> {
        if method == "CONNECT" {
            return Ok(Self::Tunnel(Destination::authority(target, None)?));
        }
        if target.starts_with('/') || target == "*" {
            return Ok(Self::Origin);
        }
        let (scheme, rest) = target.split_once("://").ok_or(HttpError::NotHttp)?;
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(HttpError::Scheme);
        }
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        Ok(Self::Absolute(authority(rest.get(..end).unwrap_or_default().as_bytes())?))
    }
}

/// The host of an http address or of a `Host` field.
fn authority(bytes: &[u8]) -> Result<Destination, BadHost> {
    let text = std::str::from_utf8(bytes).map_err(|_| BadHost::Character)?;
    if !text.is_ascii() {
        return Err(BadHost::Character);
    }
    // An empty port means the usual one (RFC 3986, section 3.2.3).
    Destination::authority(text.strip_suffix(':').unwrap_or(text), Some(80))
}

/// The single value of a field, if the field is present.
fn only<'v>(mut values: impl Iterator<Item = &'v [u8]>) -> Result<Option<&'v [u8]>, HttpError> {
    let value = values.next();
    if values.next().is_some() { Err(HttpError::Ambiguous) } else { Ok(value) }
}

fn body(length: Option<&[u8]>, coding: Option<&[u8]>) -> Result<Body, HttpError> {
    match (length, coding) {
        (None, None) => Ok(Body::Length(0)),
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Body::Chunked),
        (Some(length), None) if length.iter().all(u8::is_ascii_digit) => {
            let length = std::str::from_utf8(length).ok().and_then(|text| text.parse().ok());
            length.map(Body::Length).ok_or(HttpError::Ambiguous)
        }
        _ => Err(HttpError::Ambiguous),
    }
}

/// True if a line lacks its carriage return, or a carriage return is not followed by a line feed.
fn has_bare_ends(head: &[u8]) -> bool {
    let mut before = 0;
    let bare = head.iter().any(|&byte| {
        let bare = (byte == b'\n') != (before == b'\r');
        before = byte;
        bare
    });
    bare || before == b'\r'
}

/// The requests of one connection, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requests {
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Head,
    /// Remaining bytes of a body.
    Body(u64),
    /// The size line of a chunk.
    ChunkLine,
    /// Remaining bytes of a chunk.
    Chunk(u64),
    /// The line end after a chunk.
    ChunkEnd,
    /// Fields after the last chunk, or the empty line.
    Trailer,
    /// No HTTP any more.
    Open,
}

/// A piece of a client's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestPart {
    /// The head of the next request.
    Head(Box<Head>),
    /// Bytes of the previous request's body.
    Body,
}

impl Requests {
    /// Marks that the host has switched protocols: no further request follows.
    pub fn opened(&mut self) {
        self.state = State::Open;
    }

    /// Takes the next piece from the front of the bytes.
    ///
    /// # Errors
    /// If a request should begin and none does, or a body differs from what was announced.
    pub fn next(&mut self, bytes: &[u8]) -> Result<Step<RequestPart>, HttpError> {
        if bytes.is_empty() {
            return Ok(Step::More);
        }
        let here = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let part =
            |left: u64| (left.saturating_sub(here), usize::try_from(left.min(here)).unwrap_or(bytes.len()));
        let used = match self.state {
            State::Head => {
                let Step::Done(head, used) = Head::read(bytes)? else { return Ok(Step::More) };
                self.state = match head.body {
                    Body::Length(0) => State::Head,
                    Body::Length(length) => State::Body(length),
                    Body::Chunked => State::ChunkLine,
                };
                return Ok(Step::Done(RequestPart::Head(Box::new(head)), used));
            }
            State::Body(left) => {
                let (left, used) = part(left);
                self.state = if left == 0 { State::Head } else { State::Body(left) };
                used
            }
            State::Chunk(left) => {
                let (left, used) = part(left);
                self.state = if left == 0 { State::ChunkEnd } else { State::Chunk(left) };
                used
            }
            State::ChunkLine => {
                let Some((line, used)) = line(bytes, LONGEST_CHUNK_LINE)? else { return Ok(Step::More) };
                self.state = match chunk_size(line)? {
                    0 => State::Trailer,
                    size => State::Chunk(size),
                };
                used
            }
            State::ChunkEnd => match bytes {
                [b'\r', b'\n', ..] => {
                    self.state = State::ChunkLine;
                    2
                }
                [b'\r'] => return Ok(Step::More),
                _ => return Err(HttpError::Ambiguous),
            },
            State::Trailer => {
                let Some((line, used)) = line(bytes, LONGEST_HEAD)? else { return Ok(Step::More) };
                if line.is_empty() {
                    self.state = State::Head;
                }
                used
            }
            State::Open => bytes.len(),
        };
        Ok(Step::Done(RequestPart::Body, used))
    }
}

/// A line without its end, and its length with it.
fn line(bytes: &[u8], longest: usize) -> Result<Option<(&[u8], usize)>, HttpError> {
    let mut all = Bytes::new(bytes);
    let Some(end) = memchr::memchr(b'\n', bytes) else {
        return if bytes.len() < longest { Ok(None) } else { Err(HttpError::Long) };
    };
    let line = all.take(end + 1).and_then(|line| line.strip_suffix(b"\r\n")).ok_or(HttpError::Ambiguous)?;
    if line.contains(&b'\r') { Err(HttpError::Ambiguous) } else { Ok(Some((line, all.used()))) }
}

fn chunk_size(line: &[u8]) -> Result<u64, HttpError> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
    let text =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    text.and_then(|text| u64::from_str_radix(text, 16).ok()).ok_or(HttpError::Ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Head, HttpError> {
        match Head::read(text.as_bytes())? {
            Step::Done(head, used) => {
                assert_eq!(used, text.len(), "{text:?}");
                for short in 0..used {
                    assert_eq!(Head::read(&text.as_bytes()[..short]), Ok(Step::More), "{short} of {text:?}");
                }
                Ok(head)
            }
            Step::More => panic!("more than {text:?}"),
        }
    }

    #[test]
    fn where_a_request_goes() {
        for (text, to) in [
            ("GET / HTTP/1.1\r\nHost: Example.org\r\n\r\n", "example.org:80"),
            ("GET / HTTP/1.1\r\nHost: example.org:\r\n\r\n", "example.org:80"),
            ("GET / HTTP/1.1\r\nhost: [::1]:3000\r\n\r\n", "[::1]:3000"),
            ("OPTIONS * HTTP/1.1\r\nHost: a.example:81\r\n\r\n", "a.example:81"),
            ("GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n", "a.example:80"),
            ("GET http://2130706433:3000?q HTTP/1.1\r\nHost: 127.0.0.1:3000\r\n\r\n", "127.0.0.1:3000"),
            ("GET http://a.example HTTP/1.0\r\n\r\n", "a.example:80"),
            ("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", "a.example:443"),
            ("CONNECT a.example:443 HTTP/1.0\r\n\r\n", "a.example:443"),
        ] {
            assert_eq!(
                head(text).unwrap().destination().map(ToString::to_string).as_deref(),
                Some(to),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        use HttpError::{Ambiguous, Host, Long, NotHttp, Scheme};
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_FIELDS + 1));
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(LONGEST_HEAD));
        for (text, fault) in [
            ("GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n", Ambiguous),
            ("GET http://a.example/ HTTP/1.1\r\nHost: a.example:81\r\n\r\n", Ambiguous),
            ("GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", Ambiguous),
            ("GET / HTTP/1.1\r\n\r\n", Ambiguous),
            ("GET / HTTP/1.0\r\n\r\n", Ambiguous),
            (
                "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                Ambiguous,
            ),
            (
                "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
                Ambiguous,
            ),
            ("GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: +1\r\n\r\n", Ambiguous),
            ("GET / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Ambiguous),
            ("GET / HTTP/1.1\nHost: a.example\n\n", NotHttp),
            ("GET / HTTP/1.1\r\nHost: a.example\n\r\n", NotHttp),
            ("GET / HTTP/1.1\r\n Host: a.example\r\n\r\n", NotHttp),
            ("GET / HTTP/1.1\r\nHost : a.example\r\n\r\n", NotHttp),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", NotHttp),
            ("GET a.example HTTP/1.1\r\nHost: a.example\r\n\r\n", NotHttp),
            ("GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", Scheme),
            ("GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", Scheme),
            (
                "GET http://good.example@evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                Host(BadHost::Character),
            ),
            ("GET http://evil.example\\@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", Ambiguous),
            ("CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n\r\n", Host(BadHost::Port)),
            ("CONNECT a%00.example:443 HTTP/1.1\r\nHost: a\r\n\r\n", Host(BadHost::Character)),
            ("CONNECT http://a.example:443/ HTTP/1.1\r\nHost: a\r\n\r\n", Host(BadHost::Invalid)),
            ("GET / HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n", Host(BadHost::Character)),
            ("GET / HTTP/1.1\r\nHost: gооgle.com\r\n\r\n", Host(BadHost::Character)),
            (&many, Long),
            (&long, Long),
        ] {
            assert_eq!(Head::read(text.as_bytes()), Err(fault), "{text:?}");
        }
    }

    fn destinations(mut bytes: &[u8]) -> Result<Vec<String>, HttpError> {
        let (mut requests, mut found) = (Requests::default(), Vec::new());
        while let Step::Done(part, used) = requests.next(bytes)? {
            assert!(used > 0 && used <= bytes.len());
            bytes = &bytes[used..];
            if let RequestPart::Head(head) = part {
                found.extend(head.destination().map(ToString::to_string));
            }
        }
        Ok(found)
    }

    #[test]
    fn every_request_of_a_connection_is_seen() {
        let post = "POST / HTTP/1.1\r\nHost: a.example\r\n";
        let get = "GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n";
        for (text, found) in [
            (format!("{post}\r\n{get}"), Ok(vec!["a.example:80", "b.example:80"])),
            (format!("{post}Content-Length: 5\r\n\r\nhello{get}"), Ok(vec!["a.example:80", "b.example:80"])),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: x\r\n\r\n{get}"),
                Ok(vec!["a.example:80", "b.example:80"]),
            ),
            // A request in a body is a body.
            (format!("{post}Content-Length: {}\r\n\r\n{get}", get.len()), Ok(vec!["a.example:80"])),
            // The client asked to switch protocols, but the host has not agreed.
            (format!("{post}Upgrade: websocket\r\n\r\n{get}"), Ok(vec!["a.example:80", "b.example:80"])),
            (format!("{post}Upgrade: websocket\r\n\r\n\u{1}\u{2}"), Err(HttpError::NotHttp)),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n"),
                Err(HttpError::Ambiguous),
            ),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\n2\r\nabXX1\r\nc\r\n"),
                Err(HttpError::Ambiguous),
            ),
            (format!("{post}Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n"), Err(HttpError::Ambiguous)),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello"),
                Err(HttpError::Ambiguous),
            ),
            (format!("{post}\r\nnonsense\r\n\r\n"), Err(HttpError::NotHttp)),
        ] {
            let found = found.map(|all| all.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(destinations(text.as_bytes()), found, "{text:?}");
        }
    }

    #[test]
    fn behind_another_protocol_nothing_is_read() {
        let upgrade = "GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\n\r\n";
        let mut requests = Requests::default();
        let Ok(Step::Done(RequestPart::Head(first), used)) = requests.next(upgrade.as_bytes()) else {
            panic!("no head")
        };
        assert!(first.upgrade && used == upgrade.len());
        requests.opened();
        assert_eq!(requests.next(b"\x01\x02"), Ok(Step::Done(RequestPart::Body, 2)));
        for (field, upgrades) in [
            ("Upgrade: websocket", true),
            ("Upgrade: h2c", false),
            ("Upgrade: websocket, H2C", false),
            ("Upgrade: websocket\r\nUpgrade: h2c", false),
            ("Upgrade: websocket\r\nContent-Length: 1", false),
            ("X-Upgrade: websocket", false),
        ] {
            assert_eq!(
                head(&format!("GET / HTTP/1.1\r\nHost: a.example\r\n{field}\r\n\r\n")).unwrap().upgrade,
                upgrades,
                "{field}"
            );
        }
    }

    #[test]
    fn a_chunk_ends_where_it_says() {
        let text =
            b"POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabXX1\r\nc\r\n";
        assert_eq!(destinations(text), Err(HttpError::Ambiguous));
    }

    #[test]
    fn the_head_for_the_host_itself() {
        for (text, wanted) in [
            (
                "GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\nProxy-Connection: keep-alive\r\nA: b\r\n\r\nrest",
                "GET /x?y HTTP/1.1\r\nHost: a.example\r\nA: b\r\n\r\n",
            ),
            ("GET http://a.example HTTP/1.0\r\nA: b\r\n\r\n", "GET / HTTP/1.0\r\nA: b\r\n\r\n"),
            ("GET http://a.example?q HTTP/1.0\r\n\r\n", "GET /?q HTTP/1.0\r\n\r\n"),
            ("GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"),
        ] {
            let made = Head::for_origin(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(made).unwrap(), wanted);
        }
    }
}
