//! Code that takes the place of a script, or is loaded beside it, until its event comes. Installs
//! it; the code itself is in `shim.py` and `shim.cjs`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tenterhook_process as process;

use super::super::to_process_program;
use crate::discover;
use tenterhook_core::hook::{Command, Prewarm};

/// Takes the place of a Python script.
const SHIM: &str = include_str!("../shim.py");

/// Is loaded beside a Node script.
const PRELOAD: &str = include_str!("../shim.cjs");

/// Distinguishes the files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The code that was put into an interpreter; kept as long as the interpreter may read it.
#[derive(Debug, Default)]
pub(in crate::executor::command) struct Substitute {
    /// Node reads it again for each worker thread; dropping this removes it.
    file: Option<PathBuf>,
}

impl Substitute {
    /// Changes `described` to start the prewarmed form of `command`. `None` if the interpreter
    /// cannot load different code. If only the announcement of its exit is unavailable, the command
    /// stays unchanged.
    pub(super) fn apply_to_command(
        described: &mut process::Command,
        command: &Command,
        scratch: Option<&Path>,
    ) -> Option<Self> {
        match command.prewarm {
            Prewarm::Never | Prewarm::AsItStands => Some(Self::default()),
            Prewarm::Python => {
                let form =
                    command.invocation().insert_interpreter_option(Prewarm::Python, "-c", SHIM)?;
                described.program = to_process_program(&form);
                Some(Self::default())
            }
            Prewarm::Node => {
                Some(Self::preload_in_node(described, command, scratch).unwrap_or_default())
            }
        }
    }

    /// Makes Node load the preload, if there is a directory for its file and a receiver for its
    /// announcement.
    fn preload_in_node(
        described: &mut process::Command,
        command: &Command,
        scratch: Option<&Path>,
    ) -> Option<Self> {
        let scratch = scratch.filter(|_| process::ANNOUNCES)?;
        let substitute = Self { file: Some(write_preload_file(scratch).ok()?) };
        let path = substitute.file.as_ref()?.to_str()?;
        let form =
            command.invocation().insert_interpreter_option(Prewarm::Node, "--require", path)?;
        described.program = to_process_program(&form);
        described.announce = process::Announce::OnDescriptor3;
        Some(substitute)
    }
}

impl Drop for Substitute {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // It may be gone with its directory.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Writes the preload into a new file, under the name by which Node loads it.
fn write_preload_file(scratch: &Path) -> io::Result<PathBuf> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = scratch.canonicalize()?.join(format!("preload-{}-{number}.cjs", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    discover::set_owner_only_create_mode(options.write(true).create_new(true))?
        .open(&path)?
        .write_all(PRELOAD.as_bytes())?;
    Ok(path)
}
