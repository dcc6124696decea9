//! As much DNS as a cell needs: one question in, one answer out (RFC 1035). No upstream server is queried.

use std::net::Ipv4Addr;

use super::bytes::Bytes;
use super::{DomainName, Host};

/// How long a client may keep an answer, in seconds.
const TTL: u32 = 1;
/// The record type of an IPv4 address.
const A: u16 = 1;
/// The Internet class.
const IN: u16 = 1;

/// The response codes in use.
const NO_ERROR: u8 = 0;
const FORMAT_ERROR: u8 = 1;
const NO_SUCH_NAME: u8 = 3;
const NOT_IMPLEMENTED: u8 = 4;

/// A client's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    id: [u8; 2],
    /// The client's flags. The operation and "recursion desired" are returned to it.
    flags: u8,
    /// The question section as received, in the client's own case.
    question: Vec<u8>,
    /// The name in the question; `None` if it is not a host name (a zone's own records, labels of other
    /// bytes, an address).
    pub name: Option<DomainName>,
    /// The requested record type (1 is A, 28 is AAAA).
    pub kind: u16,
    class: u16,
}

impl Query {
    /// Reads a query with one question. A response is not a query, nor is a message whose name is compressed or too long.
    ///
    /// # Errors
    /// The answer to send back, or `None` if nothing should be sent.
    pub fn read(message: &[u8]) -> Result<Self, Option<Vec<u8>>> {
        let mut bytes = Bytes::new(message);
        let (Some(id), Some([flags, _]), Some(questions)) = (bytes.array(), bytes.array(), bytes.u16())
        else {
            return Err(None);
        };
        // Answering a response would let two servers answer each other for ever.
        if flags & 0x80 != 0 {
            return Err(None);
        }
        let refuse = |code| Err(Some(message_with(id, flags, code, &[], None)));
        if flags & 0x78 != 0 {
            return refuse(NOT_IMPLEMENTED);
        }
        let counts: Option<[u8; 6]> = bytes.array();
        if counts.is_none() || questions != 1 {
            return refuse(FORMAT_ERROR);
        }
        let start = bytes.used();
        let Some(labels) = labels(&mut bytes) else { return refuse(FORMAT_ERROR) };
        let (Some(kind), Some(class)) = (bytes.u16(), bytes.u16()) else { return refuse(FORMAT_ERROR) };
        let question = message.get(start..bytes.used()).unwrap_or_default().to_vec();
        let name = match Host::from_wire(&labels.join(&b'.')) {
            // A label with a dot inside would be read as two.
            Ok(Host::Name(name)) if !labels.iter().any(|label| label.contains(&b'.')) => Some(name),
            _ => None,
        };
        Ok(Self { id, flags, question, name, kind, class })
    }

    /// The host name, if the query is for its IPv4 address. No other question has an answer.
    #[must_use]
    pub fn wants_address(&self) -> Option<&DomainName> {
        self.name.as_ref().filter(|_| self.kind == A && self.class == IN)
    }

    /// Builds the answer: the address if there is one and one was requested, "no such record" for other
    /// types, and "no such name" if the name is not a host name.
    #[must_use]
    pub fn answer(&self, address: Option<Ipv4Addr>) -> Vec<u8> {
        let code = if self.name.is_some() { NO_ERROR } else { NO_SUCH_NAME };
        let address = address.filter(|_| self.wants_address().is_some());
        message_with(self.id, self.flags, code, &self.question, address)
    }
}

/// The labels of a name, without the empty last one. `None` if the name is compressed, too long or cut off.
fn labels<'a>(bytes: &mut Bytes<'a>) -> Option<Vec<&'a [u8]>> {
    let (mut labels, mut length) = (Vec::new(), 0);
    loop {
        let label = bytes.u8().filter(|length| *length < 64)?;
        length += 1 + usize::from(label);
        if length > 255 {
            return None;
        }
        match bytes.take(label.into())? {
            [] => return Some(labels),
            label => labels.push(label),
        }
    }
}

fn message_with(id: [u8; 2], flags: u8, code: u8, question: &[u8], address: Option<Ipv4Addr>) -> Vec<u8> {
    // A response, authoritative, with the client's operation and its request for recursion, which is
    // available.
    let flags = [0x84 | flags & 0x79, 0x80 | code];
    let (questions, answers) = (u8::from(!question.is_empty()), u8::from(address.is_some()));
    let mut message = [&id[..], &flags, &[0, questions, 0, answers, 0, 0, 0, 0], question].concat();
    if let Some(address) = address {
        // A pointer to the question's name, 12 bytes from the start.
        message.extend([0xc0, 12]);
        message.extend(A.to_be_bytes());
        message.extend(IN.to_be_bytes());
        message.extend(TTL.to_be_bytes());
        message.extend([0, 4]);
        message.extend(address.octets());
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(labels: &[&[u8]], kind: u16) -> Vec<u8> {
        let mut message = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in labels {
            message.push(label.len() as u8);
            message.extend(*label);
        }
        message.push(0);
        message.extend(kind.to_be_bytes());
        message.extend([0, 1]);
        message
    }

    #[test]
    fn one_question_and_its_answer() {
        let message = query(&[b"Example", b"ORG"], 1);
        let query = Query::read(&message).unwrap();
        assert_eq!(query.wants_address().map(DomainName::as_str), Some("example.org"));
        let answer = query.answer(Some(Ipv4Addr::new(198, 18, 0, 7)));
        assert_eq!(answer[..12], [0xab, 0xcd, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(answer[12..message.len()], message[12..], "the question comes back in the client's case");
        assert_eq!(answer[message.len()..], [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 198, 18, 0, 7]);
    }

    #[test]
    fn other_questions_are_answered_with_nothing() {
        // A, NS, CNAME, NULL, PTR, MX, TXT, AAAA, SRV, HTTPS, ANY.
        for kind in [2, 5, 10, 12, 15, 16, 28, 33, 65, 255] {
            let query = Query::read(&query(&[b"example", b"org"], kind)).unwrap();
            assert_eq!(query.wants_address(), None, "{kind}");
            let answer = query.answer(Some(Ipv4Addr::new(198, 18, 0, 7)));
            assert_eq!((answer[3] & 15, answer[7]), (NO_ERROR, 0), "{kind}");
        }
        for labels in [
            &[&b"a.b"[..], b"org"][..],
            &[b"a\0b", b"org"],
            &[b"a b"],
            &[b"127", b"0", b"0", b"1"],
            &[b"b\xc3\xbccher", b"org"],
            &[],
        ] {
            let query = Query::read(&query(labels, 1)).unwrap();
            assert_eq!(query.name, None, "{labels:?}");
            let answer = query.answer(Some(Ipv4Addr::new(198, 18, 0, 7)));
            assert_eq!((answer[3] & 15, answer[7]), (NO_SUCH_NAME, 0), "{labels:?}");
        }
        // Four labels of 63 bytes are within the name's 253; the caller decides about such a name.
        let label = [b'a'; 63];
        let long = query(&[&label, &label, &label, &label[..61]], 1);
        assert!(Query::read(&long).unwrap().name.is_some());
    }

    #[test]
    fn what_is_no_query_gets_no_address() {
        let good = query(&[b"example", b"org"], 1);
        let changed = |at: usize, byte: u8| {
            let mut message = good.clone();
            message[at] = byte;
            message
        };
        for (message, code) in [
            (Vec::new(), None),
            (good[..4].to_vec(), None),
            (changed(2, 0x81), None),
            (changed(2, 0x11), Some(NOT_IMPLEMENTED)),
            (changed(5, 2), Some(FORMAT_ERROR)),
            (changed(5, 0), Some(FORMAT_ERROR)),
            (changed(12, 0xc0), Some(FORMAT_ERROR)),
            (changed(12, 0x40), Some(FORMAT_ERROR)),
            (good[..good.len() - 1].to_vec(), Some(FORMAT_ERROR)),
            (query(&[&[b'a'; 63], &[b'a'; 63], &[b'a'; 63], &[b'a'; 63]], 1), Some(FORMAT_ERROR)),
        ] {
            let answer = Query::read(&message).unwrap_err();
            assert_eq!(answer.as_ref().map(|answer| answer[3] & 15), code, "{message:?}");
            assert!(answer.is_none_or(|answer| answer.len() == 12), "{message:?}");
        }
    }
}
