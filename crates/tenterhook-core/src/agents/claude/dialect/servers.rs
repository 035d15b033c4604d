//! Finds the MCP servers that Claude Code connects, from the texts of its files. Pure: opens no
//! file, fills in no variable.
//!
//! Separate files configure them (`.mcp.json`, `~/.claude.json`), which are read only if a hook
//! calls a server (MC-14).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Location, Span};
use crate::dialect::{DialectId, Roots, ServerFile, ServerFiles};
use crate::hook::{Command, Http, Inherit, Invocation, Layer, Sandbox};
use crate::request::address::{BadUrl, Target};
use crate::source::{Plugin, Reach, Server, ServerVariables, Source};
use crate::syntax::{self, Format, Node};

use super::placeholders::Placeholders;

/// The files of servers, and how they are read.
pub(super) static FILES: ServerFiles = ServerFiles {
    files: server_files,
    of_plugin: plugin_server_file,
    read: read_server_file,
    switched_off: disabled_servers,
};

/// Why the entry of a server cannot be used, as the predicate of a sentence about the server.
#[derive(Debug, thiserror::Error)]
enum ServerFault {
    #[error("has no `{0}`")]
    MissingField(&'static str),
    #[error("has a `url` to which nothing can be sent: {0}")]
    Url(#[from] BadUrl),
    #[error("is of the type `{0}`, which is not spoken here")]
    UnknownType(String),
}

fn server_files(roots: &Roots) -> Vec<(PathBuf, Layer)> {
    let user = roots.config_home.clone().unwrap_or_else(|| roots.home.clone());
    let managed = roots.managed.iter().map(|path| (path.join("managed-mcp.json"), Layer::Managed));
    let others =
        [(user.join(".claude.json"), Layer::User), (roots.cwd.join(".mcp.json"), Layer::Project)];
    managed.chain(others).collect()
}

fn plugin_server_file(plugin: &Plugin) -> PathBuf {
    plugin.root.join(".mcp.json")
}

fn read_server_file(file: ServerFile<'_>, roots: &Roots) -> (Vec<Server>, Vec<Diagnostic>) {
    let parsed = syntax::parse_by_format(file.text, Format::Json);
    let mut reading = Reading { file, roots, servers: Vec::new(), diagnostics: Vec::new() };
    match (&parsed.root, parsed.fatal_fault()) {
        (Some(root), _) => reading.read_root(root),
        (None, Some(fault)) => reading.report_finding(fault.span, fault.message.clone()),
        (None, None) => {}
    }
    (reading.servers, reading.diagnostics)
}

/// The names of project servers that settings disable. Other hook files cannot disable servers.
fn disabled_servers(source: &Source) -> Vec<String> {
    if !is_settings_file(&source.name) {
        return Vec::new();
    }
    let root = syntax::parse_by_format(&source.text, Format::Json).root;
    let names = root.as_ref().and_then(|root| root.get("disabledMcpjsonServers"));
    let names = names.and_then(Node::as_array).unwrap_or_default();
    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

struct Reading<'a> {
    file: ServerFile<'a>,
    roots: &'a Roots,
    servers: Vec<Server>,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    /// Reads a file. `~/.claude.json` also has servers of single projects, which take precedence
    /// over the user's.
    fn read_root(&mut self, root: &Node) {
        let own = root
            .get("projects")
            .and_then(|projects| projects.get(&self.roots.cwd.to_string_lossy()));
        if let (Some(servers), Layer::User) =
            (own.and_then(|value| value.get("mcpServers")), self.file.layer)
        {
            self.read_servers(servers, Layer::Local);
        }
        match root.get("mcpServers") {
            Some(servers) => self.read_servers(servers, self.file.layer),
            // A plugin may omit `mcpServers`.
            None if self.file.plugin.is_some() => self.read_servers(root, self.file.layer),
            None => {}
        }
    }

    fn read_servers(&mut self, servers: &Node, layer: Layer) {
        for entry in servers.entries() {
            match self.read_how_server_is_reached(&entry.node) {
                Ok(reach) => {
                    let name = match self.file.plugin {
                        Some(plugin) => format!("plugin:{}:{}", plugin.name, entry.key),
                        None => entry.key.clone(),
                    };
                    let place = Some(self.source_location(entry.key_span));
                    let dialect = DialectId::CLAUDE;
                    self.servers.push(Server {
                        name,
                        dialect,
                        variables: ServerVariables::Everywhere,
                        layer,
                        reach,
                        sandbox: Sandbox::Unsaid,
                        project: self.roots.cwd.clone(),
                        home: self.roots.home.clone(),
                        place,
                    });
                }
                Err(why) => {
                    self.report_finding(
                        entry.key_span,
                        format!("the server `{}` {why}", entry.key),
                    );
                }
            }
        }
    }

    /// Reads how the server is reached: by a program or by an address.
    fn read_how_server_is_reached(&self, node: &Node) -> Result<Reach, ServerFault> {
        let placeholders = Placeholders::new(&self.roots.cwd, self.file.plugin);
        let text = |key: &'static str| {
            let text = node.get(key).and_then(Node::as_str).filter(|text| !text.trim().is_empty());
            text.map(|text| placeholders.replace_in_word(text))
                .ok_or(ServerFault::MissingField(key))
        };
        let pairs = |key: &str| -> Vec<(String, String)> {
            let entries = node.get(key).map(Node::entries).unwrap_or_default().iter();
            let texts = entries.filter_map(|entry| Some((entry.key.clone(), entry.node.as_str()?)));
            texts.map(|(name, text)| (name, placeholders.replace_in_word(text))).collect()
        };
        match node.get("type").map(|node| node.as_str().unwrap_or_default()) {
            None | Some("stdio") => {
                let args = node.get("args").and_then(Node::as_array).unwrap_or_default().iter();
                let args =
                    args.filter_map(Node::as_str).map(|arg| placeholders.replace_in_word(arg));
                let invocation =
                    Invocation::Argv { program: text("command")?, args: args.collect() };
                let mut command = Command::new(invocation, Inherit::All);
                let project = self.roots.cwd.to_string_lossy().into_owned();
                command.env = vec![("CLAUDE_PROJECT_DIR".to_owned(), project)];
                command.env.extend(pairs("env"));
                command.cwd = Some(self.roots.cwd.clone());
                Ok(Reach::Program(command))
            }
            Some("http" | "streamable-http") => {
                let url = text("url")?;
                // A URL with a variable is checked when the server is called.
                if !url.contains("${")
                    && let Err(bad) = Target::parse_url(&url)
                {
                    return Err(bad.into());
                }
                let (headers, variables) = (pairs("headers"), Vec::new());
                Ok(Reach::Address(Http {
                    url,
                    headers,
                    variables,
                    secret: None,
                    interpolation: crate::hook::Interpolation::STRICT,
                }))
            }
            Some(other) => Err(ServerFault::UnknownType(other.to_owned())),
        }
    }

    fn source_location(&self, span: Span) -> Location {
        Location::find(&Arc::from(self.file.name), self.file.text, span)
    }

    fn report_finding(&mut self, span: Span, message: String) {
        let location = Some(self.source_location(span));
        let diagnostic = Diagnostic::new(Code::UnusableServer, message, location);
        let help = "give it a `command`, or `\"type\": \"http\"` and a `url`";
        self.diagnostics.push(diagnostic.help(help));
    }
}

fn is_settings_file(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|name| {
        name == "settings.json" || name == "settings.local.json" || name == "managed-settings.json"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        Roots { cwd: "/project".into(), home: "/home/a".into(), ..Roots::default() }
    }

    fn names(file: ServerFile<'_>) -> Vec<(String, Layer, String)> {
        let (servers, diagnostics) = read_server_file(file, &roots());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        servers
            .into_iter()
            .map(|server| (server.name, server.layer, server.reach.one_line_description()))
            .collect()
    }

    /// MC-14.
    #[test]
    fn servers_of_a_project_come_before_those_of_the_user() {
        let text = r#"{"numStartups": 7,
            "mcpServers": {"policy": {"type": "stdio", "command": "mine", "args": ["-v"]}},
            "projects": {
                "/project": {"mcpServers": {"policy": {"command": "here"}}},
                "/other": {"mcpServers": {"policy": {"command": "there"}}}
            }}"#;
        let file = ServerFile { name: "c", text, layer: Layer::User, plugin: None };
        let policy = |layer, line: &str| ("policy".to_owned(), layer, line.to_owned());
        assert_eq!(names(file), [policy(Layer::Local, "here"), policy(Layer::User, "mine -v")]);
    }

    /// MC-14.
    #[test]
    fn servers_of_a_plugin_have_its_name_and_know_its_root() {
        let plugin = Plugin { name: "p".into(), root: "/p".into(), data: "/d".into() };
        let text = r#"{"db": {"command": "${CLAUDE_PLUGIN_ROOT}/s", "env": {"A": "${B}"}}}"#;
        let file = ServerFile { name: "m", text, layer: Layer::Plugin, plugin: Some(&plugin) };
        assert_eq!(names(file), [("plugin:p:db".to_owned(), Layer::Plugin, "/p/s".to_owned())]);
        let (servers, _) = read_server_file(file, &roots());
        let Reach::Program(command) = &servers[0].reach else { panic!("a program") };
        let env: Vec<_> = command.env.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(env, ["CLAUDE_PROJECT_DIR=/project", "A=${B}"]);
    }

    /// MC-14.
    #[test]
    fn unusable_server_is_reported_and_others_are_read() {
        let text = r#"{"mcpServers": {
            "old": {"type": "sse", "url": "https://example.org"},
            "empty": {},
            "inside": {"type": "http", "url": "https://10.0.0.1/mcp"},
            "filled": {"type": "http", "url": "https://${HOST}/mcp"},
            "good": {"type": "http", "url": "https://example.org/mcp", "headers": {"A": "${K}"}}}}"#;
        let file = ServerFile { name: ".mcp.json", text, layer: Layer::Project, plugin: None };
        let (servers, diagnostics) = read_server_file(file, &roots());
        assert_eq!(
            servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(),
            ["filled", "good"]
        );
        let found: Vec<_> = diagnostics
            .iter()
            .map(|diagnostic| {
                (diagnostic.code.name(), diagnostic.place.as_ref().map(|location| location.line))
            })
            .collect();
        assert_eq!(found, [2, 3, 4].map(|line| ("unusable-server", Some(line))));
        let (_, diagnostics) = read_server_file(ServerFile { text: "{", ..file }, &roots());
        assert_eq!(diagnostics.len(), 1);
    }

    #[test]
    fn settings_switch_servers_of_the_project_off() {
        let off =
            |name, text| disabled_servers(&Source::from_text(name, DialectId::CLAUDE, text, "/w"));
        let text = r#"{"disabledMcpjsonServers": ["a", 1]}"#;
        assert_eq!(off("/w/.claude/settings.local.json", text), ["a"]);
        assert!(off("/w/.claude/settings.json", "{").is_empty());
        assert!(off("/w/hooks.json", text).is_empty());
    }
}
