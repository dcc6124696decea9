//! Questions through the client (elicitation): a form that the client shows to its person. The client is the asking side,
//! so this is switched off unless the configuration says otherwise, and of low rank: the desk holds that.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams,
    InputRequest, InputRequiredResult, SealOptions,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::doors::client::NoAnswer;

use super::answer::{self, Answered};
use super::{Server, tools};

/// How often it is looked up how far a call has come.
const PACE: Duration = Duration::from_millis(100);
/// So many of those are given to the question of a command that waits: then its caller comes back for it as ever.
const PATIENCE: usize = 5;
/// The name of the only form of a call, and of its field for yes or no.
const FORM: &str = "answer";
/// The name of the field for the code that is shown and spoken where the question is asked.
const CODE: &str = "code";

/// A call that goes on while its client's person is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Matter {
    /// Where its end is found.
    path: String,
    shape: Shape,
    /// The question that the form is for.
    question: Option<String>,
}

/// What comes at that place, and in which form the client is to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Shape {
    /// The end of an action.
    Action,
    /// The end of an action, for `execute_bash`.
    Command,
    /// A person's answer to a command of the registry's.
    Validation,
}

/// A question as the client is to show it.
#[derive(Debug, Deserialize)]
struct Form {
    id: String,
    text: String,
    yes: String,
    no: String,
    /// The name of the field for the code, where a yes takes one.
    #[serde(default)]
    code: Option<String>,
}

/// How far a call has come.
enum Stand {
    Ended(Answered),
    Asked(Form),
    /// It waits for somebody else.
    Waiting(Answered),
}

/// Whether the client of this call has forms for its person.
pub(super) fn able(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|able| able.elicitation);
    elicitation.is_some_and(|able| able.form.is_some() || able.url.is_none())
}

impl Server {
    /// Does a call whose question may go to the client's person as well.
    pub(super) async fn elicit(
        &self,
        call: &CallToolRequestParams,
        order: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, NoAnswer> {
        let name = call.name.as_ref();
        let bound = format!("{name} {order}");
        let mut matter = match &call.request_state {
            None => match self.begin(name, &order).await? {
                Ok(matter) => matter,
                Err(ended) => return Ok(answer::result(name, ended).into()),
            },
            Some(state) => {
                let seal = self.seal.as_ref();
                let opened =
                    seal.and_then(|seal| seal.open_json_with::<Matter>(state, bound.as_bytes()).ok());
                let Some(matter) = opened else {
                    return Ok(answer::trouble("not done: this requestState is not of this call").into());
                };
                let given = call.input_responses.as_ref().and_then(|given| given.get(FORM));
                let mut matter = matter;
                if self.say(&matter, &given.map(Said::of).unwrap_or_default()).await? == Taken::Again {
                    matter.question = None;
                }
                matter
            }
        };
        let mut held = Held { server: self.clone(), matter: Some(matter.clone()) };
        let handshake = context.protocol_version().is_none_or(|version| version.has_initialize());
        loop {
            let form = match self.follow(&matter, &order).await? {
                Stand::Ended(ended) | Stand::Waiting(ended) => {
                    held.matter = None;
                    return Ok(answer::result(name, ended).into());
                }
                Stand::Asked(form) => form,
            };
            matter.question = Some(form.id.clone());
            held.matter = Some(matter.clone());
            if !handshake {
                held.matter = None;
                return self.input_required(&form, &matter, &bound);
            }
            tokio::select! {
                said = put(&context.peer, &form) => if self.say(&matter, &said).await? == Taken::Again {
                    matter.question = None;
                },
                // Somebody was quicker elsewhere, or its time is up: the form is taken back.
                () = self.settled(&matter) => {}
            }
        }
    }

    /// Sends the call off without waiting for a person; `Err` where it came to its end at once.
    async fn begin(&self, name: &str, order: &Value) -> Result<Result<Matter, Answered>, NoAnswer> {
        let matter = |path: String, shape| Ok(Ok(Matter { path, shape, question: None }));
        let id = |answered: &Answered, field: &str| {
            answered.body.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (shape, action) = if name == "execute_bash" {
            let answered = self.ask(tools::EXECUTE, Some(order)).await?;
            match (answered.status, id(&answered, "validation_id")) {
                (200, id) if !id.is_empty() => {
                    return matter(format!("{}/{id}", tools::EXECUTE), Shape::Validation);
                }
                (404 | 501, _) => (Shape::Command, tools::plain(order).map_err(NoAnswer::Broken)?),
                (_, _) => return Ok(Err(answered)),
            }
        } else {
            (Shape::Action, order.clone())
        };
        let answered = self.ask_soon("/v1/actions", &action).await?;
        match answered.status {
            202 => matter(format!("/v1/actions/{}", id(&answered, "id")), shape),
            _ => Ok(Err(answered)),
        }
    }

    /// Waits until there is an end, or a question that was not put yet.
    async fn follow(&self, matter: &Matter, order: &Value) -> Result<Stand, NoAnswer> {
        let mut looks = 0;
        loop {
            let answered = self.ask(&matter.path, None).await?;
            let text = |field: &str| answered.body.get(field).and_then(Value::as_str).unwrap_or_default();
            let pending = text("status") == "pending_validation";
            let form = answered.body.get("question").cloned();
            let form = form.and_then(|form| serde_json::from_value::<Form>(form).ok());
            match matter.shape {
                Shape::Validation if answered.status == 200 && !pending => {
                    return self.validated(&answered, order).await.map(Stand::Ended);
                }
                Shape::Action if answered.status != 202 => return Ok(Stand::Ended(answered)),
                Shape::Command if answered.status != 202 => {
                    return Ok(Stand::Ended(answer::executed(answered)));
                }
                Shape::Validation if answered.status != 200 => return Ok(Stand::Ended(answered)),
                Shape::Action | Shape::Command | Shape::Validation => {}
            }
            if let Some(form) = form.filter(|form| matter.question.as_ref() != Some(&form.id)) {
                return Ok(Stand::Asked(form));
            }
            looks += 1;
            if matter.shape == Shape::Validation && matter.question.is_none() && looks > PATIENCE {
                return self.ask(tools::EXECUTE, Some(order)).await.map(Stand::Waiting);
            }
            tokio::time::sleep(PACE).await;
        }
    }

    /// Runs a command by the yes that a person gave, or tells that there was none.
    async fn validated(&self, said: &Answered, order: &Value) -> Result<Answered, NoAnswer> {
        let of = |field: &str| said.body.get(field).cloned().unwrap_or_default();
        let mut order = order.clone();
        match order.as_object_mut().filter(|_| of("status") == "validated") {
            Some(fields) => {
                fields.insert("force_execute".to_owned(), true.into());
                fields.insert("validation_token".to_owned(), of("validation_token"));
                self.ask(tools::EXECUTE, Some(&order)).await
            }
            None => {
                let (status, message, reason) = (of("outcome"), of("message"), of("reason"));
                let body =
                    json!({ "success": false, "status": status, "message": message, "reason": reason });
                Ok(Answered { status: 200, body })
            }
        }
    }

    /// Waits until the question of the form is settled.
    async fn settled(&self, matter: &Matter) {
        loop {
            tokio::time::sleep(PACE).await;
            let answered = self.ask(&matter.path, None).await;
            let open = answered.ok().and_then(|answered| answered.body.pointer("/question/id").cloned());
            if open.is_none() || open.as_ref().and_then(Value::as_str) != matter.question.as_deref() {
                return;
            }
        }
    }

    /// Tells the guard what the person said. An answer that comes too late changes nothing.
    async fn say(&self, matter: &Matter, said: &Said) -> Result<Taken, NoAnswer> {
        let Some(question) = &matter.question else { return Ok(Taken::Done) };
        let path = format!("/v1/questions/{question}/elicited");
        // A form that comes back without its code has given a wrong one: nobody is asked for ever.
        let code = said.code.as_deref().unwrap_or_default();
        let told = self.ask(&path, Some(&json!({ "answer": said.word, "code": code }))).await?;
        let left = told.body.get("tries_left").and_then(Value::as_u64).unwrap_or(0);
        Ok(if left > 0 { Taken::Again } else { Taken::Done })
    }

    /// The form, in the era without requests of a server: the client comes back with the answer.
    fn input_required(
        &self,
        form: &Form,
        matter: &Matter,
        bound: &str,
    ) -> Result<CallToolResponse, NoAnswer> {
        let broken = |error: &dyn std::fmt::Display| NoAnswer::Broken(error.to_string());
        let options = SealOptions::new().associated_data(bound.as_bytes());
        let seal = self.seal.as_ref().ok_or_else(|| broken(&"nothing can be sealed"))?;
        let state = seal.seal_json_with(matter, &options).map_err(|error| broken(&error))?;
        let request = ElicitRequest::new(params(form).map_err(|error| broken(&error))?);
        let requests = [(FORM.to_owned(), InputRequest::Elicitation(request))].into();
        Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
    }
}

/// What the person said in a form.
#[derive(Default, PartialEq, Eq)]
struct Said {
    word: Word,
    code: Option<String>,
}

/// The words that the guard takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Yes,
    No,
    /// It takes the question back.
    #[default]
    None,
}

/// What has come of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It counts, or came too late.
    Done,
    /// Its code was wrong, and another one may be tried.
    Again,
}

/// Puts the form, in the eras with a handshake.
async fn put(peer: &Peer<RoleServer>, form: &Form) -> Said {
    let Ok(params) = params(form) else { return Said::default() };
    match peer.create_elicitation(params).await {
        Ok(result) => serde_json::to_value(result).map(|given| Said::of(&given)).unwrap_or_default(),
        Err(error) => {
            tracing::info!(%error, "a form came to nothing");
            Said::default()
        }
    }
}

fn params(form: &Form) -> Result<ElicitRequestParams, serde_json::Error> {
    // The no stands first: a client that fills in what comes first says no.
    let mut schema = json!({
        "type": "object", "required": [FORM],
        "properties": { FORM: { "type": "string", "oneOf": [
            { "const": "no", "title": form.no }, { "const": "yes", "title": form.yes } ] } },
    });
    if let (Some(title), Some(fields)) = (&form.code, schema.pointer_mut("/properties")) {
        fields[CODE] = json!({ "type": "string", "title": title });
    }
    let requested_schema = serde_json::from_value(schema)?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: form.text.clone(),
        requested_schema,
    })
}

impl Said {
    /// What an answer to the form says. Only the very word is a yes; what is no answer takes the question back.
    fn of(given: &Value) -> Self {
        let field = |name: &str| given.pointer(&format!("/content/{name}")).and_then(Value::as_str);
        let word = match (given.get("action").and_then(Value::as_str), field(FORM)) {
            (Some("accept"), Some("yes")) => Word::Yes,
            (Some("accept"), Some("no")) | (Some("decline"), _) => Word::No,
            (_, _) => Word::None,
        };
        Self { word, code: field(CODE).map(str::to_owned) }
    }
}

/// Calls the matter off when its client goes away.
struct Held {
    server: Server,
    matter: Option<Matter>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(matter) = self.matter.take() else { return };
        let server = self.server.clone();
        tokio::spawn(async move {
            let told = match matter.shape {
                Shape::Validation => server.say(&matter, &Said::default()).await.map(|_| ()),
                Shape::Action | Shape::Command => {
                    server.ask(&format!("{}/cancel", matter.path), Some(&json!({}))).await.map(|_| ())
                }
            };
            if let Err(error) = told {
                tracing::info!(%error, "a call could not be called off");
            }
        });
    }
}

/// A call that cannot be done.
pub(super) fn undone(why: &NoAnswer) -> CallToolResult {
    answer::trouble(&format!("not done: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_word_is_a_yes() {
        for (given, expected) in [
            (json!({"action": "accept", "content": {"answer": "yes"}}), Word::Yes),
            (json!({"action": "accept", "content": {"answer": "no"}}), Word::No),
            (json!({"action": "decline"}), Word::No),
            (json!({"action": "decline", "content": {"answer": "yes"}}), Word::No),
            (json!({"action": "cancel", "content": {"answer": "yes"}}), Word::None),
            (json!({"action": "accept"}), Word::None),
            (json!({"action": "accept", "content": {}}), Word::None),
            (json!({"action": "accept", "content": {"answer": "YES"}}), Word::None),
            (json!({"action": "accept", "content": {"answer": true}}), Word::None),
            (json!({"action": "accept", "content": {"answer": ["yes"]}}), Word::None),
            (json!({"action": "accept", "content": "yes"}), Word::None),
            (json!({"content": {"answer": "yes"}}), Word::None),
            (json!("yes"), Word::None),
            (Value::Null, Word::None),
        ] {
            assert!(Said::of(&given) == Said { word: expected, code: None }, "{given}");
        }
    }

    #[test]
    fn the_form_is_one_that_clients_know_with_the_no_first() {
        let form =
            Form { id: String::new(), text: "T".into(), yes: "Sim".into(), no: "Não".into(), code: None };
        let params = serde_json::to_value(params(&form).unwrap()).unwrap();
        let choices = &params["requestedSchema"]["properties"]["answer"]["oneOf"];
        assert_eq!(choices[0], json!({"const": "no", "title": "Não"}), "{params}");
        assert_eq!(choices[1]["const"], "yes");
        assert_eq!(params["requestedSchema"]["required"], json!(["answer"]));
        assert!(params["requestedSchema"]["properties"]["answer"].get("default").is_none());
        assert!(params["requestedSchema"]["properties"].get("code").is_none());
        let coded = Form { code: Some("Código".into()), ..form };
        let params = serde_json::to_value(super::params(&coded).unwrap()).unwrap();
        assert_eq!(params["requestedSchema"]["properties"]["code"]["title"], "Código");
        let given = json!({"action": "accept", "content": {"answer": "yes", "code": "4719"}});
        assert!(Said::of(&given) == Said { word: Word::Yes, code: Some("4719".to_owned()) });
    }
}
