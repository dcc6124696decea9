//! Whom a question reaches at this computer, and who could answer it.

use std::collections::BTreeMap;

use crate::devices::sound::speech::Heard;
use crate::prompt::channels::ChannelReport;
use crate::prompt::code::Remote;
use crate::prompt::inner::Inner;
use crate::wording::known::Known;
use crate::wording::words::words;
use guarda_core::gate::NoAnswer;
use guarda_core::output::FailureKind;

/// Who can know of the question, and who can answer it.
pub(super) struct Audience {
    /// What an answer over the service must include. The holder of the approve token also sees the question in the
    /// list.
    pub(super) remote: Remote,
    voice: Heard,
    channels: BTreeMap<&'static str, Way>,
}

struct Way {
    shows: bool,
    shown: Known,
    unable: Option<String>,
}

impl Audience {
    pub(super) fn new(prompter: &Inner) -> Self {
        let way = |shows| Way { shows, shown: Known::Nothing, unable: None };
        Self {
            remote: prompter.remote(),
            voice: Heard::Waiting,
            channels: prompter
                .channels
                .iter()
                .map(|channel| (channel.name(), way(channel.shows())))
                .collect(),
        }
    }

    pub(super) fn note(&mut self, channel: &'static str, report: ChannelReport) {
        let Some(way) = self.channels.get_mut(channel) else {
            return;
        };
        match report {
            ChannelReport::Shown => way.shown = way.shown.max(Known::Sentence),
            ChannelReport::Whole => way.shown = Known::Whole,
            ChannelReport::Unable(why) => {
                way.shown = Known::Nothing;
                way.unable = Some(why);
            }
            ChannelReport::Listening => way.unable = None,
            ChannelReport::Busy(why) => tracing::info!(channel, why, "waits"),
            ChannelReport::Yes
            | ChannelReport::Lasting(_)
            | ChannelReport::No
            | ChannelReport::NoBecause(_)
            | ChannelReport::Writing
            | ChannelReport::Spell
            | ChannelReport::Change(_) => {}
        }
    }

    /// How much of the question somebody at this computer can know.
    pub(super) fn known(&self) -> Known {
        let heard = match self.voice {
            Heard::Waiting | Heard::Failed(_) => Known::Nothing,
            Heard::Began => Known::Begun,
            Heard::Ended => Known::Sentence,
        };
        self.channels.values().map(|way| way.shown).fold(heard, Known::max)
    }

    /// Whether somebody at this computer can know of the question.
    pub(super) fn perceived(&self) -> bool {
        self.known() > Known::Nothing
    }

    /// Notes how far the question was spoken. A question that was heard to its end counts as heard when it is spoken
    /// again.
    pub(super) fn hear(&mut self, heard: Heard) {
        if self.voice != Heard::Ended {
            self.voice = heard;
        }
    }

    /// The reason why nobody can be asked; `None` until that is certain.
    pub(super) fn hopeless(&self) -> Option<NoAnswer> {
        if self.remote.takes_answers() {
            return None;
        }
        let no_answer = self.channels.values().all(|way| way.unable.is_some());
        let may_show = self.channels.values().any(|way| way.shows && way.unable.is_none());
        let no_notice = matches!(self.voice, Heard::Failed(_)) && !may_show;
        (no_answer || no_notice).then(|| self.troubles())
    }

    /// The reason why silence is not a person's answer: nobody could know of the question. `None` if somebody could.
    pub(super) fn unheard(&self) -> Option<NoAnswer> {
        (!self.remote.takes_answers() && !self.perceived()).then(|| self.troubles())
    }

    fn troubles(&self) -> NoAnswer {
        let mut troubles = Vec::new();
        if let Heard::Failed(why) = &self.voice {
            troubles.push(format!("speech: {why}"));
        }
        for (name, way) in &self.channels {
            if let Some(why) = &way.unable {
                troubles.push(format!("{name}: {why}"));
            }
        }
        if !self.remote.takes_answers() {
            troubles
                .push(format!("http: {}", self.remote.detail(words(guarda_core::action::Language::English))));
        }
        let lacks = troubles.join("; ");
        match &self.voice {
            Heard::Failed(why) if why.kind == FailureKind::QuietHours => NoAnswer::QuietHours { lacks },
            _ => NoAnswer::NoChannel { lacks },
        }
    }
}
