//! Keys pressed anywhere on the desktop.

/// The hidden sub-command of the child.
pub const COMMAND: &str = "__keys";

/// The child's whole life.
#[must_use]
pub fn child_main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
