//! One agent of `status` as JSON. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook_core::install::{self, line};

use super::{Found, Row, off, older, silenced};
use crate::ambient::Here;
use crate::command::install::can_call;
use crate::command::install::files::scope_word;
use crate::openings::openings;

pub(super) fn object(row: &Row, here: &Here) -> Value {
    let (agent, found) = (row.agent, &*row.found);
    let switches = |file: &Found| install::switched(agent, agent.installation.switches, &file.text);
    let file = |found: &Found| {
        let waiting: Vec<Value> = found
            .waiting
            .iter()
            .map(|(event, state)| json!({ "event": event, "approval": state.label() }))
            .collect();
        json!({
            "waiting": waiting,
            "scope": scope_word(found.scope), "file": found.file, "events": found.events, "programs": found.programs,
            "altered": found.altered, "switched_off": switches(found).is_some_and(|switch| switch.off),
            "other_hooks": found.others, "broken": found.broken,
        })
    };
    let files: Vec<Value> = found.iter().map(file).collect();
    let gates: Vec<&str> = agent
        .installation
        .events
        .iter()
        .filter(|event| event.gates)
        .map(|event| event.name)
        .collect();
    // The line that is registered for the first event, so that a script can look for it.
    let example = agent.installation.events.first().map(|event| line(agent, event, "tenterhook"));
    let openings = openings(agent, here);
    let gaps =
        |held| openings.iter().filter(move |open| open.is_held == held).map(|open| open.of.gap);
    let held: Vec<&str> = gaps(true).collect();
    let lacking = older::lacking(agent, found, here);
    let lacking = lacking.iter().map(|older| older.gap.as_str());
    let open: Vec<&str> =
        gaps(false).chain(lacking).chain(agent.installation.gaps.iter().copied()).collect();
    let off = off(agent, found, here).map(|off| json!({ "file": off.file, "key": off.key }));
    json!({
        "agent": agent.name, "title": agent.title, "covered": row.is_covered,
        "off": off, "silencers": silenced::values(&row.silencers, here),
        "can_be_answered": can_call(agent), "files": files, "gates": gates,
        "if_gone": agent.installation.gone, "held": held, "not_covered": open, "example": example,
    })
}
