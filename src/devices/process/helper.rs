//! Child processes for libraries that can block or end their host, or that take much memory for rare use. The program
//! is `guarda-desktop`, which alone links the libraries for the voice, the sound and the display.
//!
//! A child is started with one hidden sub-command and communicates in lines of JSON: its first input line is its
//! setup, then come orders; it sends notes. It ends when its standard input ends, so it never outlives the guard. If
//! it ends first, or exceeds a deadline, it is restarted after a growing pause.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::devices::DeviceState;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;

/// The first pause before a restart.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a child may take to report whether it works.
const GETTING_READY: Duration = Duration::from_secs(20);
/// After a child has worked for this long, its restart needs no longer pause.
const STEADY: Duration = Duration::from_secs(10);

/// How to start a child.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The path of `guarda-desktop`.
    pub program: PathBuf,
    /// The hidden sub-command.
    pub command: &'static str,
    /// The complete environment of the child.
    pub environment: Vec<(String, String)>,
    /// The setup of the child.
    pub setup: serde_json::Value,
}

/// A line from a child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note<T> {
    /// It works: a description of what it found.
    Ready(String),
    /// It does not work: what is missing or fails. Then it ends.
    Unable(DeviceFault),
    /// A note of its own.
    Said(T),
}

/// What the owner of a child receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelperEvent<T> {
    /// A note of the child.
    Said(T),
    /// The child has ended, and with it all its work: why.
    Lost(String),
}

/// A child that is kept running. Dropping it ends the child.
#[derive(Debug)]
pub struct Helper<Order, T> {
    orders: mpsc::UnboundedSender<Told<Order>>,
    state: watch::Receiver<DeviceState>,
    events: tokio::sync::Mutex<mpsc::UnboundedReceiver<HelperEvent<T>>>,
    next: AtomicU64,
}

#[derive(Debug)]
enum Told<Order> {
    Order(Order),
    Restart(String),
    Retry,
}

impl<Order, T> Helper<Order, T>
where
    Order: Serialize + Send + Sync + 'static,
    T: DeserializeOwned + Send + 'static,
{
    /// Starts the child and keeps it running. Needs a running tokio runtime.
    pub fn start(launch: Launch) -> Self {
        let (orders, receiver) = mpsc::unbounded_channel();
        let (events, notes) = mpsc::unbounded_channel();
        let (state, watcher) = watch::channel(DeviceState::Starting);
        tokio::spawn(keep(launch, receiver, events, state));
        Self { orders, state: watcher, events: tokio::sync::Mutex::new(notes), next: AtomicU64::new(1) }
    }

    /// The child's state.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<DeviceState> {
        self.state.clone()
    }

    /// The events of the child, for one user at a time.
    pub async fn events(&self) -> tokio::sync::MutexGuard<'_, mpsc::UnboundedReceiver<HelperEvent<T>>> {
        self.events.lock().await
    }

    /// A new number for an order, which its notes repeat.
    pub fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends an order. Orders to an ended child are lost; [`HelperEvent::Lost`] reports that.
    pub fn order(&self, order: Order) {
        let _ = self.orders.send(Told::Order(order));
    }

    /// Ends the child after a missed deadline, and starts another.
    pub fn restart(&self, why: &str) {
        let _ = self.orders.send(Told::Restart(why.to_owned()));
    }

    /// Retries now instead of after the pause.
    pub fn retry(&self) {
        let _ = self.orders.send(Told::Retry);
    }
}

/// Starts one child after the other until the owner is gone.
async fn keep<Order: Serialize + Sync, T: DeserializeOwned>(
    launch: Launch,
    mut orders: mpsc::UnboundedReceiver<Told<Order>>,
    events: mpsc::UnboundedSender<HelperEvent<T>>,
    state: watch::Sender<DeviceState>,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = Instant::now();
        let Some(end) = live(&launch, &mut orders, &events, &state).await else { return };
        let why = end.trouble().map_or("it ended", |why| &why.detail).to_owned();
        tracing::info!(child = launch.command, why, "ended");
        state.send_replace(end);
        let _ = events.send(HelperEvent::Lost(why));
        if begun.elapsed() > STEADY {
            pause = FIRST_PAUSE;
        }
        let until = Instant::now() + pause;
        pause = (pause * 2).min(LONGEST_PAUSE);
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                told = orders.recv() => match told {
                    None => return,
                    Some(Told::Retry) => break,
                    Some(Told::Order(_) | Told::Restart(_)) => {}
                },
            }
        }
    }
}

/// Runs one child; returns how it ended, or `None` if the owner is gone.
async fn live<Order: Serialize + Sync, T: DeserializeOwned>(
    launch: &Launch,
    orders: &mut mpsc::UnboundedReceiver<Told<Order>>,
    events: &mpsc::UnboundedSender<HelperEvent<T>>,
    state: &watch::Sender<DeviceState>,
) -> Option<DeviceState> {
    let failed = |why: String| Some(DeviceState::Failed { why: why.into() });
    #[expect(clippy::disallowed_methods, reason = "our own program, without a shell, with one fixed word")]
    let mut command = tokio::process::Command::new(&launch.program);
    command.arg(launch.command).env_clear().envs(launch.environment.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // Ctrl-C in the terminal is for the guard, which ends its children itself.
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot start {}: {error}", launch.program.display())),
    };
    let (Some(mut input), Some(output), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return failed("the child has no pipes".to_owned());
    };
    let complaints = tokio::spawn(complain(launch.command, stderr));
    let mut lines = BufReader::new(output).lines();
    let mut end = None;
    let late = tokio::time::sleep(GETTING_READY);
    tokio::pin!(late);
    let mut silent = true;
    if write(&mut input, &launch.setup).await.is_ok() {
        loop {
            tokio::select! {
                line = lines.next_line() => match line.ok().flatten() {
                    None => break,
                    Some(line) => match serde_json::from_str::<Note<T>>(&line) {
                        Ok(Note::Ready(detail)) => {
                            silent = false;
                            state.send_replace(DeviceState::Ready { detail });
                        }
                        Ok(Note::Unable(fault)) => end = Some(fault.into()),
                        Ok(Note::Said(said)) => drop(events.send(HelperEvent::Said(said))),
                        // Some libraries print to standard output.
                        Err(_) => tracing::debug!(child = launch.command, line, "not a note"),
                    },
                },
                told = orders.recv() => match told {
                    None => return None,
                    Some(Told::Order(order)) => if write(&mut input, &order).await.is_err() { break },
                    Some(Told::Restart(why)) => {
                        end = Some(DeviceState::Failed { why: why.into() });
                        break;
                    }
                    Some(Told::Retry) => {}
                },
                () = &mut late, if silent => {
                    end = Some(DeviceState::Failed { why: "it does not get ready".into() });
                    break;
                }
            }
        }
    }
    drop(input);
    let _ = child.start_kill();
    let status = child.wait().await;
    let last = complaints.await.ok().flatten();
    end.or_else(|| {
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        failed(last.map_or_else(|| status.clone(), |line| format!("{status}: {line}")))
    })
}

/// One line of JSON.
async fn write(input: &mut tokio::process::ChildStdin, value: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(std::io::Error::other)?;
    line.push(b'\n');
    input.write_all(&line).await
}

/// Logs the child's standard error; returns its last line.
async fn complain(command: &'static str, stderr: tokio::process::ChildStderr) -> Option<String> {
    let mut lines = BufReader::new(stderr).lines();
    let mut last = None;
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::debug!(child = command, line);
        last = Some(line);
    }
    last
}

/// Those of the session's variables that a child may have.
#[must_use]
pub fn environment(session: &DesktopSession, names: &[&str]) -> Vec<(String, String)> {
    names.iter().filter_map(|name| Some(((*name).to_owned(), session.get(name)?.to_owned()))).collect()
}

/// Reads the setup from the parent, and then the orders. `wrap` turns each into a message, so that a child can wait
/// for orders and its own events in one place. When the parent is gone, this process ends.
///
/// # Errors
/// If there is no setup, or it is invalid.
pub fn greet<Setup, Order, Message>(
    messages: std::sync::mpsc::Sender<Message>,
    wrap: fn(Order) -> Message,
) -> std::io::Result<Setup>
where
    Setup: DeserializeOwned,
    Order: DeserializeOwned + 'static,
    Message: Send + 'static,
{
    let mut first = String::new();
    std::io::stdin().read_line(&mut first)?;
    let setup = serde_json::from_str(&first).map_err(std::io::Error::other)?;
    std::thread::Builder::new().name("orders".to_owned()).spawn(move || {
        for line in std::io::stdin().lines() {
            let Ok(line) = line else { break };
            let Ok(order) = serde_json::from_str(&line) else { continue };
            if messages.send(wrap(order)).is_err() {
                break;
            }
        }
        // The guard is gone, or wants this child to end; blocked threads in this process do not matter.
        std::process::exit(0);
    })?;
    Ok(setup)
}

/// Sends a note to the parent; if nobody reads it, the process ends.
pub fn send<T: Serialize>(note: &Note<T>) {
    let mut out = std::io::stdout().lock();
    let sent =
        serde_json::to_writer(&mut out, note).is_ok() && out.write_all(b"\n").is_ok() && out.flush().is_ok();
    if !sent {
        std::process::exit(0);
    }
}

/// The program of the children, which lies in the folder of the running one.
#[must_use]
pub fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("guarda-desktop")
}
