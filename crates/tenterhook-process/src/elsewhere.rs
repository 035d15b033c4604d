//! Where there is no supervisor yet: every run reports that it was not started.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::command::Command;
use crate::inbox::Inbox;
use crate::report::{End, NotStarted, Report, Step};

/// What becomes of standard input after the command's own bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Close,
    KeepOpen,
}

/// Whether a program can announce its exit.
pub(crate) const ANNOUNCES: bool = false;

/// Returns no means: this platform has no sandbox.
pub(crate) fn available_sandbox_means() -> crate::confine::Means {
    crate::confine::Means::default()
}

/// Returns no means, for any tier.
pub(crate) fn sandbox_means_for_tier(_: crate::confine::Tier) -> crate::confine::Means {
    available_sandbox_means()
}

/// Starts a keeper for this program; only Linux has what it needs.
///
/// # Errors
///
/// Always, here.
pub fn kill_descendants_on_exit() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Does nothing: there is no keeper.
pub const fn leave_descendants_on_exit() {}

/// Makes this process the parent of orphaned descendants; only Linux can.
///
/// # Errors
///
/// Always, here.
pub fn adopt_orphans() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The input of a run that never starts.
pub(crate) struct Stdin;

impl Stdin {
    pub(crate) fn new(_: u64) -> Arc<Self> {
        Arc::new(Self)
    }

    pub(crate) fn queue_bytes(&self, _: Arc<[u8]>) {}

    pub(crate) fn queue_last_bytes(&self, _: Arc<[u8]>) {}

    pub(crate) fn close_when_empty(&self) {}
}

pub(crate) fn submit_run(_: Command, _: Input, inbox: &Arc<Inbox>, _: &Arc<Stdin>) {
    inbox.deliver_report(unknown_failure_report());
}

pub(crate) fn notify_run_of_orders(_: u64) {}

/// That the system does not support it, as each system numbers it: by Windows' numbers 38 is the end of a file.
const UNSUPPORTED: i32 = unsupported_errno(cfg!(windows));

const fn unsupported_errno(is_windows: bool) -> i32 {
    if is_windows { 120 } else { 38 }
}

pub(crate) fn unknown_failure_report() -> Report {
    let path = PathBuf::from("supervisor");
    let fault = NotStarted { step: Step::Prepare, path, errno: UNSUPPORTED };
    Report::without_process(End::NotStarted(fault), Duration::ZERO)
}
