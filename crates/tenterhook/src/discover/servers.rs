//! Which MCP servers an agent would connect from where the caller stands. Reads files; starts and
//! reaches nothing.

use std::path::Path;

use super::file::{MAX_BYTES, is_not_found, read_utf8_file, unreadable_file_diagnostic};
use super::owner::managed_file_flaw;
use super::view::View;
use super::{enabled_plugins, new_source};
use tenterhook_core::config::{self, Plugin, Ruleset, Server, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::{DIALECTS, Dialect, Plugins, Roots, ServerFile, ServerFiles};
use tenterhook_core::hook::{Layer, Run};
use tenterhook_core::source::{Flaw, Reach};

/// How large a file may be in which an agent keeps the user's servers, beside a history of its
/// sessions.
const MAX_STATE: u64 = 64 << 20;

/// Finds the servers that the hooks of `ruleset` can call: those of the native files, and those
/// that an agent would connect from `roots`. Also returns diagnostics. If no hook calls a tool, no
/// file is opened (MC-14).
#[must_use]
pub fn find_servers_for_hooks(
    ruleset: &Ruleset,
    roots: &Roots,
    sources: &[Source],
) -> (Vec<Server>, Vec<Diagnostic>) {
    servers_for_hooks_found_by(ruleset, || find_agent_servers(roots, sources))
}

/// As [`find_servers_for_hooks`], but `find` returns the servers of the agents' files.
pub fn servers_for_hooks_found_by(
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

/// Finds the servers of the agents' files, with diagnostics (MC-14). `sources` are the hook files
/// that were read: they say which plugins and servers are enabled.
#[must_use]
pub fn find_agent_servers(roots: &Roots, sources: &[Source]) -> (Vec<Server>, Vec<Diagnostic>) {
    let (files, mut diagnostics) = find_server_files(roots, sources);
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

/// Finds the files in which agents configure servers, with a diagnostic for each file that cannot
/// be read.
pub(crate) fn find_server_files(
    roots: &Roots,
    sources: &[Source],
) -> (Vec<FileOfServers>, Vec<Diagnostic>) {
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    let view = View::default();
    for dialect in DIALECTS {
        if let Some(files) = dialect.mcp_server_files() {
            let plugins = || enabled_plugins(dialect, sources, roots, &view);
            found.extend(find_servers_of_agent(
                dialect,
                files,
                (roots, sources),
                plugins,
                &mut diagnostics,
            ));
        }
    }
    (found, diagnostics)
}

/// Returns the servers of a source that was read before, if its dialect's agent configures servers
/// in such a file.
#[cfg(feature = "trust")]
pub(crate) fn servers_in_source(source: &Source) -> Option<Vec<Server>> {
    let files = source.dialect.dialect().mcp_server_files()?;
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
        .then(|| (files.read)(as_server_file(source), &roots).0)
}

fn as_server_file(source: &Source) -> ServerFile<'_> {
    let Source { name, text, layer, plugin, .. } = source;
    ServerFile { name, text, layer: *layer, plugin: plugin.as_ref() }
}

/// The servers that one agent would connect, by file.
fn find_servers_of_agent(
    dialect: &Dialect,
    files: &ServerFiles,
    (roots, sources): (&Roots, &[Source]),
    plugins: impl FnOnce() -> Plugins,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<FileOfServers> {
    let own = sources.iter().filter(|source| source.dialect == dialect.id());
    let off: Vec<String> = own.flat_map(files.switched_off).collect();
    let mut found = Vec::new();
    let mut take = |path: &Path, layer, plugin: Option<Plugin>| {
        let most = if layer == Layer::User { MAX_STATE } else { MAX_BYTES };
        match read_utf8_file(path, most) {
            Ok(text) => {
                let source = new_source(path, dialect.id(), layer, text, roots);
                let source = Source { plugin, ..source };
                let (mut servers, mut diagnostics) = (files.read)(as_server_file(&source), roots);
                if let Some(Flaw { why, help, .. }) = managed_file_flaw(path, layer, roots) {
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
            Err(error) if is_not_found(&error) => {}
            Err(error) => diagnostics.push(unreadable_file_diagnostic(path, &error)),
        }
    };
    for (path, layer) in (files.files)(roots) {
        if !roots.has_known_base(&path, layer) {
            continue;
        }
        take(&path, layer, None);
    }
    for (plugin, _) in plugins().active {
        take(&(files.of_plugin)(&plugin), Layer::Plugin, Some(plugin));
    }
    found
}
