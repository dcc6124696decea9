//! The prompt as a framed card of text lines. The command is never cut, and the model's own words are labelled.

use unicode_width::UnicodeWidthChar;

use crate::devices::terminal::PlainLine;
use crate::prompt::code::Code;
use crate::prompt::code::spoken::SpokenWords;
use crate::prompt::question::{Prompt, ShownReason};
use crate::wording::describe::recorded::action;
use crate::wording::describe::staged::EffectLine;
use crate::wording::words::{Words, words};
use guarda_core::action::Language;

/// The narrowest card, in columns. A narrower terminal wraps the lines itself.
const NARROW: usize = 24;
/// The widest card.
const WIDE: usize = 100;

/// The last part of a card.
#[derive(Debug, Clone, Copy)]
pub enum Foot<'a> {
    /// The keys that answer.
    Keys {
        /// Whether the person's editor opens to change the command.
        editor: bool,
        /// The code that an answer from elsewhere must include. Shown only together with the prompt.
        code: Option<&'a Code>,
        /// The words of a yes by voice, likewise.
        words: Option<&'a SpokenWords>,
    },
    /// The commands that answer from another terminal.
    Commands {
        /// Whether those commands require the question's code.
        code: bool,
    },
}

/// Lays out the card for a terminal of this width. `waiting` is the number of questions in the queue behind this one.
#[must_use]
pub fn card(prompt: &Prompt, columns: usize, waiting: usize, foot: Foot<'_>) -> Vec<PlainLine> {
    let words = words(prompt.language);
    let width = columns.clamp(NARROW, WIDE);
    let mut card = Card { lines: Vec::new(), width };
    let title = words.say("card-title", &[]);
    card.lines
        .push(PlainLine::strong(format!("┌─ {title} {}", "─".repeat(width.saturating_sub(title.len() + 4)))));
    card.prose("", &words.say("card-ask", &[("effect", prompt.effect.clone().into())]), true);
    if let Some(staged) = &prompt.staged {
        card.prose("", staged, true);
    }
    for note in prompt
        .impact
        .effects
        .iter()
        .flat_map(|effects| crate::wording::describe::staged::notes(words, effects))
    {
        card.prose("", &note, false);
    }
    // Near the top, where even a short terminal shows it.
    if prompt.digit.is_some() && matches!(foot, Foot::Keys { .. }) {
        let how = prompt.in_any_window().unwrap_or_else(|| yes_and_no(words, prompt));
        card.prose("", &how, true);
    }
    card.blank();
    match &prompt.tool {
        Some(tool) => card.heading(words, "card-tool", Some(tool)),
        None => card.heading(words, "card-action", Some(&action(words, prompt.kind))),
    }
    card.text("  ", &prompt.object);
    card.list(
        words,
        "card-others",
        &prompt.others.iter().map(|other| other.object.clone()).collect::<Vec<_>>(),
    );
    if let Some(folder) = &prompt.folder {
        card.heading(words, "card-folder", Some(folder));
    }
    if let Some(asker) = &prompt.asker {
        card.heading(words, "card-asker", Some(asker));
    }
    if let Some(session) = &prompt.session {
        card.heading(words, "card-session", Some(session));
    }
    card.reasons(words, &prompt.reasons);
    let risk = words.say(
        "card-risk",
        &[("risk", figure(words, prompt.risk).into()), ("level", level(prompt.risk).into())],
    );
    card.prose("", &format!("{risk}  {}", meter(prompt.risk)), false);
    card.list(words, "card-tree", &prompt.tree);
    let changes: Vec<String> = prompt.changes.iter().flat_map(EffectLine::text).collect();
    card.list(words, "card-changes", &changes);
    card.list(words, "card-touches", &prompt.touches);
    card.list(words, "card-sandbox", &prompt.sandbox);
    card.list(words, "card-marks", &prompt.marks);
    if let Some(reasoning) = &prompt.reasoning {
        card.heading(words, "card-model", None);
        card.text("  ┆ ", reasoning);
    }
    card.blank();
    if prompt.password {
        card.prose("", &words.say("card-password", &[]), false);
    }
    if waiting > 0 {
        card.prose("", &words.say("card-waiting", &[("count", waiting.into())]), false);
    }
    card.foot(words, prompt, foot);
    card.lines.push(PlainLine::strong(format!("└{}", "─".repeat(width.saturating_sub(1)))));
    card.lines
}

fn yes_and_no(words: &Words, prompt: &Prompt) -> String {
    let join = |letters: Vec<char>| letters.iter().map(char::to_string).collect::<Vec<_>>().join(" / ");
    let (yes, no) = prompt.keys();
    words.say("card-keys", &[("yes", join(yes).into()), ("no", format!("{} / Esc", join(no)).into())])
}

fn keys(words: &Words, prompt: &Prompt, editor: bool) -> String {
    let mut keys = yes_and_no(words, prompt);
    for (letter, told) in prompt.lettered() {
        keys.push_str(&format!("\n{letter} = {told}"));
    }
    if prompt.draft.is_some() || !prompt.offers.is_empty() {
        keys.push('\n');
    }
    if prompt.draft.is_some() {
        let id = if editor { "card-edit" } else { "card-change" };
        keys.push_str(&format!("    {}", words.say(id, &[])));
    }
    keys.push_str(&format!("    {}", words.say("card-reason", &[])));
    keys
}

/// Formats a risk with two decimals and the language's decimal separator.
pub(crate) fn figure(words: &Words, risk: f32) -> String {
    let text = format!("{risk:.2}");
    if words.language() == Language::English { text } else { text.replace('.', ",") }
}

/// The level of a risk as one word. The console uses the same thresholds.
fn level(risk: f32) -> &'static str {
    match risk {
        ..0.4 => "low",
        ..0.7 => "middle",
        _ => "high",
    }
}

/// A share between 0 and 1 as a bar of ten characters.
fn meter(share: f32) -> String {
    (1_u8..=10).map(|place| if share * 10.0 + 0.5 >= f32::from(place) { '█' } else { '░' }).collect()
}

struct Card {
    lines: Vec<PlainLine>,
    width: usize,
}

impl Card {
    fn blank(&mut self) {
        self.lines.push(PlainLine::plain("│".to_owned()));
    }

    fn heading(&mut self, words: &Words, id: &str, value: Option<&str>) {
        let name = words.say(id, &[]);
        self.prose("", &words.labelled(&name, value.unwrap_or_default()), false);
    }

    /// Adds lines below a heading; adds nothing if there are no lines.
    fn list(&mut self, words: &Words, id: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if let [alone] = lines {
            return self.heading(words, id, Some(alone));
        }
        self.heading(words, id, None);
        for line in lines {
            self.text("  ", line);
        }
    }

    /// Adds text, wrapped at any character.
    fn text(&mut self, indent: &str, text: &str) {
        for line in text.split('\n') {
            for piece in break_anywhere(line, self.room(indent)) {
                self.lines.push(PlainLine::plain(format!("│ {indent}{piece}")));
            }
        }
    }

    /// Adds sentences, wrapped between words where possible.
    fn prose(&mut self, indent: &str, text: &str, strong: bool) {
        let room = self.room(indent);
        let mut lead = indent.to_owned();
        for line in text.split('\n').flat_map(|line| break_at_spaces(line.trim_end(), room)) {
            self.lines.push(PlainLine { text: format!("│ {lead}{line}"), strong });
            lead = " ".repeat(indent.chars().count());
        }
    }

    /// Adds the reasons, each with the sentences of its rules that say more.
    fn reasons(&mut self, words: &Words, reasons: &[ShownReason]) {
        self.heading(words, "card-reasons", None);
        for reason in reasons {
            self.prose("  • ", &reason.text, false);
            for rule in &reason.rules {
                if let Some(why) = &rule.why {
                    self.prose("    ", why, false);
                }
                if let Some(instead) = &rule.instead {
                    self.prose("    ", &words.labelled(&words.say("card-instead", &[]), instead), false);
                }
            }
        }
    }

    /// Adds how to answer.
    fn foot(&mut self, words: &Words, prompt: &Prompt, foot: Foot<'_>) {
        match foot {
            Foot::Keys { editor, code, words: aloud } => {
                self.prose("", &keys(words, prompt, editor), true);
                if let Some(how) = prompt.in_any_window() {
                    self.prose("", &how, false);
                }
                if prompt.spells() {
                    self.prose("", &words.say("card-spell", &[]), false);
                }
                if let Some(aloud) = aloud {
                    self.prose("", &words.say("card-words", &[("words", aloud.told().into())]), false);
                }
                if let Some(code) = code {
                    self.prose("", &words.say("card-code", &[("code", code.shown().into())]), false);
                }
            }
            Foot::Commands { code } => {
                let mut ways = vec!["approve", "deny"];
                ways.extend(prompt.draft.is_some().then_some("modify"));
                for way in ways {
                    self.text("", &format!("guarda {way} {}", prompt.number));
                }
                for (span, _) in prompt.offers.iter() {
                    let (span, length): (_, &'static str) = (*span, (*span).into());
                    let told = prompt.offers.told(words, span).unwrap_or_default();
                    self.text("", &format!("guarda approve {} --{length}", prompt.number));
                    self.prose("  ", &told, false);
                }
                if code {
                    self.prose("", &words.say("card-code-there", &[]), false);
                }
            }
        }
    }

    fn room(&self, indent: &str) -> usize {
        self.width.saturating_sub(2 + indent.chars().count()).max(8)
    }
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

fn break_anywhere(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for c in text.chars() {
        if used + columns(c) > room {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
        used += columns(c);
    }
    lines
}

fn break_at_spaces(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let wide: usize = word.trim_end().chars().map(columns).sum();
        if used > 0 && used + wide > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if wide > room {
            let mut pieces = break_anywhere(word, room);
            line = pieces.pop().unwrap_or_default();
            lines.append(&mut pieces);
            used = line.chars().map(columns).sum();
        } else {
            line.push_str(word);
            used += word.chars().map(columns).sum::<usize>();
        }
    }
    lines.push(line);
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::question::ShownRule;
    use guarda_core::action::Language;
    use guarda_core::gate::Number;

    fn prompt(object: &str, reasoning: Option<&str>) -> Prompt {
        Prompt {
            number: Number([0; 16]),
            language: Language::English,
            spoken: String::new(),
            ask: String::new(),
            how: crate::prompt::how::How { voice: true, ..Default::default() },
            effect: "delete 3 files in Downloads".to_owned(),
            kind: "RUN_COMMAND",
            tool: None,
            object: object.to_owned(),
            folder: None,
            session: None,
            asker: None,
            reasons: vec![ShownReason {
                text: "this can delete or damage data".to_owned(),
                rules: vec![ShownRule {
                    name: "delete-files".to_owned(),
                    why: Some("this deletes files".to_owned()),
                    instead: None,
                }],
            }],
            reasoning: reasoning.map(str::to_owned),
            password: false,
            verdict: guarda_core::policy::Verdict::Confirm,
            risk: 0.6,
            digit: None,
            offers: crate::wording::offer::Offers::default(),
            tree: Vec::new(),
            staged: None,
            changes: Vec::new(),
            takes: crate::wording::known::Known::Begun,
            touches: Vec::new(),
            undo: None,
            sandbox: Vec::new(),
            marks: Vec::new(),
            impact: std::sync::Arc::default(),
            draft: None,
            reason: None,
            known_reason: None,
            fate: None,
            group: None,
            others: Vec::new(),
        }
    }

    fn text(prompt: &Prompt, columns: usize) -> String {
        card(prompt, columns, 0, Foot::Keys { editor: false, code: None, words: None })
            .into_iter()
            .map(|line| line.text + "\n")
            .collect()
    }

    #[test]
    fn a_card_is_a_frame_with_the_command_and_the_reasons() {
        let expected = "\
┌─ guarda-costas ───────────────────────────────────────────
│ Do you want to delete 3 files in Downloads?
│
│ Action: run a command
│   rm Downloads/a Downloads/b Downloads/c
│ Why I ask:
│   • this can delete or damage data
│     this deletes files
│ Risk 0.60: medium  ██████░░░░
│ The model's words (not the bodyguard's):
│   ┆ You asked for it.
│
│ Y = yes    N / Esc = no    R = no, with a reason
│ L = hear it letter by letter
└───────────────────────────────────────────────────────────
";
        let mut prompt = prompt("rm Downloads/a Downloads/b Downloads/c", Some("You asked for it."));
        assert_eq!(text(&prompt, 60), expected);
        prompt.how.voice = false;
        assert_eq!(text(&prompt, 60), expected.replace("│ L = hear it letter by letter\n", ""));
    }

    #[test]
    fn a_short_terminal_shows_the_digit_and_who_asks() {
        let how = crate::prompt::how::How { anywhere: Some(Default::default()), ..Default::default() };
        for (how, shown) in [(how, "hold 7 for a second"), (crate::prompt::how::How::default(), "7 = yes")] {
            let tree = (0..40).map(|run| format!("run {run}")).collect();
            let asker = Some("claude".to_owned());
            let prompt = Prompt { digit: Some('7'), tree, how, asker, ..prompt("rm -rf build", None) };
            let top: String = text(&prompt, 80).lines().take(12).collect::<Vec<_>>().join("\n");
            assert!(top.contains(shown) && top.contains("Asked by: claude"), "{top}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_of_the_command_is_cut_and_no_line_is_too_long(object in "\\PC{0,300}", columns in 0usize..200) {
            let object = crate::wording::plain::visible(&object);
            let prompt = prompt(&object, Some(&object));
            let lines = card(&prompt, columns, 2, Foot::Keys { editor: true, code: None, words: None });
            let width = columns.clamp(NARROW, WIDE);
            for line in &lines {
                let wide: usize = line.text.chars().map(super::columns).sum();
                // A character of width two may stand alone in a narrow card.
                proptest::prop_assert!(wide <= width + 1, "{}", line.text);
            }
            let shown: String = lines
                .iter()
                .skip_while(|line| !line.text.contains("run a command"))
                .skip(1)
                .map_while(|line| line.text.strip_prefix("│   "))
                .filter(|line| !line.starts_with("┆ "))
                .collect();
            proptest::prop_assert!(shown.starts_with(&object) || object.is_empty(), "{shown}");
        }
    }
}
