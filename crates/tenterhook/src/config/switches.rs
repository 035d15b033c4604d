//! What sources say about hooks that are not their own: switches, and which of them bind whom. Pure.
//!
//! A hook that is switched off stays visible (decision 8).

use std::path::Path;
use std::sync::Arc;

use super::{ReadConfig, Source, Switch, requests};
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::dialect::DialectId;
use crate::hook::{Hook, Layer, Run};

/// Applies what sources say about other sources' hooks. A hook that is switched off stays visible (decision 8).
///
/// What comes back are the statements that were not heard.
pub(super) fn apply_switches(read: &mut [(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let mut unheard: Vec<(Option<Place>, String)> = Vec::new();
    let mut barred = Vec::new();
    let said: Vec<Statement> = read.iter().flat_map(statements).collect();
    for (source, config) in read.iter_mut() {
        for hook in &mut config.hooks {
            for statement in &said {
                let told = apply(statement, source, hook);
                unheard.extend(told.map(|message| (statement.switch.place().cloned(), message)));
            }
            disable_all(&said, source.dialect, hook);
            barred.extend(requests::bar(&said, source.dialect, hook));
            if hook.on_failure.is_none() {
                hook.on_failure = source.on_failure;
            }
        }
    }
    unheard.sort();
    unheard.dedup();
    let told = |(place, message)| {
        Diagnostic::new("switch-not-heard", Severity::Warning, message, place)
            .help("say it in a file of your own, such as `~/.config/tenterhook/tenterhook.toml`")
    };
    unheard.into_iter().map(told).chain(barred).collect()
}

/// What one source says about more than one hook.
pub(super) struct Statement {
    pub(super) dialect: DialectId,
    pub(super) layer: Layer,
    by: Arc<str>,
    pub(super) switch: Switch,
}

fn statements((source, config): &(Source, ReadConfig)) -> impl Iterator<Item = Statement> {
    config.switches.iter().map(|switch| Statement {
        dialect: source.dialect,
        layer: source.layer,
        by: Arc::clone(&source.name),
        switch: switch.clone(),
    })
}

/// Whether a statement of `by` may bind a hook of `hook`: no layer binds a managed hook but the managed one.
pub(super) fn binds(by: Layer, hook: &Hook) -> bool {
    hook.layer != Layer::Managed || by == Layer::Managed
}

/// How near a layer is to the person at the keyboard. A repository's file may switch off what the repository brings, not
/// what the user did, or it could disarm a guard by its name (C-16).
pub(super) const fn distance(layer: Layer) -> u8 {
    match layer {
        Layer::Managed => 0,
        Layer::Given | Layer::User | Layer::Local => 1,
        Layer::Project | Layer::Plugin | Layer::Skill | Layer::Agent => 2,
    }
}

/// What comes back is why a statement about this hook was not heard.
fn apply(statement: &Statement, source: &Source, hook: &mut Hook) -> Option<String> {
    let Statement { layer, by, switch, .. } = statement;
    let layer = *layer;
    let meant = match switch {
        Switch::DisableHook { name, .. } => hook.id.as_str() == name,
        Switch::Govern(govern) => Path::new(&*source.name) == govern.file,
        Switch::ManagedOnly | Switch::DisableAll | Switch::EnableAll | Switch::Requests { .. } => {
            false
        }
    };
    if meant && distance(layer) > distance(hook.layer) {
        return Some(format!(
            "{by} says something about hook `{}`, but a {} source does not govern a {} one",
            hook.id,
            layer.word(),
            hook.layer.word()
        ));
    }
    match switch {
        Switch::ManagedOnly if layer == Layer::Managed && hook.layer != Layer::Managed => {
            hook.disarm(
                format!("`allowManagedHooksOnly` in {by} lets only managed hooks run"),
                "C-12",
            );
        }
        Switch::DisableHook { .. } if meant => {
            hook.disarm(format!("{by} says `enabled = false` for it"), "C-14");
        }
        Switch::Govern(govern) if meant => {
            if govern.enabled == Some(false) {
                hook.disarm(format!("{by} says `enabled = false` for its file"), "C-15");
            }
            hook.compat = govern.compat.unwrap_or(hook.compat);
            hook.on_failure = hook.on_failure.or(govern.on_failure);
            if let (Run::Command(command), Some(prewarm)) = (&mut hook.run, govern.prewarm) {
                command.prewarm = prewarm.of(&command.invocation);
            }
        }
        Switch::ManagedOnly
        | Switch::DisableHook { .. }
        | Switch::Govern(_)
        | Switch::Requests { .. }
        | Switch::DisableAll
        | Switch::EnableAll => {}
    }
    None
}

/// The layers that are settings, in the order of precedence of what is one value, strongest first.
pub(super) const SETTINGS: &[Layer] =
    &[Layer::Managed, Layer::Given, Layer::Local, Layer::Project, Layer::User];

/// `disableAllHooks` is one scalar of a dialect: the strongest layer that says anything wins (C-11). It is about that
/// dialect's hooks alone, or a repository could disarm a guard that another agent's file never knew.
fn disable_all(said: &[Statement], dialect: DialectId, hook: &mut Hook) {
    for strongest in SETTINGS {
        let word = said.iter().rev().find(|statement| {
            statement.layer == *strongest
                && statement.dialect == dialect
                && matches!(statement.switch, Switch::DisableAll | Switch::EnableAll)
        });
        let Some(Statement { layer, by, switch, .. }) = word else { continue };
        if *switch == Switch::DisableAll && binds(*layer, hook) {
            hook.disarm(format!("`disableAllHooks` is true in {by}"), "C-11");
        }
        return;
    }
}
