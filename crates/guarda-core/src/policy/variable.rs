//! Variables: names that promise a secret, asked about where a line shows one, and kept from what runs in a client's place; and
//! those that carry neither code nor a place.

/// Parts of such names.
const PARTS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSW",
    "PASSPHRASE",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "SESSION_KEY",
    "CREDENTIAL",
    "COOKIE",
    "_AUTH_",
    "AUTHORIZATION",
    "DATABASE_URL",
    "CONNECTION_STRING",
];
/// How they end.
const ENDINGS: &[&str] = &["_KEY", "_PAT", "_AUTH", "_PWD", "_PIN"];

/// Whether a variable of this name, in whatever case, may hold a secret.
///
/// ```
/// use guarda_core::policy::variable::promises_secret;
///
/// assert!(promises_secret("GITHUB_TOKEN") && !promises_secret("PATH"));
/// ```
#[must_use]
pub fn promises_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    PARTS.iter().any(|part| upper.contains(part)) || ENDINGS.iter().any(|end| upper.ends_with(end))
}

/// Whether a variable of this name carries neither code nor a place: language, terminal, colours, who commits, and the like. It
/// may stand in front of any program.
#[must_use]
pub fn is_harmless(name: &str) -> bool {
    crate::catalogue::HARMLESS_VARIABLES.contains(&name) || name.starts_with("LC_")
}

/// Whether a run that acts may get a variable from its caller: neither the name nor the value carries code or a path. Pagers and
/// editors are programs, so only those that start nothing (`cat`, `true`) count.
///
/// ```
/// use guarda_core::policy::variable::leads_nowhere;
///
/// assert!(leads_nowhere("LANG", "pt_BR.UTF-8") && leads_nowhere("GIT_PAGER", "cat"));
/// assert!(!leads_nowhere("GIT_PAGER", "less") && !leads_nowhere("TERM", "/tmp/x") && !leads_nowhere("DOCKER_CONFIG", "x"));
/// ```
#[must_use]
pub fn leads_nowhere(name: &str, value: &str) -> bool {
    let place = |text: &str| text.starts_with(['/', '~', '.']) || text.contains("..");
    let plain = !value.split([':', '=', ';', ' ']).any(place) && !value.chars().any(char::is_control);
    let idle = || matches!(value, "" | "cat" | "true" | ":" | "/bin/true" | "/bin/cat");
    is_harmless(name) && plain || names_a_program(name) && idle()
}

/// Whether a variable names a program that others start to show or to edit something.
#[must_use]
pub fn names_a_program(name: &str) -> bool {
    name.ends_with("PAGER") || name.ends_with("EDITOR") || name == "VISUAL" || name == "BROWSER"
}

/// True for an environment variable whose value should not be shown. A name in lower case is usually a line's own.
pub(crate) fn shows_secret(name: &str) -> bool {
    promises_secret(name) && !name.contains(|letter: char| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::promises_secret;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in
            ["GITHUB_TOKEN", "aws_secret_access_key", "STRIPE_KEY", "SSH_AUTH_SOCK", "PGPASSWORD", "NPM_AUTH"]
        {
            assert!(promises_secret(name), "{name}");
        }
        for name in ["PATH", "GIT_AUTHOR_NAME", "KEYBOARD", "OLDPWD", "PWD", "HOME", "SPINNER"] {
            assert!(!promises_secret(name), "{name}");
        }
    }
}
