//! Turns what a configuration grants a hook into the confinement of its process; no other module
//! does.
//!
//! Every program that is started passes here: by executors, by servers, and by a host for its own
//! programs (`shell`). Knows no dialect and judges nothing.

mod denied;
mod grant_context;
mod paths;
mod programs;
mod protected;
mod scratch_dir;
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
pub(super) use denied::{from_process_tier, no_sandbox_message};
pub(super) use grant_context::GrantContext;
use paths::PathResolver;
use protected::ProtectedPaths;
use scratch_dir::ScratchDir;
#[cfg(feature = "mcp")]
pub(super) use server::{ConfinedServer, apply_server_sandbox};
pub use shell::{ConfinedShell, Shell};
use tenterhook_core::hook::{Grants, Layer, Peers, Profile, Run, Tier, Worker};

/// Directories of programs and libraries, and system files that they read.
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

/// Devices that are safe to write to: they store nothing.
const SINKS: &[&str] = &["/dev/null", "/dev/full", "/dev/zero"];

/// The variable that names the user's git config file.
const GIT_CONFIG: &str = "GIT_CONFIG_GLOBAL";

/// The directory of the resolver of host names, readable if any host may be reached.
const RESOLVER: &str = "/run/systemd/resolve";

/// The system's bus, and the desktop's bus in the login directory. In a separate root a socket path
/// is reachable only if its file is granted; Landlock blocks both.
const BUSES: [&str; 2] = ["/run/dbus/system_bus_socket", "bus"];
const LOGIN: &str = "XDG_RUNTIME_DIR";

/// The confinement of one process, and what is removed with it.
#[derive(Debug)]
pub(super) struct Confined {
    confinement: process::Confinement,
    /// Protected paths. Where nothing is writable the confinement does not list them, and they only
    /// serve to report refusals.
    protected: ProtectedPaths,
    /// The working directory, to resolve relative paths.
    cwd: PathBuf,
    /// The user's home.
    home: PathBuf,
    /// The hook's grants, as the configuration states them.
    granted: Grants,
    /// The config file of the hook.
    file: Option<Arc<str>>,
    /// Removed when the run is over.
    #[cfg_attr(
        not(feature = "mcp"),
        expect(dead_code, reason = "dropping it removes the directory")
    )]
    scratch_dir: Option<ScratchDir>,
}

/// The access that one program gets.
#[derive(Clone, Copy)]
struct Access<'l> {
    /// Its configured grants.
    grants: &'l Grants,
    /// Directories that it may read without a grant, except the home and those above it.
    reads: &'l [PathBuf],
    /// Directories that it may change without a grant, except the home and those above it.
    writes: &'l [PathBuf],
    /// An approved copy of its program, which it may read.
    copy: Option<&'l Path>,
    /// A file that it is asked to write.
    own: Option<&'l Path>,
    /// The config file of the hook.
    file: Option<&'l Arc<str>>,
}

/// By how much a watched command's timeout is multiplied: each watched
/// system call waits for this process.
const WATCHED_TIMES: u32 = 10;

/// Adds the hook's sandbox to `described`; `None` if the hook has none. `own` is a file that the
/// hook may write.
pub(super) fn apply_hook_sandbox(
    task: &Task,
    own: Option<&Path>,
    described: &mut process::Command,
) -> Option<Box<Confined>> {
    let grants = task.hook.sandbox.grants()?;
    let reads = paths_named_by_entry(task.hook.layer, &described.program);
    let file = task.hook.place.as_ref().map(|location| &location.file);
    let copy = approved_copy_path(&task.hook.run);
    let access = Access { grants, reads: &reads, writes: &[], copy, own, file };
    let confined = restrict_to_access(access, &GrantContext::from_task(task), described);
    if let Some(confinement) = &mut described.confine {
        confinement.watched =
            task.ambient.explains_denials && matches!(task.hook.run, Run::Command(_));
        let times = if confinement.watched { WATCHED_TIMES } else { 1 };
        described.timeout = described.timeout.map(|timeout| timeout.saturating_mul(times));
    }
    Some(Box::new(confined))
}

/// Restricts `described` to `access`.
fn restrict_to_access(
    access: Access<'_>,
    context: &GrantContext<'_>,
    described: &mut process::Command,
) -> Confined {
    let grants = access.grants;
    // If the directory cannot be created the hook gets none: fewer rights, never more.
    let scratch_dir = context.scratch.and_then(|scratch| ScratchDir::create(scratch).ok());
    let (mut confinement, protected) = build_confinement(access, context);
    described.env.retain(|(name, _)| name != "TMPDIR" && name != "TEMP" && name != "TMP");
    if let Some(scratch_dir) = &scratch_dir {
        confinement.free.push(scratch_dir.path().to_path_buf());
        described.env.push(("TMPDIR".into(), scratch_dir.path().into()));
    }
    ignore_unreadable_git_config(&confinement, context.home, described);
    confinement.free.extend(access.own.map(Path::to_path_buf));
    described.confine = Some(confinement.clone());
    apply_resource_limits(grants, described);
    let (granted, cwd) = (grants.clone(), described.cwd.clone());
    let home = context.home.to_path_buf();
    Confined { confinement, protected, cwd, home, granted, file: access.file.cloned(), scratch_dir }
}

/// Limits the resources of each process; of two limits the lower one applies.
fn apply_resource_limits(grants: &Grants, described: &mut process::Command) {
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

/// Makes git use an empty user config if it may not read the real one, because git would exit then.
fn ignore_unreadable_git_config(
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

/// Returns the tier that confines a hook's long-lived process on this machine. A child that cannot
/// reach it does not start.
pub(super) fn tier_of_long_lived_process(task: &Task) -> Option<Tier> {
    let demanded = to_process_tier(task.hook.sandbox.grants()?.required_tier());
    let pretended = task.ambient.pretended.map(|means| means.tier_for_requirement(demanded));
    Some(from_process_tier(pretended.unwrap_or_else(|| process::reachable_tier(demanded))))
}

/// Returns the confinement for these grants, and its protected paths.
fn build_confinement(
    access: Access<'_>,
    context: &GrantContext<'_>,
) -> (process::Confinement, ProtectedPaths) {
    let (grants, project) = (access.grants, context.project);
    let mut resolver = PathResolver::new(context.home, project);
    let mut confinement = process::Confinement::new(to_process_tier(grants.at_least));
    confinement.processes = grants.processes;
    confinement.pretended = context.pretended;
    confinement.net = match &grants.net {
        Peers::None => process::Net::Denied,
        Peers::Tcp(ports) => process::Net::TcpTo(ports.clone()),
        Peers::Everybody => process::Net::Open,
    };
    confinement.attributes = grants.attributes;
    let mut write: Vec<PathBuf> = grants
        .write
        .iter()
        .filter_map(|path| granted_path_unless_linked_out(path, project, &mut resolver))
        .collect();
    let of_others: Vec<PathBuf> =
        context.granted.iter().map(|path| Grants::resolve_granted_path(path, project)).collect();
    let unasked = access.writes.iter().filter(|path| resolver.is_not_home_or_parent(path));
    let unasked: Vec<PathBuf> = unasked.cloned().collect();
    write.extend_from_slice(&unasked);
    // The project's author or a hook may create a link there at any time: none may redirect a grant
    //
    resolver.add_directories_confining_links(write.iter().chain(&of_others));
    let read = readable_paths(access, context, &mut resolver);
    let led = |names: &[PathBuf], resolver: &mut PathResolver| -> Vec<PathBuf> {
        names.iter().filter_map(|path| resolver.resolve_unless_link_escapes(path)).collect()
    };
    // The grants apply to the files that were examined: a link that replaces a granted path later is
    // not followed.
    confinement.as_they_stand = true;
    confinement.read = led(&read, &mut resolver);
    confinement.write = led(&write, &mut resolver);
    confinement.names = [read, write].concat();
    confinement.free.extend(SINKS.iter().map(PathBuf::from));
    let around = writable_ancestors(&[project, context.cwd], &confinement.write, &mut resolver);
    let places: Vec<&Path> =
        [project, context.cwd].into_iter().chain(around.iter().map(PathBuf::as_path)).collect();
    let protected = ProtectedPaths::for_directories(&places, context.home, context.env);
    // Without write access no path needs protection, and none is searched for.
    if confinement.write.is_empty() {
        return (confinement, protected);
    }
    confinement.never = protected.paths().to_vec();
    let unasked: Vec<PathBuf> = led(&unasked, &mut resolver);
    let open = writable_config_directories(&confinement.write, &unasked, resolver.project_path());
    confinement.never.extend(protected::protected_paths_below(&open, context.home, context.env));
    (confinement, protected)
}

/// Returns the readable paths, unresolved.
fn readable_paths(
    access: Access<'_>,
    context: &GrantContext<'_>,
    resolver: &mut PathResolver,
) -> Vec<PathBuf> {
    let (grants, project) = (access.grants, context.project);
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(programs::readable_program_directories(context.env, context.home));
    if grants.profile == Profile::Standard {
        read.push(project.to_path_buf());
        // The agent chooses its working directory. It is readable only inside the project: an agent
        // could be in `~/.ssh`.
        read.extend(resolver.resolve_if_in_project(context.cwd));
    }
    read.extend_from_slice(access.reads);
    // A directory around the home would open the home.
    read.retain(|path| resolver.is_not_home_or_parent(path));
    if grants.net != Peers::None {
        read.push(RESOLVER.into());
    }
    if grants.net == Peers::Everybody {
        let login = context.env.iter().find(|(name, _)| name == LOGIN);
        let login = login.map_or(Path::new(""), |(_, value)| Path::new(value));
        read.extend(BUSES.iter().map(|bus| login.join(bus)).filter(|path| path.is_absolute()));
    }
    read.extend(access.copy.map(Path::to_path_buf));
    read.extend(
        grants
            .read
            .iter()
            .filter_map(|path| granted_path_unless_linked_out(path, project, resolver)),
    );
    read
}

/// Returns the writable parents of the directories of a process: git and agents look for their
/// files in the parents of the directory where they start.
fn writable_ancestors(
    places: &[&Path],
    write: &[PathBuf],
    resolver: &mut PathResolver,
) -> Vec<PathBuf> {
    let ends: Vec<PathBuf> =
        places.iter().filter_map(|path| resolver.resolve_unless_link_escapes(path)).collect();
    let above = ends.iter().flat_map(|end| end.ancestors().skip(1));
    let open = above.filter(|path| write.iter().any(|granted| path.starts_with(granted)));
    open.map(Path::to_path_buf).collect()
}

/// Returns the writable directories below which a file may decide which hooks run: those in the
/// project, and `unasked`, which commands may write without a grant. The paths are real.
fn writable_config_directories(
    write: &[PathBuf],
    unasked: &[PathBuf],
    project: &Path,
) -> Vec<PathBuf> {
    let in_project = |path: &PathBuf| match path.starts_with(project) {
        true => Some(path.clone()),
        // A writer of a directory around the project can change the project.
        false => project.starts_with(path).then(|| project.to_path_buf()),
    };
    let mut open: Vec<PathBuf> = write.iter().filter_map(in_project).collect();
    open.extend_from_slice(unasked);
    open.sort();
    open.retain(|path| path.is_dir());
    // Directories inside a searched one are found there.
    open.dedup_by(|later, earlier| later.starts_with(earlier));
    open
}

/// Converts a tier into that of the crate `tenterhook-process`.
const fn to_process_tier(tier: Tier) -> process::Tier {
    match tier {
        Tier::T0 => process::Tier::T0,
        Tier::T1 => process::Tier::T1,
        Tier::T2 => process::Tier::T2,
    }
}

/// Returns the path of a grant, without resolving links. `None` if it is in the project by name and
/// a link leads out of it: a link could lead anywhere, and be created after the name was approved
///
fn granted_path_unless_linked_out(
    path: &Path,
    project: &Path,
    resolver: &mut PathResolver,
) -> Option<PathBuf> {
    let named = Grants::resolve_granted_path(path, project);
    let is_granted =
        !named.starts_with(project) || resolver.resolve_if_in_project(&named).is_some();
    is_granted.then_some(named)
}

/// Returns the paths that an entry of `layer` may read because it names them.
fn paths_named_by_entry(layer: Layer, program: &process::Program) -> Vec<PathBuf> {
    match layer_grants_by_naming(layer) {
        true => program_and_argument_paths(program).map(Path::to_path_buf).collect(),
        false => Vec::new(),
    }
}

/// Whether an absolute path in an entry grants reading it. Entries of the user and the organisation
/// may do that; entries of others could name a key.
const fn layer_grants_by_naming(layer: Layer) -> bool {
    match layer {
        Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => true,
        // The layer `local` also lies in the repository, and may have come with it.
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent => false,
    }
}

/// The path of the approved copy.
fn approved_copy_path(run: &Run) -> Option<&Path> {
    match run {
        Run::Command(command) | Run::Worker(Worker { command }) => command.kept.as_deref(),
        _ => None,
    }
}

/// Returns the paths that an entry names: its program and arguments. A shell line cannot be split
/// reliably, so it names none.
fn program_and_argument_paths(program: &process::Program) -> impl Iterator<Item = &Path> {
    let (first, rest): (Option<&OsString>, &[OsString]) = match program {
        process::Program::Argv { program, args } => (Some(program), args),
        process::Program::Shell { .. } => (None, &[]),
    };
    first.into_iter().chain(rest).map(Path::new)
}
