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
        println!("cargo::warning=this build cannot start children in namespaces: {why}");
    }
    if !is_known || done.is_err() {
        // Nothing to execute is how the crate knows.
        std::fs::write(&made, [])?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes the settings of a build script in the environment"
)]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Why the init process cannot be compiled.
enum CompileError {
    NoCompiler(cc::Error),
    Start { compiler: PathBuf, error: std::io::Error },
    Failed { compiler: PathBuf, message: String },
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCompiler(error) => write!(f, "{error}"),
            Self::Start { compiler, error } => write!(f, "{}: {error}", compiler.display()),
            Self::Failed { compiler, message } => {
                write!(f, "{} cannot compile it: {message}", compiler.display())
            }
        }
    }
}

fn compile(made: &Path) -> Result<(), CompileError> {
    let mut build = cc::Build::new();
    build.cargo_metadata(false).cargo_warnings(false).debug(false).pic(false);
    let compiler = build.try_get_compiler().map_err(CompileError::NoCompiler)?;
    let mut command: Command = compiler.to_command();
    command.args(FREESTANDING).arg(SOURCE).arg("-o").arg(made);
    let compiler = compiler.path().to_owned();
    let ended = match command.output() {
        Ok(ended) => ended,
        Err(error) => return Err(CompileError::Start { compiler, error }),
    };
    if ended.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&ended.stderr);
    Err(CompileError::Failed {
        compiler,
        message: output.lines().last().unwrap_or_default().into(),
    })
}
