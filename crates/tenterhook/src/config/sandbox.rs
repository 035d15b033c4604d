//! Who is heard on what of the machine a hook may touch? Whoever confines it, the nearest to the person first; where
//! nobody says anything, its agent, and the host may still confine what a repository brings. Pure.

use std::path::Path;

use super::statements::{Statement, distance};
use crate::hook::{Hook, Layer, Run, Sandbox};
use crate::source::{ReadConfig, Source, Switch};

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
    } else if hook.sandbox == Sandbox::Unsaid {
        hook.sandbox = if others.is_empty() {
            source.dialect.dialect().sandbox(hook, &source.home)
        } else {
            Sandbox::Off
        };
    }
}

/// Confines the programs of repositories of which nobody says anything.
pub(super) fn confine_repositories(read: &mut [(Source, ReadConfig)]) {
    for (source, config) in read {
        let unsaid = config.hooks.iter_mut().filter(|it| it.sandbox == Sandbox::Unsaid);
        for hook in unsaid {
            if is_of_repository(source, hook) {
                hook.sandbox = Sandbox::of_repositories();
            }
        }
    }
}

/// Whether it is a program that came with the repository: what lies there may have come with it, whatever its file is called.
pub(crate) fn is_of_repository(source: &Source, hook: &Hook) -> bool {
    let is_program = matches!(hook.run, Run::Command(_) | Run::Worker(_));
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    is_program
        && match hook.layer {
            Layer::Project | Layer::Local => true,
            // Who stands in their home has no project there (C-4).
            Layer::Plugin | Layer::Skill | Layer::Agent => {
                is_inside && source.project != source.home
            }
            Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => false,
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
