//! Home Assistant's way to this computer: the real `wyoming` package sends sentences as its integration does.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::machine::{Machine, text_of};
use crate::common::scripted::{Reaction, Scripted};
use crate::common::{Service, home, python};

/// Describes itself, sends each sentence of the arguments, and prints the answers as JSON lines.
const CLIENT: &str = r#"
import asyncio, json, sys, time
from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info

async def main(address, language, sentences):
    async with AsyncClient.from_uri(f"tcp://{address}") as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
        print(json.dumps([len(info.handle), info.handle[0].models[0].languages]), flush=True)
    for sentence in sentences:
        async with AsyncClient.from_uri(f"tcp://{address}") as client:
            begun = time.monotonic()
            context = {"conversation_id": "01JCONVERSATION"}
            await client.write_event(Transcript(text=sentence, language=language, context=context).event())
            event = await client.read_event()
            kind = {True: Handled, False: NotHandled}[Handled.is_type(event.type)]
            told = kind.from_event(event)
            took = round((time.monotonic() - begun) * 1000)
            print(json.dumps([event.type, told.text, told.context, took]), flush=True)

asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
"#;

fn model() -> Scripted {
    Scripted::new(|body| {
        let said = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
        let action = match () {
            () if said.contains("rascunho") => json!({"action": "FILE_DELETE", "target": "~/rascunho.txt"}),
            () if said.contains("documentos") => json!({"action": "FILE_LIST", "target": "~/Documentos"}),
            () if said.contains("sistema") => json!({"action": "RUN_COMMAND", "target": "uname -s"}),
            () if said.contains("apaga tudo") => {
                json!({"action": "RUN_COMMAND", "target": "rm -rf --no-preserve-root /"})
            }
            () => json!({"action": "UNKNOWN"}),
        };
        Reaction::Writes(action.to_string())
    })
}

/// Sends these sentences, and returns what the client was told.
fn say(service: &Service, language: &str, sentences: &[&str]) -> Vec<Value> {
    let address = text_of(&service.state("wyoming-address"));
    let mut client = Command::new(python("bin/python"));
    client.args(["-c", CLIENT, address.trim(), language]).args(sentences).stderr(Stdio::inherit());
    let told = client.output().unwrap();
    assert!(told.status.success());
    String::from_utf8(told.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_sentence_from_home_assistant_is_an_action_with_an_answer() {
    let machine = Machine::new();
    home::furnish(&machine.home(), 1);
    std::fs::write(machine.home().join("rascunho.txt"), "um\n").unwrap();
    let model = model();
    let service = machine.serve(&format!(
        "[terminal]\nenabled = false\n[speech]\nenabled = false\n[server]\nanswer_over_http = true\nanswer_code = \"never\"\n\
         [wyoming]\nlisten = \"127.0.0.1:0\"\n[endpoint]\naddress = \"{}\"\n[ask]\nmodel = \"tiny\"\n",
        model.address
    ));
    let told = say(
        &service,
        "pt-BR",
        &[
            "O que tem nos documentos?",
            "que sistema é este?",
            "apaga tudo",
            "Põe um alarme às sete",
            "desfaz isso",
        ],
    );
    assert_eq!(told[0], json!([1, ["pt", "pt-BR", "en", "fr"]]));
    let answers: Vec<(&str, &str)> =
        told[1..].iter().map(|told| (told[0].as_str().unwrap(), told[1].as_str().unwrap())).collect();
    assert_eq!(answers[0], ("handled", "carta à tia.txt, contas.csv."));
    assert_eq!(answers[1], ("handled", "Linux"));
    assert!(answers[2].1.starts_with("Não deixei: "), "{answers:?}");
    assert_eq!(answers[3], ("not-handled", "Ouvi: Põe um alarme às sete. Isso eu não sei fazer."));
    assert_eq!(answers[4].0, "not-handled");
    assert_eq!(told[1][2]["conversation_id"], "01JCONVERSATION");
    println!("a phrase took {} ms, a scripted model {} ms", told[5][3], told[1][3]);
    // A phrase needs no model.
    assert_eq!(model.seen().len(), 4);
    // A question is asked at this computer, and the answer waits for it.
    for (answer, begins, stays) in [("no", "A pessoa disse não", true), ("yes", "Apaguei", false)] {
        std::thread::scope(|scope| {
            let told = scope.spawn(|| say(&service, "pt-BR", &["apaga o rascunho"]));
            let id = service.question();
            assert_eq!(service.open_questions()[0]["asker"], "wyoming");
            service.answer_with(&id, &json!({ "answer": answer }), &service.approve);
            let told = told.join().unwrap();
            assert_eq!(told[1][0], "handled");
            assert!(told[1][1].as_str().unwrap().starts_with(begins), "{told:?}");
        });
        assert_eq!(machine.home().join("rascunho.txt").exists(), stays);
    }
    // Who hangs up wants nothing any more.
    let address = text_of(&service.state("wyoming-address"));
    let mut stream = std::net::TcpStream::connect(address.trim()).unwrap();
    let said = json!({"type": "transcript", "data": {"text": "apaga o rascunho", "language": "en"}});
    std::fs::write(machine.home().join("rascunho.txt"), "um\n").unwrap();
    std::io::Write::write_all(&mut stream, format!("{said}\n").as_bytes()).unwrap();
    service.question();
    drop(stream);
    crate::common::until("the question to go", || service.questions().is_empty());
    assert!(machine.home().join("rascunho.txt").exists());
}
