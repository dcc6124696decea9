//! Speech services that go wrong.

use crate::common::machine::Machine;
use crate::common::until;

impl Machine {
    /// The speech service once more, after it has been stopped.
    pub fn with_speech_again(mut self) -> Self {
        self.start_speech();
        self
    }

    /// A speech service that has only the dummy module, which plays a recorded apology.
    pub fn with_speech_without_a_voice(self) -> Self {
        let mut machine = self.with_speech();
        machine.stop_last();
        let settings = machine.path("speech/speechd.conf");
        let text = std::fs::read_to_string(&settings).unwrap();
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("AddModule") && !line.starts_with("DefaultModule"))
            .collect();
        std::fs::write(settings, kept.join("\n") + "\nAddModule \"dummy\" \"sd_dummy\" \"\"\n").unwrap();
        machine.start_speech();
        machine
    }

    fn start_speech(&mut self) {
        let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
        let (socket, pid) = (text(self.path("run/speechd.sock")), text(self.path("run/speechd.pid")));
        let (log, folder) = (text(self.path("speech-log")), text(self.path("speech")));
        let _ = std::fs::remove_file(&socket);
        let _ = std::fs::remove_file(&pid);
        let arguments =
            ["-s", "-t", "0", "-c", "unix_socket", "-S", &socket, "-P", &pid, "-L", &log, "-C", &folder];
        self.start("speech-dispatcher", &arguments);
        until("the speech service", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
    }
}
