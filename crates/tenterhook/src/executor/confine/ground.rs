//! Where is somebody who is confined? What of the host and of the event decides over the grants that name no whole path. Values only.

use std::path::Path;

use crate::executor::Task;

/// The places that grants are about, and what the host has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'g> {
    pub(super) project: &'g Path,
    pub(super) cwd: &'g Path,
    pub(super) home: &'g Path,
    /// The host's environment.
    pub(super) env: &'g [(String, String)],
    /// Where directories for passing files may be made.
    pub(super) scratch: Option<&'g Path>,
    /// As on a machine that can confine nothing: for tests.
    pub(super) pretends_no_means: bool,
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
