//! Decides whether a destination is reached: by a rule or a person's answer, and only at vetted addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use guarda_core::gate::{ApprovedHosts, HostRefusal, NeverAsked};
use guarda_core::network::{AddressClass, Destination, Host, HostRule, HostRules, Why, names};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;

use super::outside::Outside;
use super::own::is_this_machine;

/// About how many hosts one run may ask about one by one. All further ones share one question.
const MOST_QUESTIONS: usize = 16;
/// The most destinations in that question; further ones are refused.
const MOST_TOGETHER: usize = 64;
/// How long further hosts are gathered for that question.
const GATHER: Duration = Duration::from_secs(2);
/// The time limit of a name look-up.
const LOOK_UP: Duration = Duration::from_secs(10);
/// The time limit for connecting to one address.
const CONNECT: Duration = Duration::from_secs(10);
/// How many addresses of a host are tried.
const MOST_ADDRESSES: usize = 8;
/// The addresses of `localhost`; a server may listen on either.
const LOCALHOST: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// A run's rules and a person's answers.
#[derive(Debug)]
pub(super) struct Admission {
    rules: Mutex<HostRules>,
    asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    /// One question for each destination. Clients with the same destination wait for the same answer.
    questions: BTreeMap<Destination, Arc<Asking>>,
    /// The shared question about all hosts beyond [`MOST_QUESTIONS`].
    last: Option<Arc<Asking>>,
    hosts: BTreeSet<Host>,
    /// Hosts that a person refused, for every port.
    denied: BTreeMap<Host, HostRefusal>,
}

/// A question and its answer.
#[derive(Debug)]
struct Asking {
    /// Its destinations, and whether more may still be added.
    about: Mutex<(Vec<Destination>, bool)>,
    answer: OnceCell<Result<ApprovedHosts, HostRefusal>>,
}

/// A destination that may be connected to, and its vetted addresses.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) rule: HostRule,
    addresses: Vec<SocketAddr>,
}

impl Admission {
    pub(super) fn new(rules: HostRules) -> Self {
        Self { rules: Mutex::new(rules), asked: Mutex::default() }
    }

    fn rule(&self, to: &Destination) -> Option<HostRule> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let by = |host: Host| rules.admits(&Destination { host, port: to.port }).cloned();
        let found = by(to.host.clone());
        // Inside the cell `localhost` is resolved by a file, so the client comes with the address.
        let local =
            || to.host.address().filter(IpAddr::is_loopback).and_then(|_| by(Host::parse("localhost").ok()?));
        found.or_else(local)
    }

    /// Decides whether a destination may be connected to, and at which addresses.
    pub(super) async fn admit(
        &self,
        to: &Destination,
        outside: &dyn Outside,
    ) -> Result<Admitted, HostRefusal> {
        if outside.denies(&to.host) {
            return Err(HostRefusal::Denied);
        }
        let rule = match self.rule(to) {
            Some(rule) if rule.why == Why::Answer || !outside.asks_all() => rule,
            // The rule admits more than the answer: the host may be on this machine.
            Some(rule) => self.ask(to, outside).await.map(|_yes| rule)?,
            None => {
                never_asked(&to.host)?;
                let approved = self.ask(to, outside).await?;
                let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
                approved.rules().for_each(|rule| rules.add(rule));
                rules.admits(to).cloned().ok_or(HostRefusal::TooMany)?
            }
        };
        let found = match &to.host {
            // The client expects this address to answer, and would not try the other one of `localhost`.
            Host::Address(address) if is_localhost(&rule) => [&[*address], &LOCALHOST[..]].concat(),
            Host::Address(address) => vec![*address],
            Host::Name(_) if to.host.is_local() => LOCALHOST.to_vec(),
            Host::Name(name) => {
                let found = tokio::time::timeout(LOOK_UP, outside.look_up(name)).await;
                let found = found.unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into()));
                found.map_err(|error| HostRefusal::Unresolved { error: error.to_string() })?
            }
        };
        rule.vet(&found)?;
        if found.iter().any(|address| outside.denies(&Host::Address(*address))) {
            return Err(HostRefusal::Denied);
        }
        if outside.own_ports().contains(&to.port) && found.iter().any(|address| is_this_machine(*address)) {
            return Err(HostRefusal::Own);
        }
        let addresses: BTreeSet<IpAddr> = found.iter().copied().collect();
        let mut addresses: Vec<SocketAddr> =
            addresses.into_iter().map(|address| SocketAddr::new(address, to.port)).collect();
        // In the given order, each once.
        addresses.sort_by_key(|address| found.iter().position(|one| *one == address.ip()));
        addresses.truncate(MOST_ADDRESSES);
        Ok(Admitted { rule, addresses })
    }

    /// Asks a person, once for each destination.
    async fn ask(&self, to: &Destination, outside: &dyn Outside) -> Result<ApprovedHosts, HostRefusal> {
        let question = self.question(to)?;
        let answer = question.answer.get_or_init(async || {
            let about = question.close().await;
            match outside.ask(&about).await {
                Ok(approved) if approved.destinations() != about => Err(HostRefusal::OtherHost),
                answer => answer,
            }
        });
        let answer = answer.await;
        if let Err(refused) = answer {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.denied.insert(to.host.clone(), refused.clone());
        }
        answer.clone()
    }

    /// The question for a destination.
    fn question(&self, to: &Destination) -> Result<Arc<Asking>, HostRefusal> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refused) = asked.denied.get(&to.host) {
            return Err(refused.clone());
        }
        if asked.hosts.len() >= MOST_QUESTIONS && !asked.hosts.contains(&to.host) {
            let last = asked.last.get_or_insert_with(|| Arc::new(Asking::about(Vec::new(), true)));
            return if last.takes(to) { Ok(Arc::clone(last)) } else { Err(HostRefusal::TooMany) };
        }
        asked.hosts.insert(to.host.clone());
        let one = || Arc::new(Asking::about(vec![to.clone()], false));
        Ok(Arc::clone(asked.questions.entry(to.clone()).or_insert_with(one)))
    }
}

impl Asking {
    fn about(about: Vec<Destination>, open: bool) -> Self {
        Self { about: Mutex::new((about, open)), answer: OnceCell::new() }
    }

    /// Adds this destination if it is still possible. Returns whether the question includes it.
    fn takes(&self, to: &Destination) -> bool {
        let (about, open) = &mut *self.about.lock().unwrap_or_else(PoisonError::into_inner);
        if !about.contains(to) && *open && about.len() < MOST_TOGETHER {
            about.push(to.clone());
        }
        about.contains(to)
    }

    /// Closes the list and returns its destinations.
    async fn close(&self) -> Vec<Destination> {
        if self.about.lock().unwrap_or_else(PoisonError::into_inner).1 {
            tokio::time::sleep(GATHER).await;
        }
        let (about, open) = &mut *self.about.lock().unwrap_or_else(PoisonError::into_inner);
        *open = false;
        about.clone()
    }
}

/// Refuses hosts that are never asked about.
fn never_asked(host: &Host) -> Result<(), HostRefusal> {
    let never = |host| Err(HostRefusal::Never { host });
    match host {
        Host::Name(name) if names::is_metadata(name) => never(NeverAsked::Credentials),
        Host::Name(_) if host.is_local() => never(NeverAsked::ThisComputer),
        Host::Name(_) => Ok(()),
        Host::Address(address) => match AddressClass::of(*address) {
            AddressClass::Public => Ok(()),
            class => never(NeverAsked::Address(class)),
        },
    }
}

/// True if a rule admits this machine by name.
fn is_localhost(rule: &HostRule) -> bool {
    rule.host.exact().is_some_and(|host| host.is_local() && host.address().is_none())
}

impl Admitted {
    /// Connects to the first vetted address that answers.
    pub(super) async fn connect(&self) -> Result<TcpStream, HostRefusal> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in &self.addresses {
            match tokio::time::timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = error,
                Err(_late) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(HostRefusal::Unreachable { error: last.to_string() })
    }
}
