//! What do switches do to hooks? One that is switched off stays visible (decision 8). Pure.

use std::collections::HashMap;

use super::statements::{
    SETTINGS, Statement, distance_from_user, layer_may_bind, statements_of_source,
};
use super::{beside, bound, hold, requests, sandbox, shadow};
use crate::agents::AGENTS;
use crate::diagnostic::{Code, Diagnostic, Location};
use crate::dialect::DialectId;
use crate::hook::{Hook, Layer, Run};
use crate::source::{Govern, ReadConfig, Source, Switch, Whose};

/// Applies what sources say about other sources' hooks. A hook that is switched off stays visible (decision 8).
///
/// Returns findings about statements that have no effect.
pub(super) fn apply_statements_to_hooks(read: &mut [(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let mut without_effect: Vec<(Option<Location>, String, &'static str)> = Vec::new();
    let mut said: Vec<Statement> = read.iter().flat_map(statements_of_source).collect();
    let mut barred = bound::enforce_managed_settings(&mut said);
    let is_apart = beside::reads_several_projects(read);
    let all = Statements::new(&said);
    for (source, config) in read.iter_mut() {
        let binding: Vec<Statement> = match is_apart {
            true => said
                .iter()
                .filter(|statement| beside::may_bind_hooks_of(statement, source))
                .cloned()
                .collect(),
            false => Vec::new(),
        };
        let said = if is_apart { &Statements::new(&binding) } else { &all };
        let managed = bound::managed_settings(said.all, |govern| govern.applies_to_source(source));
        let keeps = bound::managed_file_requiring_hooks(said.all, source);
        for hook in &mut config.hooks {
            for statement in said.statements_about(hook.id.as_str()) {
                let place = statement.switch.location().cloned();
                let refusal = apply_statement_to_hook(statement, source, keeps, hook);
                without_effect.extend(refusal.map(|(message, help)| (place, message, help)));
            }
            apply_disable_all(said.all, source.dialect, keeps, hook);
            if let Some(least) = managed.as_ref().and_then(|govern| govern.on_failure) {
                hook.on_failure = Some(hook.on_failure.unwrap_or(least).max(least));
            }
            barred.extend(requests::disarm_forbidden_request_hook(said.all, source.dialect, hook));
            if hook.on_failure.is_none() {
                hook.on_failure = source.on_failure;
            }
            sandbox::resolve_hook_sandbox(said.all, source, hook);
            hold::resolve_lost_part_hook(said.all, source, hook);
            barred.extend(shadow::resolve_enforcement(said.all, source, hook));
        }
    }
    without_effect.sort();
    without_effect.dedup();
    let finding = |(place, message, help): (_, String, &str)| {
        Diagnostic::new(Code::SwitchIgnored, message, place).help(help)
    };
    without_effect.into_iter().map(finding).chain(barred).collect()
}

/// All statements, with those statements set apart that are about one hook by its name: a file may switch off thousands.
struct Statements<'s> {
    all: &'s [Statement],
    by_name: HashMap<&'s str, Vec<usize>>,
    others: Vec<usize>,
}

impl<'s> Statements<'s> {
    fn new(all: &'s [Statement]) -> Self {
        let mut said = Self { all, by_name: HashMap::new(), others: Vec::new() };
        for (at, statement) in all.iter().enumerate() {
            match &statement.switch {
                Switch::DisableHook { name, .. } | Switch::AdjustHook { name, .. } => {
                    said.by_name.entry(name).or_default().push(at);
                }
                _ => said.others.push(at),
            }
        }
        said
    }

    /// Iterates over the statements that may be about a hook of that name, in the order of the
    /// statements.
    fn statements_about(&self, name: &str) -> impl Iterator<Item = &'s Statement> + use<'s> {
        let mut places = self.others.clone();
        places.extend(self.by_name.get(name).into_iter().flatten());
        places.sort_unstable();
        places.into_iter().filter_map(|at| self.all.get(at))
    }
}

/// What a person does who may say something of a hook, and said it in a file that may not.
const ELSEWHERE: &str =
    "say it in a file of your own, such as `~/.config/tenterhook/tenterhook.toml`";

/// Applies one statement to a hook. If it has no effect, returns why, and what to do. `keeps` is
/// the managed file that requires the hook to run.
fn apply_statement_to_hook(
    statement: &Statement,
    source: &Source,
    keeps: Option<&str>,
    hook: &mut Hook,
) -> Option<(String, &'static str)> {
    let Statement { layer, by, switch, .. } = statement;
    if let Switch::AdjustHook { name, keys, .. } = switch {
        return (hook.id.as_str() == name)
            .then(|| adjustment_without_effect(by, keys, hook, source));
    }
    let layer = *layer;
    let meant = match switch {
        Switch::DisableHook { name, .. } => hook.id.as_str() == name,
        Switch::Govern(govern) => govern.applies_to_source(source),
        Switch::ManagedOnly(Whose::All) => true,
        Switch::ManagedOnly(Whose::Own) => statement.dialect == source.dialect,
        Switch::HoldUnapproved
        | Switch::NoShadow
        | Switch::DisableAll
        | Switch::EnableAll
        | Switch::AdjustHook { .. }
        | Switch::Requests { .. } => false,
    };
    let is_of_managed = matches!(switch, Switch::ManagedOnly(_));
    if meant && !is_of_managed && distance_from_user(layer) > distance_from_user(hook.layer) {
        let help = if hook.is_managed_or_built_in() { bound::HELP } else { ELSEWHERE };
        return Some((cannot_govern_message(statement, hook), help));
    }
    if let (Switch::DisableHook { .. }, Some(keeps)) = (switch, keeps)
        && meant
        && layer != Layer::Managed
    {
        return Some((kept_by_managed_file_message(hook, by, keeps), bound::HELP));
    }
    match switch {
        Switch::ManagedOnly(_)
            if meant && layer == Layer::Managed && !hook.is_managed_or_built_in() =>
        {
            hook.disarm(format!("{by} lets only managed hooks run"), "C-12");
        }
        Switch::DisableHook { .. } if meant => {
            hook.disarm(format!("{by} says `enabled = false` for it"), "C-14");
        }
        Switch::Govern(govern) if meant => apply_file_settings(govern, statement, hook),
        Switch::ManagedOnly(_)
        | Switch::HoldUnapproved
        | Switch::NoShadow
        | Switch::DisableHook { .. }
        | Switch::AdjustHook { .. }
        | Switch::Govern(_)
        | Switch::Requests { .. }
        | Switch::DisableAll
        | Switch::EnableAll => {}
    }
    None
}

/// Applies the settings for the hooks of a file to one of them. `statement` is the one that has the
/// settings.
fn apply_file_settings(govern: &Govern, statement: &Statement, hook: &mut Hook) {
    if govern.enabled == Some(false) {
        let by = &statement.by;
        hook.disarm(format!("{by} says `enabled = false` for its file"), "C-15");
    }
    hook.compat = govern.compat.unwrap_or(hook.compat);
    // A managed word is the least that holds, once all others are known.
    let on_failure = govern.on_failure.filter(|_| statement.layer != Layer::Managed);
    hook.on_failure = hook.on_failure.or(on_failure);
    if let (Run::Command(command), Some(prewarm)) = (&mut hook.run, govern.prewarm) {
        command.prewarm = prewarm.unless_impossible_for(&command.invocation);
    }
}

/// Says that a statement has no effect on a hook of a layer nearer to the user (C-16).
fn cannot_govern_message(statement: &Statement, hook: &Hook) -> String {
    format!(
        "what {} says about hook `{}` has no effect: a {} file does not govern a {} hook",
        statement.by,
        hook.id,
        statement.layer.as_str(),
        hook.layer.as_str()
    )
}

/// Says that `mode` or `enabled = true` has no effect on a hook of another file (C-50), and what to
/// do.
fn adjustment_without_effect(
    by: &str,
    keys: &str,
    hook: &Hook,
    source: &Source,
) -> (String, &'static str) {
    let help = match hook.is_managed_or_built_in() {
        true => bound::HELP,
        false => "leave it out, or write it in the file of the hook",
    };
    let message = format!(
        "{keys} for hook `{}` in {by} has no effect: the hook is of {}",
        hook.id, source.name
    );
    (message, help)
}

/// Says that a hook is not disabled by its name because a managed file requires it to run (C-90).
fn kept_by_managed_file_message(hook: &Hook, by: &str, keeps: &str) -> String {
    format!(
        "`enabled = false` for hook `{}` in {by} has no effect: {keeps} has the hooks of its file run",
        hook.id
    )
}

/// Applies the switch of a dialect that disables all hooks, such as `disableAllHooks`: the strongest
/// layer that sets it wins (C-11). It affects the hooks of that dialect alone, or a repository could disarm a guard that
/// another agent's file never mentions.
fn apply_disable_all(
    statements: &[Statement],
    dialect: DialectId,
    keeps: Option<&str>,
    hook: &mut Hook,
) {
    for strongest in SETTINGS {
        let word = statements.iter().rev().find(|statement| {
            statement.layer == *strongest
                && statement.dialect == dialect
                && matches!(statement.switch, Switch::DisableAll | Switch::EnableAll)
        });
        let Some(Statement { layer, by, switch, .. }) = word else { continue };
        let may = layer_may_bind(*layer, hook) && (keeps.is_none() || *layer == Layer::Managed);
        if *switch == Switch::DisableAll && may {
            hook.disarm(format!("{} in {by}", disabling_setting(dialect)), "C-11");
        }
        return;
    }
}

/// Describes the setting with which the agent of a dialect disables all hooks.
fn disabling_setting(dialect: DialectId) -> String {
    let agent = AGENTS.iter().find(|agent| agent.name == dialect.as_str());
    let switch = agent.and_then(|agent| {
        let elsewhere = agent.installation.switches_elsewhere.iter().map(|file| &file.key);
        agent.installation.switches.iter().chain(elsewhere).next()
    });
    let (key, value) = switch.map_or_else(
        || ("disableAllHooks".to_owned(), true),
        |(keys, value)| (keys.join("."), *value),
    );
    format!("`{key}` is {value}")
}
