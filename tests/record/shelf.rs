//! A record's files as lines that can be changed and put back, compressed or not.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use guarda_core::gate::Says;
use guarda_journal::{Journal, JournalConfig, Retention};

use crate::bench::*;

/// Files are archived at this size.
pub fn small(folder: &Path, bytes: u64) -> JournalConfig {
    let keeping = Retention { file_bytes: bytes, ..Retention::default() };
    JournalConfig { keeping, ..JournalConfig::new(folder) }
}

/// A record of one session `s` in three files, two of them compressed, closed properly.
pub fn record() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let journal = Journal::open(JournalConfig::new(place.path())).unwrap();
    now(async {
        for file in 0..3 {
            if file > 0 {
                journal.turn().await.unwrap();
            }
            for _ in 0..3 {
                let open =
                    journal.intend(approved(command("s", "rm notes.txt")), &caller()).await.unwrap().begin();
                journal.close(open, &output("done\n")).await.unwrap();
            }
            journal.refuse(&refusal(command("s", "rm x"), Says::Silence), &caller()).await.unwrap();
        }
    });
    journal.shut();
    place
}

/// The files of session `s`, oldest first.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("archive"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    files.sort();
    files.push(file(folder, "s"));
    files
}

/// A file's name in reports.
pub fn name(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()
}

pub fn bytes(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap();
    if file.extension().is_none_or(|kind| kind != "gz") {
        return bytes;
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
    plain
}

pub fn write(file: &Path, plain: &[u8]) {
    if file.extension().is_none_or(|kind| kind != "gz") {
        std::fs::write(file, plain).unwrap();
        return;
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(plain).unwrap();
    std::fs::write(file, packer.finish().unwrap()).unwrap();
}

pub fn read_lines(file: &Path) -> Vec<String> {
    String::from_utf8(bytes(file)).unwrap().lines().map(str::to_owned).collect()
}

pub fn write_lines(file: &Path, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write(file, text.as_bytes());
}

/// A copy of a record as it would be found after a power cut.
pub fn copy(folder: &Path) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &target);
            } else {
                std::fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let place = tempfile::tempdir().unwrap();
    copy(folder, place.path());
    place
}

/// Waits until every archived file is compressed.
pub fn compressed(folder: &Path) {
    let plain = |file: &&PathBuf| file.extension().is_some_and(|kind| kind != "gz");
    crate::common::until("the archive is compressed", || files(folder).iter().filter(plain).count() <= 1);
}
