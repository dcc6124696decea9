//! Starting a service on a private desktop.

use std::path::PathBuf;

use crate::common::Service;
use crate::common::machine::Machine;

impl Machine {
    /// Starts a service with this configuration.
    pub fn serve(&self, config: &str) -> Service {
        let (environment, state) = self.settings(config);
        let mut command = self.command(env!("CARGO_BIN_EXE_guarda"), &["serve", "--ready-json"]);
        command.envs(environment);
        Service::launch(command, tempfile::tempdir().unwrap(), &state)
    }

    /// The environment of a service on this desktop, and its state folder.
    pub fn settings(&self, config: &str) -> (Vec<(&'static str, String)>, PathBuf) {
        let (file, state) = (self.path("guarda.toml"), self.path("state"));
        // Most journeys are about questions that come before a run; those about staged runs have a section of their own.
        let undo = if config.contains("[undo]") { "" } else { crate::common::UNSTAGED };
        std::fs::write(&file, format!("{config}\n{undo}")).unwrap();
        let environment = vec![
            ("GUARDA_CONFIG", file.to_str().unwrap().to_owned()),
            ("GUARDA_STATE_DIR", state.to_str().unwrap().to_owned()),
            ("GUARDA_LISTEN", "127.0.0.1:0".to_owned()),
        ];
        (environment, state)
    }
}
