//! The choice of the registry's store, its opening, and its repair.

use super::driver::StoreError;
#[cfg(feature = "postgres")]
use super::postgres::{Postgres, PostgresOptions};
use super::sqlite::{self, Sqlite, SqliteOptions};
use super::store::Store;

/// A store for the registry.
#[derive(Debug, Clone)]
pub enum RegistryBackend {
    /// A file of this user.
    Sqlite(SqliteOptions),
    /// A server that several hosts share.
    #[cfg(feature = "postgres")]
    Postgres(PostgresOptions),
}

/// The result of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The new path of the damaged file.
    pub aside: std::path::PathBuf,
    /// How many restrictions (`never`, `always_ask`) could be read and were kept.
    pub kept: usize,
    /// Whether all of them could be read.
    pub all: bool,
}

impl RegistryBackend {
    /// The configured backend; `state` is the guard's own folder.
    ///
    /// # Errors
    /// If this program was built without it.
    pub fn of(config: &crate::config::RegistrySection, state: &std::path::Path) -> Result<Self, StoreError> {
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

    /// Opens the store, and creates it if it is missing.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn open(&self) -> Result<Store, StoreError> {
        match self {
            Self::Sqlite(options) => Ok(Store::new(Sqlite::open(options)?)),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => Ok(Store::new(Postgres::open(options)?)),
        }
    }

    /// Whether it was ever created. For a server this is unknown until it is opened.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Self::Sqlite(options) => options.path.exists(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Whether a look-up reads a local file without waiting for another program: SQLite's log lets readers read while
    /// others write.
    #[must_use]
    pub fn is_near(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => false,
        }
    }

    /// Its location, for display; without a password.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Sqlite(options) => options.path.display().to_string(),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => options.place(),
        }
    }

    /// Renames a damaged file, begins a new one, and copies the restrictions that can be read: prohibitions stay in
    /// force. Permissions and learned policies are not copied, because damage could have created them.
    ///
    /// # Errors
    /// [`StoreError`], if that fails.
    pub fn mend(&self, now: jiff::Timestamp) -> Result<Mended, StoreError> {
        match self {
            Self::Sqlite(options) => {
                let aside = sqlite::quarantine(&options.path, now)
                    .map_err(|error| StoreError::Unreachable(format!("it cannot be set aside: {error}")))?;
                let (restrictions, all) = sqlite::salvage(&aside);
                let mut fresh = Store::new(Sqlite::open(options)?);
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
