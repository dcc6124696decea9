//! expect: E0451
//! A deed without a line in the record.

use guarda_core::gate::Approved;
use guarda_journal::Warrant;

pub fn forge(approved: Approved) -> Warrant {
    Warrant { approved, ..unreachable!() }
}
