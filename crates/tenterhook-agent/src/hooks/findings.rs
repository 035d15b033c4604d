//! The lines that show what is wrong with configured hooks: where, which hook, what. Loads nothing and shows nothing.

use std::sync::Arc;

use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Severity};
use tenterhook_core::hook::Hook;

/// Returns the warnings and errors among `found`, each on a line and each line once. Advice is left
/// to `tenterhook check`.
pub(super) fn warning_lines<'a>(
    found: impl Iterator<Item = &'a Diagnostic>,
    hooks: &[Arc<Hook>],
) -> Vec<String> {
    let mut lines = Vec::new();
    for diagnostic in found.filter(|diagnostic| diagnostic.severity > Severity::Advice) {
        let line = finding_line(diagnostic, hooks);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Formats a finding with its location and its hook, unless its message names them.
pub(super) fn finding_line(found: &Diagnostic, hooks: &[Arc<Hook>]) -> String {
    let message = finding_message(found);
    let Some(place) = &found.place else { return message };
    let file = match message.contains(&*place.file) {
        true => String::new(),
        false => format!("{}:{}: ", place.file, place.line),
    };
    let hook = match hook_at_location(place, hooks) {
        Some(hook) if !message.contains(hook.id.as_str()) => format!("hook `{}`: ", hook.id),
        _ => String::new(),
    };
    format!("{file}{hook}{message}")
}

/// Returns the hook whose entry contains that location: the innermost one.
fn hook_at_location<'a>(place: &Location, hooks: &'a [Arc<Hook>]) -> Option<&'a Hook> {
    let holds = |own: &Location| {
        let is_inside = own.span.start <= place.span.start && place.span.end <= own.span.end;
        own.file == place.file && is_inside
    };
    let around = hooks.iter().filter_map(|hook| {
        let own = hook.place.as_ref().filter(|own| holds(own))?;
        Some((own.span.end.saturating_sub(own.span.start), hook))
    });
    around.min_by_key(|(length, _)| *length).map(|(_, hook)| &**hook)
}

/// Returns the message of a finding. If the user must decide something, it says how.
fn finding_message(found: &Diagnostic) -> String {
    match (&found.help, found.code) {
        (
            Some(help),
            Code::NotApproved
            | Code::ChangedSinceApproved
            | Code::ApprovalUnusable
            | Code::LockIgnored,
        ) => format!("{}; {help}", found.message),
        _ => found.message.clone(),
    }
}
