//! Which files of an agent are there, and what each would become. Writes none.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Form, Scope};
use tenterhook_core::install::{self, own_file, put_in, stranger, take_out};

use crate::ambient::Here;
use crate::command::change::Readers;
use crate::executable::is_executable;
use crate::load::shorten;
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
    /// A change of a file that is not a script.
    pub(crate) const fn new(path: PathBuf, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after, is_script: false, readers: Readers::Usual }
    }

    /// A change of a file that only its owner may read.
    pub(crate) const fn private(
        path: PathBuf,
        before: Option<String>,
        after: Option<String>,
    ) -> Self {
        Self { path, before, after, is_script: false, readers: Readers::Owner }
    }
}

/// The text of a file, if there is one. A FIFO or a device, which a repository may bring, is not waited for.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match discover::read(path) {
        Ok(text) => Ok(Some(text.to_string())),
        // A link to nowhere would be replaced, and what it meant forgotten.
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn read_here(path: &Path, here: &Here) -> Result<Option<String>, Problem> {
    read(path).map_err(|error| {
        let shown = shorten(&path.to_string_lossy(), &here.roots);
        Problem::new(format!("`{shown}` cannot be read: {error}"))
    })
}

/// Where the agent's file of that scope stands, or the folder of its scripts.
pub(crate) fn file_path(agent: &Agent, scope: Scope, here: &Here) -> Option<PathBuf> {
    let path = agent.installation.places.iter().find(|place| place.scope == scope)?.path;
    let root = match scope {
        Scope::User => home(agent, here),
        Scope::Project => here.roots.repository.clone().unwrap_or_else(|| here.roots.cwd.clone()),
        Scope::Managed => return discover::managed_file(Path::new(path)),
    };
    Some(root.join(path))
}

/// What a scope is called on the command line.
pub(crate) const fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
        Scope::Managed => "managed",
    }
}

const SCOPES: [Scope; 3] = [Scope::User, Scope::Project, Scope::Managed];

/// Where the agent's files stand, each once: where somebody stands in their home, theirs is the project's, too.
pub(crate) fn file_paths(agent: &Agent, here: &Here) -> Vec<(Scope, PathBuf)> {
    let all = SCOPES.iter().filter_map(|scope| Some((*scope, file_path(agent, *scope, here)?)));
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

/// The directory in which the agent's user files are.
pub(crate) fn home(agent: &Agent, here: &Here) -> PathBuf {
    let named = agent.installation.home_variable.and_then(|name| variable(name, here));
    named
        .map(PathBuf::from)
        .filter(|variable| variable.is_absolute())
        .unwrap_or_else(|| here.roots.home.join(agent.installation.home))
}

fn variable<'a>(name: &str, here: &'a Here) -> Option<&'a str> {
    here.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Whether the agent was used here or can be started.
pub(crate) fn is_here(agent: &Agent, here: &Here) -> bool {
    let moved = agent.installation.home_variable.filter(|variable| *variable != "XDG_CONFIG_HOME");
    moved.is_some_and(|text| variable(text, here).is_some_and(|path| Path::new(path).is_dir()))
        || agent.installation.seen.iter().any(|text| here.roots.home.join(text).is_dir())
        || on_path(agent.program(), here).next().is_some()
}

/// The programs of that name, in the order in which they are found.
pub(crate) fn on_path<'a>(name: &'a str, here: &'a Here) -> impl Iterator<Item = PathBuf> + 'a {
    let path = variable("PATH", here).unwrap_or_default();
    let directories = std::env::split_paths(path).collect::<Vec<_>>().into_iter();
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && is_executable(&metadata))
    };
    directories
        .filter(|directory| directory.is_absolute())
        .map(move |directory| directory.join(name))
        .filter(is_program)
}

/// What `install` changes.
pub(crate) fn put(
    agent: &Agent,
    scope: Scope,
    program: &str,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(path) = file_path(agent, scope, here) else {
        return Err(Problem::new(format!(
            "{} has no file of that scope that is known here",
            agent.title
        ))
        .help("`--scope user` writes yours"));
    };
    if agent.installation.form == Form::Groups {
        let before = read_here(&path, here)?;
        let after = put_in(agent, program, before.as_deref())
            .map_err(|error| refuse(&error, &path, here))?;
        let change = Change::new(path, before, Some(after));
        return Ok(only_new(vec![change]));
    }
    let mut changes = Vec::new();
    for (name, text) in own_file(agent, program) {
        let path = if name.is_empty() { path.clone() } else { path.join(&name) };
        let before = read_here(&path, here)?;
        if agent.installation.form == Form::Scripts {
            alone(agent, &path, &name, here)?;
        }
        if before.as_deref().is_some_and(|text| !is_ours(agent, text)) {
            let shown = shorten(&path.to_string_lossy(), &here.roots);
            return Err(Problem::new(format!(
                "`{shown}` is there already, and is not Tenterhook's"
            ))
            .help("move it away first: it would be lost"));
        }
        alone_in(agent, &path, before.as_deref(), here)?;
        let is_script = agent.installation.form == Form::Scripts;
        changes.push(Change { is_script, ..Change::new(path, before, Some(text)) });
    }
    Ok(only_new(changes))
}

/// What `uninstall` changes.
pub(crate) fn take(agent: &Agent, scope: Scope, here: &Here) -> Result<Vec<Change>, Problem> {
    let Some(path) = file_path(agent, scope, here) else { return Ok(Vec::new()) };
    if agent.installation.form == Form::Groups {
        let Some(before) = read_here(&path, here)? else { return Ok(Vec::new()) };
        let after = take_out(agent, &before).map_err(|error| refuse(&error, &path, here))?;
        let after = after.or_else(|| emptied(&path));
        let change = Change::new(path, Some(before), after);
        return Ok(only_new(vec![change]));
    }
    let mut changes = Vec::new();
    for (name, _) in own_file(agent, install_name()) {
        let path = if name.is_empty() { path.clone() } else { path.join(&name) };
        // Ignore files that are not ours.
        let Some(before) = read_here(&path, here)?.filter(|text| is_ours(agent, text)) else {
            continue;
        };
        alone_in(agent, &path, Some(&before), here)?;
        changes.push(Change::new(path, Some(before), None));
    }
    Ok(changes)
}

/// The content of a settings file that has become empty: the file is removed, but a link to a user's file leaves an empty file
/// (BR-77).
pub(super) fn emptied(path: &Path) -> Option<String> {
    path.is_symlink().then(|| "{}\n".to_owned())
}

/// Any program's name will do where only names of files are asked for.
const fn install_name() -> &'static str {
    "tenterhook"
}

pub(super) fn only_new(changes: Vec<Change>) -> Vec<Change> {
    changes.into_iter().filter(|change| change.before != change.after).collect()
}

/// Whether a file that is ours alone was written by us.
fn is_ours(agent: &Agent, text: &str) -> bool {
    match agent.installation.form {
        Form::Scripts | Form::Plugin => {
            text.contains(&format!("Written by `tenterhook install {}`", agent.name))
        }
        _ => text.contains(&format!("hook --agent {} ", agent.name)),
    }
}

/// A file of ours into which somebody wrote is theirs, too (BR-63).
fn alone_in(agent: &Agent, path: &Path, text: Option<&str>, here: &Here) -> Result<(), Problem> {
    let Some(found) = text.and_then(|text| stranger(agent, text)) else { return Ok(()) };
    let place = format!("{}:{}", shorten(&path.to_string_lossy(), &here.roots), found.line);
    let what = layout::line(&found.what);
    Err(Problem::new(format!("{place}: Tenterhook did not write this: {what}"))
        .help("nothing was changed; move it into a separate file first: it would be lost"))
}

/// Cline finds a hook by its name, with any extension and in any case: a second file for the same event is in the way.
fn alone(agent: &Agent, path: &Path, name: &str, here: &Here) -> Result<(), Problem> {
    let Some(Ok(entries)) = path.parent().map(fs::read_dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let stem = file.split('.').next().unwrap_or_default();
        if stem.eq_ignore_ascii_case(name) && file != name {
            let shown = shorten(&entry.path().to_string_lossy(), &here.roots);
            return Err(Problem::new(format!(
                "`{shown}` is there: {} runs one file an event",
                agent.title
            ))
            .help("move it away first"));
        }
    }
    Ok(())
}

pub(super) fn refuse(wrong: &install::Wrong, path: &Path, here: &Here) -> Problem {
    let shown = shorten(&path.to_string_lossy(), &here.roots);
    let place = format!("{shown}:{}:{}", wrong.line, wrong.column);
    Problem::new(format!("{place}: {}", wrong.message)).help("nothing was changed; mend that first")
}
