//! Reads the restrictions that survive in a damaged file.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::super::identity::Identity;
use guarda_core::policy::history::{Override, OverrideKind};

/// The readable restrictions, and whether all of the table could be read.
#[must_use]
pub fn salvage(path: &Path) -> (Vec<(Identity, Override)>, bool) {
    let mut found = Vec::new();
    let all = read(path, &mut found).is_ok();
    (found, all)
}

fn read(path: &Path, found: &mut Vec<(Identity, Override)>) -> rusqlite::Result<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // Reads the table itself, since the damage may be in an index.
    let mut select = connection.prepare(
        "SELECT command_hash, argv_hash, command_text, folder, profile, program_digest, user_override,
                user_override_reason, user_override_by
         FROM commands_registry NOT INDEXED",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        // An unreadable row is skipped.
        let Ok(word) = (|| {
            let kind = OverrideKind::named(&row.get::<_, String>(6)?);
            Ok::<_, rusqlite::Error>(Override { kind, reason: row.get(7)?, by: row.get(8)? })
        })() else {
            continue;
        };
        if word.kind == OverrideKind::AlwaysAllow {
            continue;
        }
        found.push((
            Identity {
                command_hash: row.get(0)?,
                argv_hash: row.get(1)?,
                text: row.get(2)?,
                folder: row.get(3)?,
                profile: row.get(4)?,
                program_digest: row.get(5)?,
            },
            word,
        ));
    }
    Ok(())
}
