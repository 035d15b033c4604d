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

/// Flags for C code of a static program: no tables for unwinding. Its `malloc` is the allocator that Rust code has, as that of musl asks the kernel for
/// each large block, and the grammar of Bash ends the program where it gets none; the allocator frees nothing at the end, as the system frees all.
const C_FLAGS: &str = "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-builtin-malloc -DMI_MALLOC_OVERRIDE \
    -DMI_SKIP_COLLECT_ON_EXIT";

/// Flags for the C code of SQLite, which reads the tables of agents' databases and nothing else: no text search, trees of areas, JSON or extensions.
const SQLITE_FLAGS: &str = "-USQLITE_ENABLE_API_ARMOR -USQLITE_ENABLE_COLUMN_METADATA -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_FTS3 \
    -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_LOAD_EXTENSION -USQLITE_ENABLE_RTREE \
    -USQLITE_ENABLE_STAT4 -USQLITE_SOUNDEX -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_DEPRECATED \
    -DSQLITE_OMIT_SHARED_CACHE -DSQLITE_OMIT_JSON -DSQLITE_OMIT_PROGRESS_CALLBACK -DSQLITE_OMIT_GET_TABLE";

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

impl Tool {
    /// Whether it makes a static program for Linux.
    const fn is_static(self) -> bool {
        matches!(self, Self::Musl | Self::Zig)
    }
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
    let variable = |name: &str| format!("{name}_{}", target.triple.replace('-', "_"));
    if let Tool::Musl = tool {
        command.env(variable("CC"), MUSL);
    }
    if tool.is_static() {
        command.env(variable("CFLAGS"), C_FLAGS);
    }
    command
        .args(["--locked", "--profile", "dist", "--package", "tenterhook-cli"])
        .args(["--features", "opencode"])
        .args(["--target", target.triple])
        .env("LIBSQLITE3_FLAGS", SQLITE_FLAGS)
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
    if tool.is_static() {
        // At a fixed place the program has no pointers to mend when it is loaded, which took a third of the time of a call's start.
        // Nothing unwinds, so no code reads the tables for it.
        flags.extend(["-Crelocation-model=static", "-Cforce-unwind-tables=no"].map(str::to_owned));
    }
    if let (Tool::Musl, Some(lld)) = (tool, rusts_linker()) {
        // This linker folds functions whose code is the same. It takes `musl-gcc`'s word that there is a loader, which a static program lacks.
        flags.push(format!("-Clink-arg=-B{}", lld.display()));
        flags.extend(
            ["-fuse-ld=lld", "-Wl,--icf=all", "-Wl,--no-dynamic-linker"]
                .map(|word| format!("-Clink-arg={word}")),
        );
    }
    flags
}

/// Returns the directory of the linker that comes with Rust, if this machine's Rust has it.
fn rusts_linker() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let libraries = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let directory = libraries.parent()?.join("bin/gcc-ld");
    directory.join("ld.lld").is_file().then_some(directory)
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
