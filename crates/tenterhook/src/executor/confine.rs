//! From what a configuration grants a hook to what its process is left: the one place where it is made.
//!
//! Whoever starts a program passes here: executors, servers, and a host for what it starts itself (`shell`). Knows no dialect and
//! judges nothing.

mod denied;
mod ground;
mod never;
mod places;
mod programs;
mod room;
#[cfg(feature = "mcp")]
mod server;
mod shell;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook_process as process;

use super::Task;
pub(super) use denied::{not_reached, tier};
pub(super) use ground::Ground;
use never::Held;
use places::Ways;
use room::Room;
#[cfg(feature = "mcp")]
pub(super) use server::{ConfinedServer, confine_server};
#[doc(hidden)]
pub use shell::{ConfinedShell, Shell};
use tenterhook_core::hook::{Grants, Layer, Peers, Profile, Run, Tier, Worker};

/// Where programs and libraries lie, and what of the system they read.
const SYSTEM: &[&str] = &[
    "/bin",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/proc",
    "/run/current-system",
    "/sbin",
    "/usr",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// Devices that swallow what is written.
const SINKS: &[&str] = &["/dev/null", "/dev/full", "/dev/zero"];

/// The variable that names git's settings of a person.
const GIT_CONFIG: &str = "GIT_CONFIG_GLOBAL";

/// What resolves names of hosts, where any can be reached.
const RESOLVER: &str = "/run/systemd/resolve";

/// The bus of the system, and that of the desktop in the directory of the login. Where a root of its own holds a hook, a socket by path is
/// reached only where its file is granted; Landlock is asked to hold none.
const BUSES: [&str; 2] = ["/run/dbus/system_bus_socket", "bus"];
const LOGIN: &str = "XDG_RUNTIME_DIR";

/// What one process is left, and what is removed with it.
#[derive(Debug)]
pub(super) struct Confined {
    confinement: process::Confinement,
    /// What it is never granted, as far as the confinement does not say so: for telling of refusals.
    held: Held,
    /// Where it starts, for the paths that it names from there.
    cwd: PathBuf,
    /// The home of the person.
    home: PathBuf,
    /// What its configuration grants, as it is written there.
    granted: Grants,
    /// The file of its entry.
    file: Option<Arc<str>>,
    /// Removed when the run is over.
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "it is held to be dropped"))]
    room: Option<Room>,
}

/// What somebody's program is left.
#[derive(Clone, Copy)]
struct Left<'l> {
    /// What its configuration grants.
    grants: &'l Grants,
    /// What is opened to it without being asked, as far as that is beside the home.
    reads: &'l [PathBuf],
    /// What it may change without being asked, as far as that is beside the home.
    writes: &'l [PathBuf],
    /// What is its own: a copy that was approved, a file that it is to write.
    kept: Option<&'l Path>,
    own: Option<&'l Path>,
    /// The file of its entry.
    file: Option<&'l Arc<str>>,
}

/// How many times its own time a watched command has: each of its calls waits until it is heard.
const WATCHED_TIMES: u32 = 10;

/// Confines what is described, where its hook is confined. `own` is a file of its own that it may write.
pub(super) fn confine(
    task: &Task,
    own: Option<&Path>,
    described: &mut process::Command,
) -> Option<Box<Confined>> {
    let grants = task.hook.sandbox.grants()?;
    let reads = named(task.hook.layer, &described.program);
    let file = task.hook.place.as_ref().map(|location| &location.file);
    let kept = kept(&task.hook.run);
    let left = Left { grants, reads: &reads, writes: &[], kept, own, file };
    let confined = enter(left, &Ground::of(task), described);
    if let Some(confinement) = &mut described.confine {
        confinement.watched =
            task.ambient.explains_denials && matches!(task.hook.run, Run::Command(_));
        let times = if confinement.watched { WATCHED_TIMES } else { 1 };
        described.timeout = described.timeout.map(|timeout| timeout.saturating_mul(times));
    }
    Some(Box::new(confined))
}

/// Leaves what is described no more than `left`.
fn enter(left: Left<'_>, ground: &Ground<'_>, described: &mut process::Command) -> Confined {
    let grants = left.grants;
    // Who cannot be given a directory has none: that is less, and never more.
    let room = ground.scratch.and_then(|scratch| Room::create(scratch).ok());
    let (mut confinement, held) = granted(left, ground);
    described.env.retain(|(name, _)| name != "TMPDIR" && name != "TEMP" && name != "TMP");
    if let Some(room) = &room {
        confinement.free.push(room.path().to_path_buf());
        described.env.push(("TMPDIR".into(), room.path().into()));
    }
    without_git_config(&confinement, ground.home, described);
    confinement.free.extend(left.own.map(Path::to_path_buf));
    described.confine = Some(confinement.clone());
    bound(grants, described);
    let (granted, cwd) = (grants.clone(), described.cwd.clone());
    let home = ground.home.to_path_buf();
    Confined { confinement, held, cwd, home, granted, file: left.file.cloned(), room }
}

/// Bounds what each process of it may use; of two bounds the lower one counts.
fn bound(grants: &Grants, described: &mut process::Command) {
    let memory = grants.memory.map(|memory| (process::Resource::AddressSpace, memory));
    let seconds =
        |duration: std::time::Duration| duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    let cpu = grants.cpu.map(|cpu| (process::Resource::CpuSeconds, seconds(cpu)));
    for (resource, most) in memory.into_iter().chain(cpu) {
        match described.resources.iter_mut().find(|(other, _)| *other == resource) {
            Some((_, least)) => *least = most.min(*least),
            None => described.resources.push((resource, most)),
        }
    }
}

/// Git ends where its settings of a person are there and may not be read: it is told that there are none.
fn without_git_config(
    confinement: &process::Confinement,
    home: &Path,
    described: &mut process::Command,
) {
    let settings = home.join(".gitconfig");
    let names = confinement.read.iter().chain(&confinement.names);
    let is_read = names.into_iter().any(|name| settings.starts_with(name));
    let is_said = described.env.iter().any(|(name, _)| name == GIT_CONFIG);
    if !is_read && !is_said {
        described.env.push((GIT_CONFIG.into(), "/dev/null".into()));
    }
}

/// How far the process that stays for a hook is confined: a child that reaches more than this is not started.
pub(super) fn reached(task: &Task) -> Option<Tier> {
    let demanded = asked(task.hook.sandbox.grants()?.demands());
    let pretended = task.ambient.pretended.map(|means| means.tier_for(demanded));
    Some(tier(pretended.unwrap_or_else(|| process::reached(demanded))))
}

/// What of the machine that is, and what is held back from it.
fn granted(left: Left<'_>, ground: &Ground<'_>) -> (process::Confinement, Held) {
    let (grants, project) = (left.grants, ground.project);
    let mut ways = Ways::of(ground.home, project);
    let mut confinement = process::Confinement::new(asked(grants.at_least));
    confinement.processes = grants.processes;
    confinement.pretended = ground.pretended;
    confinement.net = match &grants.net {
        Peers::None => process::Net::Denied,
        Peers::Tcp(ports) => process::Net::TcpTo(ports.clone()),
        Peers::Everybody => process::Net::Open,
    };
    confinement.attributes = grants.attributes;
    let mut write: Vec<PathBuf> =
        grants.write.iter().filter_map(|path| placed(path, project, &mut ways)).collect();
    let of_others: Vec<PathBuf> =
        ground.granted.iter().map(|path| Grants::resolve(path, project)).collect();
    let unasked = left.writes.iter().filter(|path| ways.is_beside_home(path));
    let unasked: Vec<PathBuf> = unasked.cloned().collect();
    write.extend_from_slice(&unasked);
    // A link there is made by whoever brings the project, or by a hook, whenever they like: none leads a grant elsewhere.
    ways.share(write.iter().chain(&of_others));
    let read = read(left, ground, &mut ways);
    let led = |names: &[PathBuf], ways: &mut Ways| -> Vec<PathBuf> {
        names.iter().filter_map(|path| ways.led(path)).collect()
    };
    // What was looked at is what is granted: a link that somebody puts into the way since then is not followed.
    confinement.as_they_stand = true;
    confinement.read = led(&read, &mut ways);
    confinement.write = led(&write, &mut ways);
    confinement.names = [read, write].concat();
    confinement.free.extend(SINKS.iter().map(PathBuf::from));
    let around = around(&[project, ground.cwd], &confinement.write, &mut ways);
    let places: Vec<&Path> =
        [project, ground.cwd].into_iter().chain(around.iter().map(PathBuf::as_path)).collect();
    let held = Held::around(&places, ground.home, ground.env);
    // Where nothing is granted nothing has to be held, and nothing is looked for.
    if confinement.write.is_empty() {
        return (confinement, held);
    }
    confinement.never = held.all().to_vec();
    let unasked: Vec<PathBuf> = led(&unasked, &mut ways);
    let open = open_directories(&confinement.write, &unasked, ways.project());
    confinement.never.extend(never::below(&open, ground.home, ground.env));
    (confinement, held)
}

/// What may be read, by its names.
fn read(left: Left<'_>, ground: &Ground<'_>, ways: &mut Ways) -> Vec<PathBuf> {
    let (grants, project) = (left.grants, ground.project);
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(programs::of(ground.env, ground.home));
    if grants.profile == Profile::Standard {
        read.push(project.to_path_buf());
        // It is what the agent says: somebody who is talked into a directory of keys opens none.
        read.extend(ways.within_project(ground.cwd));
    }
    read.extend_from_slice(left.reads);
    // A directory around the home would open what lies in it.
    read.retain(|path| ways.is_beside_home(path));
    if grants.net != Peers::None {
        read.push(RESOLVER.into());
    }
    if grants.net == Peers::Everybody {
        let login = ground.env.iter().find(|(name, _)| name == LOGIN);
        let login = login.map_or(Path::new(""), |(_, value)| Path::new(value));
        read.extend(BUSES.iter().map(|bus| login.join(bus)).filter(|path| path.is_absolute()));
    }
    read.extend(left.kept.map(Path::to_path_buf));
    read.extend(grants.read.iter().filter_map(|path| placed(path, project, ways)));
    read
}

/// The directories around the places of a process that it may change: git and agents that are started in a directory look for their files up
/// from there.
fn around(places: &[&Path], write: &[PathBuf], ways: &mut Ways) -> Vec<PathBuf> {
    let ends: Vec<PathBuf> = places.iter().filter_map(|path| ways.led(path)).collect();
    let above = ends.iter().flat_map(|end| end.ancestors().skip(1));
    let open = above.filter(|path| write.iter().any(|granted| path.starts_with(granted)));
    open.map(Path::to_path_buf).collect()
}

/// The directories below which something may be changed that says which hooks run: as far as they lie in the project, and what the person left
/// to commands without being asked. All of them are where they lie.
fn open_directories(write: &[PathBuf], unasked: &[PathBuf], project: &Path) -> Vec<PathBuf> {
    let in_project = |path: &PathBuf| match path.starts_with(project) {
        true => Some(path.clone()),
        // Who may change what is around the project may change the project.
        false => project.starts_with(path).then(|| project.to_path_buf()),
    };
    let mut open: Vec<PathBuf> = write.iter().filter_map(in_project).collect();
    open.extend_from_slice(unasked);
    open.sort();
    open.retain(|path| path.is_dir());
    // Whatever lies below one that is looked through is found there.
    open.dedup_by(|later, kept| later.starts_with(kept));
    open
}

/// The tier as the crate of processes names it.
const fn asked(tier: Tier) -> process::Tier {
    match tier {
        Tier::T0 => process::Tier::T0,
        Tier::T1 => process::Tier::T1,
        Tier::T2 => process::Tier::T2,
    }
}

/// A path of a grant, by its name. What is named in the project is granted as far as it lies there: a link could lead anywhere, and be made
/// after somebody approved its name.
fn placed(path: &Path, project: &Path, ways: &mut Ways) -> Option<PathBuf> {
    let named = Grants::resolve(path, project);
    let is_granted = !named.starts_with(project) || ways.within_project(&named).is_some();
    is_granted.then_some(named)
}

/// What an entry of `layer` opens by naming it.
fn named(layer: Layer, program: &process::Program) -> Vec<PathBuf> {
    match is_trusted_to_name(layer) {
        true => words(program).map(Path::to_path_buf).collect(),
        false => Vec::new(),
    }
}

/// Whether what an entry names by a whole path is opened by that alone: the person's own and the organisation's entries know what
/// they name, and what others bring could name a key.
const fn is_trusted_to_name(layer: Layer) -> bool {
    match layer {
        Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => true,
        // What is called local lies in the repository, too, and may have come with it.
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent => false,
    }
}

/// Where the copy of what was approved lies.
fn kept(run: &Run) -> Option<&Path> {
    match run {
        Run::Command(command) | Run::Worker(Worker { command }) => command.kept.as_deref(),
        _ => None,
    }
}

/// What an entry names: a file that is started, or given to what is started. A shell line names none that could be told for sure.
fn words(program: &process::Program) -> impl Iterator<Item = &Path> {
    let (first, rest): (Option<&OsString>, &[OsString]) = match program {
        process::Program::Argv { program, args } => (Some(program), args),
        process::Program::Shell { .. } => (None, &[]),
    };
    first.into_iter().chain(rest).map(Path::new)
}
