//! The JSON of how the guard runs a command.

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::RunPlan;
use crate::wording::Impact;
use guarda_core::hosts::NetworkPlan;
use guarda_core::hosts::Remark;
use guarda_core::judge::Judgement;
use guarda_core::network::{HostRule, Looks, Why};
use guarda_core::output::Protection;
use guarda_core::policy::Verdict;

/// What happens if the guard runs a command. The judgement's own `status` is for a caller that would run it itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Run {
    /// `look` (in a cell without any way to do harm), `stage` (with its changes held back), `act` (in a sandbox that
    /// opens what was approved) or `none` (without a sandbox); null for a blocked command.
    #[schema(example = "look")]
    way: Option<&'static str>,
    /// Whether a person is asked first: `approved`, `requires_confirmation`, `requires_password` or `blocked`.
    #[schema(example = "approved")]
    status: &'static str,
    /// Its network access.
    network: Reach,
    /// The measures that its sandbox promises but this machine cannot provide.
    lacks: Vec<&'static str>,
}

/// A command's access to the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reach {
    /// The access that its sandbox gives: `none`, `hosts` (only the hosts below) or `all`.
    #[schema(example = "hosts")]
    access: &'static str,
    /// The hosts that its words and its tools name.
    hosts: Vec<ReachedHost>,
    /// Their unusual traits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unusual: Vec<Unusual>,
    /// The programs that need the whole network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    whole: Vec<String>,
}

/// A host that a command reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReachedHost {
    /// The name or address. `*.name` stands for all names below it.
    #[schema(example = "files.pythonhosted.org")]
    host: String,
    /// The registered domain of the name; empty for an address.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(example = "pythonhosted.org")]
    site: String,
    /// TCP ports; empty for all ports.
    ports: Vec<u16>,
    /// The source: `word` (of the command), `tool`, `remote` (of the repository), `policy` (the configuration) or
    /// `answer`.
    #[schema(example = "tool")]
    from: &'static str,
    /// The word, tool, remote or entry that names it.
    #[schema(example = "pypi")]
    of: String,
    /// True if the host may be this machine or on the local network.
    private: bool,
}

/// Something unusual about a command's hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Unusual {
    /// `moved` (an option or variable redirects a tool), `file` (a settings file redirects it), `denied` (by the
    /// configuration), `unknown` (the host is not known before the command runs) or `looks` (the name is unusual).
    #[schema(example = "moved")]
    what: &'static str,
    /// The option, variable, file, word or host.
    #[schema(example = "--index-url")]
    of: String,
}

impl Reach {
    fn new(access: &'static str, plan: &NetworkPlan) -> Self {
        Self {
            access,
            hosts: plan.hosts.iter().map(ReachedHost::from).collect(),
            unusual: plan.unusual.iter().map(Unusual::from).collect(),
            whole: plan.whole.iter().map(|whole| whole.program.clone()).collect(),
        }
    }
}

impl From<&HostRule> for ReachedHost {
    fn from(rule: &HostRule) -> Self {
        let (from, of) = match &rule.why {
            Why::Word { word, .. } => ("word", word.clone()),
            Why::Tool { tool } => ("tool", tool.clone()),
            Why::Remote { remote } => ("remote", remote.clone()),
            Why::Policy { entry } => ("policy", entry.clone()),
            Why::Tried => ("tried", String::new()),
            Why::Answer => ("answer", String::new()),
            Why::All => ("all", String::new()),
        };
        Self {
            host: rule.host.to_string(),
            site: rule.host.exact().map(|host| Looks::of(host).site).unwrap_or_default(),
            ports: rule.ports.clone().into(),
            from,
            of,
            private: rule.private,
        }
    }
}

impl From<&Remark> for Unusual {
    fn from(remark: &Remark) -> Self {
        let (what, of) = match remark {
            Remark::Moved { by, .. } => ("moved", by),
            Remark::File { file, .. } => ("file", file),
            Remark::Denied { host } => ("denied", host),
            Remark::Unknown { word } => ("unknown", word),
            Remark::Looks { host, .. } => ("looks", host),
        };
        Self { what, of: of.clone() }
    }
}

impl Run {
    /// For use without a service: the decision and the hosts. Only a run shows what the machine can provide.
    #[must_use]
    pub fn decided(judgement: &Judgement) -> Self {
        let (decision, plan) = (judgement.run(), judgement.network());
        let access = match decision.way {
            Some(guarda_core::action::Way::None) => "all",
            Some(guarda_core::action::Way::Act) if !plan.whole.is_empty() => "all",
            Some(guarda_core::action::Way::Act) if !plan.is_empty() => "hosts",
            _ => "none",
        };
        Self {
            way: decision.way.map(guarda_core::action::Way::name),
            status: decision.verdict.status(),
            network: Reach::new(access, plan),
            lacks: Vec::new(),
        }
    }

    /// The run that a person is asked about.
    pub(in crate::doors::http) fn asked(impact: &Impact) -> Option<Self> {
        let way = impact.way?;
        let (network, lacks) = held(impact.sandbox.as_ref());
        let network = Reach::new(network, &impact.network);
        Some(Self { way: Some(way.name()), status: Verdict::Confirm.status(), network, lacks })
    }
}

fn held(sandbox: Option<&Protection>) -> (&'static str, Vec<&'static str>) {
    let Some(held) = sandbox else { return ("none", Vec::new()) };
    (network(held), held.lacking.iter().map(|lack| lack.measure.name()).collect())
}

impl From<&RunPlan> for Run {
    fn from(run: &RunPlan) -> Self {
        let (network, lacks) = held(run.sandbox.as_ref());
        Self {
            way: run.decision.way.map(guarda_core::action::Way::name),
            status: run.decision.verdict.status(),
            network: Reach::new(network, &run.network),
            lacks,
        }
    }
}

/// The network access of a sandbox: `none`, `hosts` or `all`.
pub(super) fn network(held: &guarda_core::output::Protection) -> &'static str {
    use guarda_core::output::Network;
    match held.open_network() {
        Network::None => "none",
        Network::Hosts => "hosts",
        Network::All => "all",
    }
}
