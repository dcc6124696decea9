//! Random bits from the system.

/// Unpredictable random bytes.
///
/// # Errors
/// If the system has none. The caller must then stop.
pub fn bytes<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Random bytes in hexadecimal, two digits each.
///
/// # Errors
/// As for [`bytes`].
pub fn hex<const N: usize>() -> std::io::Result<String> {
    Ok(guarda_journal::chain::hex(&bytes::<N>()?))
}
