//! Which files of an agent are there, and what each would become. Writes none.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Approvals, Form, Layout, Scope};
use tenterhook_core::install::{
    self, RANDOM_DIGITS, add_own_entries, find_foreign_part, remove_own_entries,
    tenterhook_files_with_texts,
};

use super::beside::random_digits;
use crate::ambient::Here;
use crate::command::change::Readers;
use crate::executable::is_executable;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::layout;

/// A file, as it is and as it would be; `None` where it is not there.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) is_script: bool,
    pub(crate) readers: Readers,
}

impl Change {
    /// Creates a change of a file that is not a script.
    pub(crate) const fn new(path: PathBuf, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after, is_script: false, readers: Readers::Usual }
    }

    /// Creates a change of a file that only its owner may read.
    pub(crate) const fn of_private_file(
        path: PathBuf,
        before: Option<String>,
        after: Option<String>,
    ) -> Self {
        Self { path, before, after, is_script: false, readers: Readers::Owner }
    }
}

/// Reads the text of a file; `None` if it does not exist. Never waits for a FIFO or a device, which
/// a repository may contain.
pub(crate) fn read_if_exists(path: &Path) -> io::Result<Option<String>> {
    match discover::read_config_file(path) {
        Ok(text) => Ok(Some(text.to_string())),
        // A link to nowhere would be replaced, and what it meant forgotten.
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn read_or_problem(path: &Path, here: &Here) -> Result<Option<String>, Problem> {
    read_if_exists(path).map_err(|error| {
        let shown = shorten_path(&path.to_string_lossy(), &here.roots);
        Problem::new(format!("`{shown}` cannot be read: {error}"))
    })
}

/// Returns the path of the agent's file in that scope, or of the folder of its scripts.
pub(crate) fn agent_file_path(agent: &Agent, scope: Scope, here: &Here) -> Option<PathBuf> {
    let path = agent.installation.path(scope)?;
    let root = match scope {
        Scope::User => agent_user_directory(agent, here),
        Scope::Project => here.roots.repository.clone().unwrap_or_else(|| here.roots.cwd.clone()),
        Scope::Managed => return discover::managed_file_path(Path::new(path)),
    };
    Some(root.join(path))
}

/// Returns the name of a scope on the command line.
pub(crate) const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
        Scope::Managed => "managed",
    }
}

const SCOPES: [Scope; 3] = [Scope::User, Scope::Project, Scope::Managed];

/// Returns the paths of the agent's files, each once: in the home directory, the user's file is
/// also the project's.
pub(crate) fn agent_file_paths(agent: &Agent, here: &Here) -> Vec<(Scope, PathBuf)> {
    let all =
        SCOPES.iter().filter_map(|scope| Some((*scope, agent_file_path(agent, *scope, here)?)));
    let mut places: Vec<(Scope, PathBuf)> = Vec::new();
    for (scope, path) in all {
        let real = path.canonicalize().ok();
        let is_same = |other: &PathBuf| {
            *other == path || (real.is_some() && other.canonicalize().ok() == real)
        };
        if !places.iter().any(|(_, path)| is_same(path)) {
            places.push((scope, path));
        }
    }
    places
}

/// Returns the directory of the agent's user files.
pub(crate) fn agent_user_directory(agent: &Agent, here: &Here) -> PathBuf {
    let named = agent.installation.home_variable.and_then(|name| env_variable(name, here));
    named
        .map(PathBuf::from)
        .filter(|variable| variable.is_absolute())
        .unwrap_or_else(|| here.roots.home.join(agent.installation.home))
}

pub(super) fn env_variable<'a>(name: &str, here: &'a Here) -> Option<&'a str> {
    here.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Returns whether the agent was used here or can be started.
pub(crate) fn is_agent_present(agent: &Agent, here: &Here) -> bool {
    agent_directory(agent, here).is_some()
        || find_on_path(agent.program_name(), here).next().is_some()
}

/// Returns the directory that exists if the agent was used here.
pub(crate) fn agent_directory(agent: &Agent, here: &Here) -> Option<PathBuf> {
    let moved = agent.installation.home_variable.filter(|variable| *variable != "XDG_CONFIG_HOME");
    let moved = moved.and_then(|name| env_variable(name, here)).map(PathBuf::from);
    let seen = agent.installation.seen.iter().map(|name| here.roots.home.join(name));
    moved.into_iter().chain(seen).find(|path| path.is_dir())
}

/// Returns the programs of that name, in the order of `PATH`.
pub(crate) fn find_on_path<'a>(
    name: &'a str,
    here: &'a Here,
) -> impl Iterator<Item = PathBuf> + 'a {
    let path = env_variable("PATH", here).unwrap_or_default();
    let directories = std::env::split_paths(path).collect::<Vec<_>>().into_iter();
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && is_executable(&metadata))
    };
    directories
        .filter(|directory| directory.is_absolute())
        .map(move |directory| directory.join(name))
        .filter(is_program)
}

/// Returns the changes of `install`.
pub(crate) fn changes_for_install(
    agent: &Agent,
    scope: Scope,
    program: &str,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(path) = agent_file_path(agent, scope, here) else {
        return Err(Problem::new(format!(
            "{} has no file of that scope that is known here",
            agent.title
        ))
        .with_help("`--scope user` writes yours"));
    };
    if agent.installation.form.is_shared_file() {
        let before = read_or_problem(&path, here)?;
        let after = add_own_entries(agent, program, before.as_deref())
            .map_err(|error| unusable_file_problem(&error, &path, here))?;
        let after = with_random_digits(&after)?;
        let approvals = change_of_approvals(agent, scope, Some(&after), here)?;
        let change = Change::new(path, before, Some(after));
        // An agent that starts between the two writes skips an entry that it does not know yet.
        return Ok(without_no_op_changes(approvals.into_iter().chain([change]).collect()));
    }
    let mut changes = Vec::new();
    for (name, text) in tenterhook_files_with_texts(agent, program) {
        let path = if name.is_empty() { path.clone() } else { path.join(&name) };
        let before = read_or_problem(&path, here)?;
        if agent.installation.form == Form::Scripts {
            refuse_second_hook_file(agent, &path, &name, here)?;
        }
        if before.as_deref().is_some_and(|text| !is_written_by_us(agent, text)) {
            let shown = shorten_path(&path.to_string_lossy(), &here.roots);
            return Err(Problem::new(format!(
                "`{shown}` is there already, and is not Tenterhook's"
            ))
            .with_help("move it away first: it would be lost"));
        }
        refuse_foreign_text(agent, &path, before.as_deref(), here)?;
        let is_script = agent.installation.form == Form::Scripts;
        changes.push(Change { is_script, ..Change::new(path, before, Some(text)) });
    }
    Ok(without_no_op_changes(changes))
}

/// Returns the changes of `uninstall`.
pub(crate) fn changes_for_uninstall(
    agent: &Agent,
    scope: Scope,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(path) = agent_file_path(agent, scope, here) else { return Ok(Vec::new()) };
    if agent.installation.form.is_shared_file() {
        let approvals = change_of_approvals(agent, scope, None, here)?;
        let mut changes: Vec<Change> = approvals.into_iter().collect();
        if let Some(before) = read_or_problem(&path, here)? {
            let after = remove_own_entries(agent, &before)
                .map_err(|error| unusable_file_problem(&error, &path, here))?;
            let after = after.or_else(|| content_of_emptied_settings(agent, &path));
            changes.push(Change::new(path, Some(before), after));
        }
        return Ok(without_no_op_changes(changes));
    }
    let mut changes = Vec::new();
    for (name, _) in tenterhook_files_with_texts(agent, placeholder_program()) {
        let path = if name.is_empty() { path.clone() } else { path.join(&name) };
        // Ignore files that are not ours.
        let Some(before) =
            read_or_problem(&path, here)?.filter(|text| is_written_by_us(agent, text))
        else {
            continue;
        };
        refuse_foreign_text(agent, &path, Some(&before), here)?;
        changes.push(Change::new(path, Some(before), None));
    }
    Ok(changes)
}

/// Returns the change of the list in which the agent keeps approved hooks, if `install` enters
/// Tenterhook's: those of a config text, or none without one.
fn change_of_approvals(
    agent: &Agent,
    scope: Scope,
    config: Option<&str>,
    here: &Here,
) -> Result<Option<Change>, Problem> {
    let installation = &agent.installation;
    let is_ours = matches!(installation.approvals, Approvals::ByInstall(_));
    let name = installation.approvals_file(scope).filter(|_| is_ours);
    let Some(name) = name else { return Ok(None) };
    let path = agent_user_directory(agent, here).join(name);
    let before = read_or_problem(&path, here)?;
    let entries = config.map(|config| install::installed_events_and_commands(agent, config));
    let after = match (entries.transpose(), before.as_deref()) {
        (Ok(Some(entries)), before) => {
            install::with_own_approvals(agent, before, &entries).map(Some)
        }
        (Ok(None), Some(before)) => install::without_own_approvals(agent, before),
        (Ok(None), None) => return Ok(None),
        (Err(wrong), _) => Err(wrong),
    };
    let after = after.map_err(|error| unusable_file_problem(&error, &path, here))?;
    Ok(Some(Change::new(path, before, after)))
}

/// Returns the new content of a settings file that has become empty: the file is removed, but a
/// symlink to a user's file is left with an empty file (BR-77).
pub(super) fn content_of_emptied_settings(agent: &Agent, path: &Path) -> Option<String> {
    let layout = agent.installation.form.hook_file().map(|file| file.layout);
    let empty = if matches!(layout, Some(Layout::Tables { .. })) { "" } else { "{}\n" };
    path.is_symlink().then(|| empty.to_owned())
}

/// Puts random digits into the names of new entries, which a repository must not guess.
fn with_random_digits(text: &str) -> Result<String, Problem> {
    match text.contains(RANDOM_DIGITS) {
        true => Ok(text.replace(RANDOM_DIGITS, &random_digits()?)),
        false => Ok(text.to_owned()),
    }
}

/// Returns a program name for calls that only need the names of files.
const fn placeholder_program() -> &'static str {
    "tenterhook"
}

pub(super) fn without_no_op_changes(changes: Vec<Change>) -> Vec<Change> {
    changes.into_iter().filter(|change| change.before != change.after).collect()
}

/// Returns whether a file that should be ours alone was written by us.
fn is_written_by_us(agent: &Agent, text: &str) -> bool {
    match agent.installation.form {
        Form::Scripts | Form::Plugin(_) => {
            text.contains(&format!("Written by `tenterhook install {}`", agent.name))
        }
        _ => text.contains(&format!("hook --agent {} ", agent.name)),
    }
}

/// Returns an error if a file of ours contains text that somebody else wrote (BR-63).
fn refuse_foreign_text(
    agent: &Agent,
    path: &Path,
    text: Option<&str>,
    here: &Here,
) -> Result<(), Problem> {
    let Some(found) = text.and_then(|text| find_foreign_part(agent, text)) else { return Ok(()) };
    let place = format!("{}:{}", shorten_path(&path.to_string_lossy(), &here.roots), found.line);
    let what = layout::to_safe_line(&found.what);
    Err(Problem::new(format!("{place}: Tenterhook did not write this: {what}"))
        .with_help("nothing was changed; move it into a separate file first: it would be lost"))
}

/// Returns an error if there is a second file for the same event: Cline finds a hook by its name,
/// with any extension and in any case.
fn refuse_second_hook_file(
    agent: &Agent,
    path: &Path,
    name: &str,
    here: &Here,
) -> Result<(), Problem> {
    let Some(Ok(entries)) = path.parent().map(fs::read_dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let stem = file.split('.').next().unwrap_or_default();
        if stem.eq_ignore_ascii_case(name) && file != name {
            let shown = shorten_path(&entry.path().to_string_lossy(), &here.roots);
            return Err(Problem::new(format!(
                "`{shown}` is there: {} runs one file an event",
                agent.title
            ))
            .with_help("move it away first"));
        }
    }
    Ok(())
}

pub(super) fn unusable_file_problem(wrong: &install::Wrong, path: &Path, here: &Here) -> Problem {
    let shown = shorten_path(&path.to_string_lossy(), &here.roots);
    let place = format!("{shown}:{}:{}", wrong.line, wrong.column);
    Problem::new(format!("{place}: {}", wrong.message))
        .with_help("nothing was changed; mend that first")
}
