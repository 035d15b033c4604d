//! Which MCP servers an agent would connect from where the caller stands. Reads files; starts and reaches nothing.

use std::path::Path;

use super::active_plugins;
use super::file::{MAX_BYTES, absent, read_at_most, unreadable};
use crate::config::{self, Plugin, Ruleset, Server, Source};
use crate::diagnostic::Diagnostic;
use crate::dialect::claude::servers::{self, ServerFile};
use crate::dialect::{DialectId, Roots};
use crate::hook::{Layer, Run};

/// How large the file is in which Claude Code keeps the user's servers, beside a history of its sessions.
const MAX_STATE: u64 = 64 << 20;

/// The servers that the hooks of `ruleset` can call: those of the native files, and those that Claude Code would connect from
/// here; and what is wrong with them. Where no hook calls a tool, no file is opened for them (MC-14).
#[must_use]
pub fn servers_for(
    ruleset: &Ruleset,
    roots: &Roots,
    sources: &[Source],
) -> (Vec<Server>, Vec<Diagnostic>) {
    if !ruleset.hooks().iter().any(|hook| matches!(hook.run, Run::McpTool(_))) {
        return (Vec::new(), Vec::new());
    }
    let (found, mut told) = servers(roots, sources);
    let all = ruleset.servers().iter().cloned().chain(found);
    let settled = config::settle_servers(all, &mut told);
    (settled, told)
}

/// The servers of Claude Code's files, and what is wrong with those (MC-14). `sources` are what was read of hooks: which
/// plugins count, and which servers are off, stands there.
#[must_use]
pub fn servers(roots: &Roots, sources: &[Source]) -> (Vec<Server>, Vec<Diagnostic>) {
    let (mut found, mut told) = (Vec::new(), Vec::new());
    let mut take = |path: &Path, layer, plugin: Option<&Plugin>| {
        let most = if layer == Layer::User { MAX_STATE } else { MAX_BYTES };
        match read_at_most(path, most) {
            Ok(text) => {
                let name = path.to_string_lossy();
                let file = ServerFile { name: &name, text: &text, layer, plugin };
                let (servers, diagnostics) = servers::read(file, roots);
                found.extend(servers);
                told.extend(diagnostics);
            }
            Err(error) if absent(&error) => {}
            Err(error) => told.push(unreadable(path, &error)),
        }
    };
    for (path, layer) in servers::files(roots) {
        take(&path, layer, None);
    }
    for plugin in active_plugins(sources, roots).plugins {
        take(&servers::of_plugin(&plugin), Layer::Plugin, Some(&plugin));
    }
    let off = switched_off(sources);
    found.retain(|it| it.layer != Layer::Project || !off.contains(&it.name));
    (found, told)
}

fn switched_off(sources: &[Source]) -> Vec<String> {
    let settings = sources.iter().filter(|it| it.dialect == DialectId::CLAUDE);
    let settings = settings.filter(|it| servers::is_settings(&it.name));
    settings.flat_map(|it| servers::switched_off(&it.text)).collect()
}
