//! expect: E0277
//! Output put into a log before it was made safe.

pub fn forge(raw: &guarda::output::RawOutput) -> String {
    format!("{raw:?}")
}
