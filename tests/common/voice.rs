//! Real speech on a private machine, and a recording of it.

use std::path::Path;
use std::process::{Child, Stdio};

use crate::common::machine::Machine;
use crate::common::until;

impl Machine {
    /// A speech service that speaks into the sound server. Its voices are listed without espeak's hundred variants of
    /// each, which would take it seconds.
    pub fn with_speech(mut self) -> Self {
        let (data, folder) = (self.path("espeak"), self.path("speech"));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(self.path("speech-log")).unwrap();
        let installed =
            ["/usr/lib/x86_64-linux-gnu/espeak-ng-data", "/usr/lib/aarch64-linux-gnu/espeak-ng-data"];
        let installed = installed.iter().find(|path| Path::new(path).is_dir()).unwrap();
        self.ask("cp", &["-r", installed, data.to_str().unwrap()]);
        std::fs::remove_dir_all(data.join("espeak-ng-data/voices/!v")).unwrap();
        self.ask("cp", &["-r", "/etc/speech-dispatcher", folder.to_str().unwrap()]);
        let settings = "LogLevel 3\nCommunicationMethod \"unix_socket\"\nTimeout 0\nAudioOutputMethod \"pulse\"\n\
             AudioPulseDevice \"default\"\nAudioPulseMinLength 10\nDefaultLanguage \"en\"\nSymbolsPreproc \"char\"\n\
             AddModule \"espeak-ng\" \"sd_espeak-ng\" \"espeak-ng.conf\"\nDefaultModule espeak-ng\n";
        std::fs::write(folder.join("speechd.conf"), settings).unwrap();
        let socket = self.path("run/speechd.sock");
        self.set("ESPEAK_DATA_PATH", data.to_str().unwrap());
        self.set("SPEECHD_ADDRESS", &format!("unix_socket:{}", socket.display()));
        let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
        let (pid, log) = (text(self.path("run/speechd.pid")), text(self.path("speech-log")));
        let (socket_text, folder) = (text(socket.clone()), text(folder));
        let arguments =
            ["-s", "-t", "0", "-c", "unix_socket", "-S", &socket_text, "-P", &pid, "-L", &log, "-C", &folder];
        self.start("speech-dispatcher", &arguments);
        until("the speech service", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
        self
    }

    /// Everything: bus, display, sound and speech.
    pub fn whole() -> Self {
        Self::new().with_bus().with_display().with_sound().with_speech()
    }

    /// Starts to record what the sound server plays.
    pub fn listen(&self) -> Ears {
        let file = self.path("heard.raw");
        let out = std::fs::File::create(&file).unwrap();
        let arguments = [
            "-d",
            "guard.monitor",
            "--format=s16le",
            "--rate=16000",
            "--channels=1",
            "--latency-msec=10",
            "--raw",
        ];
        let recorder = self.command("parec", &arguments).stdout(out).stderr(Stdio::null()).spawn().unwrap();
        until("the recorder", || std::fs::metadata(&file).is_ok_and(|file| file.len() > 0));
        Ears { recorder, file }
    }
}

/// A recording of the played sound.
pub struct Ears {
    recorder: Child,
    file: std::path::PathBuf,
}

impl Ears {
    /// How many seconds so far are sound and not silence: samples of 100 ms whose mean amplitude is audible.
    pub fn heard(&self) -> f64 {
        let bytes = std::fs::read(&self.file).unwrap();
        let samples: Vec<i16> =
            bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        let loud = samples.chunks(1600).filter(|part| {
            let sum: i64 = part.iter().map(|sample| i64::from(sample.unsigned_abs())).sum();
            sum / i64::try_from(part.len()).unwrap() > 100
        });
        loud.count() as f64 / 10.0
    }
}

impl Ears {
    /// How long after `begin` the first sound is in the recording, including the sound server's delay.
    pub fn first(&self, begin: impl FnOnce()) -> std::time::Duration {
        const RATE: f64 = 32_000.0;
        let length = || std::fs::metadata(&self.file).unwrap().len();
        // The moment in which the recording began: the earliest that any look at it allows.
        let mut origin = f64::MAX;
        let clock = std::time::Instant::now();
        let mut look = || {
            let now = clock.elapsed().as_secs_f64();
            origin = origin.min(now - length() as f64 / RATE);
            (now, origin)
        };
        while look().0 < 0.5 {
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        let begun = clock.elapsed().as_secs_f64();
        begin();
        loop {
            let (now, origin) = look();
            let bytes = std::fs::read(&self.file).unwrap();
            let loud = bytes.chunks_exact(2).enumerate().position(|(place, pair)| {
                let at = place as f64 * 2.0 / RATE + origin;
                at > begun && i16::from_le_bytes([pair[0], pair[1]]).unsigned_abs() > 200
            });
            if let Some(place) = loud {
                let at = place as f64 * 2.0 / RATE + origin;
                return std::time::Duration::from_secs_f64((at - begun).max(0.0));
            }
            assert!(now - begun < 30.0, "no sound came");
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
    }
}

impl Ears {
    /// When the last sound so far was played.
    pub fn last(&self) -> std::time::SystemTime {
        const RATE: f64 = 32_000.0;
        // The moment in which the recording began: the earliest that any look at it allows.
        let looks = (0..100).map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(3));
            let length = std::fs::metadata(&self.file).unwrap().len() as f64 / RATE;
            std::time::SystemTime::now() - std::time::Duration::from_secs_f64(length)
        });
        let origin = looks.min().unwrap();
        let bytes = std::fs::read(&self.file).unwrap();
        let loud = |pair: &[u8]| i16::from_le_bytes([pair[0], pair[1]]).unsigned_abs() > 200;
        let last = bytes.chunks_exact(2).rposition(loud).unwrap();
        origin + std::time::Duration::from_secs_f64(last as f64 * 2.0 / RATE)
    }
}

impl Drop for Ears {
    fn drop(&mut self) {
        let _ = self.recorder.kill();
        let _ = self.recorder.wait();
    }
}
