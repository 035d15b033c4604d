//! Rules that ask for the calls of a long session: how much more do they take than a rule that asks for a label, and than the JSON
//! reader takes for the lines?

use std::hint::black_box;
use std::sync::Arc;

use serde_json::Value;
use tenterhook::Session;
use tenterhook::session::{Memory, Store};

use super::{Bed, event, hook};
use crate::sample::{Sample, Table};

/// How many calls the session has at first; each event adds one.
const CALLS: u32 = 200;
const EVENTS: usize = 500;

/// What the rules ask.
const QUESTIONS: &[(&str, &str)] = &[
    ("the last 3", "session.last(3).count(c, c.ended == 'denied') == 3"),
    ("all", "session.calls.count(c, c.ended == 'denied') > 99"),
    ("written files", "session.wrote('/tmp/none')"),
];

pub(crate) fn history(table: &mut Table) {
    let label = with_calls("session.seen('x') && size(session.calls) == 0").0;
    let label = Sample::take(EVENTS, || drop(black_box(label.fire())));
    for (name, question) in QUESTIONS {
        let (bed, store) = with_calls(question);
        let text = store.history().unwrap_or_default();
        let raw = Sample::take(EVENTS, || {
            for line in text.lines() {
                drop(black_box(serde_json::from_str::<Value>(line)));
            }
        });
        let ours = || Sample::take(EVENTS, || drop(black_box(bed.fire())));
        let name = format!("rule, {name} of {CALLS} calls");
        table.more(name.clone(), ours(), ("the same, asks for a label", label.median()), "+50 us");
        table.against(name, ours(), ("the JSON reader on the lines", raw.median()), "less");
    }
}

/// A bed of one rule, with a session that has calls.
fn with_calls(question: &str) -> (Bed, Arc<Memory>) {
    let bed = Bed::written([hook(0, &format!("when = \"{question}\"\ndeny = 'no'"))]);
    let store = Arc::new(Memory::default());
    let bed = Bed { session: Session::new(Arc::clone(&store) as Arc<dyn Store>), ..bed };
    for number in 0..CALLS {
        let event = event().with("tool_use_id", number.to_string().as_str());
        drop(bed.runtime.block_on(bed.engine.fire(event, &bed.session)));
    }
    (bed, store)
}
