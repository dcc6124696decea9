//! seccomp: refuses system calls that lead out of the sandbox, and the creation of sockets.

mod look;
mod requests;
mod rule;
mod sockets;

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompCmpOp, SeccompFilter, sock_filter};

use super::NotHeld;
use super::spec::Sockets;
use look::unchanged;
use requests::REQUESTS;
use rule::{CallRules, has, rule};
use sockets::{connected_elsewhere, sockets};

/// The last system call known to this list (`removexattrat`, Linux 6.13; from 424 on, the numbers are the
/// same on every architecture). Later calls, and those of the x32 table, fail as on an older kernel.
const LAST: u32 = 466;

/// Calls that are refused with any arguments.
const REFUSED: &[i64] = &[
    // looking into other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    // mounts, roots and namespaces
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // code in the kernel, and asynchronous work by the kernel
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    // the kernel's key rings
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // files by other means than their paths
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // the system as a whole
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// Memory and messages shared with other processes, refused unless there are none but the run's own.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls with arguments in memory, which a filter cannot read. C libraries and programs fall back to older
/// calls.
const ABSENT: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

/// `CLONE_NEW…`: namespaces created by `clone`.
const NEW_NAMESPACES: [u64; 7] = [
    libc::CLONE_NEWNS as u64,
    libc::CLONE_NEWCGROUP as u64,
    libc::CLONE_NEWUTS as u64,
    libc::CLONE_NEWIPC as u64,
    libc::CLONE_NEWUSER as u64,
    libc::CLONE_NEWPID as u64,
    libc::CLONE_NEWNET as u64,
];

/// `set-user-id` and `set-group-id`.
const SET_ID: [u64; 2] = [0o4000, 0o2000];

/// Processes that must not be signalled if Landlock cannot separate inside from outside: the supervisor and
/// the guard.
#[derive(Debug, Clone, Copy)]
pub(super) struct Untouchable {
    /// The supervisor's process id.
    pub supervisor: i32,
    /// The guard's.
    pub guard: i32,
}

/// The filter of system calls.
pub(super) enum Filter {
    /// Compiled, but not yet in force.
    Made(BpfProgram),
    /// In force for the installing thread and everything that it starts later.
    InForce,
}

impl Filter {
    /// Compiles the filter.
    ///
    /// # Errors
    /// If there are no system call filters for this processor.
    pub(super) fn new(
        network: Sockets,
        untouchable: Option<Untouchable>,
        look: bool,
    ) -> Result<Self, NotHeld> {
        program(network, untouchable, look).map(Self::Made).map_err(|error| NotHeld(error.to_string()))
    }

    /// Installs the filter, unless it is in force already. From then on nothing can be mounted.
    ///
    /// # Errors
    /// If this kernel has no system call filters.
    pub(super) fn enforce(self) -> Result<Self, NotHeld> {
        if let Self::Made(program) = self {
            seccompiler::apply_filter(&program)
                .map_err(|error| NotHeld(format!("this kernel takes no filter of system calls: {error}")))?;
        }
        Ok(Self::InForce)
    }
}

fn program(
    network: Sockets,
    untouchable: Option<Untouchable>,
    look: bool,
) -> Result<BpfProgram, seccompiler::BackendError> {
    decide(refused(network, untouchable, look)?)
}

/// The refused calls, each with the arguments for which it is refused; an empty list means any arguments.
fn refused(
    network: Sockets,
    untouchable: Option<Untouchable>,
    look: bool,
) -> Result<CallRules, seccompiler::BackendError> {
    let mut refused: CallRules = REFUSED.iter().chain(SHARED).map(|call| (*call, Vec::new())).collect();
    processes(&mut refused)?;
    set_id(&mut refused)?;
    sockets(&mut refused, network)?;
    if network == Sockets::Notified {
        connected_elsewhere(&mut refused)?;
    }
    match untouchable {
        Some(_) if look => no_signals(&mut refused)?,
        Some(untouchable) => signals(&mut refused, untouchable)?,
        None => {}
    }
    if look {
        unchanged(&mut refused)?;
    }
    if matches!(network, Sockets::Own { local: true } | Sockets::All { local: true }) {
        // In a namespace of its own, a run shares memory and messages with nobody else.
        refused.retain(|call, _| !SHARED.contains(call));
    }
    Ok(refused)
}

/// The filter program: it searches for the call's number in ranges with the same answer. The kernel runs a
/// new program once for every number, and later for each call that has rules, so a chain of single
/// comparisons would be slow.
fn decide(refused: CallRules) -> Result<BpfProgram, seccompiler::BackendError> {
    let allowed = vec![answer(SeccompAction::Allow)];
    let absent = vec![answer(SeccompAction::Errno(libc::ENOSYS.unsigned_abs()))];
    let number = |call: i64| u32::try_from(call).unwrap_or(u32::MAX);
    let mut answers = BTreeMap::new();
    for (call, rules) in refused {
        let any = rules.is_empty();
        let program =
            if any { vec![answer(REFUSAL)] } else { compile([(call, rules)].into())?.split_off(DECIDED) };
        answers.insert(number(call), program);
    }
    answers.insert(number(libc::SYS_ioctl), requests());
    answers.extend(ABSENT.iter().map(|call| (number(*call), absent.clone())));
    answers.retain(|number, _| *number <= LAST);
    let mut ranges: Vec<(u32, BpfProgram)> = (0..=LAST)
        .map(|number| (number, answers.remove(&number).unwrap_or_else(|| allowed.clone())))
        .chain([(LAST + 1, absent)])
        .collect();
    ranges.dedup_by(|one, before| one.1 == before.1);
    // A program without rules is the architecture check that every program begins with, and an answer.
    let mut program = compile(CallRules::new())?;
    program.pop();
    program.push(step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0));
    program.extend(search(&ranges));
    Ok(program)
}

/// The part of the filter for `ioctl`: it permits or refuses a call by its request number. The kernel uses only the lower 32 bits.
fn requests() -> BpfProgram {
    let [allowed, refused] = [SeccompAction::Allow, REFUSAL].map(|action| vec![answer(action)]);
    let mut ranges = BTreeMap::from([(0, refused.clone())]);
    ranges.extend(REQUESTS.iter().map(|request| (*request, allowed.clone())));
    for request in REQUESTS {
        ranges.entry(request + 1).or_insert_with(|| refused.clone());
    }
    let mut ranges: Vec<(u32, BpfProgram)> = ranges.into_iter().collect();
    ranges.dedup_by(|one, before| one.1 == before.1);
    let mut program = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, REQUEST)];
    program.extend(search(&ranges));
    program
}

/// Where the lower half of a call's second argument lies in what the kernel shows to a filter.
const REQUEST: u32 = 24;
/// The first steps of the program for one call. By then, the architecture and the number are decided.
const DECIDED: usize = 5;
/// The result of a refused call.
const REFUSAL: SeccompAction = SeccompAction::Errno(libc::EPERM.unsigned_abs());

fn compile(rules: CallRules) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(rules, SeccompAction::Allow, REFUSAL, std::env::consts::ARCH.try_into()?)?.try_into()
}

/// Finds the range of a number by bisection; a range is known by its first number.
fn search(ranges: &[(u32, BpfProgram)]) -> BpfProgram {
    let (low, high) = ranges.split_at(ranges.len() / 2);
    let from = match (low, high) {
        ([], [(_, answer)]) => return answer.clone(),
        (_, [(from, _), ..]) => *from,
        (_, []) => return Vec::new(),
    };
    let (low, high) = (search(low), search(high));
    let not_below = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    let mut program = match u8::try_from(low.len()) {
        Ok(over) => vec![step(not_below, over, 0, from)],
        // A comparison cannot jump further.
        Err(_) => {
            let over = u32::try_from(low.len()).unwrap_or(u32::MAX);
            vec![step(not_below, 0, 1, from), step(libc::BPF_JMP | libc::BPF_JA, 0, 0, over)]
        }
    };
    program.extend(low);
    program.extend(high);
    program
}

/// One instruction of a classic BPF program.
fn step(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code: u16::try_from(code).unwrap_or(u16::MAX), jt, jf, k }
}

/// The step that answers.
fn answer(action: SeccompAction) -> sock_filter {
    step(libc::BPF_RET | libc::BPF_K, 0, 0, action.into())
}

fn processes(rules: &mut CallRules) -> Result<(), seccompiler::BackendError> {
    use SeccompCmpOp::Ne;
    let namespaces: Result<Vec<_>, _> = NEW_NAMESPACES.iter().map(|flag| rule(&[has(0, *flag)])).collect();
    rules.insert(libc::SYS_clone, namespaces?);
    // Limits of other processes. A limit of zero would end the guard.
    rules.insert(libc::SYS_prlimit64, vec![rule(&[(0, Ne, 0)])?]);
    // Priorities of other processes: one by number, or all of this user's.
    for call in [libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr] {
        rules.insert(call, vec![rule(&[(0, Ne, 0)])?]);
    }
    for (call, process) in [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)] {
        rules.insert(call, vec![rule(&[(0, Ne, process)])?, rule(&[(1, Ne, 0)])?]);
    }
    // 0xffff_ffff only queries.
    rules.insert(libc::SYS_personality, vec![rule(&[(0, Ne, 0), (0, Ne, 0xffff_ffff)])?]);
    Ok(())
}

/// Set-user-ID and set-group-ID files, which would run as another user later.
fn set_id(rules: &mut CallRules) -> Result<(), seccompiler::BackendError> {
    let modes = [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
    ];
    for (call, argument) in modes {
        let refused = SET_ID.map(|bit| rule(&[has(argument, bit)]));
        rules.insert(call, refused.into_iter().collect::<Result<_, _>>()?);
    }
    // These have a mode only if they create a file.
    let opening = [
        (libc::SYS_openat, 2, 3),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1, 2),
    ];
    for (call, flags, mode) in opening {
        let mut refused = Vec::new();
        for makes in [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY] {
            for bit in SET_ID {
                refused.push(rule(&[has(flags, u64::from(makes.unsigned_abs())), has(mode, bit)])?);
            }
        }
        rules.insert(call, refused);
    }
    Ok(())
}

/// Without Landlock's scopes, refuses all signals except those that runtimes send to their own threads.
fn no_signals(rules: &mut CallRules) -> Result<(), seccompiler::BackendError> {
    use SeccompCmpOp::Ne;
    for (call, signal) in [
        (libc::SYS_kill, 1),
        (libc::SYS_tkill, 1),
        (libc::SYS_rt_sigqueueinfo, 1),
        (libc::SYS_rt_tgsigqueueinfo, 2),
        (libc::SYS_pidfd_send_signal, 1),
    ] {
        // Signal 0 sends nothing; it only checks that a process exists.
        rules.insert(call, vec![rule(&[(signal, Ne, 0)])?]);
    }
    let urgent = u64::from(libc::SIGURG.unsigned_abs());
    rules.insert(libc::SYS_tgkill, vec![rule(&[(2, Ne, urgent), (2, Ne, 0)])?]);
    Ok(())
}

/// Without Landlock's scopes, refuses signals to protected processes and to "all processes".
fn signals(rules: &mut CallRules, untouchable: Untouchable) -> Result<(), seccompiler::BackendError> {
    let pid = |pid: i32| u64::from(pid.cast_unsigned());
    let Untouchable { supervisor, guard } = untouchable;
    let named = [supervisor, guard, supervisor.wrapping_neg(), guard.wrapping_neg(), -1];
    for call in [
        libc::SYS_kill,
        libc::SYS_tkill,
        libc::SYS_tgkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_pidfd_open,
    ] {
        let refused = named.map(|name| rule(&[(0, SeccompCmpOp::Eq, pid(name))]));
        rules.insert(call, refused.into_iter().collect::<Result<_, _>>()?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::look::ATTRIBUTES;
    use super::*;

    /// Every kind of filter.
    fn kinds() -> impl Iterator<Item = (Sockets, Option<Untouchable>, bool)> {
        let untouchable = Some(Untouchable { supervisor: 7, guard: 8 });
        let sockets = [Sockets::None, Sockets::Notified].into_iter().chain(
            [false, true].into_iter().flat_map(|local| [Sockets::Own { local }, Sockets::All { local }]),
        );
        sockets.flat_map(move |network| {
            [(None, false), (untouchable, false), (None, true), (untouchable, true)]
                .map(|(untouchable, look)| (network, untouchable, look))
        })
    }

    #[test]
    fn every_filter_compiles_and_fits() {
        for (network, untouchable, look) in kinds() {
            let program = program(network, untouchable, look).unwrap();
            // The kernel takes 4096 steps.
            assert!(program.len() < 2048, "{}", program.len());
        }
    }

    /// The program's answer and its number of steps, executed as the kernel would.
    fn run(program: &[sock_filter], call: u32, arguments: [u64; 6]) -> (u32, usize) {
        let kind = match std::env::consts::ARCH {
            "x86_64" => 0xc000_003e,
            "aarch64" => 0xc000_00b7,
            other => panic!("{other}"),
        };
        let load = |offset: u32| match offset {
            0 => call,
            4 => kind,
            offset => {
                let argument = arguments[(offset as usize - 16) / 8];
                if offset % 8 == 0 { argument as u32 } else { (argument >> 32) as u32 }
            }
        };
        let (mut at, mut steps, mut value) = (0, 0, 0_u32);
        loop {
            let one = &program[at];
            (at, steps) = (at + 1, steps + 1);
            let jump = |holds: bool| usize::from(if holds { one.jt } else { one.jf });
            match u32::from(one.code) {
                0x06 => return (one.k, steps),
                0x20 => value = load(one.k),
                0x54 => value &= one.k,
                0x05 => at += one.k as usize,
                0x15 => at += jump(value == one.k),
                0x25 => at += jump(value > one.k),
                0x35 => at += jump(value >= one.k),
                other => panic!("{other:#x}"),
            }
        }
    }

    /// The answer of one program of the list.
    fn listed(refused: &BpfProgram, call: u32, arguments: [u64; 6]) -> u32 {
        match i64::from(call) {
            libc::SYS_ioctl if REQUESTS.contains(&(arguments[1] as u32)) => SeccompAction::Allow.into(),
            libc::SYS_ioctl => REFUSAL.into(),
            call if ABSENT.contains(&call) || call > i64::from(LAST) => {
                SeccompAction::Errno(libc::ENOSYS.unsigned_abs()).into()
            }
            _ => run(refused, call, arguments).0,
        }
    }

    #[test]
    fn the_search_answers_as_the_list_and_soon() {
        // Numbers of the x32 table, and the number with which a tracer skips a call.
        let others = [LAST + 1, LAST + 2, 0x4000_0000, 0x4000_0001, u32::MAX];
        for (network, untouchable, look) in kinds() {
            let found = program(network, untouchable, look).unwrap();
            let list = compile(refused(network, untouchable, look).unwrap()).unwrap();
            for call in (0..=LAST).chain(others) {
                for arguments in [[0; 6], [7; 6], [u64::MAX; 6]] {
                    let (answer, steps) = run(&found, call, arguments);
                    assert_eq!(answer, listed(&list, call, arguments), "{call} {arguments:?}");
                    assert!(steps < 120, "{call}: {steps} steps");
                }
                let allowed = u32::from(SeccompAction::Allow);
                let (answer, steps) = run(&found, call, [0; 6]);
                assert!(answer != allowed || steps < 100, "{call}: {steps} steps");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn the_search_answers_as_the_list_for_any_arguments(
            call in 0..=LAST + 1,
            kind in 0..24_usize,
            low in proptest::array::uniform6(0..0x20_u64),
            high: [u64; 6],
            which: [bool; 6],
        ) {
            let (network, untouchable, look) = kinds().nth(kind).unwrap();
            let found = program(network, untouchable, look).unwrap();
            let list = compile(refused(network, untouchable, look).unwrap()).unwrap();
            let arguments = std::array::from_fn(|at| if which[at] { low[at] } else { high[at] });
            proptest::prop_assert_eq!(run(&found, call, arguments).0, listed(&list, call, arguments));
        }
    }

    #[test]
    fn a_request_is_answered_by_its_lower_half() {
        let ioctl = u32::try_from(libc::SYS_ioctl).unwrap();
        for (network, untouchable, look) in kinds() {
            let found = program(network, untouchable, look).unwrap();
            let near = REQUESTS.iter().flat_map(|request| [request - 1, *request, request + 1]);
            // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, TIOCSTI, TIOCLINUX, TIOCSETD, FITRIM
            let never = [0x4008_6602, 0x401c_5820, 0x4008_7602, 0x5412, 0x541c, 0x5423, 0xc018_5879];
            for request in near.chain(never).chain([0, u32::MAX]) {
                for high in [0, 1 << 32, u64::MAX << 32] {
                    let arguments = [7, u64::from(request) | high, 7, 0, 0, 0];
                    assert_eq!(run(&found, ioctl, arguments).0, listed(&Vec::new(), ioctl, arguments));
                }
                assert!(!REQUESTS.contains(&request) || !never.contains(&request));
            }
        }
    }

    #[test]
    fn no_listed_call_lies_beyond_the_last() {
        assert!(
            REFUSED.iter().chain(SHARED).chain(ABSENT).chain(ATTRIBUTES).all(|call| *call <= i64::from(LAST))
        );
    }
}
