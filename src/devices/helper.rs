//! Child processes of this very program.
