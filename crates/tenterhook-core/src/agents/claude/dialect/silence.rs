//! Finds what silences the hooks of Claude Code's settings, or could. Measured with 2.1.332. Pure:
//! the caller passes the disk; runs no module and reads no JavaScript. `mods` finds the modules.

use std::sync::Arc;

use super::{guard, mods, plugins};
use crate::diagnostic::{Code, Diagnostic, Location, Severity, Span};
use crate::dialect::{Scan, Silencer};
use crate::hook::Layer;
use crate::source::Source;
use crate::syntax::{Entry, Node};

/// The layers whose settings the agent merges, strongest first: a project's override the user's.
const STRONGEST_FIRST: &[Layer] = &[Layer::Managed, Layer::Local, Layer::Project, Layer::User];

/// The vendor's guard, which runs ahead of all other modules if managed settings exist.
const VENDOR_GUARD: &str = "sec-default";
const VENDOR_GUARD_ID: &str = "sec-default@builtin";
const VENDOR_GUARD_CONFIG: &str = "cc-plugin-sec-default@builtin";

/// Finds everything that silences hooks, or could.
pub(super) fn find_silencers(scan: Scan<'_>) -> Vec<Silencer> {
    let settings: Vec<Settings<'_>> =
        scan.settings.iter().map(|source| Settings::from_source(source)).collect();
    let mut found: Vec<Silencer> = find_disable_all_hooks(&settings).into_iter().collect();
    let unseated: Vec<Silencer> = settings.iter().filter_map(find_vendor_guard_removal).collect();
    found.extend(silencers_that_disable_guards(&settings));
    if unseated.is_empty() && settings.iter().any(allows_managed_mods_only) {
        return found;
    }
    found.extend(unseated);
    let is_guarded = guard::guard_runs_before_modules(scan, &settings)
        && !found.iter().any(|silencer| silencer.finding.code == Code::GuardSwitchedOff);
    let mods = mods::find_module_silencers(scan, &settings).into_iter();
    found.extend(
        mods.map(|module| if is_guarded { soften_silencer_if_module(module) } else { module }),
    );
    found
}

/// Lowers the finding to advice if it is about a module, which the guard in the user's settings
/// keeps from loading; any other finding is returned unchanged.
fn soften_silencer_if_module(silencer: Silencer) -> Silencer {
    if silencer.finding.code != Code::ModCouldSilence {
        return silencer;
    }
    let message =
        format!("{} (the guard of `install --guard` does not let it)", silencer.finding.message);
    let finding = Diagnostic { message, help: None, ..silencer.finding };
    Silencer { finding: finding.with_severity(Severity::Advice), ..silencer }
}

/// A settings file and its readable part.
pub(super) struct Settings<'a> {
    pub(super) source: &'a Source,
    pub(super) root: Option<Node>,
    /// The reason why the agent refuses the file, or may: then its settings close no gap (BR-102).
    pub(super) refused: Option<String>,
}

impl<'a> Settings<'a> {
    fn from_source(source: &'a Source) -> Self {
        Self {
            source,
            root: plugins::parse_lenient(&source.text).root,
            refused: plugins::settings_refusal_reason(&source.text),
        }
    }

    pub(super) fn find_entry(&self, key: &str) -> Option<&Entry> {
        self.root.as_ref()?.entry(key)
    }

    pub(super) fn new_silencer(&self, code: Code, message: String, span: Span) -> Silencer {
        let place = source_location(&self.source.name, &self.source.text, span);
        let finding = Diagnostic::new(code, message, Some(place));
        Silencer { finding, layer: self.source.layer, plugin: None }
    }
}

pub(super) fn source_location(file: &Arc<str>, text: &str, span: Span) -> Location {
    Location::find(file, text, span)
}

/// Finds the strongest file with `disableAllHooks`, if its value is `true`.
fn find_disable_all_hooks(settings: &[Settings<'_>]) -> Option<Silencer> {
    let in_layer = |layer: &Layer| {
        let own = settings.iter().rev().filter(|file| file.source.layer == *layer);
        let mut said = own.filter_map(|file| {
            let entry = file.find_entry("disableAllHooks")?;
            let is_off = entry.node.as_bool()?;
            // A `false` in a file that Claude Code refuses has no effect.
            (is_off || file.refused.is_none()).then_some((file, entry, is_off))
        });
        said.next()
    };
    let (file, entry, is_off) = STRONGEST_FIRST.iter().find_map(in_layer)?;
    let message = match file.source.layer {
        Layer::Managed => "`disableAllHooks` switches off every hook of Claude Code",
        _ => "`disableAllHooks` switches off every hook of Claude Code that is not managed",
    };
    let without_effect = settings.iter().find_map(|file| {
        let why = file.refused.as_ref()?;
        let is_off = file.find_entry("disableAllHooks")?.node.as_bool()?;
        (!is_off).then(|| format!("`{}` says `false` to no effect: {why}", file.source.name))
    });
    let help = match file.source.layer {
        Layer::Project => {
            "remove it, or set it to `false` in `.claude/settings.local.json`, which overrules this file"
        }
        _ => "remove it: a managed file with `\"disableAllHooks\": false` overrules all others",
    };
    let help = match without_effect {
        Some(why) => format!("{help} ({why})"),
        None => help.to_owned(),
    };
    let mut silencer = file.new_silencer(Code::HooksDisabled, message.to_owned(), entry.key_span);
    silencer.finding = silencer.finding.with_severity(Severity::Error).help(help);
    is_off.then_some(silencer)
}

/// Whether a managed file makes the vendor's guard load only managed modules.
fn allows_managed_mods_only(file: &Settings<'_>) -> bool {
    let path = ["pluginConfigs", VENDOR_GUARD_CONFIG, "options", "allowManagedModsOnly"];
    let node =
        file.root.as_ref().and_then(|root| path.iter().try_fold(root, |node, key| node.get(key)));
    file.source.layer == Layer::Managed
        && file.refused.is_none()
        && node.and_then(Node::as_bool) == Some(true)
}

/// Finds a managed `prependPlugins` without the vendor's guard. It removes that guard, so every
/// module can silence hooks again.
fn find_vendor_guard_removal(file: &Settings<'_>) -> Option<Silencer> {
    let entry =
        file.find_entry("prependPlugins").filter(|_| file.source.layer == Layer::Managed)?;
    let listed = entry.node.as_array().unwrap_or_default();
    if listed.iter().any(|item| item.as_str() == Some(VENDOR_GUARD_ID)) {
        return None;
    }
    let message = format!(
        "`prependPlugins` without `{VENDOR_GUARD_ID}` removes the guard that Claude Code puts before all modules"
    );
    let mut silencer = file.new_silencer(Code::GuardUnseated, message, entry.key_span);
    silencer.finding =
        silencer.finding.help(format!("remove the key, or add `{VENDOR_GUARD_ID}` to the list"));
    Some(silencer)
}

/// Finds entries of `enabledPlugins` in a repository's settings that disable a guard: one that the
/// user's settings load before all other modules, or the vendor's.
fn silencers_that_disable_guards(settings: &[Settings<'_>]) -> Vec<Silencer> {
    let own = settings.iter().filter(|file| file.source.layer == Layer::User);
    let listed = own.filter_map(|file| file.find_entry("prependPlugins")?.node.as_array());
    let ids = listed.flatten().filter_map(Node::as_str);
    let guards: Vec<&str> =
        ids.map(plugin_name).chain([VENDOR_GUARD, plugin_name(VENDOR_GUARD_CONFIG)]).collect();
    let of_file = |file: &Settings<'_>| -> Vec<Silencer> {
        let entries = file.find_entry("enabledPlugins").map(|entry| entry.node.entries());
        let off = entries.unwrap_or_default().iter().filter(|entry| {
            entry.node.as_bool() != Some(true) && guards.contains(&plugin_name(&entry.key))
        });
        off.map(|entry| {
            let message = format!(
                "`enabledPlugins` switches off `{}`, a guard that keeps other modules from silencing hooks",
                entry.key
            );
            let mut silencer = file.new_silencer(Code::GuardSwitchedOff, message, entry.key_span);
            silencer.finding = silencer.finding.help("remove the entry");
            silencer
        })
        .collect()
    };
    let of_repository =
        |file: &&Settings<'_>| matches!(file.source.layer, Layer::Project | Layer::Local);
    settings.iter().filter(of_repository).flat_map(of_file).collect()
}

/// The name of a plugin in its id, which is `NAME@MARKETPLACE`.
fn plugin_name(id: &str) -> &str {
    id.split('@').next().unwrap_or(id)
}

#[cfg(test)]
mod tests;
