//! What stands in the place of a script, or beside it, until its event comes. Says how it gets there; what it does is its own.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tenterhook_process as process;

use super::super::started;
use crate::discover;
use tenterhook_core::hook::{Command, Prewarm};

/// What stands in the place of a Python script.
const SHIM: &str = include_str!("../shim.py");

/// What stands beside a Node script.
const PRELOAD: &str = include_str!("../shim.cjs");

/// Tells the files of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The code that was put into an interpreter, for as long as that may want to read it.
#[derive(Debug, Default)]
pub(in crate::executor::command) struct StandIn {
    /// Node reads it again for each worker thread; dropping this removes it.
    file: Option<PathBuf>,
}

impl StandIn {
    /// Has the form of `command` stand in what is `described`. `None` where the interpreter cannot be told what to do; where
    /// only the announcement of its exit is not to be had, the command is started as it stands.
    pub(super) fn enter(
        described: &mut process::Command,
        command: &Command,
        scratch: Option<&Path>,
    ) -> Option<Self> {
        match command.prewarm {
            Prewarm::Never | Prewarm::AsItStands => Some(Self::default()),
            Prewarm::Python => {
                let form = command.starts().with_option(Prewarm::Python, "-c", SHIM)?;
                described.program = started(&form);
                Some(Self::default())
            }
            Prewarm::Node => Some(Self::beside(described, command, scratch).unwrap_or_default()),
        }
    }

    /// Has the preload stand in a Node, where it can have a file and somebody would hear it.
    fn beside(
        described: &mut process::Command,
        command: &Command,
        scratch: Option<&Path>,
    ) -> Option<Self> {
        let scratch = scratch.filter(|_| process::ANNOUNCES)?;
        let stand_in = Self { file: Some(write(scratch).ok()?) };
        let path = stand_in.file.as_ref()?.to_str()?;
        let form = command.starts().with_option(Prewarm::Node, "--require", path)?;
        described.program = started(&form);
        described.announce = process::Announce::OnDescriptor3;
        Some(stand_in)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // It may be gone with its directory.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Writes the preload into a file of its own, under the name by which Node will know it.
fn write(scratch: &Path) -> io::Result<PathBuf> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = scratch.canonicalize()?.join(format!("preload-{}-{number}.cjs", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    discover::owner_only(options.write(true).create_new(true))?
        .open(&path)?
        .write_all(PRELOAD.as_bytes())?;
    Ok(path)
}
