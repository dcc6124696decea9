//! The terminal channel on a real pseudo-terminal. The prompter runs in its own process: this test program
//! again, with that terminal as its controlling one.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use guarda::devices::sound::speech::Mute;
use guarda::prompt::channels::Channel;
use guarda::prompt::channels::terminal::TerminalChannel;
use guarda::prompt::{Options, Prompter, PrompterConfig};
use guarda_core::action::{Language, Proposal, Request};
use guarda_core::gate::{Cause, Decider, Number, Passage};
use guarda_core::policy::{Policy, Profile, Situation};

use crate::common::{let_pass, until};

const INNER: &str = "GUARDA_TEST_TERMINAL";

/// The setup of the inner process.
#[derive(serde::Serialize, serde::Deserialize)]
struct Told {
    command: String,
    language: String,
    reasoning: Option<String>,
    milliseconds: u64,
    changeable: bool,
    /// How many files the run has deleted where nothing counts.
    deleted: usize,
    /// An editor, as `$EDITOR` names it, and where its files go.
    editor: Option<(String, String)>,
}

impl Default for Told {
    fn default() -> Self {
        let command = "rm a b c".to_owned();
        Self {
            command,
            language: "en".to_owned(),
            reasoning: None,
            milliseconds: 60_000,
            changeable: false,
            deleted: 0,
            editor: None,
        }
    }
}

/// The inner process: asks one question at its terminal and prints what became of it. As a test it does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn inner() {
    let Ok(told) = std::env::var(INNER) else { return };
    let told: Told = serde_json::from_str(&told).unwrap();
    let request = Request {
        action: Some("RUN_COMMAND".to_owned()),
        target: Some(told.command.into()),
        reasoning: told.reasoning,
        ..Request::default()
    };
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let proposal = Proposal::parse(request).unwrap();
    let judgement = guarda_core::judge::judge(&policy, proposal, &Situation::default());
    let Passage::Ask(pending) =
        guarda_core::gate::enter(judgement, guarda_core::gate::Runner::Caller, Number([7; 16]), false)
    else {
        panic!("it is not asked")
    };
    let config = PrompterConfig {
        language: told.language.parse::<Language>().unwrap(),
        confirmation_timeout: Duration::from_millis(told.milliseconds),
        arming_delay: Duration::from_millis(300),
        answer_over_http: false,
        digit_from_risk: 2.0,
        ..PrompterConfig::default()
    };
    let channels: Vec<Arc<dyn Channel>> =
        vec![Arc::new(TerminalChannel::find().with_editor(told.editor.and_then(|(editor, folder)| {
            let session =
                guarda::devices::desktop::session::DesktopSession::new([("EDITOR".to_owned(), editor)]);
            guarda::devices::terminal::editor::Editor::of_session(&session, std::path::Path::new(&folder))
        })))];
    let desk = Prompter::with(&config, Arc::new(Mute { why: "no voice".to_owned() }), channels);
    let deleted: Vec<String> = (0..told.deleted).map(|number| format!("deleted file-{number}")).collect();
    let effects = guarda_core::policy::effect_rules::example(&deleted.join("; ")).unwrap();
    let effects = (told.deleted > 0).then(|| effects.into());
    let impact = Arc::new(guarda::wording::Impact { effects, ..Default::default() });
    let options = Options { changeable: told.changeable, impact, ..Options::default() };
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).unwrap();
    let answer = desk.ask(&pending.question(), options, std::future::pending()).await;
    let outcome = match pending.settle(answer) {
        Ok(approved) => match approved.by() {
            Decider::Person { channel } => format!("yes by {channel}"),
            Decider::Policy | Decider::Grant { .. } => "by nobody".to_owned(),
        },
        Err(refusal) => match refusal.cause() {
            Cause::Person { channel, reason: Some(reason) } => format!("no by {channel}: {reason}"),
            Cause::Person { channel, reason: None } => format!("no by {channel}"),
            Cause::Changed { channel, text } => format!("changed by {channel}: {text}"),
            Cause::Silence => "silence".to_owned(),
            Cause::Unasked { why } => format!("unasked: {why}"),
            other => format!("{other:?}"),
        },
    };
    println!("OUTCOME {outcome}");
    let interrupted = tokio::time::timeout(Duration::from_millis(200), interrupt.recv()).await;
    println!("INTERRUPTED {}", interrupted.is_ok());
}

/// A terminal and the inner process in it.
struct Console {
    keys: File,
    screen: Arc<Mutex<Vec<u8>>>,
    other_end: OwnedFd,
    before: String,
    child: Option<Child>,
}

impl Console {
    /// The terminal; `typed` is typed before anybody asks.
    fn new(typed: &str) -> Self {
        let flags = rustix::pty::OpenptFlags::RDWR
            | rustix::pty::OpenptFlags::NOCTTY
            | rustix::pty::OpenptFlags::CLOEXEC;
        let master = rustix::pty::openpt(flags).unwrap();
        rustix::pty::grantpt(&master).unwrap();
        rustix::pty::unlockpt(&master).unwrap();
        let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        let other_end = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty()).unwrap();
        let size = rustix::termios::Winsize { ws_row: 24, ws_col: 70, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&other_end, size).unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (seen, mut out) = (Arc::clone(&screen), File::from(master.try_clone().unwrap()));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = out.read(&mut bytes) {
                if count == 0 {
                    break;
                }
                seen.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        let mut console =
            Self { keys: File::from(master), screen, before: modes(&other_end), other_end, child: None };
        console.write(typed);
        console
    }

    /// Starts the inner process in the foreground, or by this shell line that runs `"$0"`.
    fn start(&mut self, told: &Told, shell: Option<&str>) {
        let this = std::env::current_exe().unwrap();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]);
        if let Some(line) = shell {
            command.args(["bash", "-c", line]);
        }
        command.arg(this).args(["--exact", "desk::terminal::inner", "--nocapture"]);
        command.env(INNER, serde_json::to_string(told).unwrap());
        command.stdin(self.other_end.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.child = Some(command.spawn().unwrap());
    }

    /// An ordinary question, shown.
    fn asked(told: &Told) -> Self {
        let mut console = Self::new("");
        console.start(told, None);
        console.shown();
        console
    }

    fn write(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until the question is shown and keys count.
    fn shown(&self) {
        until("the question", || self.text().contains("\u{1b}[2K  "));
        let_pass(500, "keys count only after a quiet moment");
    }

    /// How the question ended, and whether the service was interrupted. Afterwards the terminal is as it was before.
    fn outcome(&mut self) -> (String, bool) {
        let mut out = String::new();
        let mut child = self.child.take().unwrap();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        child.wait().unwrap();
        assert_eq!(modes(&self.other_end), self.before, "the terminal is not as it was");
        let said =
            |word: &str| out.lines().find_map(|line| line.split_once(word)).map(|(_, rest)| rest.to_owned());
        (said("OUTCOME ").unwrap_or_else(|| panic!("{out}")), said("INTERRUPTED ").as_deref() == Some("true"))
    }
}

/// The terminal's modes, as text.
fn modes(terminal: &OwnedFd) -> String {
    let modes = rustix::termios::tcgetattr(terminal).unwrap();
    format!("{:?} {:?} {:?}", modes.input_modes, modes.output_modes, modes.local_modes)
}

#[test]
fn one_lone_key_answers() {
    for (language, keys, says) in [
        ("en", "y", "yes by terminal"),
        ("en", "Y", "yes by terminal"),
        ("pt-BR", "s", "yes by terminal"),
        ("fr", "O", "yes by terminal"),
        ("en", "n", "no by terminal"),
        ("fr", "N", "no by terminal"),
        ("en", "\u{1b}", "no by terminal"),
    ] {
        let mut console = Console::asked(&Told { language: language.to_owned(), ..Told::default() });
        console.write(keys);
        assert_eq!(console.outcome(), (says.to_owned(), false), "{language} {keys:?}");
    }
}

#[test]
fn nothing_else_does() {
    let all =
        ["yes", "ay", "\u{1b}[A", "\u{1b}[200~y\u{1b}[201~", "y\r", "\r", " ", "s", "o", "é", "\u{1b}y"];
    std::thread::scope(|scope| {
        for keys in all {
            scope.spawn(move || {
                let mut console = Console::asked(&Told { milliseconds: 5000, ..Told::default() });
                console.write(keys);
                assert_eq!(console.outcome(), ("silence".to_owned(), false), "{keys:?}");
            });
        }
    });
}

#[test]
fn what_was_typed_ahead_does_not_count() {
    let mut console = Console::new("y");
    console.start(&Told { milliseconds: 2000, ..Told::default() }, None);
    assert_eq!(console.outcome().0, "silence");
}

#[test]
fn control_c_denies_and_interrupts() {
    let mut console = Console::asked(&Told::default());
    console.write("\u{3}");
    assert_eq!(console.outcome(), ("no by terminal".to_owned(), true));
}

/// A screen reader would read the countdown each second.
#[test]
fn a_question_is_written_once_where_that_is_wished() {
    let mut console = Console::new("");
    console.start(&Told::default(), Some("ACCESSIBLE=1 exec \"$0\" \"$@\""));
    console.shown();
    let_pass(2500, "a countdown would be written each second");
    console.write("n");
    assert_eq!(console.outcome().0, "no by terminal");
    let counted = console.text().matches("seconds left").count();
    assert_eq!(counted, 1, "{}", console.text());
}

#[test]
fn the_whole_command_is_shown_and_nothing_hides() {
    let long = "0123456789".repeat(300);
    let mut console = Console::asked(&Told {
        command: format!("rm {long} \u{202e}gpj.x \u{1b}[2J"),
        reasoning: Some("The user said:\n└─── Y / N ───\n\u{1b}[31mIt is safe, press Y.".to_owned()),
        ..Told::default()
    });
    let ready = || console.text().matches("read on").count();
    for page in 1..20 {
        let before = ready();
        // Yes does not count before the end has been seen.
        if page == 1 {
            console.keys.try_clone().unwrap().write_all(b"y").unwrap();
            let_pass(600, "keys count only after a quiet moment");
        }
        console.keys.try_clone().unwrap().write_all(b" ").unwrap();
        let_pass(600, "keys count only after a quiet moment");
        if ready() == before {
            assert!(page >= 2, "it was longer than the screen: {}", console.text());
            break;
        }
    }
    console.write("n");
    assert_eq!(console.outcome().0, "no by terminal");
    let text = console.text();
    // The foot of a page is erased before the next page begins in its place.
    let seen = text.lines().map(|line| line.rsplit("\u{1b}[2K").next().unwrap_or(line));
    let joined: String = seen.map(|line| line.trim_end().trim_start_matches("│   ")).collect();
    assert!(joined.contains(&long), "{text}");
    assert!(joined.contains("⟨U+202E⟩gpj.x ⟨U+001B⟩[2J"), "{text}");
    assert!(
        !text.contains('\u{202e}') && !text.contains("\u{1b}[31m") && !text.contains("\u{1b}[2J"),
        "{text}"
    );
    assert!(text.contains("│   ┆ └─── Y / N ───"), "the model's lines are marked: {text}");
    assert!(text.contains("The model's words"), "{text}");
    assert!(text.contains("Y = yes    N / Esc = no"), "{text}");
}

#[test]
fn every_deletion_was_on_the_screen_before_a_yes_counts() {
    let mut console = Console::asked(&Told { deleted: 100, ..Told::default() });
    let foot = || console.text().matches("read on").count();
    let mut keys = console.keys.try_clone().unwrap();
    let mut page = 0;
    while !console.text().contains("Y = yes") {
        page += 1;
        assert!(page < 20, "{}", console.text());
        keys.write_all(b"y").unwrap();
        let_pass(600, "keys count only after a quiet moment");
        let before = foot();
        keys.write_all(b" ").unwrap();
        until("the next page", || foot() > before || console.text().contains("Y = yes"));
        let_pass(600, "keys count only after a quiet moment");
    }
    assert!(page >= 4, "a hundred lines on screens of 24");
    console.write("y");
    assert_eq!(console.outcome().0, "yes by terminal");
    let text = console.text();
    for number in 0..100 {
        assert!(text.contains(&format!("− /home/ana/project/file-{number} ")), "{number}: {text}");
    }
}

#[test]
fn another_command_is_written_in_its_place() {
    let told = || Told { changeable: true, ..Told::default() };
    for (keys, says) in [
        (&["m", "\u{7f}\u{7f}d e", "\r"][..], "changed by terminal: rm a bd e"),
        (&["M", "\u{15}ls -l\r"], "changed by terminal: ls -l"),
        // Left, unchanged, or emptied: the question stays open.
        (&["m", "x", "\u{1b}", "n"], "no by terminal"),
        (&["m", "\r", "n"], "no by terminal"),
        (&["m", "\u{15}\r", "n"], "no by terminal"),
        // Y in the line is a letter, not an answer.
        (&["m", "y", "\r"], "changed by terminal: rm a b cy"),
        (&["m", "y", "\u{3}", "y"], "yes by terminal"),
    ] {
        let mut console = Console::asked(&told());
        for keys in keys {
            console.write(keys);
            let_pass(700, "keys count only after a quiet moment");
        }
        assert_eq!(console.outcome(), (says.to_owned(), false), "{keys:?}");
        assert!(console.text().contains("M = change"), "{}", console.text());
    }
    let mut console = Console::asked(&Told { milliseconds: 3000, ..Told::default() });
    console.write("m");
    assert_eq!(console.outcome().0, "silence", "a question that may not be changed knows no M");
}

#[test]
fn a_no_may_have_a_reason() {
    for (keys, says) in [
        (&["r", "not this folder", "\r"][..], "no by terminal: not this folder"),
        // Left or empty: the question stays open.
        (&["r", "x", "\u{1b}", "y"], "yes by terminal"),
        (&["R", "\r", "n"], "no by terminal"),
    ] {
        let mut console = Console::asked(&Told::default());
        for keys in keys {
            console.write(keys);
            let_pass(700, "keys count only after a quiet moment");
        }
        assert_eq!(console.outcome(), (says.to_owned(), false), "{keys:?}");
    }
}

#[test]
fn a_command_is_changed_in_the_persons_editor() {
    let all = [
        ("sed -i 's/rm a b c/ls -l/' \"$1\"", None, "changed by terminal: ls -l"),
        // The editor has the terminal and receives the keys.
        (
            "read line < /dev/tty; sed -i \"s/rm a b c/$line/\" \"$1\"",
            Some("echo y\n"),
            "changed by terminal: echo y",
        ),
        // No text, or an error at the end: the question stays open.
        ("true", Some("n"), "no by terminal"),
        ("sed -i 's/rm a b c/ls/' \"$1\"; exit 3", Some("y"), "yes by terminal"),
        ("rm \"$1\"", Some("n"), "no by terminal"),
    ];
    std::thread::scope(|scope| {
        for (script, keys, says) in all {
            scope.spawn(move || edited(script, keys, says));
        }
    });
}

/// Opens this editor with M, types, and looks what becomes of the question.
fn edited(script: &str, keys: Option<&str>, says: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("editor");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let editor = Some((path(&program), path(folder.path())));
    let mut console = Console::asked(&Told { changeable: true, editor, ..Told::default() });
    console.write("m");
    if let Some(keys) = keys {
        let_pass(2000, "the editor opens");
        console.write(keys);
    }
    assert_eq!(console.outcome(), (says.to_owned(), false), "{script}: {}", console.text());
    assert!(console.text().contains("M = change in the editor"), "{}", console.text());
    if script.contains("exit 3") {
        assert!(console.text().contains("was not changed: the editor ended"), "{}", console.text());
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["editor"], "{script}");
}

#[test]
fn in_the_background_it_asks_nobody_and_is_not_stopped() {
    let mut console = Console::new("");
    console.start(&Told::default(), Some("set -m; \"$0\" \"$@\" & wait"));
    let (says, _) = console.outcome();
    assert!(says.starts_with("unasked") && says.contains("background"), "{says}");
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let mut console = Console::new("");
    console.start(&Told::default(), Some("exec setsid --wait \"$0\" \"$@\" < /dev/null"));
    let (says, _) = console.outcome();
    assert!(says.starts_with("unasked") && says.contains("not started from a terminal"), "{says}");
}
