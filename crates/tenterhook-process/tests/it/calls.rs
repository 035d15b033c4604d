//! Which calls is a confined child refused, whatever files and peers it is granted? Tried by real children (zoo 30, 51).

use tenterhook_process::{End, Net, Tier, available_sandbox_means};

use crate::confines::{PYTHON, allowed, can, has_python, play, refused, system, writable};
use crate::scene::Folder;

/// A pair of datagram sockets is no pair for long: each end may send to any name, a daemon's too.
///
#[test]
fn zoo_51_a_pair_of_sockets_leads_to_no_third() {
    if !can() || !has_python() {
        return;
    }
    let folder = Folder::new();
    let place = folder.path().join("daemon");
    let _daemon = std::os::unix::net::UnixDatagram::bind(&place).unwrap();
    for kind in ["SOCK_DGRAM", "SOCK_RAW"] {
        let line = format!(
            "{PYTHON} 'import socket; socket.socketpair(socket.AF_UNIX, socket.{kind})[0].sendto(b\"x\", \"{}\")'",
            place.display()
        );
        refused(&line, writable(folder.path()));
        let mut port = writable(folder.path());
        port.net = Net::TcpTo(vec![443]);
        if available_sandbox_means().landlock >= 4 {
            refused(&line, port);
        }
    }
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        let pair =
            format!("{PYTHON} 'import socket; socket.socketpair(socket.AF_UNIX, socket.{kind})'");
        allowed(&pair, system(Tier::T1));
    }
}

/// The kernel gives a socket that listens without a name a port, which no rule about ports covers.
///
#[test]
fn zoo_51_who_may_connect_does_not_listen() {
    if !can() || !has_python() || available_sandbox_means().landlock < 4 {
        return;
    }
    let mut port = system(Tier::T1);
    port.net = Net::TcpTo(vec![443]);
    refused(&format!("{PYTHON} 'import socket; socket.socket().listen()'"), port);
}

/// In a new user namespace a program has all powers over it, and with them doors of the kernel that are shut to users.
///
#[test]
fn no_namespace_is_made() {
    if !can() || !has_python() {
        return;
    }
    const USER: &str = "0x10000000";
    let line =
        format!("{PYTHON} 'import ctypes, os; os._exit(ctypes.CDLL(None).unshare({USER}) != 0)'");
    // A machine may forbid it to everybody.
    if play(&line, None).report.end == End::Exited(0) {
        refused(&line, system(Tier::T1));
    }
    if cfg!(target_arch = "x86_64") {
        let clone = format!(
            "{PYTHON} 'import ctypes, os; c = ctypes.CDLL(None); p = c.syscall(56, {USER} | 17, 0, 0, 0, 0); p or os._exit(0); os._exit(p < 0)'"
        );
        if play(&clone, None).report.end == End::Exited(0) {
            refused(&clone, system(Tier::T1));
        }
    }
    allowed("true & wait $! && (true | cat)", system(Tier::T1));
    allowed(
        &format!("{PYTHON} 'import threading; threading.Thread(target=print).start()'"),
        system(Tier::T1),
    );
}

/// The limits of a process of the same user are anybody's to set, and one of them ends it: the host, and with it a denial.
///
#[test]
fn zoo_30_the_limits_of_the_host_are_its_own() {
    if !can() || !has_python() {
        return;
    }
    let own = std::process::id();
    // With the limit that it has: where it may be set, nothing is lost.
    let set = |process: u32| {
        format!(
            "{PYTHON} 'import resource as r; r.prlimit({process}, r.RLIMIT_NOFILE, r.prlimit({own}, r.RLIMIT_NOFILE))'"
        )
    };
    refused(&set(own), system(Tier::T1));
    // To ask is no harm, of whomever it sees.
    allowed(
        &format!("{PYTHON} 'import os, resource as r; r.prlimit(os.getppid(), r.RLIMIT_NOFILE)'"),
        system(Tier::T1),
    );
    allowed(
        &format!("{PYTHON} 'import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (64, 64))'"),
        system(Tier::T1),
    );
    let nice = |process: u32| {
        format!("{PYTHON} 'import os; os.setpriority(os.PRIO_PROCESS, {process}, 19)'")
    };
    // A host that is nice afterwards is slower, which costs this test nothing.
    let played = play(&nice(own), Some(system(Tier::T1)));
    assert_eq!(played.report.end, End::Exited(1));
    allowed(&nice(0), system(Tier::T1));
    // All processes of the caller's user.
    let all = format!(
        "{PYTHON} 'import os; os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_USER, 0))'"
    );
    refused(&all, system(Tier::T1));
}

/// Landlock has no right for modes, owners and attributes: a program that could change one could take the x from a guard.
///
#[test]
fn what_a_file_is_stays_as_it_is() {
    if !can() || !has_python() {
        return;
    }
    let folder = Folder::new();
    let file = folder.path().join("guard");
    std::fs::write(&file, "x").unwrap();
    let name = file.display();
    for line in [
        format!("chmod 600 {name}"),
        format!("chown \"$(id -u)\" {name}"),
        format!("touch -d 2001-01-01 -h {name}"),
        format!("{PYTHON} 'import os; os.chmod(os.open(\"{name}\", 0), 0o600)'"),
        format!("{PYTHON} 'import os; os.utime(\"{name}\", (1, 1))'"),
        format!("{PYTHON} 'import os; os.chown(\"{name}\", -1, -1, follow_symlinks=False)'"),
        // fchmodat2, which older libraries do not know.
        format!(
            "{PYTHON} 'import ctypes, os; os._exit(ctypes.CDLL(None).syscall(452, -100, b\"{name}\", 0o600, 0) != 0)'"
        ),
    ] {
        // A kernel before 6.6 has no such call.
        if play(&line, None).report.end != End::Exited(0) {
            assert!(line.contains("452"), "never works: {line}");
            continue;
        }
        let played = play(&line, Some(writable(folder.path())));
        assert_ne!(played.report.end, End::Exited(0), "reached: {line}");
        let mut granted = writable(folder.path());
        granted.attributes = true;
        allowed(&line, granted);
    }
    // The times of what it writes are its own affair.
    allowed(&format!("touch -d 2001-01-01 {name}"), writable(folder.path()));
}

/// Requests to file systems go through any descriptor: one of them makes a directory where nothing may be made, others shut files to everybody.
///
#[test]
fn no_file_system_is_asked_for_a_change() {
    if !can() || !has_python() {
        return;
    }
    let folder = Folder::new();
    let name = folder.path().display();
    let error = |request: u32| {
        format!(
            "{PYTHON} 'import fcntl, os\ntry: fcntl.ioctl(os.open(\"{name}\", 0), {request}, bytearray(4096))\nexcept OSError as it: os._exit(it.errno)'"
        )
    };
    // Subvolumes and snapshots of btrfs; encryption keys, policies and verity; XFS; FAT.
    for request in [
        0x5000_940e_u32,
        0x5000_9401,
        0x5000_9417,
        0xc040_6618,
        0xc050_6617,
        0x800c_6613,
        0x4080_6685,
        0x4008_6604,
        0x4008_6602,
        0x401c_5820,
        0xc040_5881,
        0x4004_7211,
    ] {
        let line = error(request);
        let inside = play(&line, Some(writable(folder.path()))).report.end;
        assert_eq!(inside, End::Exited(rustix::io::Errno::PERM.raw_os_error()), "{request:x}");
    }
    // What asks, and what copies, is for the file system to say.
    for request in [0x8008_6601_u32, 0x801c_581f, 0xc020_660b, 0x4004_9409] {
        let line = error(request);
        let outside = play(&line, None).report.end;
        let inside = play(&line, Some(writable(folder.path()))).report.end;
        assert_eq!(inside, outside, "{request:x}");
    }
    // Attributes are granted, and nothing beside them.
    let mut granted = writable(folder.path());
    granted.attributes = true;
    let refused = |request: u32| {
        let end = play(&error(request), Some(granted.clone())).report.end;
        end == End::Exited(rustix::io::Errno::PERM.raw_os_error())
    };
    assert!(refused(0x5000_940e) && refused(0xc040_6618));
    assert_eq!(
        play(&error(0x4008_6602), None).report.end,
        play(&error(0x4008_6602), Some(granted.clone())).report.end
    );
}

/// A process that opens a file on which a different process has a lease waits for that process: a
/// guard waits until its time is up.
///
#[test]
fn open_does_not_wait_for_a_lease() {
    if !can() || !has_python() {
        return;
    }
    let folder = Folder::new();
    let file = folder.path().join("policy");
    std::fs::write(&file, "x").unwrap();
    let lease = format!(
        "{PYTHON} 'import fcntl, os; fcntl.fcntl(os.open(\"{}\", 0), fcntl.F_SETLEASE, fcntl.F_RDLCK)'",
        file.display()
    );
    refused(&lease, writable(folder.path()));
}

/// A child that its grandparent owns would outlive the run, so it is refused.
///
#[test]
fn no_sister_is_made() {
    if !can() || !has_python() {
        return;
    }
    // CLONE_PARENT and SIGCHLD; the child ends at once.
    let number = if cfg!(target_arch = "x86_64") { 56 } else { 220 };
    let line = format!(
        "{PYTHON} 'import ctypes, os; pid = ctypes.CDLL(None).syscall({number}, 0x8011, 0, 0, 0, 0); os._exit(pid < 0)'"
    );
    refused(&line, system(Tier::T1));
}

/// Memory that is shared by number has no name that Landlock knows.
///
#[test]
fn no_memory_of_others_is_reached_by_number() {
    if !can() || !has_python() {
        return;
    }
    // IPC_PRIVATE, a page, 0600; removed at once where it was made.
    let line = format!(
        "{PYTHON} 'import ctypes, os; c = ctypes.CDLL(None); it = c.shmget(0, 4096, 0o600); c.shmctl(it, 0, None); os._exit(it < 0)'"
    );
    refused(&line, system(Tier::T1));
}
