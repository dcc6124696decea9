//! `guarda ask`: a sentence, a model's action, the service, and the end in words.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::scripted::{Llama, Reaction, Scripted};
use crate::common::{Service, folder, guarda, told};
use serde_json::json;

/// A service, and the configuration of a model beside it.
fn service(address: &str, more: &str) -> Service {
    let folder = folder("", "confirmation_timeout_seconds = 1");
    let path = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let models = format!(
        "[endpoint]\naddress = \"{address}\"\n[ask]\nmodel = \"tiny\"\ntimeout_seconds = 300\n{more}"
    );
    std::fs::write(path, format!("{text}[language]\ndefault = \"pt-BR\"\n{models}")).unwrap();
    Service::on(folder)
}

fn ask(service: &Service, words: &[&str]) -> (i32, String, String) {
    told(guarda(service.folder.path()).arg("ask").args(words).output().unwrap())
}

/// A model that understands four sentences.
fn model() -> Scripted {
    Scripted::new(|body| {
        let messages = body["messages"].as_array().unwrap();
        let said = messages.last().unwrap()["content"].as_str().unwrap();
        let action = match () {
            () if said.contains("bom dia") => {
                json!({"action": "REPLY", "target": "Bom dia! Como posso ajudar?"})
            }
            () if said.contains("que sistema") => json!({"action": "RUN_COMMAND", "target": "uname -s"}),
            () if said.contains("apaga tudo") => {
                json!({"action": "RUN_COMMAND", "target": "rm -rf --no-preserve-root /"})
            }
            () if said.contains("rascunho") => json!({"action": "FILE_DELETE", "target": "rascunho.txt"}),
            () if said.contains("conversa") => {
                return Reaction::Writes("Claro, eu adoraria conversar!".into());
            }
            () if said.contains("duas coisas") => {
                return Reaction::Writes(r#"[{"action": "LOCK"}, {"action": "SUSPEND"}]"#.into());
            }
            () if said.contains("longo") => {
                return Reaction::Cut(r#"{"action": "REPLY", "target": "era"#.into());
            }
            () if said.contains("quebra") => return Reaction::Says(500, "model \u{1b}[2Jcrashed".into()),
            () => json!({"action": "UNKNOWN"}),
        };
        Reaction::Writes(action.to_string())
    })
}

#[test]
fn a_sentence_becomes_an_action_and_its_end_is_told() {
    let model = model();
    let service = service(&model.address, "");
    std::fs::write(service.folder.path().join("rascunho.txt"), "x").unwrap();
    for (sentence, code, shown) in [
        ("bom dia", 0, vec!["→ dizer  Bom dia! Como posso ajudar?", "feito\nBom dia! Como posso ajudar?"]),
        ("que sistema é este?", 0, vec!["→ executar um comando  uname -s", "feito\nLinux"]),
        ("apaga tudo", 3, vec!["→ executar um comando  rm -rf", "proibido", "Não deixei"]),
        // Without a yes, nothing is done.
        ("apaga o rascunho", 5, vec!["→ apagar  rascunho.txt", "sem resposta"]),
        ("xyzzy", 1, vec!["→ pedido não entendido", "Ouvi: xyzzy. Isso eu não sei fazer."]),
    ] {
        let (end, out, err) = ask(&service, &[sentence]);
        assert_eq!(end, code, "{sentence}: {out} {err}");
        for words in shown {
            assert!(out.contains(words), "{sentence}: {words:?} in {out}");
        }
    }
    assert!(service.folder.path().join("rascunho.txt").exists());
    let seen = model.seen();
    let system = seen[0]["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.contains("VOLUME_DOWN (percent; 5 if it is missing)") && system.contains("pt-BR"),
        "{system}"
    );
    assert_eq!(seen[0]["response_format"]["json_schema"]["schema"]["title"], "Action");
    assert!(!seen[0].to_string().contains(&service.token), "the model gets no token");
    // It asked as any caller, in a session of its own, and could not have answered.
    let lines = service.journal();
    let mine = lines.iter().filter(|line| line.to_string().contains("\"ask-")).count();
    assert!(mine > 0, "{lines:#?}");
}

#[test]
fn only_judged_nothing_happens() {
    let model = model();
    let service = service(&model.address, "constrain = \"grammar\"\n");
    let (end, out, _) = ask(&service, &["--judge", "que", "sistema"]);
    assert!(end == 0 && out.contains("aprovado") && !out.contains("confirmação"), "{out}");
    let (end, out, _) = ask(&service, &["--judge", "apaga o rascunho"]);
    assert!(end == 4 && out.contains("precisa do seu sim"), "{out}");
    assert!(service.questions().is_empty());
    assert!(model.seen()[0]["grammar"].as_str().unwrap().contains("root ::="));
}

#[test]
fn what_is_no_action_is_not_guessed() {
    let model = model();
    let service = service(&model.address, "constrain = \"none\"\n");
    let before = service.journal().len();
    for (sentence, words) in [
        ("vamos ter uma conversa", "não é uma ação"),
        ("faz duas coisas", "2 at once"),
        ("um texto longo", "cut off"),
        ("quebra", "responde 500: model ⟨U+001B⟩[2Jcrashed"),
    ] {
        let (end, out, err) = ask(&service, &[sentence]);
        assert!(end == 1 && err.contains(words), "{sentence}: {end} {out} {err}");
    }
    assert_eq!(service.journal().len(), before, "nothing was asked of the service");
    drop(model);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let alone = self::service(&format!("http://{nobody}/v1"), "");
    let (end, _, err) = ask(&alone, &["conta uma piada"]);
    assert!(end == 1 && err.contains("ollama serve"), "{err}");
    // What everybody says needs no model.
    let (_, out, err) = ask(&alone, &["--judge", "abaixa o volume, por favor"]);
    assert!(out.contains("→ diminuir o volume") && out.contains("aprovado"), "{out} {err}");
}

/// Without a configured model, it is the only one of the server.
#[test]
fn the_only_model_of_a_server_is_taken() {
    let model = model();
    let folder = folder("", "");
    let path = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, format!("{text}[endpoint]\naddress = \"{}\"\n", model.address)).unwrap();
    let service = Service::on(folder);
    let (_, out, err) = ask(&service, &["que sistema é este?"]);
    assert!(out.contains("Linux"), "{out} {err}");
    assert_eq!(model.seen()[0]["model"], "tiny");
}

#[test]
fn a_conversation_remembers_what_was_said() {
    let model = model();
    let service = service(&model.address, "");
    let mut command = guarda(service.folder.path());
    command.arg("ask").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = "bom dia\n\nvamos ter uma conversa\nque sistema é este?\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let (end, out, err) = told(child.wait_with_output().unwrap());
    assert_eq!(end, 0, "{err}");
    assert!(
        out.contains("Bom dia!") && out.contains("Linux") && err.contains("não é uma ação"),
        "{out} {err}"
    );
    let seen = model.seen();
    assert_eq!(seen.len(), 3, "an empty line is no sentence");
    let last = seen[2]["messages"].as_array().unwrap();
    let roles: Vec<&str> = last.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(last[3]["content"], "(That ended: done.) que sistema é este?");
    // An action's output is not part of the conversation.
    assert!(!last[3].to_string().contains("Linux"));
}

/// The real server of llama.cpp, kept to the vocabulary: whatever random weights write is an action. It is only judged.
#[test]
fn llama_cpp_writes_actions() {
    let llama = Llama::start();
    for constrain in ["schema", "grammar"] {
        let service = service(&llama.address, &format!("constrain = \"{constrain}\"\n"));
        for sentence in
            ["conta uma piada", "quelle heure est-il ?", "open something nice", "faz alguma coisa"]
        {
            let (end, out, err) = ask(&service, &["--judge", sentence]);
            // Whatever it is, it is understood.
            assert!(matches!(end, 0 | 3 | 4), "{constrain} {sentence}: {end} {out} {err}");
            let shown = out.split_once("→ ").unwrap().1;
            let words = guarda::wording::words(guarda_core::action::Language::Portuguese);
            let named =
                |name: &str| shown.starts_with(&guarda::wording::describe::recorded::action(words, name));
            let known = guarda_core::action::vocabulary::VOCABULARY.iter().any(|entry| named(entry.name));
            assert!(known, "{out}");
        }
    }
}
