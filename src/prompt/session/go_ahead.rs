//! The asker of a question, who goes on when it is settled.

use tokio::sync::oneshot;

use guarda_core::action::{Action, Power};
use guarda_core::gate::Question;
use guarda_core::policy::Verdict;

/// Tells the asker of a question that it is settled and the action may be done.
pub(in crate::prompt) struct GoAhead {
    /// Sent to, or dropped.
    pub(super) sender: oneshot::Sender<()>,
    /// Whether the answering key must be up first.
    pub(super) after_keys: bool,
    /// Who asks, as far as the guard knows.
    pub(super) caller: String,
}

impl GoAhead {
    /// For this question; the receiver is the asker's.
    pub(in crate::prompt) fn new(question: &Question, caller: &str) -> (Self, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        (Self { sender, after_keys: waits_for_keys(question), caller: caller.to_owned() }, receiver)
    }
}

/// Whether the answering key must be up before the action is done: because the action presses keys itself, because
/// what it starts takes the keyboard for itself, or because letting go would undo it.
fn waits_for_keys(question: &Question) -> bool {
    let password = question.verdict == Verdict::Password;
    password
        || matches!(
            question.subject.action,
            Action::KeyPress { .. }
                | Action::OpenApp { .. }
                | Action::CloseApp { .. }
                | Action::Lock
                | Action::ScreenOff
                | Action::Power(Power::Suspend)
        )
}
