//! Which place the registry is kept in, how it is opened, and what is done where it is damaged.

#[cfg(feature = "postgres")]
use super::postgres::{Postgres, PostgresOptions};
use super::sqlite::{self, Sqlite, SqliteOptions};
use super::store::{Store, StoreError};

/// A place for the registry.
#[derive(Debug, Clone)]
pub enum Backend {
    /// A file of this user.
    Sqlite(SqliteOptions),
    /// A server that several hosts share.
    #[cfg(feature = "postgres")]
    Postgres(PostgresOptions),
}

/// What became of a damaged place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// Where what was there is now.
    pub aside: std::path::PathBuf,
    /// How many restrictions (`never`, `always_ask`) could still be read and hold on.
    pub kept: usize,
    /// Whether all of them could be read.
    pub all: bool,
}

impl Backend {
    /// The backend that a configuration asks for; `state` is the guard's own folder.
    ///
    /// # Errors
    /// If this program was built without it.
    pub fn of(config: &crate::config::Registry, state: &std::path::Path) -> Result<Self, StoreError> {
        match &config.url {
            None => Ok(Self::Sqlite(SqliteOptions::in_folder(state))),
            #[cfg(feature = "postgres")]
            Some(url) => Ok(Self::Postgres(PostgresOptions::of(url)?)),
            #[cfg(not(feature = "postgres"))]
            Some(_) => Err(StoreError::Other(
                "registry.url names a PostgreSQL, and this guarda was built without it: build it with \
                 `cargo build --features postgres`, or take the key out"
                    .to_owned(),
            )),
        }
    }

    /// Opens it, making it where it is missing.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        match self {
            Self::Sqlite(options) => Ok(Box::new(Sqlite::open(options)?)),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => Ok(Box::new(Postgres::open(options)?)),
        }
    }

    /// Whether it was ever made. Of a server that is not known here: opening it tells.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Self::Sqlite(options) => options.path.exists(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Whether a look-up reads a file of this machine, and waits for no other program: SQLite's log lets readers read
    /// while others write.
    #[must_use]
    pub fn is_near(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => false,
        }
    }

    /// Its place, for people; without a password.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Sqlite(options) => options.path.display().to_string(),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => options.place(),
        }
    }

    /// Sets a damaged file aside, begins a new one, and carries over the restrictions that can still be read: what was
    /// forbidden stays forbidden. What was allowed or learned is not carried over, since damage cannot be told from it.
    ///
    /// # Errors
    /// [`StoreError`], if that cannot be done.
    pub fn mend(&self, now: jiff::Timestamp) -> Result<Mended, StoreError> {
        match self {
            Self::Sqlite(options) => {
                let aside = sqlite::quarantine(&options.path, now)
                    .map_err(|error| StoreError::Unreachable(format!("it cannot be set aside: {error}")))?;
                let (restrictions, all) = sqlite::salvage(&aside);
                let mut fresh = Sqlite::open(options)?;
                for (identity, word) in &restrictions {
                    fresh.say(identity, Some(word), now)?;
                }
                Ok(Mended { aside, kept: restrictions.len(), all })
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                Err(StoreError::Damaged("mending a server is for its administrator".to_owned()))
            }
        }
    }
}
