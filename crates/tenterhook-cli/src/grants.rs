//! Is what the sandboxes of hooks grant there? One advice for each path that is not. Looks at files; grants nothing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::hook::{Arming, Grants, Hook};

/// Reports a missing path once, even if a setting of the source grants it to many hooks.
pub(crate) fn check_granted_paths_exist(ruleset: &Ruleset, sources: &[Source]) -> Vec<Diagnostic> {
    let mut reported = HashSet::new();
    let hooks = ruleset.hooks().iter().filter(|hook| hook.arming == Arming::Armed);
    hooks.flat_map(|hook| missing_path_findings(hook, sources, &mut reported)).collect()
}

fn missing_path_findings(
    hook: &Hook,
    sources: &[Source],
    reported: &mut HashSet<PathBuf>,
) -> Vec<Diagnostic> {
    let Some((grants, source)) = grants_and_source(hook, sources) else { return Vec::new() };
    let granted = grants.read.iter().chain(&grants.write);
    let absent =
        granted.filter(|path| !Grants::resolve_granted_path(path, &source.project).exists());
    let absent = absent.filter(|path| reported.insert((*path).clone()));
    let finding = |path: &PathBuf| {
        let shown = path_as_written_in_grant(path, &source.project, &source.home);
        let message = format!("its sandbox grants `{}`, which is not there", shown.display());
        let help = "nothing is granted of it while it is not there when the hook starts: correct the path, or make it first";
        Diagnostic::new(Code::AbsentGrant, message, hook.place.clone())
            .label("granted here")
            .help(help)
    };
    absent.map(finding).collect()
}

/// Returns the grants of a confined hook, and the source that configures it.
pub(crate) fn grants_and_source<'a>(
    hook: &'a Hook,
    sources: &'a [Source],
) -> Option<(&'a Grants, &'a Source)> {
    let place = hook.place.as_ref()?;
    Some((hook.sandbox.grants()?, sources.iter().find(|source| source.name == place.file)?))
}

/// Returns a path in the form in which a grant names it.
pub(crate) fn path_as_written_in_grant(path: &Path, project: &Path, home: &Path) -> PathBuf {
    match (path.strip_prefix(project).ok().filter(|_| project != home), path.strip_prefix(home)) {
        (Some(rest), _) => Path::new(Grants::PROJECT).join(rest),
        (None, Ok(rest)) => Path::new("~").join(rest),
        (None, Err(_)) => path.to_path_buf(),
    }
}
