//! Generates completions and manual pages from the description of the command line.

use std::path::Path;

use clap::CommandFactory;

use crate::app::{CliError, ExitStatus, terminal};
use crate::cli::args::Cli;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<ExitStatus, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "guarda", &mut script);
    terminal::out(&String::from_utf8_lossy(&script));
    Ok(ExitStatus::Good)
}

pub(super) fn man(folder: Option<&Path>) -> Result<ExitStatus, CliError> {
    match folder {
        Some(folder) => clap_mangen::generate_to(Cli::command(), folder)
            .map_err(|error| CliError::file(folder, &error))?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            terminal::out(&String::from_utf8_lossy(&page));
        }
    }
    Ok(ExitStatus::Good)
}
