//! Each denial that a hook of a real agent was observed with denies here, too: every one is fired, in two dialects.

use serde_json::Value;

use crate::fixture::Fixture;

/// The cases of `conformance/observed` in which a hook denies.
const NO: &[&str] = &[
    "exit2-stderr",
    "exit2",
    "leading-ws-json",
    "deny-no-reason",
    "text-then-json",
    "json-then-text",
    "two-json-lines",
    "exit1-json-deny",
    "exit3-json-deny",
    "DENY-upper",
    "deny-wrong-eventname",
    "cc-deny-PreToolUse",
    "bg-grandchild-holds-stdout",
    "bg-grandchild",
];

const TABLES: &[(&str, &str)] = &[
    (include_str!("../../../../conformance/observed/claude-code-outcomes.json"), "PreToolUse"),
    (include_str!("../../../../conformance/observed/codex-outcomes.json"), "PreToolUse"),
    (include_str!("../../../../conformance/observed/gemini-cli-outcomes.json"), "BeforeTool"),
];

#[test]
fn every_no_of_the_comparison_denies() {
    let mut fired = 0;
    for (table, event) in TABLES {
        let table: Value = serde_json::from_str(table).unwrap();
        let is =
            |case: &&Value| case["event"] == *event && NO.contains(&case["case"].as_str().unwrap());
        for case in table["cases"].as_array().unwrap().iter().filter(is) {
            for dialect in ["claude", "codex"] {
                denies(&case["hook"], dialect, &case["case"]);
                fired += 1;
            }
        }
    }
    assert!(fired > 40, "{fired}");
}

fn denies(hook: &Value, dialect: &str, name: &Value) {
    let fixture = Fixture::new();
    let text = |key: &str| hook.get(key).and_then(Value::as_str).unwrap_or_default();
    fixture.write("project/stdout", text("stdout"));
    fixture.write("project/stderr", text("stderr"));
    let command = match hook.get("cmd").and_then(Value::as_str) {
        Some(command) => command.to_owned(),
        None => format!(
            "cat stdout; cat stderr >&2; exit {}",
            hook.get("code").and_then(Value::as_i64).unwrap_or(0)
        ),
    };
    let entry = serde_json::json!({"type": "command", "command": command});
    let config = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    fixture.write("project/hooks.json", &config.to_string());
    let config = format!("{dialect}=hooks.json");
    let args =
        ["fire", "--config", &config, "--dialect", dialect, "--format", "json", "Bash", "ls"];
    let outcome = fixture.json(&args, "", 2);
    let decision = outcome.get("decision").and_then(Value::as_str);
    assert_eq!(decision, Some("deny"), "{name} in {dialect}: {outcome:#}");
}
