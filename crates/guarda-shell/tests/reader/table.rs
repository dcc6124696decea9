//! The table in `lines.txt`: how it is written down.

/// One case: the script, the expected result, and the line of the file where the case begins.
pub struct Case {
    pub category: String,
    pub script: String,
    pub expected: Vec<String>,
    pub line: usize,
}

/// The cases of a table.
pub fn cases(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut category = String::new();
    let mut open = false;
    for (index, line) in table.lines().enumerate() {
        if let Some(name) = line.strip_prefix("# ") {
            category = name.to_owned();
            open = false;
        } else if let Some(text) = line.strip_prefix(">$ ") {
            let script = unescape(text);
            cases.push(Case { category: category.clone(), script, expected: Vec::new(), line: index + 1 });
            open = true;
        } else if let Some(text) = line.strip_prefix('>') {
            let text = text.strip_prefix(' ').unwrap_or(text);
            match cases.last_mut() {
                Some(case) if open => {
                    case.script.push('\n');
                    case.script.push_str(text);
                }
                _ => {
                    let script = text.to_owned();
                    cases.push(Case {
                        category: category.clone(),
                        script,
                        expected: Vec::new(),
                        line: index + 1,
                    });
                    open = true;
                }
            }
        } else if line.is_empty() {
            open = false;
        } else if let Some(case) = cases.last_mut() {
            case.expected.push(line.to_owned());
        }
    }
    cases
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        match escape.chars().next() {
            Some('r') => out.push('\r'),
            Some('n') => out.push('\n'),
            Some('u') => {
                let (code, left) = escape[2..].split_once('}').expect("a closed escape");
                let code = u32::from_str_radix(code, 16).expect("a number");
                out.push(char::from_u32(code).expect("a character"));
                rest = left;
                continue;
            }
            other => panic!("no such escape: {other:?}"),
        }
        rest = &escape[1..];
    }
    out.push_str(rest);
    out
}
