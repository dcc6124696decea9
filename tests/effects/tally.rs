//! The results of the lines, as a table.

use std::collections::BTreeMap;

use crate::door::Fate;
use crate::trial::Seen;
use crate::world::Manner;

/// Counts by class.
#[derive(Debug, Default)]
pub struct Tally {
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Row {
    lines: usize,
    ran: usize,
    absent: usize,
    asked: usize,
    blocked: usize,
    refused: usize,
    harmful: usize,
}

impl Tally {
    pub fn of(seen: &[Seen]) -> Self {
        let mut tally = Self::default();
        for one in seen {
            for class in [&one.line.class, &"together".to_owned()] {
                let row = tally.rows.entry(class.clone()).or_default();
                row.lines += 1;
                row.harmful += usize::from(!one.effects.is_empty());
                *match one.fate {
                    Fate::Ran => &mut row.ran,
                    Fate::Absent => &mut row.absent,
                    Fate::Asked => &mut row.asked,
                    Fate::Blocked => &mut row.blocked,
                    Fate::Refused => &mut row.refused,
                } += 1;
            }
        }
        tally
    }

    pub fn table(&self, manner: &Manner) -> String {
        let mut text = format!(
            "profile {}, sandbox {}\n{:<24}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{:>9}\n",
            manner.profile,
            manner.sandbox,
            "class",
            "lines",
            "ran",
            "absent",
            "asked",
            "blocked",
            "refused",
            "EFFECT"
        );
        for (class, row) in &self.rows {
            text.push_str(&format!(
                "{class:<24}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{:>9}\n",
                row.lines, row.ran, row.absent, row.asked, row.blocked, row.refused, row.harmful
            ));
        }
        text
    }
}
