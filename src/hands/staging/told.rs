//! What an agent is told about a held-back run, after what its programs said.

use std::path::PathBuf;

use guarda_core::action::Action;
use guarda_core::effects::Tried;
use guarda_core::output::RawOutput;

use crate::hands::staging::held_back::HeldBack;

/// Tells which programs ended with their line, and how to let one go on. Helpers that tools leave behind for a while, and at no port,
/// concern nobody.
pub(super) fn tell_survivors(
    raw: &mut RawOutput,
    held: Option<&HeldBack>,
    (action, tried): (&Action, &Tried),
) {
    let jobs = matches!(action, Action::RunCommand { script: Ok(script), .. } if script.starts_jobs());
    if let Some(first) = tried.survivors.first()
        && (jobs || !tried.survivors_ports.is_empty())
    {
        let names = tried.survivors.join("; ");
        let ports: Vec<String> =
            tried.survivors_ports.iter().map(|port| format!(", on port {port}")).collect();
        let ports = ports.concat();
        let line = format!(
            "guarda: ended with its line: {names}{ports}. To let it run on, end the line that starts it with `&` (such as `{first} &`): \
             a person is asked once.\n"
        );
        tell(raw, held, &line);
    }
}

fn tell(raw: &mut RawOutput, held: Option<&HeldBack>, line: &str) {
    raw.stderr_total += line.len() as u64;
    raw.stderr.extend_from_slice(line.as_bytes());
    held.into_iter().for_each(|held| held.add(line.as_bytes()));
}

/// Tells what the run did to entries that only their owners may change: the overlay lets it, and a commit leaves it out.
pub(super) fn tell_refused(raw: &mut RawOutput, held: Option<&HeldBack>, refused: &[PathBuf]) {
    for path in refused {
        tell(raw, held, &format!("guarda: {}: Operation not permitted\n", path.display()));
    }
    if !refused.is_empty() && raw.exit_code == Some(0) {
        raw.exit_code = Some(1);
    }
}
