//! Which MCP servers an agent would connect from where the caller stands. Reads files; starts and reaches nothing.

use std::path::Path;

use super::file::{MAX_BYTES, absent, read_at_most, unreadable};
use super::plugins;
use crate::config::{self, Plugin, Ruleset, Server, Source};
use crate::diagnostic::Diagnostic;
use crate::dialect::{DIALECTS, Dialect, Roots, ServerFile, ServerFiles};
use crate::hook::{Layer, Run};

/// How large a file may be in which an agent keeps the user's servers, beside a history of its sessions.
const MAX_STATE: u64 = 64 << 20;

/// The servers that the hooks of `ruleset` can call: those of the native files, and those that an agent would connect from
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

/// The servers of the agents' files, and what is wrong with those (MC-14). `sources` are what was read of hooks: which
/// plugins count, and which servers are off, stands there.
#[must_use]
pub fn servers(roots: &Roots, sources: &[Source]) -> (Vec<Server>, Vec<Diagnostic>) {
    let (mut found, mut told) = (Vec::new(), Vec::new());
    for dialect in DIALECTS {
        if let Some(files) = dialect.servers() {
            found.extend(of_agent(dialect, files, roots, sources, &mut told));
        }
    }
    (found, told)
}

/// The servers that one agent would connect.
fn of_agent(
    dialect: &Dialect,
    files: &ServerFiles,
    roots: &Roots,
    sources: &[Source],
    told: &mut Vec<Diagnostic>,
) -> Vec<Server> {
    let mut found = Vec::new();
    let mut take = |path: &Path, layer, plugin: Option<&Plugin>| {
        let most = if layer == Layer::User { MAX_STATE } else { MAX_BYTES };
        match read_at_most(path, most) {
            Ok(text) => {
                let name = path.to_string_lossy();
                let file = ServerFile { name: &name, text: &text, layer, plugin };
                let (servers, diagnostics) = (files.read)(file, roots);
                found.extend(servers);
                told.extend(diagnostics);
            }
            Err(error) if absent(&error) => {}
            Err(error) => told.push(unreadable(path, &error)),
        }
    };
    for (path, layer) in (files.files)(roots) {
        take(&path, layer, None);
    }
    for (plugin, _) in plugins(dialect, sources, roots).active {
        take(&(files.of_plugin)(&plugin), Layer::Plugin, Some(&plugin));
    }
    let own = sources.iter().filter(|it| it.dialect == dialect.id());
    let off: Vec<String> = own.flat_map(files.switched_off).collect();
    found.retain(|it| it.layer != Layer::Project || !off.contains(&it.name));
    found
}
