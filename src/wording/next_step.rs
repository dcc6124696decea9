//! What a person can do after a failure.

use crate::wording::localize::named;
use crate::wording::words::Words;
use guarda_core::output::FailureKind;

/// What a person can do after a failure. Each has a message `next-<name>` in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumIter)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum NextStep {
    Doctor,
    Desktop,
    X11,
    Plug,
    Sudo,
    Administrator,
    Again,
    Reopen,
    Window,
    Save,
    InstallTerminal,
    Reinstall,
    SeeWhy,
    Xwayland,
    InstallApplication,
    OtherName,
    NameFolder,
    Space,
    Elsewhere,
    UndoList,
    OtherKey,
    Assistant,
    Menu,
    Place,
    Install,
    Quotes,
    Longer,
    Player,
    Terminal,
    OtherWords,
}

impl NextStep {
    /// As a sentence.
    pub(super) fn sentence(self, words: &Words) -> String {
        named(words, "next", self)
    }
}

/// What helps after a failure of this kind; `None` if nothing does, or if its sentence says it already.
pub(super) fn after(kind: FailureKind) -> Option<NextStep> {
    Some(match kind {
        FailureKind::NoSystemBus
        | FailureKind::NoService
        | FailureKind::NoSound
        | FailureKind::NoPortal
        | FailureKind::NoVoice
        | FailureKind::NoHelper
        | FailureKind::NoCell
        | FailureKind::NoStage
        | FailureKind::StageStuck
        | FailureKind::NoNetwork
        | FailureKind::NoModel => NextStep::Doctor,
        FailureKind::NoSessionBus | FailureKind::NoDisplay => NextStep::Desktop,
        FailureKind::OnlyX11 => NextStep::X11,
        FailureKind::NoBluetooth | FailureKind::NoWifi => NextStep::Plug,
        FailureKind::NeedsAdministrator => NextStep::Sudo,
        FailureKind::NotAllowed => NextStep::Administrator,
        FailureKind::Unchanged => NextStep::Again,
        FailureKind::PlayerSilent => NextStep::Reopen,
        FailureKind::PlayerCannot => NextStep::Window,
        FailureKind::StillOpen => NextStep::Save,
        FailureKind::NoTerminal => NextStep::InstallTerminal,
        FailureKind::ProgramMissing => NextStep::Reinstall,
        FailureKind::EndedAtOnce => NextStep::SeeWhy,
        FailureKind::EndedWithoutX11 => NextStep::Xwayland,
        FailureKind::NoApplication => NextStep::InstallApplication,
        FailureKind::Exists => NextStep::OtherName,
        FailureKind::NotFolder => NextStep::NameFolder,
        FailureKind::NoSpace => NextStep::Space,
        FailureKind::ReadOnly => NextStep::Elsewhere,
        FailureKind::NothingToUndo => NextStep::UndoList,
        FailureKind::NoKey => NextStep::OtherKey,
        FailureKind::Other
        | FailureKind::NoBacklight
        | FailureKind::NotPossible
        | FailureKind::NoOtherTrack
        | FailureKind::NotOpen
        | FailureKind::IntoItself
        | FailureKind::HomeFolder
        | FailureKind::Unkept
        | FailureKind::SetSince
        | FailureKind::Declined
        | FailureKind::SwitchedOff
        | FailureKind::QuietHours
        | FailureKind::Inaudible
        | FailureKind::NoKeyboard
        | FailureKind::NotFromTerminal => return None,
    })
}

/// What helps after a failure, given by its name on the wire, as a sentence.
#[must_use]
pub fn sentence(words: &Words, cause: &str) -> Option<String> {
    let kind = <FailureKind as strum::IntoEnumIterator>::iter().find(|kind| kind.name() == cause)?;
    Some(after(kind)?.sentence(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use strum::IntoEnumIterator as _;

    #[test]
    fn every_step_is_a_sentence_in_every_language() {
        for step in NextStep::iter() {
            let [portuguese, english, french] =
                Language::ALL.map(|language| step.sentence(crate::wording::words(language)));
            assert!(english.ends_with('.') && !english.starts_with("next-"), "{step:?}: {english}");
            assert!(portuguese != english && french != english, "{step:?}: {portuguese} {french}");
        }
    }
}
