//! The repository that the programs under test are built from.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Its root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Says that all programs of the workspace are built already: `.ci/run` builds everything once, and
/// cargo would build much of it anew for one package alone, whose dependencies have fewer features.
const BUILT: &str = "TENTERHOOK_BUILT";

/// Builds a program of the workspace.
#[expect(clippy::disallowed_methods, reason = "said by the script that runs this program")]
pub(crate) fn build(package: &str) -> Result<(), String> {
    if std::env::var_os(BUILT).is_some() {
        return Ok(());
    }
    cargo(&["build", "--quiet", "--package", package])
}

/// Runs cargo there.
fn cargo(args: &[&str]) -> Result<(), String> {
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    let status = status.map_err(|error| format!("cargo cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", args.join(" "))) }
}
