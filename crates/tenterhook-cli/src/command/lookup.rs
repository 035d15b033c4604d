//! `explain CODE`: what the specification says of a rule, a finding or a fault.

use serde_json::json;

use super::print_json;
use crate::ambient::Here;
use crate::args::Format;
use crate::book::{self, Entry};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, paint};
use crate::term::Term;

/// Finds the entry for an argument that is a rule number or a code, and not a file.
pub(super) fn find_explained_entry(
    what: &[String],
    here: &Here,
) -> Result<Option<(String, Entry)>, Problem> {
    let [word] = what else { return Ok(None) };
    if here.roots.cwd.join(word).exists() {
        return Ok(None);
    }
    // Codes are in lower case. Other entries of the specification's tables are events and fields, and have no entry here.
    let is_code = word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !is_code && !book::looks_like_rule_number(word) {
        return Ok(None);
    }
    match book::find_rule_or_code_entry(word) {
        Some(entry) => Ok(Some((word.clone(), entry))),
        None if word != "-" && (book::looks_like_rule_number(word) || word.contains('-')) => {
            let problem = Problem::new(format!("the specification has no `{word}`"));
            let near = book::nearest_entry_name(word).map(|near| format!("did you mean `{near}`?"));
            Err(Problem { help: near, ..problem })
        }
        None => Ok(None),
    }
}

pub(super) fn print_entry(
    (word, entry): &(String, Entry),
    format: Format,
    term: Term,
) -> Result<Exit, Problem> {
    match format {
        Format::Json => {
            print_json(&json!({ "code": word, "page": entry.page, "text": entry.text }), term)?;
        }
        Format::Text => {
            let text = layout::wrap_text(&entry.text, term.width()).join("\n");
            term.print_data(&format!(
                "{}\n{text}\n\n{}\n",
                paint(BOLD, word),
                paint(DIM, &entry.page)
            ))?;
        }
    }
    Ok(Exit::Good)
}
