//! expect: E0277
//! A permission that came over the wire.

fn needs<T: for<'a> serde::Deserialize<'a>>() {}

pub fn forge() {
    needs::<guarda::gate::Approved>();
}
