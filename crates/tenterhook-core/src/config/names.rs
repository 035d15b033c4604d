//! Names across sources: each entry its own (C-17), and statements about names and files that are not there (C-18). Pure.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{ReadConfig, Source, Switch};
use crate::diagnostic::{Code, Diagnostic, Location, Severity, nearest_word};
use crate::hook::{Hook, HookId, Layer};
use crate::protect;

/// Most statements about hooks that are not there for which a name is guessed.
const MOST_GUESSES: usize = 32;

/// Gives two entries of one name different names (C-17). The later one gets its layer appended, so
/// that what is stored by name (claims, second rounds, records) never mixes up two hooks.
pub(super) fn make_names_unique(read: &mut [(Source, ReadConfig)]) {
    let mut names = Names::default();
    for hook in read.iter_mut().flat_map(|(_, config)| &mut config.hooks) {
        // The hooks that one entry makes for several events share its name and its place.
        if names.taken.get(&hook.id).is_some_and(|place| *place != hook.place) {
            hook.id = names.unique_name(hook);
        }
        names.taken.entry(hook.id.clone()).or_insert_with(|| hook.place.clone());
    }
}

/// Reports native hooks with the name of a managed one: they do not replace it (C-90).
pub(super) fn findings_of_managed_names(read: &[(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let hooks = || {
        read.iter()
            .flat_map(|(source, config)| config.hooks.iter().map(move |hook| (&source.name, hook)))
    };
    let managed: HashMap<&HookId, &Arc<str>> = hooks()
        .filter(|(_, hook)| hook.layer == Layer::Managed)
        .map(|(file, hook)| (&hook.id, file))
        .collect();
    let mut places = HashSet::new();
    // In files of agents no user chooses the names.
    let has_chosen_name =
        |hook: &Hook| hook.dialect.dialect().policy_for_unreadable_file().is_none();
    let others =
        hooks().filter(|(_, hook)| has_chosen_name(hook) && !hook.is_managed_or_built_in());
    others
        .filter(|(_, hook)| !hook.is_hold_for_unread_file())
        .filter_map(|(file, hook)| {
            let by = managed.get(&hook.id)?;
            let message = format!(
                "hook `{}` in `{file}` does not replace the managed hook of that name in `{by}`: both run",
                hook.id
            );
            let found = Diagnostic::new(Code::SwitchIgnored, message, hook.place.clone());
            places.insert(&hook.place).then(|| found.help("give it another name"))
        })
        .collect()
}

/// The names that are taken, and by which entry.
#[derive(Default)]
struct Names {
    taken: HashMap<HookId, Option<Location>>,
    /// The number that an entry of this name had last: to count from the first one for each would be quadratic.
    counted: HashMap<String, u32>,
    /// What an entry was called when its first hook came.
    given: HashMap<(String, Option<Location>), HookId>,
}

impl Names {
    /// Returns a name for the hook that no other entry has.
    fn unique_name(&mut self, hook: &Hook) -> HookId {
        let first = format!("{}@{}", hook.id, hook.layer.as_str());
        let entry = (first, hook.place.clone());
        if let Some(given) = self.given.get(&entry) {
            return given.clone();
        }
        let (first, counted) = (&entry.0, self.counted.entry(entry.0.clone()).or_insert(0));
        let id = loop {
            *counted += 1;
            let id = HookId::new(if *counted == 1 {
                first.clone()
            } else {
                format!("{first}.{counted}")
            });
            if self.taken.get(&id).is_none_or(|place| *place == hook.place) {
                break id;
            }
        };
        self.given.insert(entry, id.clone());
        id
    }
}

/// Returns `true` if a name is that of a built-in rule which is not among the hooks.
fn is_absent_built_in_rule(name: &str, hooks: &HashSet<&str>) -> bool {
    let pack = name.split_once('/').map(|(pack, _)| pack);
    pack == Some(protect::NAME) && !hooks.contains(name)
}

/// Reports keys for a built-in rule that only a managed file changes.
fn built_in_rule_finding(keys: &str, name: &str, by: &str, place: &Option<Location>) -> Diagnostic {
    let message = format!("{keys} for the built-in rule `{name}` in {by} has no effect");
    Diagnostic::new(Code::SwitchIgnored, message, place.clone()).help(super::bound::HELP)
}

/// Reports statements about a hook or a file that no source has (C-18), usually because of a typo.
pub(super) fn unmatched_statement_findings(read: &[(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let names: HashSet<&str> = read
        .iter()
        .flat_map(|(_, config)| config.hooks.iter().map(|hook| hook.id.as_str()))
        .collect();
    let mut all: Vec<&str> = names.iter().copied().collect();
    all.sort_unstable();
    // Each guess looks at every name: of very many statements about nothing, only the first are worth one.
    let mut guesses = MOST_GUESSES;
    let mut near = |name: &str| {
        guesses = guesses.checked_sub(1)?;
        nearest_word(name, all.iter().copied())
    };
    let switches = read.iter().flat_map(|(source, config)| {
        config.switches.iter().map(|switch| (&source.name, &source.layer, switch))
    });
    switches
        .filter_map(|(by, layer, switch)| {
            let (text, kind, near) = match switch {
                // They are not read from a file, and which host adds them is not known here.
                Switch::DisableHook { name, place } if is_absent_built_in_rule(name, &names) => {
                    let found = built_in_rule_finding("`enabled = false`", name, by, place);
                    return (*layer != Layer::Managed).then_some(found);
                }
                Switch::AdjustHook { name, keys, place }
                    if is_absent_built_in_rule(name, &names) =>
                {
                    return Some(built_in_rule_finding(keys, name, by, place));
                }
                Switch::DisableHook { name, .. } | Switch::AdjustHook { name, .. }
                    if !names.contains(name.as_str()) =>
                {
                    (name.clone(), "hook", near(name))
                }
                Switch::Govern(govern)
                    if !read.iter().any(|(source, _)| govern.applies_to_source(source)) =>
                {
                    (govern.file.display().to_string(), "file", None)
                }
                _ => return None,
            };
            let message =
                format!("{by} speaks of the {kind} `{text}`, which is not among what is read");
            let help = near.map_or_else(
                || format!("nothing to do if that {kind} is read elsewhere"),
                |near| format!("did you mean `{near}`?"),
            );
            let severity = if near.is_some() { Severity::Warning } else { Severity::Advice };
            Some(
                Diagnostic::new(Code::NothingOfThatName, message, switch.location().cloned())
                    .with_severity(severity)
                    .help(help),
            )
        })
        .collect()
}
