//! What a confined child reaches, tried by real children: files, peers, other processes (zoo 30, 44, 49, 50, 51).
//!
//! Each refusal is tried unconfined as well: what fails anyway proves nothing.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;

use tenterhook_process::{Command, Confinement, End, Means, Net, Step, Tier, means};

use crate::scene::{Folder, Played, Scene, not_started};

const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev/null", "/dev/urandom"];

pub(crate) fn system(at_least: Tier) -> Confinement {
    let mut confinement = Confinement::new(at_least);
    confinement.read.extend(SYSTEM.iter().map(Into::into));
    confinement.write.push("/dev/null".into());
    confinement
}

/// Whether this machine can confine at all. Where it cannot there is nothing to try but that it says so.
fn can() -> bool {
    means().tier() >= Tier::T1
}

pub(crate) fn play(line: &str, confine: Option<Confinement>) -> Played {
    let mut scene = Scene::of(Command::shell(line, "/")).env("PATH", "/usr/bin:/bin");
    scene.command.confine = confine;
    scene.play()
}

/// Plays `line` with all rights, where it works, and confined, where it does not.
fn refused(line: &str, confinement: Confinement) {
    play(line, None).ended(End::Exited(0));
    let played = play(line, Some(confinement));
    assert_eq!(played.report.tier, Tier::T1, "{:?}", played.report);
    assert_ne!(played.report.end, End::Exited(0), "reached: {line}");
    assert!(matches!(played.report.end, End::Exited(_)), "{:?}", played.report);
}

fn allowed(line: &str, confinement: Confinement) {
    let played = play(line, Some(confinement));
    assert_eq!(played.report.tier, Tier::T1, "{:?}", played.report);
    played.ended(End::Exited(0));
}

fn writable(path: &Path) -> Confinement {
    let mut confinement = system(Tier::T1);
    confinement.write.push(path.into());
    confinement
}

fn readable(path: &Path) -> Confinement {
    let mut confinement = system(Tier::T1);
    confinement.read.push(path.into());
    confinement
}

#[test]
fn zoo_50_a_file_that_is_not_granted_is_not_read() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let secret = folder.file("secret", "key");
    let line = format!("cat {}", secret.display());
    refused(&line, system(Tier::T1));
    allowed(&line, readable(folder.path()));
    allowed(&line, readable(&secret));
}

#[test]
fn zoo_50_a_link_leads_to_nothing_that_is_not_granted() {
    if !can() {
        return;
    }
    let (open, closed) = (Folder::new(), Folder::new());
    let secret = closed.file("secret", "key");
    std::os::unix::fs::symlink(&secret, open.path().join("link")).unwrap();
    refused(&format!("cat {}/link", open.path().display()), readable(open.path()));
}

#[test]
fn what_may_be_read_is_not_changed() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let file = folder.file("file", "text");
    let (dir, file) = (folder.path().display(), file.display());
    for line in [
        format!("echo more >> {file}"),
        format!("truncate -s 0 {file}"),
        format!("echo new > {dir}/new && rm {dir}/new"),
        format!("mkdir {dir}/sub && rmdir {dir}/sub"),
        format!("ln -s x {dir}/link && rm {dir}/link"),
        format!("mv {file} {file}.moved && mv {file}.moved {file}"),
    ] {
        refused(&line, readable(folder.path()));
        allowed(&line, writable(folder.path()));
    }
}

#[test]
fn zoo_44_what_is_never_written_is_neither_changed_nor_made() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let dir = folder.path().display();
    folder.file("settings", "{}");
    for sub in ["src", "empty"] {
        std::fs::create_dir(folder.path().join(sub)).unwrap();
    }
    let confinement = || {
        let mut confinement = writable(folder.path());
        for name in ["settings", "absent/settings", "empty/settings"] {
            confinement.never.push(folder.path().join(name));
        }
        confinement
    };
    for line in [
        format!("echo x >> {dir}/settings"),
        format!("mkdir {dir}/absent && rmdir {dir}/absent"),
        format!("echo x > {dir}/empty/settings && rm {dir}/empty/settings"),
        format!("mv {dir}/settings {dir}/src/ && mv {dir}/src/settings {dir}/"),
        format!("ln {dir}/settings {dir}/src/hard && rm {dir}/src/hard"),
        format!("mv {dir}/empty {dir}/src/ && mv {dir}/src/empty {dir}/"),
    ] {
        refused(&line, confinement());
    }
    allowed(&format!("cat {dir}/settings && echo x > {dir}/src/new"), confinement());
}

#[test]
fn a_path_that_is_not_there_grants_nothing_and_spoils_nothing() {
    if !can() {
        return;
    }
    let mut confinement = system(Tier::T1);
    confinement.read.push("/nowhere/at/all".into());
    confinement.write.push("/nowhere/at/all".into());
    allowed("true", confinement);
}

/// A listener that answers everybody, and its port.
fn listener() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // Whether anybody reads it is the test's affair.
            let _ = stream.and_then(|mut it| it.write_all(b"hello\n"));
        }
    });
    port
}

const PYTHON: &str = "python3 -I -c";

fn has_python() -> bool {
    play(&format!("{PYTHON} pass"), None).report.end == End::Exited(0)
}

fn connects(port: u16) -> String {
    format!("{PYTHON} 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'")
}

#[test]
fn zoo_51_no_channel_leads_out() {
    if !can() || !has_python() {
        return;
    }
    let port = listener();
    refused(&connects(port), system(Tier::T1));
    let make = |what: &str| format!("{PYTHON} 'import socket; socket.socket({what})'");
    for channel in [
        "socket.AF_INET, socket.SOCK_DGRAM",
        "socket.AF_INET6, socket.SOCK_STREAM",
        "socket.AF_UNIX, socket.SOCK_STREAM",
        "socket.AF_UNIX, socket.SOCK_DGRAM",
        "socket.AF_NETLINK, socket.SOCK_RAW, 0",
    ] {
        refused(&make(channel), system(Tier::T1));
    }
    let pair = format!("{PYTHON} 'import socket; socket.socketpair()'");
    allowed(&pair, system(Tier::T1));
    let mut open = system(Tier::T1);
    open.net = Net::Open;
    allowed(&connects(port), open);
}

#[test]
fn zoo_51_a_granted_port_is_the_only_one_and_tcp_the_only_way() {
    if !can() || !has_python() || means().landlock < 4 {
        return;
    }
    let (granted, other) = (listener(), listener());
    let only = || {
        let mut confinement = system(Tier::T1);
        confinement.net = Net::TcpTo(vec![granted]);
        confinement
    };
    allowed(&connects(granted), only());
    refused(&connects(other), only());
    for way in [
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)".to_owned(),
        "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)".to_owned(),
        "socket.socket().bind((\"127.0.0.1\", 0))".to_owned(),
        format!("socket.socket().setsockopt(6, 30, 1); {}", "0"),
    ] {
        refused(&format!("{PYTHON} 'import socket; {way}'"), only());
    }
    // MPTCP (262) and data in the first packet know no port of Landlock.
    for way in [
        "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)".to_owned(),
        format!("socket.socket().sendto(b\"x\", 0x20000000, (\"127.0.0.1\", {other}))"),
    ] {
        let played = play(&format!("{PYTHON} 'import socket; {way}'"), Some(only()));
        assert_eq!(played.report.end, End::Exited(1), "reached: {way}");
    }
}

#[test]
fn zoo_30_the_host_is_neither_signalled_nor_looked_into() {
    if !can() {
        return;
    }
    let own = std::process::id();
    refused(&format!("cat /proc/{own}/environ > /dev/null"), system(Tier::T1));
    if means().landlock >= 6 {
        refused(&format!("kill -0 {own}"), system(Tier::T1));
    }
    // Its own children are its own.
    allowed("sleep 30 & kill $!", system(Tier::T1));
}

#[test]
fn zoo_49_no_privilege_is_gained() {
    if !can() {
        return;
    }
    refused("grep -q 'NoNewPrivs:.*0' /proc/self/status", system(Tier::T1));
    // Of the powers of root those over files alone, which Landlock narrows.
    let few = "grep -qE 'CapEff:[[:space:]]*0{14}[01][0-9a-f]' /proc/self/status";
    allowed(few, system(Tier::T1));
}

#[test]
fn a_program_that_is_not_granted_is_not_executed() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let program = folder.program("program", "#!/bin/sh\nexit 0\n");
    let mut scene = Scene::of(Command::new(&program, [] as [&str; 0], "/"));
    scene.command.confine = Some(system(Tier::T1));
    let played = scene.play();
    assert_eq!(not_started(&played.report).step, Step::Execute);
    allowed(&program.display().to_string(), readable(folder.path()));
}

/// A machine that makes no namespaces.
fn limited(landlock: u32, seccomp: bool) -> Means {
    Means { landlock, seccomp, ..Means::default() }
}

#[test]
fn where_less_is_reached_than_is_demanded_nothing_starts() {
    for (means, at_least, starts) in [
        (Means::default(), Tier::T0, true),
        (Means::default(), Tier::T1, false),
        (limited(2, true), Tier::T1, false),
        (limited(3, false), Tier::T1, false),
        (limited(7, true), Tier::T2, false),
    ] {
        let mut confinement = system(at_least);
        confinement.pretended = Some(means);
        let folder = Folder::new();
        let mark = folder.path().join("ran");
        let played = play(&format!("echo > {}", mark.display()), Some(confinement));
        assert_eq!(mark.exists(), starts, "{means:?} {at_least:?}");
        assert_eq!(played.report.tier, Tier::T0);
        if !starts {
            assert_eq!(not_started(&played.report).step, Step::Confine);
        }
    }
}

#[test]
fn a_version_of_landlock_is_used_no_further_than_it_reaches() {
    if !can() {
        return;
    }
    for version in 3..=means().landlock {
        let mut confinement = system(Tier::T1);
        confinement.pretended = Some(limited(version, true));
        allowed("true", confinement);
    }
    let mut ports = system(Tier::T1);
    ports.net = Net::TcpTo(vec![443]);
    ports.pretended = Some(limited(3, true));
    let played = play("true", Some(ports));
    assert_eq!(not_started(&played.report).step, Step::Confine);
}

#[test]
fn descriptors_of_the_confinement_are_not_passed_on() {
    if !can() {
        return;
    }
    let line = "for it in /proc/self/fd/*; do echo ${it##*/}; done | grep -vE '^[0-2]$' | wc -l";
    let bare = play(line, None).report.stdout.bytes;
    let confined = play(line, Some(system(Tier::T1))).report.stdout.bytes;
    assert_eq!(String::from_utf8(bare), String::from_utf8(confined));
}

/// A pair of datagram sockets is no pair for long: each end may send to any name, a daemon's too.
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
        if means().landlock >= 4 {
            refused(&line, port);
        }
    }
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        let pair =
            format!("{PYTHON} 'import socket; socket.socketpair(socket.AF_UNIX, socket.{kind})'");
        allowed(&pair, system(Tier::T1));
    }
}

/// Who listens without a name is given a port by the kernel, which no rule about ports hears of.
#[test]
fn zoo_51_who_may_connect_does_not_listen() {
    if !can() || !has_python() || means().landlock < 4 {
        return;
    }
    let mut port = system(Tier::T1);
    port.net = Net::TcpTo(vec![443]);
    refused(&format!("{PYTHON} 'import socket; socket.socket().listen()'"), port);
}

/// In a user namespace of its own a program has all powers over it, and with them doors of the kernel that are shut to users.
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
    allowed(
        &format!("{PYTHON} 'import resource as r; r.prlimit({own}, r.RLIMIT_NOFILE)'"),
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
}

/// Landlock has no right for modes, owners and attributes: whoever could change one could take the x from a guard.
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

/// Whoever opens a file on which another process has a lease waits for that one: a guard waits until its time is up.
#[test]
fn nobody_is_kept_waiting_by_a_lease() {
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

/// A child of its parent's parent is nobody's when the run is over.
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
