//! expect: E0277
//! Output shown before it was made safe.

pub fn forge(raw: &guarda::output::RawOutput) -> String {
    format!("{raw}")
}
