//! A desktop notification with buttons as a channel. Its buttons can always say no. They can say yes only if the whole
//! question fits and its risk is low.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::devices::DeviceState;
use crate::devices::desktop::notify::{NotificationPress, Notifier};
use crate::devices::fault::DeviceFault;
use crate::devices::sound::speech::Task;
use crate::prompt::channels::{Asked, Channel, ChannelReport};
use crate::prompt::code::Code;
use crate::prompt::question::Prompt;
use crate::prompt::rank::Ranks;
use crate::wording::describe::staged::EffectLine;
use crate::wording::words::words;
use guarda_core::gate::Span;

/// The name of the channel.
pub const NAME: &str = "notification";
/// The delay before another attempt after a failure.
const AGAIN: Duration = Duration::from_secs(2);
/// The longest command with a yes button, in characters. Desktops cut longer texts.
const FITS: usize = 200;
/// The most changes with a yes button.
const LINES_FIT: usize = 6;

/// The desktop's notifications.
pub struct NotificationChannel {
    notifier: Notifier,
    ranks: Arc<Ranks>,
}

impl NotificationChannel {
    /// The notifications of this session.
    #[must_use]
    pub fn new(notifier: Notifier, ranks: Arc<Ranks>) -> Self {
        Self { notifier, ranks }
    }
}

impl Channel for NotificationChannel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn shows(&self) -> bool {
        true
    }

    fn state(&self) -> DeviceState {
        self.notifier.state()
    }

    fn put(&self, asked: Asked) -> Task {
        let may = may_approve(&asked.prompt, &self.ranks);
        Box::pin(put(self.notifier.clone(), asked, may))
    }

    fn tell(&self, line: String) -> Task {
        let notifier = self.notifier.clone();
        Box::pin(async move {
            if let Err(fault) = notifier.tell("guarda-costas", &line).await {
                tracing::info!(%fault, "a line is not shown as a notification");
            }
        })
    }
}

/// Whether the notification has a yes button: it shows everything, needs no digit, and its rank permits a yes.
fn may_approve(prompt: &Prompt, ranks: &Ranks) -> bool {
    fits(prompt) && ranks.admit(NAME, prompt.risk, prompt.verdict)
}

/// Whether the whole question fits and needs no digit.
pub(in crate::prompt) fn fits(prompt: &Prompt) -> bool {
    let object = prompt.object.chars().count() <= FITS && !prompt.object.contains('\n');
    let changes: usize = prompt.changes.iter().map(|change| change.text().len()).sum();
    object && changes <= LINES_FIT && prompt.digit.is_none()
}

async fn put(notifier: Notifier, mut asked: Asked, may_approve: bool) {
    let words = words(asked.prompt.language);
    let (yes, no) = (words.say("button-yes", &[]), words.say("button-no", &[]));
    let mut buttons = vec![("no", no.as_str())];
    let lasting = asked.prompt.offers.of(Span::Session).map(|_| words.say("button-session", &[]));
    if may_approve {
        buttons.insert(0, ("yes", yes.as_str()));
        buttons.extend(lasting.as_deref().map(|lasting| ("session", lasting)));
    }
    let title = words.say("card-ask", &[("effect", asked.prompt.effect.clone().into())]);
    let body = body(&asked.prompt, asked.code.as_deref(), may_approve);
    let buttons: Arc<[(&'static str, String)]> =
        buttons.into_iter().map(|(name, label)| (name, label.to_owned())).collect();
    let mut shown = loop {
        let (notifier, title, body, buttons) =
            (notifier.clone(), title.clone(), body.clone(), Arc::clone(&buttons));
        let mut asking = tokio::spawn(async move {
            let buttons: Vec<_> = buttons.iter().map(|(name, label)| (*name, label.as_str())).collect();
            notifier.ask(&title, &body, &buttons).await
        });
        let fault = tokio::select! {
            biased;
            () = asked.over() => {
                // The notification may still appear after this: it is then closed at once.
                tokio::spawn(async move {
                    if let Ok(Ok(shown)) = asking.await {
                        shown.close().await;
                    }
                });
                return;
            }
            asking = &mut asking => match asking {
                Ok(Ok(shown)) => break shown,
                Ok(Err(fault)) => fault,
                Err(error) => DeviceFault::failed(error.to_string()),
            },
        };
        asked.report(ChannelReport::Unable(fault.to_string()));
        // The daemon is busy or still starting.
        tokio::select! {
            biased;
            () = asked.over() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    };
    asked.report(ChannelReport::Listening);
    let since = Instant::now();
    let reporting = asked.clone();
    loop {
        tokio::select! {
            biased;
            () = asked.over() => break,
            press = shown.pressed() => match press {
                NotificationPress::Button(name) if name == "no" => reporting.report(ChannelReport::No),
                // Only a person who has seen the notification can have meant this button. An early press was meant for
                // something else.
                NotificationPress::Button(name) if may_approve && since.elapsed() >= arming(&reporting) => {
                    let yes = if name == "session" { ChannelReport::Lasting(Span::Session) } else { ChannelReport::Yes };
                    if name == "yes" || name == "session" {
                        reporting.report(ChannelReport::Whole);
                        reporting.report(yes);
                    }
                }
                NotificationPress::Button(_) => {}
                NotificationPress::Gone => {
                    reporting.report(ChannelReport::Unable("the notification was closed".to_owned()));
                    asked.over().await;
                    break;
                }
            },
        }
    }
    shown.close().await;
}

fn arming(asked: &Asked) -> Duration {
    asked.arming_delay
}

/// The text below the question.
fn body(prompt: &Prompt, code: Option<&Code>, whole: bool) -> String {
    let words = words(prompt.language);
    let mut lines = Vec::new();
    // How to answer goes first, because desktops cut the end, and some show no buttons.
    lines.extend(prompt.in_any_window());
    lines.extend(code.map(|code| words.say("card-code", &[("code", code.shown().into())])));
    lines.extend(prompt.staged.clone());
    if whole {
        lines.extend(prompt.changes.iter().flat_map(EffectLine::text));
        lines.push(prompt.object.clone());
        lines.extend(prompt.offers.told(words, Span::Session));
    } else {
        let start: String = prompt.object.chars().take(FITS).collect();
        lines.push(if start == prompt.object { start } else { format!("{start}…") });
        lines.push(words.say("notification-elsewhere", &[]));
    }
    lines.extend(prompt.asker.iter().map(|asker| words.labelled(&words.say("card-asker", &[]), asker)));
    lines.extend(prompt.reasons.iter().take(3).map(|reason| format!("• {}", reason.text)));
    // The most serious changes only; the terminal and the console show all of them.
    lines.extend(prompt.touches.first().cloned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::describe::impact::Impact;
    use guarda_core::policy::effect_rules::example;

    #[test]
    fn a_yes_stands_only_beside_every_change() {
        let question = crate::prompt::tests::pending("frobnicate a", 1).question();
        let ranks = Ranks::default();
        for (changes, may) in [
            ("created a size 5", true),
            ("created a; created b; created c; created d; created e; created f", true),
            ("created a; created b; created c; created d; created e; created f; created g", false),
        ] {
            let effects = example(changes).unwrap();
            let impact = Impact {
                effects: Some(effects.into()),
                undo_days: Some(7),
                cwd: "/home/ana/project".to_owned(),
                ..Impact::default()
            };
            let language = guarda_core::action::Language::English;
            let prompt = Prompt::new(&question, language, None, "").with_impact(impact.into());
            assert_eq!(may_approve(&prompt, &ranks), may, "{changes}");
            let body = body(&prompt, None, may);
            let first = prompt.staged.unwrap();
            assert_eq!(body.lines().next(), Some(first.as_str()), "{body}");
            assert_eq!(body.contains("\n+ a — "), may, "{body}");
        }
        // The digit's key works in any window. Without a terminal and a voice, the digit is shown only here.
        let how = crate::prompt::how::How { anywhere: Some(Default::default()), ..Default::default() };
        let grave =
            Prompt::new(&question, guarda_core::action::Language::English, Some('7'), "").with_how(how);
        assert!(!may_approve(&grave, &ranks));
        assert!(body(&grave, None, false).contains("hold 7 for a second"), "{}", body(&grave, None, false));
    }
}
