//! The child that runs the `tts` crate. It may block or end here; the parent watches the time.
//!
//! `tts` selects voices, not languages, and listing the voices takes seconds if the daemon lists every
//! variant. A second connection to the daemon (SSIP) therefore sets the language of the first one in less
//! than a millisecond. It also shows whether there is a synthesizer, and whether the daemon still answers.

use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ssip_client_async::fifo::synchronous::{Builder, UnixStream};
use ssip_client_async::{
    Client, ClientError, ClientName, ClientResult, ClientScope, OK_GET, OK_LANGUAGE_SET,
    OK_OUTPUT_MODULES_LIST_SENT,
};

use super::{Order, Said, VoiceSettings};
use crate::devices::fault::DeviceFault;
use crate::devices::process::helper::{Note, greet, send};
use crate::devices::process::search::in_own_path;

/// The daemon's time limit for a simple query.
const ANSWER: Duration = Duration::from_secs(2);
/// How often to check that the daemon still answers.
const IDLE: Duration = Duration::from_secs(5);
/// The codes of the daemon's event messages.
const EVENTS: std::ops::Range<u16> = 700..800;
/// How to install a speech daemon.
const INSTALL: &str = "install speech-dispatcher and speech-dispatcher-espeak-ng";

/// What the child waits for.
enum Message {
    Order(Order),
    Began(tts::UtteranceId),
    Ended(tts::UtteranceId),
    Stopped(tts::UtteranceId),
}

/// The child's whole life.
#[must_use]
pub fn child_main() -> ExitCode {
    let (sender, messages) = channel();
    let manner: VoiceSettings = match greet(sender.clone(), Message::Order) {
        Ok(manner) => manner,
        Err(_) => return ExitCode::FAILURE,
    };
    let fault = match Voice::open(&manner, &sender) {
        Err(fault) => fault,
        Ok((mut voice, detail)) => {
            send(&Note::<Said>::Ready(detail));
            DeviceFault::failed(voice.serve(&messages))
        }
    };
    send(&Note::<Said>::Unable(fault));
    ExitCode::SUCCESS
}

type Side = Client<UnixStream>;

/// The voice, and the side connection that controls it.
struct Voice {
    tts: tts::Tts,
    side: Side,
    /// The daemon's number for the voice's connection.
    client: u32,
    language: String,
    wanted: Option<(String, tts::Voice)>,
    /// The current sentence: the parent's number and the library's.
    current: Option<(u64, tts::UtteranceId)>,
}

impl Voice {
    fn open(manner: &VoiceSettings, sender: &Sender<Message>) -> Result<(Self, String), DeviceFault> {
        let failed = |why: String| DeviceFault::failed(why);
        // Checked first, because the library waits for ever for a frozen daemon.
        let mut side = match connect() {
            Ok(side) => side,
            Err(Trouble::Frozen(why)) => return Err(failed(why)),
            Err(Trouble::Away(why)) => {
                // The library may start the daemon.
                drop(tts::Tts::default().map_err(|error| missing(&why, &error.to_string()))?);
                connect().map_err(|trouble| failed(trouble.why()))?
            }
        };
        let modules = modules(&mut side).map_err(failed)?;
        if modules.is_empty() {
            return Err(DeviceFault::absent(format!("speech-dispatcher has no synthesizer: {INSTALL}")));
        }
        let (mut tts, client) = steered().map_err(failed)?;
        let told = |error: tts::Error| failed(error.to_string());
        let events = (sender.clone(), sender.clone(), sender.clone());
        // These run on the library's thread, under its lock: they only pass the event on.
        tts.on_utterance_begin(Some(Box::new(move |id| drop(events.0.send(Message::Began(id))))))
            .map_err(told)?;
        tts.on_utterance_end(Some(Box::new(move |id| drop(events.1.send(Message::Ended(id))))))
            .map_err(told)?;
        tts.on_utterance_stop(Some(Box::new(move |id| drop(events.2.send(Message::Stopped(id))))))
            .map_err(told)?;
        if manner.rate != 0 {
            tts.set_rate(f32::from(manner.rate)).map_err(told)?;
        }
        if manner.volume != 100 {
            tts.set_volume(f32::from(manner.volume)).map_err(told)?;
        }
        let mut detail = format!("speech-dispatcher, {}", modules.join(", "));
        let wanted = match &manner.voice {
            None => None,
            Some(name) => {
                let voices = tts.voices().map_err(told)?;
                let voice = voices.into_iter().find(|voice| voice.name().eq_ignore_ascii_case(name));
                match voice {
                    Some(voice) => {
                        detail = format!("{detail}, voice {name}");
                        Some((voice.language().to_string(), voice))
                    }
                    None => {
                        detail = format!("{detail}; there is no voice {name:?}, another one speaks");
                        None
                    }
                }
            }
        };
        let mut voice = Self { tts, side, client, language: String::new(), wanted, current: None };
        voice.turn_to(&manner.language).map_err(failed)?;
        Ok((voice, detail))
    }

    /// Sets the language, and the configured voice if it speaks this language.
    fn turn_to(&mut self, language: &str) -> Result<(), String> {
        if self.language == language {
            return Ok(());
        }
        let scope = || ClientScope::Client(self.client);
        asked(&mut self.side, |side| {
            side.set_language(scope(), language)?.check_status(OK_LANGUAGE_SET).map(|_side| ())
        })?;
        language.clone_into(&mut self.language);
        let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        if let Some((spoken, voice)) = &self.wanted
            && primary(spoken) == primary(language)
        {
            self.tts.set_voice(voice).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Speaks until something breaks, and returns the cause.
    fn serve(&mut self, messages: &Receiver<Message>) -> String {
        loop {
            match messages.recv_timeout(IDLE) {
                Ok(Message::Order(Order::Say { id, text, language })) => {
                    if let Err(why) = self.say(id, &text, &language) {
                        return why;
                    }
                }
                Ok(Message::Order(Order::Stop)) => {
                    self.current = None;
                    if let Err(error) = self.tts.stop() {
                        return format!("speech-dispatcher: {error}");
                    }
                }
                Ok(Message::Began(said)) => self.tell(&said, Said::Began, false),
                Ok(Message::Ended(said)) => self.tell(&said, Said::Ended, true),
                Ok(Message::Stopped(said)) => {
                    let broken = |id| Said::Broken(id, "another program stopped the speech".to_owned());
                    self.tell(&said, broken, true);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(why) = modules(&mut self.side) {
                        return why;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return "nobody gives orders".to_owned(),
            }
        }
    }

    fn say(&mut self, id: u64, text: &str, language: &str) -> Result<(), String> {
        if text.is_empty() {
            send(&Note::Said(Said::Ended(id)));
            return Ok(());
        }
        if modules(&mut self.side)?.is_empty() {
            return Err(format!("speech-dispatcher has no synthesizer any more: {INSTALL}"));
        }
        self.turn_to(language)?;
        let speaking = self.tts.speak(text, false).map_err(|error| format!("speech-dispatcher: {error}"))?;
        self.current = Some((id, speaking.ok_or("speech-dispatcher takes no text")?));
        Ok(())
    }

    fn tell(&mut self, said: &tts::UtteranceId, what: impl Fn(u64) -> Said, over: bool) {
        let Some((id, _)) = self.current.as_ref().filter(|(_, current)| current == said) else { return };
        send(&Note::Said(what(*id)));
        if over {
            self.current = None;
        }
    }
}

/// Why the daemon cannot be reached.
enum Trouble {
    /// It is not running; the library may be able to start it.
    Away(String),
    /// It is running but does not answer.
    Frozen(String),
}

impl Trouble {
    fn why(self) -> String {
        match self {
            Self::Away(why) | Self::Frozen(why) => why,
        }
    }
}

fn unanswered(error: &ClientError) -> String {
    format!("speech-dispatcher does not answer: {error}")
}

/// The error without a daemon and without a way to start one. It names the missing part if that is known.
fn missing(side: &str, library: &str) -> DeviceFault {
    if in_own_path("speech-dispatcher").is_some() {
        DeviceFault::failed(format!("speech-dispatcher cannot be reached: {side}; {library}"))
    } else {
        DeviceFault::absent(format!("there is no speech-dispatcher: {INSTALL}"))
    }
}

/// True if this is an answer to no request: the daemon sends events of an ended program's sentences to the
/// connection that reuses its slot.
fn is_stray(error: &ClientError) -> bool {
    match error {
        ClientError::Io(error) => error.kind() == std::io::ErrorKind::InvalidInput,
        ClientError::Ssip(line) => EVENTS.contains(&line.code),
        ClientError::UnexpectedStatus(code) => EVENTS.contains(code),
        ClientError::NotReady | ClientError::TooFewLines | ClientError::TooManyLines => false,
    }
}

/// Sends a request to the daemon. After a stray answer it retries on a new connection.
fn asked<T>(side: &mut Side, ask: impl Fn(&mut Side) -> ClientResult<T>) -> Result<T, String> {
    asked_by(side, connect, ask)
}

fn asked_by<T>(
    side: &mut Side,
    connect: impl Fn() -> Result<Side, Trouble>,
    ask: impl Fn(&mut Side) -> ClientResult<T>,
) -> Result<T, String> {
    let mut answer = ask(side);
    if answer.as_ref().is_err_and(is_stray) {
        *side = connect().map_err(Trouble::why)?;
        answer = ask(side);
    }
    answer.map_err(|error| unanswered(&error))
}

/// A connection to the daemon.
fn connect() -> Result<Side, Trouble> {
    let failed = |error: &ClientError| Trouble::Frozen(unanswered(error));
    match greeted(connection()?) {
        Err(error) if is_stray(&error) => greeted(connection()?).map_err(|error| failed(&error)),
        side => side.map_err(|error| failed(&error)),
    }
}

fn greeted(mut side: Side) -> ClientResult<Side> {
    side.set_client_name(ClientName::new("guarda", "steering"))?.check_client_name_set()?;
    Ok(side)
}

/// The daemon's socket, as its own library finds it.
fn connection() -> Result<Side, Trouble> {
    let away = |why: String| Trouble::Away(why);
    let mut builder = Builder::new();
    builder.timeout(ANSWER);
    if let Some(address) = std::env::var_os("SPEECHD_ADDRESS") {
        let address = address.to_string_lossy();
        match address.strip_prefix("unix_socket:").or_else(|| address.strip_prefix("unix:")) {
            Some(path) => builder.path(path),
            None => return Err(away(format!("the address {address:?} is no Unix socket"))),
        };
    }
    builder.build().map_err(|error| away(format!("no socket of the daemon: {error}")))
}

/// The daemon's synthesizers, without the dummy module.
fn modules(side: &mut Side) -> Result<Vec<String>, String> {
    let modules: Vec<String> =
        asked(side, |side| side.list_output_modules()?.receive_lines(OK_OUTPUT_MODULES_LIST_SENT))?;
    let used = asked(side, |side| side.get_output_module()?.receive_string(OK_GET))?;
    if used == "dummy" {
        return Ok(Vec::new());
    }
    Ok(modules.into_iter().filter(|module| module != "dummy").collect())
}

/// The library's voice, and its connection's number. The daemon numbers connections in sequence: the voice's
/// number lies between those of two connections made before and after.
fn steered() -> Result<(tts::Tts, u32), String> {
    let number = |side: &mut Side| asked(side, |side| side.history_get_client_id()?.receive_client_id());
    for _ in 0..8 {
        let mut before = connect().map_err(Trouble::why)?;
        let tts = tts::Tts::default().map_err(|error| format!("speech-dispatcher: {error}"))?;
        let mut after = connect().map_err(Trouble::why)?;
        let (first, last) = (number(&mut before)?, number(&mut after)?);
        if last == first + 2 {
            return Ok((tts, first + 1));
        }
        // Another program connected in between.
    }
    Err("too many programs come and go at speech-dispatcher".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A double, because the real daemon's stray answers cannot be provoked.
    #[test]
    fn what_answers_nothing_is_not_taken_for_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let daemon = UnixListener::bind(&path).unwrap();
        let stray = "703-1\r\n703-7\r\n703 CANCELED\r\n";
        let answers =
            [stray, "251-espeak-ng\r\n251 OK GET RETURNED\r\n", stray, "208 OK CLIENT NAME SET\r\n"];
        let talk = std::thread::spawn(move || {
            for answer in answers {
                let (stream, _) = daemon.accept().unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                (&stream).write_all(answer.as_bytes()).unwrap();
            }
        });
        let connect = || Builder::new().path(&path).build().map_err(|error| Trouble::Away(error.to_string()));
        let Ok(mut side) = connect() else { panic!("no connection") };
        let said = asked_by(&mut side, connect, |side| side.get_output_module()?.receive_string(OK_GET));
        assert_eq!(said.as_deref(), Ok("espeak-ng"));
        let Ok(mut side) = connect() else { panic!("no connection") };
        let said = asked_by(&mut side, connect, |side| {
            side.set_client_name(ClientName::new("guarda", "test"))?.check_client_name_set().map(|_side| ())
        });
        assert_eq!(said, Ok(()));
        talk.join().unwrap();
    }
}
