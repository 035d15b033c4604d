//! What is lost of a text that an agent's reader gives up on: the same question for every format. Reads nothing itself.

use crate::diagnostic::Location;
use crate::source::{Lost, Source};
use crate::syntax::Parsed;

/// What of `source` is in no entry, although the file has it (C-71, C-72).
pub(crate) fn lost(source: &Source, parsed: &Parsed) -> Option<Lost> {
    let (why, span) = match (parsed.fatal(), &parsed.root) {
        (Some(fault), _) if !parsed.lost.is_empty() => (fault.message.clone(), fault.span),
        (None, Some(root)) if root.as_object().is_none() => {
            (format!("expected an object, found {}", root.kind()), root.span)
        }
        _ => return None,
    };
    Some(Lost { why, place: Location::find(&source.name, &source.text, span) })
}
