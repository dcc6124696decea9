//! RUN_COMMAND: a plan runs without a shell. A line that needs a shell gets one in a cell that can do no harm, or after
//! a person's yes.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::devices::filesystem::files;
use guarda_core::action::Way;
use guarda_core::action::custody::SandboxLevel;
use guarda_core::effects::Tried;
use guarda_core::gate::HostRefusal;
use guarda_core::output::traffic::HostTraffic;
use guarda_core::output::{Ended, Network, Protection, RawOutput};
use guarda_core::policy::{Program, Situation};
use guarda_sandbox::capture::{Capture, CapturedOutput, Stream};
use guarda_sandbox::process::{Group, Start, Status, Streams};
use guarda_shell::script::{Script, Unsure};

use crate::hands::commands::cells::{Cells, NoStart};
use crate::hands::commands::sandbox_plan::SandboxNeed;
use crate::hands::commands::{plan, plan::Last, plan::RunningPlan, plan::Stopped};
use crate::hands::deeds::Deed;

/// How long a command has to end by itself after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How long a line that may go on has to end by itself, before it counts as running.
const SETTLING: Duration = Duration::from_millis(100);
/// How long to wait for the end of a stream after all programs have ended.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time limit of a command that runs in place of a client's shell.
const WITH_CLIENT: Duration = Duration::from_secs(24 * 3600);
/// The time limit of a staged line that replaces a client's shell, which has its own time-out.
const STAGED_WITH_CLIENT: Duration = Duration::from_secs(600);
/// How long a line that is to go on running is tried before a person is asked about it.
const TRIAL: Duration = Duration::from_secs(15);
const SHELL: &str = "/bin/bash";
const SUDO: &str = "/usr/bin/sudo";

pub(in crate::hands) async fn run(
    deed: &Deed<'_>,
    text: &str,
    script: &Result<Script, Unsure>,
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    let planned = script.as_ref().ok().and_then(|script| Some((script, script.plan()?)));
    let job = match planned {
        Some((script, plan)) if names_sudo(script) => match sudo(deed, script, plan) {
            Ok(start) => Job::Sudo(start),
            Err(why) => return deed.quiet(Ended::Unavailable(why.into())),
        },
        // A client's own shell would have parsed the line in its own environment; this one does the same in a cell or after a
        // person's yes, except where a shell would only start the program. What the judge lets run without either has
        // literal words.
        Some((script, plan))
            if (deed.shell.is_none()
                || !deed.by_person && !deed.in_cell()
                || deed.in_cell() && needs_no_shell(script, deed.situation))
                && (deed.way != Way::Stage && !deed.is_held_back() || single(script))
                && plan::runnable(script, plan, deed.in_cell()) =>
        {
            Job::Plan(script, plan)
        }
        _ if deed.by_person || deed.in_cell() => {
            let need = SandboxNeed::of_shell(deed.terms(), script.as_ref().ok());
            Job::Program(shell(deed, text, script.as_ref().is_ok_and(Script::is_complete)), need)
        }
        _ => {
            let why = "it needs a shell, which outside of a cell is run only after a person's yes";
            return deed.quiet(Ended::Unavailable(why.into()));
        }
    };
    match perform(deed, job, script.as_ref().ok(), cancel).await {
        Ok(output) => output,
        Err(error) => deed.quiet(Ended::Failed(error.to_string().into())),
    }
}

/// Whether a line is one plain program. Otherwise a staged line needs a shell in its cell, because `cd` into a folder
/// that it has created, or `A=b`, must happen there.
fn single(script: &Script) -> bool {
    matches!(script.runs(), [run] if !run.builtin && run.assigns.is_empty())
}

/// Whether a line is one program of the system with literal words: a shell reads nothing else into it, and what it would
/// say of a missing program or a script without an interpreter is not needed.
fn needs_no_shell(script: &Script, situation: &Situation) -> bool {
    let [run] = script.runs() else { return false };
    let of_system = |name| matches!(situation.programs.get(name), Some(Program::System(_)));
    !run.builtin
        && run.assigns.is_empty()
        && run.redirects.is_empty()
        && run.words.iter().all(|word| word.literal().is_some() && !word.glob())
        && run.program().is_some_and(of_system)
}

enum Job<'a> {
    Plan(&'a Script, &'a guarda_shell::script::Plan),
    Program(Start, SandboxNeed),
    Sudo(Start),
}

enum End {
    Done(Result<Last, Stopped>),
    TimedOut,
    Cancelled,
}

async fn perform(
    deed: &Deed<'_>,
    job: Job<'_>,
    script: Option<&Script>,
    cancel: impl Future<Output = ()> + Send,
) -> std::io::Result<RawOutput> {
    let limit = deed.config.output_limit;
    let (stdout, output) = std::io::pipe()?;
    let (stderr, error) = std::io::pipe()?;
    let last_words = error.try_clone()?;
    let tap = |stream| deed.run.tap.map(|tap| (stream, tap.clone()));
    let stdout = Capture::begin(stdout, limit, Arc::clone(&deed.volume.stdout), tap(Stream::Out))?;
    let stderr = Capture::begin(stderr, limit, Arc::clone(&deed.volume.stderr), tap(Stream::Err))?;
    let time = tokio::time::sleep(time_limit(deed));
    let mut cells = Cells::new(deed).await?;
    let stopped = cells.stopped();
    let cancel = async {
        tokio::select! { () = cancel => {}, () = stopped => {} }
    };
    let mut outside = None;
    let end = match job {
        Job::Plan(script, plan) => {
            let folder = PathBuf::from(&deed.situation.cwd);
            let mut running = RunningPlan {
                deed,
                script,
                cells: &mut cells,
                output: output.into(),
                error: error.into(),
                folder,
                later: false,
            };
            tokio::select! {
                last = running.all(plan) => End::Done(last),
                () = time => End::TimedOut,
                () = cancel => End::Cancelled,
            }
        }
        Job::Program(start, need) => {
            let streams = Streams { input: files::nothing()?, output: output.into(), error: error.into() };
            tokio::select! {
                last = one(&mut cells, &need, start, streams) => End::Done(last),
                () = time => End::TimedOut,
                () = cancel => End::Cancelled,
            }
        }
        Job::Sudo(start) => {
            let streams = Streams { input: files::nothing()?, output: output.into(), error: error.into() };
            let end = run_sudo(start, streams, time, cancel).await?;
            outside = Some(Protection::new(SandboxLevel::None, Network::All));
            end
        }
    };
    let ended = matches!(end, End::Done(Ok(_)));
    let leaves = ended && script.is_some_and(Script::leaves_running);
    let LineEnd { stdout, stderr, hosts, protection } =
        close(&mut cells, deed, (ended, leaves), last_words, (stdout, stderr)).await;
    let (ended, exit_code) = outcome(end);
    let mut raw = RawOutput {
        stdout_total: stdout.total(),
        stderr_total: stderr.total(),
        stdout: stdout.into_bytes(),
        stderr: stderr.into_bytes(),
        exit_code,
        ended,
        duration: deed.run.begun.elapsed(),
        hosts,
        sandbox: outside,
        now: None,
    };
    let met = cells.met(&raw);
    deed.run.tally.add_tried(Tried { hidden: met.clone(), ..Tried::default() });
    raw.sandbox = cells.protection_after(met).or(protection).or(raw.sandbox);
    Ok(raw)
}

/// Whether the line is to go on running, and is only tried.
fn is_tried(deed: &Deed<'_>) -> bool {
    deed.is_held_back() && deed.situation.goes_on
}

/// How long the line may take. A client has its own time-out and ends the command itself.
fn time_limit(deed: &Deed<'_>) -> Duration {
    match (deed.shell, deed.way) {
        _ if is_tried(deed) => TRIAL,
        (None, _) => deed.config.command_timeout,
        (Some(_), Way::Stage) => STAGED_WITH_CLIENT,
        (Some(_), _) => WITH_CLIENT,
    }
}

/// What is left of a line's sandboxes.
struct LineEnd {
    stdout: CapturedOutput,
    stderr: CapturedOutput,
    hosts: Vec<HostTraffic>,
    protection: Option<Protection>,
}

/// Ends the sandboxes of a line whose shell has `ended`, or lets what it `leaves` go on, and takes what was written.
async fn close(
    cells: &mut Cells<'_>,
    deed: &Deed<'_>,
    (ended, leaves): (bool, bool),
    last_words: std::io::PipeWriter,
    (stdout, stderr): (Capture, Capture),
) -> LineEnd {
    let tried = is_tried(deed);
    if leaves && tried {
        cells.linger(TRIAL).await;
    }
    let (traffic, protection) = (cells.traffic(), cells.protection());
    if ended && cells.keep_running(SETTLING).await {
        tell_hosts(last_words, &traffic);
        let (stdout, stderr) = tokio::join!(stdout.leave(PATIENCE), stderr.leave(PATIENCE));
        return LineEnd { stdout, stderr, hosts: traffic, protection };
    }
    // The approved command has ended; background processes that are left end too.
    cells.end(if ended || tried { Duration::ZERO } else { GRACE }).await;
    let hosts = cells.traffic();
    tell_hosts(last_words, &hosts);
    // All processes have ended, so the streams will end too; a slow client still gets all output.
    let patience = if deed.shell.is_some() { WITH_CLIENT } else { PATIENCE };
    let (stdout, stderr) = tokio::join!(stdout.end(patience), stderr.end(patience));
    LineEnd { stdout, stderr, hosts, protection }
}

/// Runs one program in its sandbox.
async fn one(
    cells: &mut Cells<'_>,
    need: &SandboxNeed,
    start: Start,
    streams: Streams,
) -> Result<Last, Stopped> {
    match cells.start(need, start, streams).await {
        Ok(number) => cells.status(number).await.map(Last::Ran).map_err(plan::broken),
        Err(NoStart::NoSandbox(error)) => Err(Stopped::Unkept(error.to_string())),
        Err(NoStart::Changed(what)) => Err(Stopped::Changed(what)),
        Err(NoStart::Refused(error)) => Err(plan::broken(error)),
    }
}

/// Runs sudo. It asks on the terminal of the guard's session and cannot gain privileges inside a sandbox.
async fn run_sudo(
    start: Start,
    streams: Streams,
    time: tokio::time::Sleep,
    cancel: impl Future<Output = ()> + Send,
) -> std::io::Result<End> {
    let mut group = Group::default();
    let number = group.start(start, streams)?;
    let end = tokio::select! {
        status = group.status(number) => End::Done(Ok(Last::Ran(status?))),
        () = time => End::TimedOut,
        () = cancel => End::Cancelled,
    };
    if !matches!(end, End::Done(Ok(_))) {
        group.end(GRACE).await;
    }
    Ok(end)
}

/// The most hosts that are told of after a run.
const MOST_TOLD: usize = 8;

/// Tells at the end of the run's errors which connections failed, and why: the programs saw a reset. A server that was
/// reached in the end is not told of: the program tried again, as it does while one starts.
fn tell_hosts(mut error: std::io::PipeWriter, traffic: &[HostTraffic]) {
    for line in traffic.iter().filter_map(failures).take(MOST_TOLD) {
        // Nobody may listen any more.
        let _ = writeln!(error, "guarda: {line}");
    }
}

/// A line about a host with which connections failed, without what was overcome; `None` if nothing remains.
fn failures(host: &HostTraffic) -> Option<String> {
    let remains = |why: &&HostRefusal| !why.is_outage() || !host.unreached.is_empty();
    let reasons: Vec<String> = host.refusals.iter().filter(remains).map(ToString::to_string).collect();
    let ports: Vec<String> = host.ports.iter().map(u16::to_string).collect();
    (!reasons.is_empty()).then(|| format!("{}:{}: {}", host.host, ports.join(","), reasons.join("; ")))
}

fn outcome(end: End) -> (Ended, Option<i32>) {
    match end {
        End::TimedOut => (Ended::TimedOut, None),
        End::Cancelled => (Ended::Cancelled, None),
        End::Done(Err(Stopped::Changed(what))) => (Ended::Changed(what), None),
        End::Done(Err(Stopped::Broken(why))) => (Ended::Failed(why.into()), None),
        End::Done(Err(Stopped::Unkept(why))) => (Ended::Unavailable(why.into()), None),
        End::Done(Ok(Last::Missing(name))) => (Ended::NotFound(name), Some(plan::NOT_FOUND)),
        End::Done(Ok(Last::Ran(Status::Exited(code)))) => (Ended::Finished, Some(code)),
        End::Done(Ok(Last::Ran(Status::Signalled(signal)))) => (Ended::Signalled(signal), None),
    }
}

/// The end of a followed line. Bash would execute a last command in its own place, and that command's folder would be taken
/// for the line's (`env -C`, `make -C`, `git`).
const END: &str = "\n\\exit \"$?\"";

/// The shell for lines that need one: no start-up files, no options taken from the text, and the judged text unchanged.
/// In place of a client's shell it is followed, if another line can stand below the text.
fn shell(deed: &Deed<'_>, text: &str, complete: bool) -> Start {
    let followed = complete && deed.shell.is_some();
    let text = if followed { Cow::Owned(format!("{text}{END}")) } else { Cow::Borrowed(text) };
    Start {
        file: SHELL.into(),
        name: "bash".into(),
        arguments: ["--noprofile", "--norc", "-c", "--", &text].map(Into::into).into(),
        environment: deed.environment(),
        folder: PathBuf::from(&deed.situation.cwd),
        followed,
    }
}

fn names_sudo(script: &Script) -> bool {
    script.runs().iter().any(|run| run.program().is_some_and(|name| matches!(name, "sudo" | SUDO)))
}

/// One literal command under sudo, which asks for the password itself. The guard never sees the password (feature M6).
fn sudo(deed: &Deed<'_>, script: &Script, plan: &guarda_shell::script::Plan) -> Result<Start, String> {
    if !deed.situation.advanced_mode {
        return Err("sudo is run only in advanced mode; set advanced_mode = true in config.toml".to_owned());
    }
    let route = deed.config.password.as_ref().map_err(ToString::to_string)?;
    if !deed.by_person {
        return Err("sudo is run only after a person's yes".to_owned());
    }
    let ([step], [run, ..]) = (plan.steps.as_slice(), script.runs()) else {
        return Err("sudo is run only as a single command".to_owned());
    };
    let words: Option<Vec<&str>> = run.words.iter().map(guarda_shell::script::Word::literal).collect();
    let (Some(words), [0]) = (words, step.runs.as_slice()) else {
        return Err("sudo is run only as a single command of plain words".to_owned());
    };
    let plain = run.redirects.is_empty() && run.assigns.is_empty() && !step.negated;
    let (Some((&("sudo" | SUDO), rest)), true) = (words.split_first(), plain) else {
        return Err("sudo is run only as a single command without redirections".to_owned());
    };
    if rest.first().is_none_or(|first| first.starts_with('-') || first.contains('=')) {
        return Err("sudo is run only as \"sudo PROGRAM …\", without options of its own".to_owned());
    }
    let mut environment = deed.environment();
    // Only sudo and the program that asks for the password see these; sudo gives the command a new environment.
    environment.extend(deed.config.session.for_applications().into_iter().filter(|(name, _)| {
        matches!(name.as_str(), "DISPLAY" | "WAYLAND_DISPLAY" | "XAUTHORITY" | "XDG_RUNTIME_DIR" | "TERM")
    }));
    let folder = PathBuf::from(&deed.situation.cwd);
    if route.pkexec {
        // The desktop's agent asks; pkexec's own agent would take the terminal. The folder is the judged one.
        let options = ["--disable-internal-agent", "--keep-cwd"];
        let arguments = options.into_iter().chain(rest.iter().copied()).map(Into::into).collect();
        let file = crate::devices::terminal::askpass::PKEXEC.into();
        return Ok(Start { file, name: "pkexec".into(), arguments, environment, folder, followed: false });
    }
    let askpass = deed.config.askpass.as_ref().ok_or("nothing is there to ask for the password")?;
    environment.extend(route.environment.iter().cloned());
    environment.push(("SUDO_ASKPASS".to_owned(), askpass.to_string_lossy().into_owned()));
    environment.push(("GUARDA_ASKPASS".to_owned(), "1".to_owned()));
    // -k: ignore a cached password; -A: ask through SUDO_ASKPASS; --: end of options.
    let arguments = ["-k", "-A", "--"].into_iter().chain(rest.iter().copied()).map(Into::into).collect();
    Ok(Start { file: SUDO.into(), name: "sudo".into(), arguments, environment, folder, followed: false })
}

#[cfg(test)]
mod tests {
    use guarda_core::network::Host;

    use super::*;

    #[test]
    fn a_server_that_was_reached_in_the_end_is_not_told_of() {
        let outage = HostRefusal::Unreachable { error: "refused".to_owned() };
        let no = HostRefusal::Denied;
        let rows = [
            (&[80][..], vec![outage.clone()], Some("localhost:80: it cannot be reached: refused")),
            (&[], vec![outage.clone()], None),
            (&[], vec![outage.clone(), no.clone()], Some("localhost:80: the configuration denies it")),
            (&[], vec![], None),
        ];
        for (unreached, refusals, told) in rows {
            let mut host = HostTraffic::new(Host::parse("localhost").unwrap(), 0);
            host.ports.insert(80);
            host.unreached.extend(unreached);
            host.refusals = refusals;
            assert_eq!(failures(&host).as_deref(), told, "{host:?}");
        }
    }
}
