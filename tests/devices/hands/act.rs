//! An action from its JSON to its end, through every proof on the way: judged, approved, recorded, done.

use guarda::hands::{Hands, HandsConfig};
use guarda_core::gate::{Approved, Number, Passage, Says};
use guarda_core::output::{Ended, RawOutput};
use guarda_core::policy::{Policy, Profile, Situation};
use guarda_journal::{Caller, Journal, JournalConfig};
use guarda_sandbox::Sandbox;

use crate::common::machine::Machine;

/// Does an action on this machine. If a question comes up, a person says yes.
pub async fn act(machine: &Machine, action: serde_json::Value) -> RawOutput {
    act_with(&HandsConfig::of_session(machine.session()), machine, action, |_| ()).await
}

/// The same with other settings; `meanwhile` runs between the judgement and the deed.
pub async fn act_with(
    config: &HandsConfig,
    machine: &Machine,
    action: serde_json::Value,
    meanwhile: impl FnOnce(&Situation),
) -> RawOutput {
    act_until(config, machine, action, meanwhile, std::future::pending()).await
}

/// The same, until it is cancelled.
pub async fn act_until(
    config: &HandsConfig,
    machine: &Machine,
    action: serde_json::Value,
    meanwhile: impl FnOnce(&Situation),
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    let hands = Hands::new(HandsConfig { sandbox: supervisor(), desktop: desktop(), ..config.clone() });
    let request: guarda_core::action::Request = serde_json::from_value(action).unwrap();
    let proposal = guarda_core::action::Proposal::parse(request).unwrap();
    let situation = hands.look(&proposal, false).unwrap();
    let policy = std::sync::Arc::new(Policy::builtin(Profile::Desktop).unwrap());
    let judgement = guarda_core::judge::judge(&policy, proposal, &situation);
    let approved = approve(guarda_core::gate::enter(
        judgement,
        guarda_core::gate::Runner::Guard,
        Number([7; 16]),
        config.advanced_mode,
    ));
    // A record of its own each time: a child of another test may hold the lock of the one before until it is started.
    static RECORDS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let record = RECORDS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let journal = Journal::open(JournalConfig::new(machine.path(&format!("journal-{record}")))).unwrap();
    let warrant = journal.intend(approved, &Caller::default()).await.unwrap();
    meanwhile(&situation);
    let (volume, terms) = (std::sync::Arc::default(), (&situation, &policy));
    let around = guarda::hands::RunContext { volume: &volume, shell: None, outside: None };
    hands.act(uuid::Uuid::now_v7(), warrant, terms, cancel, around).await.1
}

/// Sandboxes with the supervisor that was built with this test.
pub fn supervisor() -> Sandbox {
    Sandbox::with_supervisor(env!("CARGO_BIN_EXE_guarda-keeper"))
}

/// The program that speaks to the sound server, as it was built with this test.
pub fn desktop() -> std::path::PathBuf {
    env!("CARGO_BIN_EXE_guarda-desktop").into()
}

fn approve(passage: Passage) -> Approved {
    match passage {
        Passage::Clear(approved) => approved,
        Passage::Ask(pending) => {
            let answer = pending.question().answer(Says::Yes { channel: "test".to_owned() });
            pending.settle(answer).unwrap()
        }
        Passage::Shut(refusal) => panic!("refused: {:?}", refusal.cause()),
    }
}

pub fn stdout(output: &RawOutput) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The text of an unsuccessful end.
pub fn why(output: &RawOutput) -> &str {
    match &output.ended {
        Ended::Unavailable(why) | Ended::Failed(why) => &why.detail,
        Ended::NotFound(why) | Ended::Changed(why) => why,
        Ended::Finished | Ended::TimedOut | Ended::Cancelled | Ended::Signalled(_) | Ended::NoPlayer => "",
    }
}
