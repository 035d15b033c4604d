//! Which of several MCP servers of one name counts?

use super::Ruleset;
use super::statements::distance_from_user;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Server;

/// Merges the servers `found` in files of agents with those of `ruleset`: each gets its sandbox
/// and one of each name remains (MC-12).
#[must_use]
pub fn merge_servers(
    ruleset: &Ruleset,
    found: impl IntoIterator<Item = Server>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Server> {
    let found = found.into_iter().map(|server| ruleset.server_sandboxes().apply_to_server(server));
    keep_one_server_per_name(ruleset.servers().iter().cloned().chain(found), diagnostics)
}

/// Keeps one server of each name (MC-12): the one of the layer nearest to the user, and the first
/// of equals. Otherwise a repository could replace a server that a guard of the user calls.
pub(super) fn keep_one_server_per_name(
    servers: impl IntoIterator<Item = Server>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Server> {
    let mut kept: Vec<Server> = Vec::new();
    let mut all: Vec<Server> = servers.into_iter().collect();
    all.sort_by_key(|server| distance_from_user(server.layer));
    for server in all {
        let Some(first) = kept.iter().find(|other| other.name == server.name) else {
            kept.push(server);
            continue;
        };
        if first.reach == server.reach {
            continue;
        }
        let place =
            first.place.as_ref().map_or_else(String::new, |location| format!(" in {location}"));
        let message = format!(
            "the server `{}` is configured{place} already; this one is not used",
            server.name
        );
        diagnostics.push(
            Diagnostic::new(Code::ServerConfiguredTwice, message, server.place)
                .help("give it another name"),
        );
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hook::{Command, Inherit, Invocation, Layer, Sandbox};
    use crate::source::{Reach, ServerVariables};

    fn server(name: &str, layer: Layer, program: &str) -> Server {
        let invocation = Invocation::Argv { program: program.to_owned(), args: Vec::new() };
        let reach = Reach::Program(Command::new(invocation, Inherit::Listed));
        Server {
            name: name.to_owned(),
            dialect: DialectId::NATIVE,
            variables: ServerVariables::ListedInHeaders,
            layer,
            reach,
            sandbox: Sandbox::Unsaid,
            project: "/p".into(),
            home: "/h".into(),
            place: None,
        }
    }

    /// MC-12.
    #[test]
    fn the_server_of_the_nearest_layer_stands() {
        let mut diagnostics = Vec::new();
        let servers = [
            server("policy", Layer::Project, "./theirs"),
            server("policy", Layer::User, "mine"),
            server("policy", Layer::Local, "mine"),
            server("other", Layer::Plugin, "first"),
            server("other", Layer::Project, "second"),
        ];
        let kept = keep_one_server_per_name(servers, &mut diagnostics);
        let kept: Vec<_> = kept
            .iter()
            .map(|server| (server.name.as_str(), server.reach.one_line_description()))
            .collect();
        assert_eq!(kept, [("policy", "mine".to_owned()), ("other", "first".to_owned())]);
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(codes, ["server-configured-twice"; 2]);
    }
}
