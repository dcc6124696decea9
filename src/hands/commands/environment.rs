//! The environment of executed commands: the guard's own minimal one (feature B9), or that of an agent's client's shell
//! without secrets and without variables that run or load something (feature N3).

use guarda_core::policy::variable::promises_secret;

/// Variables that make a shell, a loader or an interpreter run something at its start.
const STARTS: &[&str] = &[
    "BASH_ENV",
    "BASHOPTS",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GIT_ASKPASS",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "NLSPATH",
    "NODE_OPTIONS",
    "PERL5DB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];
/// Prefixes of similar variables, and of the guard's own.
const FAMILIES: &[&str] = &["LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "MALLOC_", "GUARDA_"];
/// Whether a variable of a client's shell is passed on.
pub(in crate::hands) fn passes(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let named = !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
    let starts = STARTS.contains(&upper.as_str()) || FAMILIES.iter().any(|family| upper.starts_with(family));
    // A pager or an editor is a program that would be started. Agents often set harmless ones.
    let shows =
        upper.ends_with("PAGER") || upper.ends_with("EDITOR") || upper == "VISUAL" || upper == "BROWSER";
    let idle = matches!(value, "" | "cat" | "true" | ":" | "/bin/true" | "/bin/cat");
    named && !starts && !promises_secret(name) && (!shows || idle) && !looks_secret(value)
}

fn looks_secret(value: &str) -> bool {
    guarda_core::output::redact(value).map_or(true, |redacted| redacted.text != value)
}

#[cfg(test)]
mod tests {
    use super::passes;

    #[test]
    fn what_starts_something_or_is_secret_stays_out() {
        for (name, value, passed) in [
            ("PATH", "/home/ana/venv/bin:/usr/bin", true),
            ("VIRTUAL_ENV", "/home/ana/venv", true),
            ("FOO", "bar", true),
            ("CARGO_HOME", "/home/ana/.cargo", true),
            ("PAGER", "cat", true),
            ("GIT_PAGER", "less", false),
            ("GIT_EDITOR", "true", true),
            ("EDITOR", "vim", false),
            ("LD_PRELOAD", "./x.so", false),
            ("BASH_ENV", "./x", false),
            ("BASH_FUNC_ls%%", "() { id; }", false),
            ("NODE_OPTIONS", "--require ./x", false),
            ("GITHUB_TOKEN", "x", false),
            ("aws_secret_access_key", "x", false),
            ("STRIPE_KEY", "x", false),
            ("GIT_AUTHOR_NAME", "Ana", true),
            ("SSH_AUTH_SOCK", "/run/x", false),
            ("NOTE", "ghp_0123456789abcdefghijABCDEFGHIJ012345", false),
            ("GUARDA_STATE_DIR", "/x", false),
            ("", "x", false),
            ("A=B", "x", false),
        ] {
            assert_eq!(passes(name, value), passed, "{name}={value}");
        }
    }
}
