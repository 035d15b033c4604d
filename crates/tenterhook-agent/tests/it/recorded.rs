//! What the agent fires is on record, where the user's other programs record, too.

use serde_json::Value;

use crate::fixture::Fixture;

/// RE-1: with the agent's own ids of calls and of its session.
#[test]
fn what_the_agent_fires_is_on_record() {
    let hooks = "[hook.no]\non = \"PreToolUse\"\nshell = \"echo no >&2; exit 2\"\n";
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"echo secret words\" } }]\n[[reply]]\ntext = \"done\"\n";
    let fixture = Fixture::new(hooks, script);
    let run = fixture.ask("go", &[]);
    assert!(!run.of_kind("turn_ended").is_empty());
    let records = fixture.sandbox.home().join(".local/state/tenterhook/records");
    let file = std::fs::read_dir(records).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(file).unwrap();
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_call = |value: &&Value| value["kind"] == "end" && value["event"] == "PreToolUse";
    let denied = all.iter().find(is_call).unwrap();
    assert_eq!((&denied["decision"], &denied["tool"]), (&"deny".into(), &"Bash".into()));
    assert_eq!(denied["hooks"][0]["hook"], "no");
    for key in ["call", "session"] {
        assert!(denied[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {denied:#}");
    }
    let begin = all.iter().find(|value| value["seq"] == denied["begun"]).unwrap();
    assert_eq!((&begin["kind"], &begin["call"]), (&"begin".into(), &denied["call"]));
    assert!(!text.contains("secret words"), "no content");
}
