//! expect: E0277
//! A warrant kept for later.

fn needs<T: Clone>(_: &T) {}

pub fn forge(warrant: &guarda_journal::Warrant) {
    needs(warrant);
}
