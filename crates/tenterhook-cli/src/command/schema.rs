//! `schema`: the JSON Schemas of the native forms.

use tenterhook::dialect::native::schema::{Kind, schema};

use super::print_json;
use crate::args::{Schema, SchemaOf};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run(args: &Schema, term: Term) -> Result<Exit, Problem> {
    let kind = match args.of {
        SchemaOf::Config => Kind::Config,
        SchemaOf::Event => Kind::Event,
        SchemaOf::Answer => Kind::Answer,
        SchemaOf::Outcome => Kind::Outcome,
    };
    print_json(&schema(kind), term)?;
    Ok(Exit::Good)
}
