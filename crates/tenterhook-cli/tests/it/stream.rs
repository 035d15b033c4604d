//! `fire --stream`: a line in, a line out.

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};

fn event(id: &str, command: &str) -> String {
    json!({
        "id": id, "session_id": "s", "transcript_path": "/t", "cwd": "/",
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "t",
    })
    .to_string()
}

fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const SLOW_GUARD: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "timeout": 20, "command": "case $(cat) in *slow*) sleep 1;; esac; case $1 in *) exit 0;; esac"},
  {"type": "command", "timeout": 20, "if": "Bash(rm *)", "command": "echo no >&2; exit 2"}
]}]}}"#;

/// V-40.
#[test]
fn each_event_is_answered_under_its_id_as_it_ends() {
    let fixture = Fixture::with_settings(SLOW_GUARD);
    let input = [event("a", "echo slow"), event("b", "rm x"), event("c", "ls")].join("\n");
    let output = fixture.run(&["fire", "--stream"], &input);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let lines = lines(&output.stdout);
    assert_eq!(lines.len(), 3);
    for line in &lines {
        fits_schema("outcome", line);
        assert_eq!(line["blocked"], line["id"] == "b", "{line}");
    }
    assert_eq!(lines[2]["id"], "a", "the slow one ends last");
}

#[test]
fn a_bad_line_is_denied_and_the_stream_goes_on() {
    let fixture = Fixture::with_settings("{}");
    let input = format!("{{\n\n{}\n{}\n", json!({"id": 7, "what": 1}), event("z", "ls"));
    let output = fixture.run(&["fire", "--stream"], &input);
    assert_eq!(output.code, 1, "some line could not be read");
    let lines = lines(&output.stdout);
    assert_eq!(lines.len(), 3);
    for id in [Value::Null, json!(7)] {
        let line = lines.iter().find(|line| line["id"] == id).unwrap();
        fits_schema("outcome", line);
        assert_eq!((&line["blocked"], &line["decision"]), (&json!(true), &json!("deny")));
        assert_eq!(line["faults"][0]["code"], "unreadable-event");
    }
    assert_eq!(lines.iter().find(|line| line["id"] == "z").unwrap()["blocked"], false);
}

/// V-40: JSON libraries write `NaN` and halves of surrogate pairs, and the host waits under the `id` of that event.
#[test]
fn unreadable_line_is_denied_under_the_id_that_it_shows() {
    let fixture = Fixture::with_settings("{}");
    let input = [
        r#"{"id": 1, "hook_event_name": "PreToolUse", "tool_input": {"timeout": NaN}}"#,
        r#"{"hook_event_name": "PreToolUse", "tool_input": {"command": "\ud800"}, "id": "b"}"#,
        r#"{"tool_input": {"id": 2, "x": NaN}}"#,
        r#"{"id": 3, "tool_input": {"x": NaN}, "id": 4}"#,
    ]
    .join("\n");
    let output = fixture.run(&["fire", "--stream"], &input);
    assert_eq!(output.code, 1, "no line could be read");
    let lines = lines(&output.stdout);
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!("b"), &Value::Null, &Value::Null]);
    for line in &lines {
        fits_schema("outcome", line);
        assert_eq!(line["blocked"], true, "{line}");
        assert_eq!(line["faults"][0]["code"], "unreadable-event", "{line}");
    }
}

/// V-7: the denial names the option that reads such events.
#[test]
fn event_of_another_dialect_is_denied_with_its_option() {
    let fixture = Fixture::with_settings("{}");
    let event = json!({"id": 1, "event": "PreToolUse", "tool": {"name": "Bash", "input": {"command": "ls"}}});
    let output = fixture.run(&["fire", "--stream"], &event.to_string());
    let line = &lines(&output.stdout)[0];
    let reason = line["reason"].as_str().unwrap();
    assert!(reason.contains("`--dialect native`"), "{reason}");
}

/// N-3: events that come at once are counted one by one.
#[test]
fn the_cap_holds_for_events_that_overlap() {
    let fixture = Fixture::with_settings(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}"#,
    );
    let stop = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/",
        "hook_event_name": "Stop", "stop_hook_active": true});
    let input = vec![stop.to_string(); 9].join("\n");
    let output = fixture.run(&["fire", "--stream"], &input);
    let lines = lines(&output.stdout);
    let gave_way: Vec<_> = lines.iter().filter(|line| line["blocked"] == false).collect();
    assert_eq!((lines.len(), gave_way.len()), (9, 1), "{}", output.stdout);
    assert_eq!(gave_way[0]["faults"][0]["code"], "cap-reached");
}

/// V-44: outcomes of two events with the same id could not be distinguished; the order of the lines alone decides which one is
/// refused.
#[test]
fn an_id_that_is_open_is_refused() {
    let fixture = Fixture::with_settings(SLOW_GUARD);
    let input = [event("a", "echo slow"), event("a", "ls"), event("b", "ls")].join("\n");
    let output = fixture.run(&["fire", "--stream"], &input);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let lines = lines(&output.stdout);
    let of = |id: &str| lines.iter().filter(|line| line["id"] == id).collect::<Vec<_>>();
    let [refused, judged] = of("a")[..] else { panic!("{lines:?}") };
    fits_schema("outcome", refused);
    assert_eq!(
        (&refused["blocked"], &refused["faults"][0]["code"]),
        (&json!(true), &json!("id-in-use"))
    );
    assert_eq!((&judged["blocked"], judged["steps"].as_array().unwrap().len()), (&json!(false), 1));
    assert_eq!(of("b")[0]["blocked"], false);
    let many = vec![event("a", "ls").replace("\"id\":\"a\",", ""); 5].join("\n");
    let output = fixture.run(&["fire", "--stream"], &many);
    assert_eq!(
        (output.code, output.stdout.lines().count()),
        (0, 5),
        "lines without an id are never one"
    );
}

#[test]
fn one_session_runs_a_once_hook_once() {
    let fixture = Fixture::new();
    fixture.write(
        "a.toml",
        "[hook.a]\non = 'PreToolUse'\nonce = true\nshell = 'echo no >&2; exit 2'\n",
    );
    let input = [event("1", "ls"), event("2", "ls")].join("\n");
    let output = fixture.run(&["fire", "--stream", "--config", "../a.toml"], &input);
    let blocked = lines(&output.stdout).iter().filter(|line| line["blocked"] == true).count();
    assert_eq!(blocked, 1, "{}", output.stdout);
}

#[test]
fn background_step_gets_a_separate_line() {
    let hook = json!({"type": "command", "async": true, "command": "true"});
    let fixture =
        Fixture::with_settings(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    let output = fixture.run(&["fire", "--stream"], &event("1", "ls"));
    let lines = lines(&output.stdout);
    assert_eq!(lines.len(), 2, "{}", output.stdout);
    let json = lines.iter().find(|line| line.get("finished").is_some()).unwrap();
    assert_eq!(json["finished"]["event"], "PreToolUse");
    fits_schema("outcome", &json["finished"]["outcome"]);
}

/// Collects the keys that a schema names, at any depth.
fn collect_keys(schema: &Value, keys: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(own)) = map.get("properties") {
                keys.extend(own.keys().cloned());
            }
            map.values().for_each(|value| collect_keys(value, keys));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_keys(value, keys)),
        _ => {}
    }
}

#[test]
fn types_of_the_example_clients_have_the_keys_of_the_schemas() {
    let mut keys = Vec::new();
    for name in ["outcome", "stream"] {
        let output = Fixture::new().run(&["schema", name], "");
        collect_keys(&serde_json::from_str(&output.stdout).unwrap(), &mut keys);
    }
    assert!(keys.len() > 40, "{keys:?}");
    type Declaration = fn(&str) -> Vec<String>;
    let languages: [(&str, Declaration); 3] = [
        ("tenterhook_types.py", |key| vec![format!("    {key}: ")]),
        ("tenterhook.d.ts", |key| vec![format!(" {key}: "), format!(" {key}?: ")]),
        ("types.go", |key| vec![format!("`json:\"{key}\"`"), format!("`json:\"{key},")]),
    ];
    for (file, declarations) in languages {
        let text = std::fs::read_to_string(crate::fixture::examples().join("stream").join(file));
        let text = text.unwrap();
        let is_missing = |key: &&String| !declarations(key).iter().any(|part| text.contains(part));
        let missing: Vec<_> = keys.iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}

/// Clients are short enough to read at once; `cargo e2e clients` runs them.
/// A host imports the example and asks its own questions.
#[test]
fn importing_the_example_client_in_python_runs_nothing() {
    let folder = crate::fixture::examples().join("stream");
    let mut python = std::process::Command::new("python3");
    python.args(["-B", "-c", "import client"]).current_dir(folder);
    let Ok(output) = python.output() else { return };
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn the_example_clients_are_short() {
    for file in ["client.py", "client.mjs", "client.go"] {
        let text = std::fs::read_to_string(crate::fixture::examples().join("stream").join(file));
        assert!(text.unwrap().lines().count() < 75, "{file}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_gone_ends_the_stream() {
    let fixture = Fixture::with_settings("{}");
    fixture.write("project/one.json", &format!("{}\n", event("1", "ls")));
    // The writer ends only when its reader has gone.
    let output = fixture
        .shell("timeout 30 sh -c 'yes \"$(cat one.json)\" | tenterhook fire --stream | head -n 1'");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(lines(&output.stdout).len(), 1);
}
