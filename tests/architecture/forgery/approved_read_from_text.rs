//! expect: E0277
//! A permission that came over the wire.

fn needs<T: for<'a> serde::Deserialize<'a>>() {}

pub fn forge() {
    needs::<guarda_core::gate::Approved>();
}
