//! What cannot be read is not absent: hooks that run nothing stand in for what a file might forbid, and their failure
//! policy decides (C-70 to C-75). Pure: what was read, and how far, was found out before.

use std::path::Path;
use std::sync::Arc;

use super::bound;
use super::statements::{Statement, distance_from_user};
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic, Location, Span};
use crate::dialect::DialectId;
use crate::event::EventName;
use crate::hook::row;
use crate::hook::{Arming, Compat, Enforcement, Hook, HookId, Layer, OnFailure, Run, Unread, Wait};
use crate::source::{Completeness, Flaw, Lost, ReadConfig, Source, Switch};

/// Reads a source, or as much of it as its flaw allows.
pub(super) fn read_as_flaw_allows(source: &Source) -> ReadConfig {
    let Some(flaw) = &source.flaw else { return source.dialect.dialect().read_config(source) };
    if let Some(text) = &flaw.untrusted {
        return replace_exposed_file(source, flaw, text);
    }
    let mut config = match flaw.kept {
        Completeness::Gone => return ReadConfig::default(),
        Completeness::Nothing => ReadConfig::default(),
        Completeness::Part | Completeness::All | Completeness::Saving => {
            source.dialect.dialect().read_config(source)
        }
    };
    if flaw.kept == Completeness::Saving {
        config.unreadable = true;
        return config;
    }
    let message = format!("`{}` cannot be read as it is: {}", source.name, flaw.why);
    let found = Diagnostic::new(Code::UnreadableFile, message, None);
    config.diagnostics.insert(0, found.help(flaw.help.clone()));
    if flaw.kept != Completeness::All {
        config.unreadable = true;
        let place = Location::find(&source.name, &source.text, Span::default());
        config.lost = config.lost.or_else(|| Some(Lost { why: flaw.why.clone(), place }));
    }
    if source.compat == Compat::Exact {
        let because = format!("the agent refuses the whole file: {}", flaw.why);
        config.hooks.iter_mut().for_each(|hook| hook.disarm(because.clone(), "C-75"));
        config.switches.clear();
    }
    config
}

/// Replaces a managed file that users other than root may write: nothing in it applies, and calls
/// are held until it is repaired. Gates of events that the file declares itself, which no such hold
/// covers, stay as hooks that run nothing (C-89).
fn replace_exposed_file(source: &Source, flaw: &Flaw, text: &Arc<str>) -> ReadConfig {
    let then = Source { text: Arc::clone(text), flaw: None, ..source.clone() };
    let config = source.dialect.dialect().read_config(&then);
    let message =
        format!("`{}` is not obeyed as a managed file, because {}", source.name, flaw.why);
    let found = Diagnostic::new(Code::ManagedFileExposed, message, None).help(flaw.help.clone());
    let is_own = |event: &EventName| config.events.iter().any(|row| *row.event == *event.as_str());
    let gates = config.hooks.into_iter().filter(|hook| is_own(&hook.event)).map(|mut hook| {
        hook.run = Run::Unusable { part: Unread::Exposed, why: flaw.why.clone() };
        // What holds is not laxer because its own file says so.
        (hook.on_failure, hook.once) = (Some(OnFailure::Block), false);
        (hook.wait, hook.enforcement) = (Wait::Attached, Enforcement::Usual);
        hook
    });
    let place = Location::find(&source.name, "", Span::default());
    ReadConfig {
        hooks: gates.collect(),
        events: config.events.clone(),
        diagnostics: vec![found],
        unreadable: true,
        lost: Some(Lost { why: flaw.why.clone(), place }),
        ..ReadConfig::default()
    }
}

/// Adds the hooks that replace the lost part of a source, on every event that it could gate (C-72).
pub(super) fn add_hooks_for_lost_part(source: &Source, config: &mut ReadConfig) {
    let Some(Lost { why, place }) = &config.lost else { return };
    let name = Path::new(&*source.name).file_name().unwrap_or_default().to_string_lossy();
    let dialect = source.dialect.dialect();
    let (part, why) = match source.is_writable_by_others() {
        true => (Unread::Exposed, why.clone()),
        false => (Unread::File, format!("{place}: {why}")),
    };
    for (event, _) in row::events_gated_if_config_unreadable() {
        let event = EventName::new(event);
        let gates = |row: &crate::dialect::EventRow| row.powers.has(Power::Deny);
        if !dialect.event_row(&event).is_some_and(gates) {
            continue;
        }
        let run = Run::Unusable { part, why: why.clone() };
        // It is no hook of that agent: this defines what it may ask and deny.
        let id = HookId::new(format!("unread:{name}"));
        let mut hook = Hook::new(id, DialectId::NATIVE, event, run);
        hook.place = Some(place.clone());
        hook.layer = source.layer;
        // `exact` does not extend to a file that anybody may have written.
        hook.compat = if source.is_writable_by_others() { Compat::Guarded } else { source.compat };
        config.hooks.push(hook);
    }
}

/// Determines what a hook that replaces a lost part does, after all statements about its file were
/// applied (C-72, C-73): its failure policy, and whether it is disarmed because its agent is
/// followed exactly.
pub(super) fn resolve_lost_part_hook(statements: &[Statement], source: &Source, hook: &mut Hook) {
    if !hook.is_hold_for_unread_file() {
        return;
    }
    if hook.compat == Compat::Exact {
        hook.disarm(
            "its agent is followed exactly, and goes on without the file".to_owned(),
            "C-75",
        );
    }
    let least = bound::managed_settings(statements, |govern| govern.applies_to_source(source))
        .and_then(|govern| govern.on_broken);
    let governs = statements
        .iter()
        .filter(|statement| distance_from_user(statement.layer) <= distance_from_user(hook.layer));
    let mut others = governs.filter_map(|statement| match &statement.switch {
        Switch::Govern(govern)
            if govern.applies_to_source(source) && statement.layer != Layer::Managed =>
        {
            govern.on_broken
        }
        _ => None,
    });
    if let Some(policy) = others.next().max(least) {
        hook.on_failure = Some(policy);
    } else if let Some(least) = source.dialect.dialect().policy_for_unreadable_file() {
        hook.on_failure = Some(hook.on_failure.unwrap_or(least).max(least));
    }
}

/// Returns one finding for each file with a lost part that holds calls.
pub(super) fn findings_of_held_calls(read: &[(Source, ReadConfig)]) -> Vec<Diagnostic> {
    let finding = |(source, config): &(Source, ReadConfig)| {
        let holds = |hook: &&Hook| {
            let lax = hook.on_failure == Some(OnFailure::Continue);
            hook.is_hold_for_unread_file() && hook.arming == Arming::Armed && !lax
        };
        let held: Vec<&Hook> = config.hooks.iter().filter(holds).collect();
        let first = held.first()?;
        let kinds = row::events_gated_if_config_unreadable()
            .filter(|(event, _)| held.iter().any(|hook| hook.event.as_str() == *event));
        let kinds: Vec<String> = kinds.map(|(_, word)| format!("{word}s")).collect();
        let what = match kinds.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((last, _)) => last.clone(),
            None => return None,
        };
        // A lost part of a text has a line.
        let until = match &first.place {
            _ if source.is_writable_by_others() => format!("only root may write `{}`", source.name),
            Some(at) if source.flaw.is_none() => {
                format!("line {} of `{}` is mended", at.line, source.name)
            }
            _ => format!("`{}` can be read", source.name),
        };
        let message = format!("{what} are held until {until}");
        let help = match &source.flaw {
            Some(flaw) if source.is_writable_by_others() => flaw.help.clone(),
            _ if source.layer == Layer::Managed => {
                "mend it: only another managed file can let calls pass until then".to_owned()
            }
            _ => format!(
                "mend it; to go on without what it says, write `[source.\"{}\"]` with `on_broken = \"continue\"` in a file of your own",
                source.name
            ),
        };
        let found = Diagnostic::new(Code::CallsHeld, message, first.place.clone());
        Some(found.help(help))
    };
    read.iter().filter_map(finding).collect()
}
