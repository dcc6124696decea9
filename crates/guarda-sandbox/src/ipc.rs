//! The socket between the guard and a sandbox's supervisor: a pair that preserves message boundaries and
//! carries open files. The supervisor's end is its standard input. When the guard's end closes, for any
//! reason, the supervisor ends everything in the sandbox and then itself.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Seek as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use guarda_core::effects::Tried;
use rustix::fs::MemfdFlags;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::{Deserialize, Serialize};

use super::spec::Spec;
use crate::process::{Start, Streams};
use guarda_core::output::Protection;

/// Maximum length of a message. Reports are short: their notes are truncated before sending.
const LONGEST: usize = 64 * 1024;
/// Maximum length of an order's content in the message itself. Longer content is sent as a file.
const SHORT: usize = 32 * 1024;
const OPEN: u8 = b'o';
/// Both ends must have the same version, since the messages change with it.
const VERSION: &[u8] = env!("CARGO_PKG_VERSION").as_bytes();
const START: u8 = b's';
const END: u8 = b'e';
const LINGER: u8 = b'l';

/// A connection and its intended address.
pub(super) type Connection = (std::net::TcpStream, std::net::SocketAddr);

/// A message from the guard to the supervisor.
#[derive(Debug)]
pub(super) enum Order {
    /// Make the sandbox. The first order, sent once.
    Open(Box<Spec>),
    /// Start a program in it.
    Start(Box<Start>, Streams),
    /// End everything in it, after a grace period of this many milliseconds.
    End(u32),
    /// Let everything go on, and end what is left after this many milliseconds; `u32::MAX`: never.
    Linger(u32),
}

/// A message from the supervisor to the guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    /// The process has its own network; the guard's ends are attached.
    Network,
    /// The process has no network of its own, so there is no sandbox: the reason.
    NoNetwork(String),
    /// The sandbox is ready.
    Ready(Protection),
    /// The sandbox lacks a required measure, and nothing was run: the reason.
    Refused(String),
    /// The sandbox could not be made or kept: the reason.
    Failed(String),
    /// The program was started. This number identifies it; the first is 0.
    Started(usize),
    /// The program could not be started: the operating system's error number (0 if there is none) and text.
    NotStarted(i32, String),
    /// This program exited with this status.
    Exited(usize, i32),
    /// A signal ended this program.
    Signalled(usize, i32),
    /// Everything has ended: processes that were left behind and ended, processes that could not be ended,
    /// the network attempts of a staged run, the ports on which it was found listening and therefore ended, and the
    /// folder in which a followed program stood at its end.
    Over(u32, u32, Box<Tried>, Option<PathBuf>),
}

impl From<io::Error> for Report {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A new socket pair: the guard's end and the supervisor's.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC;
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

/// Sends an order.
///
/// # Errors
/// If the supervisor is gone, or the order cannot be encoded (it contains a NUL, or a path that is not UTF-8).
pub(super) fn order(socket: BorrowedFd<'_>, order: &Order) -> io::Result<()> {
    match order {
        Order::Open(spec) => {
            let said = serde_json::to_vec(spec).map_err(io::Error::other)?;
            send_long(socket, &[&[OPEN], VERSION, b"\n"].concat(), &said, &[])
        }
        Order::Start(start, streams) => {
            let streams = [&streams.input, &streams.output, &streams.error].map(OwnedFd::as_fd);
            send_long(socket, &[START], &words(start)?, &streams)
        }
        Order::End(time) | Order::Linger(time) => {
            let kind = if matches!(order, Order::End(_)) { END } else { LINGER };
            let [a, b, c, d] = time.to_be_bytes();
            send(socket, &[kind, a, b, c, d], &[])
        }
    }
}

/// Receives the next order; `None` when the guard is gone.
///
/// # Errors
/// If the message is not an order.
pub(super) fn next_order(socket: BorrowedFd<'_>) -> io::Result<Option<Order>> {
    hear_order(socket, RecvFlags::empty())
}

/// The next order if one has arrived; `None` if none has or the guard is gone.
///
/// # Errors
/// If the message is not an order.
pub(super) fn order_at_hand(socket: BorrowedFd<'_>) -> io::Result<Option<Order>> {
    match hear_order(socket, RecvFlags::DONTWAIT) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        heard => heard,
    }
}

fn hear_order(socket: BorrowedFd<'_>, flags: RecvFlags) -> io::Result<Option<Order>> {
    let (bytes, mut files) = receive(socket, flags)?;
    let unknown = || io::Error::from(io::ErrorKind::InvalidData);
    match bytes.split_first() {
        None => Ok(None),
        Some((&OPEN, rest)) => {
            let said =
                rest.strip_prefix(VERSION).and_then(|rest| rest.strip_prefix(b"\n")).ok_or_else(unknown)?;
            let said = content(said, &mut files)?;
            Ok(Some(Order::Open(serde_json::from_slice(&said).map_err(io::Error::other)?)))
        }
        Some((&START, said)) => {
            let error = files.pop().ok_or_else(unknown)?;
            let output = files.pop().ok_or_else(unknown)?;
            let input = files.pop().ok_or_else(unknown)?;
            let start = start(&content(said, &mut files)?).ok_or_else(unknown)?;
            Ok(Some(Order::Start(Box::new(start), Streams { input, output, error })))
        }
        Some((&kind @ (END | LINGER), time)) => {
            let time = u32::from_be_bytes(time.try_into().map_err(|_length| unknown())?);
            Ok(Some(if kind == END { Order::End(time) } else { Order::Linger(time) }))
        }
        Some(_) => Err(unknown()),
    }
}

/// Sends a report.
///
/// # Errors
/// If the guard is gone.
pub(super) fn report(socket: BorrowedFd<'_>, report: &Report) -> io::Result<()> {
    send(socket, &serde_json::to_vec(report).map_err(io::Error::other)?, &[])
}

/// Has a session's cell start a supervisor with these arguments, whose end of its own socket is `theirs`.
///
/// # Errors
/// If the cell has ended.
pub(super) fn call(
    socket: BorrowedFd<'_>,
    words: impl Iterator<Item = OsString>,
    theirs: &OwnedFd,
) -> io::Result<()> {
    let words: Vec<OsString> = words.collect();
    send(socket, words.join(std::ffi::OsStr::new("\0")).as_bytes(), &[theirs.as_fd()])
}

/// The next supervisor to start; `None` when the guard is gone.
///
/// # Errors
/// If the message is none from [`call`].
pub(super) fn next_call(socket: BorrowedFd<'_>) -> io::Result<Option<(Vec<OsString>, OwnedFd)>> {
    let (bytes, mut files) = receive(socket, RecvFlags::empty())?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let theirs = files.pop().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect(), theirs)))
}

/// Sends the guard's ends of a run's network.
///
/// # Errors
/// If the guard is gone.
pub(super) fn report_network(socket: BorrowedFd<'_>, ends: &[BorrowedFd<'_>]) -> io::Result<()> {
    send(socket, &serde_json::to_vec(&Report::Network).map_err(io::Error::other)?, ends)
}

/// Sends the guard a connection with its intended address.
///
/// # Errors
/// If the guard's end of the network is gone.
pub(super) fn pass_connection(
    socket: BorrowedFd<'_>,
    meant: SocketAddr,
    stream: BorrowedFd<'_>,
) -> io::Result<()> {
    send(socket, meant.to_string().as_bytes(), &[stream])
}

/// Receives the next connection without waiting; `None` when the supervisor is gone.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if none has arrived; `InvalidData` if the message is not a connection.
pub(super) fn next_connection(socket: BorrowedFd<'_>) -> io::Result<Option<Connection>> {
    let (bytes, mut files) = receive(socket, RecvFlags::DONTWAIT)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let unknown = || io::Error::from(io::ErrorKind::InvalidData);
    let meant = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok()).ok_or_else(unknown)?;
    let stream = TcpStream::from(files.pop().ok_or_else(unknown)?);
    stream.set_nonblocking(true)?;
    Ok(Some((stream, meant)))
}

/// Receives the next report and its files without waiting; `None` when the supervisor is gone.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if none has arrived; `InvalidData` if the message is not a report.
pub(super) fn next_report(socket: BorrowedFd<'_>) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
    let (bytes, files) = receive(socket, RecvFlags::DONTWAIT)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let report =
        serde_json::from_slice(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(Some((report, files)))
}

fn send(socket: BorrowedFd<'_>, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3 + crate::network::MOST_INSIDE))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !along.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let sent = rustix::net::sendmsg(socket, &[IoSlice::new(bytes)], &mut along, SendFlags::NOSIGNAL)?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

fn receive(socket: BorrowedFd<'_>, flags: RecvFlags) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut bytes = vec![0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3 + crate::network::MOST_INSIDE))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let mut hear = || rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut along, flags);
    // If the other end closes with unread data, that is reported first and once. Its earlier messages are
    // still available.
    let got = match hear() {
        Err(rustix::io::Errno::CONNRESET) => hear(),
        got => got,
    };
    let got = match got {
        Err(rustix::io::Errno::CONNRESET) => return Ok((Vec::new(), Vec::new())),
        got => got?,
    };
    if got.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut files = Vec::new();
    for message in along.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            files.extend(received);
        }
    }
    bytes.truncate(got.bytes);
    Ok((bytes, files))
}

/// Sends a message that may exceed one packet: long content is sent in a memory file, ahead of the other
/// files.
fn send_long(socket: BorrowedFd<'_>, head: &[u8], said: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    if said.len() <= SHORT {
        return send(socket, &[head, said].concat(), files);
    }
    let mut file = std::fs::File::from(rustix::fs::memfd_create("order", MemfdFlags::CLOEXEC)?);
    file.write_all(said)?;
    file.rewind()?;
    send(socket, head, &[&[file.as_fd()], files].concat())
}

/// An order's content. Fails if unexpected files are attached.
fn content(said: &[u8], files: &mut Vec<OwnedFd>) -> io::Result<Vec<u8>> {
    match (files.pop(), said) {
        (None, said) => Ok(said.to_vec()),
        (Some(file), []) if files.is_empty() => {
            let mut bytes = Vec::new();
            std::fs::File::from(file).read_to_end(&mut bytes)?;
            Ok(bytes)
        }
        (Some(_), _) => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The words of a start, each terminated by a NUL, which no argument or environment entry can contain.
fn words(start: &Start) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut put = |word: &[u8]| {
        if word.contains(&0) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        bytes.extend_from_slice(word);
        bytes.push(0);
        Ok(())
    };
    put(start.file.as_os_str().as_bytes())?;
    put(start.folder.as_os_str().as_bytes())?;
    put(start.name.as_bytes())?;
    put(if start.followed { b"followed" } else { b"" })?;
    put(start.arguments.len().to_string().as_bytes())?;
    for argument in &start.arguments {
        put(argument.as_bytes())?;
    }
    for (name, value) in &start.environment {
        put(name.as_bytes())?;
        put(value.as_bytes())?;
    }
    Ok(bytes)
}

fn start(bytes: &[u8]) -> Option<Start> {
    let mut words = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
    let mut next = || words.next().map(|word| OsString::from_vec(word.to_vec()));
    let file = PathBuf::from(next()?);
    let folder = PathBuf::from(next()?);
    let name = next()?;
    let followed = next()? == "followed";
    let count: usize = next()?.to_str()?.parse().ok()?;
    let arguments: Vec<OsString> = (0..count).map_while(|_| next()).collect();
    if arguments.len() != count {
        return None;
    }
    let mut environment = Vec::new();
    while let Some(name) = next() {
        environment.push((name.into_string().ok()?, next()?.into_string().ok()?));
    }
    Some(Start { file, name, arguments, environment, folder, followed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::effects::Sought;
    use guarda_core::network::Host;
    use proptest::prelude::*;

    fn bytes() -> impl Strategy<Value = OsString> {
        proptest::collection::vec(1..=255_u8, 0..12).prop_map(OsString::from_vec)
    }

    proptest! {
        #[test]
        fn a_start_arrives_as_it_was_sent(
            file in bytes(),
            folder in bytes(),
            followed in any::<bool>(),
            name in bytes(),
            arguments in proptest::collection::vec(bytes(), 0..6),
            environment in proptest::collection::vec(("[^\0]{0,8}", "[^\0]{0,8}"), 0..4),
        ) {
            let sent = Start { file: file.into(), name, arguments, environment, folder: folder.into(), followed };
            let got = start(&words(&sent).unwrap()).unwrap();
            prop_assert_eq!(format!("{sent:?}"), format!("{got:?}"));
        }

        #[test]
        fn anything_else_is_no_start_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = start(&bytes);
        }
    }

    #[test]
    fn a_nul_is_not_sent() {
        let start = Start {
            file: "/bin/true".into(),
            name: "true".into(),
            arguments: vec!["a\0b".into()],
            environment: Vec::new(),
            folder: "/".into(),
            followed: false,
        };
        assert_eq!(words(&start).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn orders_and_reports_cross_the_line_and_its_end_is_heard() {
        let (ours, theirs) = pair().unwrap();
        order(ours.as_fd(), &Order::End(1500)).unwrap();
        assert!(matches!(next_order(theirs.as_fd()), Ok(Some(Order::End(1500)))));
        let nothing = next_report(ours.as_fd()).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        let over = Report::Over(
            1,
            0,
            Box::new(Tried {
                machines: 2,
                ports: 3,
                sought: (1..=32)
                    .map(|port| Sought { host: Host::parse(&"a.".repeat(126)).unwrap(), port: Some(port) })
                    .collect(),
                hidden: Vec::new(),
                serves: [8000].into(),
                survivors: vec!["x".repeat(80); 4],
                survivors_ports: [8001].into(),
                made: Vec::new(),
                sockets: vec!["/".repeat(107).into(); 64],
            }),
            Some("/".repeat(4095).into()),
        );
        report(theirs.as_fd(), &over).unwrap();
        assert_eq!(next_report(ours.as_fd()).unwrap().map(|(report, _files)| report), Some(over));
        drop(ours);
        assert!(next_order(theirs.as_fd()).unwrap().is_none());
    }

    #[test]
    fn an_order_of_any_length_crosses_the_line_with_its_files() {
        let (ours, theirs) = pair().unwrap();
        for length in [0, 1, SHORT - 40, SHORT, SHORT + 1, 3 * LONGEST] {
            let null = || std::fs::File::open("/dev/null").unwrap().into();
            let streams = Streams { input: null(), output: null(), error: null() };
            let start = Start {
                file: "/bin/true".into(),
                name: "true".into(),
                arguments: vec!["x".repeat(length).into()],
                environment: Vec::new(),
                folder: "/".into(),
                followed: true,
            };
            let said = format!("{start:?}");
            order(ours.as_fd(), &Order::Start(Box::new(start), streams)).unwrap();
            let Some(Order::Start(heard, _streams)) = next_order(theirs.as_fd()).unwrap() else { panic!() };
            assert_eq!(format!("{heard:?}"), said, "{length}");
        }
        let file = std::fs::File::open("/dev/null").unwrap();
        send(ours.as_fd(), &[START], &[file.as_fd()]).unwrap();
        assert_eq!(next_order(theirs.as_fd()).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn what_was_said_before_the_end_is_heard_though_an_order_was_not() {
        let (ours, theirs) = pair().unwrap();
        order(ours.as_fd(), &Order::End(1)).unwrap();
        report(theirs.as_fd(), &Report::Failed("x".to_owned())).unwrap();
        drop(theirs);
        assert_eq!(
            next_report(ours.as_fd()).unwrap().map(|(report, _files)| report),
            Some(Report::Failed("x".to_owned()))
        );
        assert_eq!(next_report(ours.as_fd()).unwrap().map(|(report, _files)| report), None);
    }
}
