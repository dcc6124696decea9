//! Programs that are built first, and a protocol that requires its own server: a build script, a statically
//! linked program, HTTP/2 inside TLS.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use guarda_sandbox::SandboxLevel;

use crate::jail::{Jail, program};
use crate::relayed::{Server, folder, installed, run, run_within};

#[test]
fn a_build_script_reaches_the_admitted_host_and_no_other() {
    let cargo = installed(env!("CARGO"));
    let jail = Jail::new();
    let server = Server::of(&folder(&jail, &[("file", b"planted")]));
    let script = "mkdir -p src && touch src/lib.rs && printf '[package]\\nname = \"p\"\\nversion = \"0.1.0\"\\n' > Cargo.toml
cat > build.rs <<'end'
use std::io::{Read, Write};
fn main() {
    let host = std::env::var(\"wanted\").unwrap();
    let mut stream = std::net::TcpStream::connect(&*host).unwrap();
    write!(stream, \"GET /file HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n\").unwrap();
    let mut came = String::new();
    stream.read_to_string(&mut came).unwrap();
    assert!(came.ends_with(\"planted\"), \"{came}\");
}
end
";
    let mut spec = jail.spec(SandboxLevel::Confined);
    spec.readable.push(cargo.ancestors().nth(2).unwrap().to_owned());
    let build = |host: &str| {
        let rustc = cargo.with_file_name("rustc");
        let build = format!(
            "export CARGO_HOME=$TMPDIR/cargo CARGO_TARGET_DIR=$TMPDIR/target RUSTC={} wanted={host}:$port; {} build --offline",
            rustc.display(),
            cargo.display()
        );
        run_within(&spec, &jail, &format!("{script}{build}"), server.port)
    };
    let evil = build("evil.example");
    evil.done.fails();
    assert!(evil.of("evil.example").refused > 0 && !evil.looked_up("evil.example"), "{:#?}", evil.done);
    assert_eq!((evil.asked(), server.named("evil.example")), (vec!["evil.example".to_owned()], 0));
    let good = build("good.example");
    good.done.succeeds();
    assert_eq!((good.of("good.example").connections, server.named("good.example")), (1, 1));
}

/// A program of Go without a C library: it makes its system calls and looks up names itself.
#[test]
fn a_static_program_reaches_the_admitted_host_and_no_other() {
    let jail = Jail::new();
    let server = Server::of(&folder(&jail, &[("file", b"planted")]));
    let source = "package main
import (\"fmt\"; \"io\"; \"net\"; \"os\")
func main() {
    c, err := net.Dial(\"tcp\", os.Args[1])
    if err != nil { fmt.Println(err); os.Exit(3) }
    fmt.Fprintf(c, \"GET /file HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n\", os.Args[1])
    io.Copy(os.Stdout, c)
}";
    std::fs::write(jail.outside("static.go"), source).unwrap();
    let make =
        "export HOME=$PWD GO111MODULE=off CGO_ENABLED=0; go build -o static static.go && readelf -l static";
    let made = program("/bin/bash").args(["-c", make]).current_dir(jail.outside("")).output().unwrap();
    assert!(made.status.success() && !String::from_utf8_lossy(&made.stdout).contains("INTERP"), "{made:?}");
    std::fs::copy(jail.outside("static"), jail.at("work/static")).unwrap();
    let named = std::env::var_os(crate::notified::NO_NAMESPACES).is_none();
    let good = run(&jail, "./static good.example:$port", server.port);
    let evil = run(&jail, "./static evil.example:$port", server.port);
    if named {
        assert!(good.done.succeeds().out.contains("planted"), "{:#?}", good.done);
        assert!(evil.of("evil.example").refused > 0 && !evil.looked_up("evil.example"));
        assert_eq!(evil.asked(), ["evil.example"]);
    } else {
        // It asks by datagrams, which nothing answers there.
        for came in [good, evil] {
            assert!(came.done.fails().out.contains("lookup"), "{:#?}", came.done);
            assert_eq!(came.asked(), [""; 0]);
        }
    }
    let address = run(&jail, "./static 93.184.216.34:80", server.port);
    assert!(address.of("93.184.216.34").refused > 0, "{:#?}", address.done);
    assert_eq!(address.asked(), ["93.184.216.34"]);
    assert_eq!(server.named("evil.example"), 0);
}

/// Inside TLS a request can name any host. It still arrives at the admitted one.
#[test]
fn http_2_inside_tls_reaches_the_machine_of_the_admitted_host_and_no_other() {
    let jail = Jail::new();
    let make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2 -subj /CN=good.example";
    let made = program("/bin/bash").args(["-c", make]).current_dir(jail.outside("")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let source = "const fs = require('fs'), http2 = require('http2');
const server = http2.createSecureServer({ key: fs.readFileSync('key'), cert: fs.readFileSync('cert') });
server.on('stream', (stream, headers) => { stream.respond(); stream.end('for ' + headers[':authority'].split(':')[0] + '\\n'); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));";
    let mut node = program("node");
    node.args(["-e", source]).current_dir(jail.outside("")).stdout(Stdio::piped());
    let mut server = node.spawn().unwrap();
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let port = port.trim().parse().unwrap();
    let curl = "curl -sk --http2 -w '%{http_version}' OPTIONS https://HOST:$port/";
    for options in ["", "--noproxy '*'"] {
        let line = |host: &str| curl.replace("OPTIONS", options).replace("HOST", host);
        let good = run(&jail, &line("good.example"), port);
        assert_eq!(good.done.succeeds().out, "for good.example\n2");
        let evil = run(&jail, &line("evil.example"), port);
        evil.done.fails();
        assert!(evil.of("evil.example").refused > 0 && !evil.looked_up("evil.example"));
        assert_eq!(evil.asked(), ["evil.example"]);
    }
    let second = "node -e \"
const session = require('http2').connect('https://good.example:' + process.env.port, { rejectUnauthorized: false });
const request = session.request({ ':path': '/', ':authority': 'evil.example' });
request.on('data', (data) => process.stdout.write(data)); request.on('end', () => session.close()); request.end();\"";
    let came = run(&jail, second, port);
    assert_eq!(came.done.succeeds().out, "for evil.example\n");
    assert_eq!((came.of("good.example").connections, came.looked_up("evil.example")), (1, false));
    server.kill().unwrap();
    server.wait().unwrap();
}
