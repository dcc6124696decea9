//! OTLP data, received by a real collector (Rotel), which prints everything.

use std::process::{Child, Command, Stdio};

use crate::common::{Service, folder, free_port, python, refused, wait};

/// A collector.
struct Collector {
    child: Child,
    log: std::path::PathBuf,
}

impl Collector {
    fn start(place: &std::path::Path, port: u16, name: &str) -> Self {
        let log = place.join(name);
        let file = std::fs::File::create(&log).unwrap();
        let found = std::fs::read_dir(python("lib")).unwrap().flatten();
        let mut found = found.map(|entry| entry.path().join("site-packages/rotel/rotel-agent"));
        let program = found.find(|path| path.exists()).expect("rotel, of tests/requirements.txt");
        let mut command = Command::new(program);
        command.args(["start", "--exporter", "blackhole", "--debug-log-verbosity", "detailed"]);
        command.args(["--debug-log", "traces", "--debug-log", "metrics"]);
        command.arg(format!("--otlp-http-endpoint=127.0.0.1:{port}"));
        // Its other receiver, which is not used.
        command.arg(format!("--otlp-grpc-endpoint=127.0.0.1:{}", free_port()));
        command.env_clear().env("HOME", place).current_dir(place);
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        let child = command.spawn().unwrap();
        wait("the collector", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        Self { child, log }
    }

    fn got(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    fn end(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn told(port: u16) -> tempfile::TempDir {
    let place = folder("", "");
    let config = place.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let more = format!("[telemetry]\nendpoint = \"http://127.0.0.1:{port}\"\ninterval_seconds = 1\n");
    std::fs::write(&config, format!("{text}{more}")).unwrap();
    place
}

#[test]
fn a_collector_is_told_what_is_counted_and_nothing_that_was_asked() {
    if !cfg!(feature = "otlp") {
        let place = told(free_port());
        let said = refused(place.path(), |command| command);
        assert!(said.contains("--features otlp"), "{said}");
        return;
    }
    let (port, logs) = (free_port(), tempfile::tempdir().unwrap());
    let mut collector = Collector::start(logs.path(), port, "first");
    let mut service = Service::on(told(port));
    let done = service.act("echo secretword").header("X-Request-Id", "mine-1").send();
    assert_eq!(done.json()["outcome"], "done");
    service.act("rm -rf / secretword").send();
    service.get("/v1/actions/secretword").send();
    service.get("/v1/status").token("secretword").send();
    let has = |text: &str, lines: &[&str]| lines.iter().all(|line| text.contains(line));
    wait("the counts", || {
        let lines = [
            "Name: guarda_actions\n",
            "outcome: Str(done)",
            "outcome: Str(blocked)",
            "Name: guarda_wrong_tokens\n",
            // Requests follow in a batch of their own.
            "path: Str(/v1/actions/{id})",
            // What was decided, by which rules, and by whom.
            "action: Str(RUN_COMMAND)",
            "status: Str(blocked)",
            "decided_by: Str(policy)",
            "rules: Str(erase-system",
        ];
        has(&collector.got(), &lines).then_some(())
    });

    // Without its collector the service goes on, and says so once; and it finds it again.
    collector.end();
    wait("a word about it", || service.said().contains("is not told").then_some(()));
    for _ in 0..20 {
        assert_eq!(service.act("echo still here").send().status, 200);
    }
    let mut second = Collector::start(logs.path(), port, "second");
    wait("a word about its return", || service.said().contains("is told again").then_some(()));
    assert_eq!(service.said().matches("is not told").count(), 1, "{}", service.said());
    wait("the counts again", || second.got().contains("Name: guarda_actions\n").then_some(()));

    // The last requests are sent before the end.
    service.get("/v1/health").header("X-Request-Id", "last-1").send();
    service.signal(rustix::process::Signal::TERM);
    assert_eq!(service.end().code(), Some(0));
    wait("the last request", || second.got().contains("request_id: Str(last-1)").then_some(()));
    second.end();

    let all = collector.got() + &second.got();
    assert!(!all.contains("secretword"), "{all}");
    // Every attribute has a name that is known here.
    let known = [
        "service.name",
        "service.version",
        "version",
        "outcome",
        "decided_by",
        "status",
        "request_id",
        "id",
        "action",
        "rules",
        "method",
        "path",
        "http.response.status_code",
    ];
    let names = all.lines().filter_map(|line| line.trim().strip_prefix("-> "));
    for line in names.filter(|line| line.contains(": Str(")) {
        let name = line.split(':').next().unwrap();
        assert!(known.contains(&name), "{line}");
    }
    assert!(all.contains("path: Str(/v1/actions/{id})"), "{all}");
}

#[test]
fn a_dead_collector_does_not_hold_up_the_end() {
    if !cfg!(feature = "otlp") {
        return;
    }
    // It takes connections, and says nothing.
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut service = Service::on(told(mute.local_addr().unwrap().port()));
    assert_eq!(service.act("echo hi").send().status, 200);
    service.signal(rustix::process::Signal::TERM);
    assert_eq!(service.end().code(), Some(0));
}
