//! Programs of awk: reading and printing pass; files, commands, sockets and modules do not.

use super::Ask;

/// Reads a program.
pub(in crate::policy) fn read(program: &str, secret: &Ask<'_>) -> Result<(), &'static str> {
    let letters: Vec<char> = program.chars().collect();
    let mut at = 0usize;
    let mut depth = 0usize;
    // The depth of parentheses at which a print statement stands, if we are in one.
    let mut print: Option<usize> = None;
    // True where a `/` begins a regular expression and not a division.
    let mut regex = true;
    let get = |at: usize| letters.get(at).copied();
    while let Some(letter) = get(at) {
        match letter {
            '#' => {
                while get(at).is_some_and(|letter| letter != '\n') {
                    at += 1;
                }
                continue;
            }
            '"' => {
                let (text, next) = string(&letters, at + 1);
                if secret(&text) {
                    return Err("the program names a file that may hold a secret");
                }
                if text.starts_with("/inet") {
                    return Err("the program opens a network connection");
                }
                at = next;
                regex = false;
                continue;
            }
            '/' if regex => {
                at += 1;
                let mut bracket = false;
                while let Some(inner) = get(at) {
                    match inner {
                        '\\' => at += 1,
                        '[' => bracket = true,
                        ']' => bracket = false,
                        '/' if !bracket => break,
                        '\n' => break,
                        _ => {}
                    }
                    at += 1;
                }
                regex = false;
            }
            '(' | '[' => {
                depth += 1;
                regex = true;
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                regex = false;
            }
            '|' => {
                if get(at + 1) != Some('|') {
                    return Err("the program runs a command");
                }
                at += 1;
                regex = true;
            }
            '>' if get(at + 1) == Some('=') => {
                at += 1;
                regex = true;
            }
            '>' => {
                if print.is_some_and(|outer| depth <= outer) {
                    let rest: String = letters.get(at..).unwrap_or_default().iter().collect();
                    let target = rest.trim_start_matches(['>', ' ', '\t']);
                    let stays = ["\"/dev/stderr\"", "\"/dev/stdout\"", "\"/dev/null\""].iter().any(|known| {
                        target.strip_prefix(known).is_some_and(|rest| {
                            rest.trim_start_matches([' ', '\t']).starts_with([';', '}', '\n', ')'])
                                || rest.trim().is_empty()
                        })
                    });
                    if !stays {
                        return Err("the program writes a file");
                    }
                }
                regex = true;
            }
            '@' => return Err("the program loads a module or calls a function by name"),
            ';' | '\n' | '{' | '}' => {
                if depth == 0 || letter != '\n' {
                    print = None;
                }
                regex = true;
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let start = at;
                while get(at).is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
                    at += 1;
                }
                let word: String = letters.get(start..at).unwrap_or_default().iter().collect();
                match word.as_str() {
                    "system" => return Err("the program runs a command"),
                    // To gawk a `/` behind it begins a pattern, to the others it is a variable and divided.
                    "case" => return Err("the programs called awk read this differently"),
                    "getline" => {
                        let next = letters.get(at..).unwrap_or_default().iter().collect::<String>();
                        let next = next.trim_start();
                        let next = next
                            .trim_start_matches(|letter: char| {
                                letter.is_ascii_alphanumeric() || letter == '_'
                            })
                            .trim_start();
                        if let Some(file) = next.strip_prefix('<')
                            && !file.trim_start().starts_with('"')
                        {
                            return Err("the program reads a file that is not known");
                        }
                    }
                    "print" | "printf" => print = Some(depth),
                    "ENVIRON" | "PROCINFO" | "ARGV" => return Err("the program reaches beyond its input"),
                    _ => {}
                }
                regex = matches!(word.as_str(), "print" | "printf" | "return" | "in" | "do" | "else");
                continue;
            }
            letter if letter.is_ascii_digit() || letter == '$' || letter == '.' => regex = false,
            letter if letter.is_whitespace() => {}
            '+' | '-' if get(at + 1) == Some(letter) => {
                // `x++ / y`: a division.
                at += 1;
                regex = false;
            }
            _ => regex = true,
        }
        at += 1;
    }
    Ok(())
}

/// The text of a string that begins at `at`, and the index behind it.
fn string(letters: &[char], mut at: usize) -> (String, usize) {
    let mut text = String::new();
    while let Some(letter) = letters.get(at).copied() {
        match letter {
            '"' => return (text, at + 1),
            '\\' => {
                at += 1;
                if let Some(next) = letters.get(at) {
                    text.push(*next);
                }
            }
            _ => text.push(letter),
        }
        at += 1;
    }
    (text, at)
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs() {
        let secret = |path: &str| path == "/etc/shadow";
        for (program, passes) in [
            ("{print $1}", true),
            ("$3 > 100 {print $1 \" \" $2}", true),
            ("{ if ($1 > 5) print }", true),
            ("{print ($1 > 5)}", true),
            ("{print $1 > \"out\"}", false),
            ("{print > $2}", false),
            ("{print $0 >> \"x\"}", false),
            ("{print > \"/dev/stderr\"}", true),
            ("{print > \"/dev/stderr\" \"x\"}", false),
            ("BEGIN{system(\"id\")}", false),
            ("BEGIN{\"id\" | getline x}", false),
            ("{print | \"sort\"}", false),
            ("/a|b/ && $1 || $2 {n++} END {print n}", true),
            ("BEGIN{while((getline line < \"/etc/shadow\") > 0) print line}", false),
            ("BEGIN{while((getline line < \"notes\") > 0) print line}", true),
            ("{getline x < $1}", false),
            ("BEGIN { f=\"system\"; @f(\"id\") }", false),
            ("{ print $1 / 2; x = $2 / 3 }", true),
            ("{ gsub(/\\/\\//, \"|\"); print }", true),
            ("{print \"a|b > c\"}", true),
            ("# system(\nBEGIN{system(\"id\")}", false),
            ("{print $1 |& \"/inet/tcp/0/h/80\"}", false),
            ("{ x++ / system(\"id\") / 1 }", false),
            ("{ x = y /2; system(\"id\") /1 }", false),
            ("{printf \"%s\\n\", $1 > \"f\"}", false),
        ] {
            assert_eq!(super::read(program, &secret).is_ok(), passes, "{program}");
        }
    }
}
