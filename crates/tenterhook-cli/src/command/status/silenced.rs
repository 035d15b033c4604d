//! What `status` shows of what silences an agent's hooks, or could. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook_core::agents::Agent;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::Silencer;

use crate::ambient::Here;
use crate::load::shorten;
use crate::silence;

/// What silences the agent's entries, without the switch that `status` reports as such if it `is_off`. Nothing in the person's own or
/// the project's files silences the organisation's entries.
pub(in crate::command) fn silencers(
    agent: &Agent,
    is_managed: bool,
    is_off: bool,
    here: &Here,
) -> Vec<Silencer> {
    let found = silence::of_agent(agent.name, here).into_iter();
    let found = found.filter(|silencer| !is_off || silencer.finding.code != Code::HooksDisabled);
    found
        .map(|silencer| match is_managed {
            true => {
                silence::as_advice(silencer, "the entries of `--scope managed` run all the same")
            }
            false => silencer,
        })
        .collect()
}

/// A row for each: a lead and a text.
pub(super) fn rows(silencers: &[Silencer], here: &Here) -> Vec<(&'static str, String)> {
    let row = |silencer: &Silencer| {
        let finding = &silencer.finding;
        let lead = if silence::is_error(silencer) { "silences" } else { "note" };
        let text = format!("{}: {}", silence::location(silencer, here), finding.message);
        let help = finding.help.as_ref().map(|help| ("to end it", help.clone()));
        std::iter::once((lead, text)).chain(help).collect::<Vec<_>>()
    };
    silencers.iter().flat_map(row).collect()
}

pub(super) fn values(silencers: &[Silencer], here: &Here) -> Vec<Value> {
    let value = |silencer: &Silencer| {
        let place = silencer.finding.place.as_ref();
        json!({
            "kind": silencer.finding.code, "severity": silencer.finding.severity.to_string(),
            "file": place.map(|place| shorten(&place.file, &here.roots)),
            "line": place.map(|place| place.line), "message": silencer.finding.message,
        })
    };
    silencers.iter().map(value).collect()
}
