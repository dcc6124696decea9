//! What would run, as a tree. Wrappers and substitutions are branches; the programs that they start are leaves.

use termtree::Tree;

use crate::wording::plain::visible;
use guarda_shell::script::{Input, Reach, Run, Script};

/// The tree of what would run, below a title.
#[must_use]
pub fn tree(script: &Script, title: &str) -> Tree<String> {
    let runs = script.runs();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); runs.len()];
    let mut top = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        // A parent always precedes its children.
        match run.parent.filter(|parent| *parent < index).and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(index),
            None => top.push(index),
        }
    }
    // Goes from the last run to the first, so each branch is complete when it is attached.
    let mut branches: Vec<Option<Tree<String>>> = runs.iter().map(|_| None).collect();
    for (index, run) in runs.iter().enumerate().rev() {
        let own = children.get(index).into_iter().flatten();
        let leaves: Vec<Tree<String>> =
            own.filter_map(|child| branches.get_mut(*child).and_then(Option::take)).collect();
        if let Some(place) = branches.get_mut(index) {
            *place = Some(Tree::new(line(run)).with_leaves(leaves));
        }
    }
    let leaves: Vec<Tree<String>> =
        top.iter().filter_map(|index| branches.get_mut(*index).and_then(Option::take)).collect();
    Tree::new(title.to_owned()).with_leaves(leaves)
}

/// One run: how it is reached, and its words, clearly separated.
#[must_use]
pub fn line(run: &Run) -> String {
    let way = match &run.reach {
        Reach::Plain => String::new(),
        Reach::Substitution => "$( ) ".to_owned(),
        Reach::Wrapper(by) => format!("{by}: "),
        Reach::Text(by) => format!("{by} «»: "),
    };
    let pipe = if matches!(run.input, Input::Pipe(_)) { "| " } else { "" };
    let assigns = run.assigns.iter().map(|assign| format!("{}={}", assign.name, assign.value.written()));
    let words = run.words.iter().map(|word| quoted(&word.written()));
    let words: Vec<String> = assigns.chain(words).collect();
    format!("{way}{pipe}{}", visible(&words.join(" ")))
}

/// Quotes a word so that it is clearly separated. Control characters are shown, not sent to the terminal.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%~$*?[]{}…()<>".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("{word:?}") }
}

/// The tree as lines without a title; empty if it would only repeat the command line.
#[must_use]
pub fn lines(script: &Script) -> Vec<String> {
    let [alone] = script.runs() else {
        return tree(script, "").to_string().lines().skip(1).map(str::to_owned).collect();
    };
    let told = line(alone);
    if told == visible(script.source().trim()) { Vec::new() } else { vec![format!("└── {told}")] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_shell::script::Dialect;

    #[test]
    fn a_tree_says_more_than_the_line_or_nothing() {
        for (text, told) in [
            ("rm a b", ""),
            (" ls ", ""),
            ("rm 'a b' $X", "└── rm \"a b\" $X"),
            ("ls | wc", "├── ls\n└── | wc"),
            (
                "sudo sh -c 'id; ls'",
                "└── sudo sh -c \"id; ls\"\n    └── sudo: sh -c \"id; ls\"\n        ├── sh «»: id\n        └── sh «»: ls",
            ),
            ("echo $(id)", "└── echo $(…)\n    └── $( ) id"),
        ] {
            let script = guarda_shell::read(text, Dialect::Bash).unwrap();
            assert_eq!(lines(&script).join("\n"), told, "{text}");
        }
    }
}
