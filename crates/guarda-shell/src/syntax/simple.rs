//! Simple commands: assignments, words, redirections; and functions, which begin like one.

use crate::script::{Dialect, Span};
use crate::syntax::grammar::{ENDS, OPENS};
use crate::syntax::scan::{Reader, Stop, begins_name, breaks, in_name};
use crate::syntax::tree::{AssignedValue, Assignment, Body, Compound, Kind, Part, Raw, Sets, Simple};
use crate::syntax::words::{Place, leading_name};

/// Builtins whose arguments may be `name=(…)`.
const DECLARES: [&str; 8] = ["declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"];

/// Builtins that set the names in their arguments, and one name of their own.
const NAMED: [(&str, &str); 9] = [
    ("read", "REPLY"),
    ("mapfile", "MAPFILE"),
    ("readarray", "MAPFILE"),
    ("getopts", "OPTARG"),
    ("export", ""),
    ("readonly", ""),
    ("declare", ""),
    ("typeset", ""),
    ("local", ""),
];

/// Commands that set variables in ways that the reader does not follow inside a loop.
const SETTERS: [&str; 10] =
    ["unset", "let", "eval", "source", ".", "trap", "builtin", "command", "set", "shopt"];

impl Reader<'_, '_> {
    pub fn simple(&mut self) -> Result<(Body, bool), Stop> {
        self.join();
        let start = self.pos;
        let mut end = start;
        let mut simple = Simple::default();
        let mut declares = false;
        loop {
            self.blanks()?;
            match self.peek() {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.peek_second() == b'>' => {
                    let redirect = self.redirection(None, None)?;
                    simple.redirects.push(redirect);
                }
                b'&' => break,
                b'(' => {
                    if simple.words.len() == 1 && simple.assigns.is_empty() && simple.redirects.is_empty() {
                        return self.parenthesised_function(simple, start);
                    }
                    return self.fault("bash would not expect `(` here");
                }
                b'<' | b'>' if self.peek_second() != b'(' => {
                    let redirect = self.redirection(None, None)?;
                    simple.redirects.push(redirect);
                }
                b'0'..=b'9' | b'{' if self.descriptor()? => {
                    let redirect = self.numbered_redirection()?;
                    simple.redirects.push(redirect);
                }
                _ if self.ended() => break,
                _ => self.argument(&mut simple, &mut declares)?,
            }
            end = self.pos;
        }
        simple.span = self.map.span(start, end);
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty() {
            return self.fault("a command is missing here");
        }
        self.note_setters(&simple);
        Ok((Body::Simple(simple), false))
    }

    /// One word of a simple command, or an assignment in front of it.
    pub fn argument(&mut self, simple: &mut Simple, declares: &mut bool) -> Result<(), Stop> {
        let first = simple.words.is_empty();
        let place = match (first, *declares) {
            (true, _) => Place::Command,
            (false, true) => Place::Declaration,
            (false, false) => Place::Argument,
        };
        let word = self.word(place)?;
        if !first {
            simple.words.push(word);
            return Ok(());
        }
        match assignment(word) {
            Ok(assignment) => {
                if self.loops > 0 {
                    let name = assignment.name.clone();
                    let note = if assignment.is_number() { Sets::Number(name) } else { Sets::Name(name) };
                    self.note(note);
                }
                simple.assigns.push(assignment);
            }
            Err(word) => {
                if let Raw::Rich { .. } = word
                    && let Some(text) = word.bare()
                    && simple.assigns.is_empty()
                    && simple.redirects.is_empty()
                    && (ENDS.contains(&text) || OPENS.contains(&text))
                {
                    return self.stop("a reserved word is joined from two lines");
                }
                if let Some(text) = word.bare() {
                    *declares = DECLARES.contains(&text);
                    if text.ends_with('}') && text.starts_with('{') && matches!(self.peek(), b'<' | b'>') {
                        return self.stop("a descriptor is named in braces");
                    }
                }
                simple.words.push(word);
            }
        }
        Ok(())
    }

    /// Notes the variables that a command may set without an assignment.
    pub fn note_setters(&mut self, simple: &Simple) {
        let Some((first, rest)) = simple.words.split_first().filter(|_| self.loops > 0) else {
            return;
        };
        let Some(name) = first.bare() else {
            return self.note(Sets::Unnamed);
        };
        let second = rest.first().and_then(Raw::bare);
        let flagged = |letter: char| {
            rest.iter()
                .any(|word| word.begins().is_none_or(|text| text.starts_with('-') && text.contains(letter)))
        };
        match name {
            "[" | "test" if flagged('v') || flagged('R') => self.note(Sets::Anything),
            "printf" if second == Some("-v") && rest.get(1).and_then(Raw::bare).is_some() => {
                self.note_names("REPLY", rest.get(1..2).unwrap_or(&[]));
            }
            "printf"
                if rest
                    .first()
                    .is_some_and(|word| word.begins().is_none_or(|text| text.starts_with("-v"))) =>
            {
                self.note(Sets::Anything);
            }
            "wait" if flagged('p') => self.note(Sets::Anything),
            "cd" | "pushd" | "popd" => {
                self.note(Sets::Name("PWD".to_owned()));
                self.note(Sets::Name("OLDPWD".to_owned()));
            }
            "command" if second == Some("-v") => {}
            _ if SETTERS.contains(&name) => self.note(Sets::Anything),
            _ => {
                if let Some((_, own)) = NAMED.iter().find(|(known, _)| *known == name) {
                    self.note_names(own, rest);
                }
            }
        }
    }

    /// Notes the names in a builtin's arguments, or that it may set any name.
    fn note_names(&mut self, own: &str, rest: &[Raw]) {
        self.note(Sets::Name(own.to_owned()));
        if own == "OPTARG" {
            self.note(Sets::Name("OPTIND".to_owned()));
        }
        for word in rest {
            match word.begins() {
                // The text after a letter may be a name, and letters may change what is set later.
                Some(text) if text.starts_with('-') => {
                    let quiet =
                        !own.is_empty() || text.bytes().all(|byte| matches!(byte, b'-' | b'x' | b'r' | b'g'));
                    if !quiet || text.contains('C') {
                        self.note(Sets::Anything);
                    }
                    if let Some((_, name)) = text.split_once('a') {
                        self.note(Sets::Name(leading_name(name).to_owned()));
                    }
                }
                Some(text) if word.whole() || text.contains('=') => {
                    self.note(Sets::Name(leading_name(text).to_owned()));
                }
                Some(_) | None => self.note(Sets::Anything),
            }
        }
    }

    /// Whether the digits, or the name in braces, at this position belong to a redirection.
    pub fn descriptor(&mut self) -> Result<bool, Stop> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let length = if rest.first() == Some(&b'{') {
            let name = rest.iter().skip(1).take_while(|byte| in_name(**byte)).count();
            if name == 0
                || rest.get(name + 1) != Some(&b'}')
                || !rest.get(1).copied().is_some_and(begins_name)
            {
                return Ok(false);
            }
            name + 2
        } else {
            rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        self.work.spend(length)?;
        let next = self.after((self.pos + length).saturating_sub(1));
        let found = matches!(self.at(next), b'<' | b'>');
        if found && next != self.pos + length {
            return self.stop("a descriptor is joined from two lines");
        }
        if found && self.at(self.after(next)) == b'(' {
            return self.stop("a process substitution stands against digits");
        }
        Ok(found)
    }

    pub fn numbered_redirection(&mut self) -> Result<crate::syntax::tree::Redirection, Stop> {
        if self.at(self.pos) == b'{' {
            self.only_bash("only bash reads `{name}>`")?;
            let start = self.pos + 1;
            while self.at(self.pos) != b'}' {
                self.pos += 1;
            }
            let name = self.slice(start, self.pos).to_owned();
            self.note(Sets::Number(name.clone()));
            self.pos += 1;
            return self.redirection(None, Some(name));
        }
        let start = self.pos;
        while self.at(self.pos).is_ascii_digit() {
            self.pos += 1;
        }
        let digits = self.slice(start, self.pos);
        if self.dialect == Dialect::Sh && digits.len() > 1 {
            return self.stop("only bash reads descriptors of two digits");
        }
        match digits.parse::<u32>() {
            Ok(fd) if digits.len() <= 9 => self.redirection(Some(fd), None),
            _ => self.stop("a descriptor is too large"),
        }
    }

    pub fn parenthesised_function(&mut self, mut simple: Simple, start: usize) -> Result<(Body, bool), Stop> {
        self.pos += 1;
        self.blanks()?;
        if !self.take(b')') {
            return self.fault("bash would not expect `(` here");
        }
        let word = simple.words.pop().unwrap_or_default();
        let name = match &word {
            Raw::Plain(word) => word.literal().unwrap_or("").to_owned(),
            Raw::Rich { .. } => String::new(),
        };
        self.function(name, start)
    }

    /// The body after `name ()` or `function name`.
    pub fn function(&mut self, name: String, start: usize) -> Result<(Body, bool), Stop> {
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.stop("a function's name is not a plain word");
        }
        self.note(Sets::Anything);
        self.newlines()?;
        self.enter()?;
        let body = match self.command()? {
            (Body::Compound(body), _) => body,
            (Body::Simple(_), _) => return self.stop("a function's body is not a compound command"),
        };
        self.leave();
        let span = self.span(start);
        let open = body.redirects.is_empty();
        let kind = Kind::Function { name, body };
        Ok((Body::Compound(Box::new(Compound { kind, redirects: Vec::new(), span })), open))
    }

    /// The required plain name between blanks.
    pub fn name_word(&mut self) -> Result<String, Stop> {
        self.blanks()?;
        let start = self.pos;
        while in_name(self.at(self.pos)) {
            self.pos += 1;
        }
        let name = self.slice(start, self.pos);
        if !name.bytes().next().is_some_and(begins_name) || !(breaks(self.at(self.pos)) || self.ended()) {
            return self.stop("a name is not a plain word");
        }
        Ok(name.to_owned())
    }
}

/// Splits a word that sets a variable; returns it if it does not.
pub(crate) fn assignment(word: Raw) -> Result<Assignment, Raw> {
    let Raw::Rich { span, mut parts } = word else {
        return Err(word);
    };
    let Some(Part::Text(first)) = parts.first() else {
        return Err(Raw::Rich { span, parts });
    };
    let length = first.bytes().take_while(|byte| in_name(*byte)).count();
    if length == 0 || !first.bytes().next().is_some_and(begins_name) {
        return Err(Raw::Rich { span, parts });
    }
    let subscripted = length == first.len() && matches!(parts.get(1), Some(Part::Subscript(_)));
    let rest = if subscripted {
        match parts.get(2) {
            Some(Part::Text(text)) => text.as_str(),
            _ => "",
        }
    } else {
        first.get(length..).unwrap_or("")
    };
    let (append, value) = match (rest.strip_prefix("+="), rest.strip_prefix('=')) {
        (Some(value), _) => (true, value.to_owned()),
        (None, Some(value)) => (false, value.to_owned()),
        (None, None) => return Err(Raw::Rich { span, parts }),
    };
    let name = first.get(..length).unwrap_or("").to_owned();
    let mut rest = parts.drain(..).skip(1);
    let subscript = if subscripted {
        let subscript = match rest.next() {
            Some(Part::Subscript(parts)) => Some(parts),
            _ => None,
        };
        let _ = rest.next();
        subscript
    } else {
        None
    };
    let mut tail: Vec<Part> = Vec::new();
    if !value.is_empty() {
        tail.push(Part::Text(value));
    }
    tail.extend(rest);
    let value = match tail.as_mut_slice() {
        [Part::Array(items)] => AssignedValue::Many(std::mem::take(items)),
        _ => {
            let start = (span.start + name.len() + 1 + usize::from(append)).min(span.end);
            let span = if subscripted { span } else { Span { start, end: span.end } };
            AssignedValue::One(Raw::Rich { span, parts: tail })
        }
    };
    Ok(Assignment { name, subscript, append, value, span })
}
