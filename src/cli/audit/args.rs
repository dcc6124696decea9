//! The arguments of `guarda audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda audit tail --follow              watch requests as they are recorded
  guarda audit tail -n 50 --status denied --since 2d
  guarda audit show desk-20261121_007     show one request from intent to outcome
  guarda audit verify                     find lines that were changed, removed, inserted or cut off
  guarda audit export --csv --since 2026-11-01 > november.csv

Exit status: 0 success; 1 the record could not be read, or verify found a fault; 2 wrong usage.")]
pub(in crate::cli) struct AuditArgs {
    #[command(subcommand)]
    pub(super) command: AuditCommand,
    /// The record's folder, instead of the configured one
    #[arg(long, global = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Print the last requests
    Tail(TailArgs),
    /// Print everything recorded about one request
    Show {
        /// Its audit id, such as desk-20261121_007
        id: String,
        /// Print the raw lines of the record
        #[arg(long)]
        json: bool,
        /// Whether it is told in words, without what only an auditor asks for.
        #[arg(skip)]
        in_words: bool,
    },
    /// Check that the record is unchanged, and name the first wrong line of each file
    Verify {
        /// The public key in hexadecimal, or a file with it, instead of journal.pub in the state folder
        #[arg(long, value_name = "KEY|FILE")]
        key: Option<String>,
        /// Print the findings as JSON
        #[arg(long)]
        json: bool,
    },
    /// Count requests by what became of them, action, answer and rule
    Stats {
        /// Print the counts as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Print all lines for other programs, by default one JSON object per line
    Export {
        /// Print one JSON array
        #[arg(long, conflicts_with = "csv")]
        json: bool,
        /// Print comma-separated values with a header
        #[arg(long)]
        csv: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
}

/// The arguments of `guarda history`, the everyday name of `guarda audit tail` and `guarda audit show`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda history                          the last 20 requests
  guarda history --since 2d --status denied
  guarda history desk-20261121_007        one request from intent to outcome
  guarda history --follow                 watch requests as they are recorded

`guarda audit` verifies, counts and exports the same record. `guarda undo --list` shows what can be undone.")]
pub(in crate::cli) struct HistoryArgs {
    /// The audit id of one request, such as desk-20261121_007: print everything about it
    #[arg(conflicts_with_all = ["lines", "follow", "since", "until", "session", "status", "text"])]
    pub(super) id: Option<String>,
    #[command(flatten)]
    pub(super) tail: TailArgs,
    /// The record's folder, instead of the configured one
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

/// The arguments of `guarda blame`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda blame src/main.rs      show the commands that changed it, and who approved them
  guarda blame --all notes.txt  show every recorded change, not only the last ten
  guarda blame src              show the changes to everything in a folder

It shows what the record knows: agents' commands and edits, and an assistant's actions. What you change in your own editor is not \
recorded; if a file is newer than its last recorded change, it says so. A file that was renamed is followed to its earlier name.

Exit status: 0 success; 1 the record could not be read; 2 wrong usage.")]
pub(in crate::cli) struct BlameArgs {
    /// The file or folder; it may be gone
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(super) path: PathBuf,
    /// The number of changes
    #[arg(short = 'n', long, default_value_t = 10, value_name = "NUMBER")]
    pub(super) lines: usize,
    /// Print every change
    #[arg(long, conflicts_with = "lines")]
    pub(super) all: bool,
    /// Print the changes as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// The record's folder, instead of the configured one
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Reads the transcripts that Claude Code and Codex keep in your home folder, and judges each command in them by today's rules for agents: what \
would have run without a question, what you would have been asked, and what would have been blocked. Nothing is run or recorded, and \
nothing leaves this machine.

Examples:
  guarda lookback
  guarda lookback --json | jq .often

Exit status: 0 success, also if there are none; 1 error; 2 wrong usage.")]
pub(in crate::cli) struct LookbackArgs {
    /// Print the findings as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// The home folder to look in, instead of yours
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) home: Option<PathBuf>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

impl From<HistoryArgs> for AuditArgs {
    fn from(args: HistoryArgs) -> Self {
        let HistoryArgs { id, tail, folder, config } = args;
        let command = match id {
            Some(id) => AuditCommand::Show { id, json: tail.json, in_words: true },
            None => AuditCommand::Tail(TailArgs { requests: true, ..tail }),
        };
        Self { command, folder, config }
    }
}

/// Which requests are printed, and how.
#[derive(Debug, Args)]
pub(super) struct TailArgs {
    /// The number of lines
    #[arg(short = 'n', long, default_value_t = 20, value_name = "NUMBER")]
    pub(super) lines: usize,
    /// Keep printing new lines; Ctrl-C ends it
    #[arg(short, long)]
    pub(super) follow: bool,
    /// Print the raw lines of the record
    #[arg(long)]
    pub(super) json: bool,
    /// Whether only requests are listed.
    #[arg(skip)]
    pub(super) requests: bool,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

/// Selects lines of the record.
#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    /// Only lines since this time: 30m, 2h, 3d, 1w, 2026-11-21, or 2026-11-21T18:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub(super) since: Option<jiff::Timestamp>,
    /// Only lines before this time
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub(super) until: Option<jiff::Timestamp>,
    /// Only lines of this session
    #[arg(long)]
    pub(super) session: Option<String>,
    /// Only requests with this status: completed, denied or error
    #[arg(long, value_parser = ["completed", "denied", "error"])]
    pub(super) status: Option<String>,
    /// Only lines whose command contains this text
    #[arg(long)]
    pub(super) text: Option<String>,
}

impl FilterArgs {
    pub(super) fn filter(self) -> guarda_journal::read::Filter {
        let Self { since, until, session, status, text } = self;
        guarda_journal::read::Filter { since, until, session, status, text, ..Default::default() }
    }
}

/// The text is not a time.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum NoTime {
    /// It has none of the accepted forms.
    #[error("write 30m, 2h, 3d, 1w, 2026-11-21 or 2026-11-21T18:00:00Z")]
    Form,
    /// It is outside the calendar.
    #[error(transparent)]
    Calendar(#[from] jiff::Error),
}

/// Parses a time: RFC 3339, a day (UTC), or an age such as `2h`.
///
/// # Errors
/// [`NoTime`].
pub(in crate::cli) fn when(text: &str) -> Result<jiff::Timestamp, NoTime> {
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    if let Ok(day) = text.parse::<jiff::civil::Date>() {
        return Ok(day.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp());
    }
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];
    let span = units.iter().find_map(|(unit, seconds)| {
        text.strip_suffix(unit)?.parse::<u32>().ok().map(|number| i64::from(number) * seconds)
    });
    let span = span.ok_or(NoTime::Form)?;
    Ok(jiff::Timestamp::now().checked_sub(jiff::SignedDuration::from_secs(span))?)
}

#[cfg(test)]
mod tests {
    use super::when;

    #[test]
    fn moments_days_and_spans_are_read() {
        assert_eq!(when("2026-11-21").unwrap(), "2026-11-21T00:00:00Z".parse().unwrap());
        assert_eq!(when("2026-11-21T18:00:00Z").unwrap().as_second(), 1_795_284_000);
        let now = jiff::Timestamp::now();
        for (text, seconds) in [("90s", 90), ("2h", 7200), ("3d", 259_200), ("1w", 604_800)] {
            let ago = now.as_second() - when(text).unwrap().as_second();
            assert!((seconds - 5..=seconds).contains(&ago), "{text}: {ago}");
        }
        for wrong in ["", "h", "-1h", "yesterday", "2026-13-01", "5000000000d"] {
            assert!(when(wrong).is_err(), "{wrong}");
        }
    }
}
