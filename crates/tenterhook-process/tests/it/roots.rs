//! A child in a separate root, as on a machine without Landlock: tried by real children.

use std::os::unix::fs::symlink;
use std::path::Path;

use tenterhook_process::{Command, Confinement, End, Step, Tier, Ungranted};

use crate::confines::{play, system, without_landlock};
use crate::namespaces::skipped;
use crate::scene::{Folder, Played, Scene, not_started};

/// The visible rest of the system, where a separate root is possible.
fn rooted() -> Option<Confinement> {
    let pretended = without_landlock();
    let confinement = Confinement { pretended: Some(pretended), ..system(Tier::T1) };
    if pretended.highest_tier() < Tier::T2 {
        skipped("this machine does not allow a separate root");
        return None;
    }
    Some(confinement)
}

fn line(line: &str, confinement: &Confinement) -> Played {
    let played = play(line, Some(confinement.clone()));
    assert_eq!(played.report.tier, Tier::T2, "{:?}", played.report);
    played
}

///
#[test]
fn the_root_holds_what_is_granted_and_nothing_else() {
    let Some(mut granted) = rooted() else { return };
    let (open, closed) = (Folder::new(), Folder::new());
    open.file("file", "text");
    let secret = closed.file("secret", "key");
    symlink(open.path(), closed.path().join("way")).unwrap();
    granted.read.push(closed.path().join("way"));
    let dir = closed.path().display();
    // By the name that was granted, and by where that leads.
    line(&format!("cat {dir}/way/file"), &granted).ended(End::Exited(0)).printed("text");
    line(&format!("cat {}/file", open.path().display()), &granted).printed("text");
    // The link is there, and nothing beside it.
    line(&format!("ls {dir}"), &granted).printed("way\n");
    line(&format!("test -e {}", secret.display()), &granted).ended(End::Exited(1));
    for changes in ["mkdir /new", "touch /tmp/new", "rmdir /home", "ln -s x /link", "touch /etc/x"]
    {
        let played = line(&format!("{changes} 2>/dev/null"), &granted);
        assert_ne!(played.report.end, End::Exited(0), "{changes}");
    }
    // The top entries of the host exist there, as links or empty.
    for name in ["tmp", "home", "var"].iter().filter(|text| Path::new("/").join(text).is_dir()) {
        line(&format!("test -d /{name}"), &granted).ended(End::Exited(0));
    }
    line("ls -A /home", &granted).printed("");
    line("echo said > /dev/stdout", &granted).printed("said\n");
}

#[test]
fn it_starts_where_it_would_and_finds_its_home_empty() {
    let Some(granted) = rooted() else { return };
    let home = Folder::new();
    home.file("secret", "key");
    let link = home.path().with_extension("link");
    symlink(home.path(), &link).unwrap();
    let mut scene = Scene::new(Command::shell("pwd -P && cd \"$HOME\" && ls -A", home.path()))
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &link.display().to_string());
    scene.command.confine = Some(granted);
    let played = scene.play();
    std::fs::remove_file(&link).unwrap();
    played.ended(End::Exited(0)).printed(&format!("{}\n", home.path().display()));
}

#[test]
fn what_is_granted_beside_what_is_never_changed_is_changed() {
    let Some(mut granted) = rooted() else { return };
    let folder = Folder::new();
    for name in ["src", "out"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    folder.file("settings", "{}");
    granted.write.push(folder.path().into());
    granted.never.push(folder.path().join("settings"));
    let dir = folder.path().display();
    line(&format!("echo a > {dir}/src/a && cat {dir}/src/a"), &granted).printed("a\n");
    // Each of them is bound by itself: `mv` copies from one to another.
    line(&format!("mv {dir}/src/a {dir}/out/a && cat {dir}/out/a"), &granted).printed("a\n");
    line(&format!("cat {dir}/settings; echo x >> {dir}/settings"), &granted)
        .ended(End::Exited(2))
        .printed("{}");
    assert_eq!(std::fs::read(folder.path().join("settings")).unwrap(), b"{}");
}

/// A part of the child's own `/proc`, or the right to change it, cannot be granted: then nothing starts.
///
#[test]
fn of_its_processes_it_is_granted_all_or_nothing() {
    let Some(granted) = rooted() else { return };
    line("test -d /proc/self", &granted).ended(End::Exited(0));
    let mut without = granted.clone();
    without.read.retain(|path| path != Path::new("/proc"));
    line("ls -A /proc", &without).ended(End::Exited(0)).printed("");
    let mut part = without.clone();
    part.read.push("/proc/sys".into());
    let mut writes = granted;
    writes.write.push("/proc/sys".into());
    for refused in [part, writes] {
        let played = play("true", Some(refused));
        let fault = not_started(&played.report);
        assert_eq!((fault.step, fault.errno), (Step::Grant, 95));
    }
}

/// A child that is granted the host's root finds all of it, and changes what it may change.
#[test]
fn the_whole_root_can_be_granted() {
    let Some(mut granted) = rooted() else { return };
    let folder = Folder::new();
    let file = folder.file("file", "text");
    granted.read.push("/".into());
    line(&format!("cat {}", file.display()), &granted).ended(End::Exited(0)).printed("text");
    let all = "for it in /proc/[0-9]*; do echo ${it##*/}; done | sort -n | head -1";
    line(all, &granted).printed("1\n");
    let write = format!("echo more >> {}", file.display());
    line(&write, &granted).ended(End::Exited(2));
    granted.write.push(folder.path().into());
    line(&write, &granted).ended(End::Exited(0));
}

/// A device in a directory that is granted is not opened, but for those that hold nothing.
///
#[test]
fn no_device_is_opened_that_is_not_granted_itself() {
    let Some(mut granted) = rooted() else { return };
    granted.read.push("/dev".into());
    for works in ["head -c 1 /dev/urandom", "echo x > /dev/null", "head -c 1 /dev/zero"] {
        line(&format!("{works} > /dev/null"), &granted).ended(End::Exited(0));
    }
    // The terminal has a name here.
    line("echo x > /dev/ptmx", &granted).ended(End::Exited(2));
}

/// A device or a FIFO that is named may be read and not written by Landlock alone: here it is granted to be written, or nothing starts.
///
#[test]
fn no_device_is_granted_to_be_read_alone() {
    let Some(granted) = rooted() else { return };
    let folder = Folder::new();
    let fifo = folder.path().join("fifo");
    play(&format!("mkfifo {}", fifo.display()), None).ended(End::Exited(0));
    let mut read = granted.clone();
    read.read.push(fifo.clone());
    let played = play("true", Some(read));
    let fault = not_started(&played.report);
    assert_eq!(fault.ungrantable_access(), Some(Ungranted::Device), "{fault}");
    let mut changed = granted;
    changed.write.push(fifo.clone());
    let echoes = format!("(echo through > {0} &) ; cat {0}", fifo.display());
    line(&echoes, &changed).ended(End::Exited(0)).printed("through\n");
}

/// A child that may change all of `/dev` still has the devices that discard output.
///
#[test]
fn devices_that_hold_nothing_are_there_where_all_may_be_changed() {
    let Some(mut granted) = rooted() else { return };
    granted.free.push("/dev/null".into());
    granted.write.push("/dev".into());
    line("echo x > /dev/null && head -c 1 /dev/zero > /dev/null", &granted).ended(End::Exited(0));
}

/// What the host mounts while a child runs lies on no place of it. Only where mounts are shared, as systemd makes them, could it: there
/// this test runs itself again.
///
#[test]
fn what_is_mounted_meanwhile_is_not_seen() {
    let Some(mut granted) = rooted() else { return };
    if !std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains("shared:") {
        let mounts = |apart: &str, arguments: &[&str]| {
            let mut unshare = std::process::Command::new("unshare");
            unshare.args([apart, "--propagation", "shared"]).args(arguments).output()
        };
        let shared = ["grep", "-q", "shared:", "/proc/self/mountinfo"];
        let can = |text: &&str| mounts(text, &shared).is_ok_and(|output| output.status.success());
        let Some(apart) = ["-m", "-rm"].into_iter().find(can) else {
            return skipped("mounts cannot be shared here");
        };
        let own = std::env::current_exe().unwrap();
        let test = "roots::what_is_mounted_meanwhile_is_not_seen";
        let played = mounts(apart, &[own.to_str().unwrap(), "--exact", test]).unwrap();
        assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stdout));
        return;
    }
    let folder = Folder::new();
    granted.read.push(folder.path().into());
    let way =
        format!("grep ' {} ' /proc/self/mountinfo | grep -c master:", folder.path().display());
    line(&way, &granted).ended(End::Exited(1)).printed("0\n");
}
