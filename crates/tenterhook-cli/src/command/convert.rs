//! `convert`: one file of any dialect as a native file, and what of it no native file can say.

use serde_json::json;
use tenterhook::config::{self, Added};
use tenterhook::diagnostic::Severity;
use tenterhook::dialect::{DialectId, native};

use super::{check, print_json};
use crate::ambient::Here;
use crate::args::{Convert, Format};
use crate::exit::Exit;
use crate::load::{self, Whose};
use crate::problem::Problem;
use crate::show::diagnostic;
use crate::term::Term;

pub(crate) fn run(args: &Convert, here: &Here, term: Term) -> Result<Exit, Problem> {
    let named = std::slice::from_ref(&args.file);
    let mut loaded = load::read(named, Whose::of_files(args.dialect), here);
    if let Some(first) = loaded.diagnostics.first() {
        return Err(Problem { message: first.message.clone(), help: first.help.clone() });
    }
    if loaded.sources.iter().all(|it| it.dialect == DialectId::NATIVE) {
        let message = format!("`{}` is native already", args.file.path.display());
        return Err(Problem::new(message).help("`--dialect NAME` says whose it is, if it is not"));
    }
    let read = config::load(&loaded.sources, &Added::default(), None);
    let (text, unsaid) = native::write(read.ruleset.hooks());
    // What is wrong with the file is wrong with what is made of it, and stands before what is lost on the way.
    loaded.diagnostics.extend(read.diagnostics);
    loaded.diagnostics.extend(unsaid);
    match args.output.format {
        Format::Json => {
            let found: Vec<_> =
                loaded.diagnostics.iter().map(|it| check::finding(it, &loaded.texts)).collect();
            print_json(&json!({ "config": text, "diagnostics": found }), term)?;
        }
        Format::Text => {
            term.data(&text)?;
            for it in loaded.diagnostics.iter().filter(|it| it.severity > Severity::Advice) {
                term.say(&diagnostic::render(it, &loaded.texts, term.width()));
            }
        }
    }
    let lost = loaded.diagnostics.iter().any(|it| it.severity == Severity::Error);
    Ok(if lost { Exit::Wrong } else { Exit::Good })
}
