//! What a line starts in the background and uses itself: its own jobs, and its own servers.

use guarda_shell::script::{Piece, Run, Script, UnknownCause, Word};

/// Whether a run only signals jobs that the line itself has started: `kill $!`, `kill %1`, `kill $PID` behind `PID=$!`.
#[must_use]
pub fn ends_own_jobs(script: &Script, run: &Run) -> bool {
    let mut words = run.words.iter().skip(1).peekable();
    let signals = |word: &&Word| word.literal().is_some_and(|text| text.starts_with('-') && text != "-1");
    while words.next_if(signals).is_some() {}
    script.starts_jobs()
        && run.program() == Some("kill")
        && words.peek().is_some()
        && words.all(|word| is_last_job(word) || is_job(word) || holds_job(script, word))
}

/// `$!`.
fn is_last_job(word: &Word) -> bool {
    matches!(word.pieces.as_slice(), [Piece::Unknown(UnknownCause::Variable(name))] if name == "!")
}

/// `%1`.
fn is_job(word: &Word) -> bool {
    let number = word.literal().and_then(|text| text.strip_prefix('%'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A variable to which the line gives `$!`, and nothing else.
fn holds_job(script: &Script, word: &Word) -> bool {
    let [Piece::Unknown(UnknownCause::Variable(name))] = word.pieces.as_slice() else { return false };
    let given = || {
        let assigns = script.runs().iter().flat_map(|run| &run.assigns);
        assigns.filter(|assign| assign.name == *name).map(|assign| &assign.value)
    };
    let looped = script.items().iter().any(|item| item.of == *name);
    !looped && given().next().is_some() && given().all(is_last_job)
}

#[cfg(test)]
mod tests {
    use guarda_shell::script::Dialect;

    #[test]
    fn a_line_ends_what_it_has_started() {
        for (line, own) in [
            ("./server & sleep 1; kill $!", true),
            ("./server & PID=$!; curl localhost:1; kill $PID", true),
            ("./server & kill -9 %1", true),
            ("./server & kill -TERM \"$!\"", true),
            ("A=$!; ./x & B=$!; kill $A $B", true),
            ("kill $!", false),
            ("kill %1", false),
            ("PID=$!; kill $PID", false),
            ("./server & kill 1234", false),
            ("./server & kill $PID", false),
            ("./server & PID=$(cat pid); kill $PID", false),
            ("./server & PID=$!; PID=1; kill $PID", false),
            ("./server & for PID in 1 2; do PID=$!; kill $PID; done", false),
            ("./server & kill -- -1", false),
            ("./server & kill -9 -1 $!", false),
            ("./server & kill $! 1", false),
            ("./server & kill", false),
            ("./server & pkill server", false),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            let ends = script.runs().iter().any(|run| super::ends_own_jobs(&script, run));
            assert_eq!(ends, own, "{line}");
        }
    }
}
