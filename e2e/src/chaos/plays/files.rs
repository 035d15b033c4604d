//! Hooks and strangers that change files under the engine's hands: directories, configurations, scripts, and what is no file.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::super::judge::{self, Seen};
use super::super::row::{Hook, LIMITS, Required};
use super::super::scene::{Ended, Scene};

const GOOD: &str = "#!/bin/sh\necho '{deny}'\n";
/// A program that is not approved: it leaves a mark where it may, and allows.
const EVIL: &str = "#!/bin/sh\necho evil >>'{tmp}/evil' 2>/dev/null\necho '{allow}'\n";

/// How often what is approved is fired while somebody swaps it.
const SWAPS: usize = 20;

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Fires what is found in the project.
fn fire_found(scene: &Scene) -> Result<Ended, String> {
    scene.tenterhook("fire --dialect native --format json {event}")
}

/// Says yes to what the project's file brings, as a person does who has looked at it.
fn approve(scene: &Scene) -> Result<(), String> {
    let status = scene.tenterhook("trust status")?;
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    let is_digest =
        |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digests: Vec<&str> = text.split_whitespace().filter(is_digest).collect();
    if digests.is_empty() {
        return Err(format!("nothing to approve: {}", judge::shortened(&text, 200)));
    }
    for digest in digests {
        let said = scene.tenterhook(&format!("trust --yes {digest}"))?;
        if said.code() != Some(0) {
            return Err(format!("not approved: {}", judge::shortened(&said.stderr, 200)));
        }
    }
    Ok(())
}

/// Row 43. The directory is the event's: the next event's hook runs in the project.
pub(in crate::chaos) fn deletes_cwd(scene: &Scene) -> Result<Seen, String> {
    let gone = scene.path("project/gone");
    scene.write("project/gone/file", "").map_err(failed)?;
    // Only this separate directory, with the one file in it.
    let line =
        "[ \"$PWD\" = '{project}/gone' ] && rm -f ./file && rmdir '{project}/gone'; echo '{deny}'";
    let entry = scene.entry("row", &Hook::Shell(line))?;
    scene.write("tenterhook.toml", entry).map_err(failed)?;
    let session =
        format!("{{\"session\":{{\"cwd\":{gone:?},\"project\":{:?}}},", scene.path("project"));
    let event = scene.event("ls", 0).replacen('{', &session, 1);
    scene.write("event.json", event).map_err(failed)?;
    // A sandbox keeps it from that, and says so.
    let (first, next, kept) = match scene.cell.confines() {
        true => {
            let refused = Required::DenyWith(&["sandbox-refused"]);
            (refused, refused, true)
        }
        false => (Required::Deny, Required::DenyWith(&["started-elsewhere"]), false),
    };
    let first = judge::answered(&scene.fire()?, first)?;
    if gone.exists() != kept {
        return Err(format!("{first}; the directory is there: {}", gone.exists()));
    }
    let next = judge::answered(&scene.fire()?, next)?;
    Ok(Seen::Holds(format!("{first}, then {next}")))
}

/// Row 44, its configuration.
pub(in crate::chaos) fn edits_own_config(scene: &Scene) -> Result<Seen, String> {
    // Its entry is the last one: the command changes it.
    let line = "{ echo 'env = { MORE = \"1\" }' >>'{project}/tenterhook.toml'; } 2>/dev/null; echo '{deny}'";
    let entry = scene.entry("row", &Hook::Shell(line))?;
    scene.write("project/tenterhook.toml", entry).map_err(failed)?;
    edited(scene, "project/tenterhook.toml")
}

/// Row 44, its program.
pub(in crate::chaos) fn edits_own_script(scene: &Scene) -> Result<Seen, String> {
    let text = "#!/bin/sh\n{ echo 'exit 0' >'{project}/hook.sh'; } 2>/dev/null\necho '{deny}'\n";
    scene.program("project/hook.sh", text).map_err(failed)?;
    let entry = scene.entry("row", &Hook::Entry(r#"run = ["./hook.sh"]"#))?;
    scene.write("project/tenterhook.toml", entry).map_err(failed)?;
    edited(scene, "project/hook.sh")
}

fn edited(scene: &Scene, file: &str) -> Result<Seen, String> {
    approve(scene)?;
    let before = fs::read(scene.path(file)).map_err(failed)?;
    let first = judge::answered(&fire_found(scene)?, Required::Deny)?;
    let changed = fs::read(scene.path(file)).map_err(failed)? != before;
    let next = match (scene.cell.confines(), changed) {
        (false, true) => {
            judge::answered(&fire_found(scene)?, Required::Policy(&["awaits-approval"]))?
        }
        (true, false) => judge::answered(&fire_found(scene)?, Required::Deny)?,
        (false, false) => return Err("it could not change its file".to_owned()),
        (true, true) => return Err("its file is changed".to_owned()),
    };
    Ok(Seen::Holds(format!("{first}, then {next}")))
}

/// Row 45.
pub(in crate::chaos) fn swaps_script(scene: &Scene) -> Result<Seen, String> {
    scene.program("project/hook.sh", GOOD).map_err(failed)?;
    scene.program("project/evil.sh", EVIL).map_err(failed)?;
    let entry = scene.entry("row", &Hook::Entry(r#"run = ["./hook.sh"]"#))?;
    scene.write("project/tenterhook.toml", entry).map_err(failed)?;
    approve(scene)?;
    let (good, evil) = (scene.path("project/hook.sh"), scene.path("project/evil.sh"));
    while_somebody(scene, || renameat_with(CWD, &good, CWD, &evil, RenameFlags::EXCHANGE).is_ok())
}

/// Row 46.
pub(in crate::chaos) fn swaps_parent(scene: &Scene) -> Result<Seen, String> {
    scene.program("project/tools/hook.sh", GOOD).map_err(failed)?;
    scene.program("project/other/hook.sh", EVIL).map_err(failed)?;
    let entry = scene.entry("row", &Hook::Entry(r#"run = ["./tools/hook.sh"]"#))?;
    scene.write("project/tenterhook.toml", entry).map_err(failed)?;
    approve(scene)?;
    let link = scene.path("project/link");
    symlink(scene.path("project/other"), &link).map_err(failed)?;
    let tools = scene.path("project/tools");
    while_somebody(scene, || renameat_with(CWD, &tools, CWD, &link, RenameFlags::EXCHANGE).is_ok())
}

/// Fires while somebody does it again and again. What was not approved never runs, and nothing passes.
fn while_somebody(scene: &Scene, swaps: impl Fn() -> bool + Sync) -> Result<Seen, String> {
    let (over, swapped) = (AtomicBool::new(false), AtomicUsize::new(0));
    let played = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                swapped.fetch_add(usize::from(swaps()), Ordering::Relaxed);
                // As fast as it goes is too fast to be seen in both forms by one look.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        let played = (0..SWAPS).map(|_| once_swapped(scene)).collect::<Result<Vec<_>, _>>();
        over.store(true, Ordering::Relaxed);
        played
    })?;
    let swapped = swapped.into_inner();
    if swapped < SWAPS {
        return Err(format!("swapped {swapped} times only"));
    }
    let own = played.iter().filter(|flag| **flag).count();
    Ok(Seen::Holds(format!(
        "0 of {SWAPS} evil, {own} as approved, the others held, {swapped} swaps"
    )))
}

/// Whether it was what was approved that said no.
fn once_swapped(scene: &Scene) -> Result<bool, String> {
    let ended = fire_found(scene)?;
    let outcome = ended.outcome().ok_or_else(|| format!("no outcome: {}", ended.stderr))?;
    let text = judge::in_short(&outcome);
    if scene.path("tmp/evil").exists() {
        return Err(format!("a program that is not approved ran: {text}"));
    }
    match judge::decision(&outcome) {
        "deny" => Ok(judge::codes(&outcome).is_empty()),
        _ => Err(format!("passed: {text}")),
    }
}

/// Row 47: an invalid file in the place of a configuration. In a project without approvals it is refused; with an approved gate,
/// and in the user's own directory, it blocks.
pub(in crate::chaos) fn no_config(scene: &Scene) -> Result<Seen, String> {
    let project = scene.path("project/tenterhook.toml");
    let entry = scene.entry("row", &Hook::Fake(&["--stdout", "{deny}"]))?;
    make_no_config(scene, &project)?;
    let found = refused(&fire_found(scene)?, HELD, Some(2))?;
    let line = "exec {program} fire --dialect native --format json --config {project}/tenterhook.toml {event}";
    let named = scene.run(&scene.fill(line), "/dev/null", LIMITS)?;
    if !matches!(named.code(), Some(1 | 2)) {
        return Err(format!("named: exit {:?}", named.code()));
    }
    remove(&project)?;
    scene.write("project/tenterhook.toml", entry).map_err(failed)?;
    approve(scene)?;
    remove(&project)?;
    make_no_config(scene, &project)?;
    let approved = refused(&fire_found(scene)?, HELD, Some(2))?;
    remove(&project)?;
    scene.write("home/.config/none", "").map_err(failed)?;
    scene.write("home/.config/tenterhook/none", "").map_err(failed)?;
    make_no_config(scene, &scene.path("home/.config/tenterhook/tenterhook.toml"))?;
    let own = refused(&fire_found(scene)?, HELD, Some(2))?;
    let code = named.code().unwrap_or_default();
    Ok(Seen::Holds(format!(
        "found: {found}; named: exit {code}; approved: {approved}; one's own: {own}"
    )))
}

/// The codes that are reported about a gate that replaces an unreadable file.
const HELD: &[&str] = &["calls-held", "file-unread", "awaits-approval"];

/// It ended with this code and one of these faults.
fn refused(ended: &Ended, codes: &[&str], code: Option<i32>) -> Result<String, String> {
    let outcome = ended.outcome().ok_or_else(|| format!("no outcome: {}", ended.stderr))?;
    let text = judge::in_short(&outcome);
    let is_reported = judge::codes(&outcome).iter().any(|code| codes.contains(code));
    if is_reported && ended.code() == code {
        Ok(text)
    } else {
        Err(format!("{text}, exit {:?}", ended.code()))
    }
}

fn remove(path: &Path) -> Result<(), String> {
    let is_directory = fs::symlink_metadata(path).map_err(failed)?.is_dir();
    if is_directory { fs::remove_dir(path) } else { fs::remove_file(path) }.map_err(failed)
}

fn make_no_config(scene: &Scene, file: &Path) -> Result<(), String> {
    match scene.row.name {
        "fifo_config" => {
            let mode = rustix::fs::Mode::from_raw_mode(0o666);
            rustix::fs::mkfifoat(CWD, file, mode).map_err(failed)
        }
        "dev_zero_config" => symlink("/dev/zero", file).map_err(failed),
        "directory_config" => fs::create_dir(file).map_err(failed),
        "link_to_itself_config" => symlink(file, file).map_err(failed),
        _ => {
            let comment = format!("# {}\n", "x".repeat(100)).repeat(200_000);
            fs::write(file, comment).map_err(failed)
        }
    }
}
