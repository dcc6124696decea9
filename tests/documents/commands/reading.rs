//! The documents' contents: fenced blocks, their statements, and code spans.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use guarda_shell::script::{Dialect, Word};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A document: its path in the project, and its text.
pub struct Document {
    pub name: String,
    pub text: String,
}

impl Document {
    pub fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self { name: name.to_owned(), text }
    }

    /// Every document for users.
    pub fn all() -> Vec<Self> {
        let mut names: Vec<PathBuf> =
            std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
        names.sort();
        let docs = names.iter().map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap());
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].into_iter().chain(docs).map(Self::read).collect()
    }

    /// The fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open: Option<Block> = None;
        for (number, line) in self.text.lines().enumerate() {
            match (line.trim_start().strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(kind), None) => {
                    open = Some(Block { kind: kind.to_owned(), line: number + 2, text: String::new() });
                }
                (None, Some(block)) => block.text.push_str(&format!("{line}\n")),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.name);
        blocks
    }

    /// The code spans outside of blocks, each with its line. A span ends on its line.
    pub fn spans(&self) -> Vec<(usize, String)> {
        let mut fenced = false;
        let mut spans = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            // In a cell of a table a bar is written with a backslash.
            let line = line.replace("\\|", "|");
            if !fenced {
                let inside = line.split('`').skip(1).step_by(2);
                spans.extend(inside.map(|span| (number + 1, span.to_owned())));
            }
        }
        spans
    }
}

/// A fenced block.
pub struct Block {
    pub kind: String,
    /// Of its first line.
    pub line: usize,
    pub text: String,
}

impl Block {
    pub fn is_shell(&self) -> bool {
        ["sh", "bash", "shell", "console"].contains(&self.kind.as_str())
    }

    /// The statements that a person would type, each with its line and the output that the document shows below it.
    pub fn statements(&self) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        let session = self.text.starts_with("$ ");
        let mut draft = String::new();
        for (number, line) in self.text.lines().enumerate() {
            let typed = if session { line.strip_prefix("$ ") } else { Some(line) };
            match (typed, statements.last_mut()) {
                (Some(typed), _) => {
                    draft.push_str(typed);
                    draft.push('\n');
                    if draft.trim().is_empty() {
                        draft.clear();
                    } else if is_whole(&draft) {
                        let text = std::mem::take(&mut draft).trim_end().to_owned();
                        statements.push(Statement { line: self.line + number, text, shown: String::new() });
                    }
                }
                (None, Some(last)) => last.shown.push_str(&format!("{line}\n")),
                (None, None) => {}
            }
        }
        assert!(draft.is_empty(), "line {}: bash does not read this to its end: {draft}", self.line);
        statements
    }
}

/// One statement of the shell.
pub struct Statement {
    pub line: usize,
    pub text: String,
    pub shown: String,
}

/// True if bash would run this instead of waiting for more.
fn is_whole(text: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["-n", "-c", text]).stderr(Stdio::null());
    !text.trim_end().ends_with('\\') && bash.status().unwrap().success()
}

/// Every program that a line would start, with its words, as the guard reads it. Unknown words are `x`.
pub fn runs(line: &str) -> Vec<Vec<String>> {
    let script = guarda_shell::read(line, Dialect::Bash).unwrap_or_else(|e| panic!("{line}: {e}"));
    let word = |word: &Word| word.literal().map_or_else(|| "x".to_owned(), str::to_owned);
    script.runs().iter().map(|run| run.words.iter().map(word).collect()).collect()
}
