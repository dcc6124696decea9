//! Scripts of sed: everything passes but writing files, running commands, and reading secrets.

use super::Ask;

/// Reads a script.
pub(in crate::policy) fn read(script: &str, secret: &Ask<'_>) -> Result<(), &'static str> {
    let mut reader = Reader { rest: script };
    let mut budget = script.len() + 2;
    loop {
        budget = budget.checked_sub(1).ok_or("the script cannot be read")?;
        reader.skip(|letter| letter.is_whitespace() || matches!(letter, ';' | '}'));
        if reader.rest.is_empty() {
            return Ok(());
        }
        reader.address()?;
        reader.skip(|letter| letter.is_whitespace() || letter == '!');
        let Some(command) = reader.next() else { return Ok(()) };
        match command {
            '{' => {}
            '#' => reader.line(),
            'p' | 'P' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | '=' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' | 'L' => reader.skip(|letter| letter.is_ascii_digit() || letter == ' '),
            'a' | 'i' | 'c' => reader.text(),
            ':' | 'b' | 't' | 'T' => reader.skip(|letter| !matches!(letter, ';' | '\n' | '}')),
            'v' => reader.line(),
            's' => reader.substitute(secret)?,
            'y' => {
                let Some(end) = reader.next() else { return Err("the script cannot be read") };
                reader.part(end, false)?;
                reader.part(end, false)?;
            }
            'r' | 'R' => {
                reader.skip(|letter| letter == ' ');
                let file = reader.rest.split('\n').next().unwrap_or_default();
                if secret(file.trim()) {
                    return Err("the script reads a file that may hold a secret");
                }
                reader.line();
            }
            'w' | 'W' => {
                reader.skip(|letter| letter == ' ');
                let file = reader.rest.split('\n').next().unwrap_or_default();
                if !crate::policy::closed::nowhere(file.trim()) {
                    return Err("the script writes a file");
                }
                reader.line();
            }
            'e' => return Err("the script runs a command"),
            _ => return Err("the script has a command that is not known"),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
        Some(letter)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(wanted);
    }

    fn line(&mut self) {
        self.rest = self.rest.find('\n').and_then(|at| self.rest.get(at..)).unwrap_or_default();
    }

    /// The text of `a`, `i`, `c`: up to a line end without a backslash before it.
    fn text(&mut self) {
        let mut escaped = false;
        while let Some(letter) = self.next() {
            if letter == '\n' && !escaped {
                return;
            }
            escaped = letter == '\\' && !escaped;
        }
    }

    fn address(&mut self) -> Result<(), &'static str> {
        loop {
            match self.peek() {
                Some('0'..='9' | '$' | '+' | '~') => {
                    self.next();
                }
                Some('/') => {
                    self.next();
                    self.part('/', true)?;
                    self.skip(|letter| matches!(letter, 'I' | 'M'));
                }
                Some('\\') => {
                    self.next();
                    let Some(end) = self.next() else { return Err("the script cannot be read") };
                    self.part(end, true)?;
                    self.skip(|letter| matches!(letter, 'I' | 'M'));
                }
                Some(',' | ' ' | '\t') => {
                    self.next();
                }
                _ => return Ok(()),
            }
        }
    }

    /// A part up to `end`, which may stand behind a backslash or in brackets.
    fn part(&mut self, end: char, regex: bool) -> Result<(), &'static str> {
        while let Some(letter) = self.next() {
            if letter == end {
                return Ok(());
            }
            if letter == '\\' {
                self.next();
            } else if letter == '[' && regex {
                self.bracket();
            } else if letter == '\n' && end == '/' && self.rest.is_empty() {
                break;
            }
        }
        Err("the script cannot be read")
    }

    /// The rest of a bracket expression, in which nothing ends the part.
    fn bracket(&mut self) {
        let before = self.rest;
        self.skip(|letter| letter == '^');
        if self.peek() == Some(']') {
            self.next();
        }
        while let Some(letter) = self.next() {
            match letter {
                ']' => return,
                '[' if matches!(self.peek(), Some(':' | '.' | '=')) => {
                    let Some(kind) = self.next() else { return };
                    let mut last = kind;
                    while let Some(letter) = self.next() {
                        if letter == ']' && last == kind {
                            break;
                        }
                        last = letter;
                    }
                }
                '\n' => break,
                _ => {}
            }
        }
        // No end: sed would refuse it, or the bracket is meant as it stands.
        self.rest = before;
    }

    fn substitute(&mut self, _secret: &Ask<'_>) -> Result<(), &'static str> {
        let Some(end) = self.next() else { return Err("the script cannot be read") };
        if end == '\n' || end == '\\' {
            return Err("the script cannot be read");
        }
        self.part(end, true)?;
        self.part(end, false)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => return Err("the script runs a command"),
                Some('w') => {
                    self.next();
                    self.skip(|letter| letter == ' ');
                    let file = self.rest.split('\n').next().unwrap_or_default();
                    if !crate::policy::closed::nowhere(file.trim()) {
                        return Err("the script writes a file");
                    }
                    self.line();
                    return Ok(());
                }
                Some(letter) if letter.is_whitespace() || matches!(letter, ';' | '}' | '#') => return Ok(()),
                None => return Ok(()),
                Some(_) => return Err("the script cannot be read"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn scripts() {
        let secret = |path: &str| path == ".env";
        for (script, passes) in [
            ("s/a/b/", true),
            ("s/a/b/gI;p", true),
            ("1,5p", true),
            ("$!d", true),
            ("/^#/d;/x/,/y/{s|a|b|;p}", true),
            ("/a/w out", false),
            ("s/a/b/w out", false),
            ("s/a/b/w /dev/stdout", true),
            ("s/.*/id/e", false),
            ("1e id", false),
            ("e", false),
            ("s/x/y/ge", false),
            ("r .env", false),
            ("r notes", true),
            (":a;N;$!ba;s/\\n/,/g", true),
            ("y/abc/xyz/", true),
            ("a hello\ne id", false),
            ("a\\\ne id", true),
            ("s/[/]/x/", true),
            ("s/[/]/x/e", false),
            ("s/[[:alpha:]/]*/x/;w f", false),
            ("W f", false),
            ("\\,x,d", true),
            ("s,a,b,;e", false),
            ("{p;e id\n}", false),
        ] {
            assert_eq!(super::read(script, &secret).is_ok(), passes, "{script}");
        }
    }
}
