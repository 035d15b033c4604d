//! Tests of writing hook files: what is written, what is reported, and that nothing is lost in silence.

mod matrix;

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::dialect::{DIALECTS, DialectId, Roots, Subject};
use crate::event::Event;
use crate::hook::{Command, HookId, Inherit, Invocation, OnFailure, Shell, Wait};
use crate::matcher::{Matcher, MatcherSpec};

fn read(id: DialectId, text: &str) -> Vec<Arc<Hook>> {
    let dialect = id.dialect();
    let name = format!("/{}", dialect.written_file_path().unwrap_or("tenterhook.toml"));
    let directory = Path::new(&name).parent().unwrap();
    let source = Source::from_text(&name, id, text, directory);
    dialect.read_config(&source).hooks.into_iter().map(Arc::new).collect()
}

fn convert(from: DialectId, text: &str, to: DialectId) -> (String, Vec<String>) {
    let (text, lost) = to.dialect().write_hook_file(&read(from, text)).unwrap();
    (text, lost.into_iter().map(|lost| lost.message).collect())
}

/// C-150.
#[test]
fn settings_of_claude_become_hooks_of_droid() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Bash|Write", "hooks": [
            {"type": "command", "command": "./a", "timeout": 5},
            {"type": "command", "command": "./b", "args": ["x y"], "if": "Bash(git *)", "statusMessage": "look"}]}],
        "PermissionRequest": [{"hooks": [{"type": "command", "command": "./c"}]}],
        "PostToolUse": [{"hooks": [{"type": "http", "url": "https://a.example"}]}]}}"#;
    let (written, lost) = convert(DialectId::CLAUDE, text, DialectId::DROID);
    let written: Value = serde_json::from_str(&written).unwrap();
    let group = &written["PreToolUse"][0];
    assert_eq!(group["matcher"], "^(?:Execute|Create)$");
    assert_eq!(group["hooks"][0], json!({"type": "command", "command": "./a", "timeout": 5}));
    assert_eq!(group["hooks"][1]["command"], "./b 'x y'");
    assert!(written.get("PermissionRequest").is_none() && written.get("PostToolUse").is_none());
    for part in [
        "`if`: Droid cannot say `Bash(git *)`",
        "`status`: Droid shows no text",
        "`event`: Droid has no event `PermissionRequest`",
        "`url`: no hook of Droid is a request",
        "`input` and `answer`: programs written for `claude` get Droid's input there",
    ] {
        assert!(lost.iter().any(|lost| lost.contains(part)), "{part}: {lost:#?}");
    }
}

/// C-150: a matcher for a neutral tool covers each of the agent's tools that it stands for.
#[test]
fn matcher_of_a_tool_with_several_names_covers_all() {
    for (tool, to, names) in [
        ("Read", DialectId::KIRO, "^(?:read_file|read_files|read_code)$"),
        ("Edit", DialectId::KIRO, "^(?:str_replace|fs_append)$"),
        ("WebFetch", DialectId::CRUSH, "^(?:fetch|agentic_fetch|web_fetch)$"),
        ("WebFetch", DialectId::ANTIGRAVITY, "^(?:read_url_content|open_browser_url)$"),
    ] {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{tool}", "hooks": [{{"type": "command", "command": "./a"}}]}}]}}}}"#
        );
        let (written, _) = convert(DialectId::CLAUDE, &text, to);
        assert!(written.contains(names), "{to}: {written}");
    }
}

/// C-150.
#[test]
fn command_regex_and_units_of_timeouts_are_named() {
    let text = r#"{"PreToolUse": [{"matcher": "^Execute$", "commandRegex": "^git", "hooks": [{"type": "command", "command": "./a", "timeout": 2}]}]}"#;
    let (written, lost) = convert(DialectId::DROID, text, DialectId::GEMINI);
    let written: Value = serde_json::from_str(&written).unwrap();
    let group = &written["hooks"]["BeforeTool"][0];
    assert_eq!(group["matcher"], "^(?:run_shell_command)$", "{written:#}");
    assert_eq!(group["hooks"][0]["timeout"], 2000);
    assert!(lost.iter().any(|lost| lost.contains("cannot say `commandRegex: ^git`")), "{lost:#?}");
    let text = r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./a", "timeout": 1500}]}]}}"#;
    let (_, lost) = convert(DialectId::GEMINI, text, DialectId::CODEWHALE);
    assert!(lost.iter().any(|lost| lost.contains("`timeout`: 1.5s here")), "{lost:#?}");
}

/// C-150, HE-7: what an agent expands in words is a line for a shell elsewhere.
#[test]
fn variables_that_only_hermes_expands_become_a_line() {
    let text = "hooks:\n  pre_tool_call:\n    - command: python3 ${REPO}/a.py\n";
    let (written, lost) = convert(DialectId::HERMES, text, DialectId::CLAUDE);
    assert!(written.contains(r#"python3 \"${REPO}\"/a.py"#), "{written}");
    assert!(!lost.iter().any(|lost| lost.contains("`command`")), "{lost:#?}");
    let (written, _) = convert(DialectId::HERMES, text, DialectId::HERMES);
    assert!(written.contains("${REPO}/a.py") && !written.contains("sh -c"), "{written}");
}

/// C-150: a hook that does not run, or only reports, does not begin to block.
#[test]
fn disarmed_hook_is_not_written() {
    let text = r#"{"hooks": {"PreTooluse": [{"hooks": [{"type": "command", "command": "./a"}]}]}}"#;
    let (written, lost) = convert(DialectId::CLAUDE, text, DialectId::CODEX);
    assert!(!written.contains("./a"), "{written}");
    assert!(lost.iter().any(|lost| lost.contains("never runs")), "{lost:?}");
}

/// C-150: a rule of a native file runs nowhere else.
#[test]
fn rule_is_lost_with_what_to_do() {
    let text = "[hook.a]\non = 'PreToolUse'\nwhen = 'tool.command.startsWith(\"a\")'\ndeny = 'no'\n[hook.b]\non = 'PreToolUse'\nshell = 'x'\nmode = 'shadow'\n";
    let (_, lost) = convert(DialectId::NATIVE, text, DialectId::CLAUDE);
    assert!(
        lost.iter()
            .any(|lost| lost.contains("it is a rule") && lost.contains("tenterhook install")),
        "{lost:?}"
    );
    assert!(lost.iter().any(|lost| lost.contains("shadow mode")), "{lost:?}");
}

/// Tools that events are about, by their neutral names.
const TOOLS: &[&str] =
    &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "Agent", "mcp__s__t", "Other"];

/// Returns the tools of whose calls a hook runs.
fn fired_tools(hook: &Hook) -> Vec<&'static str> {
    let dialect = hook.dialect.dialect();
    let Some(row) = dialect.event_row(&hook.event) else { return Vec::new() };
    let is_fired = |tool: &&&str| {
        let event = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {}});
        let event = event.as_object().cloned().unwrap_or_default();
        let mut event =
            DialectId::CLAUDE.dialect().decode_event(&event, &Roots::default()).unwrap();
        event.name = hook.event.clone();
        fires(hook, row, &event)
    };
    TOOLS.iter().filter(is_fired).copied().collect()
}

fn fires(hook: &Hook, row: &EventRow, event: &Event) -> bool {
    if row.subject == Subject::None {
        return true;
    }
    let matches = |text: Option<&str>| hook.matcher.matches(text).unwrap_or(true);
    let others = row.subject.alternative_names(event);
    matches(row.subject.matcher_text(event))
        || (matches!(hook.matcher.spec(), MatcherSpec::Words(_))
            && others.iter().any(|name| matches(Some(name))))
}

/// Hooks of many kinds, each alone.
fn samples() -> Vec<Hook> {
    let word =
        |words: &[&str]| MatcherSpec::Words(words.iter().map(|word| (*word).to_owned()).collect());
    let regex = |text: &str| MatcherSpec::Regex(text.to_owned());
    let argv = |words: &[&str]| Invocation::Argv {
        program: words[0].to_owned(),
        args: words[1..].iter().map(|word| (*word).to_owned()).collect(),
    };
    let shell = |text: &str, shell: Shell| Invocation::Shell { text: text.to_owned(), shell };
    let new = |event: &str, spec: MatcherSpec, invocation: Invocation| {
        let run = Run::Command(Command::new(invocation, Inherit::All));
        let hook = Hook::new(HookId::new("a"), DialectId::NATIVE, event.into(), run);
        hook.matcher(Matcher::new(spec))
    };
    let mut with_env = new("PreToolUse", word(&["Bash"]), argv(&["a"]));
    if let Run::Command(command) = &mut with_env.run {
        command.env = vec![("A".to_owned(), "b c".to_owned())];
        command.cwd = Some("/tmp".into());
    }
    let mut once = new("SessionStart", MatcherSpec::Any, argv(&["a"]));
    once.once = true;
    once.status = Some("look".to_owned());
    vec![
        new("PreToolUse", MatcherSpec::Any, argv(&["/bin/a", "b c", "it's"])),
        new("PreToolUse", word(&["Bash"]), shell("a | b", Shell::Sh))
            .timeout(Duration::from_millis(1500)),
        new("PreToolUse", word(&["Edit", "Write"]), shell("a", Shell::Bash))
            .on_failure(OnFailure::Block),
        new("PreToolUse", regex("Ba.*|^Write"), argv(&["a"])).on_failure(OnFailure::Continue),
        new("PreToolUse", regex("^mcp__"), argv(&["a"])).timeout(Duration::from_secs(2000)),
        new("PreToolUse", word(&["mcp__s__t"]), shell("a", Shell::PowerShell)),
        new("PostToolUse", word(&["Read", "Other"]), argv(&["a"])).wait(Wait::Detached),
        new("PostToolUse", regex("Edit"), shell("a", Shell::Login)),
        new("Stop", MatcherSpec::Any, argv(&["a"])).timeout(Duration::from_secs(30)),
        new("UserPromptSubmit", MatcherSpec::Any, argv(&["a"])),
        with_env,
        once,
    ]
}

/// C-150: there and back, a hook is the same, or the lists name what was lost.
#[test]
fn hook_that_goes_to_an_agent_and_back_is_the_same_or_its_loss_is_listed() {
    let agents: Vec<DialectId> = DIALECTS
        .iter()
        .filter(|dialect| dialect.written_file_path().is_some())
        .map(|dialect| dialect.id())
        .collect();
    assert!(agents.len() >= 20, "{agents:?}");
    let is_about_hook = |lost: &Diagnostic| lost.message.starts_with("hook ");
    for (number, sample) in samples().into_iter().enumerate() {
        for (at, one) in agents.iter().enumerate() {
            let (first, _) = one.dialect().write_hook_file(&[Arc::new(sample.clone())]).unwrap();
            // Some of the pairs for each sample: all of them take long, and say the same.
            let is_drawn = |other: usize| (at + other + number).is_multiple_of(9);
            let others = agents.iter().enumerate().filter(|(other, _)| is_drawn(*other));
            for other in others.map(|(_, other)| other).filter(|other| *other != one) {
                let start = read(*one, &first);
                let (there, mut lost) = other.dialect().write_hook_file(&start).unwrap();
                let (back, more) = one.dialect().write_hook_file(&read(*other, &there)).unwrap();
                lost.extend(more);
                let end = read(*one, &back);
                let view = |hooks: &[Arc<Hook>]| -> Vec<String> {
                    let row = |hook: &Hook| one.dialect().event_row(&hook.event).unwrap();
                    let each = hooks.iter().map(|hook| {
                        let time = hook.effective_timeout(row(hook));
                        format!(
                            "{} {:?} {time:?} {:?} {:?} {} {:?} {:?}",
                            hook.event,
                            fired_tools(hook),
                            hook.on_failure,
                            hook.wait,
                            hook.once,
                            hook.status,
                            hook.arming
                        )
                    });
                    each.collect()
                };
                if view(&start) != view(&end) {
                    assert!(
                        lost.iter().any(is_about_hook),
                        "{number}: {one:?} -> {other:?}: {first}{there}{back}{:#?}{:#?}",
                        view(&start),
                        view(&end)
                    );
                }
            }
        }
    }
}
