//! Runs that the rules leave open: unknown programs, without any sign of disguise.

use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::variable::promises_secret;
use crate::policy::{Policy, Program, Verdict};
use guarda_shell::script::{Input, Reach, Run, Word};

impl Policy {
    /// Whether the rules leave this run open: a program of the system under its plain name and with literal words, which no rule
    /// knows as good or bad, and which is not known to start programs or to reach other machines. A second opinion may settle it;
    /// otherwise a person is asked.
    pub(crate) fn left_open(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        let Some(program) = run.program() else { return false };
        let name = base_name(program);
        // `python3.11`, `vim.tiny` and `bash-static` count as the program without the suffix.
        let stem = name.split(|letter: char| matches!(letter, '.' | '-') || letter.is_ascii_digit()).next();
        let bare = stem.filter(|stem| stem.len() > 1).unwrap_or(name);
        run.reach == Reach::Plain
            && run.input == Input::Inherited
            && run.parent.is_none()
            && run.assigns.is_empty()
            && matches!(context.situation.programs.get(program), Some(Program::System(_)))
            && [name, bare].iter().all(|name| !self.starts_or_sends(name) && !self.listed("doers", name))
            && run.words.iter().all(|word| word.is_fixed())
            && !run.words.iter().skip(1).any(|word| self.says_more(word))
            && !self.names_secret(context, index, run)
    }

    /// Whether a word, or either side of its `=`, is a verb of action, an address, the name of a secret, or a program that the
    /// rules ask about: the run could be a wrapper of it that no table lists.
    fn says_more(&self, word: &Word) -> bool {
        let Some(text) = word.literal() else { return false };
        let lower = text.to_ascii_lowercase();
        if lower.contains("://") || promises_secret(text) {
            return true;
        }
        let asking =
            |name: Option<&str>| self.rules_for(name).filter(|rule| rule.verdict > Verdict::Allow).count();
        let (flag, value) = lower.split_once('=').unwrap_or((&lower, ""));
        [flag.trim_start_matches('-'), value].into_iter().filter(|text| !text.is_empty()).any(|text| {
            let name = base_name(text);
            self.listed("doing-words", text)
                || self.starts_or_sends(name)
                || asking(Some(name)) > asking(None)
        })
    }

    /// Whether a program is known to start other programs or to contact other machines.
    fn starts_or_sends(&self, name: &str) -> bool {
        ["launchers", "downloaders", "senders", "fetchers"].iter().any(|list| self.listed(list, name))
    }
}
