//! Which setting puts a hook into shadow? That of the source that is nearest to the person, and for good a managed one (SH-2, SH-3). Pure.

use super::statements::{Statement, distance_from_user};
use crate::diagnostic::{Code, Diagnostic, Location};
use crate::hook::{Enforcement, Hook, Layer, Run, Unread};
use crate::source::{ModeWord, Source, Switch};

#[cfg(test)]
mod tests;

/// Determines whether a hook is enforced or in shadow, after all statements about its file are
/// known. Returns why its shadow is ignored.
pub(super) fn resolve_enforcement(
    statements: &[Statement],
    source: &Source,
    hook: &mut Hook,
) -> Option<Diagnostic> {
    // It is not approved: that is not the hook's word, and statements about it are ignored (SH-5).
    if matches!(hook.run, Run::Unusable { part: Unread::Approval, .. }) {
        hook.enforcement = Enforcement::Usual;
        return None;
    }
    let own = distance_from_user(hook.layer);
    let mut applied = match hook.enforcement {
        Enforcement::Usual => (u8::MAX, hook.layer),
        Enforcement::Enforced | Enforcement::Shadow { .. } => (own, hook.layer),
    };
    for statement in
        statements.iter().filter(|statement| distance_from_user(statement.layer) <= own)
    {
        let at = distance_from_user(statement.layer);
        if let Some(word) = mode_setting(statement, source).filter(|_| at < applied.0) {
            applied = (at, statement.layer);
            hook.enforcement = match word.shadow {
                false => Enforcement::Enforced,
                true => Enforcement::Shadow {
                    because: format!("{} says `mode = \"shadow\"` for its file", statement.by),
                    place: Some(word.place.clone()),
                },
            };
        }
    }
    enforce_if_shadow_forbidden(statements, applied.1, hook)
}

/// Returns the mode that a statement sets for the hooks of a source.
fn mode_setting<'s>(statement: &'s Statement, source: &Source) -> Option<&'s ModeWord> {
    match &statement.switch {
        Switch::Govern(govern) if govern.applies_to_source(source) => govern.mode.as_ref(),
        _ => None,
    }
}

/// Enforces a hook in shadow if a managed file forbids shadow mode. Returns a finding that says so.
fn enforce_if_shadow_forbidden(
    statements: &[Statement],
    by: Layer,
    hook: &mut Hook,
) -> Option<Diagnostic> {
    if by == Layer::Managed || hook.layer == Layer::BuiltIn {
        return None;
    }
    let no = statements.iter().find(|statement| {
        statement.layer == Layer::Managed && statement.switch == Switch::NoShadow
    })?;
    let Enforcement::Shadow { place, .. } = &hook.enforcement else { return None };
    let message = format!(
        "hook `{}` counts although it is put into shadow: `[shadow]` in {} does not allow that",
        hook.id, no.by
    );
    let found = Diagnostic::new(Code::SwitchIgnored, message, place.clone());
    hook.enforcement = Enforcement::Enforced;
    Some(found.help("only a managed file puts hooks into shadow here"))
}

/// Returns one finding for each setting that puts hooks into shadow.
pub(super) fn shadow_findings<'h>(hooks: impl Iterator<Item = &'h Hook>) -> Vec<Diagnostic> {
    let mut words: Vec<(Option<Location>, usize, &str)> = Vec::new();
    for hook in hooks.filter(|hook| hook.layer != Layer::BuiltIn) {
        let Enforcement::Shadow { place, because } = &hook.enforcement else { continue };
        match words.iter_mut().find(|(at, ..)| at == place && at.is_some()) {
            Some((_, count, _)) => *count += 1,
            None => words.push((place.clone(), 1, because)),
        }
    }
    let finding = |(place, count, because): (Option<Location>, usize, &str)| {
        let hooks = if count == 1 { "1 hook is".to_owned() } else { format!("{count} hooks are") };
        let message = format!("{hooks} in shadow, and nothing that comes of it counts: {because}");
        Diagnostic::new(Code::InShadow, message, place).help(
            "`tenterhook log --shadow` says what would have come of it, `tenterhook promote NAME` lets it count",
        )
    };
    words.into_iter().map(finding).collect()
}
