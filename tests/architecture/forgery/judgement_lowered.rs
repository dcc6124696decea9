//! expect: E0616
//! A reason taken away.

pub fn forge(mut judgement: guarda_core::judge::Judgement) {
    judgement.findings.clear();
}
