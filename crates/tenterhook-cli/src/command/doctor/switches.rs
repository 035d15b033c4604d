//! The finding about an agent whose hooks are switched off, and its fix. Does not decide whether they are.

use std::path::Path;

use tenterhook_core::agents::{Agent, Scope};

use super::entries::{File, find_line_number, fix_by_installing};
use super::finding::{Finding, Kind, Mend};
use crate::ambient::Here;
use crate::command::install::switches::{
    Seen, SwitchSetting, find_off_switch, find_only_managed_switch,
};
use crate::command::status::silenced;
use crate::silence;

pub(super) fn switch_findings(agent: &'static Agent, files: &[File], here: &Here) -> Vec<Finding> {
    let seen: Vec<Seen<'_>> = files.iter().map(as_seen_file).collect();
    let off = find_off_switch(agent, &seen, here)
        .map(|statement| switched_off_finding(agent, &statement, here));
    let alone = find_only_managed_switch(agent, &seen, here)
        .map(|statement| only_managed_hooks_finding(agent, &statement, here));
    let silenced = silencer_findings(agent, files, off.is_some(), here);
    off.into_iter().chain(alone).chain(silenced).collect()
}

/// Returns the findings about other things that silence existing entries, or could (BR-80 to
/// BR-83).
fn silencer_findings(
    agent: &'static Agent,
    files: &[File],
    is_off: bool,
    here: &Here,
) -> Vec<Finding> {
    let ours: Vec<&File> = files.iter().filter(|file| !file.entries.is_empty()).collect();
    if ours.is_empty() {
        return Vec::new();
    }
    let is_managed = ours.iter().any(|file| file.scope == Scope::Managed);
    let found = silenced::find_silencers(agent, is_managed, is_off, here).into_iter();
    found
        .map(|silencer| {
            let kind = match silence::has_error_severity(&silencer) {
                true => Kind::Silenced,
                false => Kind::SilencerKnown,
            };
            let diagnostic = silencer.finding;
            let mend = diagnostic.help.unwrap_or_else(|| "nothing, unless you doubt it".to_owned());
            let finding = Finding::new(kind, diagnostic.message, Mend::from_advice(mend));
            match &diagnostic.place {
                Some(place) => {
                    finding.with_location(Path::new(&*place.file), Some(place.line), here)
                }
                None => finding,
            }
        })
        .collect()
}

fn as_seen_file(file: &File) -> Seen<'_> {
    let calls = !file.entries.is_empty();
    Seen { scope: file.scope, path: &file.path, text: &file.text, calls }
}

fn switched_off_finding(agent: &Agent, said: &SwitchSetting, here: &Here) -> Finding {
    let key = &said.switched.key;
    let (what, mend) = match said.switched.is_missing {
        true => (
            format!("`{key}` does not name the plugin, so {} does not load it", agent.title),
            fix_by_installing(agent, Scope::User),
        ),
        false => (
            format!("`{key}` switches all hooks of {} off", agent.title),
            Mend::from_advice(format!("take `{key}` out of the file")),
        ),
    };
    Finding::new(Kind::SwitchedOff, what, mend).with_location(&said.path, find_key_line(said), here)
}

fn only_managed_hooks_finding(agent: &Agent, said: &SwitchSetting, here: &Here) -> Finding {
    let what = format!(
        "`{}`: your entries are not run, only those of the organisation",
        said.switched.key
    );
    let mend = match agent.installation.managed_file.is_some() {
        true => fix_by_installing(agent, Scope::Managed),
        false => Mend::from_advice("have your organisation register `tenterhook hook` there"),
    };
    Finding::new(Kind::OnlyManaged, what, mend).with_location(&said.path, find_key_line(said), here)
}

/// Returns the line with the last word of the key, as JSON or TOML write it.
fn find_key_line(said: &SwitchSetting) -> Option<usize> {
    let key = said.switched.key.rsplit('.').next().unwrap_or_default();
    find_line_number(&said.text, &format!("\"{key}\"")).or_else(|| {
        let is = |line: &str| {
            line.trim_start().split('=').next().is_some_and(|part| part.trim().ends_with(key))
        };
        said.text.lines().position(is).map(|at| at + 1)
    })
}
