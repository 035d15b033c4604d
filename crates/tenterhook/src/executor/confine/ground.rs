//! Where is somebody who is confined? What of the host and of the event decides over the grants that name no whole path. Values only.

use std::path::{Path, PathBuf};

use crate::executor::Task;

/// The places that grants are about, and what the host has.
#[derive(Clone, Copy, Debug)]
pub(in crate::executor) struct Ground<'g> {
    pub(in crate::executor) project: &'g Path,
    pub(in crate::executor) cwd: &'g Path,
    pub(in crate::executor) home: &'g Path,
    /// The host's environment.
    pub(in crate::executor) env: &'g [(String, String)],
    /// Where directories for passing files may be made.
    pub(in crate::executor) scratch: Option<&'g Path>,
    /// What hooks of the same configuration may change: there they make links.
    pub(in crate::executor) granted: &'g [PathBuf],
    /// In place of what this machine can confine with: for tests.
    pub(in crate::executor) pretended: Option<tenterhook_process::Means>,
}

impl<'g> Ground<'g> {
    /// Where the event of a step happens.
    pub(super) fn of(task: &'g Task) -> Self {
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
