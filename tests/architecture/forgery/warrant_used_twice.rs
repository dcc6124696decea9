//! expect: E0382
//! One line in the record, two deeds.

use guarda_journal::Warrant;

pub fn forge(warrant: Warrant) {
    let _ = warrant.begin();
    let _ = warrant.begin();
}
