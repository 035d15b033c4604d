//! The hooks and findings of a `hooks.json`: each field, each fault, and what an exact reading
//! refuses (I-1 to I-4, I-30 to I-41).

use std::time::Duration;

use super::*;
use crate::diagnostic::Severity;
use crate::hook::Inherit;
use crate::hook::{Arming, Command, Compat, Hook, Invocation, Layer, Phase, Run, Sandbox};
use crate::matcher::MatcherSpec;

fn source(text: &str) -> Source {
    let mut source =
        Source::from_text("/home/u/.ignis/hooks.json", DialectId::IGNIS, text, "/home/u/.ignis");
    source.layer = Layer::User;
    source.home = "/home/u".into();
    source
}

fn read(text: &str) -> ReadConfig {
    IGNIS.read_config(&source(text))
}

fn exact(text: &str) -> ReadConfig {
    IGNIS.read_config(&Source { compat: Compat::Exact, ..source(text) })
}

/// The hook of one entry for prompts, and the codes of its findings.
fn entry(fields: &str) -> (Hook, Vec<&'static str>) {
    let mut read = read(&format!(r#"{{"hooks": {{"UserPromptSubmit": [{fields}]}}}}"#));
    let codes = read.diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Advice);
    let codes = codes.map(|diagnostic| diagnostic.code.name()).collect();
    (read.hooks.pop().expect("a hook"), codes)
}

fn command(hook: &Hook) -> &Command {
    let Run::Command(command) = &hook.run else { panic!("{:?}", hook.run) };
    command
}

fn argv(hook: &Hook) -> Vec<&str> {
    let Invocation::Argv { program, args } = &command(hook).invocation else { panic!("argv") };
    std::iter::once(program).chain(args).map(String::as_str).collect()
}

/// IG-S9, I-31 to I-33.
#[test]
fn a_command_is_split_at_white_space_and_argv_is_taken_as_it_is() {
    for (fields, expected) in [
        (
            r#"{"command": "/usr/bin/env python3 /opt/run.py --display"}"#,
            vec!["/usr/bin/env", "python3", "/opt/run.py", "--display"],
        ),
        (r#"{"command": "  sh   -c\ttrue "}"#, vec!["sh", "-c", "true"]),
        (r#"{"command": "~/.ignis/run.py ~"}"#, vec!["/home/u/.ignis/run.py", "~"]),
        (
            r#"{"argv": ["/path with space/run.py", "--a b", "~/x"]}"#,
            vec!["/path with space/run.py", "--a b", "~/x"],
        ),
        (r#"{"argv": ["~/run.py"], "command": null}"#, vec!["/home/u/run.py"]),
        (r#"{"command": ".ignis/hooks/check"}"#, vec![".ignis/hooks/check"]),
    ] {
        let (hook, codes) = entry(fields);
        assert_eq!(argv(&hook), expected, "{fields}");
        assert!(codes.is_empty(), "{fields}: {codes:?}");
    }
    let (hook, codes) = entry(r#"{"command": "\"a b\" | c"}"#);
    assert_eq!((argv(&hook), codes), (vec!["\"a", "b\"", "|", "c"], vec!["command-without-shell"]));
}

/// I-30, I-31: an entry with no program, or with two.
#[test]
fn entry_without_exactly_one_program_is_rejected_alone() {
    for (fields, code) in [
        (r#"{"command": "/bin/true", "argv": ["/bin/true"]}"#, "several-runs"),
        ("{}", "missing-run"),
        (r#"{"argv": []}"#, "empty-command"),
        (r#"{"argv": [" "]}"#, "empty-command"),
        (r#"{"command": "  "}"#, "empty-command"),
        (r#"{"argv": "x"}"#, "wrong-field-type"),
        (r#"{"command": ["x"]}"#, "command-not-string"),
    ] {
        let (hook, codes) = entry(fields);
        assert_eq!(codes, [code], "{fields}");
        assert!(matches!(hook.arming, Arming::Disarmed { rule: "I-31", .. }), "{fields}");
    }
    for (item, code) in [
        (r#"["/bin/true"]"#, "entry-not-object"),
        (r#""/bin/true""#, "entry-not-object"),
        (r#"{"matcher": "", "hooks": [{"type": "command", "command": "x"}]}"#, "entry-is-group"),
    ] {
        let read =
            read(&format!(r#"{{"hooks": {{"UserPromptSubmit": [{item}, {{"command": "y"}}]}}}}"#));
        assert_eq!(read.hooks.len(), 1, "its sibling is read");
        assert_eq!(read.diagnostics[0].code.name(), code, "{item}");
    }
}

/// I-5, I-35, I-36, I-40.
#[test]
fn the_fields_have_their_defaults() {
    let (hook, _) = entry(r#"{"command": "x"}"#);
    assert_eq!((hook.timeout, &hook.sandbox, hook.phase), (None, &Sandbox::Unsaid, Phase::Rewrite));
    assert_eq!((command(&hook).inherit, command(&hook).pass.len()), (Inherit::Listed, 0));
    assert_eq!(IGNIS.event_row(&hook.event).expect("a row").timeout, Duration::from_secs(10));
    assert_eq!(hook.id.as_str(), "user:UserPromptSubmit:x:1");
    let (hook, codes) = entry(
        r#"{"command": "~/a/translate.py", "timeout_ms": 30000, "env": ["B", "A_1"], "sandbox": false}"#,
    );
    assert_eq!((hook.timeout, &hook.sandbox), (Some(Duration::from_secs(30)), &Sandbox::Off));
    assert_eq!(
        (command(&hook).pass.as_slice(), codes),
        (["B".to_owned(), "A_1".to_owned()].as_slice(), vec![])
    );
    assert_eq!(hook.id.as_str(), "user:UserPromptSubmit:translate:1");
}

/// I-34: an invalid field loses only its own effect.
#[test]
fn hook_stays_armed_when_an_optional_field_is_invalid() {
    for (field, code) in [
        (r#""timeout_ms": -1"#, "wrong-field-type"),
        (r#""timeout_ms": 1.5"#, "wrong-field-type"),
        (r#""timeout_ms": "5s""#, "wrong-field-type"),
        (r#""timeout_ms": 0"#, "timeout-is-zero"),
        (r#""env": "A""#, "wrong-field-type"),
        (r#""env": ["1KEY"]"#, "bad-variable"),
        (r#""env": [""]"#, "bad-variable"),
        (r#""env": ["KEY-NAME"]"#, "bad-variable"),
        (r#""env": ["KEY=NAME"]"#, "bad-variable"),
        (r#""env": ["KEY NAME"]"#, "bad-variable"),
        (r#""sandbox": "yes""#, "wrong-field-type"),
        (r#""timeout": 5"#, "unknown-handler-field"),
        (r#""sandbx": true"#, "unknown-handler-field"),
        (r#""matcher": 5"#, "matcher-not-string"),
        (r#""matcher": "bash""#, "matcher-ignored"),
        (r#""command": "x""#, "duplicate-keys"),
    ] {
        let (hook, codes) = entry(&format!(r#"{{"command": "x", {field}}}"#));
        assert_eq!(hook.arming, Arming::Armed, "{field}");
        assert_eq!(hook.timeout, None, "{field}");
        assert!(codes.contains(&code), "{field}: {codes:?}");
    }
}

/// IG-S14, I-37: `defaults_env_empty_and_sandbox_on`, `sandbox_false_is_an_explicit_opt_out`; the
/// user's setting for a file takes precedence.
#[test]
fn hook_is_confined_unless_its_entry_or_the_user_disables_the_sandbox() {
    const FILE: &str = "/h/.ignis/hooks.json";
    let confined = |field: &str, output: &str| {
        let text = format!(r#"{{"hooks": {{"UserPromptSubmit": [{{"command": "x"{field}}}]}}}}"#);
        let output = if output.is_empty() {
            String::new()
        } else {
            format!("[source.\"{FILE}\"]\n{output}\n")
        };
        let source = |name, dialect, text: &str| Source {
            layer: Layer::User,
            home: "/h".into(),
            ..Source::from_text(name, dialect, text, "/h")
        };
        let files = [
            source(FILE, DialectId::IGNIS, &text),
            source("/h/.config/tenterhook/tenterhook.toml", DialectId::NATIVE, &output),
        ];
        let loaded = crate::config::load(&files, &crate::config::Added::default(), None);
        assert_eq!(loaded.diagnostics, [], "{field} {output}");
        loaded.ruleset.hooks()[0].sandbox.summary()
    };
    let agents = "strict; read /tmp, /var/tmp; write /tmp, /var/tmp; net open";
    for (field, text, expected) in [
        ("", "", agents),
        (r#", "sandbox": true"#, "", agents),
        (r#", "sandbox": false"#, "", "off"),
        ("", "sandbox = \"off\"", "off"),
        ("", "sandbox = \"standard\"", "standard"),
        (r#", "sandbox": false"#, "sandbox = \"standard\"", "standard"),
    ] {
        assert_eq!(confined(field, text), expected, "{field} {text}");
    }
}

/// I-38.
#[test]
fn matcher_is_a_name_or_a_prefix_with_a_star() {
    let spec = |text: &str| {
        let text =
            format!(r#"{{"hooks": {{"PreToolUse": [{{"command": "x", "matcher": {text}}}]}}}}"#);
        read(&text).hooks.pop().expect("a hook").matcher.spec().clone()
    };
    assert_eq!(spec("null"), MatcherSpec::Any);
    assert_eq!(spec(r#""*""#), MatcherSpec::Any);
    assert_eq!(spec(r#"" ""#), MatcherSpec::Any);
    assert_eq!(spec(r#""bash""#), MatcherSpec::Words(vec!["bash".to_owned()]));
    assert_eq!(spec(r#""mcp__*""#), MatcherSpec::Regex("^mcp__".to_owned()));
    assert_eq!(spec(r#""a.b*""#), MatcherSpec::Regex(r"^a\.b".to_owned()));
}

/// I-11: one `PostToolUse` entry is a hook of both neutral events.
#[test]
fn post_tool_use_hook_runs_after_success_and_failure() {
    let read = read(r#"{"hooks": {"PostToolUse": [{"command": "x"}]}}"#);
    let hooks: Vec<_> =
        read.hooks.iter().map(|hook| (hook.id.as_str(), hook.event.as_str())).collect();
    assert_eq!(
        hooks,
        [
            ("user:PostToolUse:x:1", "PostToolUse"),
            ("user:PostToolUse:x:1@PostToolUseFailure", "PostToolUseFailure")
        ]
    );
}

/// Ruling 22, I-4: the siblings of a bad entry stay armed; an exact reading refuses the whole file.
#[test]
fn bad_entry_disarms_the_whole_file_only_in_exact_reading() {
    let text = r#"{"hooks": {"UserPromptSubmit": [{"command": "good"}, {"argv": []}]}}"#;
    let guarded = read(text);
    let armed =
        |read: &ReadConfig| read.hooks.iter().filter(|hook| hook.arming == Arming::Armed).count();
    assert_eq!((armed(&guarded), guarded.unreadable), (1, false));
    let exact = exact(text);
    assert_eq!((armed(&exact), exact.unreadable), (0, true));
    assert!(
        matches!(&exact.hooks[0].arming, Arming::Disarmed { because, rule: "I-4" } if because.contains("`argv` is empty"))
    );
}

/// I-2.
#[test]
fn faults_of_the_file_have_their_codes() {
    for (text, code, unreadable, hooks) in [
        ("", "empty-file", true, 0),
        ("{", "not-strict-json", true, 0),
        ("[]", "not-an-object", true, 0),
        (r#"{"hooks": []}"#, "hooks-is-array", false, 0),
        (r#"{"hooks": 1}"#, "hooks-not-object", false, 0),
        (
            r#"{"hooks": {"PreToolUse": {"command": "x"}}}"#,
            "event-value-is-object-not-array",
            false,
            1,
        ),
        (r#"{"hooks": {"PreToolUse": 1}}"#, "event-value-not-array", false, 0),
        (r#"{"hooks": {"PreTolUse": [{"command": "x"}]}}"#, "unknown-event", false, 1),
        (r#"{"PreToolUse": [{"command": "x"}]}"#, "missing-hooks-wrapper", false, 1),
        (r#"{"hooks": {"PreToolUse": [{"command": "x"},]}}"#, "not-strict-json", false, 1),
        (
            "\u{feff}{\"hooks\": {\"PreToolUse\": [{\"command\": \"x\"}]}}",
            "byte-order-mark",
            false,
            1,
        ),
        (
            r#"{"hooks": {"PreToolUse": [{"command": "x"}], "PreToolUse": [{"command": "y"}]}}"#,
            "duplicate-keys",
            false,
            2,
        ),
        (
            r#"{"hooks": {"PreToolUse": [{"command": "x"}]}, "hooks": {"PreToolUse": [{"command": "y"}]}}"#,
            "duplicate-keys",
            false,
            2,
        ),
        (
            r#"{"hooks": {"PreToolUse": [{"command": "x", "matcher": "a|b"}]}}"#,
            "matcher-is-expression",
            false,
            1,
        ),
        (
            r#"{"hooks": {"UserPromptSubmit": [{"command": "x", "timeout_ms": 30}]}}"#,
            "timeout-looks-like-seconds",
            false,
            1,
        ),
    ] {
        let found = read(text);
        assert!(
            found.diagnostics.iter().any(|diagnostic| diagnostic.code.name() == code),
            "{text}: {:?}",
            found.diagnostics
        );
        assert_eq!((found.unreadable, found.hooks.len()), (unreadable, hooks), "{text}");
        for diagnostic in &found.diagnostics {
            assert!(diagnostic.place.is_some(), "{diagnostic:?}");
        }
    }
    assert!(read("{}").diagnostics.is_empty(), "`hooks` is optional");
}

/// I-3: the agent keeps only the last of two lists.
#[test]
fn duplicate_event_key_loses_no_hook_unless_exact() {
    let text = r#"{"hooks": {"PreToolUse": [{"command": "x"}], "PreToolUse": [{"command": "y"}]}}"#;
    assert!(read(text).hooks.iter().all(|hook| hook.arming == Arming::Armed));
    let armed: Vec<_> =
        exact(text).hooks.into_iter().map(|hook| hook.arming == Arming::Armed).collect();
    assert_eq!(armed, [false, true]);
}

/// Every code has a sample, and each sample has exactly its finding, at its line.
#[test]
fn each_sample_shows_its_finding_and_no_other() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/check/ignis");
    let sample = |file: &str| std::fs::read_to_string(samples.join(file)).expect("it is there");
    let expected =
        crate::syntax::parse_by_format(&sample("expect.toml"), crate::syntax::Format::Toml);
    let expected = expected.root.expect("it is TOML");
    for case in expected.entries() {
        let text = |key: &str| case.node.get(key).and_then(Node::as_str).expect("a text");
        let line = case.node.get("line").and_then(Node::as_u64).expect("a line");
        let found = read(&sample(&case.key)).diagnostics;
        let texts: Vec<String> = found
            .iter()
            .map(|diagnostic| {
                let at = diagnostic.place.as_ref().map_or(0, |place| place.line);
                format!("{} {} at line {at}", diagnostic.severity, diagnostic.code.name())
            })
            .collect();
        let wanted = format!("{} {} at line {line}", text("severity"), text("code"));
        assert_eq!(texts, [wanted], "{}", case.key);
        for diagnostic in found {
            assert!(
                !diagnostic.message.ends_with('.')
                    && !diagnostic.help.unwrap_or_default().ends_with('.')
            );
        }
    }
    let files = std::fs::read_dir(&samples).expect("samples").count();
    assert_eq!(files, expected.entries().len() + 1, "each file has an expectation");
    let page = include_str!("../../../../../../../docs/spec/diagnostics.md");
    let section = page.split("\n## ignis\n").nth(1).and_then(|part| part.split("\n## ").next());
    let section = section.expect("a section");
    let headings = section.lines().filter_map(|line| line.strip_prefix("### "));
    let documented: Vec<&str> =
        headings.flat_map(|line| line.split('`').skip(1).step_by(2)).collect();
    for &code in &documented {
        let shown = |entry: &crate::syntax::Entry| {
            entry.node.get("code").and_then(Node::as_str) == Some(code)
        };
        assert!(expected.entries().iter().any(shown), "`{code}` has no sample");
    }
    for case in expected.entries() {
        let code = case.node.get("code").and_then(Node::as_str).expect("a code");
        assert!(documented.contains(&code), "`{code}` is not documented");
    }
}

/// IG-S8: a reload replaces the hooks, and a file that cannot be read keeps its last hooks.
#[test]
fn reload_replaces_hooks_and_broken_file_keeps_the_last_good_hooks() {
    use crate::config::{Added, load};
    let text = |command: &str| {
        format!(
            r#"{{"hooks": {{"UserPromptSubmit": [{{"command": "{command}", "sandbox": false}}]}}}}"#
        )
    };
    let programs = |ruleset: &crate::config::Ruleset| -> Vec<String> {
        ruleset.hooks().iter().map(|hook| hook.run.one_line_description()).collect()
    };
    let first = load(&[source(&text("a"))], &Added::default(), None).ruleset;
    let second = load(&[source(&text("b"))], &Added::default(), Some(&first)).ruleset;
    assert_eq!((programs(&first), programs(&second)), (vec!["a".to_owned()], vec!["b".to_owned()]));
    let broken = load(&[source("{")], &Added::default(), Some(&second));
    assert_eq!(programs(&broken.ruleset), ["b"]);
    let codes: Vec<_> =
        broken.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
    assert!(codes.contains(&"not-strict-json") && codes.contains(&"kept-last-good"), "{codes:?}");
}

/// IG-S15, Ruling 27.
#[test]
fn example_config_uses_one_script_for_both_events() {
    let found = read(include_str!("../../../../../../../examples/ignis/hooks.json"));
    assert!(found.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Advice));
    let events: Vec<_> = found.hooks.iter().map(|hook| hook.event.as_str()).collect();
    assert_eq!(events, ["UserPromptSubmit", "MessageDisplay"]);
    let scripts: Vec<_> = found.hooks.iter().map(argv).collect();
    assert_eq!(scripts, [["/home/u/.ignis/hooks/ignis-translator.py"]; 2]);
    let script = include_str!("../../../../../../../examples/hooks/ignis-translator.py");
    for hook in &found.hooks {
        for name in &command(hook).pass {
            assert!(script.contains(name.as_str()), "`{name}` is passed on and not read");
        }
    }
}

/// Ruling 28.
#[test]
fn guide_starts_with_the_rights_of_an_unconfined_hook() {
    let guide = include_str!("../../../../../../../docs/guide/dialects/ignis.md");
    let first = guide.split("\n\n").nth(1).expect("a paragraph");
    assert!(first.starts_with("**An unconfined hook runs with all your rights.**"), "{first}");
}
