//! The volume of the default output, through PulseAudio or PipeWire's compatible server. Linked into
//! `guarda-desktop` alone; the guard uses [`crate::devices::sound::output`].
//!
//! Every function that queries the server waits, at most two seconds.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use libpulse_binding::callbacks::ListResult;
use libpulse_binding::context::{Context, FlagSet, State};
use libpulse_binding::mainloop::standard::Mainloop;
use libpulse_binding::operation::{Operation, State as Progress};
use libpulse_binding::sample::{Format, Spec};
use libpulse_binding::stream::{FlagSet as StreamFlags, SeekMode, State as StreamState, Stream};
use libpulse_binding::time::MicroSeconds;
use libpulse_binding::volume::{ChannelVolumes, Volume};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::sound::sink::{OutputChange, Sink, server};
use guarda_core::output::FailureKind;

/// The total time limit for the sound server.
const DEADLINE: Duration = Duration::from_secs(2);

/// The default output now: its volume, and whether it would be audible.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is no sound server or no output.
pub fn sink(session: &DesktopSession) -> Result<Sink, DeviceFault> {
    Server::connect(session)?.sink().map(|found| found.sink)
}

/// Changes the default output. Returns its new state, read back from the server.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is no sound server or no output; [`DeviceFault::Failed`] if it refuses.
pub fn change(session: &DesktopSession, changes: &[OutputChange]) -> Result<Sink, DeviceFault> {
    let mut server = Server::connect(session)?;
    let found = server.sink()?;
    for change in changes {
        server.apply(&found, *change)?;
    }
    server.sink().map(|found| found.sink)
}

/// Plays mono samples at [`crate::devices::sound::tone::RATE`] on the default output, and waits for their end.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is no sound server or no output; [`DeviceFault::Failed`] if it refuses.
pub fn play(session: &DesktopSession, samples: &[i16]) -> Result<(), DeviceFault> {
    let mut server = Server::connect(session)?;
    let spec = Spec { format: Format::S16le, channels: 1, rate: crate::devices::sound::tone::RATE };
    let refused =
        |error: libpulse_binding::error::PAErr| DeviceFault::failed(format!("sound server: {error}"));
    // Must be dropped before the server.
    let mut stream = Stream::new(&mut server.context, "guarda-costas", &spec, None)
        .ok_or_else(|| DeviceFault::failed("the sound server takes no sound"))?;
    stream.connect_playback(None, None, StreamFlags::NOFLAGS, None, None).map_err(refused)?;
    loop {
        match stream.get_state() {
            StreamState::Ready => break,
            StreamState::Failed | StreamState::Terminated => {
                return Err(DeviceFault::failed("the sound server takes no sound"));
            }
            StreamState::Unconnected | StreamState::Creating => server.turn()?,
        }
    }
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    stream.write(&bytes, None, 0, SeekMode::Relative).map_err(refused)?;
    let operation = stream.drain(None);
    server.wait(&operation)?;
    drop(operation);
    let _ = stream.disconnect();
    Ok(())
}

struct Found {
    sink: Sink,
    index: u32,
    channels: ChannelVolumes,
}

/// The context must precede its loop: dropped in the other order, the library reads freed memory.
struct Server {
    context: Context,
    mainloop: Mainloop,
    until: Instant,
}

impl Server {
    fn connect(session: &DesktopSession) -> Result<Self, DeviceFault> {
        let absent =
            |why: &str| DeviceFault::missing(FailureKind::NoSound, format!("no sound server: {why}"));
        let mainloop = Mainloop::new().ok_or_else(|| absent("its library does not start"))?;
        let mut context =
            Context::new(&mainloop, "guarda-costas").ok_or_else(|| absent("its library does not start"))?;
        let server = server(session)?;
        context
            .connect(Some(&server), FlagSet::NOAUTOSPAWN, None)
            .map_err(|_| absent("PulseAudio or PipeWire does not answer; start one of them"))?;
        let mut server = Self { context, mainloop, until: Instant::now() + DEADLINE };
        loop {
            match server.context.get_state() {
                State::Ready => return Ok(server),
                State::Failed | State::Terminated => {
                    return Err(absent("PulseAudio or PipeWire does not answer; start one of them"));
                }
                State::Unconnected | State::Connecting | State::Authorizing | State::SettingName => {
                    server.turn()?;
                }
            }
        }
    }

    /// Runs the library until an event or the deadline.
    fn turn(&mut self) -> Result<(), DeviceFault> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(DeviceFault::missing(FailureKind::NoSound, "the sound server does not answer"));
        }
        let wait = MicroSeconds(left.as_micros().try_into().unwrap_or(u64::MAX));
        let broken =
            |error: libpulse_binding::error::PAErr| DeviceFault::failed(format!("sound server: {error}"));
        self.mainloop.prepare(Some(wait)).map_err(broken)?;
        self.mainloop.poll().map_err(broken)?;
        self.mainloop.dispatch().map_err(broken)?;
        Ok(())
    }

    fn wait<F: ?Sized>(&mut self, operation: &Operation<F>) -> Result<(), DeviceFault> {
        while operation.get_state() == Progress::Running {
            if self.context.get_state() != State::Ready {
                return Err(DeviceFault::missing(FailureKind::NoSound, "the sound server went away"));
            }
            self.turn()?;
        }
        Ok(())
    }

    fn sink(&mut self) -> Result<Found, DeviceFault> {
        let found = Rc::new(RefCell::new(None));
        let put = Rc::clone(&found);
        let operation = self.context.introspect().get_sink_info_by_name("@DEFAULT_SINK@", move |result| {
            if let ListResult::Item(info) = result {
                let text =
                    |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().unwrap_or_default().to_owned();
                let sink = Sink {
                    name: text(&info.name),
                    description: text(&info.description),
                    percent: percent(info.volume.max()),
                    muted: info.mute,
                };
                *put.borrow_mut() = Some(Found { sink, index: info.index, channels: info.volume });
            }
        });
        self.wait(&operation)?;
        drop(operation);
        let found = found.borrow_mut().take();
        found.ok_or_else(|| DeviceFault::missing(FailureKind::NoSound, "the sound server has no output"))
    }

    fn apply(&mut self, found: &Found, change: OutputChange) -> Result<(), DeviceFault> {
        let done = Rc::new(RefCell::new(false));
        let put = Rc::clone(&done);
        let callback: Box<dyn FnMut(bool)> = Box::new(move |success| *put.borrow_mut() = success);
        let mut introspector = self.context.introspect();
        let operation = match change {
            OutputChange::Percent(percent) => {
                let mut channels = found.channels;
                channels
                    .scale(volume(percent))
                    .ok_or_else(|| DeviceFault::failed("the output has no channels"))?;
                introspector.set_sink_volume_by_index(found.index, &channels, Some(callback))
            }
            OutputChange::Muted(muted) => {
                introspector.set_sink_mute_by_index(found.index, muted, Some(callback))
            }
        };
        self.wait(&operation)?;
        drop(operation);
        let done = *done.borrow();
        done.then_some(()).ok_or_else(|| DeviceFault::failed("the sound server refuses the change"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.context.disconnect();
    }
}

fn percent(volume: Volume) -> u32 {
    let normal = u64::from(Volume::NORMAL.0);
    u32::try_from((u64::from(volume.0) * 100 + normal / 2) / normal).unwrap_or(u32::MAX)
}

fn volume(percent: u32) -> Volume {
    let raw = u64::from(percent.min(100)) * u64::from(Volume::NORMAL.0) / 100;
    Volume(u32::try_from(raw).unwrap_or(Volume::NORMAL.0))
}
