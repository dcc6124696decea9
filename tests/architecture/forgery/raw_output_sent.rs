//! expect: E0277
//! Output sent before it was made safe.

fn needs<T: serde::Serialize>(_: &T) {}

pub fn forge(raw: &guarda_core::output::RawOutput) {
    needs(raw);
}
