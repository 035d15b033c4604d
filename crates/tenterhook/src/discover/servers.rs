//! Which MCP servers an agent would connect from where the caller stands. Reads files; starts and
//! reaches nothing.

use std::path::Path;

use super::file::{MAX_BYTES, absent, read_at_most, unreadable};
use super::owner::exposed;
use super::{plugins, source};
use tenterhook_core::config::{self, Plugin, Ruleset, Server, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::{DIALECTS, Dialect, Roots, ServerFile, ServerFiles};
use tenterhook_core::hook::{Layer, Run};
use tenterhook_core::source::{Flaw, Reach};

/// How large a file may be in which an agent keeps the user's servers, beside a history of its
/// sessions.
const MAX_STATE: u64 = 64 << 20;

/// The servers that the hooks of `ruleset` can call: those of the native files, and those that an
/// agent would connect from here; and what is wrong with them. Where no hook calls a tool, no file
/// is opened for them (MC-14).
#[must_use]
pub fn servers_for(
    ruleset: &Ruleset,
    roots: &Roots,
    sources: &[Source],
) -> (Vec<Server>, Vec<Diagnostic>) {
    servers_for_by(ruleset, || servers(roots, sources))
}

/// The same, where `find` says which servers of the agents' files count.
pub fn servers_for_by(
    ruleset: &Ruleset,
    find: impl FnOnce() -> (Vec<Server>, Vec<Diagnostic>),
) -> (Vec<Server>, Vec<Diagnostic>) {
    if !ruleset.hooks().iter().any(|hook| matches!(hook.run, Run::McpTool(_))) {
        return (Vec::new(), Vec::new());
    }
    let (found, mut diagnostics) = find();
    let settled = config::settle_servers(ruleset, found, &mut diagnostics);
    (settled, diagnostics)
}

/// The servers of the agents' files, and what is wrong with those (MC-14). `sources` are what was
/// read of hooks: which plugins count, and which servers are off, stands there.
#[must_use]
pub fn servers(roots: &Roots, sources: &[Source]) -> (Vec<Server>, Vec<Diagnostic>) {
    let (files, mut diagnostics) = server_files(roots, sources);
    let mut found = Vec::new();
    for file in files {
        found.extend(file.servers);
        diagnostics.extend(file.diagnostics);
    }
    (found, diagnostics)
}

/// A file in which an agent configures servers.
#[derive(Debug)]
pub(crate) struct FileOfServers {
    /// The file.
    #[cfg_attr(not(feature = "trust"), expect(dead_code, reason = "only approvals are of files"))]
    pub(crate) source: Source,
    /// Its servers, without those that settings switch off.
    pub(crate) servers: Vec<Server>,
    /// Findings about them.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The files themselves, and which of them cannot be read.
pub(crate) fn server_files(
    roots: &Roots,
    sources: &[Source],
) -> (Vec<FileOfServers>, Vec<Diagnostic>) {
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    for dialect in DIALECTS {
        if let Some(files) = dialect.servers() {
            found.extend(of_agent(dialect, files, roots, sources, &mut diagnostics));
        }
    }
    (found, diagnostics)
}

/// The servers of a file that was read before, if it is one in which its dialect's agent configures
/// them.
#[cfg(feature = "trust")]
pub(crate) fn servers_of(source: &Source) -> Option<Vec<Server>> {
    let files = source.dialect.dialect().servers()?;
    let roots = Roots {
        cwd: source.project.clone(),
        home: source.home.clone(),
        managed: Some("/".into()),
        ..Roots::default()
    };
    let name = Path::new(&*source.name).file_name();
    let of_plugin = source.plugin.as_ref().map(files.of_plugin);
    let places = (files.files)(&roots).into_iter().map(|(path, _)| path).chain(of_plugin);
    places
        .into_iter()
        .any(|path| path.file_name() == name)
        .then(|| (files.read)(file(source), &roots).0)
}

fn file(source: &Source) -> ServerFile<'_> {
    let Source { name, text, layer, plugin, .. } = source;
    ServerFile { name, text, layer: *layer, plugin: plugin.as_ref() }
}

/// The servers that one agent would connect, by file.
fn of_agent(
    dialect: &Dialect,
    files: &ServerFiles,
    roots: &Roots,
    sources: &[Source],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<FileOfServers> {
    let own = sources.iter().filter(|source| source.dialect == dialect.id());
    let off: Vec<String> = own.flat_map(files.switched_off).collect();
    let mut found = Vec::new();
    let mut take = |path: &Path, layer, plugin: Option<Plugin>| {
        let most = if layer == Layer::User { MAX_STATE } else { MAX_BYTES };
        match read_at_most(path, most) {
            Ok(text) => {
                let source = source(path, dialect.id(), layer, text, roots);
                let source = Source { plugin, ..source };
                let (mut servers, mut diagnostics) = (files.read)(file(&source), roots);
                if let Some(Flaw { why, help, .. }) = exposed(path, layer, roots) {
                    let withhold =
                        |server: &mut Server| server.reach = Reach::Withheld(why.clone());
                    servers.iter_mut().for_each(withhold);
                    let message = format!(
                        "`{}` is not obeyed as a managed file, because {why}",
                        path.display()
                    );
                    let found = Diagnostic::new(Code::ManagedFileExposed, message, None);
                    diagnostics = vec![found.help(help)];
                }
                servers
                    .retain(|server| server.layer != Layer::Project || !off.contains(&server.name));
                found.push(FileOfServers { source, servers, diagnostics });
            }
            Err(error) if absent(&error) => {}
            Err(error) => diagnostics.push(unreadable(path, &error)),
        }
    };
    for (path, layer) in (files.files)(roots) {
        if !roots.reach(&path, layer) {
            continue;
        }
        take(&path, layer, None);
    }
    for (plugin, _) in plugins(dialect, sources, roots).active {
        take(&(files.of_plugin)(&plugin), Layer::Plugin, Some(plugin));
    }
    found
}
