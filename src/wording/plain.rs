//! Shows text as it is: characters that hide, reorder or imitate others are made visible or removed.

use std::sync::LazyLock;

use regex::Regex;

/// Characters that a reader does not see as themselves: control, format, bidirectional, private and unassigned
/// characters, every space except the plain one, line separators, variation selectors, and fillers that are drawn
/// blank.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{C}\p{Zl}\p{Zp}[\p{Zs}--[ ]]\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2800}\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{E0100}-\x{E01EF}]").ok()
});

fn hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let mut bytes = [0; 4];
    // If the built-in table fails to compile (a test prevents that), every non-ASCII character counts as hidden.
    HIDDEN.as_ref().is_none_or(|pattern| pattern.is_match(c.encode_utf8(&mut bytes)))
}

/// A name or a sentence for display, on one line, so that it cannot continue as something else. Nothing is left out: an invisible
/// character appears as its number, `⟨U+202E⟩`, as do control characters, and a line break as `⏎`.
#[must_use]
pub fn visible(text: &str) -> String {
    shown(text, "⏎ ")
}

/// A whole text for display, such as a command line, where it has a place of its own: line breaks are marked with `⏎` and kept.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    shown(text, "⏎\n")
}

fn shown(text: &str, line_break: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str(line_break),
            '\t' => shown.push_str("⇥ "),
            _ if hidden(c) => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            _ => shown.push(c),
        }
    }
    shown
}

/// The text for speech: an invisible character becomes a space, and runs of spaces become one.
#[must_use]
pub fn audible(text: &str) -> String {
    let mut spoken = String::with_capacity(text.len());
    for c in text.chars().map(|c| if hidden(c) || c.is_whitespace() { ' ' } else { c }) {
        if c != ' ' || !(spoken.is_empty() || spoken.ends_with(' ')) {
            spoken.push(c);
        }
    }
    spoken.truncate(spoken.trim_end().len());
    spoken
}

/// A sentence that begins with a capital letter.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eye_sees_what_hides() {
        for (text, shown) in [
            ("rm -rf ação/x", "rm -rf ação/x"),
            ("a\u{202e}b", "a⟨U+202E⟩b"),
            ("a\u{200b}b\u{feff}", "a⟨U+200B⟩b⟨U+FEFF⟩"),
            ("a\u{a0}b", "a⟨U+00A0⟩b"),
            ("a\u{3000}b", "a⟨U+3000⟩b"),
            ("a\nb\r\tc", "a⏎ b⟨U+000D⟩⇥ c"),
            ("\u{1b}[2J\u{9b}1m\u{0}", "⟨U+001B⟩[2J⟨U+009B⟩1m⟨U+0000⟩"),
            ("\u{2066}x\u{2069}\u{ad}\u{2028}", "⟨U+2066⟩x⟨U+2069⟩⟨U+00AD⟩⟨U+2028⟩"),
            ("\u{e0041}\u{fe0f}\u{3164}\u{2800}\u{e000}", "⟨U+E0041⟩⟨U+FE0F⟩⟨U+3164⟩⟨U+2800⟩⟨U+E000⟩"),
            ("日本 → é", "日本 → é"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_lines("a\nb\r\tc"), "a⏎\nb⟨U+000D⟩⇥ c");
    }

    #[test]
    fn the_ear_gets_plain_words() {
        assert_eq!(audible(" a\u{0}\n\u{202e}b  c\u{200b}d \t"), "a b c d");
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_is_left(text: String) {
            let shown = visible(&text);
            proptest::prop_assert!(!shown.chars().any(hidden));
            proptest::prop_assert!(visible_lines(&text).chars().all(|c| c == '\n' || !hidden(c)));
            proptest::prop_assert!(!audible(&text).chars().any(hidden));
            if !text.chars().any(hidden) {
                proptest::prop_assert_eq!(shown, text);
            }
        }
    }
}
