//! Can what the hooks start be started here, and what comes of it where it cannot? Looks at files; starts no hook.

mod consequence;
mod exit_codes;
mod interpreter;
mod programs;
mod shell_text;
mod syntax;

use std::path::Path;
use std::sync::Arc;

use tenterhook::internal::executor::{missing_interpreter_remedy, script_interpreter};
use tenterhook_core::config::{Reach, Ruleset, Server, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Severity};
use tenterhook_core::hook::{
    Arming, Command, Hook, HookId, Invocation, Layer, Program, Run, Script,
};

use crate::executable::is_executable;
pub(crate) use consequence::Consequence;
pub(crate) use exit_codes::find_dropped_denials;
use programs::Path as SearchPath;
pub(crate) use shell_text::find_script_mistakes;
pub(crate) use syntax::find_unparsable_scripts;

/// Something that a hook starts and that cannot be started here.
pub(crate) struct Missing {
    /// What to say of it.
    pub(crate) diagnostic: Diagnostic,
    /// What comes of it, where that is certain.
    pub(crate) consequence: Option<Consequence>,
    /// The hook that it keeps from its work; `None` for the program of an MCP server.
    pub(crate) hook: Option<HookId>,
}

/// What each hook, and each MCP server that a hook calls, starts and what cannot be started here.
///
/// A config whose place does not tell which project it is for may be a template for another: then it is advice.
pub(crate) fn find_missing_programs(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
) -> Vec<Missing> {
    let armed = || ruleset.hooks().iter().filter(|hook| hook.arming == Arming::Armed);
    let called = |server: &&Server| {
        let calls = |hook: &Arc<Hook>| matches!(&hook.run, Run::McpTool(call) if call.server == server.name);
        armed().any(calls)
    };
    let servers: Vec<Arc<Hook>> = ruleset
        .servers()
        .iter()
        .filter(called)
        .filter_map(hook_from_server)
        .map(Arc::new)
        .collect();
    let hooks =
        armed().map(|hook| (hook, true)).chain(servers.iter().map(|server| (server, false)));
    hooks
        .flat_map(|(hook, is_hook)| missing_programs_of_hook(ruleset, sources, env, hook, is_hook))
        .collect()
}

/// Returns the findings, with those that say the same of several hooks of a file as one: the first
/// that blocks everything, otherwise the first.
pub(crate) fn group_repeats(missing: &[Missing]) -> Vec<Diagnostic> {
    let file = |found: &Missing| found.diagnostic.place.as_ref().map(|place| place.file.clone());
    let is_same = |a: &Missing, b: &Missing| {
        let said = |found: &Missing| (found.diagnostic.code, found.diagnostic.message.clone());
        file(a).is_some() && file(a) == file(b) && said(a) == said(b)
    };
    let blocks = |found: &&&Missing| found.consequence.is_some_and(Consequence::blocks_everything);
    let mut groups: Vec<Vec<&Missing>> = Vec::new();
    for found in missing {
        let same = groups.iter_mut().find(|group| group.first().is_some_and(|a| is_same(a, found)));
        match same {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    let finding = |group: &Vec<&Missing>| {
        let chosen = *group.iter().find(blocks).or(group.first())?;
        let mut diagnostic = chosen.diagnostic.clone();
        let line = |found: &&Missing| found.diagnostic.place.as_ref().map(|place| place.line);
        let mut lines: Vec<usize> = group.iter().filter_map(line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.retain(|at| Some(*at) != line(&chosen));
        if let Some((last, before)) = lines.split_last() {
            let before: Vec<String> = before.iter().map(|line| format!("{line}, ")).collect();
            let noun = if before.is_empty() { "line" } else { "lines" };
            diagnostic.message += &format!(" (also {noun} {}{last})", before.concat());
        }
        Some(diagnostic)
    };
    groups.iter().filter_map(finding).collect()
}

/// Creates a hook that starts the program of an MCP server: both are checked alike.
fn hook_from_server(server: &Server) -> Option<Hook> {
    let Reach::Program(command) = &server.reach else { return None };
    let run = Run::Command(command.clone());
    let mut hook = Hook::new(HookId::new(&*server.name), server.dialect, "".into(), run);
    hook.place.clone_from(&server.place);
    hook.layer = server.layer;
    Some(hook)
}

fn missing_programs_of_hook(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
    hook: &Arc<Hook>,
    is_hook: bool,
) -> Vec<Missing> {
    let source =
        hook.place.as_ref().and_then(|location| sources.iter().find(|at| at.name == location.file));
    let Some(source) = source else { return Vec::new() };
    let is_placed = hook.layer != Layer::Given || source.directory.ends_with(".claude");
    let judged = |ending: Option<consequence::Ending>| {
        let ending = ending.filter(|_| is_hook)?;
        Some(consequence::consequence_of_ending(ruleset, hook, ending))
    };
    let found = |diagnostic, consequence| Missing {
        diagnostic,
        consequence,
        hook: is_hook.then(|| hook.id.clone()),
    };
    let severity = if is_placed { Severity::Error } else { Severity::Advice };
    if let Some(directory) = missing_directory(hook) {
        let consequence = judged(Some(consequence::Ending::without_directory(directory)));
        let place = hook.place.clone();
        return vec![found(
            missing_directory_finding(directory, severity, place, consequence),
            consequence,
        )];
    }
    let expanded = with_expanded_words(hook, env);
    let hook = expanded.as_ref().unwrap_or(hook);
    let path = SearchPath::for_hook(hook, env);
    let programs = hook.certain_programs(&source.project, &source.home);
    let lost: Vec<Missing> = programs
        .iter()
        .filter(|program| !path.has_program(program))
        .map(|program| {
            let severity = if is_placed { Severity::Warning } else { Severity::Advice };
            let consequence = judged(consequence::Ending::without_program(program));
            found(
                missing_program_finding(program, severity, hook.place.clone(), consequence),
                consequence,
            )
        })
        .collect();
    if !lost.is_empty() {
        return lost;
    }
    let Some(script) = hook.script_file(&source.project, &source.home) else { return Vec::new() };
    let consequence = judged(consequence::Ending::without_script(hook, &script, &programs));
    if let Some(finding) = missing_script_finding(hook, &script, severity, consequence) {
        return vec![found(finding, consequence)];
    }
    let Some(fault) = interpreter::interpreter_fault(&script, &path) else { return Vec::new() };
    let consequence = judged(Some(consequence::Ending::without_interpreter(&fault.name)));
    let label = consequence.map_or_else(|| "never decides".to_owned(), Consequence::label);
    let message = format!("`{}` cannot be started: {}", script.path.display(), fault.message);
    let finding = Diagnostic::new(Code::ScriptNotExecutable, message, hook.place.clone());
    vec![found(finding.with_severity(severity).label(label).help(fault.help), consequence)]
}

/// Returns the hook with the values of the variables that its words name, if it expands them.
fn with_expanded_words(hook: &Hook, env: &[(String, String)]) -> Option<Arc<Hook>> {
    let Run::Command(command) = &hook.run else { return None };
    if !command.expands {
        return None;
    }
    let variable =
        |name: &str| env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let invocation = command.expanded_invocation(variable).into_owned();
    let command = Command { invocation, ..command.clone() };
    Some(Arc::new(Hook { run: Run::Command(command), ..hook.clone() }))
}

fn missing_program_finding(
    program: &Program,
    severity: Severity,
    place: Option<Location>,
    consequence: Option<Consequence>,
) -> Diagnostic {
    let message = format!("`{}` is not found here", program.name);
    let help = match consequence {
        Some(consequence) => {
            format!("install it, or write its path: {}", consequence.until_mended())
        }
        None => "install it, or write its path".to_owned(),
    };
    let label = consequence.map_or_else(|| "not found".to_owned(), Consequence::label);
    Diagnostic::new(Code::ProgramMissing, message, place)
        .with_severity(severity)
        .label(label)
        .help(help)
}

/// Returns the directory that the entry names, if it does not exist.
fn missing_directory(hook: &Hook) -> Option<&Path> {
    let Run::Command(Command { cwd, .. }) = &hook.run else { return None };
    cwd.as_deref().filter(|directory| directory.is_absolute() && !directory.is_dir())
}

fn missing_directory_finding(
    directory: &Path,
    severity: Severity,
    place: Option<Location>,
    consequence: Option<Consequence>,
) -> Diagnostic {
    let message = format!("its working directory `{}` does not exist", directory.display());
    let then = consequence
        .map(|consequence| format!(": {}", consequence.until_mended()))
        .unwrap_or_default();
    let label = consequence.map_or_else(|| "never starts".to_owned(), Consequence::label);
    Diagnostic::new(Code::ScriptMissing, message, place)
        .with_severity(severity)
        .label(label)
        .help(format!("correct the path, or create the directory{then}"))
}

/// Returns why a path keeps its `$`, if no shell reads it.
fn remedy_for_variable(hook: &Hook, path: &Path) -> Option<String> {
    let Run::Command(Command { invocation: Invocation::Argv { .. }, expands, .. }) = &hook.run
    else {
        return None;
    };
    let path = path.to_str()?;
    let (_, name) = path.split_once('$')?;
    Some(match name.strip_prefix('{').and_then(|name| name.split_once('}')) {
        Some((name, _)) if *expands => {
            format!("the variable `{name}` is not set here: write the path, or set it")
        }
        _ if *expands => "no shell reads this: write `${NAME}` for a variable, or the path".into(),
        _ => "no shell reads this, so `$` stays as written: write the path".into(),
    })
}

fn missing_script_finding(
    hook: &Hook,
    script: &Script,
    severity: Severity,
    consequence: Option<Consequence>,
) -> Option<Diagnostic> {
    let path = script.path.display();
    let then = consequence
        .map(|consequence| format!(": {}", consequence.until_mended()))
        .unwrap_or_default();
    let (code, message, help) = match script.path.metadata() {
        Err(error) => (
            Code::ScriptMissing,
            format!("`{path}` cannot be started: {}", error_reason(&error)),
            remedy_for_variable(hook, &script.path)
                .unwrap_or_else(|| "correct the path, or add the file".to_owned())
                + &then,
        ),
        Ok(found) if found.is_dir() => (
            Code::ScriptMissing,
            format!("`{path}` is a directory"),
            format!("name the file in it{then}"),
        ),
        Ok(found) if script.is_program && !is_executable(&found) => (
            Code::ScriptNotExecutable,
            format!("`{path}` is not executable"),
            format!(
                "`chmod +x {}`, or start it with its interpreter{then}",
                shell_quote(&script.path)
            ),
        ),
        Ok(_) => {
            let interpreter = script_interpreter(&script.path).filter(|_| script.is_program)?;
            if Path::new(&interpreter).exists() {
                return None;
            }
            (
                Code::ScriptNotExecutable,
                format!(
                    "`{path}` cannot be started: its first line names `{}`, which is not there",
                    interpreter.escape_debug()
                ),
                format!("{}{then}", missing_interpreter_remedy(&interpreter)),
            )
        }
    };
    let label = consequence.map_or_else(|| "never decides".to_owned(), Consequence::label);
    let place = hook.place.clone();
    Some(Diagnostic::new(code, message, place).with_severity(severity).label(label).help(help))
}

fn error_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}

fn shell_quote(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executable::make_executable;

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_missing_or_cannot_be_started_is_named() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt as _;

        use tenterhook_core::config::{Added, load};
        use tenterhook_core::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let project = project.path();
        fs::create_dir_all(project.join("hooks")).expect("a directory");
        for (name, mode, text) in [
            ("plain", 0o644, ""),
            ("program", 0o755, ""),
            ("script", 0o755, "#!/bin/sh\n"),
            ("crlf", 0o755, "#!/bin/sh\r\nexit\r\n"),
            ("other", 0o755, "#!/none/interpreter -x\n"),
        ] {
            let path = project.join("hooks").join(name);
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
        }
        let found = |command: &str, layer: Layer| {
            let text = format!(
                r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
            );
            let mut source = Source::from_text("settings.json", DialectId::CLAUDE, &text, project);
            source.layer = layer;
            let ruleset = load(&[source.clone()], &Added::default(), None).ruleset;
            let found = find_missing_programs(&ruleset, &[source], &[]);
            found
                .first()
                .map(|missing| (missing.diagnostic.code.name(), missing.diagnostic.severity))
        };
        for (command, expected) in [
            ("hooks/program", None),
            ("hooks/script", None),
            ("hooks/crlf", Some("script-not-executable")),
            ("hooks/other", Some("script-not-executable")),
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
        use tenterhook_core::config::{Added, load};
        use tenterhook_core::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let found = |called: &str| {
            let text = format!(
                "[mcp.policy]\nrun = ['python3', 'none.py']\n\n[hook.a]\non = 'Stop'\nmcp = {{ server = '{called}', tool = 't' }}\n"
            );
            let source =
                Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, project.path());
            let ruleset = load(std::slice::from_ref(&source), &Added::default(), None).ruleset;
            let found = find_missing_programs(&ruleset, &[source], &[]);
            found
                .iter()
                .map(|missing| &missing.diagnostic)
                .map(|diagnostic| {
                    (
                        diagnostic.code.name(),
                        diagnostic.place.as_ref().map(|location| location.line),
                    )
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(found("policy"), [("script-missing", Some(1))]);
        assert_eq!(found("another"), []);
    }

    /// What cannot start ends as its interpreter does, and the dialect says what that means.
    #[test]
    fn what_comes_of_a_missing_start_depends_on_who_reports_it() {
        use tenterhook_core::config::{Added, load};
        use tenterhook_core::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let bin = project.path().join("bin");
        std::fs::create_dir(&bin).expect("a directory");
        for name in ["python3", "node", "jq"] {
            let path = bin.join(name);
            std::fs::write(&path, "#!/bin/sh\n").expect("a file");
            make_executable(&path).expect("its mode");
        }
        let env = [("PATH".to_owned(), bin.display().to_string())];
        let found = |name: &str, dialect, text: &str| {
            let source = Source::from_text(name, dialect, text, project.path());
            let ruleset = load(std::slice::from_ref(&source), &Added::default(), None).ruleset;
            let found = find_missing_programs(&ruleset, &[source], &env);
            let said = |missing: &Missing| {
                let label = missing.consequence.map(Consequence::label).unwrap_or_default();
                (missing.diagnostic.code.name(), label)
            };
            found.first().map(said)
        };
        let claude = |command: &str| {
            let text = format!(
                r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
            );
            found("settings.json", DialectId::CLAUDE, &text)
        };
        let native = |run: &str| {
            let text = format!("[hook.a]\non = 'PreToolUse'\n{run}\n");
            found("tenterhook.toml", DialectId::NATIVE, &text)
        };
        let blocks = "blocks every call".to_owned();
        let passes = "lets every call pass".to_owned();
        assert_eq!(claude("nosuchprog --x"), Some(("program-missing", passes.clone())));
        assert_eq!(claude("uv run x"), Some(("program-missing", passes.clone())));
        assert_eq!(claude("python3 none.py"), Some(("script-missing", blocks.clone())));
        assert_eq!(claude("node none.js"), Some(("script-missing", passes.clone())));
        assert_eq!(claude("./none.sh"), Some(("script-missing", passes.clone())));
        // What never stops a call lets none pass.
        let observer = |event: &str, matcher: &str| {
            let text = format!(
                r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "./none.sh"}}]}}]}}}}"#
            );
            found("settings.json", DialectId::CLAUDE, &text)
        };
        // After a call, nothing can be blocked.
        let after = found(
            "settings.json",
            DialectId::CLAUDE,
            r#"{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "python3 none.py"}]}]}}"#,
        );
        assert_eq!(after, Some(("script-missing", "reports an error after every call".to_owned())));
        let stop = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python3 none.py"}]}]}}"#;
        let stop = found("settings.json", DialectId::CLAUDE, stop);
        assert_eq!(stop, Some(("script-missing", "blocks every event".to_owned())));
        // A hook whose own directory does not exist starts no interpreter.
        let elsewhere = found(
            "hooks.json",
            DialectId::WINDSURF,
            r#"{"hooks": {"pre_run_command": [{"command": "python3 none.py", "working_directory": "none"}]}}"#,
        );
        assert_eq!(elsewhere, Some(("script-missing", passes.clone())));
        let never = Some(("script-missing", "never runs".to_owned()));
        assert_eq!(observer("PostToolUse", "Edit"), never);
        assert_eq!(observer("PreToolUse", "bash"), never);
        assert_eq!(claude("cat | jq -r .x"), Some(("program-missing", String::new())));
        assert_eq!(claude("command -v cat && cat x"), None);
        assert_eq!(claude("echo x"), None);
        assert_eq!(native("run = ['nosuchprog']"), Some(("program-missing", blocks.clone())));
        assert_eq!(native("run = ['node', 'none.js']"), Some(("script-missing", blocks.clone())));
        assert_eq!(native("worker = ['nosuchprog']"), Some(("program-missing", blocks)));
    }

    /// HE-7, C-143: one finding for one missing file, which says what no shell replaces.
    #[test]
    fn repeats_are_one_finding_and_variables_are_explained() {
        use tenterhook_core::config::{Added, load};
        use tenterhook_core::dialect::DialectId;

        let project = tempfile::tempdir().expect("a directory");
        let found = |commands: &[&str]| {
            let entries: String =
                commands.iter().map(|line| format!("    - command: {line}\n")).collect();
            let text = format!("hooks:\n  pre_tool_call:\n{entries}");
            let source = Source::from_text("config.yaml", DialectId::HERMES, &text, project.path());
            let ruleset = load(std::slice::from_ref(&source), &Added::default(), None).ruleset;
            let env = [("SET".to_owned(), "/nowhere".to_owned())];
            let found = group_repeats(&find_missing_programs(&ruleset, &[source], &env));
            let said = |found: Diagnostic| found.message + ": " + &found.help.unwrap_or_default();
            found.into_iter().map(said).collect::<Vec<_>>()
        };
        let repeated = found(&["/none/a.py x", "/none/b.py", "/none/a.py", "/none/a.py y"]);
        assert_eq!(repeated.len(), 2, "{repeated:?}");
        assert!(repeated[0].contains("(also lines 5, 6)"), "{repeated:?}");
        for (command, expected) in [
            ("${SET}/a.py", "`/nowhere/a.py` cannot be started"),
            ("${UNSET}/a.py", "the variable `UNSET` is not set here"),
            ("$SET/a.py", "write `${NAME}` for a variable"),
            ("D:/a.py", "`D:/a.py` cannot be started"),
        ] {
            let found = found(&[command]);
            assert!(found.len() == 1 && found[0].contains(expected), "{command}: {found:?}");
        }
    }

    #[test]
    fn a_path_is_quoted_for_a_shell() {
        assert_eq!(shell_quote(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
