//! Facts about the host and the event that decide grants without an absolute path. Values only.

use std::path::{Path, PathBuf};

use crate::executor::Task;

/// The directories that grants refer to, and what the host has.
#[derive(Clone, Copy, Debug)]
pub(in crate::executor) struct GrantContext<'g> {
    pub(in crate::executor) project: &'g Path,
    pub(in crate::executor) cwd: &'g Path,
    pub(in crate::executor) home: &'g Path,
    /// The host's environment.
    pub(in crate::executor) env: &'g [(String, String)],
    /// Where scratch directories may be created.
    pub(in crate::executor) scratch: Option<&'g Path>,
    /// Writable paths of hooks of the same configuration: they may create links there.
    pub(in crate::executor) granted: &'g [PathBuf],
    /// Replaces what this machine can confine with: for tests.
    pub(in crate::executor) pretended: Option<tenterhook_process::Means>,
}

impl<'g> GrantContext<'g> {
    /// Returns the context of the event of a step.
    pub(super) fn from_task(task: &'g Task) -> Self {
        let (within, ambient) = (&task.event.within, &task.ambient);
        Self {
            project: &within.project,
            cwd: &within.cwd,
            home: &within.home,
            env: &ambient.env,
            scratch: ambient.scratch.as_deref(),
            granted: &task.hook.granted,
            pretended: ambient.pretended,
        }
    }
}
