//! Another user of the same machine, made with `useradd`: it reaches no file, socket, token or guard.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use crate::common::{Answer, Service, UNSTAGED, folder, refused, wait};

/// A user that exists as long as the test.
struct Neighbour(String);

impl Neighbour {
    /// `None` if this user may not create users.
    fn move_in() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("only root can make a user: nothing was tried");
            return None;
        }
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("guarda-t{}-{number}", std::process::id());
        let made =
            Command::new("useradd").args(["--no-create-home", "--shell", "/bin/sh", &name]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        Some(Self(name))
    }

    fn try_this(&self, script: &str, service: &Service) -> Output {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &self.0, "--regid", &self.0, "--init-groups", "--", "sh", "-c", script]);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("STATE", service.state("")).current_dir("/");
        command.env("ADDRESS", &service.address).env("GUARDA", env!("CARGO_BIN_EXE_guarda"));
        command.env("PID", service.child.id().to_string()).output().unwrap()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = Command::new("userdel").arg(&self.0).output();
    }
}

#[test]
fn another_user_finds_nothing_to_use() {
    let Some(neighbour) = Neighbour::move_in() else { return };
    let service = Service::of_root(folder("", ""));
    // The folder above is open to all: what keeps the neighbour out is the guard's own.
    std::fs::set_permissions(service.folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    for script in [
        "cat $STATE/token",
        "cat $STATE/approve-token",
        "ls $STATE",
        "cat $STATE/address",
        "head -c1 $STATE/command_security.db",
        "ls $STATE/journal",
        "echo x > $STATE/new",
        "ln -s /etc/passwd $STATE/link",
        "curl -sS --fail --unix-socket $STATE/guarda.sock http://x/v1/status",
        "curl -sS --fail http://$ADDRESS/v1/status",
        "curl -sS --fail http://$ADDRESS/v1/questions",
        "curl -sS --fail http://$ADDRESS/metrics",
        "curl -sS --fail -X POST -H 'Content-Type: application/json' -d '{\"action\": \"LOCK\"}' http://$ADDRESS/v1/actions",
        "cat /proc/$PID/environ",
        "ls -l /proc/$PID/fd",
        "kill -TERM $PID",
    ] {
        let output = neighbour.try_this(script, &service);
        assert!(!output.status.success(), "{script}: {output:?}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains(&service.token), "{script}");
    }
    // The neighbour may learn that the service runs; and the same arguments work for its own user.
    assert!(neighbour.try_this("curl -sS --fail http://$ADDRESS/v1/health", &service).status.success());
    let own = "curl -sS --fail --unix-socket $STATE/guarda.sock http://x/v1/status";
    let own = Command::new("sh").args(["-c", own]).env("STATE", service.state("")).output().unwrap();
    assert!(own.status.success(), "{own:?}");
    assert_eq!(service.get("/v1/health").send().status, 200);

    // Even in an open folder, the socket checks its client's user.
    std::fs::set_permissions(service.state(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::set_permissions(service.state("guarda.sock"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let script = "curl -sS --fail --unix-socket $STATE/guarda.sock http://x/v1/status";
    let output = neighbour.try_this(script, &service);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    // The line is in the log a moment after the connection has ended.
    wait("the refusal in the log", || service.said().contains("refused").then_some(()));
}

#[test]
fn what_another_user_could_have_written_is_not_believed() {
    let Some(neighbour) = Neighbour::move_in() else { return };
    // A configuration and a state folder that the neighbour owns.
    for (of, below) in [("configuration", "config.toml"), ("folder", "state")] {
        let place = folder("", "");
        let path = place.path().join(below);
        if of == "folder" {
            std::fs::create_dir(&path).unwrap();
        }
        let owned = Command::new("chown").arg(&neighbour.0).arg(&path).status().unwrap();
        assert!(owned.success());
        let said = refused(place.path(), |command| command.env("GUARDA_ALLOW_ROOT", "1"));
        assert!(said.contains("belongs to user"), "{of}: {said}");
    }
}

/// Whoever may open connections to the port, and do nothing else with them, does not keep the person's programs from being answered.
#[test]
fn another_user_who_holds_connections_slows_nobody() {
    let Some(neighbour) = Neighbour::move_in() else { return };
    let service = Service::of_root(folder("", UNSTAGED));
    std::fs::set_permissions(service.folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    // As many as a user's files allow; they are held until the script is ended.
    let hold = "ulimit -n 1024; exec bash -c 'for i in $(seq 900); do \
        exec {fd}<>/dev/tcp/${ADDRESS%:*}/${ADDRESS#*:} && printf GET >&$fd || break; done; echo held; sleep 120'";
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &neighbour.0, "--regid", &neighbour.0, "--init-groups", "--", "sh", "-c", hold]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("ADDRESS", &service.address).current_dir("/");
    let mut holding = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(holding.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "held\n");
    assert_eq!(service.act("ls").send().json()["outcome"], "done");
    let mut asking = service.act("rm -rf letters").begin();
    let question = service.question();
    assert_eq!(service.answer(&question, "no").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "denied");
    holding.kill().unwrap();
    holding.wait().unwrap();
}
