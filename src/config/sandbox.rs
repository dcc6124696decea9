//! `[sandbox]`: how commands are confined.

use serde::{Deserialize, Serialize};

use super::field;
use guarda_core::action::custody::SandboxLevel;

/// `[sandbox]`: what a command may reach. A caller can demand a stricter sandbox than this, never a looser one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// The sandbox level: `none`, `confined` or `isolated`.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub profile: SandboxLevel,
    /// Whether a command is refused if this machine cannot provide everything that the level promises.
    pub require_sandbox: bool,
    /// Commands that may use the network; words after the program's name must be among its words.
    pub network: Vec<String>,
    /// System commands that cannot work in a sandbox, because they speak to the system's services or act on other
    /// processes. They run with `none`, unless the caller demands more.
    pub unconfined: Vec<String>,
    /// Folders that every command may change, in addition to its working folder and a temporary one.
    pub writable: Vec<String>,
}

/// Programs that exist to speak to other machines.
const NETWORK: &[&str] = &[
    "curl",
    "wget",
    "aria2c",
    "ping",
    "ping6",
    "dig",
    "nslookup",
    "host",
    "whois",
    "drill",
    "kdig",
    "delv",
    "mtr",
    "traceroute",
    "traceroute6",
    "tracepath",
    "tracepath6",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "nmap",
    "openssl",
    "ip",
    "ss",
    "arp",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "mosh",
    "ftp",
    "lftp",
    "git clone",
    "git fetch",
    "git pull",
    "git push",
    "git ls-remote",
    "git remote",
    "git submodule",
    "gh",
    "glab",
    "hg",
    "svn",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "pip",
    "pip3",
    "pipx",
    "uv",
    "poetry",
    "cargo",
    "go",
    "gem",
    "bundle",
    "composer",
    "mvn",
    "gradle",
    "apt",
    "apt-get",
    "dnf",
    "pacman",
    "zypper",
    "apk",
    "az",
    "aws",
    "gcloud",
    "kubectl",
    "helm",
    "terraform",
    "yt-dlp",
    "ollama",
];

/// Programs that speak to the system's services over their sockets, or to other processes.
const UNCONFINED: &[&str] = &[
    "systemctl",
    "journalctl",
    "loginctl",
    "hostnamectl",
    "timedatectl",
    "localectl",
    "resolvectl",
    "networkctl",
    "nmcli",
    "bluetoothctl",
    "docker",
    "podman",
    "snap",
    "flatpak",
    "lpstat",
    "kill",
    "killall",
    "pkill",
    "renice",
    "ionice",
    "dmesg",
    "crontab",
    "tcpdump -i",
    "tshark -i",
    "dumpcap",
];

impl Default for Sandbox {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            profile: SandboxLevel::Confined,
            require_sandbox: false,
            network: owned(NETWORK),
            unconfined: owned(UNCONFINED),
            writable: Vec::new(),
        }
    }
}
