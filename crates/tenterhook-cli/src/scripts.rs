//! Whether the files that hooks start are there. Looks at files; starts none.

use std::fs::Metadata;
use std::path::Path;

use tenterhook::config::{Reach, Ruleset, Server, Source};
use tenterhook::diagnostic::{Diagnostic, Place, Severity};
use tenterhook::hook::{Arming, Hook, HookId, Layer, Run, Script};

/// One finding for each hook, and each MCP server that a hook calls, whose file is missing or cannot be started.
///
/// A config whose place does not tell which project it is for may be a template for another: then it is advice.
pub(crate) fn check(ruleset: &Ruleset, sources: &[Source]) -> Vec<Diagnostic> {
    let armed = ruleset.hooks().iter().filter(|it| it.arming == Arming::Armed);
    let called = |server: &&Server| {
        let calls = |it: &&std::sync::Arc<Hook>| matches!(&it.run, Run::McpTool(call) if call.server == server.name);
        armed.clone().any(|hook| calls(&hook))
    };
    let servers = ruleset.servers().iter().filter(called).filter_map(as_hook);
    let servers: Vec<Hook> = servers.collect();
    armed
        .clone()
        .map(|hook| &**hook)
        .chain(&servers)
        .filter_map(|hook| {
            let name = &hook.place.as_ref()?.file;
            let source = sources.iter().find(|it| it.name == *name)?;
            let script = hook.script(&source.project, &source.home)?;
            let is_placed = hook.layer != Layer::Given || source.directory.ends_with(".claude");
            let severity = if is_placed { Severity::Error } else { Severity::Advice };
            finding(hook.place.clone(), &script, severity)
        })
        .collect()
}

/// A server's program starts as a hook's does.
fn as_hook(server: &Server) -> Option<Hook> {
    let Reach::Program(command) = &server.reach else { return None };
    let run = Run::Command(command.clone());
    let hook = Hook::new(HookId::new(&*server.name), server.dialect, "".into(), run);
    Some(Hook { place: server.place.clone(), layer: server.layer, ..hook })
}

fn finding(place: Option<Place>, script: &Script, severity: Severity) -> Option<Diagnostic> {
    let path = script.path.display();
    let (code, message, help) = match script.path.metadata() {
        Err(error) => (
            "script-missing",
            format!("`{path}` cannot be started: {}", words(&error)),
            "correct the path, or add the file: until then its failure policy decides".to_owned(),
        ),
        Ok(found) if found.is_dir() => {
            ("script-missing", format!("`{path}` is a directory"), "name the file in it".to_owned())
        }
        Ok(found) if script.is_program && !is_executable(&found) => (
            "script-not-executable",
            format!("`{path}` is not executable"),
            format!("`chmod +x {}`, or start it with its interpreter", quoted(&script.path)),
        ),
        Ok(_) => return None,
    };
    Some(Diagnostic::new(code, severity, message, place).label("never decides").help(help))
}

fn words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_missing_or_cannot_be_started_is_named() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt as _;

        use tenterhook::config::{Added, load};
        use tenterhook::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let project = project.path();
        fs::create_dir_all(project.join("hooks")).expect("a directory");
        for (name, mode) in [("plain", 0o644), ("program", 0o755)] {
            let path = project.join("hooks").join(name);
            fs::write(&path, "").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
        }
        let found = |command: &str, layer: Layer| {
            let text = format!(
                r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
            );
            let mut source = Source::given("settings.json", DialectId::CLAUDE, &text, project);
            source.layer = layer;
            let ruleset = load(&[source.clone()], &Added::default(), None).ruleset;
            let found = check(&ruleset, &[source]);
            found.first().map(|it| (it.code, it.severity))
        };
        for (command, expected) in [
            ("hooks/program", None),
            ("hooks/plain", Some("script-not-executable")),
            ("hooks/none", Some("script-missing")),
            ("./hooks", Some("script-missing")),
            ("$UNKNOWN/none", None),
        ] {
            let error = expected.map(|code| (code, Severity::Error));
            let advice = expected.map(|code| (code, Severity::Advice));
            assert_eq!(found(command, Layer::Project), error, "{command}");
            assert_eq!(found(command, Layer::Given), advice, "{command}");
        }
    }

    #[test]
    fn the_program_of_a_server_that_is_called_is_looked_for_too() {
        use tenterhook::config::{Added, load};
        use tenterhook::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let found = |called: &str| {
            let text = format!(
                "[mcp.policy]\nrun = ['python3', 'none.py']\n\n[hook.a]\non = 'Stop'\nmcp = {{ server = '{called}', tool = 't' }}\n"
            );
            let source = Source::given("tenterhook.toml", DialectId::NATIVE, &text, project.path());
            let ruleset = load(std::slice::from_ref(&source), &Added::default(), None).ruleset;
            let found = check(&ruleset, &[source]);
            found
                .iter()
                .map(|it| (it.code, it.place.as_ref().map(|it| it.line)))
                .collect::<Vec<_>>()
        };
        assert_eq!(found("policy"), [("script-missing", Some(1))]);
        assert_eq!(found("another"), []);
    }

    #[test]
    fn a_path_is_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
