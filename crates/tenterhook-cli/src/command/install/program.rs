//! Under which path do agents start this program, so that an upgrade does not take it away from them? Starts nothing.

use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::Scope;

use super::files::find_on_path;
use crate::ambient::Here;
use crate::problem::Problem;

/// The name under which the bridge knows an entry for its own (BR-31).
const NAME: &str = if cfg!(windows) { "tenterhook.exe" } else { "tenterhook" };

/// Parts of paths that a package manager makes anew with each version, or clears away.
const FLEETING: &[&str] =
    &["_npx", "Cellar", ".pnpm", "archive-v0", "store", "environments-v2", ".cache"];

/// Returns the path to register (BR-65): the path where `PATH` finds this program, which stays
/// valid when an upgrade replaces its target; otherwise the path of this executable.
pub(super) fn program_path_to_register(
    given: Option<&Path>,
    scope: Scope,
    here: &Here,
) -> Result<String, Problem> {
    if let Some(given) = given {
        return require_usable_program(&here.roots.cwd.join(given));
    }
    let own = std::env::current_exe()
        .map_err(|error| Problem::new(format!("the path of this program is unknown: {error}")))?;
    let found: Vec<PathBuf> = find_on_path(NAME, here).collect();
    let is_this = |path: &&PathBuf| path.canonicalize().ok() == own.canonicalize().ok();
    // A package manager's starter is a script beside the program: the first of that name, where ours would go away.
    let stays =
        found.iter().find(is_this).or_else(|| found.first().filter(|_| is_temporary_path(&own)));
    match (scope, stays) {
        // Others share the file, and have the program elsewhere.
        (Scope::Project, _) => Ok("tenterhook".to_owned()),
        (_, Some(path)) if !is_temporary_path(path) => require_usable_program(path),
        (_, _) if is_temporary_path(&own) => Err(Problem::new(format!(
            "`{}` goes away with the next upgrade",
            own.display()
        ))
        .with_help("install tenterhook so that it is found by its name, or name its place with `--program FILE`")),
        (_, _) => require_usable_program(&own),
    }
}

/// Returns an error if a user could change the program, and so its rules, or could not start it
/// (BR-162).
pub(super) fn require_program_for_all_users(program: &Path, here: &Here) -> Result<(), Problem> {
    let fault = match discover::writer_of_shared_program(program, &here.roots) {
        Some((why, _)) => format!("{why}: other users could change the program"),
        None => match discover::find_barrier_for_other_users(program) {
            Some(place) => format!("other users cannot pass `{}`", place.display()),
            None => return Ok(()),
        },
    };
    let shown = program.display();
    let problem = Problem::new(format!("`{shown}` is no program for every user: {fault}"));
    Err(problem.with_help(format!(
        "run `sudo install -m 755 {shown} /usr/local/bin/`, then install with `/usr/local/bin/{NAME}`"
    )))
}

fn is_temporary_path(path: &Path) -> bool {
    path.components().any(|component| FLEETING.iter().any(|name| component.as_os_str() == *name))
}

/// Returns the path as text, or an error if it is not an existing file with this program's name.
fn require_usable_program(path: &Path) -> Result<String, Problem> {
    let shown = path.display();
    if path.file_name().is_none_or(|name| name != NAME) {
        return Err(Problem::new(format!("`{shown}` is not called `{NAME}`"))
            .with_help("its entries could not be distinguished from others"));
    }
    match path.metadata() {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(Problem::new(format!("`{shown}` is no file"))),
        Err(error) => {
            return Err(Problem::new(format!("`{shown}` cannot be looked at: {error}")));
        }
    }
    let text = path.to_str().filter(|path| !path.contains(char::is_control));
    text.map(str::to_owned)
        .ok_or_else(|| Problem::new(format!("`{shown}` cannot be written into a settings file")))
}
