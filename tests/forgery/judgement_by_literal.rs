//! expect: E0451
//! A judgement that no judge made.

use guarda::judge::Judgement;

pub fn forge(subject: std::sync::Arc<guarda::action::Proposal>) -> Judgement {
    Judgement { subject, findings: Vec::new(), history: None, taint: guarda::policy::Taint::NONE, cells: unreachable!(), effects: None }
}
