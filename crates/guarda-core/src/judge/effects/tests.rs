//! Changes, and the findings about them.

use crate::policy::Origin;
use std::path::PathBuf;

use proptest::prelude::{Strategy, prop_assert};

use super::{judge_effects, stands_out};
use crate::effects::Change;
use crate::effects::Effects;
use crate::policy::effect_rules::example;
use crate::policy::{Finding, Lists, Policy, Profile, Situation, Verdict};

use Profile::{Container, Desktop, Forensics, Workspace};
use Verdict::{Allow, Block, Confirm};

fn situation() -> Situation {
    let own = |folder: &str| format!("/home/ana/{folder}");
    Situation {
        home: "/home/ana".to_owned(),
        cwd: "/home/ana/project".to_owned(),
        guard: vec![own(".config/guarda"), own("project/.guard-state")],
        settings: vec![own(".claude/settings.json"), own("project/tools/guarda")],
        ..Situation::default()
    }
}

fn roots() -> [PathBuf; 1] {
    [PathBuf::from("/home/ana/project")]
}

fn judged(policy: &Policy, effects: &Effects) -> Vec<Finding> {
    judge_effects(policy, effects, &situation(), &roots())
}

fn verdict(findings: &[Finding]) -> Verdict {
    findings.iter().map(|finding| finding.verdict).max().unwrap()
}

#[test]
fn each_change_has_its_verdict() {
    for (changes, profiles, expected, rule) in [
        ("", &Profile::ALL[..], Allow, "effects-none"),
        ("created a", &[Desktop, Forensics], Confirm, "effects-desktop"),
        ("attributes a", &[Desktop, Forensics], Confirm, "effects-desktop"),
        ("created a", &[Workspace, Container], Allow, "effects-inside"),
        ("changed a; deleted b; renamed c from d", &[Workspace, Container], Allow, "effects-inside"),
        ("deleted build below 20000", &[Workspace], Allow, "effects-inside"),
        ("created ~/other/a", &[Workspace, Container], Confirm, "effects-outside"),
        ("created /home/ana/project2/a", &[Workspace], Confirm, "effects-outside"),
        ("deleted . folder", &[Workspace], Block, "effects-guard"),
        ("replaced ~/empty folder", &[Workspace], Confirm, "effects-outside"),
        ("deleted tools folder", &[Workspace], Block, "effects-settings"),
        ("attributes . folder", &[Workspace], Allow, "effects-inside"),
        ("created a final", &[Workspace], Allow, "effects-inside"),
        ("attributes a final", &[Workspace], Allow, "effects-inside"),
        ("deleted a final", &[Workspace, Container], Confirm, "effects-final"),
        ("changed a final", &[Workspace], Confirm, "effects-final"),
        // A moved file is not lost.
        ("deleted b; renamed c from b final", &[Workspace], Allow, "effects-inside"),
        ("deleted a below 101 final", &Profile::ALL, Confirm, "effects-many"),
        ("deleted a size 700000000; deleted b size 700000000 final", &[Workspace], Confirm, "effects-many"),
        ("changed .git/index; created .git/objects/ab/c", &[Workspace], Allow, "effects-inside"),
        ("created .git/hooks/pre-commit", &Profile::ALL, Confirm, "effects-git"),
        ("changed .git/config", &Profile::ALL, Confirm, "effects-git"),
        ("created .git/modules/x/config", &[Workspace], Confirm, "effects-git-modules"),
        ("created .git/anything", &[Workspace], Confirm, "effects-git"),
        ("created .git/info/x", &[Workspace], Confirm, "effects-git"),
        ("created .git/rebase-merge/git-rebase-todo", &[Workspace], Confirm, "effects-git-todo"),
        (
            "created .git/rebase-merge folder inert; created .git/rebase-merge/git-rebase-todo inert",
            &[Workspace],
            Allow,
            "effects-inside",
        ),
        ("changed .git/sequencer/todo", &[Workspace], Confirm, "effects-git-todo"),
        (
            "deleted .git/sequencer folder; changed .git/logs/HEAD; created .git/ORIG_HEAD",
            &[Workspace],
            Allow,
            "effects-inside",
        ),
        ("created .hg/hgrc", &[Workspace], Confirm, "effects-git"),
        ("changed .jj/repo/config.toml", &[Workspace], Confirm, "effects-git"),
        ("created tools/hooks/pre-commit", &[Workspace], Allow, "effects-inside"),
        ("created .git folder", &[Workspace], Confirm, "effects-git"),
        ("created .git", &Profile::ALL, Confirm, "effects-git-file"),
        ("created vendor/HEAD", &[Workspace], Confirm, "effects-bare-repository"),
        ("created .envrc", &Profile::ALL, Confirm, "effects-opens"),
        ("created .vscode folder", &[Workspace], Confirm, "effects-opens"),
        ("created .tool-versions", &[Workspace], Confirm, "effects-opens"),
        ("created .vscode/extensions.json", &[Workspace], Allow, "effects-inside"),
        ("changed .github/workflows/ci.yml", &Profile::ALL, Confirm, "effects-pipelines"),
        ("created CLAUDE.md", &Profile::ALL, Confirm, "effects-agents"),
        // What packages bring is obeyed by nobody.
        (
            "deleted node_modules below 900; deleted node_modules/x/.travis.yml",
            &[Workspace],
            Allow,
            "effects-inside",
        ),
        ("created node_modules/x/.github folder", &[Workspace], Allow, "effects-inside"),
        ("created .venv/lib/python3/site-packages/x/CLAUDE.md", &[Workspace], Allow, "effects-inside"),
        ("created node_modules/x/.git/hooks/pre-commit", &[Workspace], Confirm, "effects-git"),
        ("created sub/.github/workflows/x.yml", &[Workspace], Confirm, "effects-pipelines"),
        ("changed .claude/settings.json", &Profile::ALL, Block, "effects-settings"),
        ("changed tools/guarda", &Profile::ALL, Block, "effects-settings"),
        ("changed .guard-state/key", &Profile::ALL, Block, "effects-guard"),
        ("deleted ~/.config folder", &Profile::ALL, Block, "effects-guard"),
        ("attributes ~/.config folder", &[Desktop], Confirm, "effects-desktop"),
        ("changed ~/.bashrc", &Profile::ALL, Confirm, "effects-run-later"),
        ("created ~/.ssh/authorized_keys", &Profile::ALL, Confirm, "effects-secret"),
        ("created a device", &Profile::ALL, Block, "effects-device"),
        ("created a mode 4755", &Profile::ALL, Confirm, "effects-set-id"),
        ("created a link ~/.ssh/id", &Profile::ALL, Confirm, "effects-leads-out"),
        ("created venv/bin/python3 link /usr/bin/python3", &[Workspace], Allow, "effects-inside"),
        ("changed a parted", &Profile::ALL, Confirm, "effects-hard-link"),
        // `git branch -d` rewrites its settings unchanged.
        ("touched .git/config", &[Workspace], Allow, "effects-inside"),
        ("touched ~/.bashrc", &[Workspace], Confirm, "effects-outside"),
        ("attributes .git/config", &[Workspace], Confirm, "effects-git"),
        ("changed ~/kept/a", &Profile::ALL, Confirm, "effects-protected"),
    ] {
        let effects = example(changes).unwrap();
        for profile in profiles {
            let lists = Lists { protected_paths: vec!["~/kept".to_owned()], ..Lists::default() };
            let policy = Policy::builtin(*profile).unwrap().with_lists(&lists).unwrap();
            let findings = judged(&policy, &effects);
            assert_eq!(verdict(&findings), expected, "{profile}: {changes}: {findings:?}");
            let named = findings.iter().find(|finding| finding.rule == rule);
            assert_eq!(
                named.map(|finding| finding.verdict),
                Some(expected),
                "{profile}: {changes}: {findings:?}"
            );
            assert_eq!(findings.first().unwrap().verdict, expected, "strictest first");
            assert!(findings.iter().all(|finding| finding.origin == Origin::Effects));
        }
    }
}

/// What git's configuration names is run by git, wherever it lies.
#[test]
fn what_git_runs_by_its_configuration_is_asked_about() {
    let policy = Policy::builtin(Workspace).unwrap();
    let named = ["tools/hooks", "scripts/clean", ".gitextra"];
    let at = |path: &str| PathBuf::from("/home/ana/project").join(path);
    let situation = Situation { git_named: named.map(at).into(), ..situation() };
    for (changes, expected) in [
        ("created tools/hooks/pre-commit", Confirm),
        ("created tools/hooks folder", Confirm),
        ("deleted tools folder", Confirm),
        ("renamed scripts/clean from scripts/x", Confirm),
        ("attributes scripts/clean mode 755", Confirm),
        ("replaced .gitextra link /tmp/x", Confirm),
        ("created scripts/clean.md", Allow),
        ("changed tools/x", Allow),
        ("created tools folder inert", Allow),
    ] {
        let findings = judge_effects(&policy, &example(changes).unwrap(), &situation, &roots());
        assert_eq!(verdict(&findings).min(Confirm), expected, "{changes}: {findings:?}");
    }
}

/// A yes to the words of a line speaks for what it changes where it works, and for the guarded places that it names.
#[test]
fn a_yes_to_the_words_covers_no_guarded_place_that_they_do_not_name() {
    for (changes, named, expected) in [
        ("created a; changed b/c; deleted d", &[][..], Allow),
        ("created .git/FETCH_HEAD; created .git/objects/ab/c", &[], Allow),
        ("created /tmp/x", &[], Allow),
        ("created node_modules folder", &[], Allow),
        ("created ~/other/a", &[], Confirm),
        ("created ~/other/a", &["/home/ana/other"], Allow),
        ("created .envrc", &[], Confirm),
        ("created .envrc", &["/home/ana/project/.envrc"], Allow),
        ("created .envrc", &["/home/ana/project"], Confirm),
        ("changed .git/config", &[], Confirm),
        ("created .git/hooks/pre-commit", &["/home/ana/project/.git/hooks"], Allow),
        ("created .git/hooks/pre-commit", &["/home/ana/project/.git"], Confirm),
        ("created .vscode/tasks.json", &["/home/ana/project/.vscode/x"], Confirm),
        ("created CLAUDE.md", &[], Confirm),
        ("created .github/workflows/x.yml", &["/home/ana/project/.github/workflows"], Allow),
        ("created .mcp.json", &[], Confirm),
        ("changed ~/.bashrc", &["/home/ana"], Confirm),
        ("changed ~/.bashrc", &["/home/ana/.bashrc"], Allow),
        ("created ~/.ssh/authorized_keys", &["/home/ana/x"], Confirm),
        ("changed .claude/settings.json", &["/home/ana/project/.claude/settings.json"], Block),
        ("created a mode 4755", &["/home/ana/project/a"], Confirm),
        ("created a device", &["/home/ana/project/a"], Block),
        ("deleted a final", &["/home/ana/project/a"], Confirm),
        ("created a link ~/.ssh/id", &["/home/ana/project/a"], Confirm),
    ] {
        for profile in [Desktop, Workspace] {
            let policy = Policy::builtin(profile).unwrap();
            let situation = Situation {
                approved: true,
                stage: roots().into(),
                named: named.iter().map(|path| (*path).to_owned()).collect(),
                ..situation()
            };
            let findings = judge_effects(&policy, &example(changes).unwrap(), &situation, &roots());
            assert_eq!(verdict(&findings), expected, "{profile}: {changes} {named:?}: {findings:?}");
        }
    }
}

/// A checkout of a branch whose pipelines differ brings what the repository holds; everything else writes.
#[test]
fn what_git_brings_from_its_own_objects_is_not_written() {
    let effects = example("changed .github/workflows/ci.yml").unwrap();
    for (line, brings) in [
        ("git checkout main", true),
        ("git switch -c x origin/x", true),
        ("cd sub && git stash pop", true),
        ("git -C sub reset --hard HEAD~1", true),
        ("git checkout main; git merge x", true),
        ("git checkout main && make", false),
        ("git checkout $BRANCH", false),
        ("git apply x.patch", false),
        ("git am x.patch", false),
        ("git -c core.hooksPath=x checkout main", false),
        ("git rebase -x ./x main", false),
        ("git rebase --exec=./x main", false),
        ("GIT_DIR=x git checkout main", false),
        ("git checkout main > .github/workflows/ci.yml", false),
        ("echo x > .github/workflows/ci.yml", false),
        ("./git checkout main", false),
        ("echo x", false),
    ] {
        let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash);
        let seen = crate::policy::corpus::situation(&script);
        let brings_it = super::from_objects(&script.unwrap(), &seen);
        assert_eq!(brings_it, brings, "{line}");
        let policy = Policy::builtin(Workspace).unwrap();
        let situation = Situation { from_objects: brings_it, ..situation() };
        let findings = judge_effects(&policy, &effects, &situation, &roots());
        assert_eq!(verdict(&findings) == Allow, brings, "{line}: {findings:?}");
    }
}

#[test]
fn processes_that_were_left_are_no_reason() {
    let policy = Policy::builtin(Workspace).unwrap();
    let effects = Effects { strays: 3, ..example("created a").unwrap() };
    assert_eq!(verdict(&judged(&policy, &effects)), Allow);
}

#[test]
fn what_the_configuration_leaves_out_is_never_changed() {
    let lists = Lists { allowed_dirs: vec!["~/project/src".to_owned()], ..Lists::default() };
    let policy = Policy::builtin(Workspace).unwrap().with_lists(&lists).unwrap();
    for (changes, expected) in
        [("created src/a", Allow), ("created a", Block), ("created src/a; changed b", Block)]
    {
        assert_eq!(verdict(&judged(&policy, &example(changes).unwrap())), expected, "{changes}");
    }
}

#[test]
fn names_that_imitate_patterns_hide_nothing() {
    let policy = Policy::builtin(Workspace).unwrap();
    for folder in ["\u{3}", "\u{1}x", "*"] {
        let mut effects = example("created .git/hooks/x").unwrap();
        let path = format!("/home/ana/project/{folder}/.git/hooks/{folder}");
        effects.changes.first_mut().unwrap().path = PathBuf::from(path);
        assert_eq!(verdict(&judged(&policy, &effects)), Confirm, "{folder:?}");
    }
}

#[test]
fn what_has_to_be_listed_by_itself() {
    let policy = Policy::builtin(Desktop).unwrap();
    for (change, expected) in [
        ("created new/.envrc", true),
        ("created new/.git/config", true),
        ("created new/a mode 4755", true),
        ("created new/a link /etc/passwd", true),
        ("created new/a", false),
        ("created new/a link b", false),
    ] {
        let effects = example(change).unwrap();
        let change_itself = effects.changes.first().unwrap();
        assert_eq!(stands_out(&policy, change_itself, &situation(), &roots()), expected, "{change}");
    }
}

#[test]
fn every_example_of_the_table_holds() {
    for profile in Profile::ALL {
        let policy = Policy::builtin(profile).unwrap();
        let wrong: Vec<_> =
            policy.effect_rules().iter().filter_map(|rule| rule.try_examples(&policy).err()).collect();
        assert!(wrong.is_empty(), "{profile}: {wrong:#?}");
        assert!(policy.effect_rules().len() > 15);
        assert!(policy.effect_rules().iter().all(|rule| !rule.why().ends_with('.')));
    }
}

#[test]
fn a_layer_adds_and_loosens_but_not_what_is_locked() {
    let load = |text: &str| Policy::load(Workspace, &[crate::policy::Layer { name: "config", text }]);
    let added = "[effects.schema]\nat = \"**/schema.sql\"\nverdict = \"confirm\"\nwhy = \"the schema\"\n\
                 matches = [\"changed db/schema.sql\"]\nspares = [\"changed a.sql\"]\n";
    let policy = load(added).unwrap();
    assert_eq!(verdict(&judged(&policy, &example("changed schema.sql").unwrap())), Confirm);
    let policy = load("[effects.opens]\nenabled = false\n").unwrap();
    assert_eq!(verdict(&judged(&policy, &example("created .envrc").unwrap())), Allow);
    for (text, line, said) in [
        ("\n[effects.guard]\nenabled = false\n", 2, "locked"),
        ("[effects.x]\nverdict = \"confirm\"\nat = \"nowhere\"\n", 1, "nowhere"),
        ("[effects.x]\nverdict = \"maybe\"\n", 1, "verdict"),
        ("[effects.x]\nverdict = \"block\"\nchanges = \"eaten\"\n", 1, "eaten"),
        ("[effects.x]\nverdict = \"block\"\nwhen = \"raining\"\n", 1, "raining"),
        ("[effects.x]\nverdict = \"block\"\nat = \"**/x\"\nmatches = [\"created y\"]\n", 1, "created y"),
    ] {
        let error = load(text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.fault.to_string().contains(said), "{error}");
    }
}

/// Changes of every kind in places of every kind.
fn changes() -> impl Strategy<Value = Change> {
    let kinds = ["created", "deleted", "changed", "attributes", "replaced", "renamed"];
    let paths = [
        "a",
        "b/c",
        ".git/config",
        ".git/index",
        ".git",
        ".envrc",
        "~/.bashrc",
        "~/x",
        "~/.ssh/id",
        "CLAUDE.md",
        ".guard-state/x",
        "Jenkinsfile",
        ".",
        "~/kept/x",
        "sub/HEAD",
    ];
    let more =
        ["", "folder", "below 200", "mode 4755", "link /etc/passwd", "parted", "device", "size 2000000000"];
    let pick = proptest::sample::select::<&str>;
    (pick(kinds.to_vec()), pick(paths.to_vec()), pick(more.to_vec()))
        .prop_map(|(kind, path, more)| example(&format!("{kind} {path} {more}")).unwrap().changes.remove(0))
}

proptest::proptest! {
    /// One change more never makes it milder, but for one that says where something lost has gone.
    #[test]
    fn more_is_never_milder(
        some in proptest::collection::vec(changes(), 0..4),
        one in changes(),
        is_final: bool,
        profile in proptest::sample::select(Profile::ALL.to_vec()),
    ) {
        let lists = Lists { protected_paths: vec!["~/kept".to_owned()], ..Lists::default() };
        let policy = Policy::builtin(profile).unwrap().with_lists(&lists).unwrap();
        let final_because = is_final.then(|| "it is too large".to_owned());
        let mut effects = Effects { changes: some, final_because, ..Effects::default() };
        let before = verdict(&judged(&policy, &effects));
        effects.changes.push(one);
        let after = verdict(&judged(&policy, &effects));
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }
}
