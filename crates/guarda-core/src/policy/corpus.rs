//! The situation in which lines of tables and corpora are judged.

use crate::policy::{Program, Situation};

/// The situation in which a line of a corpus is judged: a home, a project, and every program that is called by its
/// bare name or from a folder of the system taken for the real one.
#[must_use]
pub fn situation(script: &Result<guarda_shell::script::Script, guarda_shell::script::Unsure>) -> Situation {
    let mut situation = Situation {
        home: "/home/ana".to_owned(),
        cwd: "/home/ana/project".to_owned(),
        guard: [".config/guarda", ".local/share/guarda", ".local/state/guarda"]
            .map(|folder| format!("/home/ana/{folder}"))
            .to_vec(),
        settings: vec!["/usr/bin/guarda".to_owned(), "/home/ana/.claude/settings.json".to_owned()],
        plain_repository: true,
        ..Situation::default()
    };
    for run in script.iter().flat_map(|script| script.runs()) {
        situation.missing.extend(crate::catalogue::misspelt(run).map(|found| found.command()));
        if let Some(name) = run.program() {
            let program = match name.rsplit_once('/') {
                None => Program::System(format!("/usr/bin/{name}")),
                Some(("/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/usr/local/bin", _)) => {
                    Program::System(name.to_owned())
                }
                Some(_) => Program::Elsewhere(name.to_owned()),
            };
            situation.programs.insert(name.to_owned(), program);
        }
    }
    situation
}
