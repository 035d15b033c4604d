//! The repository that the programs under test are built from.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Its root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Runs cargo there.
pub(crate) fn cargo(args: &[&str]) -> Result<(), String> {
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    let status = status.map_err(|error| format!("cargo cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", args.join(" "))) }
}
