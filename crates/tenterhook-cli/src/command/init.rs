//! `init`: a first `tenterhook.toml` with one gate and its cases. Never overwrites.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use super::trust;
use crate::ambient::Here;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::paint::{BOLD, DIM, paint};
use crate::term::Term;

/// The content of the new file.
const FIRST: &str = include_str!("init/tenterhook.toml");

/// The commands to type next, and what each says.
const NEXT: &[(&str, &str)] = &[
    ("tenterhook check", "is the file right?"),
    ("tenterhook test", "does the gate do what its cases say?"),
    ("tenterhook fire Bash 'git push --force'", "what happens to this call?"),
];

pub(crate) fn run(here: &Here, term: Term) -> Result<Exit, Problem> {
    let directory = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
    let file = directory.join("tenterhook.toml");
    let shown = shorten_path(&file.to_string_lossy(), &here.roots);
    let mut new =
        OpenOptions::new().write(true).create_new(true).open(&file).map_err(|error| match error
            .kind()
        {
            ErrorKind::AlreadyExists => Problem::new(format!("`{shown}` is there already"))
                .with_help("`tenterhook check` and `tenterhook test` say what it does"),
            _ => Problem::new(format!("`{shown}` cannot be written: {error}")),
        })?;
    new.write_all(FIRST.as_bytes())
        .map_err(|error| Problem::new(format!("`{shown}` cannot be written: {error}")))?;
    trust::approve_written_file(&file, here, term);
    let mut out = format!(
        "wrote {shown}, and approved it: a gate that blocks forced pushes, and its cases\n\n"
    );
    for (command, says) in NEXT {
        out.push_str(&format!(
            "  {}  {}\n",
            paint(BOLD, format!("{command:<40}")),
            paint(DIM, format!("# {says}"))
        ));
    }
    term.print_data(&out)?;
    Ok(Exit::Good)
}
