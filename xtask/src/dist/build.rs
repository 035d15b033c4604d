//! How the program is compiled for a target, with the C compiler that is there for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::targets::Target;
use crate::error::Error;
use crate::tree;

/// What to install where no target can be built.
pub(crate) const MISSING: &str = "\
no target can be built here: install `musl-gcc` (the package `musl-tools`), or `zig` and `cargo-zigbuild`, and
`rustup target add` the target";

/// The C compiler for the static target of this machine, as distributions name it.
const MUSL: &str = "musl-gcc";

/// What compiles C for a target, and links for it.
#[derive(Clone, Copy, Debug)]
enum Tool {
    /// The wrapper of the C compiler of this machine.
    Musl,
    /// Zig, which has every C library, behind `cargo zigbuild`.
    Zig,
    /// The C compiler of this machine.
    Own,
}

/// Whether it can be built here.
pub(crate) fn can(target: &Target) -> bool {
    tool(target).is_some()
}

fn tool(target: &Target) -> Option<Tool> {
    let arch = std::env::consts::ARCH;
    match target.triple.split_once('-')? {
        (of, "unknown-linux-musl") if of == arch && there(MUSL, "--version") => Some(Tool::Musl),
        (_, "unknown-linux-musl") if there("cargo-zigbuild", "--version") => Some(Tool::Zig),
        (_, "apple-darwin") if cfg!(target_os = "macos") => Some(Tool::Own),
        _ => None,
    }
}

fn there(program: &str, flag: &str) -> bool {
    Command::new(program).arg(flag).output().is_ok_and(|output| output.status.success())
}

/// Compiles it, and says where it lies.
pub(crate) fn program(target: &Target) -> Result<PathBuf, Error> {
    let root = tree::root();
    let tool = tool(target).ok_or_else(|| Error::Usage(MISSING.to_owned()))?;
    let mut command = Command::new("cargo");
    command.arg(match tool {
        Tool::Zig => "zigbuild",
        Tool::Musl | Tool::Own => "build",
    });
    if let Tool::Musl = tool {
        command.env(format!("CC_{}", target.triple.replace('-', "_")), MUSL);
    }
    command
        .args(["--locked", "--profile", "dist", "--package", "tenterhook-cli"])
        .args(["--features", "opencode"])
        .args(["--target", target.triple])
        .env("CARGO_ENCODED_RUSTFLAGS", flags(tool, &root).join("\u{1f}"))
        .current_dir(&root);
    let status = command.status().map_err(Error::spawn("cargo"))?;
    if !status.success() {
        return Err(Error::Invalid(format!("the program cannot be built for {}", target.triple)));
    }
    Ok(root.join("target").join(target.triple).join("dist/tenterhook"))
}

/// Compiler flags in addition to the profile.
fn flags(tool: Tool, root: &Path) -> Vec<String> {
    let mut flags = remapped(root);
    if let Tool::Musl = tool {
        // A twentieth of the program was the list of places to mend when it is loaded; as a bitmap it is next to nothing.
        flags.extend(["-C", "link-arg=-Wl,-z,pack-relative-relocs"].map(str::to_owned));
    }
    flags
}

/// Flags that remove the paths of the sources, so that each machine builds the same program.
#[expect(clippy::disallowed_methods, reason = "where cargo keeps sources, as cargo looks for it")]
fn remapped(root: &Path) -> Vec<String> {
    let home = std::env::var_os("HOME").map(|value| PathBuf::from(value).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home);
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut flags: Vec<String> = cargo.iter().map(|cargo| remap(cargo, "/cargo")).collect();
    flags.push(remap(root, "/tenterhook"));
    flags
}
