//! What an action applies to, apart from which action it is, and the other properties of a row of the vocabulary.

use super::kinds::{Level, Repeat, Switch};
use super::undo::UndoOf;

/// What an action applies to. As text: one line, the same that the record has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Object<'a> {
    /// Nothing, or it is a part of the action itself.
    Nothing,
    /// A name or a text, as it was given.
    Text(&'a str),
    /// A web address.
    Url(&'a url::Url),
    /// A path, as it was given.
    Path(&'a str),
    /// Two paths: from, to.
    Paths(&'a str, &'a str),
    /// A command line.
    Command(&'a str),
    /// A key with its modifiers.
    Chord(&'a [String]),
    /// A change of a level.
    Level(Level),
    /// The position of a switch.
    Switch(Switch),
    /// What is repeated.
    Repeat(Repeat),
    /// Seconds, negative for back.
    Seconds(i16),
    /// What is undone.
    Undo(&'a UndoOf),
}

impl std::fmt::Display for Object<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Undo(of) => of.fmt(out),
            Self::Text(text) | Self::Path(text) | Self::Command(text) => out.write_str(text),
            Self::Url(url) => out.write_str(url.as_str()),
            Self::Paths(from, to) => write!(out, "{from} → {to}"),
            Self::Chord(keys) => out.write_str(&keys.join("+")),
            Self::Level(level) => level.fmt(out),
            Self::Switch(switch) => switch.fmt(out),
            Self::Repeat(what) => what.fmt(out),
            Self::Seconds(seconds) => write!(out, "{seconds:+} s"),
        }
    }
}

/// How `target` and `params` are written on the wire: for the schema and the grammars, whose rules have these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum TargetForm {
    /// No target.
    #[strum(serialize = "no-target")]
    Nothing,
    /// Text.
    #[strum(serialize = "target")]
    Text,
    /// A key with its modifiers.
    Chord,
    /// What the person said, or nothing.
    Heard,
    /// A percentage.
    Percent,
    /// The size of a step in percent, or nothing.
    Step,
    /// A percentage, or a step up or down.
    Level,
    /// On, off or toggle.
    Switch,
    /// Off, track or all.
    Repeat,
    /// Seconds.
    Seconds,
    /// A path, and a destination in `params`.
    #[strum(serialize = "target destination")]
    Destination,
    /// The id of a run, or nothing.
    Run,
}

/// How grave an action is by itself. `judge/desktop.rs` has what each means; a rule can only add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Risk {
    /// It runs without a question unless a finding objects: the safe list (feature M3).
    Safe,
    /// It has a judgement of its own: command lines, undo.
    Judged,
    /// It is not in the vocabulary.
    Unknown,
    /// Unsaved work may be lost.
    Closes,
    /// It presses keys in place of a person.
    Keys,
    /// The screen's content ends in a file.
    Screen,
    /// It mutes the guard, too.
    Mutes,
    /// The machine goes to sleep.
    Sleep,
    /// The machine is switched off or restarted.
    Power,
    /// A radio is switched.
    Radio,
    /// Another program opens a file.
    Opens,
    /// Files change.
    Files,
    /// Files are deleted.
    Deletes,
}

/// Whether something of an action can leave this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is certain that nothing does.
    Here,
    /// It may.
    Out,
}
