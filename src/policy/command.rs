//! The judging of a command line: a pure function from what may run, and what is true, to reasons.

use crate::action::script::{
    Doubt, Piece, Reach, Redirect, RedirectKind, Run, Script, Span, Unsure, Why, Word,
};
use crate::policy::closed::{self, Departure};
use crate::policy::hidden::Values;
use crate::policy::scene::{Scene, base_name};
use crate::policy::shape::{self, Shape};
use crate::policy::{Finding, Policy, Program, Situation, Verdict, bomb, check, evasion, opaque, open};

impl Policy {
    /// Judges a command line. The joint verdict is the strictest of the findings; there is always at least one, and
    /// at least one for every run.
    #[must_use]
    pub fn judge_script(&self, script: &Result<Script, Unsure>, situation: &Situation) -> Vec<Finding> {
        let mut findings = Vec::new();
        match script {
            Ok(script) => {
                let scene = Scene::new(script, situation);
                let values = Values::of(script);
                for (index, run) in script.runs().iter().enumerate() {
                    self.judge_run(&scene, index, run, &mut findings);
                    self.judge_unnamed(&scene, index, run, &values, &mut findings);
                    self.judge_fed(&scene, index, run, &mut findings);
                }
                for doubt in script.doubts().iter().filter(|doubt| !self.settled(&scene, doubt)) {
                    findings.push(plain(
                        "unknown",
                        Verdict::Confirm,
                        doubt.span,
                        format!("a part is not known before it runs: {}", reason(&doubt.why)),
                    ));
                }
                if let Some((span, why)) = evasion::find(script) {
                    findings.push(plain("disguised", Verdict::Confirm, span, why.to_owned()));
                }
                if let Some(span) = bomb::find(script) {
                    findings.extend(self.rule("fork-bomb").map(|rule| rule.finding(span)));
                }
                self.judge_by_lists(&scene, &mut findings);
                if findings.is_empty() {
                    findings.push(nothing(script.source()));
                }
            }
            Err(unsure) => {
                findings.push(plain("unreadable", Verdict::Confirm, unsure.span, unsure.to_string()));
                findings.extend(self.judge_broken(&unsure.text, situation));
            }
        }
        findings
    }

    /// True for a doubt of the reader that the judge can settle: what `find` is given is known not to be an option,
    /// or what would change the meaning of later commands has none behind it.
    fn settled(&self, scene: &Scene<'_>, doubt: &Doubt) -> bool {
        let inside = |span: Span| span.start <= doubt.span.start && doubt.span.end <= span.end;
        let runs = scene.script.runs();
        match &doubt.why {
            Why::Variable(_) | Why::Substitution => runs.iter().enumerate().any(|(index, run)| {
                matches!(run.program().map(base_name), Some("find" | "gfind"))
                    && run.words.iter().skip(1).any(|word| {
                        inside(word.span) && shape::of_word(self, scene, index, word) <= Shape::Tame
                    })
            }),
            Why::Other(_) => runs.iter().enumerate().any(|(index, run)| {
                matches!(run.program(), Some("shopt" | "set" | "hash" | "unset"))
                    && inside(run.span)
                    && runs.iter().skip(index + 1).all(|other| other.parent == Some(index))
            }),
            Why::Arithmetic | Why::PipeName | Why::Items | Why::Foreign(_) => false,
        }
    }

    fn judge_run(&self, scene: &Scene<'_>, index: usize, run: &Run, findings: &mut Vec<Finding>) {
        let before = findings.len();
        for redirect in &run.redirects {
            self.judge_redirect(scene, index, redirect, findings);
        }
        for assign in &run.assigns {
            let harmless = if run.words.is_empty() {
                check::harmless_name(self, assign.name.split('[').next().unwrap_or(&assign.name))
            } else {
                self.harmless_in_front(run, &assign.name)
            };
            if !harmless {
                let why = format!("setting {:?} may change what the command does", assign.name);
                findings.push(plain("assignment", Verdict::Confirm, assign.value.span, why));
                let text = assign.value.literal().unwrap_or_default().trim_start_matches(['|', '!']);
                if text.contains(' ') {
                    findings.extend(self.forbidden(scene.situation, text));
                }
            }
        }
        if let Some(first) = run.words.first()
            && disguised(scene, first)
        {
            let why = "the program's name is disguised".to_owned();
            findings.push(plain("disguised", Verdict::Confirm, first.span, why));
        }
        for word in &run.words {
            self.judge_word(scene, index, run, word, findings);
        }
        self.judge_open(scene, index, run, findings);
        self.judge_opaque(scene, run, findings);
        let Some(first) = run.words.first() else {
            if findings.len() == before {
                findings.push(plain(
                    "assignment",
                    Verdict::Allow,
                    run.span,
                    "sets a variable of its own".to_owned(),
                ));
            }
            return;
        };
        match self.judge_closed(scene, index, run) {
            Ok(Some(finding)) => findings.push(finding),
            Ok(None)
                if findings
                    .get(before..)
                    .unwrap_or_default()
                    .iter()
                    .any(|one| one.verdict > Verdict::Review) => {}
            Ok(None) => findings.push(plain(
                "default",
                Verdict::Confirm,
                first.span,
                match run.program() {
                    Some(name) => format!("{name:?} is not known to only read"),
                    None => "which program this is, is not known before it runs".to_owned(),
                },
            )),
            Err(departure) => {
                // A secret is asked anew each time; for the rest a person may have given a word beforehand.
                let secret = departure.why.contains("secret") || self.names_secret(scene, index, run);
                findings.push(plain(
                    if secret { "secret-file" } else { "not-only-reading" },
                    Verdict::Confirm,
                    departure.span,
                    format!("this cannot be let through unasked: {}", departure.why),
                ));
            }
        }
    }

    /// Whether some word is, or ends in, the path of a file that may hold a secret: `FILE`, `--option=FILE`, `-oFILE`.
    fn names_secret(&self, scene: &Scene<'_>, index: usize, run: &Run) -> bool {
        run.words.iter().skip(1).any(|word| {
            let text = word.prefix();
            let value = text.find('=').map(|at| at + 1);
            let joined = (text.starts_with('-') && text.is_char_boundary(2)).then_some(2);
            std::iter::once(0).chain(value).chain(joined).any(|skip| {
                scene.place(index, word, skip).is_some_and(|place| self.secret_place(&place, scene.situation))
            })
        })
    }

    /// The rules that ask or block.
    pub(super) fn judge_open(&self, scene: &Scene<'_>, index: usize, run: &Run, findings: &mut Vec<Finding>) {
        let name = run.program().map(base_name);
        for rule in self.rules_for(name) {
            if rule.verdict == Verdict::Allow {
                continue;
            }
            let span = match rule.ready(self.names()) {
                Ok(ready) => open::meets(self, rule, ready, scene, index, run),
                // A rule that cannot be read holds everywhere.
                Err(_) => Some(run.span),
            };
            findings.extend(span.map(|span| rule.finding(span)));
        }
    }

    /// The rules that let through: the first that fits, or the reason why none does.
    pub(super) fn judge_closed(
        &self,
        scene: &Scene<'_>,
        index: usize,
        run: &Run,
    ) -> Result<Option<Finding>, Departure> {
        let Some(program) = run.program() else { return Ok(None) };
        let name = base_name(program);
        if run.builtin && !self.is_builtin(name) {
            // A function of the line: what it does is judged where it is defined.
            return Ok(Some(plain(
                "function",
                Verdict::Allow,
                run.span,
                "calls a function of the line".to_owned(),
            )));
        }
        let mut furthest: Option<Departure> = None;
        for rule in self.rules_for(Some(name)).filter(|rule| rule.verdict == Verdict::Allow) {
            let Ok(ready) = rule.ready(self.names()) else { continue };
            match closed::read(self, rule, ready, scene, index, run) {
                Ok(()) => {
                    self.trusted(scene, run, program)?;
                    return Ok(Some(rule.finding(run.span)));
                }
                Err(departure) => {
                    if furthest.as_ref().is_none_or(|known| known.depth <= departure.depth) {
                        furthest = Some(departure);
                    }
                }
            }
        }
        if self.asks_for_help(run) {
            self.trusted(scene, run, program)?;
            return Ok(Some(plain(
                "help",
                Verdict::Allow,
                run.span,
                "only shows its help or version".to_owned(),
            )));
        }
        if self.only_lists(scene, index, run, furthest.is_some()) {
            return Ok(Some(plain(
                "listing",
                Verdict::Allow,
                run.span,
                "only lists or shows what there is".to_owned(),
            )));
        }
        furthest.map_or(Ok(None), Err)
    }

    /// True if a rule itself lets one of the runs through.
    pub(super) fn lets_through(
        &self,
        rule: &crate::policy::Rule,
        script: &Script,
        situation: &Situation,
    ) -> bool {
        let scene = Scene::new(script, situation);
        let Ok(ready) = rule.ready(self.names()) else { return false };
        script.runs().iter().enumerate().any(|(index, run)| {
            self.rules_for(run.program().map(base_name)).any(|known| known.id == rule.id)
                && closed::read(self, rule, ready, &scene, index, run).is_ok()
        })
    }

    /// `prog --help`, `prog --version`, `prog sub --help`: nothing else is read from the line.
    fn asks_for_help(&self, run: &Run) -> bool {
        let Some((last, before)) = run.words.split_last() else { return false };
        let Some((program, sub)) = before.split_first() else { return false };
        let asks = match last.literal() {
            Some("--help") => sub.len() <= 3,
            Some("--version" | "-h" | "-V" | "-v" | "-help" | "-version" | "help" | "version") => {
                sub.is_empty()
            }
            _ => false,
        };
        let name = program.literal().map(base_name).unwrap_or_default();
        asks && sub.iter().all(|word| word.literal().is_some_and(closed::plain_name))
            && !sub.iter().any(|word| word.literal().is_some_and(|text| text.contains('.')))
            && (sub.is_empty()
                || !self.listed("launchers", name)
                || self.listed("managers", name)
                    && !sub
                        .iter()
                        .any(|word| word.literal().is_none_or(|text| self.listed("doing-words", text))))
            && (last.literal().is_some_and(|text| text.starts_with("--")) || self.listed("short-help", name))
    }

    /// Whether the program is the one that the rules speak of, and not another of the same name.
    fn trusted(&self, scene: &Scene<'_>, run: &Run, program: &str) -> Result<(), Departure> {
        let fail = |why: String| {
            let span = run.words.first().map_or(run.span, |word| word.span);
            Err(Departure { why, span, depth: 2000 })
        };
        if run.builtin && !program.contains('/') {
            return Ok(());
        }
        match scene.situation.programs.get(program) {
            Some(Program::System(_)) => Ok(()),
            Some(Program::Missing) if !program.contains('/') => Ok(()),
            Some(Program::Missing) => fail(format!("there is no program {program:?}")),
            Some(Program::Elsewhere(path)) => fail(format!("{path:?} is not in a folder of the system")),
            None => fail(format!("{program:?} was not looked up")),
        }
    }

    fn harmless_in_front(&self, run: &Run, name: &str) -> bool {
        if !check::harmless_name(self, name) {
            return false;
        }
        run.builtin
            || self.listed("harmless-variables", name)
            || name.starts_with("LC_")
            || name
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
    }

    fn judge_redirect(
        &self,
        scene: &Scene<'_>,
        index: usize,
        redirect: &Redirect,
        findings: &mut Vec<Finding>,
    ) {
        let span = redirect.target.span;
        if !closed::harmless(redirect) {
            let target = redirect.target.prefix();
            let why = if target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/") {
                "this opens a network connection".to_owned()
            } else {
                "this writes to a file".to_owned()
            };
            findings.push(plain("write-file", Verdict::Confirm, span, why));
        }
        if redirect.kind == RedirectKind::Read
            && let Err((why, span)) = check::path(self, scene, index, &redirect.target, 0)
        {
            findings.push(plain("secret-file", Verdict::Confirm, span, why));
        }
    }

    /// What holds for a word whatever the program is.
    fn judge_word(
        &self,
        scene: &Scene<'_>,
        index: usize,
        run: &Run,
        word: &Word,
        findings: &mut Vec<Finding>,
    ) {
        for piece in &word.pieces {
            match piece {
                Piece::Unknown(Why::Variable(name)) if self.secret_variable(name) => {
                    let why = format!("the variable {name:?} may hold a secret");
                    findings.push(plain("secret-variable", Verdict::Confirm, word.span, why));
                }
                Piece::Unknown(Why::Substitution) => {
                    let decoded = scene
                        .children(index)
                        .filter(|(_, child)| child.reach == Reach::Substitution)
                        .any(|(at, child)| {
                            self.decodes(child)
                                || scene
                                    .sources(at)
                                    .into_iter()
                                    .any(|source| scene.run(source).is_some_and(|run| self.decodes(run)))
                        });
                    if decoded && !matches!(run.program(), Some("echo" | "printf")) {
                        let why =
                            "this argument is decoded from other text, so that it cannot be read".to_owned();
                        findings.push(plain("decoded-word", Verdict::Confirm, word.span, why));
                    }
                }
                Piece::Unknown(_) | Piece::Text(_) | Piece::Glob(_) | Piece::Home | Piece::Cwd => {}
            }
        }
    }

    fn decodes(&self, run: &Run) -> bool {
        let name = run.program().map(base_name).unwrap_or_default();
        let escapes = |word: &Word| word.prefix().contains("\\x") || word.prefix().contains("\\0");
        self.listed("decoders", name)
            // Letters that are made of other letters.
            || name == "tr" && !run.words.iter().skip(1).any(|word| word.prefix().starts_with('-'))
                && run.words.iter().skip(1).any(|word| word.literal().is_some_and(|set| !set.contains(char::is_alphanumeric) || set.contains('!')))
            || matches!(name, "echo" | "printf") && run.words.iter().skip(1).any(escapes)
    }
}

/// True for a program's name that is put together from quotes, escapes or expansions: `wh''oami`, `c\at`,
/// `{cat,x}`. Nobody writes so who has nothing to hide; a name in plain quotes and `\ls` are common.
fn disguised(scene: &Scene<'_>, word: &Word) -> bool {
    let Some(text) = word.literal() else { return false };
    let written = scene.script.source().get(word.span.start..word.span.end).unwrap_or_default();
    if written == text || written.strip_prefix('\\') == Some(text) || written.is_empty() {
        return false;
    }
    let bare = |quote: char| written.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if written.contains("$(") || written.contains('`') {
        return true;
    }
    if bare('"') == Some(text) || bare('\'') == Some(text) {
        return false;
    }
    let plain: String = written.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\' | '$')).collect();
    plain == text || written.contains('{') && written.contains(',')
}

/// A line in which no program stands: a comparison, arithmetic, a comment. It may still write by a redirection.
fn nothing(source: &str) -> Finding {
    let all = opaque::whole(source);
    if source.trim().is_empty() || source.contains('>') {
        plain("default", Verdict::Confirm, all, "there is nothing to run".to_owned())
    } else {
        plain("nothing-runs", Verdict::Allow, all, "nothing is started".to_owned())
    }
}

/// A finding that no table gives.
pub(super) fn plain(rule: &str, verdict: Verdict, span: Span, why: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        layer: "default".to_owned(),
        verdict,
        span: Some(span),
        why,
        instead: None,
        risk: if verdict == Verdict::Allow { 0.05 } else { 0.5 },
        tags: Vec::new(),
    }
}

fn reason(why: &Why) -> String {
    match why {
        Why::Variable(name) => format!("the value of {name}"),
        Why::Substitution => "the output of a command".to_owned(),
        Why::Arithmetic => "the result of arithmetic".to_owned(),
        Why::PipeName => "the name of a pipe".to_owned(),
        Why::Items => "the items that are put in".to_owned(),
        Why::Foreign(language) => format!("text in {language}"),
        Why::Other(text) => text.clone(),
    }
}
