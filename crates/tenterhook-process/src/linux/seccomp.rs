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
/// The lower half of an argument; both processors are little-endian.
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}
/// The upper half of it.
const fn upper(index: u32) -> u32 {
    argument(index) + 4
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

/// The filter of a child that is left this much. `None` where the calls of this processor are not known.
pub(super) fn filter(confinement: &Confinement) -> Option<Filter> {
    let mut filter = vec![load(MACHINE), skip_if(ARCH?, 1), give(KILL), load(NUMBER)];
    if cfg!(target_arch = "x86_64") {
        filter.extend([jump(GREATER_OR_EQUAL, X32, 0, 1), give(UNKNOWN)]);
    }
    ALWAYS.iter().for_each(|call| refuse(&mut filter, *call, REFUSE));
    UNSEEN.iter().for_each(|call| refuse(&mut filter, *call, UNKNOWN));
    [TIOCSTI, TIOCLINUX].iter().for_each(|request| refuse_request(&mut filter, *request));
    for command in LEASES {
        let is_it = [load(argument(1)), skip_unless(command, 1), give(REFUSE)];
        when(&mut filter, libc::SYS_fcntl, &is_it);
    }
    only_itself(&mut filter);
    requests::keep_file_systems(&mut filter, confinement.attributes);
    if !confinement.attributes {
        requests::SETVERSION.iter().for_each(|n| refuse_request(&mut filter, *n));
        keep_attributes(&mut filter);
    }
    let makes_one = jump(HAS_BIT, STRANGERS, 0, 1);
    when(&mut filter, libc::SYS_clone, &[load(argument(0)), makes_one, give(REFUSE)]);
    match &confinement.net {
        Net::Open => {}
        // Also no socket of the machine itself: behind some stand daemons that start programs for any client.
        Net::Denied => {
            for call in [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
                refuse(&mut filter, call, REFUSE);
            }
            // The listener records this call and refuses it.
            if !confinement.watched {
                refuse(&mut filter, libc::SYS_socket, REFUSE);
            }
            only_lasting_pairs(&mut filter);
        }
        Net::TcpTo(_) => {
            only_tcp(&mut filter);
            only_lasting_pairs(&mut filter);
            // A socket that listens without a name gets a port that Landlock was not asked about.
            refuse(&mut filter, libc::SYS_listen, REFUSE);
        }
    }
    filter.push(give(ALLOW));
    Some(filter)
}

/// The filter that hands these calls to the listener, and lets others go on: what another filter refuses it refuses all the same.
pub(super) fn notifying(calls: impl Iterator<Item = c_long>) -> Option<Filter> {
    let mut filter = vec![load(MACHINE), skip_if(ARCH?, 1), give(ALLOW), load(NUMBER)];
    calls.for_each(|call| refuse(&mut filter, call, NOTIFY));
    filter.push(give(ALLOW));
    Some(filter)
}

/// Limits and priorities of the process itself only: with those of others it could end its host, and a
/// denial with it.
fn only_itself(filter: &mut Filter) {
    for (call, process) in OF_A_PROCESS {
        when(filter, *call, &[load(argument(*process)), skip_if(0, 1), give(REFUSE)]);
    }
    for (call, of_a_process) in OF_WHOM {
        let whom = [
            load(argument(0)),
            skip_unless(*of_a_process, 2),
            load(argument(1)),
            skip_if(0, 1),
            give(REFUSE),
        ];
        when(filter, *call, &whom);
    }
    // A call without a new limit only reads.
    when(
        filter,
        libc::SYS_prlimit64,
        &[
            load(argument(0)),
            skip_if(0, 5),
            load(argument(2)),
            skip_unless(0, 2),
            load(upper(2)),
            skip_if(0, 1),
            give(REFUSE),
        ],
    );
}

/// Modes, owners, attributes, and the times of what is named by a path; those of what is open are its writer's.
fn keep_attributes(filter: &mut Filter) {
    ATTRIBUTES.iter().for_each(|call| refuse(filter, *call, REFUSE));
    let names_a_path =
        [load(argument(1)), skip_unless(0, 2), load(upper(1)), skip_if(0, 1), give(REFUSE)];
    when(filter, libc::SYS_utimensat, &names_a_path);
}

fn refuse_request(filter: &mut Filter, request: u32) {
    when(filter, libc::SYS_ioctl, &[load(argument(1)), skip_unless(request, 1), give(REFUSE)]);
}

/// Plain TCP over the internet, whose ports Landlock knows: not MPTCP, and nothing that connects while it sends.
fn only_tcp(filter: &mut Filter) {
    let inet = [libc::AF_INET as u32, libc::AF_INET6 as u32];
    when(
        filter,
        libc::SYS_socket,
        &[
            load(argument(0)),
            jump(EQUAL, inet[0], 2, 0),
            skip_if(inet[1], 1),
            give(REFUSE),
            load(argument(1)),
            and(0xf),
            skip_if(libc::SOCK_STREAM as u32, 1),
            give(REFUSE),
            load(argument(2)),
            jump(EQUAL, 0, 2, 0),
            skip_if(libc::IPPROTO_TCP as u32, 1),
            give(REFUSE),
        ],
    );
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        let has_flag = jump(HAS_BIT, FAST_OPEN, 0, 1);
        when(filter, call, &[load(argument(flags)), has_flag, give(REFUSE)]);
    }
    let option = [load(argument(2)), skip_unless(TCP_FASTOPEN_CONNECT, 1), give(REFUSE)];
    when(filter, libc::SYS_setsockopt, &option);
}

/// Pairs of this machine's sockets whose ends stay with each other. An end of a pair of datagrams sends to any name.
fn only_lasting_pairs(filter: &mut Filter) {
    when(
        filter,
        libc::SYS_socketpair,
        &[
            load(argument(0)),
            skip_if(libc::AF_UNIX as u32, 1),
            give(REFUSE),
            load(argument(1)),
            and(0xf),
            jump(EQUAL, libc::SOCK_STREAM as u32, 2, 0),
            skip_if(libc::SOCK_SEQPACKET as u32, 1),
            give(REFUSE),
        ],
    );
}

fn refuse(filter: &mut Filter, call: c_long, how: u32) {
    when(filter, call, &[give(how)]);
}

/// What comes of `call`: `then`, and after it the number again for what follows.
fn when(filter: &mut Filter, call: c_long, then: &[libc::sock_filter]) {
    let over = u8::try_from(then.len() + 1).unwrap_or(u8::MAX);
    filter.push(skip_unless(call as u32, over));
    filter.extend_from_slice(then);
    filter.push(load(NUMBER));
}

const LOAD: u16 = 0x20;
const RETURN: u16 = 0x06;
const AND: u16 = 0x54;
const EQUAL: u16 = 0x15;
const GREATER_OR_EQUAL: u16 = 0x35;
const HAS_BIT: u16 = 0x45;

const fn load(offset: u32) -> libc::sock_filter {
    libc::sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

const fn give(answer: u32) -> libc::sock_filter {
    libc::sock_filter { code: RETURN, jt: 0, jf: 0, k: answer }
}

const fn and(bits: u32) -> libc::sock_filter {
    libc::sock_filter { code: AND, jt: 0, jf: 0, k: bits }
}

const fn jump(how: u16, value: u32, when_so: u8, otherwise: u8) -> libc::sock_filter {
    libc::sock_filter { code: how, jt: when_so, jf: otherwise, k: value }
}

const fn skip_if(value: u32, count: u8) -> libc::sock_filter {
    jump(EQUAL, value, count, 0)
}

const fn skip_unless(value: u32, count: u8) -> libc::sock_filter {
    jump(EQUAL, value, 0, count)
}
