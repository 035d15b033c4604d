//! Reports which hooks may be lost in a text that cannot be parsed to its end, for every format.
//! Opens no file.

use crate::diagnostic::Location;
use crate::source::{Lost, Source};
use crate::syntax::Parsed;

/// Returns the part of `source` that is in the file but in no entry that could be read (C-71,
/// C-72).
pub(crate) fn find_lost_part(source: &Source, parsed: &Parsed) -> Option<Lost> {
    let (why, span) = match (parsed.fatal_fault(), &parsed.root) {
        (Some(fault), _) if !parsed.lost.is_empty() => (fault.message.clone(), fault.span),
        (None, Some(root)) if root.as_object().is_none() => {
            (format!("expected an object, found {}", root.kind_with_article()), root.span)
        }
        _ => return None,
    };
    Some(Lost { why, place: Location::find(&source.name, &source.text, span) })
}
