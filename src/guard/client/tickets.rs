//! Permissions that a hook has passed to its client. The client's shell runs `guarda run TICKET`, and the guard then
//! does what was approved, once, in the folder for which it was approved (feature N3).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::devices::filesystem::paths;
use crate::hands::ClientShell;
use guarda_core::action::Action;
use guarda_core::gate::Number;
use guarda_core::policy::{Policy, Verdict};
use guarda_journal::Caller;
use guarda_shell::script::{Reach, Run, Script, Word};

use crate::guard::admission::ApprovedAction;
use crate::guard::scope::{Purpose, RequestScope};
use crate::guard::{Fault, Guard, Reply, RequestContext};

/// How long a ticket is valid. A client may ask its own user before it runs the line.
const LIFE: Duration = Duration::from_secs(300);
/// The greatest number of waiting tickets; the oldest gives way to a new one, and its line must be sent again.
const MOST: usize = 1024;
/// The builtins that change only the shell they run in, and are left to the client's shell.
const OF_THE_SHELL: &[&str] = &["cd", "pushd", "popd", "export", "unset", "alias", "unalias", "umask"];

/// A permission that waits for the client's shell.
#[derive(Debug)]
struct Ticket {
    /// The id of the request that got it (UUIDv7).
    id: uuid::Uuid,
    policy: Arc<Policy>,
    caller: Caller,
    cleared: ApprovedAction,
    session: Option<String>,
    /// The exact line that the client's shell was told to run.
    line: String,
    /// The real path of the folder in which the client's shell must redeem it.
    folder: PathBuf,
}

/// The waiting tickets.
#[derive(Debug, Default)]
pub(in crate::guard) struct Tickets {
    waiting: Mutex<Waiting<Ticket>>,
}

impl Tickets {
    /// Locks the tickets that are valid now.
    fn with<T>(&self, work: impl FnOnce(&mut Waiting<Ticket>, Instant) -> T) -> T {
        let now = Instant::now();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.expire(now);
        work(&mut waiting, now)
    }
}

/// Entries under a number, each until its expiry.
#[derive(Debug)]
struct Waiting<T>(HashMap<Number, (Instant, T)>);

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Waiting<T> {
    fn expire(&mut self, now: Instant) {
        self.0.retain(|_, (until, _)| *until > now);
    }

    /// If there are too many, the oldest gives way.
    fn put(&mut self, number: Number, what: T, now: Instant) {
        if self.0.len() >= MOST
            && let Some(oldest) =
                self.0.iter().min_by_key(|(_, (until, _))| *until).map(|(number, _)| *number)
        {
            self.0.remove(&oldest);
        }
        self.0.insert(number, (now + LIFE, what));
    }

    fn all(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(|(_, what)| what)
    }

    fn take(&mut self, number: Number) -> Option<T> {
        self.0.remove(&number).map(|(_, what)| what)
    }
}

/// Why a ticket is refused. Nothing was run, and the ticket stays invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTicket {
    /// It was never issued, was used, or has expired.
    #[error("this ticket was used, has expired, or was never issued; let the agent send the command again")]
    Unknown,
    /// It was issued for another folder.
    #[error("this ticket is for another folder; let the agent send the command again from here")]
    Folder,
}

/// The line for a client's shell that replaces the original one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::guard) struct Replaced {
    /// The part that the client's shell runs itself, before the ticket: `cd sub && `, or nothing.
    pub(in crate::guard) prefix: String,
    /// The folder of the client's shell after that part; the ticket is redeemed there.
    pub(in crate::guard) folder: PathBuf,
    /// Whether the rest may end in another folder, to which the client's shell then changes.
    pub(in crate::guard) moves: bool,
}

/// How a line is divided between the client's shell and the guard. The guard runs the whole line, from the folder in
/// which it was judged; the client's shell first runs a leading `cd` or `export`.
///
/// `free`: the runs that may be left to the client's shell, because nothing speaks against them or a person said yes.
pub(in crate::guard) fn replaced(
    action: &Action,
    cwd: &Path,
    home: &Path,
    free: impl Fn(&Run) -> bool,
) -> Replaced {
    let mut folder = cwd.to_owned();
    let none = |moves| Replaced { prefix: String::new(), folder: cwd.to_owned(), moves };
    let Action::RunCommand { script: Ok(script), .. } = action else { return none(true) };
    let mut end = 0;
    for run in script.runs().iter().take_while(|run| of_the_shell(run) && free(run)) {
        let Some(next) = leads(script, end, run) else { break };
        if run.program() == Some("cd") {
            let Some(goal) = goal(run, &folder, home) else { break };
            folder = goal;
        }
        end = next;
    }
    match script.source().get(..end) {
        Some(prefix) if end > 0 => {
            let rest = |run: &Run| run.builtin && run.span.start >= end;
            let moves = !script.doubts().is_empty() || script.runs().iter().any(rest);
            Replaced { prefix: prefix.to_owned(), folder, moves }
        }
        _ => none(script.may_move()),
    }
}

/// Whether a line only changes the shell that runs it: then the client's own shell runs it.
pub(in crate::guard) fn only_the_shell(action: &Action) -> bool {
    let Action::RunCommand { script: Ok(script), .. } = action else { return false };
    !script.runs().is_empty() && script.runs().iter().all(of_the_shell)
}

/// A builtin that changes only its shell, with literal words.
fn of_the_shell(run: &Run) -> bool {
    run.builtin
        && run.reach == Reach::Plain
        && run.parent.is_none()
        && !run.piped
        && run.redirects.is_empty()
        && run.assigns.is_empty()
        && run.program().is_some_and(|name| OF_THE_SHELL.contains(&name))
        && run.words.iter().all(Word::is_fixed)
}

/// The offset of the rest of the line, if this run begins at `from` and the rest depends on its success.
fn leads(script: &Script, from: usize, run: &Run) -> Option<usize> {
    let source = script.source();
    if !source.get(from..run.span.start)?.trim().is_empty() {
        return None;
    }
    let rest = source.get(run.span.end..)?.trim_start();
    let after = rest.strip_prefix("&&")?.trim_start();
    source.len().checked_sub(after.len())
}

/// The folder that `cd WORD` leads to.
fn goal(run: &Run, folder: &Path, home: &Path) -> Option<PathBuf> {
    let [_, word] = run.words.as_slice() else { return None };
    let text = word.known(&home.to_string_lossy(), &folder.to_string_lossy());
    let text = text.filter(|text| !text.starts_with('-'))?;
    std::fs::canonicalize(folder.join(text)).ok()
}

impl Guard {
    /// Keeps a permission for the client's shell. The returned line ends in a ticket of 128 bits, in hexadecimal.
    fn issue_ticket(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
        replaced: Replaced,
        shell: ShellOfClient,
    ) -> String {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        let session = cleared.approved.judgement().subject().claims.session.clone();
        let Replaced { prefix, folder, moves } = replaced;
        let shown = if shell.comments {
            comment(&cleared.approved.judgement().subject().action)
        } else {
            String::new()
        };
        let run = match (moves && shell.stays, prefix.is_empty()) {
            (false, _) => format!("{} run {number}", self.hands.runner()),
            (true, true) => followed(&self.hands.runner(), number),
            (true, false) => format!("{{ {}; }}", followed(&self.hands.runner(), number)),
        };
        let line = format!("{shown}{prefix}{run}");
        let (policy, caller) = (Arc::clone(&scope.policy), scope.caller.clone());
        let issued = line.clone();
        let ticket = Ticket { id: scope.id, policy, caller, cleared, session, line, folder };
        self.tickets.with(|waiting, now| waiting.put(number, ticket, now));
        issued
    }

    /// Whether this is, byte for byte, a line that was issued to this session and waits to be run.
    #[must_use]
    pub fn is_issued_line(&self, line: &str, session: Option<&str>) -> bool {
        self.tickets.with(|waiting, _| {
            waiting.all().any(|ticket| ticket.line == line && ticket.session.as_deref() == session)
        })
    }

    /// Takes a ticket: its permission can then be used once.
    ///
    /// # Errors
    /// If the ticket is invalid here, or no longer valid. It is then invalid everywhere.
    pub fn redeem(&self, ticket: &str, cwd: &Path) -> Result<Redeemed, NoTicket> {
        let number: Number = ticket.parse().map_err(|()| NoTicket::Unknown)?;
        let ticket = self.tickets.with(|waiting, _| waiting.take(number)).ok_or(NoTicket::Unknown)?;
        let here = std::fs::canonicalize(cwd).map_err(|_| NoTicket::Folder)?;
        if here != ticket.folder {
            return Err(NoTicket::Folder);
        }
        Ok(Redeemed(ticket))
    }

    /// Runs the command of a ticket, in place of the client's shell.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, except for [`Fault::Unrecorded`].
    pub async fn run_redeemed(
        &self,
        redeemed: Redeemed,
        shell: Arc<ClientShell>,
        context: RequestContext,
    ) -> Result<Reply, Fault> {
        let Ticket { id, policy, caller, cleared, .. } = redeemed.0;
        let context = RequestContext { shell: Some(shell), ..context };
        let purpose = Purpose::Act;
        let scope = RequestScope { id, purpose, policy, caller: &caller, context: &context };
        let step = self.complete(cleared, &scope).await?;
        self.run_until_done(step, &scope).await?.reply()
    }

    /// Issues a permission as a command line for the client's shell. It is recorded first.
    ///
    /// # Errors
    /// [`Fault`]: the client must not run anything.
    pub(in crate::guard) async fn approve_with_ticket(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
        shell: ShellOfClient,
    ) -> Result<(String, guarda_journal::Receipt), Fault> {
        let approved = &cleared.approved;
        let judgement = approved.judgement();
        let by_person = approved.by().is_person();
        let speaks = |run: &Run| {
            judgement.findings().iter().filter(|finding| finding.verdict > Verdict::Allow).any(|finding| {
                finding.span.is_none_or(|span| span.start < run.span.end && run.span.start < span.end)
            })
        };
        let (cwd, home) = (Path::new(&cleared.situation.cwd), Path::new(&cleared.situation.home));
        let replaced = replaced(&judgement.subject().action, cwd, home, |run| by_person || !speaks(run));
        let receipt = self.journal.handed(approved, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        Ok((self.issue_ticket(cleared, scope, replaced, shell), receipt))
    }
}

/// A ticket that was taken.
#[derive(Debug)]
pub struct Redeemed(Ticket);

impl Redeemed {
    /// What is needed at the end to say where the line ended.
    #[must_use]
    pub fn path(&self) -> LinePath {
        let action = &self.0.cleared.approved.judgement().subject().action;
        let script = match action {
            Action::RunCommand { script: Ok(script), .. } => Some(script),
            _ => None,
        };
        let home = &self.0.cleared.situation.home;
        let goals = script.into_iter().flat_map(|script| script.runs()).filter_map(|run| {
            let [name, word] = run.words.as_slice() else { return None };
            if !run.builtin || name.literal() != Some("cd") {
                return None;
            }
            word.known(home, "").filter(|text| !text.starts_with('-'))
        });
        LinePath {
            from: self.0.folder.clone(),
            goals: goals.collect(),
            may_move: script.is_none_or(Script::may_move),
        }
    }
}

/// The folders to which a line changes, as it writes them.
#[derive(Debug)]
pub struct LinePath {
    from: PathBuf,
    goals: Vec<String>,
    may_move: bool,
}

/// Where the client's shell should stand after a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandsIn {
    /// Where it is.
    Here,
    /// In this folder.
    Folder(PathBuf),
    /// Not known, or the folder is gone.
    Unknown,
}

impl LinePath {
    /// Where the client's shell should stand, if the line ended in this folder. `shown` is the name under which that shell
    /// knows its own folder; the other folder is named as the line names it, if that is the same folder.
    #[must_use]
    pub fn end(&self, stood: Option<&Path>, shown: Option<&str>) -> StandsIn {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        match stood {
            Some(stood) if stood == self.from => StandsIn::Here,
            None if !self.may_move => StandsIn::Here,
            Some(stood) if real(stood).as_deref() == Some(stood) && stood.is_dir() => {
                let own = shown.map(PathBuf::from).filter(|own| real(own).as_ref() == Some(&self.from));
                let own = own.unwrap_or_else(|| self.from.clone());
                let named = self.goals.iter().fold(own, |folder, goal| paths::plain(&folder.join(goal)));
                let same = real(&named).as_deref() == Some(stood);
                StandsIn::Folder(if same { named } else { stood.to_owned() })
            }
            Some(_) | None => StandsIn::Unknown,
        }
    }
}

/// The shell of a client that runs a substituted line.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShellOfClient {
    /// Its folder counts for the next line, too.
    pub stays: bool,
    /// It takes comments, whatever their text is.
    pub comments: bool,
}

/// The line that runs a ticket and then changes to the folder in which the command ended. `guarda run` writes this folder to
/// the file that is its standard input, because it opens no other; its output goes where that of the line goes.
fn followed(runner: &str, number: Number) -> String {
    format!(
        "{{ guarda_cd=$({runner} run {number} --folder <&1 >&3); guarda_is=$?; }} 3>&1; \
         [ -z \"$guarda_cd\" ] || cd -- \"$guarda_cd\"; (exit \"$guarda_is\")"
    )
}

/// The most characters of a command in a comment.
const LONGEST_COMMENT: usize = 4000;

/// The command as a comment above the line, so that people see it in the client's transcript.
fn comment(action: &Action) -> String {
    let Action::RunCommand { text, .. } = action else { return String::new() };
    let short: String = text.chars().take(LONGEST_COMMENT).collect();
    let more = if short.len() < text.len() { "# …\n" } else { "" };
    // A line feed is the only character that ends a comment.
    let lines = short.trim_end().split('\n').map(|line| {
        let shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("# {shown}\n")
    });
    lines.collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::{Proposal, Request};

    fn action(line: &str) -> Action {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.into()),
            ..Request::default()
        };
        Proposal::parse(request).unwrap().action
    }

    #[test]
    fn a_ticket_expires_and_the_oldest_gives_way() {
        let number = |place: usize| Number((place as u128).to_be_bytes());
        let mut waiting = Waiting::default();
        let begun = Instant::now();
        waiting.put(number(0), "first", begun);
        waiting.expire(begun + LIFE - Duration::from_nanos(1));
        assert_eq!(waiting.all().collect::<Vec<_>>(), [&"first"]);
        waiting.expire(begun + LIFE);
        assert_eq!(waiting.take(number(0)), None);
        for place in 0..=MOST {
            waiting.put(number(place), "one of many", begun + Duration::from_millis(place as u64));
        }
        assert_eq!((waiting.0.len(), waiting.take(number(0))), (MOST, None));
        assert_eq!((waiting.take(number(MOST)), waiting.take(number(MOST))), (Some("one of many"), None));
    }

    #[test]
    fn what_changes_only_the_shell_is_left_to_it() {
        for (line, only) in [
            ("cd sub", true),
            ("export A=b", true),
            ("cd sub && export A=b", true),
            ("cd sub && ls", false),
            ("cd $X", false),
            ("export A=$(id)", false),
            ("ls", false),
        ] {
            assert_eq!(only_the_shell(&action(line)), only, "{line}");
        }
        let folder = tempfile::tempdir().unwrap();
        let cwd = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(cwd.join("sub/deep")).unwrap();
        for (line, prefix, goal) in [
            ("ls", "", ""),
            ("cd sub && ls", "cd sub && ", "sub"),
            ("cd sub && cd deep && ls | wc", "cd sub && cd deep && ", "sub/deep"),
            ("export A=b && make", "export A=b && ", ""),
            ("export PATH=./x && make", "", ""),
            ("  cd sub &&\n make", "  cd sub &&\n ", "sub"),
            ("cd sub && for f in *; do cat $f; done", "cd sub && ", "sub"),
            // The folder is unknown or missing, or the rest does not depend on it.
            ("cd $X && ls", "", ""),
            ("cd nowhere && ls", "", ""),
            ("cd - && ls", "", ""),
            ("cd sub; ls", "", ""),
            ("cd sub || ls", "", ""),
            ("cd sub | ls", "", ""),
            ("(cd sub && ls)", "", ""),
            ("ls && cd sub", "", ""),
            ("cd sub > x && ls", "", ""),
        ] {
            let folder = if goal.is_empty() { cwd.clone() } else { cwd.join(goal) };
            let free = |run: &Run| !run.words.iter().any(|word| word.prefix().starts_with("PATH="));
            let divided = replaced(&action(line), &cwd, &cwd, free);
            assert_eq!((divided.prefix, divided.folder), (prefix.to_owned(), folder), "{line}");
        }
    }
}
