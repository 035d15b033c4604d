//! `schema`: the JSON Schemas of the forms that are read and written.

use tenterhook_core::dialect::native::schema::{Kind, schema_text};

use crate::args::{Schema, SchemaOf};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

pub(crate) fn run(args: &Schema, term: Term) -> Result<Exit, Problem> {
    let text = match args.of {
        SchemaOf::Config => schema_text(Kind::Config),
        SchemaOf::Event => schema_text(Kind::Event),
        SchemaOf::Answer => schema_text(Kind::Answer),
        SchemaOf::Outcome => schema_text(Kind::Outcome),
        SchemaOf::Stream => include_str!("schema/stream.json"),
        SchemaOf::Cases => schema_text(Kind::Cases),
        SchemaOf::Test => include_str!("schema/test.json"),
        SchemaOf::Check => include_str!("schema/check.json"),
        SchemaOf::Repository => include_str!("schema/repository.json"),
        SchemaOf::List => include_str!("schema/list.json"),
        SchemaOf::Explain => include_str!("schema/explain.json"),
        SchemaOf::Rules => include_str!("schema/rules.json"),
        SchemaOf::Events => include_str!("schema/events.json"),
        SchemaOf::Convert => include_str!("schema/convert.json"),
        SchemaOf::Transcripts => include_str!("schema/transcripts.json"),
        SchemaOf::Backtest => include_str!("schema/backtest.json"),
        SchemaOf::Reconcile => include_str!("schema/reconcile.json"),
        SchemaOf::Doctor => include_str!("schema/doctor.json"),
        SchemaOf::Log => include_str!("schema/log.json"),
        SchemaOf::Status => include_str!("schema/status.json"),
    };
    term.print_data(text)?;
    Ok(Exit::Good)
}
