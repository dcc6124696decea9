//! Commands that a line spells out only indirectly: a program behind a variable, text that is fed to a shell, commands in a
//! text with a syntax error. Only the floor is applied here, so this can only raise a verdict; what stays unknown is asked
//! about anyway.

use crate::catalogue::SCHEDULERS;
use crate::policy::line::budget::Budget;
use crate::policy::line::context::{JudgeContext, Search, base_name};
use crate::policy::line::values::{self, given, said};
use crate::policy::loose::own;
use crate::policy::search::opaque::Reading;
use crate::policy::{Finding, Policy, Situation, Verdict};
use guarda_shell::script::{Piece, Reach, RedirectKind, Run, Span, UnknownCause, Word};

impl Policy {
    /// What the floor forbids in a run whose program is unknown, for each program that the line may mean.
    pub(crate) fn judge_unnamed(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        run: &Run,
        findings: &mut Vec<Finding>,
    ) {
        let span = run.words.first().map_or(run.span, |word| word.span);
        let mut found = found_by_name(context, run);
        found.extend(self.fitting(run));
        for text in context.meant_by(run).chain(found.iter().map(String::as_str)) {
            if !context.budget.spend(text.len() + run.words.len() * 8) {
                return;
            }
            let mut words: Vec<Word> =
                text.split_ascii_whitespace().map(|part| Word::text(part, span)).collect();
            words.extend(run.words.iter().skip(1).cloned());
            let supposed = Run { words, ..run.clone() };
            let found = self.judge_open(context, index, &supposed);
            if let Some(finding) = found.into_iter().find(|finding| finding.verdict == Verdict::Block) {
                findings.push(finding);
                return;
            }
        }
    }

    /// The programs of the floor that match a pattern in the place of a program's name (`/bin/r?`).
    fn fitting(&self, run: &Run) -> Vec<String> {
        let Some(first) = run.words.first().filter(|word| word.glob()) else { return Vec::new() };
        let pattern = first.written();
        let fits = |name: &&str| own::fits(name, base_name(&pattern));
        let locked = self.rules().filter(|rule| rule.locked).flat_map(|rule| rule.programs().split(' '));
        locked.filter(fits).map(str::to_owned).collect()
    }

    /// What the floor forbids in text that reaches an interpreter from elsewhere on the line: a here-string, a pipe, a
    /// process substitution, a descriptor.
    pub(crate) fn judge_fed(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        run: &Run,
        findings: &mut Vec<Finding>,
    ) {
        let Some(name) = run.program().map(base_name) else { return };
        let scheduler = SCHEDULERS.contains(&name);
        if !scheduler && !self.listed("fed", name) {
            return;
        }
        let mut texts = given(run);
        let mut decoders = Vec::new();
        for source in context.sources(index).into_iter().filter_map(|source| context.run(source)) {
            texts.extend(said(source));
            decoders.extend(source.program().map(base_name));
        }
        if run.reach == Reach::Substitution
            && let Some(parent) = run.parent.and_then(|at| context.run(at))
            && parent
                .redirects
                .iter()
                .any(|redirect| redirect.kind != RedirectKind::Read && piped(&redirect.target))
        {
            texts.extend(said(parent));
            if parent.program() == Some("exec") {
                let through = context.script.runs().iter().filter(|run| run.redirects.iter().any(elsewhere));
                texts.extend(through.flat_map(said));
            }
        }
        let decoded: Vec<String> = decoders
            .iter()
            .flat_map(|by| texts.iter().filter_map(|text| values::decoded(by, text)))
            .collect();
        texts.extend(decoded);
        let shell = scheduler || self.listed("shells", name) || matches!(name, "source" | "." | "eval");
        if !context.budget.spend(texts.iter().map(String::len).sum()) {
            return;
        }
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            let found = if shell {
                let mut lines = text.lines().map(|line| if name == "crontab" { entry(line) } else { line });
                lines.find_map(|line| self.forbidden_anywhere(context, line))
            } else if self.listed("interpreters", name) {
                self.forbidden_in_language(context, text)
            } else {
                self.forbidden_in(context, text)
            };
            if let Some(mut finding) = found {
                finding.span = Some(run.span);
                findings.push(finding);
                return;
            }
        }
    }

    /// What the floor forbids in a text that cannot be read as a whole.
    ///
    /// Bash executes a text line by line, so what precedes a syntax error may have run. Each command between operators outside
    /// quotes is therefore read separately. Quoted text, comments and here-documents are data and are skipped, and so is a part
    /// with an unclosed quote.
    pub(crate) fn judge_broken(
        &self,
        source: &str,
        situation: &Situation,
        budget: &Budget,
    ) -> Option<Finding> {
        parts(source).into_iter().find_map(|(start, part)| {
            let mut finding = self.forbidden(situation, budget, part)?;
            finding.span = Some(Span { start, end: start + part.len() });
            Some(finding)
        })
    }

    /// What the floor forbids in a text for a shell, readable or not.
    fn forbidden_anywhere(&self, context: &JudgeContext<'_>, text: &str) -> Option<Finding> {
        let (situation, budget) = (context.situation, context.budget);
        context.cached(Search::Commands, text, || match self.read_for_floor(situation, budget, text) {
            Reading::Forbidden(finding) => Some(finding),
            Reading::Nothing => None,
            Reading::Unreadable => self.judge_broken(text, situation, budget),
        })
    }
}

/// Candidates for the name of an unknown program: what a substitution in its place looks up or prints (`$(which rm)`,
/// `$(echo rm)`), or the name that a shell is given for `$0`.
fn found_by_name(context: &JudgeContext<'_>, run: &Run) -> Vec<String> {
    let Some(first) = run.words.first().filter(|word| word.unknown()) else { return Vec::new() };
    if let [Piece::Unknown(UnknownCause::Variable(name))] = first.pieces.as_slice()
        && name == "0"
    {
        let told = run.parent.and_then(|at| context.run(at)).into_iter().flat_map(names_in);
        return told.collect();
    }
    let looked_up = context.inside(first).filter_map(|at| context.run(at)).filter(|run| {
        let name = run.program().map(base_name);
        matches!(name, Some("which" | "command" | "type" | "whereis" | "echo" | "printf"))
    });
    looked_up.flat_map(names_in).collect()
}

/// The known words of a run that are no options.
fn names_in(run: &Run) -> impl Iterator<Item = String> {
    run.words
        .iter()
        .skip(1)
        .filter_map(Word::literal)
        .filter(|word| !word.starts_with('-'))
        .map(str::to_owned)
}

fn piped(word: &Word) -> bool {
    word.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(UnknownCause::PipeName)))
}

/// True for output to a descriptor other than 0, 1 and 2.
fn elsewhere(redirect: &guarda_shell::script::Redirect) -> bool {
    redirect.target.unknown()
        || redirect.kind == RedirectKind::Duplicate
            && !matches!(redirect.target.literal(), Some("0" | "1" | "2"))
}

/// The command in a line of a crontab: after five fields for the time, or after `@reboot`.
fn entry(line: &str) -> &str {
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line.trim_start();
    for _ in 0..fields {
        rest = match rest.split_once([' ', '\t']) {
            Some((_, behind)) => behind.trim_start(),
            None => return line,
        };
    }
    rest
}

/// The commands of a text between operators, with their offsets. Of the shell's syntax, only quotes and comments count.
fn parts(source: &str) -> Vec<(usize, &str)> {
    let source = match source.find("<<") {
        Some(at) => {
            let end = source.get(at..).and_then(|rest| rest.find('\n')).map_or(source.len(), |end| at + end);
            source.get(..end).unwrap_or(source)
        }
        None => source,
    };
    let mut found = Vec::new();
    let mut quote: Option<char> = None;
    let mut start = 0usize;
    let mut comment = false;
    let mut before = ' ';
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        if comment {
            if letter != '\n' {
                continue;
            }
            comment = false;
            start = at + 1;
        }
        match (quote, letter) {
            (None | Some('"'), '\\') => {
                letters.next();
            }
            (Some(open), _) => {
                if letter == open {
                    quote = None;
                }
            }
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '#') if before.is_whitespace() || before == ';' => {
                found.push((start, at));
                comment = true;
            }
            (None, ';' | '&' | '|' | '\n' | '(' | ')') => {
                found.push((start, at));
                start = at + 1;
            }
            (None, _) => {}
        }
        before = letter;
    }
    if quote.is_none() && !comment {
        found.push((start, source.len()));
    }
    found
        .into_iter()
        .filter_map(|(start, end)| {
            let text = source.get(start..end)?;
            let bare = strip_reserved(text);
            (!bare.is_empty()).then(|| (start + text.len() - text.trim_start().len(), bare))
        })
        .collect()
}

/// A command without its leading reserved words.
fn strip_reserved(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((first, behind)) = rest.split_once([' ', '\t']) {
        if !matches!(
            first,
            "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "{" | "!" | "time" | "coproc"
        ) {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_text_is_cut_at_operators_outside_of_quotes() {
        let texts = |source| parts(source).into_iter().map(|(_, part)| part).collect::<Vec<_>>();
        assert_eq!(texts("rm -rf / ; \"open"), ["rm -rf /"]);
        assert_eq!(texts("if true; then rm x"), ["true", "rm x"]);
        assert_eq!(texts("echo 'a; rm x' && 'b"), ["echo 'a; rm x'"]);
        assert_eq!(texts("cat <<E\nrm -rf /\n"), ["cat <<E"]);
        assert_eq!(texts("ls # rm x\n)"), ["ls"]);
        assert_eq!(texts("echo it's; rm x"), ["echo it's; rm x"].get(..0).unwrap_or_default());
    }

    #[test]
    fn the_command_of_a_crontab() {
        assert_eq!(entry("* * * * * rm x"), "rm x");
        assert_eq!(entry("@reboot rm x"), "rm x");
    }
}
