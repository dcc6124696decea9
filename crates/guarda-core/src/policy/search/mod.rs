//! The search for what the floor forbids in what a line does not name plainly: programs behind variables, texts that are fed to
//! shells, programs in other languages. It can only make a verdict stricter.

mod opaque;
mod hidden;
