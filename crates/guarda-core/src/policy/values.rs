//! What a line itself gives to variables and names, beside plain assignments: by builtins, by texts in place.

use guarda_shell::script::{Input, RedirectKind, Run, Script, Word};

/// How many texts that variables may hold are looked at.
pub(super) const MOST: usize = 16;

/// What the line itself may give to variables and names.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// What some variable may hold that a command is called by: what is assigned, and what builtins give.
    texts: Vec<String>,
    /// What builtins give to variables whose name the reader does not follow.
    pub given: Vec<String>,
    /// `hash -p PATH NAME`: what a name is made to mean.
    renamed: Vec<(String, String)>,
}

impl Values {
    /// Collects what assignments, `printf -v`, `read` and `mapfile` with a here-string, `declare`, `set --` and `hash -p` give.
    pub(super) fn of(script: &Script) -> Self {
        let mut found = Self::default();
        let mut assigned = Vec::new();
        let (mut reads, mut refers) = (false, false);
        for run in script.runs() {
            let values = run.assigns.iter().filter_map(|assign| assign.value.literal());
            assigned.extend(values.map(str::to_owned));
            let words: Vec<&str> = run.words.iter().skip(1).filter_map(Word::literal).collect();
            match run.program() {
                Some("printf") if words.first() == Some(&"-v") => {
                    let values = words.get(2..).unwrap_or_default();
                    found.given.push(values.join(" "));
                    found.given.push(values.get(1..).unwrap_or_default().join(" "));
                    found.given.extend(values.iter().map(|value| (*value).to_owned()));
                }
                Some("read" | "mapfile" | "readarray") => reads = true,
                Some("declare" | "local" | "readonly" | "export" | "typeset") => {
                    refers |= words.iter().any(|word| word.starts_with('-') && word.contains('n'));
                    let values = words.iter().filter_map(|word| word.split_once('='));
                    assigned.extend(values.map(|(_, value)| value.to_owned()));
                }
                Some("set") => {
                    let values = words.iter().skip_while(|word| word.starts_with('-'));
                    found.given.extend(values.map(|value| (*value).to_owned()));
                    found.texts.push(words.join(" ").trim_start_matches("-- ").to_owned());
                }
                Some("hash") => {
                    if let Some(at) = words.iter().position(|word| *word == "-p")
                        && let (Some(path), Some(name)) = (words.get(at + 1), words.get(at + 2))
                    {
                        found.renamed.push(((*name).to_owned(), (*path).to_owned()));
                    }
                }
                _ => {}
            }
        }
        if reads {
            let texts: Vec<String> = script.runs().iter().flat_map(given).collect();
            found
                .given
                .extend(texts.iter().flat_map(|text| text.split_ascii_whitespace()).map(str::to_owned));
            found.given.extend(texts);
        }
        if refers {
            found.given.extend(assigned.iter().cloned());
        }
        found.texts.extend(assigned);
        found.texts.extend(found.given.iter().cloned());
        for texts in [&mut found.texts, &mut found.given] {
            texts.retain(|text| !text.trim().is_empty() && text.len() < 512);
            texts.dedup();
            texts.truncate(MOST);
        }
        found
    }

    /// What the name of a run's program may mean besides itself.
    pub(super) fn meant_by<'a>(&'a self, run: &'a Run) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match run.program() {
            None if !run.words.is_empty() => Box::new(self.texts.iter().map(String::as_str)),
            Some(name) if !self.renamed.is_empty() => Box::new(
                self.renamed.iter().filter(move |(known, _)| known == name).map(|(_, path)| path.as_str()),
            ),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// The texts that a run is given in place.
pub(super) fn given(run: &Run) -> Vec<String> {
    run.redirects
        .iter()
        .filter(|redirect| redirect.kind == RedirectKind::Text)
        .filter_map(|redirect| redirect.target.literal())
        .map(str::to_owned)
        .collect()
}

/// What a run prints, as far as the line spells it out.
pub(super) fn said(run: &Run) -> Vec<String> {
    let words = || run.words.iter().skip(1).filter_map(Word::literal);
    let spelt = |text: &str| text.replace("\\n", "\n").replace("\\t", "\t");
    match run.program().map(crate::catalogue::base_name) {
        Some("echo") => {
            let shown: Vec<&str> =
                words().skip_while(|word| matches!(*word, "-n" | "-e" | "-E" | "-ne" | "-en")).collect();
            vec![spelt(&shown.join(" "))]
        }
        Some("printf") => {
            let mut shown: Vec<String> = words().map(spelt).collect();
            let values: Vec<&str> = words().skip(1).collect();
            shown.push(values.join(" "));
            shown
        }
        _ => match run.input {
            Input::Redirected => given(run),
            Input::Inherited | Input::Pipe(_) => Vec::new(),
        },
    }
}
