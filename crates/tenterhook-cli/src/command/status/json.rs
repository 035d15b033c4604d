//! One agent of `status`, and the rules, as JSON. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook_core::hook::{Arming, Hook};
use tenterhook_core::install::{self, hook_command_line};
use tenterhook_process::internal::{account_name, host_name};

use super::rules::{RuleFile, Rules, State};
use super::view::View;
use super::{Found, Row, find_off_switch, older, pinned, silenced};
use crate::ambient::Here;
use crate::command::install::can_call_tenterhook;
use crate::command::install::files::scope_name;
use crate::command::presence::Presence;
use crate::openings::find_tools_unseen_by_hooks;
use crate::readers::{self, SharedHooks};
use crate::repository;

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
            "scope": scope_name(found.scope), "file": found.file, "path": found.path, "events": found.events, "programs": found.programs,
            "altered": found.altered, "exposed": found.exposed.as_ref().map(|(why, _)| why),
            "switched_off": switches(found).is_some_and(|switch| switch.off),
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
    let openings = find_tools_unseen_by_hooks(agent, here);
    let gaps =
        |held| openings.iter().filter(move |open| open.is_held == held).map(|open| open.of.gap);
    let held: Vec<&str> = gaps(true).collect();
    let lacking = older::events_agent_version_lacks(agent, found, here);
    let lacking = lacking.iter().map(|older| older.gap.as_str());
    let open: Vec<&str> =
        gaps(false).chain(lacking).chain(pinned::open_gaps(agent, found, here)).collect();
    let off =
        find_off_switch(agent, found, here).map(|off| json!({ "file": off.file, "key": off.key }));
    json!({
        "agent": agent.name, "title": agent.title, "covered": row.is_covered,
        "pinned": row.pinned, "known_only_from": agent.evidence.source_if_only_read(),
        "installed": Presence::find(agent, here).to_json(),
        "off": off, "silencers": silenced::silencers_json(&row.silencers, here),
        "can_be_answered": can_call_tenterhook(agent), "files": files, "gates": gates,
        "if_gone": agent.installation.gone, "held": held, "not_covered": open, "example": example,
    })
}

/// Returns all that `status` found.
pub(super) fn status_json(
    state: State,
    agents: Vec<Value>,
    (rules, view, shared): (&Rules, &View, &[SharedHooks]),
    here: &Here,
) -> Value {
    let files: Vec<Value> = rules.files.iter().map(rule_file_json).collect();
    let built_in: Vec<Value> = rules.built_in.iter().map(|hook| hook_json(hook)).collect();
    let expected = rules.expected.iter().map(|expected| {
        let file = expected.file.as_ref().map(|file| &*file.path);
        json!({ "digest": expected.digest.to_string(), "file": file, "applies": expected.has_fully_applied_file() })
    });
    let last_firing = rules.last_firing.as_ref().map(|firing| {
        json!({
            "record": firing.number(), "time": firing.end_time().map(|time| time.to_string()),
            "event": firing.event_name(), "tool": firing.tool_name(),
            "decision": firing.decision(),
        })
    });
    json!({
        "host": host_name(), "user": account_name(), "time": jiff::Timestamp::now().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "state": state.name(), "agents": agents, "rules": files, "built_in": built_in,
        "expected": expected.collect::<Vec<_>>(), "last_firing": last_firing,
        "shared_files": readers::shared_hooks_json(shared),
        "unsent_records": rules.unsent_count, "view": view.to_json(),
        "unasked": repository::commands_beside_tool_calls_json(&repository::find_commands(here)),
    })
}

fn rule_file_json(file: &RuleFile) -> Value {
    let hooks: Vec<Value> = file.hooks.iter().map(|hook| hook_json(hook)).collect();
    json!({
        "file": &*file.path, "digest": file.digest.map(|digest| digest.to_string()),
        "dialect": file.dialect.as_str(), "layer": file.layer.as_str(),
        "state": file.state.name(), "problems": file.problems, "hooks": hooks,
    })
}

fn hook_json(hook: &Hook) -> Value {
    json!({
        "id": hook.id.as_str(), "event": hook.event.as_str(),
        "line": hook.place.as_ref().map(|place| place.line), "mode": hook.enforcement.as_str(),
        "armed": hook.arming == Arming::Armed,
        "because": hook.arming.disabled_reason().map(|(because, _)| because),
    })
}
