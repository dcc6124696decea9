//! Small files of the engine: a value with a checksum, written atomically.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::stage::fault::Fault;

/// The beginning of such a file; the number is the version of the format.
const MAGIC: &[u8; 8] = b"guarda 1";
const SUM: usize = 32;

/// Encodes a value for such a file.
pub(in crate::stage) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // All our values can be serialised. An empty file would be refused when it is read.
    let body = postcard::to_stdvec(value).unwrap_or_default();
    [MAGIC.as_slice(), Sha256::digest(&body).as_slice(), &body].concat()
}

/// Decodes a value; `None` if the bytes are not from [`encode`].
pub(in crate::stage) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (sum, body) = rest.split_at_checked(SUM)?;
    if Sha256::digest(body).as_slice() != sum {
        return None;
    }
    postcard::from_bytes(body).ok()
}

/// Writes a value under another name, and renames the file. It is not on the disk before the next `syncfs`.
pub(in crate::stage) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), Fault> {
    let new = path.with_extension("new");
    let fault = |error: std::io::Error| Fault::at("writing", path)(error);
    let mut file =
        File::options().write(true).create(true).truncate(false).mode(0o600).open(&new).map_err(fault)?;
    let bytes = encode(value);
    file.write_all(&bytes).and_then(|()| file.set_len(bytes.len() as u64)).map_err(fault)?;
    drop(file);
    std::fs::rename(&new, path).map_err(fault)
}

/// Reserves the space for the next value of a small file, so that it can be written even if the disk is full by then.
pub(in crate::stage) fn reserve(path: &Path) -> Result<(), Fault> {
    const ROOM: usize = 4096;
    let new = path.with_extension("new");
    let made = File::options().write(true).create(true).truncate(false).mode(0o600).open(&new);
    let filled = made.and_then(|mut file| file.write_all(&[0; ROOM]));
    filled.map_err(Fault::at("writing", path))
}

/// Reads a value; `None` if there is no such file, or it is not from [`write()`].
pub(in crate::stage) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.read_to_end(&mut bytes).ok()?;
    decode(&bytes)
}
