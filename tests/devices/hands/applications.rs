//! Applications by their desktop entries, and addresses by the application chosen for them.

use std::io::{Read as _, Write as _};

use guarda::hands::HandsConfig;
use guarda_core::output::Ended;
use serde_json::json;

use super::act::{act, act_with, stdout, why};
use crate::common::machine::{Machine, text_of};
use crate::common::until;

/// A calculator that writes down that it was started.
fn calculator(machine: &Machine) -> std::path::PathBuf {
    let (program, words) = machine.recorder("calc");
    let names = "Name=Guard Calculator\nName[pt_BR]=Calculadora do Guardião\nGenericName=Sums\nGenericName[fr]=Calculette";
    let rest = "Keywords=sums;\nKeywords[pt_BR]=contas;\nCategories=Utility;Calculator;";
    machine.entry("org.guard.Calc", &format!("{names}\n{rest}\nExec={} started", program.display()));
    words
}

#[tokio::test]
async fn an_application_is_found_by_whatever_it_is_called() {
    let mut machine = Machine::new().with_named_display();
    // An empty list would mean the usual folders.
    machine.set("XDG_DATA_DIRS", machine.path("empty").to_str().unwrap().to_owned().as_str());
    let words = calculator(&machine);
    let (other, _) = machine.recorder("other");
    machine.entry("other", &format!("Name=Another Calculator Thing\nExec={}", other.display()));
    for name in [
        "Guard Calculator",
        "calculadora do guardiao",
        "CALCULADORA DO GUARDIÃO",
        "calculette",
        "contas",
        "calc",
        "org.guard.Calc",
        "calculadora",
        "a calculadora",
        "guard",
        "la calculatrice",
    ] {
        let output = act(&machine, json!({"action": "OPEN_APP", "target": name})).await;
        assert_eq!(output.ended, Ended::Finished, "{name}");
        assert_eq!(text_of(&words), "started\n", "{name}");
        std::fs::remove_file(&words).unwrap();
    }
    for name in ["firefox", "calculon", "/bin/true", "true", "rm -rf x", "--help", "-e", "../calc", "g"] {
        let output = act(&machine, json!({"action": "OPEN_APP", "target": name})).await;
        assert_eq!(output.ended, Ended::NotFound(name.to_owned()));
    }
    assert!(!words.exists());
}

#[tokio::test]
async fn an_application_that_fails_is_no_success() {
    let machine = Machine::new().with_named_display();
    machine.entry("fails", "Name=Fails\nExec=false");
    machine.entry("gone", "Name=Gone\nExec=/there/is/no/program");
    machine.entry(
        "killed",
        r#"Name=Killed
Exec=sh -c "kill -9 \\$\\$""#,
    );
    for (name, expected) in [("Fails", "exit status 1"), ("Gone", "is not there"), ("Killed", "signal 9")] {
        let output = act(&machine, json!({"action": "OPEN_APP", "target": name})).await;
        assert!(matches!(output.ended, Ended::Failed(_)), "{:?}", output.ended);
        assert!(why(&output).contains(expected), "{}", why(&output));
    }
}

#[tokio::test]
async fn a_role_means_what_can_run_here() {
    let mut machine = Machine::new().with_named_display();
    machine.set("XDG_DATA_DIRS", machine.path("empty").to_str().unwrap().to_owned().as_str());
    let (foot, foot_words) = machine.recorder("foot");
    machine.entry("a-foot", &format!("Name=Foot\nExec={}\nCategories=TerminalEmulator;", foot.display()));
    machine.entry("b-gone", "Name=Gone\nExec=no-such-program\nCategories=TerminalEmulator;");
    let (term, words) = machine.recorder("plain-term");
    machine.entry(
        "c-term",
        &format!("Name=Term\nExec={} started\nCategories=TerminalEmulator;", term.display()),
    );
    let output = act(&machine, json!({"action": "OPEN_APP", "target": "o terminal"})).await;
    assert_eq!(output.ended, Ended::Finished);
    assert_eq!(text_of(&words), "started\n");
    assert!(!foot_words.exists(), "foot needs Wayland");
    machine.set("WAYLAND_DISPLAY", "wayland-9");
    let output = act(&machine, json!({"action": "OPEN_APP", "target": "terminal"})).await;
    assert_eq!((output.ended, foot_words.exists()), (Ended::Finished, true));

    // A text editor with a window comes before one that needs a terminal, unless the user has set that one.
    machine.entry("a-vim", "Name=Vim\nExec=vim\nTerminal=true\nMimeType=text/plain;\nCategories=TextEditor;");
    let (edit, words) = machine.recorder("edit");
    machine.entry("b-edit", &format!("Name=Edit\nExec={} started\nCategories=TextEditor;", edit.display()));
    let output = act(&machine, json!({"action": "OPEN_APP", "target": "editor de texto"})).await;
    assert_eq!((output.ended, text_of(&words)), (Ended::Finished, "started\n".to_owned()));
}

#[tokio::test]
async fn a_folder_is_known_by_what_people_call_it() {
    let machine = Machine::new().with_named_display();
    let (manager, words) = machine.recorder("manager");
    machine
        .entry("manager", &format!("Name=Manager\nExec={} %f\nMimeType=inode/directory;", manager.display()));
    let home = machine.path("home");
    std::fs::create_dir_all(home.join("Baixados")).unwrap();
    std::fs::create_dir_all(home.join("Imagens")).unwrap();
    std::fs::write(machine.path("config/user-dirs.dirs"), "XDG_DOWNLOAD_DIR=\"$HOME/Baixados\"\n").unwrap();
    for (name, folder) in [
        ("downloads", "Baixados"),
        ("a pasta de downloads", "Baixados"),
        ("my downloads", "Baixados"),
        ("les téléchargements", "Baixados"),
        ("imagens", "Imagens"),
        ("mes images", "Imagens"),
        ("my pictures", "Imagens"),
    ] {
        let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": name})).await;
        assert_eq!(output.ended, Ended::Finished, "{name}");
        assert_eq!(text_of(&words), format!("{}\n", home.join(folder).display()), "{name}");
        std::fs::remove_file(&words).unwrap();
    }
    // A folder of the home folder that has this very name is meant first.
    std::fs::create_dir(home.join("downloads")).unwrap();
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": "downloads"})).await;
    assert_eq!(output.ended, Ended::Finished);
    assert_eq!(text_of(&words), format!("{}\n", home.join("downloads").display()));
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": "vídeos"})).await;
    assert_eq!(output.ended, Ended::NotFound("vídeos".to_owned()));
}

#[tokio::test]
async fn a_folder_is_shown_by_the_next_application_where_the_first_cannot_run() {
    let machine = Machine::new().with_named_display();
    let (manager, words) = machine.recorder("manager");
    let types = "MimeType=inode/directory;";
    machine.entry("a-fails", &format!("Name=A\nExec=false %f\n{types}"));
    machine.entry("b-shows", &format!("Name=B\nExec={} %f\n{types}", manager.display()));
    let home = machine.path("home");
    std::fs::create_dir_all(home.join("Fotos")).unwrap();
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": "Fotos"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    assert_eq!(text_of(&words), format!("{}\n", home.join("Fotos").display()));
}

#[tokio::test]
async fn an_entry_that_was_put_in_front_since_is_not_started() {
    let machine = Machine::new().with_named_display();
    let words = calculator(&machine);
    let (evil, evil_words) = machine.recorder("evil");
    let config = HandsConfig::of_session(machine.session());
    let swap = |_: &_| machine.entry("a", &format!("Name=Guard Calculator\nExec={}", evil.display()));
    let action = json!({"action": "OPEN_APP", "target": "guard calculator"});
    let output = act_with(&config, &machine, action, swap).await;
    assert!(matches!(output.ended, Ended::Changed(_)), "{:?}", output.ended);
    assert!(!words.exists() && !evil_words.exists());
    // An entry whose text was changed is not started, either.
    let text = format!("Name=Guard Calculator\nExec={}", evil.display());
    let action = json!({"action": "OPEN_APP", "target": "guard calculator"});
    let output = act_with(&config, &machine, action, |_| machine.entry("a", &text)).await;
    assert!(matches!(output.ended, Ended::Changed(_)), "{:?}", output.ended);
    assert!(!words.exists() && !evil_words.exists());
}

#[tokio::test]
async fn an_application_in_a_terminal_gets_its_words() {
    let machine = Machine::new().with_named_display();
    let (terminal, words) = machine.recorder("my-terminal");
    machine.entry("top", "Name=Top\nExec=top \"a b\" '$(id)'\nTerminal=true");
    let config = HandsConfig {
        terminal: Some(terminal.display().to_string()),
        ..HandsConfig::of_session(machine.session())
    };
    let action = json!({"action": "OPEN_APP", "target": "top"});
    let output = act_with(&config, &machine, action.clone(), |_| ()).await;
    assert_eq!(output.ended, Ended::Finished);
    assert_eq!(text_of(&words), "-e\ntop\na b\n'$(id)'\n");
    let config = HandsConfig { terminal: Some("no-such-terminal".to_owned()), ..config };
    let output = act_with(&config, &machine, action, |_| ()).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
}

#[tokio::test]
async fn an_address_stays_one_word() {
    let machine = Machine::new().with_named_display();
    let (browser, words) = machine.recorder("browser");
    machine.entry("browser", &format!("Name=B\nExec={} %u\nNoDisplay=true", browser.display()));
    let list = "[Default Applications]\nx-scheme-handler/https=browser.desktop\nx-scheme-handler/http=browser.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    for (target, word) in [
        ("https://x.example/?b=$(id)", "https://x.example/?b=$(id)"),
        ("https://x.example/;touch$IFS/tmp/x&c=`id`", "https://x.example/;touch$IFS/tmp/x&c=%60id%60"),
        ("example.org", "https://example.org/"),
        ("HTTP://EXAMPLE.org:80/a b".split(' ').next().unwrap(), "http://example.org/a"),
        ("https://x.example/%20?q='\"", "https://x.example/%20?q=%27%22"),
    ] {
        let output = act(&machine, json!({"action": "OPEN_URL", "target": target})).await;
        assert_eq!(output.ended, Ended::Finished, "{target}: {}", why(&output));
        assert_eq!(text_of(&words).trim_end(), word, "{target}");
        std::fs::remove_file(&words).unwrap();
    }
}

#[tokio::test]
async fn no_browser_is_told_as_such() {
    let mut machine = Machine::new().with_named_display();
    machine.set("XDG_DATA_DIRS", machine.path("empty").to_str().unwrap().to_owned().as_str());
    machine.set("PATH", machine.path("empty").to_str().unwrap().to_owned().as_str());
    let output = act(&machine, json!({"action": "OPEN_URL", "target": "https://example.org/"})).await;
    assert!(matches!(output.ended, Ended::Unavailable(_)), "{:?}", output.ended);
    assert!(why(&output).contains("browser"), "{}", why(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_browser_asks_a_real_server() {
    let machine = Machine::new().with_display();
    let list = "[Default Applications]\nx-scheme-handler/http=dillo.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut request = [0; 2048];
        let count = stream.read(&mut request).unwrap();
        let page = "<html><head><title>GuardPage</title></head><body>here</body></html>";
        let head =
            format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", page.len());
        stream.write_all(format!("{head}{page}").as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..count]).lines().next().unwrap_or_default().to_owned()
    });
    let target = format!("http://127.0.0.1:{port}/page?via=$(id)&x=1");
    let output = act(&machine, json!({"action": "OPEN_URL", "target": target})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    machine.window("GuardPage");
    assert_eq!(asked.join().unwrap(), "GET /page?via=$(id)&x=1 HTTP/1.1");
}

#[tokio::test]
async fn a_real_application_shows_its_window() {
    let machine = Machine::new().with_bus().with_display();
    let exec = "xterm -title CalculadoraAberta -e sleep 60";
    machine.entry("calc", &format!("Name=Calc\nName[pt_BR]=Calculadora do Guardião\nExec={exec}"));
    let output = act(&machine, json!({"action": "OPEN_APP", "target": "calculadora do guardiao"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    assert_eq!(stdout(&output), "Calc\n");
    machine.window("CalculadoraAberta");
}

#[tokio::test]
async fn a_folder_is_shown_by_the_file_manager() {
    let machine = Machine::new().with_bus().with_display();
    let list = "[Default Applications]\ninode/directory=pcmanfm.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let folder = machine.home().join("Meus Documentos é $(id)");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(machine.home().join("file"), "").unwrap();
    let target = "~/Meus Documentos é $(id)";
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": target})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    machine.window("Meus Documentos");
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": "no such folder"})).await;
    assert_eq!(output.ended, Ended::NotFound("no such folder".to_owned()));
    let output = act(&machine, json!({"action": "OPEN_FOLDER", "target": "~/file"})).await;
    assert!(why(&output).contains("not a folder"), "{:?}", output.ended);
}

#[tokio::test]
async fn a_file_is_opened_by_the_application_for_its_type() {
    let machine = Machine::new().with_named_display();
    let (reader, words) = machine.recorder("reader");
    machine.entry("reader", &format!("Name=R\nExec={} %f\nMimeType=text/plain;", reader.display()));
    let list = "[Default Applications]\ntext/plain=reader.desktop\n";
    std::fs::write(machine.path("config/mimeapps.list"), list).unwrap();
    let file = machine.home().join("nota $(id).txt");
    std::fs::write(&file, "text\n").unwrap();
    let output = act(&machine, json!({"action": "FILE_OPEN", "target": "nota $(id).txt"})).await;
    assert_eq!(output.ended, Ended::Finished, "{}", why(&output));
    until("the reader", || words.exists());
    assert_eq!(text_of(&words).trim_end(), file.canonicalize().unwrap().to_str().unwrap());
}

/// What nobody could see is not started, and not told as done.
#[tokio::test]
async fn without_a_display_nothing_is_opened() {
    let machine = Machine::new();
    let (browser, words) = machine.recorder("browser");
    let types = "text/plain;text/html;inode/directory;x-scheme-handler/https";
    for (id, more) in [("w3m", "Terminal=true\n"), ("graphic", "")] {
        let entry = format!("Name={id}\nExec={} %u\n{more}MimeType={types};", browser.display());
        machine.entry(id, &entry);
    }
    std::fs::write(machine.home().join("nota.txt"), "text\n").unwrap();
    for (action, target) in [
        ("OPEN_URL", "https://example.org/"),
        ("FILE_OPEN", "nota.txt"),
        ("OPEN_FOLDER", "~"),
        ("OPEN_APP", "graphic"),
        ("OPEN_APP", "w3m"),
    ] {
        let output = act(&machine, json!({"action": action, "target": target})).await;
        assert!(matches!(output.ended, Ended::Unavailable(_)), "{action}: {:?}", output.ended);
        assert!(why(&output).contains("no display"), "{action}: {}", why(&output));
    }
    assert!(!words.exists());
}

#[tokio::test]
async fn what_cannot_be_done_is_known_before_anybody_is_asked() {
    let machine = Machine::new();
    std::fs::write(machine.home().join("there.txt"), "x").unwrap();
    let hands = guarda::hands::Hands::new(HandsConfig::of_session(machine.session()));
    for (action, can) in [
        (json!({"action": "WIFI", "target": "on"}), false),
        (json!({"action": "BLUETOOTH", "target": "off"}), false),
        (json!({"action": "SUSPEND"}), false),
        (json!({"action": "KEY_PRESS", "target": "y"}), false),
        (json!({"action": "SCREENSHOT"}), false),
        (json!({"action": "DO_NOT_DISTURB", "target": "on"}), false),
        (json!({"action": "CLOSE_APP", "target": "firefox"}), false),
        (json!({"action": "OPEN_APP", "target": "no such application"}), false),
        (json!({"action": "FILE_DELETE", "target": "gone.txt"}), false),
        (json!({"action": "FILE_COPY", "target": "gone.txt", "params": {"destination": "b"}}), false),
        (json!({"action": "FILE_MKDIR", "target": "there.txt"}), false),
        (json!({"action": "FILE_DELETE", "target": "there.txt"}), true),
        (json!({"action": "FILE_MKDIR", "target": "new"}), true),
        (json!({"action": "RUN_COMMAND", "target": "rm gone.txt"}), true),
    ] {
        let request: guarda_core::action::Request = serde_json::from_value(action.clone()).unwrap();
        let proposal = guarda_core::action::Proposal::parse(request).unwrap();
        let situation = hands.look(&proposal, false).unwrap();
        let ended = hands.impossible(&proposal, &situation).await;
        assert_eq!(ended.is_none(), can, "{action}: {ended:?}");
    }
}
