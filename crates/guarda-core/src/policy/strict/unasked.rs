//! Runs that need no question: those that an allow rule admits, and those that only print help.

use crate::policy::Origin;
use crate::policy::line::budget::Budget;
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::strict::closed::{self, Departure};
use crate::policy::verdict::plain;
use crate::policy::{Finding, Policy, Program, Situation, Verdict};
use guarda_shell::script::{Run, Script, Word};

impl Policy {
    /// The first `allow` rule that admits the run, or the reason why none does.
    pub(crate) fn judge_closed(
        &self,
        context: &JudgeContext<'_>,
        index: usize,
        run: &Run,
    ) -> Result<Option<Finding>, Departure> {
        let Some(program) = run.program() else { return Ok(None) };
        let name = base_name(program);
        if run.builtin && !guarda_shell::is_builtin(name) {
            // A function of the line; its body is judged where it is defined.
            let why = "calls a function of the line".to_owned();
            return Ok(Some(only_in_a_cell(plain("function", Verdict::Allow, run.span, why))));
        }
        let mut furthest: Option<Departure> = None;
        let mut contained = None;
        for rule in self.rules_for(Some(name)).filter(|rule| rule.verdict == Verdict::Allow) {
            let Ok(ready) = rule.ready(self.names()) else { continue };
            match closed::read(self, rule, ready, context, index, run) {
                Ok(()) => {
                    self.trusted(context, run, program)?;
                    let finding = rule.finding(run.span);
                    let sure = rule.by_words()
                        && is_literal(run)
                        && run.assigns.is_empty()
                        && !leads_out(context, index, run);
                    if sure {
                        return Ok(Some(finding));
                    }
                    contained.get_or_insert_with(|| only_in_a_cell(finding));
                }
                Err(departure) => {
                    if furthest.as_ref().is_none_or(|known| known.depth <= departure.depth) {
                        furthest = Some(departure);
                    }
                }
            }
        }
        if contained.is_some() {
            return Ok(contained);
        }
        if asks_for_help(run) {
            self.trusted(context, run, program)?;
            let why = "only shows its help or version".to_owned();
            return Ok(Some(only_in_a_cell(plain("help", Verdict::Allow, run.span, why))));
        }
        furthest.map_or(Ok(None), Err)
    }

    /// True if this very rule admits one of the runs.
    pub(crate) fn lets_through(
        &self,
        rule: &crate::policy::Rule,
        script: &Script,
        situation: &Situation,
    ) -> bool {
        let budget = Budget::for_line(script.length());
        let context = JudgeContext::new(script, situation, &budget);
        let Ok(ready) = rule.ready(self.names()) else { return false };
        script.runs().iter().enumerate().any(|(index, run)| {
            self.rules_for(run.program().map(base_name)).any(|known| known.id == rule.id)
                && closed::read(self, rule, ready, &context, index, run).is_ok()
        })
    }

    /// True if a built-in rule admits the run. Rules that a person's layers have added or changed do not count.
    pub(crate) fn only_reads(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        self.judge_closed(context, index, run)
            .is_ok_and(|found| found.is_some_and(|finding| finding.origin == Origin::BuiltIn))
    }

    /// Whether the program is the one that the rules mean, and not another of the same name.
    pub(crate) fn trusted(
        &self,
        context: &JudgeContext<'_>,
        run: &Run,
        program: &str,
    ) -> Result<(), Departure> {
        let fail = |why: String| {
            let span = run.words.first().map_or(run.span, |word| word.span);
            Err(Departure { why, span, depth: 2000, contained: false, secret: false })
        };
        if run.builtin && !program.contains('/') {
            return Ok(());
        }
        match context.situation.programs.get(program) {
            Some(Program::System(_)) => Ok(()),
            Some(Program::Missing) if !program.contains('/') => Ok(()),
            Some(Program::Missing) => fail(format!("there is no program {program:?}")),
            Some(Program::Elsewhere(path)) => fail(format!("{path:?} is not in a folder of the system")),
            None => fail(format!("{program:?} was not looked up")),
        }
    }
}

/// True if every word is known before it runs.
pub(crate) fn is_literal(run: &Run) -> bool {
    let read = run.redirects.iter().map(|redirect| &redirect.target);
    run.words.iter().chain(read).all(Word::is_fixed)
}

/// `prog … --help`, `prog help`: most programs only print their help, and a cell holds the others.
fn asks_for_help(run: &Run) -> bool {
    let Some((last, before)) = run.words.split_last() else { return false };
    match last.literal() {
        Some("--help" | "--version" | "-help" | "-version") => !before.is_empty(),
        Some("-h" | "-V" | "-v" | "help" | "version") => before.len() == 1,
        _ => false,
    }
}

/// True if a word names a path in the working folder that leads out of it through a link.
fn leads_out(context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
    let cwd = std::path::Path::new(&context.situation.cwd);
    let words = run.words.iter().skip(1).chain(run.redirects.iter().map(|redirect| &redirect.target));
    !context.situation.links.is_empty()
        && words.filter_map(|word| context.place(index, word, 0)).any(|place| {
            let real = place.exact().and_then(|path| Some((path, context.situation.links.get(path)?)));
            real.is_some_and(|(path, real)| {
                std::path::Path::new(path).starts_with(cwd) && !std::path::Path::new(real).starts_with(cwd)
            })
        })
}

/// Allows a run only in a cell. Callers who would run the line themselves are asked.
fn only_in_a_cell(finding: Finding) -> Finding {
    let why = format!("{}, as far as its words tell", finding.why);
    Finding { verdict: Verdict::Confirm, why, ..finding.contained() }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, Profile, Situation, Verdict, corpus};
    use guarda_shell::script::Dialect;

    /// The verdict on a line for a caller who would run it himself, in a changed situation.
    fn judged(line: &str, change: impl FnOnce(&mut Situation)) -> Option<Verdict> {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        change(&mut situation);
        policy.judge_script(&script, &situation).iter().map(|finding| finding.verdict).max()
    }

    #[test]
    fn a_link_that_leads_out_of_the_folder_is_asked_about() {
        for (line, link, real, verdict) in [
            ("cat notes", "notes", "/home/ana/project/docs/notes", Verdict::Allow),
            ("cat notes", "notes", "/home/ana/other/notes", Verdict::Confirm),
            ("grep -n x sub/notes", "sub/notes", "/srv/notes", Verdict::Confirm),
            ("cd sub && cat notes", "sub/notes", "/srv/notes", Verdict::Confirm),
            ("cat < notes", "notes", "/home/ana/other/notes", Verdict::Confirm),
            ("cat < notes", "notes", "/home/ana/project/docs/notes", Verdict::Allow),
            ("cat < sub/../notes", "notes", "/srv/notes", Verdict::Confirm),
            ("head -1 0< notes", "notes", "/srv/notes", Verdict::Confirm),
        ] {
            let leads = |situation: &mut Situation| {
                let link = format!("{}/{link}", situation.cwd);
                situation.links.insert(link, real.to_owned());
            };
            assert_eq!(judged(line, leads), Some(verdict), "{line}, {real}");
        }
    }

    /// Each of them is judged as if the line named it.
    #[test]
    fn a_pattern_is_judged_by_what_it_stands_for() {
        const OWN: &str = "/home/ana/.local/state/guarda/approve-token";
        for (line, stands_for, verdict) in [
            ("cat a*", &["a1", "a2"][..], Verdict::Confirm),
            ("cat a*", &["a1", OWN], Verdict::Block),
            ("cat < a*", &["a1", "/home/ana/.ssh/id_rsa"], Verdict::Confirm),
            ("cat 0<> a*", &["/home/ana/.ssh/id_rsa"], Verdict::Confirm),
            ("cat < a*", &["a1", OWN], Verdict::Block),
            ("rm -f a*", &["a1"], Verdict::Confirm),
            ("rm -f a*", &["a1", OWN], Verdict::Block),
            ("rm -rf a*", &["/home/ana/.config"], Verdict::Block),
            ("sed -i s/a/b/ a*", &["/home/ana/.claude/settings.json"], Verdict::Block),
        ] {
            let lists = |situation: &mut Situation| {
                let (home, cwd) = (situation.home.clone(), situation.cwd.clone());
                let place = crate::places::Place::of_pattern("a*", Some(&cwd), &home).unwrap();
                let path = |name: &&str| {
                    if name.starts_with('/') { (*name).to_owned() } else { format!("{cwd}/{name}") }
                };
                situation.listed.insert(place.marked().to_owned(), stands_for.iter().map(path).collect());
            };
            assert_eq!(judged(line, lists), Some(verdict), "{line}: {stands_for:?}");
        }
    }

    /// The words of redirections count as operands do, and a bare `export` prints every variable.
    #[test]
    fn what_a_line_is_given_is_judged_like_what_it_names() {
        for line in [
            "cat <<< $GITHUB_TOKEN",
            "cat <<< \"$AWS_SECRET_ACCESS_KEY\"",
            "rev <<< \"x $NPM_TOKEN\"",
            "cat < .env",
            "cat < ~/.ssh/id_rsa",
            "cat <.e*",
            "wc -c < $X",
            "head -1 < ../.env",
            "cat 0<> .env",
            "X=$GITHUB_TOKEN; ls",
            "tac < deploy/id_ed25519",
            "export",
            "export -p",
            "declare -p",
            "declare -x",
            "typeset",
            "readonly -p",
            "set",
            "env",
            "printenv",
            "compgen -v",
        ] {
            assert!(judged(line, |_| {}).is_none_or(|verdict| verdict >= Verdict::Confirm), "{line}");
        }
        for line in ["cat < notes", "cat <<< hello", "export LANG=C", "wc -l < src/main.rs"] {
            assert_eq!(judged(line, |_| {}), Some(Verdict::Allow), "{line}");
        }
    }

    #[test]
    fn git_is_believed_in_a_plain_work_tree_alone() {
        for line in ["git status", "git log --oneline", "git diff"] {
            assert_eq!(judged(line, |_| {}), Some(Verdict::Allow), "{line}");
            let brought = |situation: &mut Situation| situation.plain_repository = false;
            assert_eq!(judged(line, brought), Some(Verdict::Confirm), "{line}");
        }
        for (line, verdict) in
            [("git log -p", Verdict::Confirm), ("git show", Verdict::Confirm), ("git log", Verdict::Allow)]
        {
            let tracks = |situation: &mut Situation| situation.tracked = vec![".env".to_owned()];
            assert_eq!(judged(line, tracks), Some(verdict), "{line}");
        }
    }
}
