//! `completions`: what a shell completes behind `tenterhook`. Prints it; puts it nowhere.

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run(args: &Completions, term: Term) -> Result<Exit, Problem> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tenterhook", &mut text);
    term.print_data(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Good)
}
