//! Programs that start other programs: a table describes what precedes the inner command.

mod git;
mod options;
mod parallel;
mod searches;
pub(crate) mod shells;
mod special;
pub(crate) mod table;

use self::table::{Row, Then};
use crate::meaning::commands::names::Meaning;
use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::vars::changes_names;
use crate::meaning::words::field::Field;
use crate::script::{self, Assign, Reach, UnknownCause, Word};
use crate::syntax::scan::Stop;

impl Evaluator<'_> {
    /// Follows a program to what it starts.
    pub(crate) fn program(&mut self, meaning: Meaning, call: &Call<'_>) -> Result<(), Stop> {
        match meaning {
            // A `batch` that does not know the word still reads its commands.
            Meaning::Rows | Meaning::Parallel | Meaning::Ssh | Meaning::Watch | Meaning::Time
                if script::only_asks_for_help(call.fields.iter().map(|field| &field.word)) =>
            {
                Ok(())
            }
            Meaning::Quiet | Meaning::Builtin => Ok(()),
            Meaning::Rows => self.rows(call),
            Meaning::Shell => self.shell(call),
            Meaning::Env => self.env(call),
            Meaning::Find => self.find(call),
            Meaning::Fd => self.fd(call),
            Meaning::Xargs => self.xargs(call),
            Meaning::Parallel => self.parallel(call),
            Meaning::Ssh => self.ssh(call),
            Meaning::Git => self.git(call),
            Meaning::Tar => self.tar(call),
            Meaning::Applets => self.applet(call),
            Meaning::Watch => self.watch(call),
            Meaning::Time => self.time(call),
            Meaning::Scheduled => self.scheduled(call),
        }
    }

    /// Skips what a row of the table describes.
    fn rows(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        for row in table::ROWS.iter().filter(|row| row.names.contains(&call.name)) {
            if let Some(start) = self.subcommand(call, row)? {
                self.row(call, row, start)?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The position after a row's sub-commands, if they are present.
    fn subcommand(&mut self, call: &Call<'_>, row: &Row) -> Result<Option<usize>, Stop> {
        let mut index = 1;
        for sub in row.sub {
            let scan = options::scan(call.fields, index, &row.before);
            self.work.spend(scan.next)?;
            index = scan.next;
            match call.fields.get(index).map(Field::literal) {
                Some(Some(word)) if word == *sub => index += 1,
                Some(None) => {
                    let span = call.fields.get(index).map(|field| field.word.span).unwrap_or_default();
                    self.unclear(format!("which command of {} is meant", call.name), span);
                    return Ok(None);
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(index))
    }

    fn row(&mut self, call: &Call<'_>, row: &Row, start: usize) -> Result<(), Stop> {
        let mut index = start;
        let mut assigns = Vec::new();
        let mut positionals = 0;
        loop {
            let scan = options::scan_until(call.fields, index, &row.options, row.rest);
            self.work.spend(scan.next)?;
            self.note_options(call, &scan);
            for (name, value) in &scan.found {
                if row.texts.contains(&name.as_str())
                    && let Some(value) = value
                {
                    self.shell_text(call, std::slice::from_ref(value), "sh")?;
                }
            }
            index = scan.next;
            if scan.stopped {
                return self.inner(call, index, assigns);
            }
            if row.assigns
                && let Some(assign) = call.fields.get(index).and_then(as_assign)
            {
                // More options may follow.
                self.note_assign(&assign);
                assigns.push(assign);
                index += 1;
                continue;
            }
            if positionals == row.positionals {
                break;
            }
            let Some(field) = call.fields.get(index) else {
                return Ok(());
            };
            self.note_positional(field);
            positionals += 1;
            index += 1;
            if positionals == row.positionals && !row.mixed {
                break;
            }
        }
        match row.then {
            Then::Command => self.inner(call, index, assigns),
            Then::Text => self.shell_text(call, call.rest(index), "sh"),
            Then::Remote => self.remote_text(call, call.rest(index)),
            Then::Dashes => {
                let dashes = call.fields.iter().position(|field| field.literal() == Some("--"));
                match dashes {
                    Some(at) => self.inner(call, at + 1, assigns),
                    None => self.inner(call, index, assigns),
                }
            }
            Then::Nothing => Ok(()),
        }
    }

    /// The inner command, which begins at a word.
    fn inner(&mut self, call: &Call<'_>, index: usize, assigns: Vec<Assign>) -> Result<(), Stop> {
        let reach = Reach::Wrapper(call.name.to_owned());
        self.child(call.id, call.rest(index).to_vec(), assigns, reach, call.scope, call.steps)
    }

    /// An inner command that is not a stretch of the wrapper's own words.
    fn inner_words(&mut self, call: &Call<'_>, fields: Vec<Field>) -> Result<(), Stop> {
        let reach = Reach::Wrapper(call.name.to_owned());
        self.child(call.id, fields, Vec::new(), reach, call.scope, call.steps)
    }

    fn note_options(&mut self, call: &Call<'_>, scan: &options::Scan) {
        if let Some(index) = scan.strange
            && let Some(field) = call.fields.get(index)
        {
            let text = field.literal().unwrap_or("an unknown word");
            self.unclear(format!("an option of {} that is not known: {text}", call.name), field.word.span);
        }
    }

    fn note_positional(&mut self, field: &Field) {
        if field.splits || field.word.unknown() || field.word.glob() {
            self.unclear("a word in front of an inner command is not known", field.word.span);
        }
    }

    fn note_assign(&mut self, assign: &Assign) {
        if changes_names(&assign.name) {
            self.doubt(UnknownCause::Variable(assign.name.clone()), assign.value.span);
        }
    }
}

/// A program with its words and its position.
pub(crate) struct Call<'c> {
    pub id: usize,
    /// Its base name.
    pub name: &'c str,
    pub fields: &'c [Field],
    pub scope: &'c Scope,
    pub steps: u32,
}

impl Call<'_> {
    fn rest(&self, index: usize) -> &[Field] {
        self.fields.get(index..).unwrap_or(&[])
    }

    fn text(&self, index: usize) -> Option<&str> {
        self.fields.get(index).and_then(Field::literal)
    }
}

/// A word of the form `NAME=value`.
fn as_assign(field: &Field) -> Option<Assign> {
    let prefix = field.word.prefix();
    let (name, value) = prefix.split_once('=')?;
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let mut pieces = field.word.pieces.clone();
    match (pieces.first_mut(), value.is_empty()) {
        (Some(first), false) => *first = crate::script::Piece::Text(value.to_owned()),
        (Some(_), true) => {
            let _ = pieces.remove(0);
        }
        (None, _) => {}
    }
    Some(Assign { name: name.to_owned(), value: Word { pieces, span: field.word.span } })
}
