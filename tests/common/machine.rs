//! A private desktop for one test: its own home, bus, display and sound server. All of it ends with the test.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::until;

use guarda::devices::desktop::session::DesktopSession;

/// A private desktop.
pub struct Machine {
    running: Vec<Child>,
    variables: Vec<(String, String)>,
    folder: tempfile::TempDir,
}

impl Machine {
    /// A home folder without running programs.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = Self { running: Vec::new(), variables: Vec::new(), folder };
        for (name, below) in [
            ("HOME", "home"),
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            let path = machine.path(below);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
            machine.set(name, path.to_str().unwrap());
        }
        machine.set("PATH", "/usr/local/bin:/usr/bin:/bin");
        machine.set("USER", "guard-test");
        machine.set("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
        machine.set("XDG_CURRENT_DESKTOP", "openbox");
        // No test reaches the real system: without a double, there is no system bus.
        machine.set(
            "DBUS_SYSTEM_BUS_ADDRESS",
            &format!("unix:path={}", machine.path("no-system-bus").display()),
        );
        machine
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The session names a display that is not there, for recorders, which show nothing.
    pub fn with_named_display(mut self) -> Self {
        self.set("DISPLAY", ":4711");
        self
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn session(&self) -> DesktopSession {
        DesktopSession::new(self.variables.clone())
    }

    /// A program on this desktop.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.variables.iter().cloned()).current_dir(self.home());
        command.stdin(Stdio::null());
        command
    }

    /// Runs a program to its end; returns its output.
    pub fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program, arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Starts a program that runs as long as the test.
    pub fn start(&mut self, program: &str, arguments: &[&str]) {
        let child = self.command(program, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.running.push(child.unwrap_or_else(|error| panic!("{program}: {error}")));
    }

    /// The notification daemon. Its name must not be called before it is taken: the bus would start a second
    /// daemon for it, and the first would end.
    pub fn start_dunst(&mut self, settings: &str) {
        self.start_named("org.freedesktop.Notifications", "dunst", &["-conf", settings]);
    }

    /// Starts a program and waits until it owns its name on the bus. An earlier call would make the bus start
    /// another one.
    fn start_named(&mut self, name: &str, program: &str, arguments: &[&str]) {
        self.start(program, arguments);
        let bus = "org.freedesktop.DBus";
        let owned = ["call", "--session", "-d", bus, "-o", "/org/freedesktop/DBus", "-m"];
        let asked = [&owned[..], &["org.freedesktop.DBus.NameHasOwner", name]].concat();
        until(program, || self.ask("gdbus", &asked).contains("true"));
    }

    /// Ends the program that was started last.
    pub fn stop_last(&mut self) {
        let mut child = self.running.pop().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A session bus.
    pub fn with_bus(mut self) -> Self {
        let address = self.bus("run/bus");
        self.set("DBUS_SESSION_BUS_ADDRESS", &address);
        self
    }

    /// Another bus in place of the system's.
    pub fn with_system_bus(mut self) -> Self {
        let address = self.bus("run/system-bus");
        self.set("DBUS_SYSTEM_BUS_ADDRESS", &address);
        self
    }

    fn bus(&mut self, below: &str) -> String {
        let socket = self.path(below);
        let address = format!("unix:path={}", socket.display());
        self.start("dbus-daemon", &["--session", "--address", &address, "--nofork", "--nopidfile"]);
        until("the bus", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
        address
    }

    /// An X display with a window manager. Its number stays reserved even after its end: a client of a dead
    /// display must not find another test's, with its keys.
    pub fn with_display(self) -> Self {
        self.with_display_by(&[])
    }

    /// A display that another user has started; only root can do that.
    pub fn with_display_of(self, user: &str) -> Self {
        self.with_display_by(&["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"])
    }

    fn with_display_by(mut self, by: &[&str]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Tests run in processes of their own: each has numbers of its own.
        let first = 100 + std::process::id() % 5000 * 10;
        let (server, display) = loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            assert!(count < 900, "no display starts");
            let number = first + count;
            let display = format!(":{number}");
            let screen = ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"];
            let mut words = by.to_vec();
            words.extend(["Xvfb", &display, "-ac"]);
            words.extend(screen);
            let (program, arguments) = words.split_first().unwrap();
            let mut command = self.command(program, arguments);
            let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut ready = String::new();
            BufReader::new(server.stdout.take().unwrap()).read_line(&mut ready).unwrap();
            if !ready.is_empty() {
                break (server, display);
            }
            // Another process on this machine has this number.
            server.wait().unwrap();
        };
        self.running.push(server);
        self.set("DISPLAY", &display);
        self.start("openbox", &[]);
        until("the window manager", || {
            self.ask("xprop", &["-root", "_NET_SUPPORTING_WM_CHECK"]).contains("window id")
        });
        // It announces itself before it lists its windows.
        until("its list of windows", || {
            self.ask("xprop", &["-root", "_NET_CLIENT_LIST"]).contains("_NET_CLIENT_LIST(WINDOW)")
        });
        // Programs that the bus starts get the display from it.
        if self.session().get("DBUS_SESSION_BUS_ADDRESS").is_some() {
            self.ask(
                "dbus-update-activation-environment",
                &["DISPLAY", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"],
            );
        }
        self
    }

    /// A Wayland display by sway, without X11, and the portal that takes pictures of it.
    pub fn with_wayland(mut self) -> Self {
        let (run, config) = (self.path("sway"), self.path("sway.conf"));
        std::fs::create_dir(&run).unwrap();
        std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::fs::write(&config, "xwayland disable\noutput * bg #336699 solid_color\n").unwrap();
        self.set("XDG_CURRENT_DESKTOP", "sway");
        self.set("XDG_SESSION_TYPE", "wayland");
        let mut sway = self.command("sway", &["--unsupported-gpu", "-c", config.to_str().unwrap()]);
        sway.env("XDG_RUNTIME_DIR", &run).env("WLR_BACKENDS", "headless").env("WLR_RENDERER", "pixman");
        sway.env("WLR_LIBINPUT_NO_DEVICES", "1").current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
        self.running.push(sway.spawn().unwrap());
        let socket = run.join("wayland-1");
        until("sway", || socket.exists());
        self.set("WAYLAND_DISPLAY", socket.to_str().unwrap());
        // The portal's backend wants it, though a picture does not.
        self.start("pipewire", &[]);
        let pipewire = self.path("run/pipewire-0");
        until("pipewire", || pipewire.exists());
        let backend = "org.freedesktop.impl.portal.desktop.wlr";
        self.start_named(backend, "/usr/libexec/xdg-desktop-portal-wlr", &["-r"]);
        self.start_named("org.freedesktop.portal.Desktop", "/usr/libexec/xdg-desktop-portal", &["-r"]);
        until("the portal", || {
            let version = [
                "call",
                "--session",
                "--timeout",
                "5",
                "--dest",
                "org.freedesktop.portal.Desktop",
                "--object-path",
                "/org/freedesktop/portal/desktop",
                "--method",
                "org.freedesktop.DBus.Properties.Get",
                "org.freedesktop.portal.Screenshot",
                "version",
            ];
            self.ask("gdbus", &version).contains("uint32")
        });
        self
    }

    /// A sound server with a null output.
    pub fn with_sound(mut self) -> Self {
        let socket = self.path("run/pulse/native");
        for (name, below) in [("PULSE_RUNTIME_PATH", "run/pulse"), ("PULSE_STATE_PATH", "run/pulse-state")] {
            let path = self.path(below);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
            self.set(name, path.to_str().unwrap());
        }
        let protocol = format!("module-native-protocol-unix socket={} auth-anonymous=0", socket.display());
        let sink = "module-null-sink sink_name=guard rate=48000 channels=2";
        let fixed = ["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"];
        let modules = ["-L", &protocol, "-L", sink];
        self.start("pulseaudio", &[&fixed[..], &modules[..]].concat());
        self.set("PULSE_SERVER", &format!("unix:{}", socket.display()));
        until("the sound server", || self.ask("pactl", &["get-default-sink"]) == "guard");
        self
    }

    /// Writes a desktop entry for the user.
    pub fn entry(&self, id: &str, text: &str) {
        let file = self.path("data/applications").join(format!("{id}.desktop"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("[Desktop Entry]\nType=Application\n{text}\n")).unwrap();
    }

    /// A program that writes its arguments to a file, one per line, and succeeds; its path and that file's.
    pub fn recorder(&self, name: &str) -> (PathBuf, PathBuf) {
        let (program, file) = (self.path(name), self.path(&format!("{name}.words")));
        let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.new && mv {0}.new {0}\n", file.display());
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        (program, file)
    }

    /// The number of the window with this title, waited for.
    pub fn window(&self, title: &str) -> String {
        let mut found = String::new();
        until(&format!("the window {title}"), || {
            found = self.ask("xdotool", &["search", "--onlyvisible", "--name", title]);
            !found.is_empty()
        });
        found.lines().next().unwrap_or_default().to_owned()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for child in self.running.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The text of a file that is about to be written.
pub fn text_of(file: &Path) -> String {
    until(&file.display().to_string(), || file.exists());
    std::fs::read_to_string(file).unwrap()
}
