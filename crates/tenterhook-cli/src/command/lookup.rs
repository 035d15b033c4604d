//! `explain CODE`: what the specification says of a rule, a finding or a fault.

use serde_json::json;

use super::print_json;
use crate::ambient::Here;
use crate::args::Format;
use crate::book::{self, Said};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::paint::{BOLD, DIM, paint};
use crate::show::words;
use crate::term::Term;

/// What is said of a word, where one was given that is the number of a rule or a code, and no file.
pub(super) fn find(what: &[String], here: &Here) -> Result<Option<(String, Said)>, Problem> {
    let [word] = what else { return Ok(None) };
    if here.roots.cwd.join(word).exists() {
        return Ok(None);
    }
    // Codes are in small letters; other words of the specification's tables are events and fields, and none is told of alone.
    let is_code = word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !is_code && !book::is_number(word) {
        return Ok(None);
    }
    match book::find(word) {
        Some(said) => Ok(Some((word.clone(), said))),
        None if word != "-" && (book::is_number(word) || word.contains('-')) => {
            let problem = Problem::new(format!("the specification has no `{word}`"));
            let near = book::near(word).map(|near| format!("did you mean `{near}`?"));
            Err(Problem { help: near, ..problem })
        }
        None => Ok(None),
    }
}

pub(super) fn tell(
    (word, said): &(String, Said),
    format: Format,
    term: Term,
) -> Result<Exit, Problem> {
    match format {
        Format::Json => {
            print_json(&json!({ "code": word, "page": said.page, "text": said.text }), term)?;
        }
        Format::Text => {
            let text = words::wrap(&said.text, term.width()).join("\n");
            term.data(&format!("{}\n{text}\n\n{}\n", paint(BOLD, word), paint(DIM, &said.page)))?;
        }
    }
    Ok(Exit::Good)
}
