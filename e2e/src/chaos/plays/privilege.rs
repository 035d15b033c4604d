//! A program that would make a hook somebody else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::judge::{self, Seen};
use super::super::row::{Hook, Required};
use super::super::scene::Scene;

/// Row 49: `id`, owned by root and with the set-user-ID bit.
pub(in crate::chaos) fn setuid(scene: &Scene) -> Result<Seen, String> {
    if !rustix::process::geteuid().is_root() {
        return flagged(scene);
    }
    let program = scene.path("project/becomes-root");
    fs::copy("/usr/bin/id", &program).map_err(|error| error.to_string())?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))
        .map_err(|error| error.to_string())?;
    let line = "[ \"$(./becomes-root -u)\" = \"$(id -u)\" ] && echo '{deny}'";
    let entry = scene.entry("row", &Hook::Shell(line))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let ended = scene.fire()?;
    let own = judge::answered(&ended, Required::Deny);
    match (scene.cell.confines(), own) {
        (true, own) => own.map(Seen::Holds),
        (_, Err(_)) => {
            judge::answered(&ended, Required::Policy(&["exit-code"]))?;
            Ok(Seen::Documented("it gains them where nothing confines it".to_owned()))
        }
        (_, Ok(_)) => {
            Ok(Seen::NotHere("such programs gain nothing on this file system".to_owned()))
        }
    }
}

/// Only root makes a program that makes others root. What keeps such programs from it can be seen all the same.
fn flagged(scene: &Scene) -> Result<Seen, String> {
    if !scene.cell.confines() {
        let why = "only root makes a program that makes others root";
        return Ok(Seen::NotHere(why.to_owned()));
    }
    let line = "grep -q 'NoNewPrivs:.1' /proc/self/status && echo '{deny}'";
    let entry = scene.entry("row", &Hook::Shell(line))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let got = judge::answered(&scene.fire()?, Required::Deny)?;
    Ok(Seen::Holds(format!("{got}, by `no_new_privs`")))
}
