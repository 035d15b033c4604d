//! Places in which the engine is started and that are not as they should be. What cannot be confined there must not run as if it were.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::judge::{self, Seen};
use super::super::row::{Hook, LIMITS, Required};
use super::super::scene::{Ended, Scene};
use super::http::works;
use crate::filter::{ENOSYS, LANDLOCK};

const DENIES: Hook = Hook::Fake(&["--read-all", "--stdout", "{deny}"]);
/// The codes that are reported about a sandbox that is not available.
const UNREACHED: Required = Required::Policy(&["not-started", "unconfined"]);

fn configure(scene: &Scene, hook: &Hook) -> Result<(), String> {
    let entry = scene.entry("row", hook)?;
    scene.write("tenterhook.toml", entry).map(drop).map_err(|error| error.to_string())
}

fn fire_behind(scene: &Scene, before: &str) -> Result<Ended, String> {
    let line = scene.fill(before).replace("{fire}", &scene.fire_line());
    scene.run(&line, "/dev/null", LIMITS)
}

const EPERM: u32 = 1;
/// The system call without which no process gets a separate root or `/proc`.
const MOUNT: &str = if cfg!(target_arch = "x86_64") { "165" } else { "40" };

fn behind_a_filter(scene: &Scene, numbers: &str, error: u32) -> Result<Ended, String> {
    let filter = scene.behind(numbers, error)?;
    fire_behind(scene, &format!("exec {filter} {{fire}}"))
}

/// A machine that has neither means, as far as the engine can tell: what asks for a sandbox is not started, and runs without one only where its
/// entry says so.
pub(in crate::chaos) fn neither_means(scene: &Scene) -> Result<Seen, String> {
    let numbers = format!("{LANDLOCK},{MOUNT}");
    let fire = |sandbox: &str| {
        let entry = scene.entry("row", &DENIES)?.replace("\"off\"", sandbox);
        scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
        behind_a_filter(scene, &numbers, ENOSYS)
    };
    let strict = judge::answered(&fire("\"standard\"")?, UNREACHED)?;
    let open = Required::DenyWith(&["unconfined"]);
    let loose = judge::answered(&fire("{ isolation_min = \"T0\" }")?, open)?;
    Ok(Seen::Holds(format!("{strict}; with isolation_min = \"T0\": {loose}")))
}

/// A container that forbids the calls instead of not knowing them: the other means holds the hook.
pub(in crate::chaos) fn forbidden_landlock(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &DENIES)?;
    let got = judge::answered(&behind_a_filter(scene, LANDLOCK, EPERM)?, Required::Deny)?;
    judge::recorded(scene)?;
    Ok(Seen::Holds(got))
}

/// The caller of the engine filters its calls already: another filter goes on top.
pub(in crate::chaos) fn filtered(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &DENIES)?;
    // `reboot`, which no program here calls.
    let numbers = if cfg!(target_arch = "x86_64") { "169" } else { "142" };
    let ended = behind_a_filter(scene, numbers, EPERM)?;
    let got = judge::answered(&ended, Required::Deny)?;
    judge::recorded(scene)?;
    Ok(Seen::Holds(got))
}

pub(in crate::chaos) fn no_new_privileges(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &DENIES)?;
    let ended = fire_behind(scene, "exec setpriv --no-new-privs {fire}")?;
    let got = judge::answered(&ended, Required::Deny)?;
    judge::recorded(scene)?;
    Ok(Seen::Holds(got))
}

/// The engine's own answer where it has to deny: a denial by whichever way, and never silence.
fn any_denial(ended: &Ended) -> Result<String, String> {
    let outcome = ended.outcome().ok_or_else(|| format!("no outcome: {}", ended.stderr))?;
    let text = judge::in_short(&outcome);
    let denied = judge::decision(&outcome) == "deny" && ended.code() == Some(2);
    if denied { Ok(text) } else { Err(text) }
}

/// Plays the row in separate namespaces, if those are available.
fn in_namespaces(scene: &Scene, flags: &str, inside: &str) -> Result<Seen, String> {
    if !works(scene, &format!("unshare {flags} true")) {
        return Ok(Seen::NotHere(format!("`unshare {flags}` does not work here")));
    }
    configure(scene, &DENIES)?;
    let before = format!("exec unshare {flags} bash -c '{inside} exec {{fire}}'");
    any_denial(&fire_behind(scene, &before)?).map(Seen::Holds)
}

/// A container that hides processes.
pub(in crate::chaos) fn masked_proc(scene: &Scene) -> Result<Seen, String> {
    in_namespaces(scene, "-Urpm --fork", "mount -t tmpfs none /proc &&")
}

pub(in crate::chaos) fn other_file_system(scene: &Scene) -> Result<Seen, String> {
    let inside =
        "mount -t tmpfs none {project} && cp {scene}fakehook {project}/fakehook && cd {project} &&";
    fs::copy(scene.path("project/fakehook"), scene.path("fakehook"))
        .map_err(|error| error.to_string())?;
    in_namespaces(scene, "-Urm", inside)
}

pub(in crate::chaos) fn overlay(scene: &Scene) -> Result<Seen, String> {
    let inside = "mkdir {scene}upper {scene}work && \
        mount -t overlay none -o lowerdir={project},upperdir={scene}upper,workdir={scene}work {project} && cd {project} &&";
    let possible = scene.fill(
        "exec unshare -Urm bash -c 'mkdir {scene}u {scene}w && mount -t overlay none -o lowerdir={project},upperdir={scene}u,workdir={scene}w {project}'",
    );
    if !works(scene, &possible) {
        return Ok(Seen::NotHere("no overlay can be mounted in a user namespace here".to_owned()));
    }
    in_namespaces(scene, "-Urm", inside)
}

/// Nothing can be recorded, and the gate holds all the same.
pub(in crate::chaos) fn read_only_home(scene: &Scene) -> Result<Seen, String> {
    configure(scene, &DENIES)?;
    let home = scene.path("home");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o555))
        .map_err(|error| error.to_string())?;
    judge::answered(&scene.fire()?, Required::DenyWith(&["unrecorded"])).map(Seen::Holds)
}

/// An unreachable minimum is a failure, under the policy, and the hook is not started.
pub(in crate::chaos) fn unreached(scene: &Scene) -> Result<Seen, String> {
    let hook = Hook::Shell("echo ran >'{tmp}/ran'; echo '{allow}'");
    configure(scene, &hook)?;
    let got = judge::answered(&scene.fire()?, UNREACHED)?;
    if scene.path("tmp/ran").exists() {
        return Err("it ran".to_owned());
    }
    let entry =
        fs::read_to_string(scene.path("tenterhook.toml")).map_err(|error| error.to_string())?;
    scene
        .write("tenterhook.toml", entry + "on_failure = \"continue\"\n")
        .map_err(|error| error.to_string())?;
    let open = scene.fire()?;
    let goes_on = open.outcome().map(|outcome| judge::in_short(&outcome)).unwrap_or_default();
    match (open.code(), scene.path("tmp/ran").exists()) {
        (Some(0), false) => {
            Ok(Seen::Holds(format!("{got}; with on_failure = \"continue\": {goes_on}")))
        }
        (code, ran) => Err(format!("exit {code:?}, ran: {ran}, {goes_on}")),
    }
}
