//! Where is somebody who is confined? What of the host and of the event decides over the grants that name no whole path. Values only.

use std::path::Path;

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
    /// As on a machine that can confine nothing: for tests.
    pub(in crate::executor) pretends_no_means: bool,
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
            pretends_no_means: ambient.pretends_no_means,
        }
    }
}
