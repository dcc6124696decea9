//! expect: E0277
//! Output put into a log before it was made safe.

pub fn forge(raw: &guarda_core::output::RawOutput) -> String {
    format!("{raw:?}")
}
