//! expect: nothing
//! Everything that a door may do compiles, so the other files here fail for their own reasons.

use guarda_core::gate::{Answer, Approved, Pending, Question, Refusal, Says};

pub fn settle(pending: Pending, question: &Question) -> Result<Approved, Refusal> {
    let answer: Answer = question.answer(Says::Silence);
    pending.settle(answer)
}

pub async fn act(hands: &guarda::hands::Hands, warrant: guarda_journal::Warrant, facts: &guarda_core::policy::Situation, rules: &std::sync::Arc<guarda_core::policy::Policy>) {
    let volume = std::sync::Arc::default();
    let (_open, raw, _held) = hands.act(Default::default(), warrant, (facts, rules), std::future::pending(), guarda::hands::RunContext { volume: &volume, shell: None, outside: None }).await;
    let _ = guarda_core::output::clean(raw);
}

pub fn read(text: &str) -> Option<guarda_core::action::Request> {
    fn needs<T: for<'a> serde::Deserialize<'a>>(_: &str) -> Option<T> {
        None
    }
    needs(text)
}
