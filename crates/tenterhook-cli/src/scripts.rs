//! Whether the files that hooks start are there. Looks at files; starts none.

use std::fs::Metadata;
use std::path::Path;

use tenterhook::config::{Ruleset, Source};
use tenterhook::diagnostic::{Diagnostic, Severity};
use tenterhook::hook::{Arming, Hook, Layer, Script};

/// One finding for each hook whose file is missing or cannot be started.
///
/// A config whose place does not tell which project it is for may be a template for another: then it is advice.
pub(crate) fn check(ruleset: &Ruleset, sources: &[Source]) -> Vec<Diagnostic> {
    let armed = ruleset.hooks().iter().filter(|it| it.arming == Arming::Armed);
    armed
        .filter_map(|hook| {
            let name = &hook.place.as_ref()?.file;
            let source = sources.iter().find(|it| it.name == *name)?;
            let script = hook.script(&source.project, &source.home)?;
            let is_placed = hook.layer != Layer::Given || source.directory.ends_with(".claude");
            finding(hook, &script, if is_placed { Severity::Error } else { Severity::Advice })
        })
        .collect()
}

fn finding(hook: &Hook, script: &Script, severity: Severity) -> Option<Diagnostic> {
    let path = script.path.display();
    let (code, message, help) = match script.path.metadata() {
        Err(error) => (
            "script-missing",
            format!("`{path}` cannot be started: {}", words(&error)),
            "correct the path, or add the file: a gate whose program is missing decides nothing"
                .to_owned(),
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
    let place = hook.place.clone();
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
    fn a_path_is_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
