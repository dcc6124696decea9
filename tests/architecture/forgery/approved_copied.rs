//! expect: E0277
//! A permission used for two deeds.

fn needs<T: Clone>(_: &T) {}

pub fn forge(approved: &guarda_core::gate::Approved) {
    needs(approved);
}
