//! What does a watched child ask for? Hears of its calls before they are made, writes down what they name, and lets them go on.
//!
//! Decides only one call, which the filter hands over: no socket is made where sockets are denied.
//! The log is for people, and no grant: a program may have changed a path by the time that its call
//! is made.
#![expect(unsafe_code, reason = "only raw requests receive the calls that a filter hands on")]

use std::ffi::{OsString, c_int, c_long};
use std::fs::File;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};

use super::seccomp::{self, Filter};
use crate::asked::{Asked, Wish};

/// The most entries that are stored for a run, more than a person reads.
const MOST: usize = 4096;
/// The longest path of the kernel, with its end.
const LONGEST_PATH: usize = 4096;

/// How a call is read.
#[derive(Clone, Copy)]
enum How {
    /// Opens what it names; the argument holds the flags.
    Open(usize),
    /// The same, with the flags behind a pointer.
    OpenBehind(usize),
    /// Changes what it names, there or not.
    Change,
    /// Makes it, where it is not there.
    Make,
    /// Changes or removes it, where it is there.
    Alter,
    Execute,
    Socket,
    /// The argument points to the peer's address.
    Connect(usize),
}

/// A path that a call names: the argument of its directory, where it has one, and of its text.
type Named = (Option<usize>, usize);

/// The calls that are recorded.
const CALLS: &[(c_long, How, &[Named])] = &[
    (libc::SYS_openat, How::Open(2), &[(Some(0), 1)]),
    (libc::SYS_openat2, How::OpenBehind(2), &[(Some(0), 1)]),
    (libc::SYS_mkdirat, How::Make, &[(Some(0), 1)]),
    (libc::SYS_mknodat, How::Make, &[(Some(0), 1)]),
    (libc::SYS_unlinkat, How::Alter, &[(Some(0), 1)]),
    (libc::SYS_symlinkat, How::Make, &[(Some(1), 2)]),
    (libc::SYS_linkat, How::Change, &[(Some(0), 1), (Some(2), 3)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_renameat, How::Change, &[(Some(0), 1), (Some(2), 3)]),
    (libc::SYS_renameat2, How::Change, &[(Some(0), 1), (Some(2), 3)]),
    (libc::SYS_truncate, How::Alter, &[(None, 0)]),
    (libc::SYS_execve, How::Execute, &[(None, 0)]),
    (libc::SYS_execveat, How::Execute, &[(Some(0), 1)]),
    (libc::SYS_socket, How::Socket, &[]),
    (libc::SYS_connect, How::Connect(1), &[]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, How::Open(1), &[(None, 0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, How::Change, &[(None, 0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, How::Make, &[(None, 0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, How::Alter, &[(None, 0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, How::Alter, &[(None, 0)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, How::Change, &[(None, 0), (None, 1)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, How::Change, &[(None, 0), (None, 1)]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_symlink, How::Make, &[(None, 1)]),
];

/// The requests recorded so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedLog(Arc<Mutex<Vec<Asked>>>);

impl AskedLog {
    /// Returns all recorded requests, each one once.
    pub(crate) fn entries(&self) -> Vec<Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add_request_once(&self, asked: Asked) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MOST && !all.contains(&asked) {
            all.push(asked);
        }
    }
}

/// What a child needs to be watched.
pub(crate) struct Watch {
    /// The socket on which it hands over the descriptor that receives its calls.
    pub(super) theirs: OwnedFd,
    pub(super) filter: Filter,
    pub(super) asked_log: AskedLog,
}

impl Watch {
    /// Starts to listen for a child that may, or may not, use sockets.
    pub(super) fn start(may_talk: bool) -> Result<Self, Errno> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let calls = CALLS.iter().map(|(call, ..)| *call);
        let filter = seccomp::build_notify_filter(calls).ok_or(Errno::OPNOTSUPP)?;
        let asked_log = AskedLog::default();
        let listener = Listener { asked_log: asked_log.clone(), may_talk };
        // The child's first call waits for it, while the thread that starts the child waits for the child.
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || listener.serve_children(&ours))
            .map_err(|_| Errno::AGAIN)?;
        Ok(Self { theirs: super::launch::move_above_child_fds(theirs)?, filter, asked_log })
    }
}

/// As the kernel has a call that waits for an answer.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Notice {
    id: u64,
    pid: u32,
    flags: u32,
    number: c_int,
    machine: u32,
    pointer: u64,
    args: [u64; 6],
}

/// And the answer.
#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

const RECEIVE: u64 = 0xc050_2100;
const SEND: u64 = 0xc018_2101;
const IS_VALID: u64 = 0x4008_2102;
const GOES_ON: u32 = 1;

struct Listener {
    asked_log: AskedLog,
    may_talk: bool,
}

impl Listener {
    /// Serves one child after the other, because a start may be retried, until no further one can
    /// come.
    fn serve_children(&self, ours: &OwnedFd) {
        while let Some(calls) = receive_listener(ours) {
            self.answer_calls(&calls);
        }
    }

    /// Records and answers calls until all processes that make them have ended.
    fn answer_calls(&self, calls: &OwnedFd) {
        // Until then the child is no program yet, and tries whether its confinement holds.
        let mut is_program = false;
        loop {
            let mut both = [PollFd::new(calls, PollFlags::IN)];
            match poll(&mut both, None) {
                Err(Errno::INTR) => continue,
                Err(_) => return,
                Ok(_) if !both[0].revents().contains(PollFlags::IN) => return,
                Ok(_) => {}
            }
            let mut notice = Notice::default();
            // SAFETY: the kernel writes the structure that it names by this request, which has its size.
            if unsafe { libc::ioctl(calls.as_raw_fd(), RECEIVE as _, &raw mut notice) } < 0 {
                // The caller was killed meanwhile.
                continue;
            }
            let number = c_long::from(notice.number);
            let executes = [libc::SYS_execve, libc::SYS_execveat].contains(&number);
            // A socket alone connects to nothing, where ports are granted.
            let is_recorded = is_program && (!self.may_talk || number != libc::SYS_socket);
            is_program |= executes;
            let wishes = if is_recorded { requested_accesses(&notice) } else { Vec::new() };
            // SAFETY: the kernel reads a number.
            let valid =
                unsafe { libc::ioctl(calls.as_raw_fd(), IS_VALID as _, &raw const notice.id) };
            if valid == 0 {
                let program = program_name(notice.pid);
                let add = |wish| {
                    self.asked_log.add_request_once(Asked { program: program.clone(), wish })
                };
                wishes.into_iter().for_each(add);
            }
            let answer = self.answer_to_notice(&notice);
            // SAFETY: the kernel reads the structure that it names by this request. It fails where the caller is gone.
            unsafe { libc::ioctl(calls.as_raw_fd(), SEND as _, &raw const answer) };
        }
    }

    fn answer_to_notice(&self, notice: &Notice) -> Answer {
        let refused = c_long::from(notice.number) == libc::SYS_socket && !self.may_talk;
        let (error, flags) = if refused { (-libc::EPERM, 0) } else { (0, GOES_ON) };
        Answer { id: notice.id, value: 0, error, flags }
    }
}

/// Receives the descriptor that is notified of the next child's calls.
fn receive_listener(ours: &OwnedFd) -> Option<OwnedFd> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    loop {
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let into = &mut [IoSliceMut::new(&mut byte)];
        match recvmsg(ours, into, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            Err(_) => return None,
            Ok(message) if message.bytes == 0 => return None,
            Ok(_) => {}
        }
        return control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut all) => all.next(),
            _ => None,
        });
    }
}

/// Returns the accesses that a call requests.
fn requested_accesses(notice: &Notice) -> Vec<Wish> {
    let call = c_long::from(notice.number);
    let Some((_, how, named)) = CALLS.iter().find(|(known, ..)| *known == call) else {
        return Vec::new();
    };
    let memory = File::open(format!("/proc/{}/mem", notice.pid)).ok();
    let paths =
        || named.iter().filter_map(|pair| read_path_argument(notice, memory.as_ref()?, *pair));
    let argument = |at: usize| notice.args.get(at).copied().unwrap_or_default();
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
    let opens = |flags: u64| -> Vec<Wish> {
        let flags = flags as c_int;
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        let makes = |path: &PathBuf| flags & libc::O_CREAT != 0 && !is_there(path);
        let wish = |path: PathBuf| match writes || makes(&path) {
            true => Some(Wish::Change(path)),
            false => is_there(&path).then_some(Wish::Read(path)),
        };
        // That opens nothing of it.
        let is_name_alone = flags & libc::O_PATH != 0;
        paths().filter(|_| !is_name_alone).filter_map(wish).collect()
    };
    match how {
        How::Open(flags) => opens(argument(*flags)),
        How::OpenBehind(at) => {
            let flags = memory.as_ref().and_then(|memory| read_u64(memory, argument(*at)));
            flags.map(opens).unwrap_or_default()
        }
        How::Change => paths().map(Wish::Change).collect(),
        // Without a sandbox, too, what is there is not made, and what is not is not removed.
        How::Alter => paths().filter(is_there).map(Wish::Change).collect(),
        How::Make => paths().filter(|path| !is_there(path)).map(Wish::Change).collect(),
        How::Execute => paths().filter(is_there).map(Wish::Execute).collect(),
        // Sockets of the machine itself are requested by every lookup of a user.
        How::Socket => {
            let family = argument(0) as c_int;
            let is_inet = [libc::AF_INET, libc::AF_INET6].contains(&family);
            is_inet.then_some(Wish::Reach(None)).into_iter().collect()
        }
        How::Connect(at) => memory
            .as_ref()
            .and_then(|memory| read_peer_port(memory, argument(*at)))
            .into_iter()
            .collect(),
    }
}

fn read_path_argument(notice: &Notice, memory: &File, (directory, text): Named) -> Option<PathBuf> {
    let text = read_c_string(memory, *notice.args.get(text)?)?;
    if text.as_os_str().is_empty() || text.is_absolute() {
        return text.is_absolute().then_some(text);
    }
    let own = format!("/proc/{}", notice.pid);
    let from = match directory.and_then(|at| notice.args.get(at)).map(|arg| *arg as c_int) {
        None | Some(libc::AT_FDCWD) => format!("{own}/cwd"),
        Some(number) => format!("{own}/fd/{number}"),
    };
    Some(std::fs::read_link(from).ok()?.join(text))
}

fn read_c_string(memory: &File, at: u64) -> Option<PathBuf> {
    let mut bytes = vec![0; LONGEST_PATH];
    // What lies behind the text may not be there.
    let read = memory.read_at(&mut bytes, at).ok()?;
    let end = bytes.get(..read)?.iter().position(|byte| *byte == 0)?;
    bytes.truncate(end);
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

fn read_u64(memory: &File, at: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    memory.read_exact_at(&mut bytes, at).ok()?;
    Some(u64::from_ne_bytes(bytes))
}

/// Returns the port of a peer's address, if it is an internet address.
fn read_peer_port(memory: &File, at: u64) -> Option<Wish> {
    let mut bytes = [0; 4];
    memory.read_exact_at(&mut bytes, at).ok()?;
    let [a, b, c, d] = bytes;
    let family = c_int::from(u16::from_ne_bytes([a, b]));
    [libc::AF_INET, libc::AF_INET6]
        .contains(&family)
        .then(|| Wish::Reach(Some(u16::from_be_bytes([c, d]))))
}

/// Returns the name of a program as the kernel knows it.
fn program_name(pid: u32) -> String {
    let name = std::fs::read(Path::new("/proc").join(pid.to_string()).join("comm"));
    String::from_utf8_lossy(&name.unwrap_or_default()).trim().to_owned()
}
