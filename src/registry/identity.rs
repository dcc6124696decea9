//! The identity of a command: the same words in the same folder with the same programs, however they are spelt.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use guarda_core::policy::{Profile, Program, Situation};
use guarda_shell::script::{
    Assign, Piece, Plan, Reach, Redirect, RedirectKind, Run, Script, UnknownCause, Unsure, When, Word,
};

pub(super) use guarda_journal::chain::hex;

/// The identity of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    /// SHA-256 in hexadecimal of what would run and where: the words, the folder, the profile, the programs' files.
    /// The primary key of the registry.
    pub command_hash: String,
    /// SHA-256 in hexadecimal of the words alone. A person's restriction applies to it in any folder.
    pub argv_hash: String,
    /// The command line as given, with secrets hidden; for display.
    pub text: String,
    /// The folder in which it runs.
    pub folder: String,
    /// The profile in force.
    pub profile: String,
    /// SHA-256 in hexadecimal over the programs' files; empty if one of them could not be read.
    pub program_digest: String,
}

/// Real path of a program → SHA-256 of its file in hexadecimal.
pub type Digests = BTreeMap<String, String>;

/// The stored text of a command line whose secrets could not be hidden.
const NOT_SHOWN: &str = "[a command whose secrets could not be hidden]";

impl Identity {
    /// The identity of a command line as it would run now.
    #[must_use]
    pub fn of(
        text: &str,
        script: &Result<Script, Unsure>,
        situation: &Situation,
        profile: Profile,
        digests: &Digests,
    ) -> Self {
        let argv_hash = argv_hash(text, script);
        let program_digest = programs(script, situation, digests).unwrap_or_default();
        let mut whole = Hasher::new("guarda command 1");
        for (name, value) in [
            ("argv", argv_hash.as_str()),
            ("folder", &situation.cwd),
            ("profile", profile.name()),
            ("programs", &program_digest),
        ] {
            whole.field(name, value.as_bytes());
        }
        Self {
            command_hash: whole.end(),
            argv_hash,
            text: guarda_core::output::redact(text)
                .map_or_else(|_| NOT_SHOWN.to_owned(), |redacted| redacted.text),
            folder: situation.cwd.clone(),
            profile: profile.name().to_owned(),
            program_digest,
        }
    }

    /// Whether it identifies this command line, in any folder.
    #[must_use]
    pub fn is_of(&self, text: &str, script: &Result<Script, Unsure>) -> bool {
        self.argv_hash == argv_hash(text, script)
    }
}

/// The digest of the words alone.
fn argv_hash(text: &str, script: &Result<Script, Unsure>) -> String {
    let mut words = Hasher::new("guarda argv 1");
    match script.as_ref().ok().and_then(|script| script.plan().map(|plan| (script, plan))) {
        // A fully literal script is identified by its meaning.
        Some((script, plan)) if script.doubts().is_empty() => words.plan(script, plan),
        _ => words.field("text", text.as_bytes()),
    }
    words.end()
}

/// One digest over every program that was looked up; `None` if one of them has no digest.
fn programs(script: &Result<Script, Unsure>, situation: &Situation, digests: &Digests) -> Option<String> {
    let script = script.as_ref().ok()?;
    let mut all = Hasher::new("guarda programs 1");
    let mut names: Vec<&str> =
        script.runs().iter().filter(|run| !run.builtin).filter_map(Run::program).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        all.field("name", name.as_bytes());
        match situation.programs.get(name)? {
            Program::System(path) | Program::Elsewhere(path) => {
                all.field("path", path.as_bytes());
                all.field("file", digests.get(path)?.as_bytes());
            }
            Program::Missing => all.field("missing", b""),
        }
    }
    Some(all.end())
}

/// SHA-256 over named fields with their lengths, so that different lists of fields never give the same bytes.
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub fn new(purpose: &str) -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.bytes(purpose.as_bytes());
        hasher
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub fn field(&mut self, name: &str, value: &[u8]) {
        self.bytes(name.as_bytes());
        self.bytes(value);
    }

    pub fn end(self) -> String {
        hex(&self.0.finalize())
    }

    fn plan(&mut self, script: &Script, plan: &Plan) {
        for step in &plan.steps {
            let when = match step.when {
                When::Always => "always",
                When::Success => "success",
                When::Failure => "failure",
            };
            self.field("step", when.as_bytes());
            self.field("negated", &[u8::from(step.negated)]);
            for run in step.runs.iter().filter_map(|at| script.runs().get(*at)) {
                self.run(run);
            }
        }
        // Wrappers start further programs, which are in no step.
        for run in script.runs().iter().filter(|run| run.parent.is_some()) {
            self.run(run);
        }
    }

    fn run(&mut self, run: &Run) {
        let (reach, by) = match &run.reach {
            Reach::Plain => ("plain", ""),
            Reach::Substitution => ("substitution", ""),
            Reach::Wrapper(by) => ("wrapper", by.as_str()),
            Reach::Text(by) => ("text", by.as_str()),
        };
        self.field("run", reach.as_bytes());
        self.field("by", by.as_bytes());
        self.field("builtin", &[u8::from(run.builtin)]);
        run.words.iter().for_each(|word| self.word(word));
        for Assign { name, value } in &run.assigns {
            self.field("assign", name.as_bytes());
            self.word(value);
        }
        for Redirect { fd, kind, target } in &run.redirects {
            let kind = match kind {
                RedirectKind::Read => "read",
                RedirectKind::Write => "write",
                RedirectKind::Append => "append",
                RedirectKind::ReadWrite => "read-write",
                RedirectKind::Text => "text",
                RedirectKind::Duplicate => "duplicate",
                RedirectKind::Close => "close",
            };
            self.field(kind, &fd.to_le_bytes());
            self.word(target);
        }
    }

    fn word(&mut self, word: &Word) {
        self.field("word", &(word.pieces.len() as u64).to_le_bytes());
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => self.field("text", text.as_bytes()),
                Piece::Glob(glob) => self.field("glob", glob.as_bytes()),
                Piece::Home => self.field("home", b""),
                Piece::Cwd => self.field("cwd", b""),
                Piece::Unknown(why) => self.field("unknown", name_of(why).as_bytes()),
            }
        }
    }
}

fn name_of(why: &UnknownCause) -> String {
    match why {
        UnknownCause::Variable(name) => format!("variable {name}"),
        UnknownCause::Substitution => "substitution".to_owned(),
        UnknownCause::Arithmetic => "arithmetic".to_owned(),
        UnknownCause::PipeName => "pipe".to_owned(),
        UnknownCause::Items => "items".to_owned(),
        UnknownCause::HomeOf(user) => format!("home of {user}"),
        UnknownCause::Foreign(language) => format!("foreign {language}"),
        UnknownCause::Other(text) => format!("other {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_shell::script::Span;

    fn situation(cwd: &str) -> Situation {
        let programs = [("git".to_owned(), Program::System("/usr/bin/git".to_owned()))];
        Situation { cwd: cwd.to_owned(), programs: programs.into(), ..Situation::default() }
    }

    fn digests(of: &str) -> Digests {
        [("/usr/bin/git".to_owned(), of.to_owned())].into()
    }

    fn identity(text: &str, argv: &[&str]) -> Identity {
        let script = Ok(Script::of_argv(argv, &[]));
        Identity::of(text, &script, &situation("/home/ana/p"), Profile::Desktop, &digests("aa"))
    }

    #[test]
    fn spelling_does_not_make_another_command() {
        let one = identity("git status", &["git", "status"]);
        let other = identity("git   'status'", &["git", "status"]);
        assert_eq!(one.command_hash, other.command_hash);
        assert_eq!(one.command_hash.len(), 64);
        assert!(one.command_hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn words_do_not_run_together() {
        let one = identity("git a b", &["git", "a", "b"]);
        for other in [&["git", "a b"][..], &["git", "ab"], &["git", "a", "b", ""], &["git", "b", "a"]] {
            assert_ne!(one.argv_hash, identity("git a b", other).argv_hash, "{other:?}");
        }
    }

    #[test]
    fn place_profile_and_program_belong_to_it() {
        let script = Ok(Script::of_argv(&["git", "status"], &[]));
        let of = |cwd: &str, profile, file: &str| {
            Identity::of("git status", &script, &situation(cwd), profile, &digests(file))
        };
        let here = of("/home/ana/p", Profile::Desktop, "aa");
        for other in [
            of("/home/ana/q", Profile::Desktop, "aa"),
            of("/home/ana/p", Profile::Container, "aa"),
            of("/home/ana/p", Profile::Desktop, "bb"),
        ] {
            assert_ne!(here.command_hash, other.command_hash);
            assert_eq!(here.argv_hash, other.argv_hash);
        }
        let unread = Identity::of("git status", &script, &situation("/"), Profile::Desktop, &Digests::new());
        assert_eq!(unread.program_digest, "");
    }

    #[test]
    fn what_cannot_be_read_is_known_by_its_text() {
        let unsure = || {
            Err(Unsure {
                reason: "an open quote".to_owned(),
                span: Span::default(),
                text: String::new(),
                fault: guarda_shell::script::Fault::Unclear,
            })
        };
        let of =
            |text: &str| Identity::of(text, &unsure(), &situation("/"), Profile::Desktop, &digests("aa"));
        assert_eq!(of("echo 'a").command_hash, of("echo 'a").command_hash);
        assert_ne!(of("echo 'a").command_hash, of("echo 'b").command_hash);
    }
}
