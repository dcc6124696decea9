//! One request from first to last.

pub mod reply;

pub use reply::{DecidedBy, Fault, Outcome, Reply};

use crate::action::Request;
use crate::judge::Judgement;
use crate::record::Caller;

/// The guard: judges, asks, acts, writes down. Shared by all doors.
#[derive(Debug)]
pub struct Guard {}

/// What the guard would do with a request, and nothing done.
#[derive(Debug)]
pub struct Advice {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The judgement.
    pub judgement: Judgement,
}

impl Guard {
    /// Does one request, from parsing to receipt. `id` (UUIDv7) is the door's, so that a caller can come back for the
    /// reply; `withdraw` is cancelled when the caller goes away.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, but for [`Fault::Redaction`].
    pub async fn handle(
        self: &std::sync::Arc<Self>,
        id: uuid::Uuid,
        request: Request,
        caller: Caller,
        withdraw: tokio_util::sync::CancellationToken,
    ) -> Result<Reply, Fault> {
        let _ = (id, request, caller, withdraw);
        Err(Fault::Closing)
    }

    /// Judges only: nothing is asked, nothing is done.
    ///
    /// # Errors
    /// [`Fault`], if the request cannot be understood or the record cannot be written.
    pub async fn advise(&self, request: Request, caller: &Caller) -> Result<Advice, Fault> {
        let _ = (request, caller);
        Err(Fault::Closing)
    }
}
