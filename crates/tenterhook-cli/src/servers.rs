//! The MCP servers that hooks call: finds those that are configured here, and says which hook calls one that is not.
//! Starts none.

use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, Server};
use tenterhook_core::diagnostic::{Code, Diagnostic, nearest_word};
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::{Hook, McpTool, Run};

use crate::load::Loaded;

/// Returns the servers that the hooks can call; their errors are added to the diagnostics.
pub(crate) fn find_servers(loaded: &mut Loaded, ruleset: &Ruleset, roots: &Roots) -> Vec<Server> {
    let (servers, diagnostics) = discover::find_servers_for_hooks(ruleset, roots, &loaded.sources);
    loaded.diagnostics.extend(diagnostics);
    servers
}

/// Returns one finding for each hook that calls a server that is not configured.
pub(crate) fn unconfigured_server_findings(
    ruleset: &Ruleset,
    servers: &[Server],
) -> Vec<Diagnostic> {
    let names = || servers.iter().map(|server| server.name.as_str());
    let unknown =
        hooks_with_mcp_tool(ruleset).filter(|(_, call)| !names().any(|name| name == call.server));
    unknown
        .map(|(hook, call)| {
            let message = format!("no server `{}` is configured here", call.server);
            let help = nearest_word(&call.server, names()).map_or_else(
                || {
                    "configure it as `[mcp.NAME]` or in `.mcp.json`; a host may also bring it"
                        .to_owned()
                },
                |near| format!("did you mean `{near}`?"),
            );
            let place = hook.place.clone();
            Diagnostic::new(Code::UnknownServer, message, place).label("calls it").help(help)
        })
        .collect()
}

fn hooks_with_mcp_tool(ruleset: &Ruleset) -> impl Iterator<Item = (&Hook, &McpTool)> {
    ruleset.hooks().iter().filter_map(|hook| match &hook.run {
        Run::McpTool(call) => Some((&**hook, call)),
        _ => None,
    })
}
