//! The lines that show what is wrong with configured hooks: where, which hook, what. Loads nothing and shows nothing.

use std::sync::Arc;

use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Severity};
use tenterhook_core::hook::Hook;

/// The warnings and errors among `found`, a line each and each line once. Advice is left to `tenterhook check`.
pub(super) fn warnings<'a>(
    found: impl Iterator<Item = &'a Diagnostic>,
    hooks: &[Arc<Hook>],
) -> Vec<String> {
    let mut lines = Vec::new();
    for diagnostic in found.filter(|diagnostic| diagnostic.severity > Severity::Advice) {
        let line = line(diagnostic, hooks);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// One finding with its place and its hook in front, where its message does not name them.
pub(super) fn line(found: &Diagnostic, hooks: &[Arc<Hook>]) -> String {
    let message = message(found);
    let Some(place) = &found.place else { return message };
    let file = match message.contains(&*place.file) {
        true => String::new(),
        false => format!("{}:{}: ", place.file, place.line),
    };
    let hook = match hook_at(place, hooks) {
        Some(hook) if !message.contains(hook.id.as_str()) => format!("hook `{}`: ", hook.id),
        _ => String::new(),
    };
    format!("{file}{hook}{message}")
}

/// The hook whose entry holds that place: the innermost one.
fn hook_at<'a>(place: &Location, hooks: &'a [Arc<Hook>]) -> Option<&'a Hook> {
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

/// The mistakes; one that needs an answer of the person says how to give it.
fn message(found: &Diagnostic) -> String {
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
