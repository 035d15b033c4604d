//! What `status` shows of what silences an agent's hooks, or could. Looks for nothing itself.

use serde_json::{Value, json};
use tenterhook_core::agents::Agent;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::Silencer;

use crate::ambient::Here;
use crate::load::shorten_path;
use crate::silence;

/// Returns what silences the agent's entries, without the switch that `status` reports itself if it
/// `is_off`. For the organisation's entries (`is_managed`) these are only advice: the user's and
/// the project's files cannot silence them.
pub(in crate::command) fn find_silencers(
    agent: &Agent,
    is_managed: bool,
    is_off: bool,
    here: &Here,
) -> Vec<Silencer> {
    let found = silence::silencers_of_agent(agent.name, here).into_iter();
    let found = found.filter(|silencer| !is_off || silencer.finding.code != Code::HooksDisabled);
    found
        .map(|silencer| match is_managed {
            true => silence::downgrade_to_advice(
                silencer,
                "the entries of `--scope managed` run all the same",
            ),
            false => silencer,
        })
        .collect()
}

/// Returns a row for each silencer: a label and a text.
pub(super) fn silencer_rows(silencers: &[Silencer], here: &Here) -> Vec<(&'static str, String)> {
    let row = |silencer: &Silencer| {
        let finding = &silencer.finding;
        let lead = if silence::has_error_severity(silencer) { "silences" } else { "note" };
        let text = format!("{}: {}", silence::file_and_line(silencer, here), finding.message);
        let help = finding.help.as_ref().map(|help| ("to end it", help.clone()));
        std::iter::once((lead, text)).chain(help).collect::<Vec<_>>()
    };
    silencers.iter().flat_map(row).collect()
}

pub(super) fn silencers_json(silencers: &[Silencer], here: &Here) -> Vec<Value> {
    let value = |silencer: &Silencer| {
        let place = silencer.finding.place.as_ref();
        json!({
            "kind": silencer.finding.code, "severity": silencer.finding.severity.to_string(),
            "file": place.map(|place| shorten_path(&place.file, &here.roots)),
            "line": place.map(|place| place.line), "message": silencer.finding.message,
        })
    };
    silencers.iter().map(value).collect()
}
