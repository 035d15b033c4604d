//! What a confined child reaches, tried by real children: files, peers, other processes (zoo 30, 44, 49, 50, 51).
//!
//! Each refusal is tried unconfined as well: what fails anyway proves nothing.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;

use tenterhook_process::{
    Command, Confinement, End, Means, Net, Step, Tier, available_sandbox_means,
};

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
pub(crate) fn can() -> bool {
    available_sandbox_means().highest_tier() >= Tier::T1
}

pub(crate) fn play(line: &str, confine: Option<Confinement>) -> Played {
    let mut scene = Scene::new(Command::shell(line, "/")).env("PATH", "/usr/bin:/bin");
    scene.command.confine = confine;
    scene.play()
}

/// The means that limit a child's files here: Landlock, and a separate root as on a machine without
/// Landlock. Each with the tier of a child that demands T1.
fn held_by(confinement: &Confinement) -> Vec<(Confinement, Tier)> {
    let found = available_sandbox_means();
    let mut all = Vec::new();
    if found.can_limit_files() {
        all.push((confinement.clone(), Tier::T1));
    }
    let rooted = without_landlock();
    // Nothing but Landlock tells ports apart.
    if rooted.highest_tier() == Tier::T2 && !matches!(confinement.net, Net::TcpTo(_)) {
        all.push((Confinement { pretended: Some(rooted), ..confinement.clone() }, Tier::T2));
    }
    all
}

/// This machine, without Landlock.
pub(crate) fn without_landlock() -> Means {
    Means { landlock: 0, ..available_sandbox_means() }
}

/// Plays `line` with all rights, where it works, and confined by each means, where it does not.
pub(crate) fn refused(line: &str, confinement: Confinement) {
    play(line, None).ended(End::Exited(0));
    for (confinement, tier) in held_by(&confinement) {
        let played = play(line, Some(confinement));
        assert_eq!(played.report.tier, tier, "{:?}", played.report);
        assert_ne!(played.report.end, End::Exited(0), "reached in {tier:?}: {line}");
        assert!(matches!(played.report.end, End::Exited(_)), "{:?}", played.report);
    }
}

pub(crate) fn allowed(line: &str, confinement: Confinement) {
    for (confinement, tier) in held_by(&confinement) {
        let played = play(line, Some(confinement));
        assert_eq!(played.report.tier, tier, "{:?}", played.report);
        played.ended(End::Exited(0));
    }
}

pub(crate) fn writable(path: &Path) -> Confinement {
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

/// Linux 5.12 has all that a root of a child's own takes: where namespaces can be made, a test that skips it has not looked.
///
#[test]
fn where_namespaces_are_made_a_root_is_made() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap(), numbers.next().unwrap());
    assert_eq!(
        available_sandbox_means().roots,
        available_sandbox_means().namespaces && version >= (5, 12),
        "{release}"
    );
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

/// However deep what is never changed lies: each directory on the way to it is taken apart, by a thread with little stack and few descriptors.
#[test]
fn deep_directories_are_protected_on_any_stack() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let deep = folder.path().join("d/".repeat(1_500));
    std::fs::create_dir_all(&deep).unwrap();
    let settings = deep.join("settings");
    std::fs::write(&settings, "{}").unwrap();
    let confinement = || {
        let mut confinement = writable(folder.path());
        confinement.never.push(settings.clone());
        confinement
    };
    refused(&format!("echo x >> {}", settings.display()), confinement());
    allowed(&format!("cat {}", settings.display()), confinement());
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
            let _ = stream.and_then(|mut stream| stream.write_all(b"hello\n"));
        }
    });
    port
}

pub(crate) const PYTHON: &str = "python3 -I -c";

pub(crate) fn has_python() -> bool {
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
    if !can() || !has_python() || available_sandbox_means().landlock < 4 {
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
    if available_sandbox_means().landlock >= 6 {
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
    // The powers of root over files alone, which Landlock narrows.
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
    let mut scene = Scene::new(Command::new(&program, [] as [&str; 0], "/"));
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
    for version in 3..=available_sandbox_means().landlock {
        let mut confinement = system(Tier::T1);
        confinement.pretended = Some(limited(version, true));
        allowed("true", confinement);
    }
    let mut ports = system(Tier::T1);
    ports.net = Net::TcpTo(vec![443]);
    ports.pretended = Some(limited(3, true));
    let played = play("true", Some(ports));
    assert_eq!(not_started(&played.report).step, Step::Grant);
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

/// Directories made for a child alone are granted unresolved, and so are paths whose links the
/// caller has resolved: a link that is put there opens nothing.
///
#[test]
fn what_is_free_is_found_by_no_link() {
    if !can() {
        return;
    }
    let folder = Folder::new();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let line = format!("echo x > {}/new", real.display());
    let free = |path: &Path| Confinement { free: vec![path.into()], ..system(Tier::T1) };
    let as_it_stands = |path: &Path| Confinement {
        as_they_stand: true,
        // It grants nothing.
        names: vec![real.clone()],
        write: vec![path.into()],
        // Those of the system are links here and there.
        read: system(Tier::T1)
            .read
            .iter()
            .map(|path| tenterhook_process::internal::resolve_path(path))
            .collect(),
        ..system(Tier::T1)
    };
    refused(&line, free(&link));
    allowed(&line, free(&real));
    refused(&line, as_it_stands(&link));
    allowed(&line, as_it_stands(&real));
    allowed(&line, writable(&link));
}
