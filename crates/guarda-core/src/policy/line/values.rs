//! The values that a line gives to variables and names other than by plain assignment: through builtins and text in place.

use crate::encoding::{BASE32, BASE64, HEX, escape};
use foldhash::HashSet;
use guarda_shell::script::{Input, RedirectKind, Run, Script, Word};

/// The values that the line may give to variables and names.
#[derive(Debug, Default)]
pub(crate) struct LineValues {
    /// Texts that a variable in a program's place may hold: assigned ones, and those from builtins.
    texts: Vec<String>,
    /// Texts that builtins give to variables in ways that the reader does not follow.
    given: Vec<String>,
    /// The literal words of those builtins, among them the names of the variables.
    names: HashSet<String>,
    /// A name among them is unknown, so it may be any variable.
    any_name: bool,
    /// The texts of all descriptors have been added.
    opened: bool,
    /// `hash -p PATH NAME`, as pairs of name and path.
    renamed: Vec<(String, String)>,
}

impl LineValues {
    /// Collects the values of assignments, `printf -v`, `read` and `mapfile` with a here-string, `declare`, `set --` and `hash -p`.
    ///
    /// `inside` finds the runs of the substitutions in a word.
    pub(crate) fn of<'a, I: Iterator<Item = usize>>(
        script: &'a Script,
        inside: impl Fn(&'a Word) -> I,
    ) -> Self {
        let mut found = Self::default();
        let mut assigned = Vec::new();
        let mut refers = false;
        for run in script.runs() {
            let values = run.assigns.iter().filter_map(|assign| assign.value.literal());
            assigned.extend(values.map(str::to_owned));
            let words: Vec<&str> = run.words.iter().skip(1).filter_map(Word::literal).collect();
            if matches!(run.program(), Some("printf" | "read" | "mapfile" | "readarray")) {
                found.names.extend(words.iter().map(|word| (*word).to_owned()));
                found.any_name |= words.len() + 1 < run.words.len();
            }
            match run.program() {
                Some("printf") if words.first() == Some(&"-v") => {
                    let values = words.get(2..).unwrap_or_default();
                    found.given.push(values.join(" "));
                    found.given.push(values.get(1..).unwrap_or_default().join(" "));
                    found.given.extend(values.iter().map(|value| (*value).to_owned()));
                }
                Some("read" | "mapfile" | "readarray") => found.read(script, run, &inside),
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
        if refers {
            found.given.extend(assigned.iter().cloned());
            found.any_name = true;
        }
        found.texts.extend(assigned);
        let items = script.items().iter().filter_map(|item| item.word.literal());
        found.texts.extend(items.map(str::to_owned));
        found.texts.extend(found.given.iter().cloned());
        for texts in [&mut found.texts, &mut found.given] {
            texts.retain(|text| !text.trim().is_empty());
            texts.sort_unstable();
            texts.dedup();
        }
        found
    }

    /// Adds the input of `read` and `mapfile`: text in place, a pipe, a process substitution.
    fn read<'a, I: Iterator<Item = usize>>(
        &mut self,
        script: &'a Script,
        run: &'a Run,
        inside: impl Fn(&'a Word) -> I,
    ) {
        let printed = |at: usize| script.runs().get(at).map(said).unwrap_or_default();
        let piped = match &run.input {
            Input::Pipe(from) => from.iter().copied().flat_map(printed).collect(),
            Input::Inherited | Input::Redirected => Vec::new(),
        };
        let targets = run.redirects.iter().map(|redirect| &redirect.target);
        let substituted = targets.flat_map(&inside).flat_map(printed);
        // From a descriptor opened elsewhere: the texts of all descriptors count, so adding them once is enough.
        let elsewhere = !self.opened
            && run.words.iter().any(|word| word.prefix().starts_with('-') && word.prefix().contains('u'));
        self.opened |= elsewhere;
        let opened = if elsewhere { script.runs() } else { &[] }.iter().flat_map(given);
        let own = given(run).into_iter().chain(opened);
        let texts: Vec<String> = own.chain(piped).chain(substituted).collect();
        let fields = run.assigns.iter().find(|assign| assign.name == "IFS");
        let fields = fields.and_then(|assign| assign.value.literal()).unwrap_or_default();
        let parts = |text: &String| -> Vec<String> {
            let between = |letter: char| letter.is_ascii_whitespace() || fields.contains(letter);
            text.split(between).map(str::to_owned).collect()
        };
        self.given.extend(texts.iter().flat_map(parts));
        self.given.extend(texts);
    }

    /// The values that builtins may have given to a variable. `bound`: the line also binds it in another way.
    pub(crate) fn given_to(&self, name: &str, bound: bool) -> &[String] {
        let positional = || !name.bytes().any(|byte| byte.is_ascii_alphabetic());
        let unnamed = || matches!(name, "REPLY" | "MAPFILE");
        let known = self.any_name || self.names.contains(name);
        if known || positional() || unnamed() || bound { &self.given } else { &[] }
    }

    /// Other meanings of the name of a run's program.
    pub(crate) fn meant_by<'a>(&'a self, run: &'a Run) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match run.program() {
            None if !run.words.is_empty() => Box::new(self.texts.iter().map(String::as_str)),
            Some(name) if !self.renamed.is_empty() => Box::new(
                self.renamed.iter().filter(move |(known, _)| known == name).map(|(_, path)| path.as_str()),
            ),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// The texts given to a run in place.
pub(crate) fn given(run: &Run) -> Vec<String> {
    run.redirects
        .iter()
        .filter(|redirect| redirect.kind == RedirectKind::Text)
        .filter_map(|redirect| redirect.target.literal())
        .map(str::to_owned)
        .collect()
}

/// The output of a run, where the line spells it out.
pub(crate) fn said(run: &Run) -> Vec<String> {
    let words = || run.words.iter().skip(1).filter_map(Word::literal);
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

/// The output of a decoder; `None` if the text is not in its notation.
pub(crate) fn decoded(by: &str, text: &str) -> Option<String> {
    let signs =
        |text: &str| text.trim_end().trim_end_matches('=').replace(char::is_whitespace, "").into_bytes();
    let bytes = match by {
        "base64" | "basenc" => BASE64.decode(&signs(text)),
        "base32" => BASE32.decode(&signs(text)),
        "xxd" => HEX.decode(&signs(text)),
        "rev" => return Some(text.trim_end().chars().rev().collect()),
        "tr" => {
            let turned = |first: u8, letter: u8| char::from((letter - first + 13) % 26 + first);
            return Some(
                text.bytes()
                    .map(|byte| match byte {
                        b'a'..=b'z' => turned(b'a', byte),
                        b'A'..=b'Z' => turned(b'A', byte),
                        _ => char::from(byte),
                    })
                    .collect(),
            );
        }
        _ => return None,
    };
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

/// A text as `echo -e` and `printf` print it.
fn spelt(text: &str) -> String {
    let mut spelt = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, behind) = rest.split_at(at);
        spelt.push_str(plain);
        let (letter, length) = match behind.as_bytes().get(1) {
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'0'..=b'7') => octal(behind),
            _ => escape(behind.as_bytes()).unwrap_or(('\\', 1)),
        };
        spelt.push(letter);
        rest = behind.get(length..).unwrap_or_default();
    }
    spelt + rest
}

/// The character of an octal escape, and the escape's length: up to three digits, or four behind a zero, as `echo -e` reads it.
fn octal(escape: &str) -> (char, usize) {
    let digits = escape.get(1..).unwrap_or_default();
    let most = if digits.starts_with('0') { 4 } else { 3 };
    let digits = digits.bytes().take(most).take_while(|digit| matches!(digit, b'0'..=b'7'));
    let (code, length) =
        digits.fold((0, 1), |(code, length), digit| (code * 8 + u32::from(digit - b'0'), length + 1));
    (char::from_u32(code).unwrap_or(' '), length)
}
