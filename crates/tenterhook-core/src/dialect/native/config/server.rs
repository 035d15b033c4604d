//! `[mcp.NAME]`: a server whose tools hooks can call (C-63, C-64).

use super::fields::Fields;
use super::keys::{self, join_quoted};
use super::{Reader, values};
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::hook::{Http, Interpolation};
use crate::source::{Reach, Server, ServerVariables};
use crate::syntax::Entry;

/// The keys that say how a server is reached: it has exactly one.
const REACH: &[&str] = &["run", "url"];

/// Keys that mean something only beside one of them.
const BESIDE: &[(&str, &str)] =
    &[("env", "run"), ("cwd", "run"), ("sandbox", "run"), ("headers", "url")];

impl Reader<'_> {
    pub(super) fn read_server(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "a server", keys::SERVER) else {
            return;
        };
        let name = entry.key.as_str();
        if !values::is_valid_name(name) {
            let message = format!("`{}` cannot name a server", name.escape_default());
            self.report(Code::BadName, entry.key_span, message).help = Some(
                "letters, digits and `.`, `_`, `-`, `:`, `/` make a name, at most 64".to_owned(),
            );
            return;
        }
        let Some(reach) = self.read_program_or_url(&fields) else { return };
        let sandbox = self.read_sandbox(&fields);
        let place = Some(self.location_of(entry.key_span));
        self.out.servers.push(Server {
            name: name.to_owned(),
            dialect: DialectId::NATIVE,
            variables: ServerVariables::ListedInHeaders,
            layer: self.source.layer,
            reach,
            sandbox,
            project: self.source.project.clone(),
            home: self.source.home.clone(),
            place,
        });
    }

    fn read_program_or_url(&mut self, fields: &Fields<'_>) -> Option<Reach> {
        let given: Vec<&str> = REACH.iter().copied().filter(|key| fields.has_key(key)).collect();
        let name = &fields.entry.key;
        let [kind] = given.as_slice() else {
            let (code, text) = match given.is_empty() {
                true => (Code::MissingRun, "neither `run` nor `url`"),
                false => (Code::SeveralRuns, "both `run` and `url`"),
            };
            let message = format!("server `{name}` has {text}");
            self.report(code, fields.entry.key_span, message).help =
                Some(format!("give it exactly one of {}", join_quoted(REACH.iter().copied())));
            return None;
        };
        for (key, beside) in
            BESIDE.iter().filter(|(key, beside)| fields.has_key(key) && beside != kind)
        {
            let message = format!("`{key}` means something only beside `{beside}`");
            self.report(Code::NoEffect, fields.key_span(key), message).help =
                Some(format!("leave `{key}` out"));
        }
        let before = self.error_count();
        let reach = match *kind {
            "run" => {
                let invocation = self.read_program_and_args(fields, "run")?;
                let mut command = self.build_command(fields, invocation, DialectId::NATIVE);
                // It serves every event, so it does not start where one of them happens to be.
                command.cwd.get_or_insert_with(|| self.source.project.clone());
                Reach::Program(command)
            }
            _ => Reach::Address(self.read_server_http(fields)?),
        };
        (self.error_count() == before).then_some(reach)
    }

    fn read_server_http(&mut self, fields: &Fields<'_>) -> Option<Http> {
        let url = self.read_required_text(fields, "url", fields.get("url"), "url")?;
        let headers = fields.get("headers").map(crate::syntax::Node::entries).unwrap_or_default();
        let url = (url, fields.value_span("url"));
        Some(self.read_request(fields, url, headers, Interpolation::STRICT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Added, load};
    use crate::source::Source;

    /// C-63, C-64.
    #[test]
    fn a_server_is_a_program_or_an_address() {
        let read = |text: &str| {
            let source = Source::from_text("t.toml", DialectId::NATIVE, text, "/p");
            let loaded = load(&[source], &Added::default(), None);
            let texts: Vec<_> =
                loaded.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
            let reach = loaded.ruleset.servers().first().map(|server| server.reach.clone());
            (reach, texts)
        };
        let (reach, texts) = read("[mcp.a]\nrun = ['./s', 'x']\npass = ['KEY']\nenv = { A = 'b' }");
        let Some(Reach::Program(command)) = reach else { panic!("{texts:?}") };
        assert_eq!((command.line(), command.cwd), ("/p/s x".to_owned(), Some("/p".into())));
        assert_eq!(command.pass, ["KEY"]);
        let (reach, texts) =
            read("[mcp.a]\nurl = 'https://e/m'\nheaders = { X = '$K' }\npass = ['K']");
        let Some(Reach::Address(http)) = reach else { panic!("{texts:?}") };
        assert_eq!(http.headers, [("X".to_owned(), "$K".to_owned())]);
        for (text, code) in [
            ("[mcp.a]", "missing-run"),
            ("[mcp.a]\nrun = ['s']\nurl = 'u'", "several-runs"),
            ("[mcp.a]\nrun = []", "empty-run"),
            ("[mcp.a]\nurl = ' '", "empty-run"),
            ("[mcp.a]\nurl = 'https://10.0.0.1/'", "unusable-url"),
            ("[mcp.a]\nurl = 'https://e/'\nheaders = { X = '$K' }", "unusable-header"),
            ("[mcp.a]\nrun = 's'", "wrong-type"),
            ("[mcp.a]\nurls = 's'", "unknown-key"),
            ("[mcp.'a b']\nrun = ['s']", "bad-name"),
            ("[mcp.a]\nrun = ['s']\npass = ['A B']", "bad-variable"),
            ("mcp = 1", "wrong-type"),
            ("[mpc.a]\nrun = ['s']", "unknown-key"),
        ] {
            assert_eq!(read(text), (None, vec![code]), "{text}");
        }
        let (reach, texts) = read("[mcp.a]\nurl = 'https://e/'\nheaders = { Host = 'x' }");
        assert_eq!((reach.is_some(), texts), (true, vec!["header-not-sent"]));
        assert_eq!(read("[mcp.a]\nurl = 'https://e/'\nsandbox = 'strict'").1, ["no-effect"]);
        assert_eq!(read("[mcp.a]\nrun = ['s']\nsandbox = 'strict'").1, [""; 0]);
        assert_eq!(read("[mcp.a]\nrun = ['s']\nsandbox = 'non'").1, ["unknown-word"]);
        assert_eq!(read("[mcp.a]\nrun = ['s']\nheaders = { A = 'b' }").1, ["no-effect"]);
    }
}
