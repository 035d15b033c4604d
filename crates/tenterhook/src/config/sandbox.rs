//! Who is heard on what of the machine a hook may touch? Whoever confines it, the nearest to the person first. Pure.

use std::path::Path;

use super::statements::{Statement, distance};
use crate::hook::{Hook, Sandbox};
use crate::source::{Source, Switch};

#[cfg(test)]
mod tests;

/// Settles how far a hook is confined, once all that is said of its file is known.
pub(super) fn settle(said: &[Statement], source: &Source, hook: &mut Hook) {
    let own = distance(hook.layer);
    let words = said.iter().filter(|it| distance(it.layer) <= own);
    let words = words.filter_map(|it| Some((distance(it.layer), word(it, source)?)));
    let (walls, others): (Vec<_>, Vec<_>) =
        words.partition(|(_, word)| matches!(word, Sandbox::In(_)));
    // What a repository grants its hooks does not widen what its reader grants them.
    let wall = walls.into_iter().min_by_key(|(at, _)| *at);
    let wall = wall.filter(|(at, _)| *at < own || hook.sandbox.grants().is_none());
    if let Some((_, word)) = wall {
        hook.sandbox = word.clone();
    } else if hook.sandbox == Sandbox::Unsaid && !others.is_empty() {
        hook.sandbox = Sandbox::Off;
    }
}

/// What a statement says about the hooks of a source.
fn word<'s>(statement: &'s Statement, source: &Source) -> Option<&'s Sandbox> {
    match &statement.switch {
        Switch::Govern(govern) if Path::new(&*source.name) == govern.file => {
            Some(&govern.sandbox).filter(|it| **it != Sandbox::Unsaid)
        }
        _ => None,
    }
}
