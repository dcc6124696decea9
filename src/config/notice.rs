//! What a configuration file contains and the guard does not use.

/// A part of the file that has no effect. The texts here are English, for programs.
#[derive(Debug, serde::Serialize, Clone, Copy, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ConfigNotice {
    /// A section that only Mascate reads.
    #[error("[{0}] is the assistant's own section; the guard does not use it")]
    Section(&'static str),
    /// A key that only Mascate reads.
    #[error("{0} is the assistant's own key; the guard does not use it")]
    Key(&'static str),
    /// `sandbox.network`, which older versions read.
    #[error(
        "sandbox.network is not read any more: the tables of hosts say which commands use the network ([network])"
    )]
    SandboxNetwork,
    /// `require_confirmation` is this switch instead of a list.
    #[error(
        "security.require_confirmation = {0} changes nothing: the rules decide what is asked; a list of program names \
         adds to them"
    )]
    ConfirmationSwitch(bool),
}
