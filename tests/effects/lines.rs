//! The lines to run, and their notation.

/// One line for the shell.
#[derive(Debug, Clone)]
pub struct Line {
    pub id: String,
    pub class: String,
    /// The working folder, below the home.
    pub folder: String,
    pub text: String,
}

const FILES: &[(&str, &str)] = &[
    ("writes", include_str!("lines/writes.txt")),
    ("reach", include_str!("lines/reach.txt")),
    ("secrets", include_str!("lines/secrets.txt")),
    ("shell", include_str!("lines/shell.txt")),
    ("folders", include_str!("lines/folders.txt")),
    ("known", include_str!("lines/known.txt")),
    ("trust", include_str!("lines/trust.txt")),
];

/// Every line.
pub fn all() -> Vec<Line> {
    FILES.iter().flat_map(|(name, text)| read(name, text)).collect()
}

/// The lines of one file.
pub fn of_file(wanted: &str) -> Vec<Line> {
    FILES.iter().filter(|(name, _)| *name == wanted).flat_map(|(name, text)| read(name, text)).collect()
}

/// A fifteenth of the lines, every line, or the selected ones.
pub fn of_part(part: Option<usize>) -> Vec<Line> {
    let wanted = std::env::var("GUARDA_EFFECTS").ok();
    let chosen = chosen();
    let numbered = all().into_iter().enumerate();
    let taken = numbered.filter(|(number, line)| match (&chosen, part) {
        (Some(chosen), _) => chosen.contains(&line.id),
        (None, Some(part)) if wanted.is_none() => number % 15 == part,
        _ => true,
    });
    taken.map(|(_, line)| line).collect()
}

/// The names of the only lines to run.
pub fn chosen() -> Option<Vec<String>> {
    let names = std::env::var("GUARDA_EFFECTS").ok().filter(|names| names != "all")?;
    Some(names.split(',').map(str::to_owned).collect())
}

/// Reads the lines of one file.
pub fn read(name: &str, text: &str) -> Vec<Line> {
    let (mut class, mut folder) = (name.to_owned(), "project".to_owned());
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        let (word, rest) =
            line.split_once(' ').unwrap_or_else(|| panic!("{name}:{}: one word: {line}", number + 1));
        match word {
            "@class" => (class, folder) = (rest.to_owned(), "project".to_owned()),
            "@in" => folder = rest.to_owned(),
            id => {
                let text = rest.replace('⏎', "\n").replace('⇥', "\t");
                lines.push(Line { id: id.to_owned(), class: class.clone(), folder: folder.clone(), text });
            }
        }
    }
    lines
}
