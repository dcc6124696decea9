//! Everything that a person has said beforehand, in one list: grants, trusted folders, and words about single commands.
//!
//! One precedence holds for all of them: the floor, then *never*, then *ask*, then grants and *always*, then what a command earned.

use std::path::Path;

use guarda_core::action::{Request, vocabulary::ActionKind};
use guarda_core::gate::Span;
use guarda_core::policy::Hindrance;
use guarda_core::policy::history::{Learned, OverrideKind};
use guarda_journal::{Caller, Grants, RecordError};

use super::grants::{GivenGrant, Granted};
use super::scope::{PassInput, Purpose};
use super::{Fault, Guard, HOOK_DOOR, RequestContext};
use crate::hands::trust::TrustEntry;
use crate::registry::{Row, RowQuery, Which};

/// Why a line was not granted.
#[derive(Debug, thiserror::Error)]
pub enum GrantRefused {
    /// No grant covers such a line.
    #[error("it cannot be granted: {0}")]
    Shape(Hindrance),
    /// It could not be judged.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It could not be recorded.
    #[error(transparent)]
    Unrecorded(#[from] RecordError),
}

/// What a person has said beforehand.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct Permission {
    /// Its id, which [`Guard::revoke`] takes; a beginning of it is enough if it is the only one.
    #[schema(example = "5f0c6b6e-1a8e-4f4b-9c39-c7be57a3d9f2")]
    pub id: String,
    /// `commands` and `hosts`: grants. `folder`: a trusted folder. `always`, `ask`, `never`: words about one command. `learned`: what
    /// a command earned by its runs.
    pub kind: String,
    /// The shape of the command, the hosts, the folder, or the command line.
    pub what: String,
    /// For how long it was given: `turn`, `session`, `today`, `always`.
    pub span: String,
    /// The session that it is for; null if it holds in every session.
    pub session: Option<String>,
    /// The folder that it holds in; null if it holds everywhere.
    pub folder: Option<String>,
    /// Since when: RFC 3339, UTC.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// When it ends: RFC 3339, UTC; null if only a person ends it.
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// Where a person said so; null if a command earned it.
    pub channel: Option<String>,
    /// How often it was used; null where that is not counted.
    pub uses: Option<u64>,
    /// Whether it still means what the person meant: the same folder is there, and the record says who gave it.
    pub stands: bool,
}

impl From<GivenGrant> for Permission {
    fn from(grant: GivenGrant) -> Self {
        let by_session = matches!(grant.span, Span::Turn | Span::Session);
        let folder = grant.asker.folder.to_string_lossy().into_owned();
        Self {
            id: grant.id.to_string(),
            kind: if matches!(grant.covers, Granted::Hosts(_)) { "hosts" } else { "commands" }.to_owned(),
            what: grant.covers.shown(),
            span: <&str>::from(grant.span).to_owned(),
            session: by_session.then_some(grant.asker.session),
            folder: (!by_session).then_some(folder),
            since: Some(grant.since.to_string()),
            until: Some(grant.until.to_string()),
            channel: Some(grant.channel),
            uses: Some(grant.uses),
            stands: true,
        }
    }
}

impl From<TrustEntry> for Permission {
    fn from(entry: TrustEntry) -> Self {
        let span = if entry.session.is_some() { Span::Session } else { Span::Always };
        Self {
            id: format!("folder:{}", entry.folder),
            kind: "folder".to_owned(),
            what: entry.folder,
            span: <&str>::from(span).to_owned(),
            session: entry.session,
            folder: None,
            since: Some(entry.since),
            until: None,
            channel: entry.channel,
            uses: None,
            stands: entry.stands,
        }
    }
}

impl Permission {
    /// Whether it lets something pass that would be asked about: a grant, or *always* for one command. Neither trust in a folder nor what
    /// makes the guard stricter.
    #[must_use]
    pub fn is_grant(&self) -> bool {
        matches!(self.kind.as_str(), "commands" | "hosts" | "always" | "learned")
    }

    fn of_row(row: Row, known: &Grants) -> Self {
        let kind = match row.user_override.as_deref().map(OverrideKind::named) {
            Some(OverrideKind::AlwaysAllow) => "always",
            Some(OverrideKind::AlwaysAsk) => "ask",
            Some(OverrideKind::Never) => "never",
            None => "learned",
        };
        let stands = row.counts(known);
        let said = row.user_override_at.or(row.promoted_at);
        let time = said.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        let by = row.user_override_by.as_deref().and_then(guarda_core::policy::history::channel_of);
        Self {
            channel: by.map(str::to_owned),
            id: row.command_hash,
            kind: kind.to_owned(),
            what: row.command_text,
            span: <&str>::from(Span::Always).to_owned(),
            session: None,
            folder: Some(row.folder),
            since: time.map(|time| time.to_string()),
            until: None,
            uses: Some(row.execution_count),
            stands,
        }
    }
}

impl Guard {
    /// The grant for commands of the shape of this line, to the agents of a client, always in this folder. It holds once a person has said
    /// so: [`Guard::grant`].
    ///
    /// # Errors
    /// [`GrantRefused`]: why there can be none.
    pub async fn grant_of_line(
        &self,
        line: &str,
        folder: &Path,
        client: &str,
        channel: &str,
    ) -> Result<GivenGrant, GrantRefused> {
        let caller = Caller { door: HOOK_DOOR.to_owned(), name: client.to_owned(), ..Caller::default() };
        let context = RequestContext::default();
        let scope = self.scope(uuid::Uuid::now_v7(), Purpose::Act, &caller, &context);
        let request = Request {
            action: Some(ActionKind::RunCommand.name().to_owned()),
            target: Some(line.into()),
            cwd: folder.to_str().map(str::to_owned),
            ..Request::default()
        };
        let input = PassInput::new(self.recorder.proposal(request, &caller)?, &scope.purpose);
        let (judged, _) = self.judge.judge(input, &scope, &self.recorder).await?;
        let shape = judged.judgement.shape(&scope.policy, &judged.situation).map_err(GrantRefused::Shape)?;
        let asker = scope.grant_asker(judged.judgement.subject(), &judged.situation);
        Ok(GivenGrant::new(Granted::commands(shape), Span::Always, asker, channel, &jiff::Zoned::now()))
    }

    /// Grants this, because a person said so beforehand.
    ///
    /// # Errors
    /// [`GrantRefused`]: it could not be recorded.
    pub async fn grant(&self, given: GivenGrant) -> Result<(), GrantRefused> {
        Ok(self.recorder.grants.record(self.journal(), given).await?)
    }

    /// Ends what was granted for a session or a turn of it, because its client ended it.
    pub fn end_grants_of(&self, session: &str) {
        self.recorder.grants.withdraw(self.journal(), |grant| {
            matches!(grant.span, Span::Turn | Span::Session) && grant.asker.session == session
        });
    }

    /// All that was said beforehand: grants first, the latest of each kind first.
    pub async fn permissions(&self) -> Vec<Permission> {
        let grants = self.recorder.grants.list(jiff::Timestamp::now()).into_iter().map(Permission::from);
        let mut all: Vec<Permission> =
            grants.chain(self.trust_list().into_iter().map(Permission::from)).collect();
        let Some(memory) = self.memory() else { return all };
        let known = memory.known_grants();
        for which in [Which::Said, Which::Learned(Learned::AutoApprove)] {
            // A registry that does not answer allows nothing, and is reported elsewhere.
            let query = RowQuery { which, most: 0 };
            let rows = memory.registry().list(query, jiff::Timestamp::now()).await.unwrap_or_default();
            for row in rows {
                let permission = Permission::of_row(row, &known);
                if !all.contains(&permission) {
                    all.push(permission);
                }
            }
        }
        all
    }

    /// Ends those that `which` selects, whatever their kind. Returns what was ended.
    pub async fn revoke(&self, which: impl Fn(&Permission) -> bool) -> Vec<Permission> {
        let mut ended = Vec::new();
        for permission in self.permissions().await.into_iter().filter(which) {
            let done = match permission.kind.as_str() {
                "commands" | "hosts" => {
                    let meant = |grant: &GivenGrant| grant.id.to_string() == permission.id;
                    !self.recorder.grants.withdraw(self.journal(), meant).is_empty()
                }
                "folder" => self.distrust(Path::new(&permission.what)),
                _ => self.forget(&permission.id).await,
            };
            if done {
                ended.push(permission);
            }
        }
        ended
    }

    /// Takes back a word about a command, and what it earned.
    async fn forget(&self, hash: &str) -> bool {
        let Ok(row) = self.remembered(hash).await else { return false };
        let seen = row.user_override.as_deref().zip(row.user_override_at);
        self.say(hash, None, None, seen, "cli").await.is_ok()
    }
}
