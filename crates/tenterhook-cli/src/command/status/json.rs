//! One agent of `status` as JSON. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook::install::{self, line};

use super::{Found, Row, off, older, silenced};
use crate::ambient::Here;
use crate::command::install::can_call;
use crate::command::install::files::scope_word;
use crate::held::openings;

pub(super) fn object(row: &Row, here: &Here) -> Value {
    let (agent, found) = (row.agent, &*row.found);
    let switches = |it: &Found| install::switched(agent.switches, &it.text);
    let file = |it: &Found| {
        let waiting: Vec<Value> = it
            .waiting
            .iter()
            .map(|(event, it)| json!({ "event": event, "approval": it.word() }))
            .collect();
        json!({
            "waiting": waiting,
            "scope": scope_word(it.scope), "file": it.file, "events": it.events, "programs": it.programs,
            "altered": it.altered, "switched_off": switches(it).is_some_and(|it| it.off),
            "other_hooks": it.others, "broken": it.broken,
        })
    };
    let files: Vec<Value> = found.iter().map(file).collect();
    let gates: Vec<&str> = agent.events.iter().filter(|it| it.gates).map(|it| it.name).collect();
    // What is registered for the first event, for whoever wants to look for it.
    let example = agent.events.first().map(|it| line(agent, it, "tenterhook"));
    let openings = openings(agent, here);
    let gaps = |held| openings.iter().filter(move |it| it.is_held == held).map(|it| it.of.gap);
    let held: Vec<&str> = gaps(true).collect();
    let lacking = older::lacking(agent, found, here);
    let lacking = lacking.iter().map(|older| older.gap.as_str());
    let open: Vec<&str> = gaps(false).chain(lacking).chain(agent.gaps.iter().copied()).collect();
    let off = off(agent, found, here).map(|it| json!({ "file": it.file, "key": it.key }));
    json!({
        "agent": agent.name, "title": agent.title, "covered": row.is_covered,
        "off": off, "silencers": silenced::values(&row.silencers, here),
        "can_be_answered": can_call(agent), "files": files, "gates": gates,
        "if_gone": agent.gone, "held": held, "not_covered": open, "example": example,
    })
}
