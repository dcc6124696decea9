//! Names of variables that promise a secret: asked about where a line shows one, and kept from what runs in a client's place.

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
