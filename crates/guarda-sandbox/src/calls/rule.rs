//! Rules about the arguments of a call.

use std::collections::BTreeMap;

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// The rules of each call, by its number.
pub(super) type CallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// A rule: all of these arguments match (numbered from 0; lower 32 bits).
pub(super) fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions: Result<Vec<_>, _> = conditions
        .iter()
        .map(|(argument, operator, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
        })
        .collect();
    SeccompRule::new(conditions?)
}

pub(super) fn has(argument: u8, bits: u64) -> (u8, SeccompCmpOp, u64) {
    (argument, SeccompCmpOp::MaskedEq(bits), bits)
}
