//! Compiles process 1 of a child's own namespaces (`src/linux/init.c`), which is built into the crate. Where that cannot be done the crate
//! is built without, and says that it makes no namespaces.

use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "src/linux/init.c";

/// The processors whose system calls the program knows.
const KNOWN: &[&str] = &["x86_64", "aarch64"];

/// A program without a library, at a fixed address, that asks for nothing when it starts.
const FREESTANDING: &[&str] = &[
    "-std=gnu11",
    "-Os",
    "-static",
    "-no-pie",
    "-fno-pie",
    "-nostdlib",
    "-ffreestanding",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-builtin",
    "-s",
    "-Wl,-z,noexecstack",
    "-Wl,--build-id=none",
];

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={SOURCE}");
    println!("cargo::rerun-if-changed=build.rs");
    let made = PathBuf::from(variable("OUT_DIR")).join("init");
    let is_known = variable("CARGO_CFG_TARGET_OS") == "linux"
        && KNOWN.contains(&variable("CARGO_CFG_TARGET_ARCH").as_str());
    let done = if is_known { compile(&made) } else { Ok(()) };
    if let Err(why) = &done {
        println!("cargo::warning=children get no namespaces of their own in this build: {why}");
    }
    if !is_known || done.is_err() {
        // Nothing to execute is how the crate knows.
        std::fs::write(&made, [])?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a build script is told everything by environment")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn compile(made: &Path) -> Result<(), String> {
    let mut build = cc::Build::new();
    build.cargo_metadata(false).cargo_warnings(false).debug(false).pic(false);
    let compiler = build.try_get_compiler().map_err(|error| error.to_string())?;
    let mut command: Command = compiler.to_command();
    command.args(FREESTANDING).arg(SOURCE).arg("-o").arg(made);
    let ended =
        command.output().map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    Err(format!(
        "{} cannot make it: {}",
        compiler.path().display(),
        said.lines().last().unwrap_or_default()
    ))
}
