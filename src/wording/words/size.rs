//! Tells sizes of files.

use crate::wording::words::Words;
use guarda_core::action::Language;

/// A size for people: `512 B`, `1.2 MB`, in decimal units with the language's decimal separator and unit letters.
#[must_use]
pub fn size(words: &Words, bytes: u64) -> String {
    let (unit, comma) = match words.language() {
        Language::French => ("o", ','),
        Language::Portuguese => ("B", ','),
        Language::English => ("B", '.'),
    };
    if bytes < 1000 {
        return format!("{bytes} {unit}");
    }
    let mut value = bytes;
    let mut tenth = 0;
    let mut prefix = ' ';
    for next in ['k', 'M', 'G', 'T', 'P', 'E'] {
        if value < 1000 {
            break;
        }
        tenth = value % 1000 / 100;
        value /= 1000;
        prefix = next;
    }
    format!("{value}{comma}{tenth} {prefix}{unit}")
}

#[cfg(test)]
mod tests {
    use guarda_core::action::Language;

    use super::size;
    use crate::wording::words::words;

    #[test]
    fn sizes_are_told_in_each_language() {
        for (bytes, english, portuguese, french) in [
            (0, "0 B", "0 B", "0 o"),
            (999, "999 B", "999 B", "999 o"),
            (1000, "1.0 kB", "1,0 kB", "1,0 ko"),
            (1_250_000, "1.2 MB", "1,2 MB", "1,2 Mo"),
            (999_999_999, "999.9 MB", "999,9 MB", "999,9 Mo"),
            (u64::MAX, "18.4 EB", "18,4 EB", "18,4 Eo"),
        ] {
            for (language, text) in
                [(Language::English, english), (Language::Portuguese, portuguese), (Language::French, french)]
            {
                assert_eq!(size(words(language), bytes), text);
            }
        }
    }
}
