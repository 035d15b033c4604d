//! `demo`: a recorded agent session, played through the example hooks.

use crate::ambient::Here;
use crate::args::Demo;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run(args: &Demo, here: &Here, term: Term) -> Result<Exit, Problem> {
    let _ = (args, here, term);
    Err(Problem::new("the demo is not built in yet"))
}
