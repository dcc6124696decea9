//! The relay as a proxy, with curl and raw clients against servers on loopback. The resolver and the person
//! are doubles: real ones would need the internet and a human. The sandbox's tests go through a cell.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use guarda_core::action::{Proposal, Request};
use guarda_core::gate::{ApprovedHosts, HostRefusal, Number, PendingHosts, Says};
use guarda_core::network::{Destination, DomainName, Host, HostPattern, HostRule, Ports, Protocol, Why};
use guarda_core::output::traffic::Path;
use tokio::task::JoinSet;

use super::*;

/// The relay's surroundings: a person's answers, the addresses of names, and the queries for both.
#[derive(Default)]
struct World {
    yes: Vec<&'static str>,
    names: HashMap<&'static str, Vec<IpAddr>>,
    own: Vec<u16>,
    denied: Vec<&'static str>,
    /// Asks about every host, as in a session that has seen secrets.
    wary: bool,
    asked: Mutex<Vec<String>>,
    refused: Mutex<Vec<String>>,
    looked_up: Mutex<Vec<String>>,
}

impl World {
    fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn looked_up(&self) -> Vec<String> {
        self.looked_up.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Outside for World {
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        Box::pin(async move {
            let names: Vec<String> = to.iter().map(Destination::to_string).collect();
            self.asked.lock().unwrap().push(names.join(" "));
            tokio::time::sleep(Duration::from_millis(20)).await;
            match to.iter().all(|to| self.yes.iter().any(|yes| to.host.to_string().ends_with(yes))) {
                true => Ok(approved(to)),
                false => Err(HostRefusal::Unapproved),
            }
        })
    }

    fn refused<'a>(&'a self, to: &'a Destination, why: &'a HostRefusal) -> Later<'a, ()> {
        self.refused.lock().unwrap().push(format!("{to}: {why}"));
        Box::pin(async {})
    }

    fn denies(&self, host: &Host) -> bool {
        self.denied.contains(&host.to_string().as_str())
    }

    fn asks_all(&self) -> bool {
        self.wary
    }

    fn look_up<'a>(&'a self, name: &'a DomainName) -> Later<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            self.looked_up.lock().unwrap().push(name.to_string());
            self.names.get(name.as_str()).cloned().ok_or_else(|| io::Error::other("no such name"))
        })
    }

    fn own_ports(&self) -> &[u16] {
        &self.own
    }
}

/// A yes to these destinations.
fn approved(to: &[Destination]) -> ApprovedHosts {
    let action = Some("RUN_COMMAND".to_owned());
    let request = Request { action, target: Some("true".to_owned().into()), ..Request::default() };
    let subject = Arc::new(Proposal::parse(request).unwrap());
    let pending = PendingHosts::new(subject, to.to_vec(), Number([1; 16]));
    let answer = pending.question().answer(Says::Yes { channel: "test".to_owned() });
    pending.settle(answer).unwrap()
}

fn rule(host: &str, ports: &[u16]) -> HostRule {
    HostRule {
        host: host.parse::<HostPattern>().unwrap(),
        ports: Ports::from(ports.to_vec()),
        protocol: Protocol::Any,
        why: Why::Word { word: host.to_owned(), start: 0 },
        private: true,
    }
}

fn here() -> Vec<IpAddr> {
    vec![Ipv4Addr::LOCALHOST.into()]
}

struct Bench {
    relay: Relay,
    world: Arc<World>,
    proxy: SocketAddr,
    dns: SocketAddr,
}

/// A UDP socket and a TCP listener on the same port. A port that is free for one may be taken for the other.
fn one_port_for_both() -> (std::net::UdpSocket, std::net::TcpListener) {
    (0..100)
        .find_map(|_| {
            let udp = std::net::UdpSocket::bind("127.0.0.1:0").ok()?;
            let tcp = std::net::TcpListener::bind(udp.local_addr().ok()?).ok()?;
            Some((udp, tcp))
        })
        .expect("no port is free for both")
}

fn bench(rules: &[HostRule], world: World) -> Bench {
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (dns, dns_tcp) = one_port_for_both();
    let (proxy, at) = (tcp.local_addr().unwrap(), dns.local_addr().unwrap());
    let world = Arc::new(world);
    let outside: Arc<dyn Outside> = Arc::clone(&world) as _;
    let relay = Relay::begin(
        Listeners { tcp, dns, dns_tcp, inside: Vec::new() },
        rules.iter().cloned().collect(),
        outside,
    )
    .unwrap();
    Bench { relay, world, proxy, dns: at }
}

/// A server that answers every connection with `answer` of the received head.
fn server(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let mut got = Vec::new();
                let mut piece = [0; 4096];
                loop {
                    let Ok(length @ 1..) = stream.read(&mut piece) else { return };
                    got.extend(&piece[..length]);
                    while let Some(end) = got.windows(4).position(|end| end == b"\r\n\r\n") {
                        let head: Vec<u8> = got.drain(..end + 4).collect();
                        let text = answer(&String::from_utf8_lossy(&head));
                        let answer =
                            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
                        let _ = stream.write_all(answer.as_bytes());
                        if head.windows(17).any(|part| part == b"Connection: close") {
                            return;
                        }
                    }
                }
            });
        }
    });
    port
}

/// A server that returns the received head.
fn echo() -> u16 {
    server(str::to_owned)
}

impl Bench {
    /// The output of curl with these arguments.
    #[expect(clippy::disallowed_methods, reason = "the tests' own programs are no deeds")]
    async fn curl(&self, arguments: &[&str]) -> String {
        let proxy = format!("http://{}", self.proxy);
        let mut curl = tokio::process::Command::new("/usr/bin/curl");
        curl.args(["-sS", "-i", "-m", "20", "-x", &proxy, "--noproxy", ""]).args(arguments);
        let output = curl.output().await.unwrap();
        let mut shown = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        // A client sees a reset. Why, the guard tells.
        let url = arguments.last().unwrap();
        for host in self.relay.traffic().iter().filter(|host| url.contains(&host.host.to_string())) {
            shown.extend(
                host.reasons
                    .iter()
                    .filter(|_| !output.status.success())
                    .map(|why| format!("guarda: {why}\n")),
            );
        }
        shown
    }

    /// Everything that comes back for these bytes.
    async fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let (proxy, bytes) = (self.proxy, bytes.to_vec());
        let talk = move || {
            let mut stream = TcpStream::connect(proxy).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            stream.write_all(&bytes).unwrap();
            // The guard may have closed it already.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got);
            got
        };
        tokio::task::spawn_blocking(talk).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_of_the_rules_is_reached_and_another_is_asked_about_before_its_name_is_looked_up() {
    let port = echo();
    let names = [("good.example", here()), ("evil.example", here())].into();
    let bench = bench(&[rule("good.example", &[port])], World { names, ..World::default() });
    let good = bench.curl(&[&format!("http://good.example:{port}/a?b")]).await;
    assert!(good.contains("200 OK") && good.contains("GET /a?b HTTP/1.1"), "{good}");
    let tunnel = bench.curl(&["-p", &format!("http://good.example:{port}/t")]).await;
    assert!(tunnel.contains("GET /t HTTP/1.1"), "{tunnel}");
    let socks = format!("socks5h://{}", bench.proxy);
    let socks = bench.curl(&["-x", &socks, &format!("http://good.example:{port}/s")]).await;
    assert!(socks.contains("GET /s HTTP/1.1"), "{socks}");
    for path in [&["-p"][..], &[]] {
        let url = format!("http://evil.example:{port}/");
        let evil = bench.curl(&[path, &[url.as_str()]].concat()).await;
        assert!(evil.contains("403"), "{evil}");
        assert!(!path.is_empty() || evil.contains("guarda: refused: evil.example"), "{evil}");
    }
    assert_eq!(bench.world.asked(), [format!("evil.example:{port}")]);
    assert_eq!(bench.world.looked_up(), ["good.example"; 3]);
    let [evil, good] = &bench.relay.traffic()[..] else { panic!("{:?}", bench.relay.traffic()) };
    assert_eq!((evil.refused, evil.connections, evil.sent), (2, 0, 0));
    assert_eq!(evil.reasons, ["it was not approved".to_owned()].into());
    assert_eq!((good.connections, good.named, good.refused), (3, true, 0));
    assert_eq!(good.paths, [Path::Tunnel, Path::Proxy, Path::Socks].into());
    assert!(good.received > 100 && matches!(good.why, Some(Why::Word { .. })), "{good:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_yes_holds_for_a_destination_and_is_asked_once_for_all_who_wait() {
    let (port, other) = (echo(), echo());
    let names = [("asked.example", vec![IpAddr::from([203, 0, 113, 1])])].into();
    let bench = bench(&[], World { yes: vec!["asked.example"], names, ..World::default() });
    let url = format!("http://asked.example:{port}/");
    let bench = Arc::new(bench);
    let mut clients = JoinSet::new();
    for _ in 0..20 {
        let (bench, url) = (Arc::clone(&bench), url.clone());
        clients.spawn(async move { bench.curl(&[&url]).await });
    }
    let all = clients.join_all().await;
    // The yes is for the name. Its addresses are still vetted, and no answer admits this computer.
    assert!(all.iter().all(|shown| shown.contains("203.0.113.1 is reserved")), "{all:?}");
    bench.curl(&[&format!("http://asked.example:{other}/")]).await;
    assert_eq!(bench.world.asked(), [format!("asked.example:{port}"), format!("asked.example:{other}")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_question_is_asked_about_is_refused_in_every_spelling() {
    let bench = bench(&[], World::default());
    for host in [
        "169.254.169.254",
        "[fd00:ec2::254]",
        "metadata.google.internal",
        "localhost",
        "a.localhost",
        "LOCALHOST.",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "[fd12::1]",
        "[fe80::1]",
        "0.0.0.0",
        "[::]",
        "198.18.0.1",
        "224.0.0.1",
    ] {
        let answer =
            bench.raw(format!("CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n").as_bytes()).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.contains("403 Forbidden"), "{host}: {answer}");
    }
    assert!(bench.world.asked().is_empty() && bench.world.looked_up().is_empty());
    let refused = bench.world.refused();
    assert!(refused.iter().any(|line| line.starts_with("169.254.169.254:443: it is")), "{refused:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_host_is_no_request() {
    let names = [("good.example", here())].into();
    let bench =
        bench(&[rule("good.example", &[])], World { names, yes: vec!["evil.example"], ..World::default() });
    let socks = |name: &[u8]| {
        let length = u8::try_from(name.len()).unwrap();
        [&[5, 1, 0, 5, 1, 0, 3, length], name, &[0, 80]].concat()
    };
    for name in [
        &b"evil.example\0.good.example"[..],
        b"evil.example@good.example",
        b"good.example#evil.example",
        b"good.example%00evil.example",
        b"good.example\r\nX: y",
        b"evil..good.example",
        b"",
    ] {
        let shown = String::from_utf8_lossy(name).into_owned();
        let answer = bench.raw(&socks(name)).await;
        assert_eq!(answer.get(..4), Some(&[5, 0, 5, 2][..]), "{shown:?}");
        let answer = bench.raw(&[b"CONNECT ", name, b":443 HTTP/1.1\r\nHost: x\r\n\r\n"].concat()).await;
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{shown:?}");
        assert_eq!((bench.world.asked(), bench.world.looked_up()), (vec![], vec![]), "{shown:?}");
    }
    for request in [
        "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET https://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nHost: good.example\r\n\r\n",
        "nonsense\r\n\r\n",
    ] {
        let answer = bench.raw(request.as_bytes()).await;
        assert!(answer.starts_with(b"HTTP/1.1 400"), "{request:?}: {}", String::from_utf8_lossy(&answer));
    }
    assert!(bench.world.asked().is_empty() && bench.world.looked_up().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_name_with_a_bad_address_is_not_connected_to() {
    let port = echo();
    let mut open = rule("good.example", &[]);
    open.private = false;
    for (addresses, why) in [
        (here(), "127.0.0.1 is loopback"),
        (vec![[93, 184, 216, 34].into(), [192, 168, 0, 1].into()], "192.168.0.1 is private"),
        (vec![[169, 254, 169, 254].into()], "metadata"),
        (vec!["::ffff:10.0.0.1".parse().unwrap()], "private"),
        (vec![], "no address"),
    ] {
        let bench =
            bench(&[open.clone()], World { names: [("good.example", addresses)].into(), ..World::default() });
        let shown = bench.curl(&[&format!("http://good.example:{port}/")]).await;
        assert!(shown.contains("403") && shown.contains(why), "{why}: {shown}");
    }
    // Not even a word of the line admits the guard itself.
    let world = World { own: vec![port], names: [("good.example", here())].into(), ..World::default() };
    let bench = bench(&[rule("good.example", &[]), rule("127.0.0.1", &[]), rule("localhost", &[])], world);
    for host in ["good.example", "127.0.0.1", "localhost"] {
        let shown = bench.curl(&[&format!("http://{host}:{port}/")]).await;
        assert!(shown.contains("guard's own"), "{shown}");
    }
}

/// In a cell, `localhost` is resolved by a file, and the relay accepts the connection before it knows whether
/// a server answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_named_localhost_is_reached_at_whichever_of_its_addresses_answers() {
    for at in ["127.0.0.1:0", "[::1]:0"] {
        let listener = std::net::TcpListener::bind(at).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let _ = io::Write::write_all(&mut stream, b"here");
            }
        });
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let bench = bench(&[rule("localhost", &[port])], World::default());
            let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
            let answer = bench.raw(request.as_bytes()).await;
            assert!(answer.ends_with(b"here"), "{at} by {host}: {}", String::from_utf8_lossy(&answer));
        }
        // A named address means that address alone.
        let address = ["127.0.0.1", "::1"].into_iter().find(|address| !at.contains(address)).unwrap();
        let bench = bench(&[rule(address, &[port])], World::default());
        let shown = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        let request = format!("CONNECT {shown}:{port} HTTP/1.1\r\nHost: {shown}:{port}\r\n\r\n");
        assert!(bench.raw(request.as_bytes()).await.starts_with(b"HTTP/1.1 502"), "{at}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inside_a_connection_no_other_host_is_named() {
    let port = echo();
    let names = [("good.example", here())].into();
    let bench = bench(&[rule("good.example", &[])], World { names, ..World::default() });
    let tunnel = format!("CONNECT good.example:{port} HTTP/1.1\r\nHost: good.example:{port}\r\n\r\n");
    let good = format!("GET /1 HTTP/1.1\r\nHost: good.example:{port}\r\n\r\n");
    let evil = "GET /2 HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let whole = "GET http://evil.example/2 HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let nested = "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n";
    let twice = format!("{tunnel}{good}{good}");
    assert_eq!(String::from_utf8_lossy(&bench.raw(twice.as_bytes()).await).matches("GET /1").count(), 2);
    for second in [evil, whole, nested] {
        for bytes in [format!("{tunnel}{second}"), format!("{tunnel}{good}{second}")] {
            let answer = bench.raw(bytes.as_bytes()).await;
            let answer = String::from_utf8_lossy(&answer);
            assert!(!answer.contains("/2") && !answer.contains("evil"), "{answer}");
        }
    }
    // A request for an absolute address has its own connection.
    let piped =
        format!("GET http://good.example:{port}/1 HTTP/1.1\r\nHost: good.example:{port}\r\n\r\n{whole}");
    let answer = bench.raw(piped.as_bytes()).await;
    assert!(!String::from_utf8_lossy(&answer).contains("/2"));
    let reasons = &bench.relay.traffic()[0].reasons;
    assert!(reasons.contains("it names evil.example"), "{reasons:?}");
    assert!(bench.world.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hello_for_another_host_is_not_passed_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let arrived = std::thread::spawn(move || {
        let mut sizes = Vec::new();
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            sizes.push(stream.read(&mut [0; 4096]).unwrap_or(0));
        }
        sizes
    });
    let names = [("good.example", here())].into();
    let bench = bench(&[rule("good.example", &[])], World { names, ..World::default() });
    let fronted = format!("evil.example:{port}:good.example:{port}");
    bench.curl(&["-k", "--connect-to", &fronted, &format!("https://evil.example:{port}/")]).await;
    bench.curl(&["-k", &format!("https://good.example:{port}/")]).await;
    let sizes = tokio::task::spawn_blocking(|| arrived.join().unwrap()).await.unwrap();
    assert!(sizes[0] == 0 && sizes[1] > 100, "{sizes:?}");
    assert!(bench.relay.traffic()[0].reasons.contains("it names evil.example"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_hosts_are_few_questions() {
    // Both ends of each connection are here, and an account may have 1,024 files open unless it asks for more.
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let limit = rustix::process::Rlimit { current: most, maximum: most };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let bench = bench(&[], World::default());
    let mut clients = JoinSet::new();
    for number in 0..1000 {
        let proxy = bench.proxy;
        clients.spawn(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let mut stream = tokio::net::TcpStream::connect(proxy).await.unwrap();
            let line =
                format!("CONNECT h{number}.example:443 HTTP/1.1\r\nHost: h{number}.example:443\r\n\r\n");
            stream.write_all(line.as_bytes()).await.unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer).await;
            assert!(answer.contains("403"), "{answer}");
        });
    }
    clients.join_all().await;
    let asked = bench.world.asked();
    assert_eq!(asked.len(), 17, "{asked:#?}");
    let together: Vec<usize> = asked.iter().map(|asked| asked.split(' ').count()).collect();
    assert!(together.iter().filter(|count| **count == 1).count() >= 16, "{together:?}");
    assert!(together.iter().all(|count| *count <= 64), "{together:?}");
    assert_eq!(bench.relay.traffic().len(), 1000);
    let refused = bench.world.refused();
    assert_eq!(refused.len() + together.iter().sum::<usize>(), 1000, "what was not asked is noted");
    assert!(bench.world.looked_up().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_to_the_last_question_admits_what_it_names_and_nothing_more() {
    let names = (0..18).map(|number| (*HOSTS.get(number).unwrap(), vec![IpAddr::from([203, 0, 113, 1])]));
    let bench = bench(&[], World { yes: vec![".example"], names: names.collect(), ..World::default() });
    // Reserved addresses never answer: the error after the yes shows that the yes counted.
    for host in &HOSTS[..17] {
        let answer = bench.curl(&[&format!("http://{host}:80/")]).await;
        assert!(answer.contains("203.0.113.1 is reserved"), "{host}: {answer}");
    }
    let answer = bench.curl(&[&format!("http://{}:80/", HOSTS[17])]).await;
    assert!(answer.contains("too many hosts"), "{answer}");
    let answer = bench.curl(&[&format!("http://{}:80/", HOSTS[16])]).await;
    assert!(answer.contains("203.0.113.1 is reserved"), "{answer}");
    assert_eq!(bench.world.asked().len(), 17);
    assert!(bench.world.refused().iter().any(|line| line.starts_with("r.example:80: the command wanted")));
}

const HOSTS: [&str; 18] = [
    "a.example",
    "b.example",
    "c.example",
    "d.example",
    "e.example",
    "f.example",
    "g.example",
    "h.example",
    "i.example",
    "j.example",
    "k.example",
    "l.example",
    "m.example",
    "n.example",
    "o.example",
    "p.example",
    "q.example",
    "r.example",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_configuration_denies_is_refused_even_if_it_is_named() {
    let port = server(|_| "hello".to_owned());
    let names = [("good.example", here()), ("same.example", here())].into();
    let rules = [rule("good.example", &[port]), rule("evil.example", &[port]), rule("same.example", &[port])];
    let denied = vec!["evil.example", "127.0.0.1"];
    let bench = bench(&rules, World { names, denied, ..World::default() });
    for host in ["evil.example", "same.example"] {
        let answer = bench.curl(&[&format!("http://{host}:{port}/")]).await;
        assert!(answer.contains("the configuration denies it"), "{host}: {answer}");
    }
    assert_eq!((bench.world.asked().len(), bench.world.looked_up()), (0, vec!["same.example".to_owned()]));
    assert_eq!(bench.world.refused().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_secret_every_host_is_asked_about_and_keeps_its_rule() {
    let port = server(|_| "hello".to_owned());
    let names = || [("good.example", here()), ("other.example", here())].into();
    let rules = [rule("good.example", &[port]), rule("other.example", &[port])];
    let world = World { yes: vec!["good.example"], names: names(), wary: true, ..World::default() };
    let bench = bench(&rules, world);
    for _ in 0..2 {
        // The answer alone would not admit an address of this machine.
        assert!(bench.curl(&[&format!("http://good.example:{port}/")]).await.contains("hello"));
        assert!(
            bench.curl(&[&format!("http://other.example:{port}/")]).await.contains("it was not approved")
        );
    }
    assert_eq!(bench.world.asked(), [format!("good.example:{port}"), format!("other.example:{port}")]);
}

/// A host that answers every HTTP request, with `agrees` if one asks to switch protocols. After agreeing it
/// echoes bytes.
fn upgrading(agrees: bool) -> (u16, std::sync::mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let (mut got, mut piece) = (Vec::new(), [0; 4096]);
            let mut open = false;
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                got.extend(&piece[..length]);
                tell.send(String::from_utf8_lossy(&piece[..length]).into_owned()).unwrap();
                if open {
                    stream.write_all(&piece[..length]).unwrap();
                } else if got.ends_with(b"\r\n\r\n") {
                    open = agrees;
                    let answer: &[u8] = match agrees {
                        true => b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
                        false => b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                    };
                    stream.write_all(answer).unwrap();
                }
            }
        }
    });
    (port, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_protocol_begins_only_where_the_host_agrees_to_it() {
    let request = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    for (agrees, upgrade, passes) in [
        (true, "Upgrade: websocket", true),
        (false, "Upgrade: websocket", false),
        // HTTP/2 in the clear could name any host in each request.
        (true, "Upgrade: h2c", false),
        (true, "Upgrade: websocket, h2c", false),
        (true, "Upgrade: websocket\r\nContent-Length: 0", true),
    ] {
        let (port, told) = upgrading(agrees);
        let names = [("good.example", here())].into();
        let bench = bench(&[rule("good.example", &[port])], World { names, ..World::default() });
        let host = format!("good.example:{port}");
        let head = format!("Host: {host}\r\nConnection: Upgrade\r\n{upgrade}\r\n\r\n");
        let tunnel =
            format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\nGET / HTTP/1.1\r\n{head}{request}");
        let fetched = format!("GET http://{host}/ HTTP/1.1\r\n{head}{request}");
        let connect = format!(
            "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\nCONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n{request}"
        );
        for (bytes, passes) in [(tunnel, passes), (fetched, passes), (connect, false)] {
            let answer = bench.raw(bytes.as_bytes()).await;
            let heard: String = told.try_iter().collect();
            assert_eq!(heard.contains("evil.example"), passes, "{agrees} {bytes:?}: {heard}");
            let back = String::from_utf8_lossy(&answer).contains("evil.example");
            assert_eq!(back, passes, "{agrees} {bytes:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_bytes_pass_unchanged_in_both_directions_and_end_with_their_sender() {
    use sha2::Digest as _;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Echoes everything, and ends when the client ends.
    std::thread::spawn(move || {
        let (mut from, _) = listener.accept().unwrap();
        let mut to = from.try_clone().unwrap();
        std::io::copy(&mut from, &mut to).unwrap();
        to.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let names = [("good.example", here())].into();
    let bench = bench(&[rule("good.example", &[port])], World { names, ..World::default() });
    let proxy = bench.proxy;
    let passed = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(proxy).unwrap();
        write!(stream, "CONNECT good.example:{port} HTTP/1.1\r\nHost: good.example:{port}\r\n\r\n").unwrap();
        let mut answer = [0; 39];
        stream.read_exact(&mut answer).unwrap();
        // No protocol begins like this, so it is forwarded unchanged. Longer than any pipe.
        let sent: Vec<u8> =
            (0..12_000_000_u32).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
        let (mut out, bytes) = (stream.try_clone().unwrap(), sent.clone());
        let sender = std::thread::spawn(move || {
            for piece in bytes.chunks(70_001) {
                out.write_all(piece).unwrap();
            }
            out.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        sender.join().unwrap();
        (sha2::Sha256::digest(&sent) == sha2::Sha256::digest(&got), got.len())
    });
    assert_eq!(passed.await.unwrap(), (true, 12_000_000));
    let traffic = bench.relay.traffic();
    assert_eq!((traffic[0].sent, traffic[0].received), (12_000_000, 12_000_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_speaks_first_does_not_matter_and_the_end_of_the_relay_ends_all() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"SSH-2.0-test\r\n").unwrap();
        let mut got = [0; 9];
        let length = stream.read(&mut got).unwrap();
        stream.write_all(&got[..length]).unwrap();
        let _ = stream.read(&mut got);
    });
    let names = [("good.example", here())].into();
    let mut ssh = rule("good.example", &[port]);
    ssh.protocol = Protocol::Ssh;
    let bench = bench(&[ssh], World { names, ..World::default() });
    let mut stream = tokio::net::TcpStream::connect(bench.proxy).await.unwrap();
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    stream
        .write_all(
            format!("CONNECT good.example:{port} HTTP/1.1\r\nHost: good.example:{port}\r\n\r\n").as_bytes(),
        )
        .await
        .unwrap();
    let mut got = vec![0; 39 + 14];
    stream.read_exact(&mut got).await.unwrap();
    assert!(got.ends_with(b"SSH-2.0-test\r\n"), "{}", String::from_utf8_lossy(&got));
    stream.write_all(b"SSH-2.0-x").await.unwrap();
    let mut back = [0; 9];
    stream.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"SSH-2.0-x");
    drop(bench.relay);
    assert_eq!(stream.read(&mut back).await.unwrap_or(0), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_are_answered_with_addresses_that_lead_nowhere() {
    let bench = bench(&[], World::default());
    let question = |name: &str, kind: u16| {
        let mut message = vec![7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            message.push(u8::try_from(label.len()).unwrap());
            message.extend(label.as_bytes());
        }
        message.push(0);
        message.extend([kind.to_be_bytes(), [0, 1]].concat());
        message
    };
    let (dns, ask) = (bench.dns, move |message: Vec<u8>, dns: SocketAddr| {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        socket.send_to(&message, dns).unwrap();
        let mut answer = [0; 512];
        let length = socket.recv(&mut answer).unwrap();
        answer[..length].to_vec()
    });
    let secret = "c2VjcmV0".repeat(7);
    let names = [format!("{secret}.evil.example"), "other.example".to_owned(), "localhost".to_owned()];
    let long = [names[0].clone(), names[1].clone()];
    let answers = tokio::task::spawn_blocking(move || {
        let first = names.map(|name| ask(question(&name, 1), dns));
        // MX, TXT, NULL, AAAA, SRV, HTTPS
        let others = [15, 16, 10, 28, 33, 65].map(|kind| ask(question(&long[0], kind), dns));
        let mut stream = TcpStream::connect(dns).unwrap();
        let message = question(&long[1], 1);
        stream
            .write_all(&[&u16::try_from(message.len()).unwrap().to_be_bytes()[..], &message].concat())
            .unwrap();
        let mut framed = vec![0; 2 + message.len() + 16];
        stream.read_exact(&mut framed).unwrap();
        (first, others, framed)
    });
    let (first, others, framed) = answers.await.unwrap();
    let last = |answer: &[u8]| answer[answer.len() - 4..].to_vec();
    assert_eq!(
        first.each_ref().map(|answer| last(answer)),
        [[198, 18, 0, 1], [198, 18, 0, 2], [127, 0, 0, 1]]
    );
    assert_eq!(last(&framed), [198, 18, 0, 2]);
    assert!(others.iter().all(|answer| answer[6..8] == [0, 0]), "{others:?}");
    let Ok(Host::Name(other)) = Host::parse("other.example") else { panic!() };
    assert_eq!(bench.relay.shared.names.name([198, 18, 0, 2].into()), Some(other));
    assert_eq!(bench.relay.shared.names.name([198, 18, 0, 3].into()), None);
    assert!(bench.world.looked_up().is_empty() && bench.world.asked().is_empty());
}
