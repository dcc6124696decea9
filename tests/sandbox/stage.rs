//! Staged runs: writes reach an upper folder and nothing else.

use guarda_sandbox::Spec;
use guarda_sandbox::process::Status;
use guarda_sandbox::stage::StagedRoot;

use crate::jail::{Jail, run, sandbox};

/// Stages one folder of a jail. The upper folder is the guard's folder `part`, and no two runs share it.
pub fn staged(jail: &Jail, root: &str, part: &str) -> Spec {
    let part = |name: &str| {
        let path = jail.at("guard").join(root.replace('/', "-") + part).join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    };
    let staged = StagedRoot { root: jail.at(root), upper: part("upper"), work: part("work") };
    let mut spec = Spec::stage(Some(jail.at("")), jail.at("work"), vec![staged]);
    spec.hidden.push(jail.at("guard"));
    spec
}

/// A tool's cache at its first run in a home. What the run writes there may lie on a drive from which nothing is executed, as the
/// suite's account has one.
#[test]
fn a_missing_folder_is_empty_in_a_run_and_missing_after_it() {
    let drive = std::env::home_dir().unwrap().join("pendrive");
    let on_drive = drive.is_dir().then(|| tempfile::tempdir_in(&drive).unwrap());
    let jail = Jail::new();
    let mut places = vec![jail.at("guard/scratch")];
    places.extend(on_drive.iter().map(|folder| folder.path().to_owned()));
    for (number, place) in places.iter().enumerate() {
        let mut spec = staged(&jail, "work", &format!("missing{number}"));
        let part = |name: &str| {
            std::fs::create_dir_all(place.join(name)).unwrap();
            place.join(name)
        };
        let scratch = StagedRoot { root: jail.at(".a/cache"), upper: part("upper"), work: part("work") };
        spec.writable.push(scratch.root.clone());
        spec.staged.push(scratch);
        let script = "ls -A ~/.a/cache && echo new > ~/.a/cache/new && cat ~/.a/cache/new";
        let done = run(&spec, jail.script(script, &[]));
        assert_eq!(done.succeeds().out, "new\n", "{}", place.display());
        assert_eq!(names(&place.join("upper")), ["new"]);
        assert!(!jail.at(".a").exists());
    }
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_written_goes_to_the_upper_folder() {
    let jail = Jail::new();
    let script =
        "echo new > new; echo more >> file; mkdir -p deep/er; chmod 600 file; rm -f gone; cat file new";
    std::fs::write(jail.at("work/gone"), "x").unwrap();
    let done = run(&staged(&jail, "work", ""), jail.script(script, &[]));
    assert_eq!(done.succeeds().out, "mine".to_owned() + "more\nnew\n");
    assert!(done.protection.is_whole(), "{:?}", done.protection);
    assert_eq!(names(&jail.at("work")), ["file", "gone"]);
    assert_eq!(std::fs::read_to_string(jail.at("work/file")).unwrap(), "mine");
    assert_eq!(names(&jail.at("guard/work/upper")), ["deep", "file", "gone", "new"]);
}

#[test]
fn nothing_beside_the_root_changes_and_no_secret_is_seen() {
    let jail = Jail::new();
    for root in ["work", ""] {
        let lines = [
            ("echo x > \"$outside/new\"", "another folder"),
            ("chmod 777 \"$outside/file\"", "another folder's modes"),
            ("touch \"$outside/file\"", "another folder's times"),
            ("cat \"$home/.ssh/id_ed25519\"", "a secret"),
            ("ls -A \"$home/.ssh\" | grep .", "the names of secrets"),
            ("cat \"$home/.netrc\" | grep SECRET", "a secret file"),
            ("cat \"$home/guard/token\"", "the guard's own"),
            ("mount -t tmpfs x \"$home\"", "mounting"),
            ("kill -0 $PPID && ls /proc/[0-9]* -d | wc -l | grep -qv '^[1-9]$'", "other processes"),
            ("exec 3<>/dev/tcp/192.0.2.1/80", "the network"),
            ("umount \"$work\"", "the overlay"),
        ];
        for (number, (line, why)) in lines.iter().enumerate() {
            let done = run(&staged(&jail, root, &number.to_string()), jail.script(line, &[]));
            assert_ne!(done.status, Status::Exited(0), "{why} from {root:?}: {done:#?}");
            assert!(!done.out.contains("SECRET"), "{why} from {root:?}: {done:#?}");
        }
    }
    assert_eq!(names(&jail.outside("")), ["file"]);
}

/// Listing a folder that holds the guard's own does not fail there, and shows nothing of it. In a repository it would look deleted.
#[test]
fn the_guards_own_folder_looks_empty() {
    let jail = Jail::new();
    let own = |spec: Spec| Spec { own: spec.hidden.clone(), ..spec };
    let mut look = Spec::look(guarda_sandbox::SandboxLevel::Confined, Some(jail.at("")), jail.at("work"));
    look.readable.push(jail.at(""));
    look.hidden.push(jail.at("guard"));
    let look = own(look);
    for (place, spec) in [
        ("a look", look),
        ("beside the root", own(staged(&jail, "work", ""))),
        ("in the root", own(staged(&jail, "", "1"))),
    ] {
        let done =
            run(&spec, jail.script("find \"$home/guard\" && ! cat \"$home/guard/token\" 2>/dev/null", &[]));
        let found = done.succeeds().out.clone();
        assert_eq!(found, format!("{}\n", jail.at("guard").display()), "{place}");
    }
    std::fs::create_dir(jail.at(".git")).unwrap();
    let done = run(&own(staged(&jail, "", "2")), jail.script("find \"$home/guard\"", &[]));
    assert_ne!(done.status, Status::Exited(0), "{done:#?}");
}

#[test]
fn the_home_folder_is_a_root_with_its_upper_folder_below_it() {
    let jail = Jail::new();
    let script = "echo x > \"$home/notes\"; rm \"$home/Documents/letter.txt\"; ls -A \"$home\"";
    let done = run(&staged(&jail, "", ""), jail.script(script, &[]));
    assert!(done.succeeds().out.contains("notes"), "{done:#?}");
    assert!(!jail.at("notes").exists() && jail.at("Documents/letter.txt").exists());
    assert_eq!(names(&jail.at("guard/upper")), ["Documents", "notes"]);
}

#[test]
fn a_server_of_the_run_is_reached_by_the_run_alone() {
    let jail = Jail::new();
    let script = "python3 -c '
import socket
server = socket.create_server((\"127.0.0.1\", 0))
client = socket.create_connection(server.getsockname())
print(client.getpeername()[0])'";
    let done = run(&staged(&jail, "work", ""), jail.script(script, &[]));
    assert_eq!(done.succeeds().out, "127.0.0.1\n");
    assert_eq!(done.over.tried, Default::default(), "{done:#?}");
    let done = run(&staged(&jail, "work", "away"), jail.script("exec 3<>/dev/tcp/192.0.2.1/80", &[]));
    assert!(done.fails().over.tried.machines > 0, "{done:#?}");
    let done = run(&staged(&jail, "work", "port"), jail.script("exec 3<>/dev/tcp/127.0.0.1/9", &[]));
    assert_eq!((done.over.tried.machines, done.fails().over.tried.ports), (0, 1));
}

/// Each line with the reported attempts: how many, and the names.
#[test]
fn what_a_run_tries_to_reach_is_named() {
    let jail = Jail::new();
    let look_up = "python3 -c 'import socket; socket.getaddrinfo(\"Registry.npmjs.org\", 443)'";
    let datagram = "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.7\", 123))'";
    // Packets to itself exceed the number of recorded packets. If they were recorded, they would displace the outgoing one.
    let noise = "python3 -c 'import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); a.bind((\"127.0.0.1\", 0))
for _ in range(5000): a.sendto(b\"x\" * 1000, a.getsockname()); a.recv(2000)
socket.socket().connect_ex((\"192.0.2.8\", 22))'";
    let many = "for n in $(seq 1 60); do (exec 3<>/dev/tcp/192.0.2.9/$n); done; exit 1";
    let all: Vec<String> = (1..=32).map(|port| format!("192.0.2.9:{port}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for (number, (line, machines, ports, sought)) in [
        ("exec 3<>/dev/tcp/192.0.2.1/443", 1.., 0, &["192.0.2.1:443"][..]),
        ("exec 3<>/dev/tcp/127.0.0.1/5432", 0.., 1, &["127.0.0.1:5432"]),
        ("exec 3<>/dev/tcp/::1/5432", 0.., 1, &["[::1]:5432"]),
        ("exec 3<>/dev/tcp/2001:db8::1/80", 1.., 0, &["[2001:db8::1]:80"]),
        (look_up, 1.., 0, &["registry.npmjs.org"]),
        (datagram, 1.., 0, &["192.0.2.7:123"]),
        (noise, 1.., 0, &["192.0.2.8:22"]),
        (many, 32.., 0, &all),
    ]
    .into_iter()
    .enumerate()
    {
        let done = run(&staged(&jail, "work", &number.to_string()), jail.script(line, &[]));
        let tried = &done.over.tried;
        let names: Vec<String> = tried.sought.iter().map(ToString::to_string).collect();
        // A resolver repeats the query with its configured suffixes.
        let named = if line == look_up { &names[..names.len().min(1)] } else { &names[..] };
        assert_eq!(named, sought, "{line}: {done:#?}");
        assert!(machines.contains(&tried.machines) && tried.ports == ports, "{line}: {done:#?}");
    }
}

#[test]
fn it_has_terminals_and_a_temporary_folder_of_its_own() {
    let jail = Jail::new();
    let done = run(
        &staged(&jail, "work", ""),
        jail.script("echo x > /tmp/a; ls /tmp /dev/pts; echo \"$TMPDIR\"", &[]),
    );
    assert!(done.succeeds().out.contains("ptmx"), "{done:#?}");
    assert!(!std::path::Path::new("/tmp/a").exists());
}

#[tokio::test]
async fn a_machine_that_can_says_so() {
    let can = sandbox().probe().await;
    assert!(can.stage.is_ok_and(|protection| protection.is_whole()));
}
