//! `cargo xtask lines FILE`: how many lines of a list are seen, kind by kind? Starts the example of the library that asks; the list
//! belongs to the person who collected it, and nothing of it is kept here.

use std::process::Command;

use crate::error::Error;
use crate::{Report, tree};

pub(crate) fn run(args: &[&str]) -> Report {
    // The example runs in the repository, so a relative path of the caller has to be made absolute.
    let absolute = |arg: &&str| match std::fs::canonicalize(arg) {
        Ok(path) => path.to_string_lossy().into_owned(),
        Err(_) => (*arg).to_owned(),
    };
    let status = Command::new("cargo")
        .args([
            "run",
            "--quiet",
            "--package",
            "tenterhook",
            "--all-features",
            "--example",
            "lines",
            "--",
        ])
        .args(args.iter().map(absolute))
        .current_dir(tree::root())
        .status()
        .map_err(Error::spawn("cargo"))?;
    Ok((String::new(), status.success()))
}
