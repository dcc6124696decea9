//! The rules about what a staged run changed (feature N4): places × changes × facts, read from `rules/effects.toml` and the
//! layers of the user. What follows from them is decided by `judge/effects.rs`.

mod at;
mod example;
mod fact;
mod rule;
mod scene;

pub use example::example;
pub use rule::EffectRule;
pub(super) use rule::{check, read};
pub use scene::{Scene, Subject, amount};
