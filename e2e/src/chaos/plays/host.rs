//! What must be so of the machine after a hook: it still starts programs, and nothing of the hook's lies about.

use std::process::Command;

use super::super::judge::{self, Seen};
use super::super::row::{Hook, Required};
use super::super::scene::{Ended, Scene};

/// The host can still start a program, and so can the user of the scene.
pub(in crate::chaos) fn still_starts(scene: &Scene, _: &Ended) -> Result<(), String> {
    let here = Command::new("true").status().is_ok_and(|status| status.success());
    let there = scene.tenterhook("--version")?.code() == Some(0);
    if here && there { Ok(()) } else { Err("nothing can be started any more".to_owned()) }
}

/// the directory of a confined hook is gone with it. One that is not confined has that of its user.
pub(in crate::chaos) fn own_directory_is_gone(scene: &Scene, _: &Ended) -> Result<(), String> {
    let left = scene.temporary();
    let expected = if scene.cell.confines() { 0 } else { 1 };
    if left.len() == expected { Ok(()) } else { Err(format!("left {}", left.join(", "))) }
}

/// Nothing lies in the directory for such files.
pub(in crate::chaos) fn nothing_is_left(scene: &Scene, _: &Ended) -> Result<(), String> {
    let left = scene.temporary();
    if left.is_empty() { Ok(()) } else { Err(format!("left {}", left.join(", "))) }
}

/// Row 57 without a sandbox: its directory for such files is that of its user.
pub(in crate::chaos) fn leaves_temp_files(scene: &Scene) -> Result<Seen, String> {
    let line = "echo x >\"$TMPDIR/file\"; echo '{deny}'";
    let entry = scene.entry("row", &Hook::Shell(line))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let got = judge::answered(&scene.fire()?, Required::Deny)?;
    match scene.temporary().len() {
        0 => Ok(Seen::Holds(got)),
        _ => Ok(Seen::Documented(format!(
            "{got}; it stays: a separate directory comes with a sandbox (X-6)"
        ))),
    }
}
