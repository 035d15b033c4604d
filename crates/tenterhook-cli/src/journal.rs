//! Where this user's firings are recorded, and with what choices. Reads the user's and the organisation's own files; opens no
//! record.

use std::sync::Arc;

use tenterhook::Outcome;
use tenterhook::discover;
use tenterhook::internal::record::Location;
use tenterhook::internal::record::{UserAction, UserActionKind};
use tenterhook::record::Journal;

use crate::ambient::Here;
use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::term::Term;

/// What firings are recorded with; `None` where the user, or the organisation, wants none.
pub(crate) fn open(here: &Here) -> Option<Arc<Journal>> {
    Journal::below(&state(here), &discover::record(&here.roots)).map(Arc::new)
}

/// Where records are read from, also where none are written any more.
pub(crate) fn location(here: &Here) -> Location {
    Location::below(&state(here), discover::record(&here.roots).dir.as_deref())
}

/// Puts an event on record that no hook could see.
pub(crate) fn unseen(journal: Option<&Arc<Journal>>, outcome: &Outcome, term: Term) {
    if let Some(Err(lack)) = journal.map(|journal| journal.unseen(outcome)) {
        term.note_after(WARNING, "warning:", &format!("this is not on record: {}", lack.why));
    }
}

/// Puts on record what a person says of their guard, before it takes effect (RE-6).
///
/// # Errors
///
/// Where it must be on record and is not: then nothing may come of it.
pub(crate) fn record_decision(
    (kind, about, shown): (UserActionKind, &str, &str),
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    let action = UserAction { kind, about, shown };
    match open(here).map(|journal| journal.record_user_action(&action)) {
        Some(Err(lack)) if lack.is_required => {
            let message =
                format!("nothing was changed, because this is not on record: {}", lack.why);
            Err(Problem::new(message).help("`[record] required` says that it must be"))
        }
        Some(Err(lack)) => {
            term.note_after(WARNING, "warning:", &format!("this is not on record: {}", lack.why));
            Ok(())
        }
        Some(Ok(())) | None => Ok(()),
    }
}

fn state(here: &Here) -> std::path::PathBuf {
    here.state.parent().unwrap_or(&here.state).to_owned()
}
