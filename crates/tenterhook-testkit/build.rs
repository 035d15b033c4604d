//! Builds `fakehook`, the program that tests run: one file, with the compiler at hand.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "fakehook/main.rs";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=fakehook");
    println!("cargo::rerun-if-changed=build.rs");
    if get("CARGO_CFG_UNIX").is_err() {
        return Ok(());
    }
    // Without the dynamic loader it starts in half the time; not every system has the libraries.
    let fast = compile(&["-Ctarget-feature=+crt-static", "-Crelocation-model=static"])?;
    if fast.status.success() {
        return Ok(());
    }
    let plain = compile(&[])?;
    if plain.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&plain.stderr).into())
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by environment")]
fn get(name: &str) -> Result<String, std::env::VarError> {
    std::env::var(name)
}

fn compile(more: &[&str]) -> Result<Output, Box<dyn Error>> {
    let program = Path::new(&get("OUT_DIR")?).join("fakehook");
    let mut rustc = Command::new(get("RUSTC")?);
    rustc.args(["--edition=2024", "--crate-name=fakehook", "-Copt-level=2", "-Cpanic=abort"]);
    rustc.args(["-Cdebuginfo=0", "-Cstrip=symbols", "--cap-lints=allow"]).args(more);
    // Where it is built for a system that this one only compiles for.
    if let Ok(linker) = get("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(["--target", &get("TARGET")?, SOURCE, "-o"]).arg(program);
    Ok(rustc.output()?)
}
