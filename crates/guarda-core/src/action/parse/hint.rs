//! Suggests accepted values for a field with an unknown value.

/// What a field may hold. The text is English; the name (`web-address`) is the id of its translations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::EnumIter)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs, reason = "each text says it")]
pub enum Hint {
    #[error("a web address, such as https://example.org/page, or what to search for")]
    WebAddress,
    #[error("RUN_COMMAND takes its whole command line in \"target\"")]
    WholeCommand,
    #[error("a command has at most 4096 characters, and no NUL; put a longer text into a file and run that")]
    ShorterCommand,
    #[error("up, down, set, mute, unmute, toggle, a number from 0 to 100, or +20 and -20 for steps")]
    Level,
    #[error("a number from 0 to 100")]
    Percent,
    #[error("play, pause, play-pause, next, previous or stop")]
    MediaKey,
    #[error("off, track or all")]
    Repeat,
    #[error("seconds, back with a minus, at most an hour: 30 or -10")]
    Seconds,
    #[error("the id of a run (\"id\" or \"audit_id\" of its reply), or nothing for the last one")]
    Run,
    #[error("on, off or toggle")]
    Switch,
    #[error("open, list, copy, move, delete or mkdir")]
    FileOperation,
    #[error("one key, or modifiers and a key joined by '+', such as ctrl+tab, alt+f4, y")]
    Chord,
    #[error("a number from 0 to 1")]
    Confidence,
    #[error("1 to 64 letters, digits, '-', '_' or '.', not beginning with '.'")]
    Session,
    #[error("\"none\", \"confined\" or \"isolated\"; what the configuration says is the least")]
    Sandbox,
    #[error("shorter text without NUL characters")]
    ShorterText,
    #[error("text or null")]
    TextOrNull,
    #[error("text, a number, an object or null")]
    Arguments,
    #[error("text")]
    Text,
    #[error("given once")]
    Once,
    #[error("the only amount")]
    OnlyAmount,
    #[error("RUN_COMMAND")]
    Command,
}
