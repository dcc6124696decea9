//! Programs that start other programs.
use super::expand::Field;
use super::scan::Stop;
use super::walk::{Around, Walker};

impl Walker<'_> {
    /// Follows a program to what it starts.
    pub fn program(&mut self, id: usize, name: &str, fields: Vec<Field>, around: &Around, steps: u32) -> Result<(), Stop> {
        let _ = (id, name, fields, around, steps);
        Ok(())
    }
}
