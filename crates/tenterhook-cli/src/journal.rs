//! Where this user's firings are recorded, and with what choices. Reads the user's and the organisation's own files; opens no
//! record.

use std::sync::Arc;

use serde_json::{Map, Value};
use tenterhook::Outcome;
use tenterhook::discover;
use tenterhook::internal::record::Location;
use tenterhook::internal::record::read::count_unsent_records;
use tenterhook::internal::record::{UserAction, UserActionKind};
use tenterhook::record::Journal;
use tenterhook_core::dialect::DialectId;

use crate::ambient::Here;
use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::term::Term;

/// Opens the journal that records firings; `None` if the user, or the organisation, turned it off.
pub(crate) fn open_journal(here: &Here) -> Option<Arc<Journal>> {
    new_journal(here).map(Arc::new)
}

/// Opens the journal that records the calls of an agent, which may tell its version in the payload
/// `fields` or the environment.
pub(crate) fn open_agent_journal(
    agent: DialectId,
    fields: &Map<String, Value>,
    here: &Here,
) -> Option<Arc<Journal>> {
    let variable = |name: &str| {
        let found = here.env.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    };
    let version = agent.dialect().agent_version(fields, variable);
    new_journal(here).map(|journal| Arc::new(journal.called_by(agent.as_str(), version)))
}

fn new_journal(here: &Here) -> Option<Journal> {
    Journal::below(&state_directory(here), &discover::record(&here.roots))
}

/// Returns the location of the records, even if recording is turned off.
pub(crate) fn journal_location(here: &Here) -> Location {
    Location::in_state_directory(
        &state_directory(here),
        discover::record(&here.roots).dir.as_deref(),
    )
}

/// Returns the message about records that the log of the system did not take, if there are any.
pub(crate) fn unsent_records_message(here: &Here) -> Option<String> {
    let count = count_unsent_records(&journal_location(here));
    let records = match count {
        0 => return None,
        1 => "the last record".to_owned(),
        _ => format!("the last {count} records"),
    };
    Some(format!(
        "{records} did not reach the log of the system: check that its socket takes messages (`[record] system_log`)"
    ))
}

/// Records an event that no hook could see.
pub(crate) fn record_unseen_event(journal: Option<&Arc<Journal>>, outcome: &Outcome, term: Term) {
    if let Some(Err(lack)) = journal.map(|journal| journal.unseen(outcome)) {
        term.print_labelled_note(
            WARNING,
            "warning:",
            &format!("this is not on record: {}", lack.why),
        );
    }
}

/// Puts on record what a person says of their guard, before it takes effect (RE-6).
///
/// # Errors
///
/// Where it must be on record and is not: then nothing may come of it.
pub(crate) fn record_user_decision(
    (kind, about, shown): (UserActionKind, &str, &str),
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    let action = UserAction { kind, about, shown };
    match open_journal(here).map(|journal| journal.record_user_action(&action)) {
        Some(Err(lack)) if lack.is_required => {
            let message =
                format!("nothing was changed, because this is not on record: {}", lack.why);
            Err(Problem::new(message).with_help("`[record] required` says that it must be"))
        }
        Some(Err(lack)) => {
            term.print_labelled_note(
                WARNING,
                "warning:",
                &format!("this is not on record: {}", lack.why),
            );
            Ok(())
        }
        Some(Ok(())) | None => Ok(()),
    }
}

fn state_directory(here: &Here) -> std::path::PathBuf {
    here.state.parent().unwrap_or(&here.state).to_owned()
}
