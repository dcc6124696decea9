//! The hosts that a command line may reach: those that its words name, and those of the tools that it runs
//! (`catalogue/hosts.toml`). Any other host is asked about during the run.

mod plan;
mod table;
mod words;

/// True if some program of a line works only if it reaches other machines.
#[must_use]
pub fn needs_network(script: &Script, situation: &Situation) -> bool {
    script.runs().iter().any(|run| needs(run, situation)) && !asks_its_own(script, situation)
}

/// Whether a line that starts something beside the rest, or whose session keeps something running, reaches nothing but this machine:
/// that, first of all. If it is not there, the line is asked about by its words.
fn asks_its_own(script: &Script, situation: &Situation) -> bool {
    let plan = NetworkPlan::of(script, situation);
    let here = plan.here();
    let keeps = situation.network.session.is_some();
    let own = |run: &Run| keeps && tools::asks_database(run);
    let whole = |index: usize| script.runs().get(index).is_some_and(|run| needs(run, situation) && !own(run));
    (script.starts_jobs() || keeps)
        && (0..script.runs().len()).filter(|index| whole(*index)).all(|index| here.contains(&index))
}

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::catalogue::entry::names_one;
use crate::catalogue::{AWAY, QUIET, TIDY, base_name, tools};
use crate::network::{AddressClass, Host, HostPattern, HostRule, Looks, Ports, Protocol, Unusual, Why};
use crate::policy::{Policy, Program, Situation};
use guarda_shell::script::{Reach, Run, Script};

pub use plan::{NetworkPlan, Part, Remark, Whole};
use table::needs;
pub use table::{Kept, REGISTRIES, is_networked, kept, packages};

impl NetworkPlan {
    /// The hosts that the runs of a line may reach.
    ///
    /// ```
    /// use guarda_core::{hosts::NetworkPlan, policy::Situation};
    /// use guarda_shell::script::Dialect;
    ///
    /// let script = guarda_shell::read("curl https://example.com/x | sort", Dialect::Bash)?;
    /// let plan = NetworkPlan::of(&script, &Situation::default());
    /// assert_eq!(plan.hosts.iter().count(), 1);
    /// assert!(plan.is_usual());
    /// # Ok::<(), guarda_shell::script::Unsure>(())
    /// ```
    #[must_use]
    pub fn of(script: &Script, situation: &Situation) -> Self {
        let mut plan = Self::default();
        for (index, run) in script.runs().iter().enumerate() {
            if run.builtin || run.words.is_empty() || !is_here(script, run) {
                continue;
            }
            let mut own = Self::default();
            own.run(script, situation, index, run);
            own.tried(situation);
            own.deny(situation);
            own.unusual.drain(..).for_each(|remark| plan.remark(remark));
            own.hosts.iter().for_each(|rule| plan.hosts.add(rule.clone()));
            let part = Part { hosts: own.hosts, whole: !own.whole.is_empty() };
            plan.whole.append(&mut own.whole);
            if part != Part::default() {
                plan.parts.push((index, part));
            }
        }
        plan.look();
        plan
    }

    /// The hosts of the runs that `wanted` selects by position.
    #[must_use]
    pub fn part(&self, wanted: impl Fn(usize) -> bool) -> Part {
        let mut all = Part::default();
        for (_, part) in self.parts.iter().filter(|(index, _)| wanted(*index)) {
            part.hosts.iter().for_each(|rule| all.hosts.add(rule.clone()));
            all.whole |= part.whole;
        }
        all
    }

    /// The positions of the runs whose words reach this machine, or a host that the configuration allows, and no other.
    #[must_use]
    pub fn here(&self) -> Vec<usize> {
        let stays = |part: &Part| {
            // Its words name none of these.
            if part.hosts.iter().any(|rule| rule.why == Why::Tried) {
                return false;
            }
            let by_person = || part.hosts.iter().filter(|rule| matches!(rule.why, Why::Policy { .. }));
            let mut named =
                part.hosts.iter().filter(|rule| !matches!(rule.why, Why::Policy { .. })).peekable();
            let known = |rule: &HostRule| {
                let host = rule.host.exact();
                let allowed = |by: &HostRule| {
                    host.is_some_and(|host| by.host.matches(host)) && by.ports.include(&rule.ports)
                };
                host.is_some_and(Host::is_local) || by_person().any(allowed)
            };
            !part.whole && named.peek().is_some() && named.all(known)
        };
        // An unknown host, or a detour, could belong to any run.
        let known = self.unusual.iter().all(|remark| matches!(remark, Remark::Looks { .. }));
        let runs = self.parts.iter().filter(|(_, part)| known && stays(part));
        runs.map(|(index, _)| *index).collect()
    }

    /// Whether nothing is unusual about where it reaches, beyond that it is this machine.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        let here =
            |unusual: &Unusual| matches!(unusual, Unusual::Local | Unusual::Address(AddressClass::Loopback));
        let usual =
            |remark: &Remark| matches!(remark, Remark::Looks { unusual, .. } if unusual.iter().all(here));
        self.unusual.iter().all(usual)
    }

    /// Whether it reaches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.whole.is_empty()
    }

    fn run(&mut self, script: &Script, situation: &Situation, index: usize, run: &Run) {
        let tool = tools::of(run);
        let wraps = script.runs().iter().any(|other| other.parent == Some(index) && is_wrapped(other));
        match tool {
            Some(tool) => self.tool(tool, situation, run),
            // The words behind a wrapper belong to the program that it starts.
            None if wraps => {}
            None => words::urls(self, situation, run),
        }
        let program = run.program().map(base_name);
        for (of, rule) in &situation.network.allowed {
            // The configuration gives no network to programs that reach nothing themselves.
            let own = of.as_deref().is_none_or(|of| Some(of) == program);
            if own && (tool.is_some() || of.is_some()) {
                self.hosts.add(rule.clone());
            }
        }
    }

    /// Adds what the line wanted when it was tried. It is not known which of its programs wanted it.
    fn tried(&mut self, situation: &Situation) {
        for (host, port) in &situation.network.tried {
            // In the run's network a client may try the other address of this machine first.
            let this = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            let by_name = host.address().filter(|address| this.contains(address));
            let by_name = by_name.and_then(|_| Host::parse("localhost").ok());
            let host = by_name.as_ref().unwrap_or(host);
            let credentials =
                host.address().is_some_and(|address| AddressClass::of(address) == AddressClass::Metadata);
            if !credentials {
                self.hosts.add(HostRule {
                    host: HostPattern::Exact(host.clone()),
                    ports: port.map_or(Ports::All, |port| Ports::Of([port].into())),
                    protocol: Protocol::default(),
                    why: Why::Tried,
                    // A name must not turn out to be this machine.
                    private: host.address().is_some() || host.is_local(),
                });
            }
        }
    }

    fn tool(&mut self, tool: &tools::Tool, situation: &Situation, run: &Run) {
        if guarda_shell::script::only_asks_for_help(run.words.iter()) {
            return;
        }
        if !tool.whole.is_empty() {
            let program = run.program().unwrap_or_default().to_owned();
            self.whole.push(Whole { program, why: tool.whole.to_owned() });
        }
        // A script of the project is not the tool's own business with its servers.
        if !tools::works_offline(run) || names_one(tool.fetches, run) {
            tool.rules().for_each(|rule| self.hosts.add(rule));
        }
        for assign in &run.assigns {
            if tool.variables.contains(&assign.name.as_str()) {
                self.remark(Remark::Moved { tool: tool.name.to_owned(), by: assign.name.clone() });
                words::address(self, situation, tool, &assign.value);
            }
        }
        for (_, file) in situation.network.moved.iter().filter(|(of, _)| of == tool.name) {
            self.remark(Remark::File { tool: tool.name.to_owned(), file: file.clone() });
        }
        words::of_tool(self, situation, tool, run);
    }

    /// Removes the hosts that the configuration denies, and remarks on it.
    fn deny(&mut self, situation: &Situation) {
        let denied = &situation.network.denied;
        if denied.is_empty() {
            return;
        }
        let denies = |rule: &&HostRule| {
            let host = rule.host.exact();
            denied.iter().any(|denied| *denied == rule.host || host.is_some_and(|host| denied.matches(host)))
        };
        let (out, kept): (Vec<_>, Vec<_>) = self.hosts.iter().cloned().partition(|rule| denies(&rule));
        self.hosts = kept.into_iter().collect();
        out.into_iter().for_each(|rule| self.remark(Remark::Denied { host: rule.host.to_string() }));
    }

    /// Remarks on unusual hosts that words name.
    fn look(&mut self) {
        let hosts: Vec<_> = self
            .hosts
            .iter()
            .filter(|rule| matches!(rule.why, Why::Word { .. } | Why::Remote { .. }))
            .filter_map(|rule| rule.host.exact().cloned())
            .collect();
        // A person who allowed the very name knows it.
        let known = |host: &Host| {
            self.hosts
                .iter()
                .any(|rule| matches!(rule.why, Why::Policy { .. }) && rule.host.exact() == Some(host))
        };
        let hosts: Vec<_> = hosts.into_iter().filter(|host| !known(host)).collect();
        for host in hosts {
            let Looks { unusual, .. } = Looks::of(&host);
            if !unusual.is_empty() {
                self.remark(Remark::Looks { host: host.to_string(), unusual });
            }
        }
    }
}

/// True if whatever a line reaches is allowed beforehand: packages, by the tools whose tables `[network] allow` names, and text
/// from the hosts of these tables, of this machine, and of `[network] hosts`. If [`NetworkPlan::unusual`] is empty, they come from
/// their usual hosts.
#[must_use]
pub fn only_fetches(policy: &Policy, script: &Script, situation: &Situation) -> bool {
    let network = &situation.network;
    let plan = NetworkPlan::of(script, situation);
    let program = |index: usize| script.runs().get(index).and_then(Run::program).map(base_name);
    let by_person = |index: usize, rule: &HostRule| {
        let host = rule.host.exact();
        network.allowed.iter().any(|(of, allowed)| {
            (of.is_none() || of.as_deref() == program(index))
                && (allowed.host == rule.host || host.is_some_and(|host| allowed.host.matches(host)))
                && allowed.ports.include(&rule.ports)
        })
    };
    let packages =
        |rule: &HostRule| matches!(&rule.why, Why::Tool { tool } if network.packages.contains(tool));
    let text = |rule: &HostRule| match rule.host.exact() {
        Some(host) if host.is_local() => network.packages.iter().any(|name| name == table::LOCALHOST),
        _ => table::is_source(&network.packages, rule),
    };
    let needs = |run: &Run| table::needs(run, situation);
    let fetches = |index: usize, run: &Run| {
        is_here(script, run)
            && tools::of(run).is_some_and(|tool| tool.fetches(run))
            && plan.parts.iter().any(|(at, part)| *at == index && !part.hosts.is_empty())
    };
    // All programs of the line share its network, and a server does more for a request than give text. So no program is beside
    // one that takes text, unless it is known to reach nothing.
    let mut alone = None;
    let mut alone = || *alone.get_or_insert_with(|| keeps_to_itself(policy, script, situation));
    let mut is_allowed =
        |index: usize, rule: &HostRule| packages(rule) || by_person(index, rule) || text(rule) && alone();
    let mut needing = script.runs().iter().enumerate().filter(|(_, run)| needs(run)).peekable();
    plan.whole.is_empty()
        && plan.parts.iter().all(|(index, part)| part.hosts.iter().all(|rule| is_allowed(*index, rule)))
        && needing.peek().is_some()
        && needing.all(|(index, run)| fetches(index, run))
}

/// Whether every program of a line that needs no other machine is known to reach none, whatever it reads.
fn keeps_to_itself(policy: &Policy, script: &Script, situation: &Situation) -> bool {
    let tidy = |run: &Run| {
        let name = run.program().unwrap_or_default();
        run.builtin && QUIET.contains(&name)
            || matches!(situation.programs.get(name), Some(Program::System(_)))
                && (TIDY.contains(&base_name(name)) || name == "sleep")
                && run.assigns.is_empty()
    };
    policy.are_local(script, situation, |_, run| !table::needs(run, situation) && !tidy(run))
}

fn is_wrapped(run: &Run) -> bool {
    matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_))
}

/// True if a run is on this machine, as opposed to what `ssh` starts on another or `docker` in a container.
fn is_here(script: &Script, run: &Run) -> bool {
    let away =
        |run: &Run| matches!(&run.reach, Reach::Wrapper(by) | Reach::Text(by) if AWAY.contains(&by.as_str()));
    let mut at = Some(run);
    for _ in 0..script.runs().len() {
        match at {
            Some(run) if away(run) => return false,
            Some(run) => at = run.parent.and_then(|parent| script.runs().get(parent)),
            None => return true,
        }
    }
    at.is_none()
}
