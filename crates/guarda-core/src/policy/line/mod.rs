//! What a line says of its runs: the folders in which they start, what feeds them, the values of their variables; and the
//! limit on the work of finding out.

pub(crate) mod budget;
pub(crate) mod values;
pub(crate) mod context;
