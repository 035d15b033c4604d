//! Hooks that fire hooks: what is refused, and what runs.

use serde_json::Value;

use crate::fixture::Fixture;

const EVENT: &str =
    r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

fn count(fixture: &Fixture, file: &str) -> usize {
    std::fs::read_to_string(fixture.path(file)).unwrap_or_default().lines().count()
}

/// P-10.
#[test]
fn a_hook_that_fires_itself_is_refused_once() {
    for run in ["shell", "worker"] {
        let fixture = Fixture::new();
        fixture.write("project/event.json", EVENT);
        let fire = "echo in >> fired; tenterhook fire --format json --config hooks.toml event.json > inner.json; echo $? > code";
        let itself = match run {
            "shell" => format!("shell = '{fire}'"),
            _ => format!(
                r#"worker = ["sh", "-c", '{fire}; read line; echo "{{\"id\":1,\"answer\":{{}}}}"; read line']"#
            ),
        };
        fixture.write(
            "project/hooks.toml",
            &format!(
                "[hook.itself]\non = 'PreToolUse'\n{itself}\npass = ['PATH']\n[hook.other]\non = 'PreToolUse'\nshell = 'echo other >> others'\n"
            ),
        );
        let output = fixture.shell("tenterhook fire --config hooks.toml event.json");
        assert_eq!(count(&fixture, "project/fired"), 1, "{run}: {}", output.all());
        assert_eq!(count(&fixture, "project/others"), 2, "{run}: {}", output.all());
        let inner = std::fs::read_to_string(fixture.path("project/inner.json")).unwrap();
        let inner: Value = serde_json::from_str(&inner).unwrap();
        assert_eq!(inner["decision"], "deny", "{inner:#}");
        let faults = inner["faults"].as_array().unwrap();
        assert_eq!(faults.len(), 1, "{inner:#}");
        assert_eq!(
            (&faults[0]["code"], &faults[0]["hook"]),
            (&"already-firing".into(), &"itself".into())
        );
        assert_eq!(std::fs::read_to_string(fixture.path("project/code")).unwrap(), "2\n");
        if run == "shell" {
            assert_eq!(output.code, 0, "no hook denied the outer event: {}", output.all());
        }
    }
}

/// P-11.
#[test]
fn a_chain_of_hooks_ends() {
    let fixture = Fixture::new();
    fixture.write("project/event.json", EVENT);
    for level in 0..12 {
        let next = level + 1;
        fixture.write(
            &format!("project/{level}.toml"),
            &format!(
                "[hook.h{level}]\non = 'PreToolUse'\nshell = 'echo {level} >> levels; tenterhook fire --config {next}.toml event.json >> said 2>&1; exit 0'\n"
            ),
        );
    }
    let output = fixture.shell("tenterhook fire --config 0.toml event.json");
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(count(&fixture, "project/levels"), 9);
    let inner = std::fs::read_to_string(fixture.path("project/said")).unwrap();
    assert!(inner.contains("nested-too-deep") && inner.contains("BLOCKED"), "{inner}");
}

/// P-12.
#[test]
fn no_mark_opens_a_gate() {
    let fixture = Fixture::new();
    fixture.write("project/event.json", EVENT);
    fixture.write("project/hooks.toml", "[hook.no]\non = 'PreToolUse'\nshell = 'exit 2'\n");
    fixture
        .write("project/rule.toml", "[hook.no]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\n");
    let marks = ["", ",", "no", "hooks.toml", "0123456789abcdef", "$(printf 'x%.0s' $(seq 50000))"];
    let deep = "1,2,3,4,5,6,7,8,9,10";
    for config in ["hooks.toml", "rule.toml"] {
        for mark in marks.iter().chain(&[deep]) {
            let output = fixture.shell(&format!(
                "TENTERHOOK_FIRING=\"{mark}\" tenterhook fire --config {config} event.json"
            ));
            assert_eq!(output.code, 2, "{mark}: {}", output.all());
        }
    }
}
