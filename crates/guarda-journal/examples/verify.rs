//! Verifies a record without the program that wrote it, as an auditor would on another machine:
//! `cargo run -p guarda-journal --example verify FOLDER [PUBLIC_KEY]`. Ends with 1 if something was changed, with 2 if the folder
//! cannot be read.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(folder) = words.next() else {
        eprintln!("usage: verify FOLDER [PUBLIC_KEY]");
        return ExitCode::from(2);
    };
    match guarda_journal::verify(Path::new(&folder), words.next().as_deref()) {
        Ok(report) => {
            for fault in &report.faults {
                println!("{}:{}: {}", fault.file, fault.line.unwrap_or_default(), fault.why);
            }
            println!("{} files, {} lines, {} faults", report.files, report.lines, report.faults.len());
            ExitCode::from(u8::from(!report.is_sound()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
