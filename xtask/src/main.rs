//! Chores of the repository: `cargo xtask VERB`.

mod corpus;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["corpus", directory] => corpus::run(Path::new(directory)),
        _ => Err("usage: cargo xtask corpus DIR".to_owned()),
    };
    let (text, holds) = done.unwrap_or_else(|error| (format!("{error}\n"), false));
    let printed = std::io::stdout().write_all(text.as_bytes());
    if holds && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
