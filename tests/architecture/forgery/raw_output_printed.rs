//! expect: E0277
//! Output shown before it was made safe.

pub fn forge(raw: &guarda_core::output::RawOutput) -> String {
    format!("{raw}")
}
