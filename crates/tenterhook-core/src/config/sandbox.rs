//! Which setting confines a hook? That of the source nearest to the person;
//! by default its agent's, and the host may still confine what a repository brings. Pure.

use std::path::{Path, PathBuf};

use super::statements::{Statement, distance_from_user, statements_of_source};
use crate::hook::{Hook, Layer, Run, Sandbox};
use crate::source::{Reach, ReadConfig, Server, Source, Switch};

#[cfg(test)]
mod tests;

/// Determines the sandbox of a hook, after all statements about its file are known.
pub(super) fn resolve_hook_sandbox(statements: &[Statement], source: &Source, hook: &mut Hook) {
    let own = distance_from_user(hook.layer);
    let words = statements.iter().filter(|statement| distance_from_user(statement.layer) <= own);
    let words = words.filter_map(|statement| {
        Some((distance_from_user(statement.layer), sandbox_setting(statement, source)?))
    });
    let (confining, others): (Vec<_>, Vec<_>) =
        words.partition(|(_, word)| matches!(word, Sandbox::In(_)));
    // What a repository grants its hooks does not widen what its reader grants them.
    let nearest = confining.into_iter().min_by_key(|(at, _)| *at);
    let nearest = nearest.filter(|(at, _)| *at < own || hook.sandbox.grants().is_none());
    if let Some((_, word)) = nearest {
        hook.sandbox = word.clone();
    } else if hook.sandbox == Sandbox::Unsaid {
        hook.sandbox = if others.is_empty() {
            source.dialect.dialect().default_sandbox(hook, &source.home)
        } else {
            Sandbox::Off
        };
    }
}

/// Settings for the sandboxes of MCP servers: agents' own files of them are read later than those that speak of them.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerSandboxes {
    said: Vec<(u8, PathBuf, Sandbox)>,
    confines_repositories: bool,
}

impl ServerSandboxes {
    /// Collects the sandbox settings for servers of all sources.
    pub(super) fn from_configs(read: &[(Source, ReadConfig)], confines_repositories: bool) -> Self {
        let said =
            read.iter().flat_map(statements_of_source).filter_map(|statement| {
                match statement.switch {
                    Switch::Govern(govern) if govern.sandbox != Sandbox::Unsaid => {
                        Some((distance_from_user(statement.layer), govern.file, govern.sandbox))
                    }
                    _ => None,
                }
            });
        Self { said: said.collect(), confines_repositories }
    }

    /// Returns the server with the sandbox that the settings give it.
    pub(super) fn apply_to_server(&self, mut server: Server) -> Server {
        let own = distance_from_user(server.layer);
        let file = server.place.as_ref().map(|location| Path::new(&*location.file));
        let about = |(at, path, _): &&(u8, PathBuf, Sandbox)| *at <= own && file == Some(path);
        let (confining, others): (Vec<_>, Vec<_>) =
            self.said.iter().filter(about).partition(|(.., word)| word.grants().is_some());
        let nearest = confining.into_iter().min_by_key(|(at, ..)| *at);
        let nearest = nearest.filter(|(at, ..)| *at < own || server.sandbox.grants().is_none());
        if let Some((.., word)) = nearest {
            server.sandbox = word.clone();
        } else if server.sandbox == Sandbox::Unsaid {
            server.sandbox = match others.is_empty() {
                false => Sandbox::Off,
                true if self.confines_repositories && is_server_of_repository(&server) => {
                    Sandbox::repository_default()
                }
                true => Sandbox::Unsaid,
            };
        }
        server
    }
}

/// Returns `true` if the server is a program that came with the repository. In the user's own file
/// of servers, the part about one project is local.
pub fn is_server_of_repository(server: &Server) -> bool {
    let file = server.place.as_ref().map(|location| Path::new(&*location.file));
    let is_inside = file.is_some_and(|file| file.starts_with(&server.project));
    let is_in_home = file.and_then(Path::parent) == Some(&*server.home);
    matches!(server.reach, Reach::Program(_))
        && match server.layer {
            Layer::Project => true,
            Layer::Local => is_inside && !is_in_home,
            Layer::Plugin | Layer::Skill | Layer::Agent => {
                is_inside && server.project != server.home
            }
            Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => false,
        }
}

/// Puts the programs of repositories that have no sandbox setting into the sandbox for
/// repositories.
pub(super) fn sandbox_repository_hooks(read: &mut [(Source, ReadConfig)]) {
    for (source, config) in read {
        let unsaid = config.hooks.iter_mut().filter(|hook| hook.sandbox == Sandbox::Unsaid);
        for hook in unsaid {
            if is_repository_program(source, hook) {
                hook.sandbox = Sandbox::repository_default();
            }
        }
    }
}

/// Returns `true` if the hook is a program that came with the repository. Whatever lies in the
/// project may have come with it, whatever its file is called.
pub fn is_repository_program(source: &Source, hook: &Hook) -> bool {
    let is_program = matches!(hook.run, Run::Command(_) | Run::Worker(_));
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    is_program
        && match hook.layer {
            Layer::Project | Layer::Local => true,
            // A session in the home directory has no project there (C-4).
            Layer::Plugin | Layer::Skill | Layer::Agent => {
                is_inside && source.project != source.home
            }
            Layer::Managed | Layer::BuiltIn | Layer::Given | Layer::User => false,
        }
}

/// Returns the sandbox that a statement sets for the hooks of a source.
fn sandbox_setting<'s>(statement: &'s Statement, source: &Source) -> Option<&'s Sandbox> {
    match &statement.switch {
        Switch::Govern(govern) if govern.applies_to_source(source) => {
            Some(&govern.sandbox).filter(|sandbox| **sandbox != Sandbox::Unsaid)
        }
        _ => None,
    }
}
