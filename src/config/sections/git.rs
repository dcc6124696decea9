//! `[git]`: git operations that are blocked.

use serde::{Deserialize, Serialize};

/// `[git]`: the git guard of feature P10. The built-in rules ask about operations that are not blocked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GitSection {
    /// The operations to block, wherever they would run and however they are spelled.
    pub denied: Vec<Denied>,
}

/// A kind of git operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Denied {
    /// Sending to another repository.
    Push,
    /// Fetching from another repository into this one's branches.
    Pull,
    /// Moving commits.
    Rebase,
    /// Rewriting or discarding commits.
    History,
}

impl Denied {
    /// Sub-commands, the flags that they require for it (none: any), and an example.
    fn parts(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Self::Push => &[("push | send-pack", "", "git -C x push origin main")],
            Self::Pull => &[("pull", "", "git -c a=b pull")],
            Self::Rebase => &[("rebase", "", "git rebase -i main")],
            Self::History => &[
                (
                    "reset | filter-branch | filter-repo | reflog expire | reflog delete | gc | prune | update-ref | replace",
                    "",
                    "git reset --hard",
                ),
                ("commit", "--amend", "git commit -m x --amend"),
                ("branch | tag", "-[dD] --delete", "git branch -D old"),
                (
                    "push",
                    "-f --force --force-with-lease --mirror --delete -d",
                    "git push origin main --force",
                ),
            ],
        }
    }
}

impl GitSection {
    /// The rules for this section, as the text of a layer; empty if nothing is blocked.
    #[must_use]
    pub fn rules(&self) -> String {
        let mut text = String::new();
        for denied in &self.denied {
            let name = format!("{denied:?}").to_lowercase();
            for (number, (subcommands, flags, example)) in denied.parts().iter().enumerate() {
                let flags = if flags.is_empty() { String::new() } else { format!("flags = \"{flags}\"\n") };
                text.push_str(&format!(
                    "[rules.git-guard-{name}-{number}]\nprograms = \"git\"\nsub = \"{subcommands}\"\n{flags}before = \
                     \"-C:path -c: --git-dir:path --work-tree:path --namespace: --exec-path:path -p --paginate \
                     --no-pager -P\"\nverdict = \"block\"\nrisk = 0.7\nwhy = \"the configuration keeps this part of \
                     git for the user\"\ntags = \"git\"\nmatches = [\"{example}\"]\nspares = [\"git log\", \"git stash \
                     push\"]\n"
                ));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn what_is_denied_is_blocked_however_it_is_spelled() {
        let all = "[git]\ndenied = [\"push\", \"pull\", \"rebase\", \"history\"]\n";
        let config = Config::parse(all, "x").unwrap();
        let policy = config.policy("x").unwrap();
        let situation = guarda_core::policy::Situation::default();
        let status = |line: &str| {
            let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash);
            let findings = policy.judge_script(&script, &situation);
            findings.into_iter().map(|finding| finding.verdict).max().unwrap().status()
        };
        for line in [
            "git push",
            "git -C x push origin",
            "env git --git-dir=a pull",
            "ls; git rebase main",
            "bash -c 'git push'",
            "git commit -m x --amend",
            "git reset --hard",
            "git branch -D old",
            "find . -exec git push \\;",
        ] {
            assert_eq!(status(line), "blocked", "{line}");
        }
        for line in ["git stash push", "git push-notes", "git -c alias.p=push p", "git commit -m push"] {
            assert_eq!(status(line), "requires_confirmation", "{line}");
        }
        let push = Config::parse("[git]\ndenied = [\"push\"]\n", "x").unwrap();
        assert_ne!(push.rules_digest(), Config::default().rules_digest());
        assert!(Config::parse("[git]\ndenied = [\"pushes\"]\n", "x").is_err());
    }
}
