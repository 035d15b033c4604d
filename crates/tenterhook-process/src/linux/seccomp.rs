//! Which system calls a confined child is refused, as the filter that the kernel runs. Values only: the child installs it.
//!
//! Landlock knows files and TCP. What it does not know is refused here: other families of sockets and other ways to a
//! peer, tracing, other processes' memory and limits, the attributes of files, and the doors of the kernel that ordinary programs never
//! use. A refused call fails with `EPERM`, so that a program can go on without.

mod requests;

use std::ffi::c_long;

use crate::confine::{Confinement, Net};

pub(super) type Filter = Vec<libc::sock_filter>;

#[cfg(target_arch = "x86_64")]
const ARCH: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCH: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCH: Option<u32> = None;

/// Whether the calls of this processor are known.
pub(super) const KNOWN: bool = ARCH.is_some();

/// Calls of the other table of x86-64 have this bit; they would pass by their numbers.
const X32: u32 = 0x4000_0000;

const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
/// Returns the offset of the lower half of an argument; both supported processors are
/// little-endian.
const fn lower_argument_offset(index: u32) -> u32 {
    16 + 8 * index
}
/// Returns the offset of the upper half of an argument.
const fn upper_argument_offset(index: u32) -> u32 {
    lower_argument_offset(index) + 4
}

const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000 | libc::EPERM as u32;
/// As a kernel answers that does not have the call: programs then take the older one.
const UNKNOWN: u32 = 0x0005_0000 | libc::ENOSYS as u32;
const KILL: u32 = 0x8000_0000;
/// Waits for the listener.
const NOTIFY: u32 = 0x7fc0_0000;

/// Refused to every confined child. `io_uring` would open sockets past the filter.
const ALWAYS: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    // Memory and queues of System V have separate names, which Landlock does not know.
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
];

/// Refused where attributes of files are not granted. Landlock has no right for them: a process that may change the mode of one file of
/// the user's may change those of all, and a guard that is not executable guards nothing.
const ATTRIBUTES: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

// Calls of kernels that are younger than the headers; the same numbers on every processor.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// Calls on a process by its number, and the argument that holds it; 0 is the caller itself.
const OF_A_PROCESS: &[(c_long, u32)] = &[
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// The same, where the first argument says whether the second one means a process, with the number that says so: of a user, 0 is the caller's,
/// with all its processes.
const OF_WHOM: &[(c_long, u32)] =
    &[(libc::SYS_setpriority, PRIO_PROCESS), (SYS_IOPRIO_SET, IOPRIO_WHO_PROCESS)];
const PRIO_PROCESS: u32 = 0;
const IOPRIO_WHO_PROCESS: u32 = 1;

#[cfg(target_arch = "x86_64")]
const SYS_IOPRIO_SET: c_long = 251;
#[cfg(not(target_arch = "x86_64"))]
const SYS_IOPRIO_SET: c_long = 30;

/// Refused as unknown: `clone3` hides its flags behind a pointer, where no filter sees them, and libraries then take `clone`.
const UNSEEN: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
];

/// The flags of `clone` that make a namespace, in which a program has all powers, or a sibling of
/// the caller, which no search would find when the run is over.
const STRANGERS: u32 = (libc::CLONE_PARENT
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// A process that opens a file with a lease waits for its holder: a guard, until its time is up.
const LEASES: [u32; 3] = [libc::F_SETLEASE as u32, libc::F_NOTIFY as u32, F_SETDELEG];
const F_SETDELEG: u32 = 1040;

const FAST_OPEN: u32 = 0x2000_0000;
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const TCP_FASTOPEN_CONNECT: u32 = 30;

/// Builds the filter for a confinement. Returns `None` if the calls of this processor are not
/// known.
pub(super) fn build_filter(confinement: &Confinement) -> Option<Filter> {
    let mut filter = vec![
        load_instruction(MACHINE),
        skip_if_equal(ARCH?, 1),
        return_instruction(KILL),
        load_instruction(NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        filter.extend([jump_instruction(GREATER_OR_EQUAL, X32, 0, 1), return_instruction(UNKNOWN)]);
    }
    ALWAYS.iter().for_each(|call| deny_call(&mut filter, *call, REFUSE));
    UNSEEN.iter().for_each(|call| deny_call(&mut filter, *call, UNKNOWN));
    [TIOCSTI, TIOCLINUX].iter().for_each(|request| deny_ioctl_request(&mut filter, *request));
    for command in LEASES {
        let is_it = [
            load_instruction(lower_argument_offset(1)),
            skip_unless_equal(command, 1),
            return_instruction(REFUSE),
        ];
        add_branch_for_call(&mut filter, libc::SYS_fcntl, &is_it);
    }
    allow_only_own_limit_changes(&mut filter);
    requests::deny_file_system_requests(&mut filter, confinement.attributes);
    if !confinement.attributes {
        requests::SETVERSION.iter().for_each(|n| deny_ioctl_request(&mut filter, *n));
        deny_attribute_changes(&mut filter);
    }
    let makes_one = jump_instruction(HAS_BIT, STRANGERS, 0, 1);
    add_branch_for_call(
        &mut filter,
        libc::SYS_clone,
        &[load_instruction(lower_argument_offset(0)), makes_one, return_instruction(REFUSE)],
    );
    match &confinement.net {
        Net::Open => {}
        // Also no socket of the machine itself: behind some stand daemons that start programs for any client.
        Net::Denied => {
            for call in [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
                deny_call(&mut filter, call, REFUSE);
            }
            // The listener records this call and refuses it.
            if !confinement.watched {
                deny_call(&mut filter, libc::SYS_socket, REFUSE);
            }
            deny_datagram_pairs(&mut filter);
        }
        Net::TcpTo(_) => {
            allow_only_tcp(&mut filter);
            deny_datagram_pairs(&mut filter);
            // A socket that listens without a name gets a port that Landlock was not asked about.
            deny_call(&mut filter, libc::SYS_listen, REFUSE);
        }
    }
    filter.push(return_instruction(ALLOW));
    Some(filter)
}

/// Builds the filter that sends these calls to the listener and lets others continue. What another
/// filter denies stays denied.
pub(super) fn build_notify_filter(calls: impl Iterator<Item = c_long>) -> Option<Filter> {
    let mut filter = vec![
        load_instruction(MACHINE),
        skip_if_equal(ARCH?, 1),
        return_instruction(ALLOW),
        load_instruction(NUMBER),
    ];
    calls.for_each(|call| deny_call(&mut filter, call, NOTIFY));
    filter.push(return_instruction(ALLOW));
    Some(filter)
}

/// Allows to change limits and priorities of the calling process only: with those of others it
/// could end its host, and a denial with it.
fn allow_only_own_limit_changes(filter: &mut Filter) {
    for (call, process) in OF_A_PROCESS {
        add_branch_for_call(
            filter,
            *call,
            &[
                load_instruction(lower_argument_offset(*process)),
                skip_if_equal(0, 1),
                return_instruction(REFUSE),
            ],
        );
    }
    for (call, of_a_process) in OF_WHOM {
        let whom = [
            load_instruction(lower_argument_offset(0)),
            skip_unless_equal(*of_a_process, 2),
            load_instruction(lower_argument_offset(1)),
            skip_if_equal(0, 1),
            return_instruction(REFUSE),
        ];
        add_branch_for_call(filter, *call, &whom);
    }
    // A call without a new limit only reads.
    add_branch_for_call(
        filter,
        libc::SYS_prlimit64,
        &[
            load_instruction(lower_argument_offset(0)),
            skip_if_equal(0, 5),
            load_instruction(lower_argument_offset(2)),
            skip_unless_equal(0, 2),
            load_instruction(upper_argument_offset(2)),
            skip_if_equal(0, 1),
            return_instruction(REFUSE),
        ],
    );
}

/// Denies changes of modes, owners, attributes, and times of named paths. Those of open files are
/// up to their writer.
fn deny_attribute_changes(filter: &mut Filter) {
    ATTRIBUTES.iter().for_each(|call| deny_call(filter, *call, REFUSE));
    let names_a_path = [
        load_instruction(lower_argument_offset(1)),
        skip_unless_equal(0, 2),
        load_instruction(upper_argument_offset(1)),
        skip_if_equal(0, 1),
        return_instruction(REFUSE),
    ];
    add_branch_for_call(filter, libc::SYS_utimensat, &names_a_path);
}

fn deny_ioctl_request(filter: &mut Filter, request: u32) {
    add_branch_for_call(
        filter,
        libc::SYS_ioctl,
        &[
            load_instruction(lower_argument_offset(1)),
            skip_unless_equal(request, 1),
            return_instruction(REFUSE),
        ],
    );
}

/// Allows only plain TCP over the internet, whose ports Landlock knows: not MPTCP, and nothing that
/// connects while it sends.
fn allow_only_tcp(filter: &mut Filter) {
    let inet = [libc::AF_INET as u32, libc::AF_INET6 as u32];
    add_branch_for_call(
        filter,
        libc::SYS_socket,
        &[
            load_instruction(lower_argument_offset(0)),
            jump_instruction(EQUAL, inet[0], 2, 0),
            skip_if_equal(inet[1], 1),
            return_instruction(REFUSE),
            load_instruction(lower_argument_offset(1)),
            and_instruction(0xf),
            skip_if_equal(libc::SOCK_STREAM as u32, 1),
            return_instruction(REFUSE),
            load_instruction(lower_argument_offset(2)),
            jump_instruction(EQUAL, 0, 2, 0),
            skip_if_equal(libc::IPPROTO_TCP as u32, 1),
            return_instruction(REFUSE),
        ],
    );
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        let has_flag = jump_instruction(HAS_BIT, FAST_OPEN, 0, 1);
        add_branch_for_call(
            filter,
            call,
            &[load_instruction(lower_argument_offset(flags)), has_flag, return_instruction(REFUSE)],
        );
    }
    let option = [
        load_instruction(lower_argument_offset(2)),
        skip_unless_equal(TCP_FASTOPEN_CONNECT, 1),
        return_instruction(REFUSE),
    ];
    add_branch_for_call(filter, libc::SYS_setsockopt, &option);
}

/// Allows only socket pairs whose ends stay connected to each other. An end of a datagram pair
/// could send to any address.
fn deny_datagram_pairs(filter: &mut Filter) {
    add_branch_for_call(
        filter,
        libc::SYS_socketpair,
        &[
            load_instruction(lower_argument_offset(0)),
            skip_if_equal(libc::AF_UNIX as u32, 1),
            return_instruction(REFUSE),
            load_instruction(lower_argument_offset(1)),
            and_instruction(0xf),
            jump_instruction(EQUAL, libc::SOCK_STREAM as u32, 2, 0),
            skip_if_equal(libc::SOCK_SEQPACKET as u32, 1),
            return_instruction(REFUSE),
        ],
    );
}

fn deny_call(filter: &mut Filter, call: c_long, how: u32) {
    add_branch_for_call(filter, call, &[return_instruction(how)]);
}

/// Adds `then` for `call`, and reloads the call number for what follows.
fn add_branch_for_call(filter: &mut Filter, call: c_long, then: &[libc::sock_filter]) {
    let over = u8::try_from(then.len() + 1).unwrap_or(u8::MAX);
    filter.push(skip_unless_equal(call as u32, over));
    filter.extend_from_slice(then);
    filter.push(load_instruction(NUMBER));
}

const LOAD: u16 = 0x20;
const RETURN: u16 = 0x06;
const AND: u16 = 0x54;
const EQUAL: u16 = 0x15;
const GREATER_OR_EQUAL: u16 = 0x35;
const HAS_BIT: u16 = 0x45;

const fn load_instruction(offset: u32) -> libc::sock_filter {
    libc::sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

const fn return_instruction(answer: u32) -> libc::sock_filter {
    libc::sock_filter { code: RETURN, jt: 0, jf: 0, k: answer }
}

const fn and_instruction(bits: u32) -> libc::sock_filter {
    libc::sock_filter { code: AND, jt: 0, jf: 0, k: bits }
}

const fn jump_instruction(how: u16, value: u32, when_so: u8, otherwise: u8) -> libc::sock_filter {
    libc::sock_filter { code: how, jt: when_so, jf: otherwise, k: value }
}

const fn skip_if_equal(value: u32, count: u8) -> libc::sock_filter {
    jump_instruction(EQUAL, value, count, 0)
}

const fn skip_unless_equal(value: u32, count: u8) -> libc::sock_filter {
    jump_instruction(EQUAL, value, 0, count)
}
