//! RUN_COMMAND: a plan is run without a shell; what needs a shell is run by one only after a person's yes.

use std::path::PathBuf;
use std::time::Duration;

use crate::action::script::{Script, Unsure};
use crate::devices::capture::Capture;
use crate::devices::files;
use crate::devices::process::{Group, Start, Status, Streams};
use crate::output::{Ended, RawOutput};

use super::deeds::Deed;
use super::plan::{self, Last, Running, Stopped};

/// How long a command has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long the end of a stream is waited for after all programs have ended.
const PATIENCE: Duration = Duration::from_millis(500);
const SHELL: &str = "/bin/bash";
const SUDO: &str = "/usr/bin/sudo";

pub(super) async fn run(
    deed: &Deed<'_>,
    text: &str,
    script: &Result<Script, Unsure>,
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    let planned = script.as_ref().ok().and_then(|script| Some((script, script.plan()?)));
    let job = match planned {
        Some((script, plan)) if names_sudo(script) => match sudo(deed, script, plan) {
            Ok(start) => Job::Program(start),
            Err(why) => return deed.quiet(Ended::Unavailable(why)),
        },
        Some((script, plan)) if plan::runnable(script, plan) => Job::Plan(script, plan),
        _ if deed.by_person => Job::Program(shell(deed, text)),
        _ => {
            let why = "it needs a shell, which is run only after a person's yes";
            return deed.quiet(Ended::Unavailable(why.to_owned()));
        }
    };
    match perform(deed, job, cancel).await {
        Ok(output) => output,
        Err(error) => deed.quiet(Ended::Failed(error.to_string())),
    }
}

enum Job<'a> {
    Plan(&'a Script, &'a crate::action::script::Plan),
    Program(Start),
}

enum End {
    Done(Result<Last, Stopped>),
    TimedOut,
    Cancelled,
}

async fn perform(
    deed: &Deed<'_>,
    job: Job<'_>,
    cancel: impl Future<Output = ()> + Send,
) -> std::io::Result<RawOutput> {
    let limit = deed.config.output_limit;
    let (stdout, output) = std::io::pipe()?;
    let (stderr, error) = std::io::pipe()?;
    let (stdout, stderr) = (Capture::begin(stdout, limit)?, Capture::begin(stderr, limit)?);
    let time = tokio::time::sleep(deed.config.command_timeout);
    let end = match job {
        Job::Plan(script, plan) => {
            let folder = PathBuf::from(&deed.situation.cwd);
            let mut running = Running {
                deed,
                script,
                group: Group::default(),
                output: output.into(),
                error: error.into(),
                folder,
            };
            let end = tokio::select! {
                last = running.all(plan) => End::Done(last),
                () = time => End::TimedOut,
                () = cancel => End::Cancelled,
            };
            finish(&mut running.group, &end).await;
            end
        }
        Job::Program(start) => {
            let mut group = Group::default();
            let streams = Streams { input: files::nothing()?, output: output.into(), error: error.into() };
            let number = group.start(start, streams)?;
            let end = tokio::select! {
                status = group.status(number) => End::Done(Ok(Last::Ran(status?))),
                () = time => End::TimedOut,
                () = cancel => End::Cancelled,
            };
            finish(&mut group, &end).await;
            end
        }
    };
    let (stdout, stderr) = tokio::join!(stdout.end(PATIENCE), stderr.end(PATIENCE));
    let (ended, exit_code) = outcome(end);
    Ok(RawOutput {
        stdout_total: stdout.total(),
        stderr_total: stderr.total(),
        stdout: stdout.into_bytes(),
        stderr: stderr.into_bytes(),
        exit_code,
        ended,
        duration: deed.begun.elapsed(),
    })
}

async fn finish(group: &mut Group, end: &End) {
    if !matches!(end, End::Done(Ok(_))) {
        group.end(GRACE).await;
    }
}

fn outcome(end: End) -> (Ended, Option<i32>) {
    match end {
        End::TimedOut => (Ended::TimedOut, None),
        End::Cancelled => (Ended::Cancelled, None),
        End::Done(Err(Stopped::Changed(what))) => (Ended::Changed(what), None),
        End::Done(Err(Stopped::Broken(why))) => (Ended::Failed(why), None),
        End::Done(Ok(Last::Missing(name))) => (Ended::NotFound(name), Some(plan::NOT_FOUND)),
        End::Done(Ok(Last::Ran(Status::Exited(code)))) => (Ended::Finished, Some(code)),
        End::Done(Ok(Last::Ran(Status::Signalled(signal)))) => (Ended::Signalled(signal), None),
    }
}

/// The shell for what needs one: no start-up files, no options out of the text, the text as it was judged.
fn shell(deed: &Deed<'_>, text: &str) -> Start {
    Start {
        file: SHELL.into(),
        name: "bash".into(),
        arguments: ["--noprofile", "--norc", "-c", "--", text].map(Into::into).into(),
        environment: deed.environment(),
        folder: PathBuf::from(&deed.situation.cwd),
    }
}

fn names_sudo(script: &Script) -> bool {
    script.runs().iter().any(|run| run.program().is_some_and(|name| matches!(name, "sudo" | SUDO)))
}

/// One literal command under sudo, which asks for the password itself; the guard never sees it (seed 002, section 6).
fn sudo(deed: &Deed<'_>, script: &Script, plan: &crate::action::script::Plan) -> Result<Start, String> {
    if !deed.situation.advanced_mode {
        return Err("sudo is run only in advanced mode; set advanced_mode = true in config.toml".to_owned());
    }
    let askpass = deed.config.askpass.as_ref().ok_or("nothing is there to ask for the password")?;
    if !deed.by_person {
        return Err("sudo is run only after a person's yes".to_owned());
    }
    let ([step], [run, ..]) = (plan.steps.as_slice(), script.runs()) else {
        return Err("sudo is run only as a single command".to_owned());
    };
    let words: Option<Vec<&str>> = run.words.iter().map(crate::action::script::Word::literal).collect();
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
    // Only sudo and the asking program see these; sudo gives the command an environment of its own.
    environment.extend(deed.config.session.for_applications().into_iter().filter(|(name, _)| {
        matches!(name.as_str(), "DISPLAY" | "WAYLAND_DISPLAY" | "XAUTHORITY" | "XDG_RUNTIME_DIR")
    }));
    environment.push(("SUDO_ASKPASS".to_owned(), askpass.to_string_lossy().into_owned()));
    environment.push(("GUARDA_ASKPASS".to_owned(), "1".to_owned()));
    // -k: a password given earlier does not count; -A: ask through SUDO_ASKPASS; --: what follows is no option.
    let arguments = ["-k", "-A", "--"].into_iter().chain(rest.iter().copied()).map(Into::into).collect();
    Ok(Start {
        file: SUDO.into(),
        name: "sudo".into(),
        arguments,
        environment,
        folder: PathBuf::from(&deed.situation.cwd),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, Claims, Proposal};
    use crate::devices::session::Session;
    use crate::hands::HandsConfig;
    use crate::hands::deeds::{Deed, perform};

    fn config(home: &std::path::Path) -> HandsConfig {
        let session =
            [("HOME", home.to_str().unwrap()), ("AWS_SECRET_ACCESS_KEY", "k"), ("LANG", "pt_BR.UTF-8")];
        let session = Session::new(session.map(|(name, value)| (name.to_owned(), value.to_owned())));
        HandsConfig { command_timeout: Duration::from_secs(20), ..HandsConfig::of_session(session) }
    }

    async fn act(config: &HandsConfig, action: Action, by_person: bool) -> RawOutput {
        let proposal = Proposal { action, claims: Claims::default() };
        let situation = crate::hands::look::look(config, &proposal, false, true).unwrap();
        let deed = Deed { config, situation: &situation, by_person, begun: std::time::Instant::now() };
        perform(&deed, &proposal.action, std::future::pending()).await
    }

    fn argv(words: &[&str]) -> Action {
        Action::RunCommand { text: words.join(" "), script: Ok(Script::of_argv(words, &[])) }
    }

    fn needs_shell(text: &str) -> Action {
        let unsure =
            Unsure { reason: "it is not read".to_owned(), span: crate::action::script::Span::default() };
        Action::RunCommand { text: text.to_owned(), script: Err(unsure) }
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[tokio::test]
    async fn words_reach_the_program_as_they_are() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, argv(&["printf", "%s|", "a b", "$(id)", "*", "", "ç"]), false).await;
        assert_eq!(text(&output.stdout), "a b|$(id)|*||ç|");
        assert_eq!((output.ended, output.exit_code), (Ended::Finished, Some(0)));
    }

    #[tokio::test]
    async fn the_true_end_is_told() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, argv(&["ls", "/there/is/no/such/path"]), false).await;
        assert_eq!((output.ended, output.exit_code), (Ended::Finished, Some(2)));
        assert!(text(&output.stderr).contains("/there/is/no/such/path"));
        let output = act(&config, argv(&["no-such-program-here"]), false).await;
        assert_eq!(output.ended, Ended::NotFound("no-such-program-here".to_owned()));
        assert_eq!(output.exit_code, Some(127));
        let output = act(&config, argv(&["/etc/hostname"]), false).await;
        assert_eq!(output.exit_code, Some(126));
        let output = act(&config, needs_shell("kill -9 $$"), true).await;
        assert_eq!((output.ended, output.exit_code), (Ended::Signalled(9), None));
    }

    #[tokio::test]
    async fn the_environment_is_made_anew() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, argv(&["env"]), false).await;
        let mut names: Vec<String> = text(&output.stdout)
            .lines()
            .filter_map(|line| line.split('=').next().map(str::to_owned))
            .collect();
        names.sort();
        assert_eq!(names, ["HOME", "LANG", "LOGNAME", "PATH", "TERM", "USER"]);
    }

    #[tokio::test]
    async fn a_shell_runs_only_after_a_persons_yes() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, needs_shell("for i in 1 2; do echo $i; done"), false).await;
        assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
        let output = act(&config, needs_shell("for i in 1 2; do echo $i; done"), true).await;
        assert_eq!(text(&output.stdout), "1\n2\n");
        let output = act(&config, needs_shell("--version"), true).await;
        assert!(!text(&output.stdout).contains("Free Software"), "the text is no option of the shell's");
    }

    /// Processes whose environment or arguments carry the mark.
    fn left(mark: &str) -> Vec<String> {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let line = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
        let lines = processes.filter_map(line).map(|bytes| text(&bytes));
        lines.filter(|line| line.contains(mark) && line.starts_with("sleep")).collect()
    }

    async fn none_left(mark: &str) -> bool {
        for _ in 0..100 {
            if left(mark).is_empty() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    #[tokio::test]
    async fn a_time_out_leaves_no_process() {
        let home = tempfile::tempdir().unwrap();
        let config = HandsConfig { command_timeout: Duration::from_millis(500), ..config(home.path()) };
        let deed = "(trap '' TERM; sleep 4711.1 & sleep 4711.2 | sleep 4711.3) & echo begun; sleep 4711.4";
        let output = act(&config, needs_shell(deed), true).await;
        assert_eq!(output.ended, Ended::TimedOut);
        assert_eq!(text(&output.stdout), "begun\n");
        assert!(none_left("4711.").await, "{:?}", left("4711."));
    }

    #[tokio::test]
    async fn what_is_left_in_the_background_ends_with_the_command() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, needs_shell("sleep 4712.1 & echo done"), true).await;
        assert_eq!((output.ended, text(&output.stdout).as_str()), (Ended::Finished, "done\n"));
        assert!(none_left("4712.").await, "{:?}", left("4712."));
    }

    #[tokio::test]
    async fn calling_off_ends_it() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let action = argv(&["sleep", "4713.1"]);
        let proposal = Proposal { action, claims: Claims::default() };
        let situation = crate::hands::look::look(&config, &proposal, false, true).unwrap();
        let deed = Deed {
            config: &config,
            situation: &situation,
            by_person: false,
            begun: std::time::Instant::now(),
        };
        let output = perform(&deed, &proposal.action, tokio::time::sleep(Duration::from_millis(200))).await;
        assert_eq!(output.ended, Ended::Cancelled);
        assert!(none_left("4713.").await);
        // A caller that goes away drops the future.
        let gone = tokio::time::timeout(
            Duration::from_millis(200),
            perform(&deed, &proposal.action, std::future::pending()),
        );
        assert!(gone.await.is_err());
        assert!(none_left("4713.").await);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_flood_of_output_is_counted_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let output = act(&config, argv(&["head", "-c", "104857600", "/dev/zero"]), false).await;
        assert_eq!(output.ended, Ended::Finished);
        assert_eq!(output.stdout_total, 104_857_600);
        assert!(output.stdout.len() <= config.output_limit);
        assert!(output.stdout_total > output.stdout.len() as u64);
    }

    #[tokio::test]
    async fn sudo_is_not_run_unless_everything_about_it_is_right() {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path());
        let advanced =
            HandsConfig { advanced_mode: true, askpass: Some("/bin/false".into()), ..config.clone() };
        for (config, words, by_person) in [
            (&config, &["sudo", "id"][..], true),
            (&advanced, &["sudo", "id"], false),
            (&advanced, &["sudo", "-u", "nobody", "id"], true),
            (&advanced, &["sudo", "A=b", "id"], true),
            (&advanced, &["sudo"], true),
            (&advanced, &["env", "sudo", "id"], true),
        ] {
            let output = act(config, argv(words), by_person).await;
            assert!(
                !matches!(output.ended, Ended::Finished) || output.exit_code != Some(0) || words[0] == "env",
                "{words:?} {:?}",
                output.ended
            );
        }
    }
}
