//! What do managed files say of the hooks of another file that no other file undoes (C-90)? Their words come first, and what would
//! loosen them is taken out of the others. Pure.

use super::statements::Statement;
use crate::diagnostic::{Code, Diagnostic};
use crate::hook::{Compat, Layer, Sandbox};
use crate::source::{Govern, Source, Switch};

/// A key of `[source."FILE"]`: whether the second table would loosen what the first one, which is managed, says; and how to take it out.
type Key = (&'static str, fn(&Govern, &Govern) -> bool, fn(&mut Govern));

/// Every key. Where values differ in strictness, the stricter one applies; otherwise, the managed one.
const KEYS: &[Key] = &[
    (
        "enabled",
        |managed, other| is_other_than_managed(managed.enabled, other.enabled),
        |govern| govern.enabled = None,
    ),
    (
        "compat",
        |managed, other| {
            managed.compat == Some(Compat::Guarded) && other.compat == Some(Compat::Exact)
        },
        |govern| govern.compat = None,
    ),
    (
        "on_failure",
        |managed, other| is_laxer_than_managed(managed.on_failure, other.on_failure),
        |govern| govern.on_failure = None,
    ),
    (
        "on_broken",
        |managed, other| is_laxer_than_managed(managed.on_broken, other.on_broken),
        |govern| govern.on_broken = None,
    ),
    (
        "prewarm",
        |managed, other| is_other_than_managed(managed.prewarm, other.prewarm),
        |govern| govern.prewarm = None,
    ),
    (
        "mode",
        |managed, other| {
            let shadow = |govern: &Govern| govern.mode.as_ref().map(|mode| mode.shadow);
            is_other_than_managed(shadow(managed), shadow(other))
        },
        |govern| govern.mode = None,
    ),
    (
        "sandbox",
        |managed, other| {
            let confines = managed.sandbox.grants().is_some();
            confines && other.sandbox != Sandbox::Unsaid && other.sandbox != managed.sandbox
        },
        |govern| govern.sandbox = Sandbox::Unsaid,
    ),
];

/// Whether both values are set and differ.
fn is_other_than_managed<T: PartialEq>(managed: Option<T>, other: Option<T>) -> bool {
    managed.is_some() && other.is_some() && managed != other
}

fn is_laxer_than_managed<T: PartialOrd>(managed: Option<T>, other: Option<T>) -> bool {
    managed.is_some() && other.is_some() && other < managed
}

/// Merges what managed files set in the tables that `applies` selects; the first file that sets a
/// key wins.
pub(super) fn managed_settings(
    statements: &[Statement],
    applies: impl Fn(&Govern) -> bool,
) -> Option<Govern> {
    let managed = statements.iter().filter(|statement| statement.layer == Layer::Managed);
    let words = managed.filter_map(|statement| match &statement.switch {
        Switch::Govern(govern) if applies(govern) => Some(govern.clone()),
        _ => None,
    });
    words.reduce(|first, next| Govern {
        on_failure: first.on_failure.or(next.on_failure),
        on_broken: first.on_broken.or(next.on_broken),
        compat: first.compat.or(next.compat),
        enabled: first.enabled.or(next.enabled),
        sandbox: if first.sandbox == Sandbox::Unsaid { next.sandbox } else { first.sandbox },
        prewarm: first.prewarm.or(next.prewarm),
        mode: first.mode.or(next.mode),
        file: first.file,
        place: first.place,
    })
}

/// Returns the name of the managed file that requires the hooks of a source to run, if there is
/// one.
pub(super) fn managed_file_requiring_hooks<'s>(
    statements: &'s [Statement],
    source: &Source,
) -> Option<&'s str> {
    let mut managed = statements.iter().filter(|statement| statement.layer == Layer::Managed);
    managed.find_map(|statement| match &statement.switch {
        Switch::Govern(govern)
            if govern.applies_to_source(source) && govern.enabled == Some(true) =>
        {
            Some(&*statement.by)
        }
        _ => None,
    })
}

/// Sorts managed statements first and removes from the others what would loosen them. Returns a
/// finding for each removed key.
pub(super) fn enforce_managed_settings(statements: &mut [Statement]) -> Vec<Diagnostic> {
    statements.sort_by_key(|statement| statement.layer != Layer::Managed);
    let count = statements.iter().take_while(|statement| statement.layer == Layer::Managed).count();
    let (managed, others) = statements.split_at_mut(count);
    let mut found = Vec::new();
    for statement in others {
        let Switch::Govern(govern) = &mut statement.switch else { continue };
        let Some(bound) = managed_settings(managed, |bound| bound.file == govern.file) else {
            continue;
        };
        for (key, loosens, take_out) in KEYS {
            if loosens(&bound, govern) {
                take_out(govern);
                let message = format!(
                    "`{key}` of `[source.\"{}\"]` in {} has no effect: a managed file sets it",
                    govern.file.display(),
                    statement.by
                );
                let place = govern.place.clone();
                found.push(Diagnostic::new(Code::SwitchIgnored, message, place).help(HELP));
            }
        }
    }
    found
}

/// What mends a statement about what only managed files say.
pub(super) const HELP: &str = "leave it out: only a managed file changes this";
