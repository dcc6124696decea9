//! expect: E0451
//! A judgement that no judge made.

use guarda_core::judge::Judgement;

pub fn forge(subject: std::sync::Arc<guarda_core::action::Proposal>) -> Judgement {
    Judgement { subject, findings: Vec::new(), history: None, taint: guarda_core::policy::Taint::NONE, cells: unreachable!(), network: Default::default(), effects: None }
}
