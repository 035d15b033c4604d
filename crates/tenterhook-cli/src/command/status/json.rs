//! One agent of `status` as JSON. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook_core::install::{self, hook_command_line};

use super::{Found, Row, find_off_switch, older, silenced};
use crate::ambient::Here;
use crate::command::install::can_call_tenterhook;
use crate::command::install::files::scope_name;
use crate::openings::find_openings;

pub(super) fn agent_json(row: &Row, here: &Here) -> Value {
    let (agent, found) = (row.agent, &*row.found);
    let switches =
        |file: &Found| install::find_hook_switch(agent, agent.installation.switches, &file.text);
    let file = |found: &Found| {
        let waiting: Vec<Value> = found
            .waiting
            .iter()
            .map(|(event, state)| json!({ "event": event, "approval": state.label() }))
            .collect();
        json!({
            "waiting": waiting,
            "scope": scope_name(found.scope), "file": found.file, "events": found.events, "programs": found.programs,
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
    let example = agent
        .installation
        .events
        .first()
        .map(|event| hook_command_line(agent, event, "tenterhook"));
    let openings = find_openings(agent, here);
    let gaps =
        |held| openings.iter().filter(move |open| open.is_held == held).map(|open| open.of.gap);
    let held: Vec<&str> = gaps(true).collect();
    let lacking = older::missing_events(agent, found, here);
    let lacking = lacking.iter().map(|older| older.gap.as_str());
    let open: Vec<&str> =
        gaps(false).chain(lacking).chain(agent.installation.gaps.iter().copied()).collect();
    let off =
        find_off_switch(agent, found, here).map(|off| json!({ "file": off.file, "key": off.key }));
    json!({
        "agent": agent.name, "title": agent.title, "covered": row.is_covered,
        "off": off, "silencers": silenced::silencers_json(&row.silencers, here),
        "can_be_answered": can_call_tenterhook(agent), "files": files, "gates": gates,
        "if_gone": agent.installation.gone, "held": held, "not_covered": open, "example": example,
    })
}
