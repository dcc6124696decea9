//! Where people keep what no executed command has to read, and what would be run later outside of any sandbox.

use std::path::{Path, PathBuf};

/// Folders and files below the home folder that hold keys, tokens, passwords, cookies or letters.
const IN_HOME: &[&str] = &[
    // keys and passwords
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".kde/share/apps/kwallet",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/1Password",
    ".config/op",
    ".config/keepassxc",
    ".config/sops",
    ".config/age",
    ".vault-token",
    ".electrum",
    ".bitcoin",
    ".ethereum",
    ".config/solana",
    // clouds and code hosts
    ".aws",
    ".azure",
    ".boto",
    ".s3cfg",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/rclone",
    ".oci",
    ".kube",
    ".docker",
    ".config/containers",
    ".terraform.d",
    ".terraformrc",
    ".config/heroku",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".git-credentials",
    ".config/git/credentials",
    // registries and databases
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pip/pip.conf",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    // agents' own
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot",
    ".local/share/opencode/auth.json",
    // browsers and mail
    ".mozilla",
    ".thunderbird",
    ".librewolf",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".cache/mozilla",
    ".cache/google-chrome",
    ".cache/chromium",
    ".local/share/evolution",
    ".config/evolution",
    ".config/Signal",
    ".config/discord",
    ".config/Slack",
    ".local/share/TelegramDesktop",
    ".var/app",
    "snap",
    // the session
    ".Xauthority",
    ".ICEauthority",
    ".config/pulse/cookie",
    ".pulse-cookie",
    ".dbus",
    ".config/rustdesk",
    ".vnc",
    ".local/share/recently-used.xbel",
    // histories that no name below gives away
    ".local/share/fish/fish_history",
    ".local/state/bash/history",
    ".local/state/zsh/history",
    ".lesshst",
    ".viminfo",
    ".wget-hsts",
];

/// Files directly in the home folder with these endings are histories and keys of the same kind.
const ENDINGS: &[&str] =
    &["_history", ".histfile", "-history", "_hist", ".kdbx", ".pem", ".key", ".p12", ".ovpn"];

/// What the user's shell, session or programs run by themselves later on: read, but not written to, even where the
/// home folder is the working folder.
const RUN_LATER: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".gitconfig",
    ".gdbinit",
    ".vimrc",
    ".vim",
    ".emacs",
    ".emacs.d",
    ".tmux.conf",
    ".config/git",
    ".config/fish",
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/environment.d",
    ".config/systemd",
    ".config/plasma-workspace",
    ".config/nvim",
    ".config/mimeapps.list",
    ".local/bin",
    ".local/share/applications",
    ".local/share/systemd",
    ".local/share/dbus-1",
    ".cargo/bin",
    ".cargo/config.toml",
    "bin",
];

/// What only the system's administrator can read anyway: it has to be hidden where the guard runs as root.
const OF_THE_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/security/opasswd",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/NetworkManager/system-connections",
    "/etc/wpa_supplicant",
    "/etc/wireguard",
    "/etc/openvpn",
    "/etc/ipsec.secrets",
    "/etc/ipsec.d/private",
    "/etc/ppp",
    "/etc/krb5.keytab",
    "/etc/letsencrypt",
    "/etc/polkit-1/rules.d",
];

/// The secrets of a home folder, by their paths in it.
pub(super) fn of_home() -> impl Iterator<Item = &'static Path> {
    IN_HOME.iter().map(Path::new)
}

/// Whether a name directly in the home folder is that of a secret.
pub(super) fn named(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// What of a home folder is run later outside of any sandbox, by its path there.
pub(super) fn run_later() -> impl Iterator<Item = &'static Path> {
    RUN_LATER.iter().map(Path::new)
}

/// The secrets of the system.
pub(super) fn of_system() -> impl Iterator<Item = PathBuf> {
    OF_THE_SYSTEM.iter().map(PathBuf::from)
}
