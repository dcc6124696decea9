//! Elicitation: questions in a form that the client shows to its user. The client that requests the action also sends
//! the answer, so elicitation is off by default and has a low rank, which the prompter enforces.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams,
    InputRequest, InputRequiredResult, SealOptions,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::doors::client::{NoAnswer, ServiceAnswer};

use super::answer;
use super::server::Server;
use super::tools;

/// The polling interval for the progress of a call.
const PACE: Duration = Duration::from_millis(100);
/// How often to look for the question of a waiting command. After that, its caller gets the token as usual.
const PATIENCE: usize = 5;
/// The name of a call's only form, and of its field for yes or no.
const FORM: &str = "answer";
/// The name of the field for the question's code.
const CODE: &str = "code";

/// A call that continues while the client's user is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Matter {
    /// The path of the call's outcome.
    path: String,
    shape: Shape,
    /// The question that the form is for.
    question: Option<String>,
}

/// What that path returns, and how to present it to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Shape {
    /// The outcome of an action.
    Action,
    /// The outcome of an action, for `execute_bash`.
    Command,
    /// A person's answer to a command that waits in the registry.
    Validation,
}

/// A question as the client shows it.
#[derive(Debug, Deserialize)]
struct Form {
    id: String,
    text: String,
    yes: String,
    no: String,
    /// The name of the field for the code, if a yes requires one.
    #[serde(default)]
    code: Option<String>,
}

/// The progress of a call.
enum Stand {
    Ended(ServiceAnswer),
    Asked(Form),
    /// It waits for an answer through another channel.
    Waiting(ServiceAnswer),
}

/// Whether this call's client supports forms.
pub(super) fn able(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|able| able.elicitation);
    elicitation.is_some_and(|able| able.form.is_some() || able.url.is_none())
}

impl Server {
    /// Runs a call whose question may also go to the client's user.
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
                // Another channel answered first, or the time is up, so the form is withdrawn.
                () = self.settled(&matter) => {}
            }
        }
    }

    /// Sends the call without waiting for a person. Returns `Err` with the answer if the call ended at once.
    async fn begin(&self, name: &str, order: &Value) -> Result<Result<Matter, ServiceAnswer>, NoAnswer> {
        let matter = |path: String, shape| Ok(Ok(Matter { path, shape, question: None }));
        let id = |answered: &ServiceAnswer, field: &str| {
            answered.body.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (shape, action) = if name == "execute_bash" {
            let answered = self.ask(tools::EXECUTE, Some(order)).await?;
            match (answered.status, id(&answered, "validation_id")) {
                (200, id) if !id.is_empty() => {
                    return matter(format!("{}/{id}", tools::EXECUTE), Shape::Validation);
                }
                (404 | 501, _) => {
                    (Shape::Command, tools::plain(order).map_err(|call| NoAnswer::Broken(call.to_string()))?)
                }
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

    /// Waits for the outcome, or for a question that was not shown yet.
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

    /// Runs a command after a person's yes, or reports that there was none.
    async fn validated(&self, said: &ServiceAnswer, order: &Value) -> Result<ServiceAnswer, NoAnswer> {
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
                Ok(ServiceAnswer::here(200, body))
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

    /// Passes on the user's answer. A late answer changes nothing.
    async fn say(&self, matter: &Matter, said: &Said) -> Result<Taken, NoAnswer> {
        let Some(question) = &matter.question else { return Ok(Taken::Done) };
        let path = format!("/v1/questions/{question}/elicited");
        // A form without its code counts as a wrong code. Otherwise the form would be shown for ever.
        let code = said.code.as_deref().unwrap_or_default();
        let told = self.ask(&path, Some(&json!({ "answer": said.word, "code": code }))).await?;
        let left = told.body.get("tries_left").and_then(Value::as_u64).unwrap_or(0);
        Ok(if left > 0 { Taken::Again } else { Taken::Done })
    }

    /// The form for protocol versions without server requests: the client sends the call again with the answer.
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

/// The user's answer in a form.
#[derive(Default, PartialEq, Eq)]
struct Said {
    word: Word,
    code: Option<String>,
}

/// The answer in the service's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Yes,
    No,
    /// The question is withdrawn.
    #[default]
    None,
}

/// The effect of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It counts, or was too late.
    Done,
    /// Its code was wrong, and another attempt is allowed.
    Again,
}

/// Shows the form, in protocol versions with a handshake.
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
    // *No* comes first, for clients that choose the first option.
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
    /// Interprets a form's answer. Only the exact word is a yes. Anything except a yes or a no withdraws the question.
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

/// Cancels the action when its client goes away.
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

/// A call that failed.
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
