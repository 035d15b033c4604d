//! The sandbox in which ignis runs its hooks: its lists of paths, as grants (I-37). Opens no path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::hook::{Command, Grants, Hook, Invocation, Peers, Profile, Run, Sandbox, Tier};

/// Directories that the hook may read and write, in addition to those of every confined hook (X-2,
///
const SCRATCH: &[&str] = &["/tmp", "/var/tmp"];

/// The sandbox of a hook. A machine without a sandbox still runs the hook, as the agent does.
pub(super) fn sandbox_for_hook(hook: &Hook, home: &Path) -> Sandbox {
    let scratch: Vec<PathBuf> = SCRATCH.iter().map(PathBuf::from).collect();
    let program = match &hook.run {
        Run::Command(Command { invocation: Invocation::Argv { program, .. }, .. }) => program,
        // A hook that is not a command runs no program.
        _ => return Sandbox::Unsaid,
    };
    let folder = installation_directory(Path::new(program), home);
    Sandbox::In(Arc::new(Grants {
        read: folder.into_iter().chain(scratch.clone()).collect(),
        write: scratch,
        net: Peers::Everybody,
        at_least: Tier::T0,
        ..Grants::from_profile(Profile::Strict)
    }))
}

/// Returns the directory in which the program is installed. `None` for a program that is found by
/// its name, and for a directory that contains the home directory, because the hook could then read
/// all of it.
fn installation_directory(program: &Path, home: &Path) -> Option<PathBuf> {
    let folder = program.parent().filter(|parent| !parent.as_os_str().is_empty())?;
    if folder.is_relative() {
        return Some(Path::new(Grants::PROJECT).join(folder));
    }
    (folder.parent().is_some() && !home.starts_with(folder)).then(|| folder.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hook::{HookId, Inherit};

    /// I-37: `default_read_list_includes_documented_paths`,
    /// `default_read_list_omits_hook_folder_when_none`,
    /// `default_write_list_includes_tmpdirs_and_dev_null`.
    #[test]
    fn hook_gets_the_paths_that_the_agent_grants() {
        for (program, folder) in [
            ("/h/.ignis/hooks/a.py", Some("/h/.ignis/hooks")),
            ("hooks/a.py", Some("$PROJECT/hooks")),
            ("a.py", None),
            ("/h/a.py", None),
            ("/a.py", None),
        ] {
            let program = Invocation::Argv { program: program.to_owned(), args: Vec::new() };
            let run = Run::Command(Command::new(program.clone(), Inherit::Listed));
            let hook = Hook::new(HookId::new("h"), DialectId::IGNIS, "PreToolUse".into(), run);
            let sandbox = sandbox_for_hook(&hook, Path::new("/h"));
            let grants = sandbox.grants().expect("it is confined");
            let read: Vec<&str> = grants.read.iter().filter_map(|path| path.to_str()).collect();
            let expected: Vec<&str> = folder.into_iter().chain(["/tmp", "/var/tmp"]).collect();
            assert_eq!(read, expected, "{program:?}");
            assert_eq!(grants.write, [PathBuf::from("/tmp"), PathBuf::from("/var/tmp")]);
            assert_eq!((&grants.net, grants.required_tier()), (&Peers::Everybody, Tier::T0));
        }
    }
}
