//! Registries of a given size, filled without the guard.

use std::path::Path;

use guarda::registry::sqlite::SqliteOptions;
use guarda::registry::{Identity, RegistryBackend, Store};

/// The commands that are looked up repeatedly: all of them in a small registry.
pub const ASKED: usize = 1000;

/// A registry with this many commands, and a thousand identities from it, or ones that could be in it.
pub fn registry(place: &Path, commands: u64) -> (Store, Vec<Identity>) {
    let folder = place.join(commands.to_string());
    let options = SqliteOptions::in_folder(&folder);
    let backend = RegistryBackend::Sqlite(options.clone());
    drop(backend.open().expect("it opens"));
    fill(&options.path, commands);
    let mut known: Vec<Identity> = identities(&options.path);
    known.extend((known.len()..ASKED).map(|number| Identity {
        command_hash: format!("{number:064x}"),
        argv_hash: format!("{:064x}", number + 7),
        text: "frobnicate".to_owned(),
        folder: "/".to_owned(),
        profile: "desktop".to_owned(),
        program_digest: String::new(),
    }));
    (backend.open().expect("it opens"), known)
}

fn fill(path: &Path, commands: u64) {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let sql = "WITH RECURSIVE number(n) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
        INSERT INTO commands_registry (command_hash, argv_hash, command_text, folder, profile, first_seen, last_executed,
            last_executed_ms, execution_count, success_count, user_override, created_at, updated_at)
        SELECT lower(hex(randomblob(32))), lower(hex(randomblob(32))), 'frobnicate --number ' || n, '/home/ana', 'desktop',
            1790000000, 1790000000 + n, (1790000000 + n) * 1000, n % 50, n % 50,
            CASE n % 1000 WHEN 0 THEN 'never' END, 1790000000, 1790000000
        FROM number";
    connection.execute(sql, [commands]).expect("it is filled");
}

fn identities(path: &Path) -> Vec<Identity> {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let sql = "SELECT command_hash, argv_hash FROM commands_registry
        WHERE rowid % MAX(1, (SELECT COUNT(*) FROM commands_registry) / ?1) = 0 LIMIT ?1";
    let mut select = connection.prepare(sql).expect("it is SQL");
    let rows = select.query_map([ASKED], |row| {
        Ok(Identity {
            command_hash: row.get(0)?,
            argv_hash: row.get(1)?,
            text: "frobnicate".to_owned(),
            folder: "/".to_owned(),
            profile: "desktop".to_owned(),
            program_digest: String::new(),
        })
    });
    rows.expect("rows").filter_map(Result::ok).collect()
}

/// The same number of identities that are not in it.
pub fn others(known: &[Identity]) -> Vec<Identity> {
    let backwards = |hash: &str| hash.chars().rev().collect();
    let other = |identity: &Identity| Identity {
        command_hash: backwards(&identity.command_hash),
        argv_hash: backwards(&identity.argv_hash),
        ..identity.clone()
    };
    known.iter().map(other).collect()
}
