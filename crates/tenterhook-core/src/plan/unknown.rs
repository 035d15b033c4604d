//! Is an event known? An unknown one that no source declares passes every hook over in silence. Pure:
//! says what that means; asks no hook.

use std::sync::Arc;

use crate::answer::Restraint;
use crate::config::Ruleset;
use crate::diagnostic::{Code, nearest_word};
use crate::dialect::{DIALECTS, EventRow};
use crate::event::EventName;
use crate::hook::HookId;
use crate::outcome::{Fault, Reason};
use crate::verdict::Verdict;

/// What to say of an event that no dialect has, no source declared and no hook is for (P-9): `None` for any other.
///
/// A name that is nearly that of an event before an effect is a slip of the host, and its gates would never hear of the call:
/// that denies. Any other name is an event of the host's own, which hooks may come to wait for.
#[must_use]
pub fn verdict_on_unknown_event(rulesets: &[Arc<Ruleset>], event: &EventName) -> Option<Verdict> {
    let rows = || DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
    let expects = |ruleset: &Arc<Ruleset>| {
        ruleset.custom_event_row(event).is_some() || !ruleset.stages(event).is_empty()
    };
    if rulesets.iter().any(expects) || rows().any(|row| &*row.event == event.as_str()) {
        return None;
    }
    let near = nearest_word(event.as_str(), rows().flat_map(|row| [&*row.event, &*row.name]));
    let meant = near.and_then(|near| rows().find(|row| row.event == near || row.name == near));
    Some(meant.map_or_else(
        || undeclared_event_verdict(event),
        |meant| misnamed_event_verdict(event, meant, near.unwrap_or_default()),
    ))
}

fn misnamed_event_verdict(event: &EventName, meant: &EventRow, near: &str) -> Verdict {
    let message = format!("no event is called `{event}`, so no hook is for it; `{near}` is one");
    let at_stake = meant.is_before_effect();
    let text = || format!("blocked, because no hook could see it: {message}");
    Verdict {
        restraint: if at_stake { Restraint::Deny } else { Restraint::Silent },
        reason: at_stake.then(|| Reason { hook: HookId::new("tenterhook"), text: text() }),
        faults: vec![Fault { code: Code::MisnamedEvent, hook: None, message }],
        ..Verdict::without_effect()
    }
}

fn undeclared_event_verdict(event: &EventName) -> Verdict {
    let message = format!(
        "no agent has an event `{event}` and no hook is for it; if it is one of your own, declare it: `[event.\"{event}\"]`"
    );
    let fault = Fault { code: Code::CustomEvent, hook: None, message };
    Verdict { faults: vec![fault], ..Verdict::without_effect() }
}
