//! The lines of a day, from `lines.txt`.

/// What is expected of a line.
#[derive(Debug)]
pub enum Expected {
    /// Exactly what a plain run does, without a question.
    Same,
    /// The same after a question that a person would want, for this reason.
    Asked(String),
    /// It differs in a way that the reply tells of, for this reason.
    Told(String),
    /// It still differs, for this reason.
    Known(String),
}

#[derive(Debug)]
pub struct Line {
    pub expected: Expected,
    pub text: String,
}

/// The lines in one project, one after the other.
#[derive(Debug, Default)]
pub struct Part {
    pub name: String,
    /// Below the home folder.
    pub folder: String,
    /// Lines that make the project, run plainly.
    pub prepare: Vec<String>,
    pub lines: Vec<Line>,
    /// Why an undo step by step is known to differ.
    pub undo_known: Option<String>,
}

/// Reads the table. Its first lines explain it.
pub fn parts() -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for row in include_str!("lines.txt").lines().filter(|row| !row.is_empty()) {
        let (mark, rest) = row.split_once(' ').unwrap_or((row, ""));
        // A line goes on after the mark of continuation.
        let reason = || {
            let (reason, text) = rest.split_once(" :: ").unwrap_or_else(|| panic!("{row:?} has no reason"));
            (reason.to_owned(), text.to_owned())
        };
        if mark == "##" {
            let (name, folder) = rest.split_once(" in ").unwrap_or_else(|| panic!("{row:?} names no folder"));
            parts.push(Part { name: name.to_owned(), folder: folder.to_owned(), ..Part::default() });
            continue;
        }
        if mark == "#" {
            continue;
        }
        let part = parts.last_mut().unwrap_or_else(|| panic!("{row:?} before the first project"));
        let mut add = |expected, text| part.lines.push(Line { expected, text });
        match mark {
            "+" => part.prepare.push(rest.to_owned()),
            "=" => add(Expected::Same, rest.to_owned()),
            "?" => add(Expected::Asked(reason().0), reason().1),
            "~" => add(Expected::Told(reason().0), reason().1),
            "!" => add(Expected::Known(reason().0), reason().1),
            "undo!" => part.undo_known = Some(rest.to_owned()),
            "|" => {
                let text = match part.lines.last_mut() {
                    Some(line) => &mut line.text,
                    None => part.prepare.last_mut().unwrap_or_else(|| panic!("{row:?} continues nothing")),
                };
                text.push('\n');
                text.push_str(rest);
            }
            _ => panic!("{row:?} has no mark"),
        }
    }
    parts
}
