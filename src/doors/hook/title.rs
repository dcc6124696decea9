//! The title of a conversation, as the user knows it. Hook events do not contain it: two clients write it to a file
//! whose path is in the event, and OpenCode's plugin asks OpenCode. The title is only displayed, so every failure
//! means that there is none.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::Client;

/// How many bytes are read at each end of a file. Transcripts can be long, and every tool call of an agent waits here.
const PART: u64 = 64 * 1024;

/// Reads the title of a conversation from its transcript or from the client's list of sessions.
#[must_use]
pub fn title(client: Client, session: &str, transcript: &Path) -> Option<String> {
    match client {
        // Later records replace earlier ones, and the user's title outranks a generated one.
        Client::Claude => {
            let ends = Ends::read(transcript)?;
            let of =
                |kind: &str, name: &str| ends.last(kind, |record| field(record, "type") == Some(kind), name);
            of("custom-title", "customTitle").or_else(|| of("ai-title", "aiTitle"))
        }
        Client::Codex => {
            let sessions = transcript.ancestors().find(|folder| folder.ends_with("sessions"))?;
            let ends = Ends::read(&sessions.with_file_name("session_index.jsonl"))?;
            ends.last(session, |record| field(record, "id") == Some(session), "thread_name")
        }
        Client::Gemini | Client::Copilot | Client::Cursor | Client::OpenCode | Client::OpenAiAgents => None,
    }
}

/// The lines at the end of a file, followed by those at its beginning if the file is longer than [`PART`].
struct Ends(Vec<String>);

impl Ends {
    fn read(path: &Path) -> Option<Self> {
        let mut file = open(path)?;
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        let end = size.saturating_sub(PART);
        let starts = if end == 0 { vec![0] } else { vec![end, 0] };
        let parts = starts.into_iter().map(|start| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(start)).ok()?;
            file.by_ref().take(PART).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        });
        parts.collect::<Option<_>>().map(Self)
    }

    /// A field of the last matching record. `mark` is a text in the line of every matching record.
    fn last(&self, mark: &str, matches: impl Fn(&Map<String, Value>) -> bool, name: &str) -> Option<String> {
        let lines = self.0.iter().flat_map(|part| part.lines().rev()).filter(|line| line.contains(mark));
        let mut titles = lines.filter_map(|line| {
            // Either part may be cut within a line.
            let record: Map<String, Value> = serde_json::from_str(line).ok()?;
            field(&record, name)
                .filter(|title| matches(&record) && !title.trim().is_empty())
                .map(str::to_owned)
        });
        titles.next()
    }
}

fn field<'a>(record: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    record.get(name)?.as_str()
}

/// Opens a file without blocking on a pipe or a terminal.
fn open(path: &Path) -> Option<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).ok()?;
    File::options().read(true).custom_flags(flags).open(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_has_the_title_that_its_client_wrote_last() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("t.jsonl");
        let said = |text: &str| std::fs::write(&transcript, text).unwrap();
        let claude = || title(Client::Claude, "s", &transcript);
        let filler = "{\"type\":\"user\",\"message\":\"\\\"type\\\":\\\"ai-title\\\"\"}\n";
        said("");
        assert_eq!(claude(), None);
        said(&format!("{filler}{{\"type\":\"ai-title\",\"aiTitle\":\"One\"}}\n{filler}"));
        assert_eq!(claude().as_deref(), Some("One"));
        said("{\"type\":\"ai-title\",\"aiTitle\":\"One\"}\n{\"type\":\"ai-title\",\"aiTitle\":\"Two\"}\n");
        assert_eq!(claude().as_deref(), Some("Two"));
        said(
            "{\"type\":\"custom-title\",\"customTitle\":\"Mine\"}\n{\"type\":\"ai-title\",\"aiTitle\":\"Two\"}\nnot json",
        );
        assert_eq!(claude().as_deref(), Some("Mine"));
        // Only the end and the beginning of a long file are read.
        let long = filler.repeat(2 * PART as usize / filler.len());
        said(&format!("{{\"type\":\"ai-title\",\"aiTitle\":\"First\"}}\n{long}"));
        assert_eq!(claude().as_deref(), Some("First"));
        said(&format!("{long}{{\"type\":\"ai-title\",\"aiTitle\":\"Last\"}}\n"));
        assert_eq!(claude().as_deref(), Some("Last"));

        let sessions = folder.path().join("sessions/2026/11/25");
        std::fs::create_dir_all(&sessions).unwrap();
        let rollout = sessions.join("rollout-1.jsonl");
        assert_eq!(title(Client::Codex, "s", &rollout), None);
        let index = "{\"id\":\"s\",\"thread_name\":\"Old\"}\n{\"id\":\"s\",\"thread_name\":\"New\"}\n{\"id\":\"t\",\"thread_name\":\"Other\"}\n";
        std::fs::write(folder.path().join("session_index.jsonl"), index).unwrap();
        assert_eq!(title(Client::Codex, "s", &rollout).as_deref(), Some("New"));

        // Paths that are not files are refused without waiting.
        for odd in [Path::new("/dev/tty"), folder.path(), Path::new("/nowhere")] {
            assert_eq!(title(Client::Claude, "s", odd), None);
        }
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(title(Client::Claude, "s", &pipe), None);
    }
}
