//! Planted secrets, and how to recognise them in results.

use aho_corasick::AhoCorasick;

/// Where secrets are planted; `home.sh` uses these names.
const PLACES: &[&str] = &[
    "SSH",
    "AWS",
    "NETRC",
    "GH",
    "GITCRED",
    "HISTORY",
    "PYHISTORY",
    "KEYRING",
    "COOKIES",
    "LOGINS",
    "CHROME",
    "GNUPG",
    "KUBE",
    "DOCKER",
    "CARGO",
    "NPM",
    "PGPASS",
    "GCLOUD",
    "RCLONE",
    "PASS",
    "DOTENV",
    "DOTENV2",
    "PEM",
    "BESIDE",
    "SKIPPED",
    "CACHED",
    "PLACED",
    "COMMITTED",
    "SERVICE_ENV",
    "OTHER_PROCESS",
];

/// This many bytes of a secret give it away.
const WINDOW: usize = 8;

/// Secrets by the names of their places.
#[derive(Debug, Clone)]
pub struct Secrets {
    named: Vec<(String, String)>,
}

impl Secrets {
    pub fn new() -> Self {
        let named = PLACES.iter().map(|name| ((*name).to_owned(), canary())).collect();
        Self { named }
    }

    /// The variables of `home.sh`.
    pub fn variables(&self) -> impl Iterator<Item = (String, String)> {
        self.named.iter().map(|(name, value)| (format!("C_{name}"), value.clone()))
    }

    pub fn get(&self, name: &str) -> &str {
        &self.named.iter().find(|(other, _)| other == name).unwrap().1
    }

    /// Adds one, in the place of an older one of that name.
    pub fn add(&mut self, name: &str, value: &str) {
        self.named.retain(|(other, _)| other != name);
        self.named.push((name.to_owned(), value.to_owned()));
    }

    /// A finder for all of them.
    pub fn finder(&self) -> Finder {
        let mut needles: Vec<(String, String)> = Vec::new();
        for (name, value) in &self.named {
            // The guard's are hexadecimal, as are the sums of its record: a short piece of them is everywhere.
            let hexadecimal = value.bytes().all(|byte| byte.is_ascii_hexdigit());
            for window in value.as_bytes().windows(if hexadecimal { 2 * WINDOW } else { WINDOW }) {
                needles.extend(spellings(window).into_iter().map(|spelt| (name.clone(), spelt)));
            }
        }
        let search = AhoCorasick::new(needles.iter().map(|(_, spelt)| spelt)).unwrap();
        Finder { search, names: needles.into_iter().map(|(name, _)| name).collect() }
    }
}

/// Random letters and digits; no two canaries share a window.
pub fn canary() -> String {
    let mut bytes = [0; 32];
    std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom").unwrap(), &mut bytes).unwrap();
    let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
    bytes.iter().map(|byte| char::from(letters[usize::from(*byte) % letters.len()])).collect()
}

/// The notations of a piece of a secret, reduced to letters and digits.
fn spellings(piece: &[u8]) -> Vec<String> {
    let plain = String::from_utf8(piece.to_vec()).unwrap();
    let each = |form: fn(&u8) -> String| piece.iter().map(form).collect::<String>();
    let rotated = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from(letter as u8 + 13),
        'n'..='z' | 'N'..='Z' => char::from(letter as u8 - 13),
        other => other,
    };
    let swapped: String = piece.chunks(2).map(|pair| format!("{:02x}{:02x}", pair[1], pair[0])).collect();
    vec![
        plain.chars().rev().collect(),
        plain.chars().map(rotated).collect(),
        each(|byte| format!("{byte:02x}")),
        each(|byte| format!("{byte:02X}")),
        // `od` writes words of two bytes in the machine's order.
        swapped,
        each(|byte| format!("{byte:03o}")),
        each(|byte| byte.to_string()),
        // `\x41`, as a shell or Python writes it.
        each(|byte| format!("x{byte:02x}")),
        base64(piece, 0),
        base64(piece, 1),
        base64(piece, 2),
        // UTF-16 has zeros in between, which are not letters, so the plain form is enough.
        plain,
    ]
}

/// The part of a piece's base64 that is independent of its surroundings, if it begins at this offset modulo
/// three.
fn base64(piece: &[u8], place: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = piece.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    // The first letter that is made of this piece alone.
    let skip = [0, 4, 2][place];
    let letters = bits[skip..].chunks_exact(6).map(|six| six.iter().fold(0, |sum, bit| sum << 1 | bit));
    letters
        .map(|number| char::from(LETTERS[usize::from(number)]))
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

/// Finds planted secrets in a text.
pub struct Finder {
    search: AhoCorasick,
    names: Vec<String>,
}

impl Finder {
    /// The names of the secrets in the text, each once. Only letters and digits are compared, so that folded
    /// lines, blanks between bytes and per cent signs hide nothing.
    pub fn find(&self, text: &str) -> Vec<String> {
        let bare: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let found = self.search.find_overlapping_iter(&bare);
        let mut names: Vec<String> =
            found.map(|found| self.names[found.pattern().as_usize()].clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[test]
fn a_secret_is_known_in_every_spelling() {
    let mut secrets = Secrets { named: Vec::new() };
    secrets.add("it", "Kq3vTzR8mWxP5bNdYc7hGfJ2LsA9eUia");
    let finder = secrets.finder();
    let shell = |text: &str| {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", text]).env("S", "Kq3vTzR8mWxP5bNdYc7hGfJ2LsA9eUia");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for line in [
        "echo a $S b",
        "echo $S | rev",
        "echo xy$S | base64",
        "echo x$S | base64 -w 9",
        "echo $S | base64",
        "echo $S | xxd",
        "echo $S | xxd -p",
        "echo $S | od",
        "echo $S | od -x",
        "echo $S | od -An -c",
        "echo $S | od -An -tu1",
        "echo $S | tr a-zA-Z n-za-mN-ZA-M",
        "echo $S | cut -c 5-14",
        "echo $S | fold -w 3",
        "echo $S | sed 's/./& /g'",
        "echo $S | xxd -p -u",
        "echo $S | hexdump -C",
        "echo -n $S | xxd -p | sed 's/../%&/g'",
        "echo -n $S | od -An -v -tx1 | sed 's/ /\\\\x/g'",
    ] {
        if line.ends_with("od") {
            // Octal words of two bytes are not searched, since they are not a readable notation.
            continue;
        }
        assert_eq!(finder.find(&shell(line)), ["it"], "{line}: {}", shell(line));
    }
    assert!(finder.find("nothing of it, Kq3v and xP5bN").is_empty());
}
