//! Requests of the language model and their meaning: both spellings of every field, and every accepted name
//! (features M1 and M2).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

use guarda_core::action::{Action, Misread, Proposal, Request};

fn parse(json: &str) -> Result<Proposal, String> {
    let request: Request = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Proposal::parse(request).map_err(|error: Misread| error.to_string())
}

/// The action as `NAME object`.
fn meaning(json: &str) -> String {
    match parse(json) {
        Ok(Proposal { action, .. }) => {
            let object = action.object();
            format!("{} {object}", action.kind().name()).trim_end().to_owned()
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn each_spelling_has_one_meaning() {
    for (json, expected) in [
        // The spellings in the documents.
        (r#"{"action":"OPEN_APP","target":"firefox"}"#, "OPEN_APP firefox"),
        (
            r#"{"action":"OPEN_APP","target":"firefox","args":null,"confidence":0.95,"requires_confirmation":false}"#,
            "OPEN_APP firefox",
        ),
        (r#"{"action":"open_app","target":" Calculadora "}"#, "OPEN_APP Calculadora"),
        (r#"{"action":"OPEN_URL","target":"youtube.com"}"#, "OPEN_URL https://youtube.com/"),
        (
            r#"{"action":"OPEN_URL","target":"http://g1.globo.com/a?b=ç"}"#,
            "OPEN_URL http://g1.globo.com/a?b=%C3%A7",
        ),
        (r#"{"action":"OPEN_URL","target":"localhost:8080/x"}"#, "OPEN_URL https://localhost:8080/x"),
        // Words that are no address are searched for, as in a browser's address bar.
        (
            r#"{"action":"OPEN_URL","target":" previsão  do tempo"}"#,
            "OPEN_URL https://duckduckgo.com/?q=previs%C3%A3o+do+tempo",
        ),
        (r#"{"action":"OPEN_URL","target":"receitas"}"#, "OPEN_URL https://duckduckgo.com/?q=receitas"),
        (r#"{"action":"OPEN_URL","target":"javascript:alert(1)"}"#, "OPEN_URL javascript:alert(1)"),
        (r#"{"action":"OPEN_URL","target":"mailto:a@example.org"}"#, "OPEN_URL mailto:a@example.org"),
        (r#"{"action":"OPEN_FOLDER","target":"~/Músicas"}"#, "OPEN_FOLDER ~/Músicas"),
        (r#"{"action":"VOLUME_UP"}"#, "VOLUME_UP +5%"),
        (r#"{"action":"VOLUME_UP","target":"20"}"#, "VOLUME_UP +20%"),
        (r#"{"action":"VOLUME_DOWN","target":20}"#, "VOLUME_DOWN -20%"),
        (r#"{"action":"VOLUME_DOWN","params":{"percent":20}}"#, "VOLUME_DOWN -20%"),
        (r#"{"action":"VOLUME_UP","params":{"amount":"20%"}}"#, "VOLUME_UP +20%"),
        (r#"{"action":"BRIGHTNESS","target":"-20"}"#, "BRIGHTNESS -20%"),
        (r#"{"action":"BRIGHTNESS","target":"+20%"}"#, "BRIGHTNESS +20%"),
        (r#"{"action":"BRIGHTNESS","target":"up","params":{"value":30}}"#, "BRIGHTNESS +30%"),
        (r#"{"action":"volume_down","target":null,"args":"10"}"#, "VOLUME_DOWN -10%"),
        (r#"{"action":"VOLUME_MUTE","target":""}"#, "VOLUME_MUTE toggle"),
        (r#"{"action":"VOLUME_SET","target":"50%"}"#, "VOLUME_SET 50%"),
        (r#"{"action":"VOLUME_SET","target":50}"#, "VOLUME_SET 50%"),
        (r#"{"action":"MEDIA_PLAY_PAUSE"}"#, "MEDIA_PLAY_PAUSE"),
        (r#"{"action":"MEDIA_PREV"}"#, "MEDIA_PREV"),
        (r#"{"action":"VOLUME_UNMUTE"}"#, "VOLUME_UNMUTE unmute"),
        (r#"{"action":"MEDIA_PLAY"}"#, "MEDIA_PLAY"),
        (r#"{"action":"media_resume"}"#, "MEDIA_PLAY"),
        (r#"{"action":"MEDIA_PAUSE"}"#, "MEDIA_PAUSE"),
        (r#"{"action":"media_control","target":"pausa"}"#, "MEDIA_PAUSE"),
        (r#"{"action":"MEDIA_SHUFFLE","target":"on"}"#, "MEDIA_SHUFFLE on"),
        (r#"{"action":"MEDIA_REPEAT","target":"all"}"#, "MEDIA_REPEAT all"),
        (r#"{"action":"MEDIA_SEEK","target":-10}"#, "MEDIA_SEEK -10 s"),
        (r#"{"action":"MEDIA_SEEK","target":"+30s"}"#, "MEDIA_SEEK +30 s"),
        (r#"{"action":"MEDIA_STATUS"}"#, "MEDIA_STATUS"),
        (r#"{"action":"CLOSE_APP","target":" Firefox "}"#, "CLOSE_APP Firefox"),
        (r#"{"action":"SCREENSHOT"}"#, "SCREENSHOT"),
        (r#"{"action":"UNDO"}"#, "UNDO"),
        (r#"{"action":"undo","target":" last "}"#, "UNDO"),
        (r#"{"action":"UNDO","target":"desk-20261122_001"}"#, "UNDO desk-20261122_001"),
        (
            r#"{"action":"UNDO","args":"0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f"}"#,
            "UNDO 0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f",
        ),
        (r#"{"action":"SCREEN_OFF"}"#, "SCREEN_OFF"),
        (r#"{"action":"DO_NOT_DISTURB","target":"off"}"#, "DO_NOT_DISTURB off"),
        (r#"{"action":"KEY_PRESS","target":"Ctrl+C"}"#, "KEY_PRESS ctrl+c"),
        (r#"{"action":"UNKNOWN","target":"faz um café"}"#, "UNKNOWN faz um café"),
        (r#"{"action":"UNKNOWN"}"#, "UNKNOWN UNKNOWN"),
        (r#"{"action":"explodir_computador"}"#, "UNKNOWN explodir_computador"),
        (r#"{"action":"RUN_COMMAND","target":"rm","args":"teste.txt"}"#, "RUN_COMMAND rm teste.txt"),
        (r#"{"action":"RUN_COMMAND","target":"git push"}"#, "RUN_COMMAND git push"),
        // Spellings of the shipped assistant.
        (r#"{"action":"media_control","target":"toca"}"#, "MEDIA_PLAY_PAUSE"),
        (r#"{"action":"media_control","target":"proxima"}"#, "MEDIA_NEXT"),
        (r#"{"action":"system_op","target":"vol","params":{"action":"set","value":50}}"#, "VOLUME_SET 50%"),
        (r#"{"action":"system_op","target":"volume","params":{"action":"up"}}"#, "VOLUME_UP +5%"),
        (r#"{"action":"system_op","target":"brilho","params":{"action":"down"}}"#, "BRIGHTNESS -10%"),
        (r#"{"action":"system_op","target":"desligar"}"#, "SHUTDOWN"),
        (r#"{"action":"system_op","target":"dormir"}"#, "SUSPEND"),
        (r#"{"action":"system_op","target":"bloquear"}"#, "LOCK"),
        (r#"{"action":"end_grants"}"#, "END_GRANTS"),
        (r#"{"action":"system_op","target":"wifi","params":{"action":"off"}}"#, "WIFI off"),
        (r#"{"action":"system_op","target":"bt"}"#, "BLUETOOTH toggle"),
        (r#"{"action":"system_op","target":"i"}"#, "UNKNOWN SYSTEM_OP i"),
        (r#"{"action":"system_op","target":"notificar","params":{"title":"Oi","body":"Olá"}}"#, "NOTIFY Oi"),
        (r#"{"action":"file_op","target":"a.txt","params":{"operation":"delete"}}"#, "FILE_DELETE a.txt"),
        (
            r#"{"action":"file_op","target":"a","params":{"operation":"move","destination":"b"}}"#,
            "FILE_MOVE a → b",
        ),
        (r#"{"action":"reply","target":"Bom dia!"}"#, "REPLY Bom dia!"),
        // The early Portuguese draft.
        (
            r#"{"classificacao":"SISTEMA","acao":"ABRIR","alvo":"firefox","argumento":null}"#,
            "OPEN_APP firefox",
        ),
        (r#"{"acao":"VOLUME","alvo":"aumentar"}"#, "VOLUME_UP +5%"),
        (r#"{"acao":"RESUMIR","alvo":"texto"}"#, "UNKNOWN RESUMIR"),
    ] {
        assert_eq!(meaning(json), expected, "{json}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (json, part) in [
        (r"{}", "\"action\" is missing"),
        (r#"{"action":" "}"#, "\"action\" is missing"),
        (r#"{"action":"OPEN_APP"}"#, "\"target\" is missing"),
        (r#"{"action":"OPEN_APP","target":""}"#, "\"target\" is missing"),
        (r#"{"action":"OPEN_APP","target":["x"]}"#, "\"target\" must be text or null"),
        (r#"{"action":"OPEN_APP","target":"x","args":true}"#, "\"args\" must be"),
        (r#"{"action":"VOLUME_UP","args":"5","params":{"value":7}}"#, "two names of one field"),
        (r#"{"action":"VOLUME_SET","target":"900"}"#, "0 to 100"),
        (r#"{"action":"VOLUME_SET","target":-20}"#, "0 to 100"),
        (r#"{"action":"VOLUME_UP","target":"loud"}"#, "0 to 100"),
        (r#"{"action":"VOLUME_UP","target":"20","args":"30"}"#, "the only amount"),
        (r#"{"action":"VOLUME_UP","params":{"value":20,"percent":30}}"#, "given once"),
        (r#"{"action":"OPEN_URL","target":"-x"}"#, "a web address"),
        (r#"{"action":"OPEN_URL","target":"https://a.example/two words"}"#, "a web address"),
        (r#"{"action":"KEY_PRESS","target":"y y"}"#, "one key"),
        (r#"{"action":"MEDIA_SEEK","target":"0"}"#, "at most an hour"),
        (r#"{"action":"MEDIA_SEEK","target":"3601"}"#, "at most an hour"),
        (r#"{"action":"MEDIA_SEEK","target":"soon"}"#, "at most an hour"),
        (r#"{"action":"MEDIA_REPEAT","target":"twice"}"#, "off, track or all"),
        (r#"{"action":"CLOSE_APP"}"#, "\"target\" is missing"),
        (r#"{"action":"UNDO","target":"../x"}"#, "the id of a run"),
        (r#"{"action":"UNDO","target":"o último"}"#, "the id of a run"),
        (r#"{"action":"KEY_PRESS","target":"hyper+x"}"#, "one key"),
        (r#"{"action":"VOLUME_UP","confidence":9.9}"#, "0 to 1"),
        (r#"{"action":"VOLUME_UP","confidence":"high"}"#, "invalid type"),
        (r#"{"action":"VOLUME_UP","session":"../../etc"}"#, "letters, digits"),
        (r#"{"action":"VOLUME_UP","shell":true}"#, "unknown field"),
        (r#"{"action":"VOLUME_UP","action":"RUN_COMMAND"}"#, "duplicate field"),
        (r#"{"action":"RUN_COMMAND","target":"ls","params":{"shell":"yes"}}"#, "whole command line"),
        (r#"{"action":"file_op","target":"a","params":{"operation":"format"}}"#, "open, list, copy"),
        // Meaningless fields are refused, not ignored.
        (r#"{"action":"VOLUME_MUTE","target":"20"}"#, "takes no \"target\""),
        (r#"{"action":"MEDIA_NEXT","args":"3"}"#, "takes no \"args\""),
        (r#"{"action":"VOLUME_UP","params":{"vaule":20}}"#, "takes no \"vaule\"; did you mean \"value\"?"),
        (r#"{"action":"LOCK","params":{"now":true}}"#, "takes no \"now\""),
        (
            r#"{"action":"FILE_MOVE","target":"a","params":{"destination":"b","force":true}}"#,
            "takes no \"force\"",
        ),
        (
            r#"{"action":"system_op","target":"volume","params":{"action":"up","step":3}}"#,
            "takes no \"step\"",
        ),
    ] {
        let error = meaning(json);
        assert!(error.starts_with("error: ") && error.contains(part), "{json}: {error}");
    }
}

#[test]
fn the_command_is_read_whole_and_never_lost() {
    let proposal = parse(r#"{"action":"RUN_COMMAND","target":"ls -l","session":"s-1"}"#).unwrap();
    assert_eq!(proposal.claims.session.as_deref(), Some("s-1"));
    assert!(matches!(proposal.action, Action::RunCommand { ref text, .. } if text == "ls -l"));
}
