//! Lines that multiply endlessly: a function that starts itself more than once or in parallel, and a loop without
//! end that leaves its children running.

use foldhash::{HashMap, HashSet};

use crate::script::Span;
use crate::syntax::tree::{AndOr, Body, Kind, List, Part, Pipeline, Raw};

/// A name that a function's body starts.
#[derive(Debug)]
pub(crate) struct BodyCall {
    /// The function.
    pub from: String,
    /// Where it is defined.
    pub defined: Span,
    /// What it starts; whether that is a function is known at the end of the line.
    pub to: String,
    /// Its position.
    pub at: Span,
    /// It runs in parallel: in the background or in a pipeline.
    pub beside: bool,
}

/// The function that reaches itself again and on the way is started twice, or in parallel: where it is defined.
pub(crate) fn growth(calls: &[BodyCall]) -> Option<Span> {
    let mut numbers: HashMap<&str, usize> = HashMap::default();
    for call in calls {
        let next = numbers.len();
        numbers.entry(call.from.as_str()).or_insert(next);
    }
    // One command may have been read several times, with other words.
    let mut seen = HashSet::default();
    let edges: Vec<(usize, usize, &BodyCall)> = calls
        .iter()
        .filter_map(|call| Some((*numbers.get(call.from.as_str())?, *numbers.get(call.to.as_str())?, call)))
        .filter(|(from, to, call)| seen.insert((*from, *to, call.at, call.beside)))
        .collect();
    // Functions without callees or callers lie on no cycle; neither do others without them.
    let mut kept = vec![true; edges.len()];
    let (mut into, mut out) = (vec![Vec::new(); numbers.len()], vec![Vec::new(); numbers.len()]);
    for (at, (from, to, _)) in edges.iter().enumerate() {
        into.get_mut(*to)?.push(at);
        out.get_mut(*from)?.push(at);
    }
    let (mut entering, mut leaving): (Vec<usize>, Vec<usize>) =
        (into.iter().map(Vec::len).collect(), out.iter().map(Vec::len).collect());
    let mut due: Vec<usize> = (0..numbers.len()).collect();
    while let Some(node) = due.pop() {
        if *entering.get(node)? > 0 && *leaving.get(node)? > 0 {
            continue;
        }
        for at in into.get(node)?.iter().chain(out.get(node)?) {
            if std::mem::replace(kept.get_mut(*at)?, false) {
                let (from, to, _) = edges.get(*at)?;
                *leaving.get_mut(*from)? -= 1;
                *entering.get_mut(*to)? -= 1;
                due.extend([*from, *to]);
            }
        }
    }
    let back = edges.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(edge, _)| edge);
    back.into_iter()
        .find(|(from, _, call)| call.beside || leaving.get(*from).is_some_and(|count| *count > 1))
        .map(|(_, _, call)| call.defined)
}

/// Whether a loop with this condition never ends. `until`: it runs while the condition does not hold.
pub(super) fn is_endless(test: &List, until: bool) -> bool {
    let [item] = test.items.as_slice() else { return false };
    if item.background || !item.rest.is_empty() {
        return false;
    }
    let Some(holds) = outcome(&item.first) else { return false };
    holds != until
}

/// The result of a condition, if it is constant.
fn outcome(pipeline: &Pipeline) -> Option<bool> {
    let [command] = pipeline.commands.as_slice() else { return None };
    let holds = match &command.body {
        Body::Simple(simple) => {
            let words: Option<Vec<&str>> = simple.words.iter().map(Raw::bare).collect();
            let words = words?;
            let (name, arguments) = words.split_first()?;
            match (name.rsplit('/').next()?, arguments) {
                ("true" | ":", _) => true,
                ("false", _) => false,
                ("test", [text]) | ("[", [text, "]"]) => !text.is_empty(),
                _ => return None,
            }
        }
        Body::Compound(compound) => match &compound.kind {
            Kind::Condition { words, .. } => match words.as_slice() {
                [(word, _)] => !word.bare()?.is_empty(),
                _ => return None,
            },
            Kind::Arithmetic(parts) => is_nonzero(&text(parts)?)?,
            _ => return None,
        },
    };
    Some(holds != pipeline.negated)
}

/// Whether `for ((…))` with this head never ends.
pub(super) fn counts_on(head: &[Part]) -> bool {
    let head = text(head).unwrap_or_default();
    let mut fields = head.split(';');
    let condition = fields.nth(1).map(str::trim);
    condition.is_some_and(|condition| condition.is_empty() || is_nonzero(condition) == Some(true))
}

fn text(parts: &[Part]) -> Option<String> {
    parts.iter().map(Part::any_text).collect()
}

fn is_nonzero(text: &str) -> Option<bool> {
    Some(text.trim().parse::<u64>().ok()? != 0)
}

/// Whether commands leave others running in the background without waiting for them.
pub(super) fn leaves_running(list: &List) -> bool {
    let mut running = false;
    for item in &list.items {
        let mut commands = pipelines(item).flat_map(|pipeline| &pipeline.commands);
        if item.background {
            running = true;
        } else if waits(item.rest.is_empty(), &item.first) {
            running = false;
        } else {
            running |= commands.any(|command| match &command.body {
                Body::Simple(_) => false,
                Body::Compound(compound) => within(&compound.kind).any(leaves_running),
            });
        }
    }
    running
}

/// Whether a list ends with a command in the background, or with remarks about it (`echo $!`, `disown`).
pub(crate) fn ends_in_background(list: &List) -> bool {
    const REMARKS: [&str; 5] = ["echo", "printf", "disown", "true", ":"];
    let remark = |pipeline: &Pipeline| only_name(pipeline).is_some_and(|name| REMARKS.contains(&name));
    let remarks = |item: &&AndOr| !item.background && pipelines(item).all(remark);
    let mut items = list.items.iter().rev().skip_while(remarks);
    items.next().is_some_and(|item| item.background)
}

/// True for `wait`: alone, for everything; otherwise for the named jobs.
fn waits(alone: bool, pipeline: &Pipeline) -> bool {
    alone && only_name(pipeline) == Some("wait")
}

fn pipelines(item: &AndOr) -> impl Iterator<Item = &Pipeline> {
    std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline))
}

/// The name of the simple command that is all of a pipeline, if it is written plainly.
fn only_name(pipeline: &Pipeline) -> Option<&str> {
    let [command] = pipeline.commands.as_slice() else { return None };
    match &command.body {
        Body::Simple(simple) => simple.words.first().and_then(Raw::bare),
        Body::Compound(_) => None,
    }
}

/// The command lists that a compound command runs in place.
fn within(kind: &Kind) -> Box<dyn Iterator<Item = &List> + '_> {
    match kind {
        Kind::Group(list) | Kind::Subshell(list) => Box::new(std::iter::once(list)),
        Kind::For { body, .. } | Kind::Count { body, .. } => Box::new(std::iter::once(&body.list)),
        Kind::While { test, body, .. } => Box::new([test, &body.list].into_iter()),
        Kind::If { branches, otherwise } => {
            Box::new(branches.iter().flat_map(|(test, body)| [test, body]).chain(otherwise))
        }
        Kind::Case { arms, .. } => Box::new(arms.iter().map(|(_, list)| list)),
        Kind::Arithmetic(_) | Kind::Condition { .. } | Kind::Function { .. } | Kind::Coprocess { .. } => {
            Box::new(std::iter::empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Dialect;

    #[test]
    fn bombs() {
        let grows = |line: &str| {
            let script = crate::read(line, Dialect::Bash);
            script.unwrap_or_else(|unsure| panic!("{line}: {unsure}")).growth()
        };
        for bomb in [
            ":(){ :|:& };:",
            ":() { : | : & } ; :",
            "function f { f | f & }; f",
            "function f() { f|f& }; f",
            "f(){ f& f& }; f",
            "x(){ x & }; x",
            "b()\n{\n b | b &\n}\nb",
            "b() \\\n{ b | \\\nb & }; b",
            "a(){ b & }; b(){ a; }; a",
            "a(){ b; }; b(){ c; }; c(){ a | cat; }; a",
            "f(){ eval 'f & f'; }; f",
            "x=f; f(){ $x | $x; }; f",
            "f(){ $1 | $1 & }; f f",
            "eval \"f(){ \\$x; f; f & }\"",
            "sh -c 'f(){ f|f& };f'",
            "eval \":(){ :|:& };:\"",
            "while true; do sleep 9 & done",
            "while test 1; do sleep 9 & done",
            "while [[ 1 ]]; do sleep 9 & done",
            "while ((1)); do sleep 9 & done",
            "while ! false; do (sleep 9 &); done",
            "until false; do w & done",
            "for ((;;)); do w & done",
            "for ((i=0;;i++)); do w & done",
            "while :; do w & wait; v & done",
            "while :; do if x; then w & fi; done",
            "f() ( f | f & ); f",
        ] {
            assert!(grows(bomb).is_some(), "{bomb}");
        }
        for harmless in [
            "f(){ ls | wc -l; }; f",
            "f(){ f; }; f",
            "f(){ g x; }; g(){ f y; }; f a; f b; g c",
            "a(){ b & }; b(){ ls; }; a; b",
            "main(){ f & }; f(){ f; }; main",
            "while true; do date; sleep 1; done",
            "while read x; do f \"$x\" & done",
            "while true; do w & wait; done",
            "while false; do w & done",
            "for ((i=0;i<3;i++)); do w & done",
            "echo ':(){ :|:& };:'",
            "a && b || c",
            "f(){ echo f; }; f &",
            "f(){ $1; }; f f &",
            "f(){ f \"$1\"; }; f a &",
        ] {
            assert!(grows(harmless).is_none(), "{harmless}");
        }
    }
}
