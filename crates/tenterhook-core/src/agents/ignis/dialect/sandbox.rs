//! What does ignis leave to a hook that it confines? Its lists, as grants (I-37). Pure: names places, and opens none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::hook::{Command, Grants, Hook, Invocation, Peers, Profile, Run, Sandbox, Tier};

/// What is read beside what every confined hook reads, and changed beside what it changes.
const SCRATCH: &[&str] = &["/tmp", "/var/tmp"];

/// The sandbox of a hook. A machine that cannot confine runs it all the same, as the agent does.
pub(super) fn of(hook: &Hook, home: &Path) -> Sandbox {
    let scratch: Vec<PathBuf> = SCRATCH.iter().map(PathBuf::from).collect();
    let program = match &hook.run {
        Run::Command(Command { invocation: Invocation::Argv { program, .. }, .. }) => program,
        // It runs nothing.
        _ => return Sandbox::Unsaid,
    };
    let folder = folder(Path::new(program), home);
    Sandbox::In(Arc::new(Grants {
        read: folder.into_iter().chain(scratch.clone()).collect(),
        write: scratch,
        net: Peers::Everybody,
        at_least: Tier::T0,
        ..Grants::new(Profile::Strict)
    }))
}

/// The directory of the program, with which it is installed. One around the home would open what lies in it, and a program that is found
/// by its name has none.
fn folder(program: &Path, home: &Path) -> Option<PathBuf> {
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

    /// I-37: `default_read_list_includes_documented_paths`, `default_read_list_omits_hook_folder_when_none`,
    /// `default_write_list_includes_tmpdirs_and_dev_null`.
    #[test]
    fn the_lists_are_those_of_the_agent() {
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
            let sandbox = of(&hook, Path::new("/h"));
            let grants = sandbox.grants().expect("it is confined");
            let read: Vec<&str> = grants.read.iter().filter_map(|path| path.to_str()).collect();
            let expected: Vec<&str> = folder.into_iter().chain(["/tmp", "/var/tmp"]).collect();
            assert_eq!(read, expected, "{program:?}");
            assert_eq!(grants.write, [PathBuf::from("/tmp"), PathBuf::from("/var/tmp")]);
            assert_eq!((&grants.net, grants.demands()), (&Peers::Everybody, Tier::T0));
        }
    }
}
