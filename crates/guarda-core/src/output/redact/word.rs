//! Tells words of a language or a program from random letters.

/// The frequency of letter pairs in English words and program names: rows are the first letter,
/// columns the second. `j` means as frequent as by chance; each step of two letters doubles (or halves) it.
const PAIRS: [&[u8; 26]; 26] = [
    b"eklkefjajafmkmakamknhgdfga",
    b"mhjimhcbmhcogekgaklgmdbaha",
    b"mgjgmghljalkgengbjjmifcafa",
    b"lhhkphfcncajgfkgckkhjgidea",
    b"kfkmiihcfackjmfifnmldifjea",
    b"lhikmmeanablggmgakkijbcbfa",
    b"kfgfpfhkmadjhkjhcmlhkeccda",
    b"oegiodcemadgignfakhjibgagb",
    b"ihkkjjjabacjkomiaiklbiafai",
    b"mggbpghfkagffhnhaglhmddeaa",
    b"kihjphggnaahgiiicimjhdfada",
    b"megiofdanagmeemhafijiebala",
    b"niggoedamaegielmafkhjbaaca",
    b"ldkmmjndkaggehkfaflnhgbada",
    b"ghljehhbgagkkoikamkjkijdba",
    b"mgihngfikadlgfllankljffbea",
    b"digjjffbhaakfhdiaijeraeaad",
    b"meiipggamaggjhmgbikkigdaha",
    b"jdkenegknagggfjkcglokdfbig",
    b"mdifogdkoabhgekhamkjiddfja",
    b"ijjhkjhajaalknfkammmbaadaa",
    b"neggqhddnaagifjhagihbaacaa",
    b"ngiimgcjmabiimliclmhededbd",
    b"liljmkghlabhifhmehinffegga",
    b"iijgjgeekadjknjoahnkdcgbde",
    b"leghrhfeladeehkhadighgbagj",
];

/// Whether it reads like words. A new word begins where a capital follows a small letter. Fewer than four pairs of
/// letters are too few to tell and count as no word.
pub(super) fn is_wordy(text: &str) -> bool {
    let mut sum = 0;
    let mut pairs = 0;
    for pair in text.as_bytes().windows(2) {
        let [first, second] = pair else { continue };
        let hump = first.is_ascii_lowercase() && second.is_ascii_uppercase();
        if let Some(usual) = (!hump).then(|| usual(*first, *second)).flatten() {
            sum += usual;
            pairs += 1;
        }
    }
    // Words have twice as much on average; none of a thousand random strings reached it.
    pairs >= 4 && sum * 2 >= pairs
}

/// In half powers of two; zero if one of them is no letter.
fn usual(first: u8, second: u8) -> Option<i32> {
    let index = |byte: u8| byte.is_ascii_alphabetic().then(|| usize::from((byte | 0x20) - b'a'));
    let step = PAIRS.get(index(first)?)?.get(index(second)?)?;
    Some(i32::from(*step) - i32::from(b'j'))
}

/// The longest run of small letters that reads like a word: vowels and consonants mixed.
pub(super) fn longest_word(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    let mut barren = 0;
    let mut ladder = 0;
    let mut before = 0_u8;
    for byte in text.bytes() {
        // `defg` is a part of the alphabet, not a word.
        ladder = if byte == before.wrapping_add(1) { ladder + 1 } else { 0 };
        before = byte;
        let letter = byte.is_ascii_lowercase() || (byte.is_ascii_uppercase() && run == 0);
        if !letter {
            run = 0;
            barren = 0;
            continue;
        }
        barren = if matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y') { 0 } else { barren + 1 };
        // No word has five consonants in a row.
        run = if barren >= 5 || ladder >= 3 { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}
