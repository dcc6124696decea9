//! A command line as a request.

use guarda_core::action::{Misread, Proposal, Request};

/// The proposal to run a command line in a folder.
pub(in crate::cli) fn proposal(text: &str, folder: Option<String>) -> Result<Proposal, Misread> {
    Proposal::parse(Request {
        action: Some("RUN_COMMAND".to_owned()),
        target: Some(text.into()),
        cwd: folder,
        ..Request::default()
    })
}
